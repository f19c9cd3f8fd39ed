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
    about="106 sequences of 57 nucleotides: a promoter or not? The domain theory of the UCI repository multiplies out to 64 rules, none of which holds in full on any of the 106 sequences; the plane compiled from them is right on 72 % all the same.",
    gaps="Allowed: .1 at the start and .08 at the end, two standard errors of 100 single tests.",
    assumed=[
        "57 positions become 228 columns of 0 and 1, which are not scaled. Twelve of the 64 rules ask for two nucleotides at one position and are empty.",
        "All rules say the same class. *Opposed by the mean*, which is Postil's default, adds that the mean of the columns is of the other class (`one_sided=mean`); problem (4) as printed, which the published values are compared with, has no such row. With a bias the default is taken, since (4) as printed is then solved by a bias alone.",
        *learners.ASSUMED,
        learners.ECML_ASSUMED,
        "The paper's test set of 1 % is one sequence a run, so an error is a share of 100 single tests: its standard error is .02 to .05. The paper's last point is at 104.",
    ],
    why=[
        "Without a bias and with problem (4) as printed, the compiled rules, which all say promoter, say so of every sequence: the curves begin at .48, like the published ones (.50), and are below the perceptron's from the tenth example on; at the end the smaller μ is ahead of the larger, as in the paper. But they end at .05 and .09, far better than the published .15 and .25.",
        "Without a bias but with rules opposed by the mean, the ends (.22 and .32) are within the gap of the paper's. But then the Adviceptron ends behind its perceptron (.16) with either μ, which the paper's does only with μ = 1e-3, and after one example it has .38 instead of .50.",
        "With a bias it begins at .28, where the paper's begins at .50, and ends at .07 with either μ (paper .15 and .25). The starts speak for a learner without bias, as the paper's text has it; one test sequence a run cannot tell more.",
        "`advised` begins at .28 like the Adviceptron with a bias and is behind it from the fifth example on; it is ahead of AROW (.24 against .36 after ten, .08 against .13 at the end), not significantly (p = .051 and .13).",
    ],
)
