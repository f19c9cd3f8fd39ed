"""Table 1: the exact e-SVM, problem (5), against the relaxed one, problem (6)."""

import functools
import time
import warnings

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA

import postil
from postil import _postil

from .. import curves, data, experiment, trials
from ..experiment import Experiment
from ..trials import Learner

SETTINGS = {
    "sets": ["splice", "mushroom", "a1a", "a2a", "a3a", "w1a", "w3a"],
    "splits": 10,
    "splits of a2a": 3,
    "splits of a3a": 3,
    "splits of w1a": 3,
    "splits of w3a": 3,
    "components": 30,
    "nu": [0.01, 0.1, 0.001, 1.0, 0.0003],  # the relaxed problem chooses on the training rows of the first split, by cross-validation; all take that
    "folds": 3,
    "seed": 0,
    "rows": None,  # to learn from at most; None: all
}
# name: files, columns, training rows (None: three quarters)
SETS = {"splice": (("libsvm/splice", "libsvm/splice.t"), 60, None), "mushroom": (("libsvm/mushrooms",), 112, None)}
SETS |= {name: ((f"libsvm/{name}", f"libsvm/{name}.t"), width, count) for name, width, count in (("a1a", 123, 1605), ("a2a", 123, 2265), ("a3a", 123, 3185), ("w1a", 300, 2477), ("w3a", 300, 4912))}
PROBLEMS = {"exact (5)": "exact", "relaxed (6)": "relaxed"}


