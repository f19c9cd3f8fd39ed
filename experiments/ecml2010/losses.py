"""Sections 3 and 6: problem (5) solved to its end in place of one round, and other losses by projected gradients."""

from .. import curves, data, trials
from ..experiment import Experiment
from ..trials import Learner
from . import diabetes, lineages

GRID = {"mu": [1.0, 0.1, 0.01, 0.001]}
STEPS = {"mu": [1.0, 0.1, 0.01, 0.001], "eta0": [2.0, 0.5, 0.1]}
SETTINGS = {
    "runs": 50,
    "train": 100,
    "seed": 0,
    "folds": 3,
    "isolates": 6000,
    "checkpoints": [0, 1, 2, 5, 10, 20, 50, 100],
    "learners": {
        "one round of two steps (Algorithm 1)": Learner("pa-adviceptron", {"advice_step": "exact"}, GRID, advice=True),
        "problem (5) solved": Learner("pa-adviceptron", {"advice_step": "joint"}, GRID, advice=True),
        "gradients, hinge": Learner("gradient-adviceptron", {"loss": "hinge"}, STEPS, advice=True),
        "gradients, squared hinge": Learner("gradient-adviceptron", {"loss": "squared-hinge"}, STEPS, advice=True),
        "gradients, logistic": Learner("gradient-adviceptron", {"loss": "logistic"}, STEPS, advice=True),
        "pa-ii": Learner("pa", {"variant": "pa2", "average": "none"}, {"C": [0.5, 0.05, 0.005]}),
    },
}


def jobs(settings):
    X, y = data.simulated_isolates(settings["isolates"], settings["seed"])
    isolates = lineages.tasks(settings, X, y, ["euro_american", "indo_oceanic"])
    return curves.jobs(settings, diabetes.tasks() | isolates, lambda task, random: trials.balanced_split(task.y, settings["train"], random))


PAIRS = [("problem (5) solved", "one round of two steps (Algorithm 1)"), ("gradients, logistic", "one round of two steps (Algorithm 1)")]


def check(settings, results):
    for task in dict.fromkeys(results.table.task):
        for learner in ("problem (5) solved", "gradients, logistic", "gradients, hinge"):
            curves.falls(results, task, learner, by=0.05)


EXPERIMENT = Experiment(
    name="losses",
    paper="ecml2010",
    figure="Sections 3 and 6",
    title="The joint update, and other losses",
    settings=SETTINGS,
    quick={"runs": 3, "train": 30, "checkpoints": [0, 10, 30], "folds": 2, "isolates": 2000},
    jobs=jobs,
    report=lambda settings, done: curves.report(settings, done, PAIRS, [10, settings["checkpoints"][-1]]),
    draw=curves.draw(lambda: EXPERIMENT.expected(), ylabel="test error (lineages: balanced)", columns=3, symlog=True),
    check=check,
    about="The paper updates weights and multipliers in turn, once a round, where its problem (5) asks for both together; and it names projected gradients as the way to other losses. Here are problem (5) solved to its end for every example (`advice_step=joint`), and the gradient form with three losses (`gradient-adviceptron`).",
    assumed=["There are no numbers in the paper. μ, C and the length of the steps are chosen in each run by three-fold cross-validation of its own training rows; λ = 1. All begin with zero weights."],
    why=[
        "Solving problem (5) to its end helps early: after one example .366 instead of .443 on diabetes; after ten .186 instead of .308 on Euro-American and .400 instead of .454 on Indo-Oceanic. One round moves the multipliers after the weights, so that what the rules say reaches the weights an example later; a solved problem has no such delay. After 100 examples there is no significant difference.",
        "Among the losses the logistic one is the best of the gradient forms at the end on all three tasks, or within a standard error of it, and significantly better at the end than Algorithm 1 on diabetes and Indo-Oceanic; the squared hinge, whose steps grow with the error, has the highest error from 5 to 20 examples on diabetes and Euro-American. On Euro-American and Indo-Oceanic some runs choose settings by three folds of 100 rows that end badly, which the large standard errors show.",
        "PA-II, which has no rules, is ahead of all of them on diabetes from 20 examples on and on Euro-American after 100: from zero weights and with one μ for all rounds, rules help early and hold back late.",
    ],
)
