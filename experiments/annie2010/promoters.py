"""Figure 1, left: promoters of E. coli, with the 64 rules of the domain theory."""

from .. import curves, data, trials
from ..experiment import Experiment
from . import learners

SETTINGS = {
    "runs": 100,
    "test": 0.01,  # of the rows, at least one; the others are learned from
    "seed": 0,
    "checkpoints": [0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 104],
    "learners": learners.of_paper("1e-4", "1e-3", one_sided="as_printed"),
    "also": {"no bias, opposed by the mean": learners.of_paper("1e-4", "1e-3"), "with bias": learners.with_bias("1e-4", "1e-3")},
    "folds": 2,  # of the cross-validation of a run's training rows that chooses from the grids
}


def jobs(settings):
    X, y = data.promoters()
    task = trials.Task(X, y, positive="1", advice=trials.rule_file("promoters"))
    train = len(y) - max(1, int(settings["test"] * len(y)))
    return curves.jobs(settings, {"promoters": task}, lambda task, random: trials.split(len(task.y), train, random))


# ---- what pages say


def check(settings, results):
    task = "promoters, with bias"
    curves.falls(results, "promoters", "perceptron", by=0.1)
    curves.falls(results, task, "arow", by=0.1)
    assert curves.mean_over(results, task, "advised", 0, 20) < curves.mean_over(results, task, "arow", 0, 20), "advice is not ahead early"
    assert curves.mean_over(results, task, "adviceptron mu=1e-4", 0, 20) < curves.mean_over(results, task, "perceptron", 0, 20), "the Adviceptron is not ahead early"


EXPERIMENT = Experiment(
    name="promoters",
    paper="annie2010",
    figure="Figure 1 (left)",
    title="Promoters of E. coli",
    settings=SETTINGS,
    quick={"runs": 6, "test": 0.1, "checkpoints": [0, 2, 5, 10, 20, 50, 90]},
    jobs=jobs,
    report=lambda settings, done: curves.report(settings, done, learners.PAIRS),
    draw=curves.draw(lambda: EXPERIMENT.expected(), columns=3, symlog=True),
    check=check,
    needs=["promoters/promoters.csv"],
    about="106 sequences of 57 nucleotides: a promoter or not? The domain theory of the UCI repository multiplies out to 64 rules, none of which holds in full on any of the 106 sequences; their direction is right all the same.",
    assumed=[
        "57 positions become 228 columns of 0 and 1, which are not scaled. Twelve of the 64 rules ask for two nucleotides at one position and are empty.",
        *learners.ASSUMED,
        learners.ECML_ASSUMED,
        "The paper's test set of 1 % is one sequence a run, so an error is a share of 100 single tests: its standard error is about .04. The paper's last point is at 104.",
    ],
    why=[
        "The paper's Adviceptron starts at .50: its curve begins with zero weights, or its rules said nothing. Ours starts from the compiled rules, as the text of the paper has it, and is near its final error at once.",
    ],
)
