"""How many passes `fit` should make: cross-validated error of the online learners after one pass, five, and as many as `tol` asks for (docs/defaults.md).

Needs: pip install . (the Python package); takes a minute.
"""

import warnings

import numpy as np
import postil
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_score

LEARNERS = ["Perceptron", "PassiveAggressive", "SGD", "Romma", "AROW", "Advice", "PAAdviceptron", "Adviceptron"]
STOPS = [{"max_iter": 1, "tol": None}, {"max_iter": 5, "tol": None}, {}]


def data_sets():
    yield "cancer", load_breast_cancer(return_X_y=True)
    yield "digits", load_digits(return_X_y=True)
    yield "wine", load_wine(return_X_y=True)
    yield "tuberculosis", postil.datasets.make("tuberculosis", rows=2000, seed=3)
    yield "synthetic", postil.datasets.make("synthetic", rows=600, seed=3)
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 30))
    yield "noisy", (X, (X @ random.normal(size=30) + 3 * random.normal(size=3000) > 0).astype(int))


def main():
    warnings.simplefilter("ignore")
    print("| data | " + " | ".join(LEARNERS) + " |\n|---|" + "---|" * len(LEARNERS))
    for name, (X, y) in data_sets():
        cells = []
        for learner in LEARNERS:
            folds = StratifiedKFold(5, shuffle=True, random_state=1)
            form = getattr(postil, f"{learner}Classifier")
            errors = [1 - cross_val_score(form(scale="standard", **stop), X, y, cv=folds).mean() for stop in STOPS]
            cells.append(" / ".join(f"{100 * error:.1f}" for error in errors))
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
