"""Table 2: linear soft-margin SVM against the e-SVM, by nested cross-validation."""

from dataclasses import replace

import numpy as np
import pandas as pd

from .. import data, experiment, trials
from ..experiment import Experiment
from ..trials import Learner
from . import hard_margin

SETTINGS = {
    "sets": ["ionosphere", "mushroom", "splice", "dna", "letter", "satimage", "usps"],
    "rows": None,  # at most, drawn at random; None: all
    "outer folds": 10,
    "inner folds": 5,  # of the cross-validation that chooses
    "rows to choose by on mushroom": 2000,
    "rows to choose by on usps": 500,
    "learners": {"SVM": Learner("svm", {"kernel": "linear"}, {"C": [0.1, 0.01, 1.0, 0.001, 10.0]}), "e-SVM": Learner("esvm", {}, {"nu": [0.03, 0.01, 0.1, 0.003, 0.001, 0.0003]})},
    "of several classes": {"multiclass": "ovo"},  # one against one
    "seed": 0,
}


def read(name):
    if name == "ionosphere":
        table = data.read("uci/ionosphere.csv")
        return table.drop(columns="label").to_numpy(float), table["label"].to_numpy()
    if name == "mushroom":
        return data.read_libsvm("libsvm/mushrooms", 112)
    if name in ("splice", "dna"):
        files = ("libsvm/splice", "libsvm/splice.t", 60) if name == "splice" else ("libsvm/dna.scale", "libsvm/dna.scale.t", 180)
        parts = [data.read_libsvm(file, files[2]) for file in files[:2]]
        return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
    if name == "letter":
        table = data.read("uci/letter.csv")
        return table.drop(columns="letter").to_numpy(float), table["letter"].to_numpy()
    if name == "satimage":
        table = pd.concat([data.read("uci/satimage_train.csv"), data.read("uci/satimage_test.csv")])
        return table.drop(columns="class").to_numpy(float), table["class"].to_numpy()
    table = pd.concat([data.read("usps/usps_train.csv"), data.read("usps/usps_test.csv")])
    return table.drop(columns="digit").to_numpy(float), table["digit"].to_numpy()


def folds_of(y, count, random):
    """Each row tested once, every class spread over the folds."""
    place = np.empty(len(y), dtype=int)
    begin = 0
    for value in np.unique(y):
        members = random.permutation(np.flatnonzero(y == value))
        place[members] = (begin + np.arange(len(members))) % count
        begin += len(members)
    return [(random.permutation(np.flatnonzero(place != fold)), np.flatnonzero(place == fold)) for fold in range(count)]


def jobs(settings):
    def of_set(name):
        X, y = read(name)
        random = trials.run_seed(settings["seed"], 0)
        if settings["rows"] and len(y) > settings["rows"]:
            chosen = random.permutation(len(y))[: settings["rows"]]
            X, y = X[chosen], y[chosen]
        y = np.array([str(int(value)) if not isinstance(value, str) else value for value in y])
        task = trials.Task(X, y, scale="none" if name == "mushroom" else "standard")
        several = settings["of several classes"] if len(set(y)) > 2 else {}
        learners = {machine: replace(learner, settings=learner.settings | several) for machine, learner in settings["learners"].items()}
        folds = folds_of(y, settings["outer folds"], random)
        return trials.contest(name, task, learners, folds, [len(y)], settings["inner folds"], chunk=2, choose_by=settings.get(f"rows to choose by on {name}"))

    return [of_set(name) for name in settings["sets"]]


# ---- what pages say


def report(settings, done):
    rows, tests, told = [], [], []
    learners = settings["learners"]
    for name, parts in done.items():
        found = {machine: ([1], 100 * values, chosen) for machine, (_, values, chosen) in trials.curves_of(parts).items()}
        rows += [(name, machine, "error, %", None, *experiment.mean_and_error(values[0])) for machine, (_, values, _) in found.items()]
        tests.append(experiment.paired(name, found, [tuple(reversed(found))], [1]))
        told.append(f"Chosen on {name}: " + ". ".join(f"{machine}: {experiment.chosen_text(learners[machine], found[machine][2])}" for machine in found) + ".")
    return experiment.Results(experiment.table(rows), pd.concat(tests).assign(at=None), told, wide=True)


def check(settings, results):
    for name in settings["sets"]:
        svm, ellipsoid = (results.value(name, machine, quantity="error, %") for machine in ("SVM", "e-SVM"))
        assert ellipsoid < svm + 6 and svm < 45, f"{name}: SVM {svm:.1f} %, e-SVM {ellipsoid:.1f} %"


EXPERIMENT = Experiment(
    name="soft-margin",
    paper="acml2010",
    figure="Table 2",
    title="Linear soft-margin SVM against the e-SVM",
    settings=SETTINGS,
    quick={"sets": ["ionosphere", "splice"], "rows": 300, "outer folds": 3, "inner folds": 2},
    jobs=jobs,
    report=report,
    draw=hard_margin.draw_bars(lambda: EXPERIMENT.expected()),
    check=check,
    needs=["uci/ionosphere.csv", "libsvm/mushrooms", "libsvm/splice", "libsvm/splice.t", "libsvm/dna.scale", "libsvm/dna.scale.t", "uci/letter.csv", "uci/satimage_train.csv", "uci/satimage_test.csv", "usps/usps_train.csv", "usps/usps_test.csv"],
    about="Linear machines on seven sets, C and ν chosen by five-fold cross-validation inside each of ten outer folds.",
    gaps="Allowed: 1.5 points, on mushroom .5.",
    assumed=[
        "All rows of every set. Columns are standardised by the training rows of a fold, but those of mushroom, which are 0 or 1.",
        "On mushroom and usps, C and ν are chosen by 2,000 and 500 of the training rows of a fold, since an e-SVM of all of them takes half a minute and more; then the machine learns from all.",
        "letter, satimage, dna and usps have more than two classes: one against one, and a vote. The paper does not say how it did it. One against the rest cannot reach its errors on letter and satimage: scikit-learn's linear SVMs err on 43 and 19 % so, and on 15 and 14 % one against one (tools/defaults/table2.py prints them).",
        "The grids are not stated in the paper. Ours have five values of C and six of ν.",
    ],
    why=[
        "splice, dna and the e-SVM on satimage and usps are within 1.5 points of the paper's. On letter, and with the SVM on satimage and usps, the machines here err less than the paper's. With 3,000 rows of letter (`--set 'sets=[\"letter\"]' --set rows=3000`) they err on 18.2 and 20.1 %, nearer to the paper's 21: it perhaps took a sample.",
        "The paper has the e-SVM ahead on all seven sets. Here it is ahead on splice and dna only, not significantly, and behind on letter, satimage and usps, significantly. Where the paper's SVM errs on 16 and 21 % (satimage, letter), ours, with C chosen, errs on 13 and 15 %. On letter nine folds of ten choose the least ν of the grid, so a smaller one may do better.",
        "On mushroom both machines are right on all but three to five of 8,124 rows: the paper's SVM errs on seven in a thousand, so its C was perhaps smaller.",
        "On ionosphere both machines err on 12 to 13 % here and on 7 % in the paper. LIBSVM's linear machine errs on 12 % at best on these columns, with C from .01 to 100 (tools/defaults/table2.py).",
    ],
)
