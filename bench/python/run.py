#!/usr/bin/env python3
"""The Python package against its peers, and against the C++ library: ratios of medians, measured in turns, in one run.

Answers are compared first: scikit-learn's PA-I without a bias, in the order of the rows, must give our weights.

    run.py FOLDER [--rounds 7]      FOLDER holds the data, made where missing (make bench sees to all)
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import time
import warnings

import numpy as np
import pandas as pd
import postil
import scipy.sparse as sp
from river import linear_model
from sklearn.linear_model import PassiveAggressiveClassifier as PeerPA
from sklearn.linear_model import Perceptron, SGDClassifier

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
IN_MEMORY = ROOT / "build/dev/bench/bench_learn"
PLAIN = {"average": "none"}


def median_seconds(functions, rounds):
    """Medians of the functions' seconds, measured in turns."""
    seconds = [[] for _ in functions]
    for _ in range(rounds):
        for place, function in enumerate(functions):
            start = time.perf_counter()
            function()
            seconds[place].append(time.perf_counter() - start)
    return [statistics.median(values) for values in seconds]


def text_rows(rows=200_000, width=50_000, values=77):
    """Rows as text gives them: a few columns in most rows, the others rarely."""
    random = np.random.default_rng(1)
    common = random.zipf(1.3, size=(rows, values)) % width
    rare = random.integers(0, width, size=(rows, values))
    indices = np.sort(np.where(random.random((rows, values)) < 0.4, common, rare), axis=1).astype(np.int32)
    X = sp.csr_matrix((random.random(rows * values), indices.ravel(), np.arange(rows + 1) * values), shape=(rows, width))
    X.sum_duplicates()
    return X, (X @ random.normal(size=width) > 0).astype(int)


def compare_answers(X, y):
    ours = postil.PassiveAggressiveClassifier(fit_intercept=False, max_iter=1, tol=None, shuffle=False, **PLAIN).fit(X, y)
    theirs = PeerPA(fit_intercept=False, max_iter=1, tol=None, shuffle=False).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-7, atol=1e-9)
    print(f"one pass of PA-I in order: our weights are scikit-learn's, {100 * ours.score(X, y):.2f} % right on the rows learned from")


def one_row(rounds):
    random = np.random.default_rng(0)
    X = random.normal(size=(2000, 54))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    labels = y.tolist()
    dense, parts, part_labels = list(X), [X[i : i + 1] for i in range(len(X))], [y[i : i + 1] for i in range(len(X))]
    dicts = [{f"c{j}": value for j, value in enumerate(row)} for row in X.tolist()]
    S, sparse_y = text_rows(2000)
    sparse, sparse_labels = [S[i] for i in range(2000)], sparse_y.tolist()

    ours = postil.PassiveAggressiveClassifier().partial_fit(X, y, classes=[0, 1])
    ours_sparse = postil.PassiveAggressiveClassifier().partial_fit(S, sparse_y, classes=[0, 1])
    ours_dict, river = postil.PassiveAggressiveClassifier(), linear_model.PAClassifier()
    ours_dict.learn_one(dicts[0], True)
    theirs = PeerPA().partial_fit(X, y, classes=[0, 1])

    def each(learn, rows, of):
        return lambda: [learn(row, label) for row, label in zip(rows, of)]

    truths = [bool(label) for label in labels]
    named = {
        "learn_one, an array of 54": each(ours.learn_one, dense, labels),
        "learn_one, a sparse row of 77": each(ours_sparse.learn_one, sparse, sparse_labels),
        "learn_one, a dict of 54": each(ours_dict.learn_one, dicts, truths),
        "predict_one, an array of 54": lambda: [ours.predict_one(row) for row in dense],
        "predict_one, a sparse row of 77": lambda: [ours_sparse.predict_one(row) for row in sparse],
        "predict_one, a dict of 54": lambda: [ours_dict.predict_one(row) for row in dicts],
        "partial_fit, one row of 54": each(ours.partial_fit, parts, part_labels),
        "River PAClassifier.learn_one, a dict of 54": each(river.learn_one, dicts, truths),
        "scikit-learn partial_fit, one row of 54": each(theirs.partial_fit, parts, part_labels),
    }
    medians = dict(zip(named, median_seconds(list(named.values()), rounds)))
    print("\nmicroseconds a row")
    for name, seconds in medians.items():
        print(f"  {name:<46} {1e6 * seconds / 2000:8.2f}")
    print(f"  ratio partial_fit, scikit-learn / ours: {medians['scikit-learn partial_fit, one row of 54'] / medians['partial_fit, one row of 54']:.0f}")
    for row in ("an array of 54", "a sparse row of 77", "a dict of 54"):
        print(f"  ratio {row}, predict_one / learn_one: {medians[f'predict_one, {row}'] / medians[f'learn_one, {row}']:.1f}")
    print(f"  ratio a dict, River / ours: {medians['River PAClassifier.learn_one, a dict of 54'] / medians['learn_one, a dict of 54']:.0f}")


