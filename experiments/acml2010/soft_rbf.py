"""Footnote 4: the same machines with soft margins: the advantage dissipates."""

import numpy as np
import pandas as pd

from .. import experiment, trials
from ..experiment import Experiment
from ..trials import Learner
from . import hard_margin, sets

SETTINGS = {
    "runs": 100,
    "seed": 0,
    "sets": list(sets.SETS),
    "width": 2,  # γ of exp(-γ|x - z|²), times the number of features
    "folds": 3,  # each machine chooses by cross-validation of a run's training rows
    "grids": {"SVM": {"C": [1.0, 0.1, 10.0]}, "BPM": {"soft": [0.1, 0.01, 1.0]}, "e-SVM": {"nu": [0.03, 0.01, 0.1]}},
    "tol": 0.2,  # radians within which two runs of the Bayes point machine agree
}


def machines(settings, gamma):
    grids = settings["grids"]
    return {
        "SVM": Learner("svm", {"gamma": gamma}, grids["SVM"]),
        "BPM": Learner("bayes-point", {"gamma": gamma, "tol": settings["tol"]}, grids["BPM"]),
        "e-SVM": Learner("esvm", {"kernel": "rbf", "gamma": gamma, "novelty": False}, grids["e-SVM"]),
    }


def jobs(settings):
    def of_set(name):
        task = sets.task(name)
        splits = [sets.draw(name, task, trials.run_seed(settings["seed"], run)) for run in range(settings["runs"])]
        return trials.contest(name, task, machines(settings, settings["width"] / task.X.shape[1]), splits, [len(task.y)], settings["folds"])

    return [of_set(name) for name in settings["sets"]]


def report(settings, done):
    rows, tests, told = [], [], []
    for name, parts in done.items():
        found = trials.curves_of(parts)
        percent = {machine: ([1], 100 * values, chosen) for machine, (_, values, chosen) in found.items()}
        rows += [(name, machine, "error, %", None, *experiment.mean_and_error(values[0])) for machine, (_, values, _) in percent.items()]
        tests.append(experiment.paired(name, percent, [("BPM", "SVM"), ("e-SVM", "SVM")], [1]))
        told.append(f"Chosen on {name}: " + ". ".join(f"{machine}: {experiment.chosen_text(learner, percent[machine][2])}" for machine, learner in machines(settings, 1.0).items()) + ".")
    return experiment.Results(experiment.table(rows), pd.concat(tests).assign(at=None), told, wide=True)


def check(settings, results):
    ahead = [results.value(name, "SVM", quantity="error, %") - results.value(name, "e-SVM", quantity="error, %") for name in settings["sets"]]
    assert np.mean(ahead) < 1.5, f"with soft margins the e-SVM is still {np.mean(ahead):.1f} points ahead on average"
    assert np.mean(ahead) > -6, f"with soft margins the e-SVM is {-np.mean(ahead):.1f} points behind on average"


EXPERIMENT = Experiment(
    name="soft-rbf",
    paper="acml2010",
    figure="Footnote 4",
    title="SVM, Bayes point machine and e-SVM with soft margins",
    settings=SETTINGS,
    quick={"runs": 2, "sets": ["thyroid", "heart", "sonar", "iono"], "folds": 2},
    jobs=jobs,
    report=report,
    draw=hard_margin.draw_bars(list),
    check=check,
    needs=hard_margin.EXPERIMENT.needs,
    about="“We conducted the same study with soft margin models and found that the advantage dissipates […].” The eleven sets of the [hard-margin table](hard-margin.md), with C, λ and ν chosen in each run.",
    assumed=[
        *sets.ASSUMED,
        "The paper gives no numbers for this. γ = 2 over the number of features for all; each machine chooses its own softness by three-fold cross-validation of the training rows of a run.",
    ],
    why=[
        "The footnote holds: with soft margins the three machines are within a point of each other on ten of eleven sets (on sonar 2.9 points); with hard margins, and a bias, they are 2 to 4.3 points apart on heart, diabetes, banana, bupa and sonar. The SVM is the best on waveform, banana and sonar, the Bayes point machine on thyroid and ionosphere.",
    ],
)
