"""Figure 1, right: diabetes once more, for the Adviceptron in its perceptron form."""

from .. import curves, data, trials
from ..experiment import Experiment
from . import learners

SETTINGS = {
    "runs": 25,
    "test": 0.15,
    "rounds": 200,
    "seed": 0,
    "checkpoints": [0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 75, 100, 125, 150, 175, 200],
    "learners": learners.of_paper("1e-3", "1e-2"),
    "also": {"with bias": learners.with_bias("1e-3", "1e-2")},
}


def draw_split(settings):
    """15 % to test; of the others as many as there are rounds."""

    def drawn(task, random):
        order = random.permutation(len(task.y))
        test = int(settings["test"] * len(order))
        return order[test : test + settings["rounds"]], order[:test]

    return drawn


def jobs(settings):
    X, y = data.pima()
    task = trials.Task(X, y, positive="1", advice=trials.rule_file("diabetes"), missing="mean")
    return curves.jobs(settings, {"diabetes": task}, draw_split(settings))


# ---- what pages say


def check(settings, results):
    for learner in ("perceptron", "arow"):
        curves.falls(results, "diabetes, with bias", learner)
    for task in ("diabetes", "diabetes, with bias"):
        assert curves.mean_over(results, task, "adviceptron mu=1e-2", 0, 50) < curves.mean_over(results, task, "perceptron", 0, 50), f"{task}: the Adviceptron is not ahead early"


EXPERIMENT = Experiment(
    name="diabetes-perceptron",
    paper="annie2010",
    figure="Figure 1 (right)",
    title="Diabetes, perceptron form",
    settings=SETTINGS,
    quick={"runs": 8, "checkpoints": [0, 1, 5, 10, 20, 50, 100, 200]},
    jobs=jobs,
    report=lambda settings, done: curves.report(settings, done, learners.PAIRS),
    draw=curves.draw(lambda: EXPERIMENT.expected(), symlog=True),
    check=check,
    needs=["pima/pima.csv"],
    about="The data and rules of the ECML paper's [Figure 2(b)](diabetes.md), for the Adviceptron that moves only when it errs.",
    why=[
        "Without a bias, as the paper has it, the Adviceptron begins at .29, better than the published .39 and .43, and learns nothing more: it ends at .29. With a bias it begins at .40, falls to .30 and .29, and all published values lie within the gap: this figure is nearer to learners with a bias, the starts of [promoters](promoters.md) to learners without.",
        "The paper's Adviceptron with μ = 1e-2 ends .05 ahead of its perceptron. Here it is ahead by .02, significantly only without bias.",
        "`advised` begins at .37 with the same rules and ends at .236, .013 ahead of AROW.",
    ],
    gaps="Allowed: .05 at the start, .03 at the end.",
    assumed=["Data, missing values and scaling as on the page of [Figure 2(b)](diabetes.md).", *learners.ASSUMED, learners.ECML_ASSUMED],
)
