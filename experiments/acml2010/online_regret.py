"""Theorems 1 and 2 and Corollary 3, corrected: the regret of the online e-SVM against its bound."""

import json

import numpy as np
from sklearn.preprocessing import StandardScaler

import postil

from .. import curves, experiment, trials
from ..experiment import Experiment
from . import sets

SETTINGS = {
    "sets": ["heart", "diabetes", "german", "wave"],
    "nu": [0.1, 1.0],
    "passes": [1, 4, 16],
    "seed": 0,
    "turns": [300, 1000, 3000, 10000],  # rows before the class turns round, of the stream against which steps 1/t fail
}


def bounds(X, y, nu, passes, seed):
    model = postil.OnlineEllipsoidalSVC(nu=nu, ellipsoid="average", max_iter=passes, tol=None, random_state=seed).fit(X, y)
    return json.loads(model._engine.bounds_json(trials.Task(X, y).rows(), passes))


def turned(before, step):
    """Regret of Algorithm 1 on one feature, x = 1, ν = 1: `before` rows of class +1, then e - 1 times as many of the other. And what the paper's proof allows."""
    after = int((np.e - 1) * before)
    B, w, loss = 1.0, 0.0, 0.0
    for t in range(1, before + after + 1):
        y, eta = (1 if t <= before else -1), 0.5 if t == 1 else 1 / t
        loss += max(0.0, B - y * w) - np.log(B)
        if B - y * w >= 0:
            B = 1 / ((1 - eta) / B + eta)
            w = float(np.clip(w + y * (eta if step == "harmonic" else 1 / np.sqrt(t)), -1, 1))
        else:
            B /= 1 - eta
        B = min(B, 1.0)
    ws, Bs = np.linspace(-1, 1, 401)[:, None], np.linspace(0.01, 1, 400)[None]
    least = np.min(before * np.maximum(0, Bs - ws) + after * np.maximum(0, Bs + ws) - (before + after) * np.log(Bs))
    return before + after, loss - float(least), 0.5 + (4 * 2 + 0.5) * (0.5 + np.log(before + after))


def jobs(settings):
    def work(unit):
        if unit == len(settings["sets"]):
            return {"turned": [[turned(before, step) for step in ("harmonic", "sqrt")] for before in settings["turns"]]}
        task = sets.task(settings["sets"][unit])
        X = StandardScaler().fit_transform(task.X)
        X /= np.linalg.norm(X, axis=1)[:, None]
        return {"set": settings["sets"][unit], "found": [[bounds(X, task.y, nu, passes, settings["seed"]) for passes in settings["passes"]] for nu in settings["nu"]]}

    return [trials.Job("regret", len(settings["sets"]) + 1, settings, work)]


def report(settings, done):
    rows, shares, told = [], [], []
    for part in done["regret"]:
        if "turned" in part:
            for steps in part["turned"]:
                for name, (rounds, regret, _) in zip(("regret, steps 1/t (printed)", "regret, steps ν/√t"), steps):
                    rows.append(("the class turns round", name, "regret", rounds, regret, float("nan"), 1))
                rows.append(("the class turns round", "what the paper's proof allows", "regret", rounds, steps[0][2], float("nan"), 1))
            continue
        for nu, by_passes in zip(settings["nu"], part["found"]):
            task = f"{part['set']}, ν = {nu:g}"
            for found in by_passes:
                regret, allowed = found["loss"] - found["least"], found["theorem_1"]["ellipsoid"] + found["theorem_1"]["weights"]
                shares.append(regret / allowed)
                rows.append((task, "regret", "regret", found["rounds"], regret, float("nan"), 1))
                rows.append((task, "theorem 1, corrected", "regret", found["rounds"], allowed, float("nan"), 1))
                rows.append((task, "of which for the ellipsoid", "regret", found["rounds"], found["theorem_1"]["ellipsoid"], float("nan"), 1))
            last = by_passes[-1]
            told.append(
                f"{task}: n = {last['n']}; after {last['rounds']} rounds the regret is {(last['loss'] - last['least']) / last['rounds']:.3g} a round, and theorem 2 gives an expected f of the averages of at most {last['theorem_2']['excess']:.3g} above the least. Corollary 3: 0.1 after {last['corollary_3']['rounds']:.3g} rounds."
            )
    told.append(f"At most {max(shares):.3f} of a bound was used up, in {len(shares)} runs.")
    return experiment.Results(experiment.table(rows), None, told, {"shares": shares})


