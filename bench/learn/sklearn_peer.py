"""scikit-learn: one pass of PA-I, from a LIBSVM file to saved weights, or timed in memory.

sklearn_peer.py FILE OUT FEATURES        load, learn, save coefficients
sklearn_peer.py FILE --memory FEATURES   prints the seconds of one partial_fit, for each estimator
"""

import sys
import time
import warnings

import numpy
from sklearn.datasets import load_svmlight_file

warnings.simplefilter("ignore")


def estimators():
    from sklearn.linear_model import PassiveAggressiveClassifier, Perceptron, SGDClassifier

    plain = {"fit_intercept": False, "shuffle": False, "max_iter": 1, "tol": None}
    return {
        "PassiveAggressiveClassifier": lambda: PassiveAggressiveClassifier(C=1, **plain),
        "Perceptron": lambda: Perceptron(**plain),
        "SGDClassifier(pa1)": lambda: SGDClassifier(loss="hinge", penalty=None, learning_rate="pa1", eta0=1, **plain),
    }


def main():
    path, out, features = sys.argv[1], sys.argv[2], int(sys.argv[3])
    x, y = load_svmlight_file(path, n_features=features, zero_based=False)
    x.indices, x.indptr = x.indices.astype(numpy.int32), x.indptr.astype(numpy.int32)  # it refuses its own loader's int64
    if out != "--memory":
        model = estimators()["SGDClassifier(pa1)"]().fit(x, y)
        numpy.save(out, model.coef_[0])
        return
    for name, make in estimators().items():
        model = make()
        start = time.perf_counter()
        model.partial_fit(x, y, classes=[-1, 1])
        print(f"{time.perf_counter() - start}\t{name}")


main()