def first_rows(rounds):
    """Of the last 56 of the 256 rows that settle the schema: each is predicted, and then learned."""
    random = np.random.default_rng(0)
    X = random.normal(size=(256, 20))
    rows, labels = [{f"c{j}": value for j, value in enumerate(row)} for row in X.tolist()], (X[:, 0] > 0).tolist()
    print("\nwhile the first rows are kept, a dict of 20, microseconds a row: predict_one, learn_one (ratio); predict_proba_one")
    for name in ("AdviceClassifier", "AROWClassifier", "PassiveAggressiveClassifier"):
        seconds = np.empty((rounds, 56, 3))
        for turn in range(rounds):
            model = getattr(postil, name)(scale="standard")
            for number, (row, label) in enumerate(zip(rows, labels)):
                times = [time.perf_counter()]
                for call in (lambda: model.predict_one(row), lambda: model.learn_one(row, label), lambda: model.predict_proba_one(row)):
                    call()
                    times.append(time.perf_counter())
                if number >= 200:
                    seconds[turn, number - 200] = np.diff(times)
        predict, learn, shares = 1e6 * np.median(seconds.reshape(-1, 3), axis=0)
        print(f"  {name:<28} {predict:6.1f} {learn:6.1f} ({predict / learn:.1f}) {shares:8.1f}")


def predict_sparse(X, y, rounds):
    once = {"max_iter": 1, "tol": None}
    rows = X[:10_000]
    theirs = SGDClassifier(**once).fit(X, y)
    models = {"PassiveAggressiveClassifier": {}, "the same, average='none'": PLAIN, "the same, scale='maxabs'": {"scale": "maxabs"}}
    fitted = [postil.PassiveAggressiveClassifier(**settings, **once).fit(X, y) for settings in models.values()]
    for model in fitted[:2]:
        np.testing.assert_allclose(model.decision_function(rows), rows @ model.coef_[0] + model.intercept_[0], rtol=1e-7, atol=1e-9)
    medians = median_seconds([lambda: theirs.predict(rows), *(lambda model=model: model.predict(rows) for model in fitted)], 5 * rounds)
    print("\npredict of 10,000 sparse rows: our seconds / scikit-learn's SGDClassifier")
    for name, seconds in zip(models, medians[1:]):
        print(f"  {name:<28} {seconds / medians[0]:.2f}   ({1e3 * seconds:.2f} and {1e3 * medians[0]:.2f} ms)")


def frames(rounds):
    random = np.random.default_rng(0)
    X = random.normal(size=(1_000_000, 20))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    frame = pd.DataFrame({f"f{j + 1}": X[:, j].copy() for j in range(20)})
    once = {"max_iter": 1, "tol": None}
    print("\na pandas frame of 1,000,000 x 20 / the same matrix")
    for settings in ({}, {"scale": "standard"}):
        of_matrix, of_frame = (postil.PassiveAggressiveClassifier(**once, **settings).fit(form, y) for form in (X, frame))
        np.testing.assert_array_equal(of_matrix.decision_function(X), of_frame.decision_function(frame))
        fit = median_seconds([lambda form=form: postil.PassiveAggressiveClassifier(**once, **settings).fit(form, y) for form in (X, frame)], rounds)
        predict = median_seconds([lambda: of_matrix.predict(X), lambda: of_frame.predict(frame)], rounds)
        print(f"  {str(settings):<28} fit {fit[1] / fit[0]:.2f}   predict {predict[1] / predict[0]:.2f}   ({1e3 * fit[1]:.0f} and {1e3 * predict[1]:.0f} ms)")


