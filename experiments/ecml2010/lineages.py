"""What the experiments on tuberculosis share: six questions, one for each lineage, with the rules about it."""

from .. import curves, data, trials
from ..trials import Learner

SETTINGS = {
    "runs": 200,
    "train": 50,  # 25 of the lineage, 25 others; the rest tests
    "seed": 0,
    "checkpoints": [0, 1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 40, 49, 50],
    "learners": curves.ecml_learners([1.0, 0.1, 0.01]) | {"adviceptron, μ = 1e-4": Learner("pa-adviceptron", {"start": "zero", "lambda": 1.0, "mu": 1e-4}, {}, advice=True)},
    "folds": 3,  # of the cross-validation, among the 50 training rows of a run, that chooses from the grids
}
QUICK = {"runs": 4, "checkpoints": [0, 1, 2, 5, 10, 20, 49, 50], "folds": 2}


def tasks(settings, X, y, lineages=data.LINEAGES):
    text = trials.rule_file("tuberculosis")
    return {
        name: trials.Task(X, y.where(y == name, "other").to_numpy(), positive=name, advice=trials.rules_about(text, name), scale="none", metric="balanced_error")
        for name in lineages
    }


def jobs(settings, X, y):
    return curves.jobs(settings, tasks(settings, X, y), lambda task, random: trials.balanced_split(task.y, settings["train"], random))


# ---- what pages say


def report(settings, done):
    results = curves.report(settings, done, [*curves.ECML_PAIRS, ("adviceptron, μ = 1e-4", "pa-ii")])
    results.told.append(curves.leads(settings, done))
    return results


def check(settings, results):
    for lineage in data.LINEAGES:
        for learner in ("pa-ii", "romma", "arow"):
            curves.falls(results, lineage, learner, by=0.2)
        curves.ahead(results, lineage, "adviceptron, advice start", "pa-ii", 1, by=0.1)
        curves.ahead(results, lineage, "advised", "arow", 1)
        assert results.value(lineage, "advised", 50) < 0.06, f"{lineage}: advised ends at {results.value(lineage, 'advised', 50):.3f}"


ASSUMED = [
    "100 runs; the paper has 200. So standard errors are 1.4 times what they would be with 200.",
    "The paper's curves make sense only as balanced error (the mean of the errors of the two classes) with balanced training draws: its PA-II and its perceptron begin at .475 to .5, where always saying no errs on .004 to .14 of the isolates (all lineages but Euro-American are rare), and on *M. africanum* all its curves end above that. So: 25 isolates of the lineage and 25 others to learn from, balanced error on all the rest.",
    "Rules: the refined ones of experiments/rules/tuberculosis.rules, of the counts in the paper's Table 1; what was added to the printed rules stands there. The spacers' domain [0, 1] and miru24's [1, 2] (clipped) are rows of every advice set, columns are not scaled, and there is a bias: without these the advice says almost nothing (most regions hold the origin).",
    "*M. africanum*: spacers 8, 9, 39 absent and miru24 > 1; the paper's other printing (spacer 13, miru24 ≤ 1) we take for a slip, since the paper itself says that modern strains, not this one, have miru24 ≤ 1.",
    "The paper's Adviceptron starts near its advice in most panels, which zero weights cannot do: both starts are shown and compared with the paper.",
    "λ, μ, C and the margin are chosen in each run by three-fold cross-validation of its own 50 training rows. " + curves.TIES,
    "*adviceptron, μ = 1e-4* has λ = 1 and the zero start, and nothing is chosen in a run; but the value was taken after a reader of an earlier edition, whose grid began at μ = .01, found that it ends near the paper's values: an illustration, not a test.",
    "Under a balanced order drawn at random both classes have been seen after two examples with probability 25/49. Otherwise a learner without rules has met one class only and, with columns of 0 and 1, predicts it for all, which is an error of .5. So its mean error after two examples cannot be below ½ · 24/49 = .245. ROMMA's published values there (.185 on East-African-Indian, .21 on Indo-Oceanic, .235 on East-Asian, .24 on Euro-American) cannot be reached here; its order was probably another, perhaps one of each class in turn.",
    "The scores of `advised` are log-odds, and for balanced error it decides at the balanced threshold; all others decide at 0. So it does not predict one class for all after a first example, as they do.",
    "The paper's curve of *M. bovis* goes on to 55 examples; its last value is compared with ours at 50.",
    "The labels of the real isolates were made by rules much like these, so that “advice almost perfect” is partly circular.",
]

GAPS = "Allowed: .05 after one or two examples; at the end a quarter of the published error, but not less than .01, which is how well the figures can be read."

WHY = [
    "After one example the paper's Adviceptron has .355 on East-African-Indian, .228 on Indo-Oceanic and .097 on Euro-American; ours, started from the rules, has less on all three. Its rules are refined, with domain rows and a bias, which the paper does not mention.",
    "An earlier edition of this page had no μ below .01. With ten advice sets a round keeps 1/(1 + 10 · .01) of the weights, so that after eleven rounds a third is left of what was learned; the zero start then ended far behind PA-II.",
]
