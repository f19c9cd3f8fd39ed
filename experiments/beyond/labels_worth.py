"""How many labels is a rule worth? Examples that a learner without advice needs to be as good as one with advice after ten."""

import numpy as np

from .. import curves, experiment, trials
from ..experiment import Experiment
from ..trials import Learner
from . import tasks

SETTINGS = {
    "runs": 100,
    "at": [0, 10],  # where the advised learner is looked at
    "most": {"synthetic": 500, "diabetes": 500, "promoters": 90, "lineage": 300},  # examples for the other
    "isolates": 20000,
    "seed": 0,
    "learners": {"arow": Learner("arow"), "advised": Learner("advised", advice=True)},
}


def places(most):
    return sorted({0, *(int(round(value)) for value in np.geomspace(1, most, 24)), 10, most})


def jobs(settings):
    known, _ = tasks.available(settings["seed"], settings["isolates"])
    out = []
    for name, task in known.items():
        most = settings["most"].get(name, settings["most"]["lineage"])
        splits = [tasks.split_of(task, most, trials.run_seed(settings["seed"], run)) for run in range(settings["runs"])]
        out.append(trials.contest(name, task, settings["learners"], splits, places(most)))
    return out


def needed(at, means, level):
    """The first number of examples from which on the mean stays at or below a level; between checkpoints, by a straight line."""
    below = np.asarray(means) <= level
    if not below[-1]:
        return float("inf")
    last = len(below) - 1
    while last > 0 and below[last - 1]:
        last -= 1
    if last == 0:
        return float(at[0])
    share = (means[last - 1] - level) / max(means[last - 1] - means[last], 1e-12)
    return float(at[last - 1] + share * (at[last] - at[last - 1]))


def report(settings, done):
    rows, told = [], []
    for name, parts in done.items():
        found = trials.curves_of(parts)
        rows += experiment.curve_rows(name, found)
        at, plain, advised = found["arow"][0], found["arow"][1].mean(axis=1), found["advised"][1].mean(axis=1)
        for place in settings["at"]:
            level = advised[at.index(place)]
            worth = needed(at, plain, level) - place
            told_as = f"worth in labels after {place}" + ("" if np.isfinite(worth) else ", at least")
            rows.append((name, "rules", told_as, None, worth if np.isfinite(worth) else at[-1] - place, float("nan"), found["arow"][1].shape[1]))
            told.append(f"{name}: after {place} examples the advised learner's error is {level:.3f}; " + (f"without rules it takes {worth + place:.0f}: the rules are worth {worth:.0f} labels." if np.isfinite(worth) else f"without rules it is not reached with {at[-1]}: the rules are worth more than {at[-1] - place} labels."))
    _, missing = tasks.available(settings["seed"], 100)
    return experiment.Results(experiment.table(rows), None, told + missing)


def draw(settings, results):
    names = [name for name in dict.fromkeys(results.table.task)]
    fig, axes = curves.figure(len(names), columns=3, width=3.8, height=3)
    for ax, name in zip(axes, names):
        curves.draw_curves(ax, results, name, symlog=True)
        ax.axhline(results.value(name, "advised", 10), color="#a3123f", linewidth=0.8, linestyle=":", label="advised after 10 examples")
    axes[0].set_ylabel("test error", fontsize=9)
    curves.legend_below(fig, axes)
    return fig


def check(settings, results):
    worth = results.table[results.table.quantity.str.startswith("worth in labels after 10")]["mean"]
    assert (worth > 0).mean() > 0.5, "rules are worth no labels on most tasks"


EXPERIMENT = Experiment(
    name="labels-worth",
    paper="beyond",
    figure="",
    title="How many labels a rule is worth",
    settings=SETTINGS,
    quick={"runs": 4, "most": {"synthetic": 200, "diabetes": 200, "promoters": 60, "lineage": 100}, "isolates": 6000},
    jobs=jobs,
    report=report,
    draw=draw,
    check=check,
    about="After ten examples the advised learner has some error. How many examples does AROW, which takes no rules, need to stay at or below it? The difference is what the rules were worth, in labels.",
    assumed=["Both learners as they come, nothing chosen. Lineages: balanced error and draws. The mean curve is read between checkpoints by a straight line; “more than” where AROW does not get there."],
    why=[
        "After ten examples the rules are still worth 21 labels on synthetic, 28 on diabetes, 42 on promoters, 126 on Euro-American and more than 290 on Indo-Oceanic and East-African-Indian, where 300 labels without rules do not get there.",
        "Before the first example they are worth 8 labels on diabetes, where the cut-offs are those of another measurement, 40 on promoters, 83 on synthetic, 142 on Euro-American and more than 300 on the other two.",
    ],
)