def drawn(name, run, settings):
    """Principal components of training and test rows, as many to learn from as the set gives, drawn from all of them."""
    files, width, count = SETS[name]
    parts = [data.read_libsvm(file, width) for file in files]
    every, labels = np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts]).astype(int)
    train, test = trials.split(len(labels), count or 3 * len(labels) // 4, trials.run_seed(settings["seed"], run))
    train = train[: settings["rows"]]
    components = PCA(settings["components"], svd_solver="full").fit(every[train])
    return components.transform(every[train]), labels[train], components.transform(every[test]), labels[test]


def jobs(settings):
    @functools.cache
    def chosen_nu(name):
        X, y, Xt, yt = drawn(name, 0, settings)
        task = trials.Task(np.concatenate([X, Xt[:1]]), np.concatenate([y, yt[:1]]), scale="none")
        split = (np.arange(len(y), dtype=np.uint32), np.array([len(y)], dtype=np.uint32))
        _, chosen = _postil.compare(task.rows(), [Learner("esvm", {"problem": "relaxed"}, {"nu": settings["nu"]}).recipes(task)], [split], [len(y)], folds=settings["folds"])
        return settings["nu"][chosen[0][0]]

    def of_set(name):
        def work(run):
            X, y, Xt, yt = drawn(name, run, settings)
            nu = chosen_nu(name)
            often = max(set(y.tolist()), key=y.tolist().count)
            answer = {"rows": len(y), "nu": nu, experiment.ONE_CLASS: 100 * float((yt != often).mean())}
            for title, problem in PROBLEMS.items():
                begun = time.process_time()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    model = postil.EllipsoidalSVC(problem=problem, nu=nu, scale="none").fit(X, y)
                seconds = time.process_time() - begun
                said = model.predict(Xt)
                answer[title] = {"error": 100 * float((said != yt).mean()), "seconds": seconds, "constant": len(np.unique(said)) == 1, "status": model._engine.fit_reports[0]["status"]}
            return answer

        return trials.Job(name, settings.get(f"splits of {name}", settings["splits"]), {name: value for name, value in settings.items() if "splits" not in name}, work)

    return [of_set(name) for name in settings["sets"]]


# ---- what pages say


def report(settings, done):
    rows, tests, told = [], [], []
    for name, parts in done.items():
        for problem in PROBLEMS:
            for title, quantity in (("error, %", "error"), ("seconds", "seconds")):
                rows.append((name, problem, title, None, *experiment.mean_and_error([part[problem][quantity] for part in parts])))
        rows.append((name, experiment.ONE_CLASS, "error, %", None, *experiment.mean_and_error([part[experiment.ONE_CLASS] for part in parts])))
        rows.append((name, "exact / relaxed", "times as long", None, *experiment.mean_and_error([part["exact (5)"]["seconds"] / part["relaxed (6)"]["seconds"] for part in parts])))
        errors = {problem: ([1], np.array([[part[problem]["error"] for part in parts]]), None) for problem in PROBLEMS}
        tests.append(experiment.paired(name, errors, [("exact (5)", "relaxed (6)")], [1]))
        constant = [f"{problem} predicts one class only in {sum(part[problem]['constant'] for part in parts)} of {len(parts)} splits" for problem in PROBLEMS if any(part[problem]["constant"] for part in parts)]
        loose = sum("not active" in part["relaxed (6)"]["status"] for part in parts)
        told.append(f"{name}: {parts[0]['rows']} training rows; ν = {parts[0]['nu']:g}; |w| ≤ 1 not active in {loose} of {len(parts)} splits; " + ("; ".join(constant) or "no machine is constant") + ".")
    return experiment.Results(experiment.table(rows), pd.concat(tests).assign(at=None), told, wide=True)


def draw(settings, results):
    fig, axes = curves.figure(2, width=5)
    for ax, quantity in zip(axes, ("error, %", "seconds")):
        for place, problem in enumerate(PROBLEMS):
            part = results.table[(results.table.quantity == quantity) & (results.table.learner == problem)]
            ax.bar(np.arange(len(part)) + (place - 0.5) * 0.4, part["mean"], 0.4, yerr=part["se"].fillna(0), label=problem, color=("#1b6ca8", "#c2571a")[place], error_kw={"linewidth": 0.8})
        ax.set_xticks(range(len(settings["sets"])), settings["sets"], fontsize=8)
        ax.set_ylabel("seconds of processor time" if quantity == "seconds" else quantity, fontsize=9)
    constant = results.table[results.table.learner == experiment.ONE_CLASS]
    axes[0].hlines(constant["mean"], np.arange(len(constant)) - 0.4, np.arange(len(constant)) + 0.4, color="black", linewidth=1.2, label="always the more frequent class")
    axes[0].plot([], [], "x", color="black", markersize=5, label="the paper's")
    axes[1].set_yscale("log")
    for row in EXPERIMENT.expected():
        if row["quantity"] == "error, %" and row["task"] in settings["sets"]:
            axes[0].plot(settings["sets"].index(row["task"]) + (list(PROBLEMS).index(row["learner"]) - 0.5) * 0.4, row["paper"], "x", color="black", markersize=5)
    curves.legend_below(fig, axes)
    return fig


def check(settings, results):
    for name in settings["sets"]:
        gap = abs(results.value(name, "exact (5)", quantity="error, %") - results.value(name, "relaxed (6)", quantity="error, %"))
        assert gap < 1, f"{name}: exact and relaxed differ by {gap:.2f} points"
        assert results.value(name, "exact / relaxed", quantity="times as long") > 1, f"{name}: the relaxed problem is the slower one"


EXPERIMENT = Experiment(
    name="exact-relaxed",
    paper="acml2010",
    figure="Table 1",
    title="What the relaxation of the e-SVM costs and saves",
    settings=SETTINGS,
    quick={"sets": ["splice"], "splits": 2, "nu": [0.01], "folds": 2, "rows": 400},
    jobs=jobs,
    report=report,
    draw=draw,
    check=check,
    needs=[file for files, _, _ in SETS.values() for file in files],
    gaps="Allowed: 1.5 points of error, .5 on mushroom and .3 on w1a to w3a, where errors are small; half of the published ratio of times.",
    about="Problem (5) has a second-order cone for each row, problem (6) a line in its place. Errors and times of both on 30 principal components, linear.",
    assumed=[
        "splice and mushroom: all rows, three quarters to learn from (for mushroom the paper speaks of a given test set; the collection has none). a1a to w3a: as many to learn from as the given training sets have, drawn from training and test rows together, so that there is more than one split. Ten splits; three of a2a, a3a, w1a and w3a, whose test sets are large. w2a is not at hand. *One class only* always predicts the more frequent class of the training rows.",
        "Principal components are those of the training rows, not scaled. ν is chosen by the relaxed problem, by three-fold cross-validation of the training rows of the first split; the exact problem and the other splits take the same. So one of five values was chosen with rows that some splits test on. The paper chooses inside each training set; its grid is not stated.",
        "Both problems are solved by Postil's own methods (coordinate ascent or an interior-point method for (6), a barrier method for (5)), the paper used SeDuMi for both, so that its ratio of times is one of problem sizes, ours one of methods too. Seconds are of processor time.",
    ],
    why=[
        "The claim that the relaxation changes little holds: errors of exact and relaxed differ by .2 points at most. On a1a, a2a and a3a the exact one is better by .1 to .2, significantly on these splits (on a2a and a3a only three). The relaxed problem is the faster one on every set.",
        "w1a and w3a tell little: always predicting −1 errs on 2.97 %, the machines on 2.78 to 2.97 %, the paper's on 2.85 to 2.98 %. An earlier edition, with one split and ν from .01 up, chose ν = .1, where both machines predict −1 for every row.",
        "a1a: 24.09 % is the error of always predicting −1 (24.08 % here), so the paper's machines seem to have done that. Ours err on 17 %, about as on a2a and a3a there and here.",
        "mushroom takes ν = .0003, the smallest of the grid, and errs on .7 %, a little less than the paper.",
        "Times: the relaxed problem takes about a third of the exact one's on splice, a2a and a3a and an eighth to a fiftieth on the others; the paper's ratios are 1.6 to 4.",
    ],
)
