"""Table 1: the exact e-SVM, problem (5), against the relaxed one, problem (6)."""

import time
import warnings

import numpy as np
from sklearn.decomposition import PCA

import postil
from postil import _postil

from .. import data, experiment, trials
from ..experiment import Experiment
from ..trials import Learner

SETTINGS = {
    "sets": ["splice", "mushroom", "a1a", "a2a", "a3a", "w1a", "w3a"],
    "components": 30,
    "nu": [0.1, 0.01, 1.0],  # chosen by cross-validation of the training rows
    "folds": 3,
    "seed": 0,
    "rows": None,  # to learn from at most; None: all
    "repeats": 3,  # of each timing; the least is told
}
WIDTHS = {"a1a": 123, "a2a": 123, "a3a": 123, "w1a": 300, "w3a": 300}
PROBLEMS = {"exact (5)": "exact", "relaxed (6)": "relaxed"}


def given(name, settings):
    """Training and test rows: as given, or three quarters and a quarter."""
    if name in WIDTHS:
        (X, y), (Xt, yt) = data.read_libsvm(f"libsvm/{name}", WIDTHS[name]), data.read_libsvm(f"libsvm/{name}.t", WIDTHS[name])
    else:
        parts = [data.read_libsvm("libsvm/mushrooms", 112)] if name == "mushroom" else [data.read_libsvm("libsvm/splice", 60), data.read_libsvm("libsvm/splice.t", 60)]
        every, labels = np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
        train, test = trials.split(len(labels), 3 * len(labels) // 4, trials.run_seed(settings["seed"], 0))
        X, y, Xt, yt = every[train], labels[train], every[test], labels[test]
    if settings["rows"] and len(y) > settings["rows"]:
        X, y = X[: settings["rows"]], y[: settings["rows"]]
    components = PCA(settings["components"], svd_solver="full").fit(X)
    return components.transform(X), y, components.transform(Xt), yt


def jobs(settings):
    def work(unit):
        X, y, Xt, yt = given(settings["sets"][unit], settings)
        task = trials.Task(np.concatenate([X, Xt]), np.concatenate([y, yt]).astype(int), scale="none")
        split = (np.arange(len(y), dtype=np.uint32), np.arange(len(y), len(task.y), dtype=np.uint32))
        often = max(set(y.tolist()), key=y.tolist().count)
        answer = {"rows": len(y), experiment.ONE_CLASS: 100 * float((yt != often).mean())}
        for name, problem in PROBLEMS.items():
            learner = Learner("esvm", {"problem": problem}, {"nu": settings["nu"]})
            values, chosen = _postil.compare(task.rows(), [learner.recipes(task)], [split], [len(y)], folds=settings["folds"])
            nu = settings["nu"][chosen[0][0]]
            seconds = []
            for _ in range(settings["repeats"]):
                begun = time.perf_counter()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    model = postil.EllipsoidalSVC(problem=problem, nu=nu, scale="none").fit(X, y)
                seconds.append(time.perf_counter() - begun)
            answer[name] = {"error": 100 * float(values[0, 0, 0]), "nu": nu, "seconds": min(seconds), "status": model._engine.fit_reports[0]["status"]}
        return answer

    return [trials.Job("table", len(settings["sets"]), settings, work)]


# ---- what pages say


def report(settings, done):
    rows, told = [], []
    for name, answer in zip(settings["sets"], done["table"]):
        for problem in PROBLEMS:
            part = answer[problem]
            rows.append((name, problem, "error, %", None, part["error"], float("nan"), 1))
            rows.append((name, problem, "seconds", None, part["seconds"], float("nan"), settings["repeats"]))
        rows.append((name, experiment.ONE_CLASS, "error, %", None, answer[experiment.ONE_CLASS], float("nan"), 1))
        exact, relaxed = answer["exact (5)"], answer["relaxed (6)"]
        rows.append((name, "exact / relaxed", "times as long", None, exact["seconds"] / relaxed["seconds"], float("nan"), 1))
        told.append(f"{name}: {answer['rows']} training rows; ν = {exact['nu']:g} and {relaxed['nu']:g}; {exact['status']}; {relaxed['status']}.")
    return experiment.Results(experiment.table(rows), None, told, wide=True)


def draw(settings, results):
    from .. import curves

    fig, axes = curves.figure(2, width=5)
    for ax, quantity in zip(axes, ("error, %", "seconds")):
        for place, problem in enumerate(PROBLEMS):
            part = results.table[(results.table.quantity == quantity) & (results.table.learner == problem)]
            ax.bar(np.arange(len(part)) + (place - 0.5) * 0.4, part["mean"], 0.4, label=problem, color=("#1b6ca8", "#c2571a")[place])
        ax.set_xticks(range(len(settings["sets"])), settings["sets"], fontsize=8)
        ax.set_ylabel(quantity, fontsize=9)
    constant = results.table[results.table.learner == experiment.ONE_CLASS]
    axes[0].plot(range(len(constant)), constant["mean"], "_", color="black", markersize=24, label="always the more frequent class")
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
    quick={"sets": ["splice", "a1a", "w1a"], "nu": [0.1], "folds": 2, "rows": 600, "repeats": 1},
    jobs=jobs,
    report=report,
    draw=draw,
    check=check,
    needs=["libsvm/splice", "libsvm/splice.t", "libsvm/mushrooms", *(f"libsvm/{name}{more}" for name in WIDTHS for more in ("", ".t"))],
    about="Problem (5) has a second-order cone for each row, problem (6) a line in its place. Errors and times of both on 30 principal components, linear.",
    gaps="Allowed: 1.5 points of error, .5 on mushroom and .3 on w1a to w3a, where errors are small; half of the published ratio of times.",
    assumed=[
        "One split, so that there are no standard errors; *one class only* always predicts the more frequent class of the training rows.",
        "splice: all 3,175 rows, three quarters to learn from. mushrooms has no given test set in LIBSVM's collection: split the same way. w2a is not at hand.",
        "Principal components are those of the training rows, not scaled. ν is chosen by three-fold cross-validation of the training rows, for each problem by itself; the paper's grid is not stated.",
        "Both problems are solved by Postil's own methods (coordinate ascent or an interior-point method for (6), a barrier method for (5)), the paper used SeDuMi for both, so that its ratio of times is one of problem sizes, ours one of methods too.",
    ],
    why=[
        "The claim holds where it can be seen: on splice, mushroom and a1a to a3a exact and relaxed differ by .2 points at most. On w1a and w3a, at the ν that was chosen, both predict −1 for every row: 2.98 % is the error of that, and the published 2.85 to 2.98 % are hardly better. The relaxed problem is the faster one on every set.",
        "a1a: 24.09 % is about the share of the positive class in its test set (24.05 %), so the paper's machines seem to have said no to almost everything there. Ours are at 16 %, like those of a2a and a3a there and here.",
        "Times: on mushroom, a3a, w1a and w3a the relaxed problem takes a twenty-fifth to a forty-fifth of the time of the exact one; on splice, a1a and a2a, at a ν so small that |w| ≤ 1 is not active and many multipliers count, half to seven tenths, less of a gain than in the paper.",
        "The grid ends too early: mushroom takes ν = .01, its smallest value. With ν = .0003 the same split gives .39 and .44 % (`--set \"sets=['mushroom']\" --set 'nu=[0.0003]'`), better than the paper's.",
    ],
)
