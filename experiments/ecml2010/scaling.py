"""Section 5.4: how long the Adviceptron and the batch KBSVM take, and how that grows."""

import time

import numpy as np
import pandas as pd

import postil

from .. import curves, data, experiment, trials
from ..experiment import Experiment
from . import synthetic

SETTINGS = {
    "repeats": 5,  # the median is told
    "seed": 0,
    "rows": [200, 500, 1000, 2000, 5000, 10000, 20000, 50000],  # growing T, eight features
    "features": [10, 20, 50, 100, 200, 500, 1000],  # growing n, 1,000 rows
}


def models(rules):
    return {
        "adviceptron": postil.PAAdviceptronClassifier(advice=rules, max_iter=1, tol=None, shuffle=False),
        "advised": postil.AdviceClassifier(advice=rules, max_iter=1, tol=None, shuffle=False),
        "batch-kbsvm": postil.KnowledgeSVC(advice=rules),
    }


def generated(rows, features, seed):
    """Normal rows whose class a random direction decides, one in ten turned; and two rules about the first features."""
    random = np.random.default_rng([seed, rows, features])
    X = pd.DataFrame(random.normal(size=(rows, features)), columns=[f"x{k + 1}" for k in range(features)])
    direction = np.r_[1.0, 1.0, random.normal(size=features - 2) / np.sqrt(features)]
    y = np.where(X.to_numpy() @ direction > 0, "yes", "no")
    turned = random.random(rows) < 0.1
    y = np.where(turned, np.where(y == "yes", "no", "yes"), y)
    return X, y, "x1 >= 1 and x2 >= 1 => yes\nx1 <= -1 and x2 <= -1 => no\n"


def seconds_to_fit(X, y, rules, repeats):
    times = {name: [] for name in models(rules)}
    for _ in range(repeats):  # in turns
        for name, model in models(rules).items():
            begun = time.perf_counter()
            model.fit(X, y)
            times[name].append(time.perf_counter() - begun)
    return {name: float(np.median(values)) for name, values in times.items()}


def paper_tasks(settings):
    """The tasks of Figure 2 at their sizes."""
    task = synthetic.task(synthetic.SETTINGS)
    yield "synthetic, 200 rows", task.X[:200], task.y[:200], task.advice
    try:
        patients, sick = data.pima()
        yield "diabetes, 200 rows", patients[:200].fillna(patients[:200].mean()), sick[:200], trials.rule_file("diabetes")
    except data.Missing:
        pass  # the page shows what was measured
    X, y = data.simulated_isolates(5000, settings["seed"])
    for lineage in data.LINEAGES:
        labels = y.where(y == lineage, "other").to_numpy()
        chosen, _ = trials.balanced_split(labels, 50, trials.run_seed(settings["seed"], 0))
        yield f"{lineage}, 50 rows", X.iloc[chosen].reset_index(drop=True), labels[chosen], trials.rules_about(trials.rule_file("tuberculosis"), lineage)


def jobs(settings):
    sizes = [("rows", rows, 8) for rows in settings["rows"]] + [("features", 1000, features) for features in settings["features"]]

    def grown(unit):
        kind, rows, features = sizes[unit]
        X, y, rules = generated(rows, features, settings["seed"])
        return {"kind": kind, "at": rows if kind == "rows" else features, "seconds": seconds_to_fit(X, y, rules, settings["repeats"])}

    tasks = list(paper_tasks(settings))

    def of_paper(unit):
        name, X, y, rules = tasks[unit]
        return {"kind": name, "at": None, "seconds": seconds_to_fit(X, y, rules, settings["repeats"])}

    return [trials.Job("growth", len(sizes), settings, grown), trials.Job("paper", len(tasks), settings, of_paper)]


def report(settings, done):
    rows = [(f"growing {part['kind']}" if part["at"] else part["kind"], name, "seconds", part["at"], seconds, float("nan"), settings["repeats"]) for parts in done.values() for part in parts for name, seconds in part["seconds"].items()]
    result = experiment.Results(experiment.table(rows))
    longest = max(part["seconds"]["batch-kbsvm"] for part in done["paper"])
    online = max(part["seconds"]["adviceptron"] for part in done["paper"])
    result.told.append(f"On the paper's own tasks the slowest batch KBSVM takes {1000 * longest:.1f} ms (paper: 15 to 20 s), the slowest pass of the Adviceptron {1000 * online:.1f} ms (paper: under 5 s), scaling and compiling of rules included. Machines and languages differ.")
    for kind in ("rows", "features"):
        part = result.table[result.table.task == f"growing {kind}"]
        for name, curve in part.groupby("learner", sort=False):
            tail = curve.tail(3)
            if len(tail) > 1:
                slope = np.polyfit(np.log(tail["at"].astype(float)), np.log(tail["mean"]), 1)[0]
                result.told.append(f"{name}: time grows as {kind} to the power {slope:.2f} over the last three sizes, fixed costs included.")
    return result


def draw(settings, results):
    fig, axes = curves.figure(2)
    for ax, kind, label in zip(axes, ("rows", "features"), ("rows (8 features)", "features (1,000 rows)")):
        part = results.table[results.table.task == f"growing {kind}"]
        for name, curve in part.groupby("learner", sort=False):
            ax.loglog(curve["at"].astype(float), curve["mean"], color=curves.look(name)[0], marker=".", label=name)
        ax.set_xlabel(label, fontsize=9)
        ax.grid(alpha=0.25, linewidth=0.5)
    axes[0].set_ylabel("seconds to learn", fontsize=9)
    curves.legend_below(fig, axes)
    return fig


def check(settings, results):
    paper = results.table[~results.table.task.str.startswith("growing")]
    assert paper[paper.learner == "batch-kbsvm"]["mean"].max() < 15, "the batch KBSVM takes as long as in 2010"
    assert paper[paper.learner == "adviceptron"]["mean"].max() < 5, "the Adviceptron takes as long as in 2010"
    grown = results.table[results.table.task == "growing rows"]
    for name, curve in grown.groupby("learner"):
        times, rows = curve["mean"].iloc[-1] / curve["mean"].iloc[0], curve["at"].iloc[-1] / curve["at"].iloc[0]
        assert times < 4 * rows, f"{name}: {rows:.0f} times the rows take {times:.0f} times as long"


EXPERIMENT = Experiment(
    name="scaling",
    paper="ecml2010",
    figure="Section 5.4",
    title="Adviceptron and batch KBSVM: time and growth",
    settings=SETTINGS,
    quick={"repeats": 1, "rows": [200, 1000, 5000], "features": [10, 50, 200]},
    jobs=jobs,
    report=report,
    draw=draw,
    check=check,
    about="Seconds to learn the paper's tasks once, and how time grows with rows and with features, two rules each. The paper: the Adviceptron under 5 seconds, the batch KBSVM 15 to 20.",
    assumed=[
        "The paper does not say of which task or machine it speaks. Here: `fit` of the Python classes, from a pandas frame to the model, one thread, λ = μ = 1, one pass.",
        "Growing data are normal rows whose class a random direction decides, one label in ten turned.",
    ],
    why=[
        "The paper's factor of three and more is not reproduced. On its tasks both take milliseconds: on synthetic and diabetes the same, on the lineages the batch machine is the faster one, 1.4 to 2.9 times, because our Newton method needs few steps, while the Adviceptron as printed goes through every advice set, with all its domain rows, in every round. `advised` is the slowest on Indo-Oceanic (33 ms).", "On growing data the batch machine is the slower one: 1.1 times with 50,000 rows, 3.3 times with 1,000 features.",
    ],
)
