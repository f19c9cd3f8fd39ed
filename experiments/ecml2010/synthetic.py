"""Figure 2(a): two clouds against one in the plane, with the three advice sets of Figure 1."""

from postil import datasets

from .. import curves, trials
from ..curves import ahead, falls, mean_over
from ..experiment import Experiment

SETTINGS = {
    "runs": 20,
    "rows": 2000,
    "spread": 1.3,  # standard deviation of the clouds
    "train": 200,  # the others test
    "seed": 0,
    "checkpoints": [0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 75, 100, 125, 150, 175, 200],
    "learners": curves.WIDER,
    "also": {"λ = 1, μ = 0.01": curves.untuned(1, 0.01)},  # nothing chosen in a run; but see below
    "folds": 5,  # of the cross-validation, among the 200 training rows of a run, that chooses from the grids
}


def task(settings, scale="none"):
    X, y = datasets.make("synthetic", rows=settings["rows"], seed=settings["seed"], spread=settings["spread"])
    return trials.Task(X, y, positive="positive", advice=trials.rule_file("synthetic"), scale=scale)


def jobs(settings):
    tasks = {"synthetic": task(settings), "standardised": task(settings, "standard")}
    return curves.jobs(settings, tasks, lambda task, random: trials.split(len(task.y), settings["train"], random))


# ---- what pages say


def check(settings, results):
    for learner in ("adviceptron", "pa-ii", "romma", "perceptron", "advised", "arow"):
        falls(results, "synthetic", learner, by=0.1)
    ahead(results, "standardised", "advised", "arow", 5)
    ahead(results, "standardised", "adviceptron, advice start", "pa-ii", 5)
    assert mean_over(results, "synthetic", "adviceptron", 50, 200) < 0.15
    assert mean_over(results, "synthetic", "batch-kbsvm", 200, 200) < 0.09


EXPERIMENT = Experiment(
    name="synthetic",
    paper="ecml2010",
    figure="Figure 2(a)",
    title="Two clouds against one",
    settings=SETTINGS,
    quick={"runs": 6, "checkpoints": [0, 1, 3, 5, 10, 20, 50, 100, 200], "folds": 2},
    jobs=jobs,
    report=lambda settings, done: curves.report(settings, done, curves.ECML_PAIRS),
    draw=curves.draw(lambda: EXPERIMENT.expected(), columns=2, symlog=True),
    check=check,
    about="Points of the plane: the positive class is two round clouds, the negative one a flatter one above them. Two parallelograms and a triangle say what is known. Test error while 200 examples arrive one at a time.",
    gaps="Allowed: .05 at the start, .02 at the end.",
    assumed=[
        "The paper does not give the distributions. Ours: half N((1.5, -1), s²I), half N((5.5, 0.4), s²I) against N((4, 4), s²[[1.7, 1.2], [1.2, 1.7]]), as many of each class. s = 1 looks like Figure 1; s = 1.3, taken here, comes nearer to the errors of Figure 2(a).",
        "The corners of the advice sets are read off Figure 1, to about 0.05.",
        "The paper does not say whether columns are scaled. *synthetic* has them as they are, where the compiled rules begin at the paper's error; *standardised* is Postil's default.",
        "λ, μ, C and the perceptron's margin are not in the paper: each run chooses from the grids by five-fold cross-validation of its own 200 training rows. The panels with λ = 1, μ = 0.01, C = ½ choose nothing in a run, but we took these values because they give about the paper's numbers: an illustration, not a test.",
        curves.TIES,
        "The paper's perceptron is the margin perceptron of Freund and Schapire. No learner of the paper averages its weights here.",
    ],
    why=[
        "With settings chosen on training rows every learner that starts from zero ends better than in the paper, PA-II by the most (.073, paper .125), and the Adviceptron's lead at the end is gone (.072 against .073). With λ = 1, μ = .01 and C = ½, larger steps than cross-validation chooses, it leads by half of what was published (.092 against .106), and not significantly (p = .09).",
        "Scaling decides what the advice alone is worth: with columns as they are the compiled rules start at .47, as the paper's Adviceptron does, and the Adviceptron that starts there is behind PA-II (.112 against .073 at the end); standardised they start at .07.",
        "`advised` with columns as they are begins at .21, is behind AROW from the tenth to the fortieth example and within .003 of it afterwards. Standardised it begins at .07, rises to .09 over the first ten examples, where AROW has .15, and ends .001 ahead of AROW, not significantly.",
    ],
)
