"""Tasks with rules, for questions that the papers do not ask."""

import dataclasses

from postil import datasets, rules

from .. import data, trials
from ..ecml2010 import lineages


def generated(seed=0, isolates=20000):
    """Those that need no data: the plane, and three lineages."""
    X, y = datasets.make("synthetic", rows=4000, seed=seed, spread=1.3)
    out = {"synthetic": trials.Task(X, y, positive="positive", advice=trials.rule_file("synthetic"))}
    return out | lineages.tasks({}, *data.simulated_isolates(isolates, seed), lineages=["euro_american", "indo_oceanic", "east_african_indian"])


def diabetes():
    X, y = data.pima()
    return {"diabetes": trials.Task(X, y, positive="1", advice=trials.rule_file("diabetes"), missing="mean")}


def promoter_sequences():
    X, y = data.promoters()
    return {"promoters": trials.Task(X, y, positive="1", advice=trials.rule_file("promoters"))}


def available(seed, isolates, promoters=True):
    """All of them whose data are there; and what is missing."""
    found, missing = generated(seed, isolates), []
    for more in (diabetes, promoter_sequences) if promoters else (diabetes,):
        try:
            found |= more()
        except data.Missing as error:
            missing.append(str(error))
    return found, missing


def with_rules(task, said):
    """The task with other rules: `said(rule)` gives lines for each."""
    text = task.advice
    return dataclasses.replace(task, advice=trials.statements(text) + "\n".join(line for rule in rules.parse(text) for line in said(rule)) + "\n")


def as_written(rule):
    return [f"{rule.id.replace(' ', '_')}: {rule.condition} => {'not ' if rule.negated else ''}{rule.says}"]


def turned(rule):
    return [f"{rule.id.replace(' ', '_')}: {rule.condition} => {'' if rule.negated else 'not '}{rule.says}"]


def split_of(task, train, random):
    return trials.balanced_split(task.y, train, random) if task.metric == "balanced_error" else trials.split(len(task.y), train, random)
