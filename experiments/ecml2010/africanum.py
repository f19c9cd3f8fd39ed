"""Section 5.2: is negative advice worth having? M. africanum with all rules and with the positive one only."""

import dataclasses

import pandas as pd

from .. import curves, data, experiment, trials
from ..experiment import Experiment
from . import lineages

SETTINGS = {
    "isolates": 37710,
    "runs": 100,
    "train": 50,  # 25 of the lineage, 25 others
    "seed": 0,
    "checkpoints": lineages.SETTINGS["checkpoints"],
    "learners": {name: lineages.SETTINGS["learners"][name] for name in ("adviceptron", "adviceptron, advice start", "advised")},
    "folds": 3,  # of the cross-validation, among a run's 50 training rows, that chooses from the grids
}
ADVICE = {"all rules": lambda rule: True, "positive rule only": lambda rule: not rule.negated}


def rule_texts():
    printed = trials.rule_file("tuberculosis_as_published").replace("domain miru24 in [0,9]", "domain miru24 in [1,2]")  # clipped, as in the data
    return {"as printed": printed, "refined": trials.rule_file("tuberculosis")}


def jobs(settings):
    whole = lineages.tasks(settings, *data.simulated_isolates(settings["isolates"], settings["seed"]), lineages=["africanum"])["africanum"]
    splits = [trials.balanced_split(whole.y, settings["train"], trials.run_seed(settings["seed"], run)) for run in range(settings["runs"])]
    return [
        trials.contest(f"{name}/{kept}", dataclasses.replace(whole, advice=trials.rules_about(text, "africanum", keep)), settings["learners"], splits, settings["checkpoints"], settings["folds"])
        for name, text in rule_texts().items()
        for kept, keep in ADVICE.items()
    ]


# ---- what pages say


def report(settings, done):
    rows, tests = [], []
    pairs = [(f"{learner}: all rules", f"{learner}: positive rule only") for learner in settings["learners"]]
    for name in rule_texts():
        # One table of curves, named by learner and rules, so that runs can be paired.
        together = {f"{learner}: {kept}": curve for kept in ADVICE for learner, curve in trials.curves_of(done[f"{name}/{kept}"]).items()}
        rows += experiment.curve_rows(name, together)
        tests.append(experiment.paired(name, together, pairs, [1, 5, 10, settings["checkpoints"][-1]]))
    return experiment.Results(experiment.table(rows), pd.concat(tests))


def check(settings, results):
    last = settings["checkpoints"][-1]
    for name in rule_texts():
        curves.ahead(results, name, "advised: all rules", "advised: positive rule only", last)
        assert results.value(name, "adviceptron, advice start: all rules", last) < 0.1


EXPERIMENT = Experiment(
    name="africanum",
    paper="ecml2010",
    figure="Section 5.2",
    title="What negative advice is worth: M. africanum",
    settings=SETTINGS,
    quick={"isolates": 12000, "runs": 6, "checkpoints": [0, 1, 5, 10, 50], "folds": 2},
    jobs=jobs,
    report=report,
    draw=curves.draw(list, ylabel="balanced test error", symlog=True),
    check=check,
    about="The paper: “incorporation of negative advice for some classes like *M. africanum* significantly improved performance.” Here are the same draws with one positive and three negative rules, and with the positive one alone.",
    assumed=lineages.ASSUMED[:4] + [lineages.ASSUMED[5], lineages.ASSUMED[8]] + ["The paper gives no numbers for this; the test is the paired one above.", "*as printed*: the positive rule of the paper, which also holds for some *M. bovis*. *refined*: ours, which leaves *M. bovis* out by itself."],
    why=[
        "For the Adviceptron the claim does not hold here. From zero weights the negative rules make no significant difference after 1, 5, 10 or 50 examples. Started from the rules, the three negative ones about the same 44 columns make the compiled plane worse (.34 as printed and .13 refined, the positive rule alone .01); after ten examples the difference is no longer significant, and after 50 it is .003 or less.",
        "`advised` is significantly better with the negative rules from the first example on, but by less than .001.",
        "In an earlier edition of this page, whose grid began at μ = .01, the zero start was far worse with the negative rules: four rules shrink the weights faster than one.",
        "On simulated isolates the positive rule alone is nearly perfect in balanced error. The paper's isolates may have more strains that need a negative rule.",
    ],
)
