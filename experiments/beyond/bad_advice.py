"""What bad advice does: every rule turned round, rules about nothing, one good and one bad."""

import numpy as np

from .. import curves, experiment, lab
from ..experiment import Experiment
from ..lab import Learner
from . import tasks

SETTINGS = {
    "runs": 50,
    "train": 200,
    "train of lineages": 100,
    "isolates": 20000,
    "seed": 0,
    "checkpoints": [0, 1, 2, 5, 10, 20, 50, 100, 200],
    "learners": {
        "arow": Learner("arow"),
        "advised": Learner("advised", advice=True),
        "adviceptron": Learner("pa-adviceptron", {"mu": 0.1}, advice=True),
        "adviceptron, μ fades": Learner("pa-adviceptron", {"mu": 0.1, "mu_decay": 1}, advice=True),
    },
}


def irrelevant(columns, positive, random):
    """Two rules about random columns that say something all the same."""
    a, b = random.choice(columns, size=2, replace=False)

    def said(rule):
        return []

    return said, [f"odd_1: {a} >= 0.5 => {positive}", f"odd_2: {b} <= 0.5 => not {positive}"]


def variants(task, random):
    """{name: task}. Good rules as they are; all turned; rules about nothing only; one good beside one turned."""
    one = iter(range(10**6))

    def every_second_turned(rule):
        return tasks.turned(rule) if next(one) % 2 else tasks.as_written(rule)

    columns = [name for name in task.X.columns if name not in ("miru24",)]
    _, lines = irrelevant(columns, "+1", random)
    nothing = tasks.with_rules(task, lambda rule: [])
    nothing.advice += "\n".join(lines) + "\n"
    return {"good": task, "all turned": tasks.with_rules(task, tasks.turned), "half turned": tasks.with_rules(task, every_second_turned), "about nothing": nothing}


def jobs(settings):
    out = []
    known = tasks.generated(settings["seed"], settings["isolates"])
    try:
        known |= tasks.diabetes()
    except Exception:  # without the data set the generated ones do
        pass
    for name, task in known.items():
        train = settings["train of lineages"] if task.metric == "balanced_error" else settings["train"]
        places = [at for at in settings["checkpoints"] if at <= train]
        splits = [tasks.split_of(task, train, lab.run_seed(settings["seed"], run)) for run in range(settings["runs"])]
        for kind, changed in variants(task, np.random.default_rng(settings["seed"])).items():
            out.append(lab.contest(f"{name}, {kind}", changed, settings["learners"], splits, places))
    return out


def report(settings, done):
    return curves.report(settings, done, [("advised", "arow"), ("adviceptron", "arow"), ("adviceptron, μ fades", "arow")], [5, 10, 50, 100, 200])


def draw(settings, results):
    names = [name for name in dict.fromkeys(results.table.task)]
    fig, axes = curves.figure(len(names), columns=4, width=3.4, height=2.7)
    for ax, name in zip(axes, names):
        curves.draw_curves(ax, results, name, symlog=True)
    for ax in axes[::4]:
        ax.set_ylabel("test error", fontsize=9)
    curves.legend_below(fig, axes)
    return fig


def check(settings, results):
    last = {name: results.table[results.table.task == name]["at"].max() for name in dict.fromkeys(results.table.task)}
    for name in last:
        late = results.value(name, "advised", last[name]) - results.value(name, "arow", last[name])
        assert late < 0.02, f"{name}: advised ends {late:.3f} above arow"
    good = [name for name in last if name.endswith(", good")]
    early = np.mean([results.value(name, "advised", 5) - results.value(name, "arow", 5) for name in good])
    assert early < -0.02, f"good advice gains {-early:.3f} only at five examples"


EXPERIMENT = Experiment(
    name="bad-advice",
    paper="beyond",
    figure="",
    title="What bad advice does",
    settings=SETTINGS,
    quick={"runs": 4, "train": 100, "train of lineages": 50, "isolates": 6000, "checkpoints": [0, 1, 5, 10, 50, 100]},
    jobs=jobs,
    report=report,
    draw=draw,
    check=check,
    about="An expert can be wrong. Five tasks, each with its rules as they are, with all of them turned round, with every second one turned, and with two rules about random columns in their place.",
    assumed=["No settings are chosen: λ = 1, μ = .1 for the Adviceptron, defaults for the others. Lineages: balanced error and draws, as on [tuberculosis](tuberculosis.md).", "*about nothing*: two columns drawn at random, `a >= 0.5` for and `b <= 0.5` against."],
)