MEMORY = """
import resource
import numpy as np, postil
X = np.empty((1_000_000, 100))
for first in range(0, len(X), 10_000):
    X[first : first + 10_000] = np.random.default_rng(first).normal(5, 2, size=(10_000, 100))
y = X[:, 0] + X[:, 1] > 10
postil.PassiveAggressiveClassifier(scale="standard").fit(X[:1000], y[:1000])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
postil.PassiveAggressiveClassifier(scale="standard", max_iter=2, tol=None).fit(X, y)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / 1e6)
"""


def memory():
    said = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True).stdout
    print(f"\nfit with scale='standard' on a matrix of 800 MB needs {float(said):.0f} MB more")


def one_pass(X, y, rounds):
    print(f"\none pass over a CSR matrix, {X.shape[0]:,} x {X.shape[1]:,}, {X.nnz / X.shape[0]:.0f} values a row: scikit-learn's seconds / ours")
    once = {"max_iter": 1, "tol": None}
    peers = [(postil.PassiveAggressiveClassifier, PeerPA), (postil.PerceptronClassifier, Perceptron), (postil.GradientDescentClassifier, SGDClassifier)]
    for ours, theirs in peers:
        times = median_seconds(
            [
                lambda: ours(**PLAIN).partial_fit(X, y, classes=[0, 1]),
                lambda: theirs().partial_fit(X, y, classes=[0, 1]),
                lambda: theirs(shuffle=False).partial_fit(X, y, classes=[0, 1]),
                lambda: ours(**PLAIN, **once).fit(X, y),
                lambda: theirs(**once).fit(X, y),
            ],
            rounds,
        )
        print(
            f"  {ours.__name__:<28} partial_fit as they come {times[1] / times[0]:.2f} (theirs shuffles; told not to: {times[2] / times[0]:.2f})"
            f"   fit, both shuffled {times[4] / times[3]:.2f}   ours {1e3 * times[0]:.0f} and {1e3 * times[3]:.0f} ms"
        )


def against_the_library(folder, rounds):
    path = folder / "million.csv"
    if not path.exists():
        print(f"making {path}", flush=True)
        subprocess.run([ROOT / "build/postil", "make", "dense", "--rows", "1000000", "--seed", "1", "-o", path], check=True)
    import pandas as pd

    table = pd.read_csv(path)
    y = table.pop("label").to_numpy()
    X = np.ascontiguousarray(table.to_numpy(dtype=np.float64))
    python = median_seconds([lambda: postil.PassiveAggressiveClassifier(**PLAIN).partial_fit(X, y, classes=np.unique(y[:1000]))], rounds)[0]
    said = subprocess.run([IN_MEMORY, path, str(rounds), "pa", "average=none"], capture_output=True, text=True, check=True).stdout.split()
    library = statistics.median(map(float, said[:-1]))
    print(f"\na million rows of {X.shape[1]}: Python's partial_fit takes {python / library:.2f} times the C++ library's pass over the same rows in memory ({1e3 * python:.0f} and {1e3 * library:.0f} ms)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    print(f"postil {postil.__version__}, Python {sys.version.split()[0]}, numpy {np.__version__}; medians of {options.rounds} in turns")
    X, y = text_rows()
    compare_answers(X, y)
    one_row(options.rounds)
    first_rows(options.rounds)
    predict_sparse(X, y, options.rounds)
    frames(options.rounds)
    memory()
    one_pass(X, y, options.rounds)
    against_the_library(options.folder, options.rounds)


if __name__ == "__main__":
    main()
