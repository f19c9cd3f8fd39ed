"""Section 5.4: the online e-SVM on adult and covtype."""

import time

import numpy as np
import pandas as pd

import postil

from .. import data, experiment, trials
from ..experiment import Experiment

SETTINGS = {
    "runs": 5,  # halves drawn
    "seed": 0,
    "epsilon": 1e-3,  # of the paper's stopping rule
    "passes": 5,  # at most
    "C": 1.0,  # of the batch SVM beside it
    "nu": {"adult": 0.1, "covtype": 0.1},
    "rows": None,  # of a set at most; None: all
}


def sets(settings):
    adult, labels = data.adult()
    yield "adult", adult, labels.to_numpy()
    yield "covtype", *data.covtype()


def machines(settings, name):
    return {
        "online e-SVM": postil.OnlineEllipsoidalSVC(nu=settings["nu"][name], epsilon=settings["epsilon"], max_iter=settings["passes"], tol=None, scale="standard"),
        "online e-SVM, one pass": postil.OnlineEllipsoidalSVC(nu=settings["nu"][name], max_iter=1, tol=None, scale="standard"),
        "SVM (squared hinge)": postil.KnowledgeSVC(lambda_=settings["C"]),  # without rules
        "arow": postil.AROWClassifier(scale="standard"),
    }


def jobs(settings):
    def of_set(name, X, y):
        if settings["rows"]:
            X, y = X[: settings["rows"]], y[: settings["rows"]]

        def work(run):
            train, test = trials.split(len(y), len(y) // 2, trials.run_seed(settings["seed"], run))
            answer = {}
            for machine, model in machines(settings, name).items():
                begun = time.process_time()
                model.fit(X.iloc[train], y[train])
                seconds = time.process_time() - begun
                answer[machine] = {"error": 100 * (1 - float(model.score(X.iloc[test], y[test]))), "seconds": seconds, "examples": model._engine.counters["examples"]}
            return answer

        return trials.Job(name, settings["runs"], settings, work)

    return [of_set(*each) for each in sets(settings)]


# ---- what pages say

THEIR_SECONDS = {("adult", "online e-SVM"): "76", ("covtype", "online e-SVM"): "14,386", ("adult", "SVM (squared hinge)"): "887", ("covtype", "SVM (squared hinge)"): "more than three days"}


def report(settings, done):
    rows, tests, told = [], [], []
    for name, parts in done.items():
        for machine in parts[0]:
            rows.append((name, machine, "error, %", None, *experiment.mean_and_error([part[machine]["error"] for part in parts])))
            rows.append((name, machine, "seconds", None, *experiment.mean_and_error([part[machine]["seconds"] for part in parts])))
        errors = {machine: ([1], np.array([[part[machine]["error"] for part in parts]]), None) for machine in parts[0]}
        tests.append(experiment.paired(name, errors, [("online e-SVM", "SVM (squared hinge)")], [1]))
        told.append(f"{name}: the stopping rule let the online e-SVM learn from {np.mean([part['online e-SVM']['examples'] for part in parts]):,.0f} examples on average.")
    results = experiment.Results(experiment.table(rows), pd.concat(tests).assign(at=None), told, wide=True)
    published = {(row["task"], row["learner"]): f"{row['paper']:g}" for row in EXPERIMENT.expected()}
    cells = [[f"{name}, {machine}", *(f"{results.value(name, machine, quantity='error, %'):.2f}", published.get((name, machine), ""), f"{results.value(name, machine, quantity='seconds'):.2f}", THEIR_SECONDS.get((name, machine), ""))] for name, parts in done.items() for machine in parts[0]]
    results.tables.append(("Ours beside theirs", "Test error in percent; seconds of processor time here, as the paper gives them there (a machine of 2010; all 581,012 rows of covtype; its SVM is solved by SMO).", ["", "error, ours", "paper's", "seconds, ours", "paper's"], cells))
    return results


def check(settings, results):
    assert results.value("adult", "online e-SVM", quantity="error, %") < 17.5  # always saying no: 24.8
    assert results.value("covtype", "online e-SVM", quantity="error, %") < 27  # always saying rest: 49


EXPERIMENT = Experiment(
    name="online-esvm",
    paper="acml2010",
    figure="Section 5.4",
    title="The online e-SVM on larger data",
    settings=SETTINGS,
    quick={"runs": 2, "rows": 12000, "passes": 2},
    jobs=jobs,
    report=report,
    draw=None,
    check=check,
    needs=["adult/adult_train.csv", "adult/adult_test.csv", "covtype/covtype_100k.csv"],
    about="Half of the rows to learn from, half to test. The paper: adult 15.6 % in 76 s, covtype 23.4 % in 14,386 s; its SVM 16.2 % and 23.8 %.",
    gaps="Allowed: .8 points on adult, 1 on covtype.",
    assumed=[
        "adult: the 45,222 complete rows, categories as one-hot columns (the paper speaks of 14 dimensions). covtype: a 100,000-row sample, class 2 against the rest; the paper had 581,012 rows. Columns standardised.",
        "The paper's SVM is a linear SVM by SMO with a C that it does not state; beside it stands ours with squared hinge loss and C = 1, solved to the end, and AROW.",
        "ν is .1 on both, our default. Seconds are those of `fit` from a pandas frame, encoding included; the paper's machine is of 2010.",
    ],
    why=[
        "Both errors of the online e-SVM are the paper's within half a point. Times cannot be compared: other machines, and on covtype 50,000 training rows here and 290,506 there.",
        "On adult the e-SVM has no advantage: a linear SVM that is solved to the end is as good, and AROW too. On covtype it is ahead of the SVM by .4 points.",
        "The paper's stopping rule with ε = .001 did not stop it within five passes over either set; the times are those of five passes.",
    ],
)
