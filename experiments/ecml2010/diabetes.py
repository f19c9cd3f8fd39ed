"""Figure 2(b): diabetes among the Pima, with two rules of a health page."""

from .. import curves, data, trials
from ..curves import ahead, falls, mean_over
from ..experiment import Experiment

SETTINGS = {
    "runs": 20,
    "train": 200,  # the other 568 test
    "seed": 0,
    "checkpoints": [0, 1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 75, 100, 125, 150, 175, 200],
    "learners": curves.WIDER,
    "also": {"λ = μ = 1": curves.untuned(1, 1)},  # nothing chosen
    "folds": 5,  # of the cross-validation, among the 200 training rows of a run, that chooses from the grids
}


def tasks():
    X, y = data.pima()
    return {"diabetes": trials.Task(X, y, positive="1", advice=trials.rule_file("diabetes"), missing="mean")}


def jobs(settings):
    return curves.jobs(settings, tasks(), lambda task, random: trials.split(len(task.y), settings["train"], random))


# ---- what pages say


def check(settings, results):
    for learner in ("adviceptron", "pa-ii", "romma", "perceptron", "advised", "arow"):
        falls(results, "diabetes", learner)
    ahead(results, "diabetes", "advised", "arow", 5)
    assert mean_over(results, "diabetes", "adviceptron", 3, 20) < mean_over(results, "diabetes", "pa-ii", 3, 20), "the Adviceptron is not ahead of PA-II among examples 3 to 20"


EXPERIMENT = Experiment(
    name="diabetes",
    paper="ecml2010",
    figure="Figure 2(b)",
    title="Diabetes among the Pima",
    settings=SETTINGS,
    quick={"runs": 6, "checkpoints": [0, 1, 3, 4, 5, 10, 20, 50, 100, 200], "folds": 2},
    jobs=jobs,
    report=lambda settings, done: curves.report(settings, done, curves.ECML_PAIRS),
    draw=curves.draw(lambda: EXPERIMENT.expected(), symlog=True),
    check=check,
    needs=["pima/pima.csv"],
    about="768 patients, eight measurements, two rules from a health page: `bmi >= 30 and glucose >= 126 => diabetes` and `bmi <= 25 and glucose <= 100 => not diabetes`. Test error while 200 examples arrive one at a time.",
    gaps="Allowed: .05 at the start, .02 at the end.",
    assumed=[
        "Columns are standardised by the 200 training rows of each run; zeros in glucose, blood pressure, skin thickness, insulin and bmi are missing and replaced by the mean.",
        "λ, μ, C and the perceptron's margin are not in the paper: left, each run chooses them from the grids above by five-fold cross-validation of its own training rows. The choice has seen the labels of all 200, so the early part of a tuned curve knows a little of what is to come; `advised` and `arow` are not tuned. Right, nothing is chosen: λ = μ = 1, C = ½.",
        curves.TIES,
        "The paper's perceptron is the margin perceptron of Freund and Schapire. No learner of the paper averages its weights here.",
        "The cut-offs 126 and 100 are fasting values; the feature is measured two hours after a glucose load. The positive rule holds on 216 rows, of which it is right on 70 %, the negative one on 53, always rightly; on five of these a zero stands for a missing value, so that it holds on 48 once they are replaced.",
    ],
    why=[
        "The paper's PA-II ends at .285. With C chosen on the training rows (.005 in 17 of 20 runs) it ends level with the Adviceptron (.244 and .243): advice then helps early (.307 against .323 after ten examples), not late. With λ = μ = 1 and C = ½ nothing is chosen, and the Adviceptron leads at the end by .037 (.271 against .308), in the paper by .040.",
        "Started from the compiled rules the Adviceptron begins near the paper's (.39 after one example, paper .37), but with tuned settings ends behind PA-II, by .024.",
        "Our ROMMA, which predicts with its last weights, ends worse than the paper's (.323, paper .275).",
        "`advised` begins at .38, is ahead of AROW after ten examples (.275 against .337) and, by .006, at the end.",
    ],
)
