#!/usr/bin/env python3
"""Two processes against one on rows that do not fit into memory at once, and peers on the same rows, in one run.

speed.py FOLDER [--rows 20000000] [--features 50] [--repeats 3]

The rows are files of 250,000 rows, float32; each process reads its own. Peers: scikit-learn's SGDClassifier with partial_fit, file after file; the same through dask-ml's Incremental, and XGBoost's gblinear, on Dask with two processes (bench/cluster/requirements.txt).
Prints wall seconds (median), the largest resident memory of a process in MB, and the error on a file that nobody has learned from.
"""

import argparse
import concurrent.futures
import functools
import importlib.util
import os
import pathlib
import resource
import statistics
import time

import numpy as np

ROWS_OF_FILE = 250_000


def write(path, seed, features):
    if path.exists():
        return
    random = np.random.default_rng(seed)
    X = random.normal(size=(ROWS_OF_FILE, features)).astype(np.float32)
    weights = np.random.default_rng(10**9).normal(size=features) / np.arange(1, features + 1)
    y = X @ weights + 0.5 * random.normal(size=ROWS_OF_FILE) > 0
    temporary = path.with_suffix(".part")
    with open(temporary, "wb") as file:
        np.savez(file, X=X, y=y)
    os.replace(temporary, path)


def load(path):
    with np.load(path) as file:
        return file["X"], file["y"]


def peak(_=None):
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def in_own_process(fit, *arguments):
    """What fit gives, and the peak memory of the processes it ran in: a fresh process for each, so that one run does not count for the next."""
    with concurrent.futures.ProcessPoolExecutor(1) as pool:
        model, of_others = pool.submit(fit, *arguments).result()
        return model, max(of_others, pool.submit(peak).result())


def postil_fit(paths, processes, estimator, rounds=None):
    import postil

    parts = [functools.partial(load, path) for path in paths]
    with concurrent.futures.ProcessPoolExecutor(processes) as pool:
        model = postil.shards.fit(estimator, parts, rounds=rounds, map=pool.map)
        return model, max(pool.map(peak, range(4 * processes)))


class ScaledLinear:
    def __init__(self, scaler, model):
        self.scaler, self.model = scaler, model

    def predict(self, X):
        return self.model.predict(self.scaler.transform(X))


def sklearn_fit(paths):
    from sklearn.linear_model import SGDClassifier
    from sklearn.preprocessing import StandardScaler

    scaler, model = StandardScaler(), SGDClassifier(random_state=0)
    for path in paths:
        scaler.partial_fit(load(path)[0])
    for path in paths:
        X, y = load(path)
        model.partial_fit(scaler.transform(X), y, classes=[False, True])
    return ScaledLinear(scaler, model), 0


def on_dask(fit):
    """fit(client, X, y) on two processes, with the rows as dask arrays; and the peak memory of a worker."""
    import dask
    import dask.array as da
    from dask.distributed import Client, LocalCluster

    def run(paths, features):
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0) as cluster, Client(cluster) as client:
            loaded = [dask.delayed(load)(path) for path in paths]
            X = da.concatenate([da.from_delayed(part[0], (ROWS_OF_FILE, features), np.float32) for part in loaded])
            y = da.concatenate([da.from_delayed(part[1], (ROWS_OF_FILE,), bool) for part in loaded])
            return fit(client, X, y), max(client.run(peak).values())

    return run


def dask_ml_fit(client, X, y):
    from dask_ml.preprocessing import StandardScaler
    from dask_ml.wrappers import Incremental
    from sklearn.linear_model import SGDClassifier

    scaler = StandardScaler().fit(X)
    model = Incremental(SGDClassifier(random_state=0), assume_equal_chunks=True).fit(scaler.transform(X), y, classes=[False, True])
    return ScaledLinear(scaler, model.estimator_)


class Booster:
    def __init__(self, booster):
        self.booster = booster

    def predict(self, X):
        import xgboost

        return self.booster.predict(xgboost.DMatrix(X)) > 0.5


def xgboost_fit(client, X, y):
    import xgboost.dask

    return Booster(xgboost.dask.train(client, {"booster": "gblinear", "objective": "binary:logistic"}, xgboost.dask.DaskDMatrix(client, X, y), num_boost_round=10)["booster"])


def postil_dask_fit(client, X, y):
    import postil.dask

    return postil.dask.fit(postil.PassiveAggressiveClassifier(), X, y, rounds=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--features", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=3)
    flags = parser.parse_args()
    flags.folder.mkdir(parents=True, exist_ok=True)
    paths = [flags.folder / f"{flags.features}-{k}.npz" for k in range(max(1, flags.rows // ROWS_OF_FILE) + 1)]
    for k, path in enumerate(paths):
        write(path, k, flags.features)
    *paths, test = paths
    X, y = load(test)
    import postil

    contenders = {}
    for name, estimator in (("advised", postil.AdviceClassifier()), ("pa, one round", postil.PassiveAggressiveClassifier()), ("kbsvm", postil.KnowledgeSVC())):
        rounds = 1 if name.startswith("pa") else None
        for processes in (1, 2):
            contenders[f"Postil {name}, {processes} process{'es' if processes > 1 else ''}"] = functools.partial(postil_fit, paths, processes, estimator, rounds)
    contenders["scikit-learn SGDClassifier.partial_fit, 1 process"] = functools.partial(in_own_process, sklearn_fit, paths)
    for name, module, fit in (("Postil pa, one round, on Dask", "dask", postil_dask_fit), ("dask-ml Incremental of SGDClassifier on Dask", "dask_ml", dask_ml_fit), ("XGBoost gblinear, 10 rounds, on Dask", "xgboost", xgboost_fit)):
        if importlib.util.find_spec(module) is None:
            print(f"{module} is not installed: {name} is left out")
        else:
            contenders[f"{name}, 2 processes"] = functools.partial(on_dask(fit), paths, flags.features)
    seconds, found = {name: [] for name in contenders}, {}
    for turn in range(flags.repeats):  # in turns
        for name, fit in contenders.items():
            begun = time.perf_counter()
            try:
                model, memory = fit()
            except Exception as error:  # a peer that fails is a result
                print(f"{name} failed: {type(error).__name__}: {str(error)[:200]}")
                continue
            seconds[name].append(time.perf_counter() - begun)
            found[name] = max(memory, found.get(name, (0, 0))[0]), np.mean(np.asarray(model.predict(X)) != y)
            print(f"turn {turn + 1}: {name}: {seconds[name][-1]:.1f} s", flush=True)
    print(f"{len(paths) * ROWS_OF_FILE:,} rows x {flags.features}, {len(paths)} shards, medians of {flags.repeats}")
    for name in (name for name in contenders if seconds[name]):
        print(f"{name:<56} {statistics.median(seconds[name]):8.1f} s  ({min(seconds[name]):.1f} to {max(seconds[name]):.1f})  {found[name][0]:7.0f} MB  error {100 * found[name][1]:.3f} %")
    for name in ("advised", "pa, one round", "kbsvm"):
        one, two = (statistics.median(seconds[f"Postil {name}, {word}"]) for word in ("1 process", "2 processes"))
        print(f"two processes against one, {name}: {one / two:.2f} times as fast")


if __name__ == "__main__":
    main()
