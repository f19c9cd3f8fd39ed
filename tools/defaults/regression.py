"""Which learner is the default for numbers: mean |error| of predictions made before each row is learned, every learner as it comes (docs/defaults.md).

    python tools/defaults/regression.py

Needs: the Python package and River, whose wheel holds the data; takes a minute. Everyone gets the same rows in the same order, scaled as they come; nobody is tuned.
"""

import datetime
import warnings

import numpy as np
import postil
from river import datasets, linear_model, preprocessing
from river.datasets import synth
from sklearn.datasets import load_diabetes
from sklearn.linear_model import SGDRegressor
from sklearn.preprocessing import StandardScaler

ROWS = 3000


def numbers(row):
    """Dates are days, and texts the numbers of their kinds, so that everyone has the same columns."""
    return {name: value.toordinal() if isinstance(value, datetime.date) else value for name, value in row.items()}


def without_texts(rows):
    kinds = {(name, value) for row in rows for name, value in row.items() if isinstance(value, str)}
    for row in rows:
        texts = {name: value for name, value in row.items() if isinstance(value, str)}
        flags = {f"{name}={value}": float(texts.get(name) == value) for name, value in sorted(kinds)}
        yield {name: float(value) for name, value in row.items() if name not in texts} | flags


def data_sets():
    def of(pairs, target=None):
        pairs = list(pairs)
        labels = [float(label if target is None else label[target]) for _, label in pairs]
        return list(without_texts([numbers(row) for row, _ in pairs])), labels

    yield "TrumpApproval", of(datasets.TrumpApproval())
    yield "ChickWeights", of(datasets.ChickWeights())
    X, y = load_diabetes(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    yield "diabetes", of(({f"x{j}": value for j, value in enumerate(X[i])}, y[i]) for i in order)
    yield "SolarFlare", of(datasets.SolarFlare(), "c-class-flares")
    yield "SP500", of(datasets.SP500Stocks())
    yield "Friedman", of(synth.Friedman(seed=1).take(ROWS))
    yield "with drift", of(synth.FriedmanDrift(drift_type="lea", position=(1000, 1500, 2000), seed=1).take(ROWS))
    yield "Planes2D", of(synth.Planes2D(seed=1).take(ROWS))
    yield "Mv", of(synth.Mv(seed=1).take(ROWS))
    random = np.random.default_rng(2)
    wide = random.normal(size=(600, 100))
    yield "100 columns", of(({f"x{j}": value for j, value in enumerate(row)}, label) for row, label in zip(wide, wide @ random.normal(size=100) + 5 * random.normal(size=600) + 20))


class Scaled:
    """scikit-learn's estimator behind its scaler, one row at a time."""

    def __init__(self, model):
        self.scaler, self.model, self.learned = StandardScaler(), model, False

    def predict_one(self, row):
        return self.model.predict(self.scaler.transform([list(row.values())]))[0] if self.learned else 0

    def learn_one(self, row, label):
        values = [list(row.values())]
        self.model.partial_fit(self.scaler.partial_fit(values).transform(values), [label])
        self.learned = True


LEARNERS = {
    "`arow` (AROWRegressor)": lambda: postil.AROWRegressor(),
    "`pa` (PassiveAggressiveRegressor)": lambda: postil.PassiveAggressiveRegressor(scale="standard"),
    "`sgd` (SGDRegressor)": lambda: postil.SGDRegressor(),
    "the same, `average=uniform`": lambda: postil.SGDRegressor(average="uniform"),
    "`arow drift=0`": lambda: postil.AROWRegressor(drift=0),
    "`arow drift=0.003`": lambda: postil.AROWRegressor(drift=0.003),
    "`arow r=0.3`": lambda: postil.AROWRegressor(r=0.3),
    "`arow full=false`": lambda: postil.AROWRegressor(full=False),
    "`arow` behind River's StandardScaler": lambda: preprocessing.StandardScaler() | postil.AROWRegressor(),
    "River, LinearRegression(intercept_lr=.1)": lambda: preprocessing.StandardScaler() | linear_model.LinearRegression(intercept_lr=0.1),
    "River, LinearRegression()": lambda: preprocessing.StandardScaler() | linear_model.LinearRegression(),
    "scikit-learn, SGDRegressor()": lambda: Scaled(SGDRegressor(random_state=0)),
}


def progressive_error(model, rows, labels):
    total = 0.0
    for row, label in zip(rows, labels):
        total += abs((model.predict_one(row) or 0) - label)
        model.learn_one(row, label)
    return total / len(labels)


def main():
    warnings.simplefilter("ignore")
    sets = dict(data_sets())
    errors = {learner: [progressive_error(make(), *data) for data in sets.values()] for learner, make in LEARNERS.items()}
    best = [min(column) for column in zip(*errors.values())]
    print(f"| | {' | '.join(sets)} | ratio |\n|---|{'---:|' * (len(sets) + 1)}")
    for learner, row in errors.items():
        print(f"| {learner} | {' | '.join(f'{error:.3g}' for error in row)} | {np.mean([error / least for error, least in zip(row, best)]):.2f} |")


if __name__ == "__main__":
    main()
