"""Learning curves: most figures of the papers are some."""

import numpy as np
import pandas as pd

from . import experiment, trials
from .trials import Learner

# One colour a learner in all pictures: with advice warm, without cold.
LOOKS = {
    "adviceptron": ("#c2571a", "-"),
    "adviceptron, advice start": ("#e09a3e", "-"),
    "adviceptron, μ = 1e-4": ("#7a4a12", "-."),
    "adviceptron mu=1e-2": ("#c2571a", "-"),
    "adviceptron mu=1e-3": ("#e09a3e", "-"),
    "adviceptron mu=1e-4": ("#8f2d0f", "-"),
    "advised": ("#a3123f", "-"),
    "advised, drift=auto": ("#e8722a", "-"),
    "arow": ("#3b8f4f", "--"),
    "pa-ii": ("#1b6ca8", "--"),
    "romma": ("#6aa7c9", "--"),
    "perceptron": ("#8a8a8a", "--"),
    "pa-adviceptron": ("#b8932a", "-"),
    "margin perceptron": ("#c9c9c9", "--"),
    "batch-kbsvm": ("#222222", "-"),
}
OTHERS = ("#8a4fa8", "#b8932a", "#4a9a95", "#d1698c", "#a0622d", "#6b6b6b", "#5a8f29", "#1f3f77", "#1b6ca8", "#17a2b8")


def look(name, place=0):
    """Colour and style; `place` among others that have no look of their own. "x: y" is x with some of the rules: dotted unless with all of them."""
    known, colon, rules = name.partition(": ")
    if colon and known in LOOKS:
        return LOOKS[known][0], "-" if rules.startswith("all") else ":"
    return LOOKS.get(name, (OTHERS[place % len(OTHERS)], "-" if place % 2 == 0 else "--"))


# The learners of the ECML paper, as it has them: no averaging. PA-II with C = lambda/2 is the Adviceptron without rules, so their grids match.
# Of equals the first is chosen, and with few rows many are equal: grids begin in the middle and go outwards.
LAMBDAS = [1.0, 0.1, 10.0, 0.01]
MUS = [0.01, 0.001, 0.1, 0.0001, 1.0]
PA_TWO = {"variant": "pa2", "average": "none"}


def ecml_learners(lambdas=LAMBDAS, mus=MUS):
    adviceptron = {"lambda": lambdas, "mu": mus}
    return {
        "adviceptron": Learner("pa-adviceptron", {"start": "zero"}, adviceptron, advice=True),
        "adviceptron, advice start": Learner("pa-adviceptron", {"start": "advice"}, adviceptron, advice=True),
        "pa-ii": Learner("pa", PA_TWO, {"C": [value / 2 for value in lambdas]}),
        "romma": Learner("romma", {"average": "none"}),
        "perceptron": Learner("margin-perceptron", {"average": "none"}, {"margin": [0.1, 1.0, 0.01, 10.0]}),
        "batch-kbsvm": Learner("kbsvm", {}, {"lambda": [1.0, 0.1, 10.0], "mu": [1.0, 0.1, 10.0]}, advice=True, only_last=True),
        "advised": Learner("advised", advice=True),
        "arow": Learner("arow"),
    }


ECML_LEARNERS = ecml_learners()
WIDER = ecml_learners(LAMBDAS + [0.001])  # where it costs little
TIES = "With few rows many points of a grid are equal in cross-validation; the first of equals is taken, and the grids are listed from the middle outwards, as they stand above."


def untuned(lambda_, mu):
    """The same with nothing chosen."""
    fixed = {
        "adviceptron": {"lambda": lambda_, "mu": mu},
        "adviceptron, advice start": {"lambda": lambda_, "mu": mu},
        "pa-ii": {"C": lambda_ / 2},
        "perceptron": {"margin": 0.1},
        "batch-kbsvm": {"lambda": lambda_, "mu": mu},
    }
    return {name: Learner(learner.learner, learner.settings | fixed.get(name, {}), {}, learner.advice, learner.only_last) for name, learner in ECML_LEARNERS.items()}


ECML_PAIRS = [("adviceptron", "pa-ii"), ("adviceptron, advice start", "pa-ii"), ("advised", "arow")]


def groups(settings):
    """{what is added to a task's name: its learners}."""
    return {"": settings["learners"]} | {f", {name}": learners for name, learners in settings.get("also", {}).items()}


def jobs(settings, tasks, draw):
    """A contest for each task and group of learners. `draw(task, random)` gives a split."""
    out = []
    for name, task in tasks.items():
        splits = [draw(task, trials.run_seed(settings["seed"], run)) for run in range(settings["runs"])]
        for more, learners in groups(settings).items():
            out.append(trials.contest(name + more, task, learners, splits, settings["checkpoints"], settings.get("folds", 5)))
    return out


def report(settings, done, pairs=(), at=None):
    rows, tests, told = [], [], []
    at = at or [10, settings["checkpoints"][-1]]
    for name, parts in done.items():
        learners = next(learners for more, learners in reversed(groups(settings).items()) if name.endswith(more))
        curves = trials.curves_of(parts)
        rows += experiment.curve_rows(name, curves)
        tests.append(experiment.paired(name, curves, [pair for pair in pairs if set(pair) <= set(curves)], at))
        choices = {learner: experiment.chosen_text(learners[learner], curves[learner][2]) for learner in curves if learners[learner].grid}
        if choices:
            told.append(f"Chosen on {experiment.title_of(name)}: " + ". ".join(f"{learner}: {text}" for learner, text in choices.items()) + ".")
    return experiment.Results(experiment.table(rows), pd.concat(tests) if tests else None, told)


