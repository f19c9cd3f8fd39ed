"""Problem (6) linearised again at its last answer: does it reach the exact problem (5)?"""

import time
import warnings

import numpy as np

import postil

from .. import experiment, trials
from ..experiment import Experiment
from . import exact_relaxed

SETTINGS = {
    "sets": ["splice", "mushroom", "a1a", "a2a", "w1a"],
    "components": 10,
    "nu": [1.0, 0.1, 0.01],
    "seed": 0,
    "rows": 500,  # to learn from at most
    "tolerance": 1e-5,
}
PROBLEMS = {"relaxed (6)": "relaxed", "linearised again": "iterated", "exact (5)": "exact"}
QUANTITIES = ["objective of (5) above exact", "1 - cos of w to exact", "error, %", "seconds", "linearisations"]


def objective(model, X, y, nu):
    """That of (5) at a model's ellipsoid, weights and bias, with the weights C of c_form=rank."""
    metric = model.explain()["metric"]
    E = np.array(metric["B"])
    norms = np.linalg.norm(X, axis=1)
    sides = np.where(y == model.classes_[1], 1, -1) * (X @ model.coef_[0] + model.intercept_[0])
    losses = np.maximum(0, np.linalg.norm(X @ E, axis=1) - sides)
    r = 1 - model.one_minus_r
    return -r * np.linalg.slogdet(E)[1] + (1 - r) * np.trace(E) + min(X.shape) / (nu * len(y)) * float(np.sum(losses / norms))


def jobs(settings):
    def work(unit):
        name, nu = settings["sets"][unit // len(settings["nu"])], settings["nu"][unit % len(settings["nu"])]
        X, y, Xt, yt = exact_relaxed.drawn(name, 0, settings)
        answer = {"set": name, "nu": nu, "rows": len(y)}
        for problem, setting in PROBLEMS.items():
            begun = time.perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = postil.EllipsoidalSVC(problem=setting, nu=nu, scale="none", tol=settings["tolerance"]).fit(X, y)
            seconds = time.perf_counter() - begun
            told = model._engine.fit_reports[0]
            words = told["status"].split(" linearisations")[0].split()
            answer[problem] = {
                "objective": objective(model, X, y, nu),
                "w": model.coef_[0].tolist(),
                "error": 100 * float(np.mean(model.predict(Xt) != yt)),
                "seconds": seconds,
                "linearisations": int(words[-1]) if setting == "iterated" else 1 if setting == "relaxed" else None,
                "converged": told["converged"],
                "reported": told["objective"],
            }
        return answer

    return [trials.Job("table", len(settings["sets"]) * len(settings["nu"]), settings, work)]


def report(settings, done):
    rows, told, open_ones = [], [], []
    for answer in done["table"]:
        task = f"{answer['set']}, ν = {answer['nu']:g}"
        exact = answer["exact (5)"]
        for problem in PROBLEMS:
            part = answer[problem]
            w, v = np.array(part["w"]), np.array(exact["w"])
            cosine = float(w @ v / np.linalg.norm(w) / np.linalg.norm(v))
            values = [part["objective"] - exact["objective"], 1 - cosine, part["error"], part["seconds"], part["linearisations"]]
            rows += [(task, problem, quantity, None, value, float("nan"), 1) for quantity, value in zip(QUANTITIES, values) if value is not None]
            if not part["converged"]:
                open_ones.append(f"{task}, {problem}")
        told.append(f"{task}: {answer['rows']} rows; objective of (5) {exact['objective']:.6g}, at the answer of (6) {answer['relaxed (6)']['objective']:.6g}, linearised again {answer['linearised again']['objective']:.6g}.")
    if open_ones:
        told.append(f"Did not converge: {'; '.join(open_ones)}.")
    return experiment.Results(experiment.table(rows), None, told, wide=True)


def draw(settings, results):
    from .. import curves

    fig, axes = curves.figure(2, width=5)
    for ax, quantity in zip(axes, ("objective of (5) above exact", "linearisations")):
        for place, problem in enumerate(("relaxed (6)", "linearised again")):
            part = results.table[(results.table.quantity == quantity) & (results.table.learner == problem)]
            ax.bar(np.arange(len(part)) + (place - 0.5) * 0.4, np.maximum(part["mean"].astype(float), 1e-8), 0.4, label=problem, color=("#c2571a", "#1b6ca8")[place])
        ax.set_xticks(range(len(part)), part.task, fontsize=6, rotation=60, ha="right")
        ax.set_ylabel(quantity, fontsize=9)
    axes[0].set_yscale("log")
    curves.legend_below(fig, axes)
    return fig


def check(settings, results):
    part = results.table[results.table.quantity == "objective of (5) above exact"]
    above = {problem: part[part.learner == problem]["mean"].astype(float) for problem in PROBLEMS}
    assert above["linearised again"].abs().max() < 20 * settings["components"] * settings["tolerance"], f"{above['linearised again'].abs().max():.3g} from the exact objective"
    assert above["relaxed (6)"].min() > -0.01, "an answer of (6) is better than the exact one"


EXPERIMENT = Experiment(
    name="relinearised",
    paper="acml2010",
    figure="Section 2",
    title="Does the relaxation, linearised again, reach the exact e-SVM?",
    settings=SETTINGS,
    quick={"sets": ["splice", "w1a"], "components": 8, "nu": [0.1], "rows": 300},
    jobs=jobs,
    report=report,
    draw=draw,
    check=check,
    needs=[need for need in exact_relaxed.EXPERIMENT.needs if "w3a" not in need and "a3a" not in need],
    about="The paper linearises problem (5) at E = cI, calls the result, (6), \"the initial problem\", and stops there. Here it is linearised again at the last ellipsoid until the objective of (5) and the lower bound by the last linearisation meet (`problem=iterated`), and compared with (5) solved directly (`problem=exact`).",
    assumed=[
        "Data as in exact-relaxed: principal components of the training rows, not scaled, but 10 of them; at most 500 rows to learn from, so that all of it runs in a minute. ν is not tuned: the question is whether the problems have the same answer.",
        "Steps towards the answer of a linearisation are halved until the objective of (5) falls enough. Whole steps, as the paper suggests, diverge on long ellipsoids (docs/mathematics.md B1; tests/oracle/esvm_test.cpp, WholeStepsNeedNotConverge).",
        "The objective of (5) is computed from each model's E, w and b, apart from the solvers. Seconds are of one run on a machine that others used too.",
    ],
    why=[
        "Linearised again, (6) reaches (5) in every case: the objective of (5) comes within 1e-4 of that of the exact solver and w within about 1e-6 in cosine, after 6 to 46 linearisations. The answer of (6) itself lies .07 to 1.3 above, at ν = .01 on w1a 7 and on mushroom 30.",
        "It is no quicker way to (5): every linearisation is solved by the barrier method that solves (5), and all of them together take five to forty times as long.",
        "For predicting it does not matter: at ν = .1 and .01 the errors of (5) and (6) differ by at most a quarter of a point, either way. At ν = 1, which is too large for these sets, (6) has the fewer errors on splice and mushroom, by 2 points.",
    ],
)