LOOKS = {
    "regret": ("#c2571a", "-"),
    "theorem 1, corrected": ("#1b6ca8", "--"),
    "of which for the ellipsoid": ("#6aa7c9", ":"),
    "regret, steps 1/t (printed)": ("#a3123f", "-"),
    "regret, steps ν/√t": ("#e09a3e", "-"),
    "what the paper's proof allows": ("#222222", "--"),
}


def draw(settings, results):
    names = list(dict.fromkeys(results.table.task))
    fig, axes = curves.figure(len(names), columns=3, width=3.6, height=3)
    for ax, name in zip(axes, names):
        part = results.table[results.table.task == name]
        for learner in dict.fromkeys(part.learner):
            line = part[part.learner == learner]
            color, style = LOOKS[learner]
            ax.plot(line["at"].astype(float), line["mean"].astype(float), style, color=color, marker=".", label=learner)
        ax.set_xscale("log")
        ax.set_xticks(sorted(set(part["at"])), [f"{at:,.0f}" for at in sorted(set(part["at"]))])
        ax.minorticks_off()
        ax.set_yscale("symlog", linthresh=10)
        ax.set_ylim(4 * min(part["mean"].min(), -5), 4 * part["mean"].max())
        ax.set_title(name, fontsize=10)
        ax.set_xlabel("rounds", fontsize=9)
        ax.grid(alpha=0.25, linewidth=0.5)
    for ax in axes[::3]:
        ax.set_ylabel("regret and bounds", fontsize=9)
    curves.legend_below(fig, axes)
    return fig


def check(settings, results):
    assert max(results.extra["shares"]) <= 1, f"{max(results.extra['shares']):.3f} of a bound"
    harmonic = results.table[results.table.learner == "regret, steps 1/t (printed)"].iloc[-1]
    assert harmonic["mean"] > 0.15 * harmonic["at"], "the regret of steps 1/t does not grow with T"


EXPERIMENT = Experiment(
    name="online-regret",
    paper="acml2010",
    figure="Theorems 1 and 2, Corollary 3",
    title="Regret of the online e-SVM against its bound",
    settings=SETTINGS,
    quick={"sets": ["heart"], "nu": [1.0], "passes": [1, 4], "turns": [300, 1000]},
    jobs=jobs,
    report=report,
    draw=draw,
    check=check,
    needs=sorted({path for path, _, _ in sets.SETS.values()}),
    about="Theorems 1 and 2 and Corollary 3 of the paper as corrected in docs/mathematics.md B4 (`train --bounds`): the regret of a run, the sum of f of its rounds less that of the best fixed ellipsoid and weights, beside what is proved of it. And a stream on which the printed Theorem 1 fails.",
    assumed=[
        "Columns are standardised and rows divided by their length, so that R is the same from the first row on; with an R that grows, early rounds have larger ellipsoids than any fixed one may have, and the regret is negative. A constant feature is the bias. The best fixed ellipsoid and weights are the best that were found: of the run itself and of 20 more passes. So the regret shown is a little less than the true one.",
        "Between projections the ellipsoid may be up to 1 % larger than tr B ≤ 1/R allows, which costs no regret but lowers f: where the rest of the regret is small, it is negative.",
        "Theorem 2 is about rows drawn at random; these runs make passes in random orders.",
        "The class turns round: one feature, x = 1, ν = 1, so many rows of one class and then e - 1 times as many of the other; the least loss by a grid.",
    ],
    why=[
        "No run exceeds its bound. With ν = .1 more than four fifths of a bound are the part of the weights, of order √T/ν, which random orders of rows do not use up; with ν = 1 the two parts begin alike on heart and german. The part of the ellipsoid grows with ln T.",
        "The printed Theorem 1 fails: with steps 1/t for w the regret on the stream whose class turns round is .16 a round, whatever the number of rounds, and that is beyond what the paper's proof allows for each number of rounds shown. With steps ν/√t it is negative.",
    ],
)