def leads(settings, done, leader="advised"):
    """From which example on a learner's mean error is below that of every learner without rules, as sentences."""
    out = []
    for name, parts in done.items():
        curves = trials.curves_of(parts)
        at, values, _ = curves[leader]
        others = [curve for learner, (_, curve, _) in curves.items() if not settings["learners"][learner].advice and not settings["learners"][learner].only_last]
        ahead = values.mean(1) < np.min([curve.mean(1) for curve in others], axis=0)
        first = next((place for place in range(len(at)) if ahead[place:].all()), None)
        out.append(f"{experiment.title_of(name)}: " + (f"from {at[first]} examples on" if first is not None else f"not at the end ({values.mean(1)[-1]:.4f})"))
    return f"`{leader}` has a lower mean error than every learner without rules: " + "; ".join(out) + "."


def draw_curves(ax, results, task, expected=(), symlog=False):
    """Mean error with a band of one standard error; squares: batch learners; crosses: what the paper shows."""
    part = results.table[(results.table.task == task) & (results.table.quantity == "error")]
    for place, (name, curve) in enumerate(part.groupby("learner", sort=False)):
        color, style = look(name, place)
        if len(curve) == 1:
            ax.errorbar(curve["at"], curve["mean"], yerr=curve["se"].fillna(0), fmt="s", color=color, label=name, markersize=6, zorder=5)
            continue
        ax.plot(curve["at"], curve["mean"], style, color=color, label=name, linewidth=1.6 if style == "-" else 1.2)
        spread = curve["se"].fillna(0)
        ax.fill_between(curve["at"], curve["mean"] - spread, curve["mean"] + spread, color=color, alpha=0.18, linewidth=0)
    published = [row for row in expected if row["quantity"] == "error" and row["at"] is not None]
    shown = set(part.learner)
    for row in published:
        if row["task"] == task or len({each["task"] for each in published}) == 1:  # one panel in the paper is compared with all of ours
            if row["learner"] in shown:
                ax.plot(row["at"], row["paper"], "x", color=look(row["learner"])[0], markersize=6, markeredgewidth=1.6, zorder=6, clip_on=False)
    if published:
        ax.plot([], [], "x", color="#444444", markersize=6, markeredgewidth=1.6, label="published")
    if symlog:
        from matplotlib.ticker import ScalarFormatter

        last = part["at"].max()
        ax.set_xscale("symlog", linthresh=1)
        ax.set_xticks([at for at in (0, *(digit * 10**power for power in range(5) for digit in ((1, 2, 5) if last <= 500 else (1,)))) if at <= last])
        ax.minorticks_off()
        ax.xaxis.set_major_formatter(ScalarFormatter())
    ax.set_xlim(left=0)
    ax.set_ylim(bottom=0)
    ax.set_title(experiment.title_of(task), fontsize=10)
    ax.set_xlabel("examples", fontsize=9)
    ax.tick_params(labelsize=8)
    ax.grid(alpha=0.25, linewidth=0.5)


def figure(panels, columns=None, width=4.6, height=3.6):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    columns = columns or min(panels, 3)
    rows = -(-panels // columns)
    fig, axes = plt.subplots(rows, columns, figsize=(width * columns, height * rows + 0.6), squeeze=False, layout="constrained")
    flat = list(axes.flat)
    for ax in flat[panels:]:
        ax.set_visible(False)
    return fig, flat[:panels]


def legend_below(fig, axes, columns=6):
    """In as many columns as there is room for."""
    seen = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels()):
            seen.setdefault(label, handle)
    wide = 0.55 + 0.068 * max(map(len, seen), default=0)  # inches that an entry takes
    fig.legend(seen.values(), seen.keys(), loc="outside lower center", ncols=max(1, min(columns, len(seen), int(fig.get_figwidth() / wide))), fontsize=8, frameon=False)


def draw(expected, ylabel="test error", columns=None, symlog=False):
    def drawn(settings, results):
        tasks = list(dict.fromkeys(results.table.task))
        fig, axes = figure(len(tasks), columns)
        for ax, task in zip(axes, tasks):
            draw_curves(ax, results, task, expected(), symlog)
        axes[0].set_ylabel(ylabel, fontsize=9)
        legend_below(fig, axes)
        return fig

    return drawn


# ---- shapes ----


def falls(results, task, learner, by=0.0):
    """The curve ends below where it began."""
    part = results.table[(results.table.task == task) & (results.table.learner == learner)]
    first, last = part["mean"].iloc[0], part["mean"].iloc[-1]
    assert last < first - by, f"{task}: the error of {learner} goes from {first:.3f} to {last:.3f}; expected a fall of more than {by}"


def ahead(results, task, a, b, at, by=0.0):
    """a's error is below b's after so many examples."""
    mine, other = results.value(task, a, at), results.value(task, b, at)
    assert mine < other - by, f"{task}: after {at} examples {a} has {mine:.3f}, {b} {other:.3f}; expected {a} ahead by more than {by}"


def mean_over(results, task, learner, first, last):
    part = results.table[(results.table.task == task) & (results.table.learner == learner) & results.table["at"].between(first, last)]
    return float(np.mean(part["mean"]))
