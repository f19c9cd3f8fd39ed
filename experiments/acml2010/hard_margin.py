"""Figure 1, left: SVM, Bayes point machine and e-SVM with hard margins, RBF kernel."""

import os

import numpy as np
import pandas as pd

import postil
from postil import _postil

from .. import curves, experiment, trials
from ..experiment import Experiment
from ..trials import Learner
from . import sets

SETTINGS = {
    "runs": 100,
    "seed": 0,
    "sets": list(sets.SETS),
    "widths": [1, 2, 4, 8],  # γ of exp(-γ|x - z|²), times the number of features; the SVM of each run chooses, by cross-validation of its training rows
    "widths of banana": [4, 8],  # wider, and its rows cannot be told apart in double precision
    "folds": 5,
    "C": 1e5,  # of the SVM: as good as infinite
    "one_minus_r": 1e-6,
    "tol": 0.2,  # radians within which two runs of the Bayes point machine agree
}


def machines(settings):
    """Those that take the width of the SVM."""
    return {
        "BPM": Learner("bayes-point", {"soft": 0, "tol": settings["tol"], "bias": "augmented"}),
        "BPM, no bias": Learner("bayes-point", {"soft": 0, "tol": settings["tol"], "bias": "none"}),
        "e-SVM": Learner("esvm", {"kernel": "rbf", "margin": "hard", "one_minus_r": settings["one_minus_r"], "bias": "free", "novelty": False}),
        "e-SVM, no bias": Learner("esvm", {"kernel": "rbf", "margin": "hard", "one_minus_r": settings["one_minus_r"], "bias": "none", "novelty": False}),
    }


def errors(task, learner, splits, folds=5):
    """Of each split, and what each chose. A split that no machine of the kind can learn gives NaN."""
    splits = [(np.asarray(train, dtype=np.uint32), np.asarray(test, dtype=np.uint32)) for train, test in splits]
    try:
        values, chosen = _postil.compare(task.rows(), [learner.recipes(task)], splits, [len(task.y)], folds=folds, threads=os.cpu_count())
        return values[0, 0].tolist(), list(chosen[0])
    except postil.DataError:  # one of them cannot be separated
        if len(splits) == 1:
            return [float("nan")], [0]
        parts = [errors(task, learner, [split], folds) for split in splits]
        return [value for values, _ in parts for value in values], [place for _, places in parts for place in places]


