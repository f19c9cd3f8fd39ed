#!/usr/bin/env python3
"""Two processes against one on rows that do not fit into memory at once, and peers on the same rows, in one run.

speed.py FOLDER [--rows 20000000] [--features 50] [--repeats 3]

The rows are files of 250,000 rows, float32; each process reads its own. Peers: scikit-learn's SGDClassifier with partial_fit, file after file, which is what dask-ml's Incremental does, and if it is installed XGBoost's gblinear on Dask. Prints wall seconds (median),
the largest resident memory of a process in MB, and the error on a file that nobody has learned from.
"""

import argparse
import concurrent.futures
import functools
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


def postil_fit(paths, processes, estimator, rounds=None):
    import postil

    parts = [functools.partial(load, path) for path in paths]
    if processes == 0:
        return postil.shards.fit(estimator, parts, rounds=rounds), peak()
    with concurrent.futures.ProcessPoolExecutor(processes) as pool:
        model = postil.shards.fit(estimator, parts, rounds=rounds, map=pool.map)
        return model, max(pool.map(peak, range(4 * processes)))


def sklearn_fit(paths):
    from sklearn.linear_model import SGDClassifier
    from sklearn.preprocessing import StandardScaler

    scaler, model = StandardScaler(), SGDClassifier(random_state=0)
    for path in paths:
        scaler.partial_fit(load(path)[0])
    for path in paths:
        X, y = load(path)
        model.partial_fit(scaler.transform(X), y, classes=[False, True])
    return lambda X: model.predict(scaler.transform(X))


def xgboost_fit(paths, features):
    import dask
    import dask.array as da
    import xgboost
    from dask.distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=None) as cluster, Client(cluster) as client:
        loaded = [dask.delayed(load)(path) for path in paths]
        X = da.concatenate([da.from_delayed(part[0], (ROWS_OF_FILE, features), np.float32) for part in loaded])
        y = da.concatenate([da.from_delayed(part[1], (ROWS_OF_FILE,), bool) for part in loaded])
        booster = xgboost.dask.train(client, {"booster": "gblinear", "objective": "binary:logistic"}, xgboost.dask.DaskDMatrix(client, X, y), num_boost_round=10)["booster"]
    return lambda rows: booster.predict(xgboost.DMatrix(rows)) > 0.5


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
    contenders["scikit-learn SGDClassifier.partial_fit, 1 process"] = lambda: (sklearn_fit(paths), peak())
    try:
        import xgboost  # noqa: F401

        contenders["XGBoost gblinear on Dask, 2 processes"] = lambda: (xgboost_fit(paths, flags.features), float("nan"))
    except ImportError:
        print("XGBoost is not installed and is left out")
    seconds, found = {name: [] for name in contenders}, {}
    for _ in range(flags.repeats):  # in turns
        for name, fit in contenders.items():
            begun = time.perf_counter()
            model, memory = fit()
            seconds[name].append(time.perf_counter() - begun)
            predicted = (model if callable(model) else model.predict)(X)
            found[name] = memory, np.mean(np.asarray(predicted) != y)
    print(f"{len(paths) * ROWS_OF_FILE:,} rows x {flags.features}, {len(paths)} shards, medians of {flags.repeats}")
    for name in contenders:
        print(f"{name:<52} {statistics.median(seconds[name]):8.1f} s  ({min(seconds[name]):.1f} to {max(seconds[name]):.1f})  {found[name][0]:7.0f} MB  error {100 * found[name][1]:.3f} %")
    for name in ("advised", "pa, one round", "kbsvm"):
        one, two = (statistics.median(seconds[f"Postil {name}, {word}"]) for word in ("1 process", "2 processes"))
        print(f"two processes against one, {name}: {one / two:.2f} times as fast")


if __name__ == "__main__":
    main()