def jobs(settings, chunk=10):
    def of_set(name):
        task = sets.task(name)
        features = task.X.shape[1]
        gammas = [width / features for width in settings.get(f"widths of {name}", settings["widths"])]
        splits = [sets.draw(name, task, trials.run_seed(settings["seed"], run)) for run in range(settings["runs"])]
        splits = [(sets.without_conflicts(task, train), test) for train, test in splits]

        def work(unit):
            part = splits[unit * chunk : (unit + 1) * chunk]
            svm, chosen = errors(task, Learner("svm", {"C": settings["C"]}, {"gamma": gammas}), part, settings["folds"])
            answer = {"SVM": svm} | {machine: [float("nan")] * len(part) for machine in machines(settings)}
            for place, gamma in enumerate(gammas):
                of_width = [run for run in range(len(part)) if chosen[run] == place]
                if not of_width:
                    continue
                for machine, learner in machines(settings).items():
                    found, _ = errors(task, Learner(learner.learner, learner.settings | {"gamma": gamma}), [part[run] for run in of_width])
                    for run, value in zip(of_width, found):
                        answer[machine][run] = value
            return answer | {"chosen": [settings.get(f"widths of {name}", settings["widths"])[place] for place in chosen]}

        return trials.Job(name, -(-settings["runs"] // chunk), [task.fingerprint(), settings], work)

    return [of_set(name) for name in settings["sets"]]


# ---- what pages say


def report(settings, done):
    rows, tests, told = [], [], []
    for name, parts in done.items():
        values = {machine: ([1], np.array([[value for part in parts for value in part[machine]]], dtype=float) * 100, None) for machine in parts[0] if machine != "chosen"}
        rows += [(name, machine, "error, %", None, *experiment.mean_and_error(found[0])) for machine, (_, found, _) in values.items()]
        tests.append(experiment.paired(name, _complete(values), [(machine, "SVM") for machine in values if machine != "SVM"], [1]))
        widths = pd.Series([width for part in parts for width in part["chosen"]]).value_counts()
        told.append(f"{name}: γ times the features was " + ", ".join(f"{width} in {times} runs" for width, times in widths.items()) + ".")
        for machine, (_, found, _) in values.items():
            if np.isnan(found).any():
                told.append(f"{name}: {machine} found no solution in {int(np.isnan(found).sum())} of {found.size} runs, which are left out of its mean.")
    results = experiment.Results(experiment.table(rows), pd.concat(tests).assign(at=None), told, wide=True)
    compare_gains(results)
    return results


def compare_gains(results, within=1.5):
    """Adds the differences to the SVM, ours beside the paper's: what the figure is about."""
    published = {(row["task"], row["learner"]): row["paper"] for row in EXPERIMENT.expected()}
    names, cells = list(dict.fromkeys(results.table.task)), []
    signs, near = dict.fromkeys(("BPM", "e-SVM"), 0), dict.fromkeys(("BPM", "e-SVM"), 0)
    for name in names:
        cells.append([name])
        for machine in signs:
            ours = results.paired[(results.paired.task == name) & (results.paired.a == machine)].iloc[0]
            theirs = published[name, machine] - published[name, "SVM"]
            signs[machine] += ours["mean"] * theirs > 0
            near[machine] += abs(ours["mean"] - theirs) <= within
            cells[-1] += [f"{ours['mean']:+.2f} ± {ours['se']:.2f}", f"{theirs:+.2f}"]
    told = "; ".join(f"{machine}: the sign is the paper's on {signs[machine]} of {len(names)} sets, the difference within {within:g} points of the paper's on {near[machine]}" for machine in signs)
    results.tables.append(("Gains against gains", f"Error minus that of the SVM, in points; negative: better than the SVM. {told}.", ["", "BPM − SVM, ours", "paper's", "e-SVM − SVM, ours", "paper's"], cells))


def _complete(values):
    """The runs that all machines have learned."""
    good = ~np.any([np.isnan(found[0]) for _, found, _ in values.values()], axis=0)
    return {machine: (at, found[:, good], chosen) for machine, (at, found, chosen) in values.items()}


def draw_bars(expected):
    """Errors, one group of bars a set; crosses are the paper's."""

    def drawn(settings, results):
        fig, (ax,) = curves.figure(1, width=10, height=4)
        names, chosen = list(dict.fromkeys(results.table.task)), list(dict.fromkeys(results.table.learner))
        width = 0.8 / len(chosen)
        place = {machine: (k - (len(chosen) - 1) / 2) * width for k, machine in enumerate(chosen)}
        colors = {"SVM, one against one": "#c9c9c9", "e-SVM, one against one": "#f0c48a", "SVM": "#8a8a8a", "BPM": "#1b6ca8", "BPM, no bias": "#6aa7c9", "e-SVM": "#c2571a", "e-SVM, no bias": "#e09a3e"}
        for machine in chosen:
            part = results.table[results.table.learner == machine].set_index("task").reindex(names)
            ax.bar(np.arange(len(names)) + place[machine], part["mean"], width, yerr=part["se"].fillna(0), color=colors[machine], label=machine, error_kw={"linewidth": 0.8})
        for row in expected():
            if row["task"] in names and row["learner"] in chosen:
                ax.plot(names.index(row["task"]) + place[row["learner"]], row["paper"], "x", color="black", markersize=5)
        if expected():
            ax.plot([], [], "x", color="black", markersize=5, label="the paper's")
        ax.set_xticks(range(len(names)), names, fontsize=9)
        ax.set_ylabel("test error, %", fontsize=9)
        curves.legend_below(fig, [ax], columns=6)
        return fig

    return drawn


def check(settings, results):
    better = sum(results.value(name, "e-SVM", quantity="error, %") < results.value(name, "SVM", quantity="error, %") for name in settings["sets"])
    assert better > len(settings["sets"]) / 2, f"the e-SVM is better than the SVM on {better} of {len(settings['sets'])} sets only"


EXPERIMENT = Experiment(
    name="hard-margin",
    paper="acml2010",
    figure="Figure 1 (left)",
    title="SVM, Bayes point machine and e-SVM with hard margins",
    settings=SETTINGS,
    quick={"runs": 4, "sets": ["thyroid", "heart", "wave", "sonar", "iono"], "widths": [1, 2], "folds": 3},
    jobs=jobs,
    report=report,
    draw=draw_bars(lambda: EXPERIMENT.expected()),
    check=check,
    needs=[path for path, _, _ in sets.SETS.values()],
    about="Error rates of three hard-margin machines with RBF kernels: the largest sphere, the centre of mass, and the largest ellipsoid in the version space.",
    gaps="Allowed: 1.5 points.",
    assumed=[
        *sets.ASSUMED,
        "Training rows that are there with both labels (a few of breast) are left out of training: no hard margin exists with them.",
        "Widths are not stated in the paper. Ours: γ = 1, 2, 4 or 8 over the number of features; in each run the SVM chooses by five-fold cross-validation of its training rows, and the other two take the SVM's width, which favours the SVM if anyone.",
        "“BPM” and “e-SVM” are compared with the paper's columns; whether its machines have a bias is not stated, so both forms are shown. Our SVM always has one.",
        "Test sets differ from the paper's in size and split; the differences between machines on the same rows (gains against gains, above) are the better comparison.",
    ],
    why=[
        "The paper's pattern holds: with a bias, Bayes point machine and e-SVM have a lower mean error than the SVM on ten of eleven sets, significantly on nine and ten, and the SVM is ahead on sonar. The e-SVM's gains are smaller than published on eight sets.",
        "Of the nine values outside the gap five are the SVM's, always lower than in the paper: its width is chosen for it by cross-validation, which may not be how the paper did it, and would explain the smaller gains.",
        "Ionosphere: the paper's Bayes point machine (11.45 %) does much worse than its e-SVM (5.92 %). Ours does as badly if it has no bias (10.2 %), and so does our e-SVM (12.0 %). A Bayes point machine without and an e-SVM with a bias would explain the published pair; the paper does not say.",
    ],
)
