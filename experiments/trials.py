"""What is tried: tasks, learners that compete on them, how rows are drawn and rules chosen; and work in units, for a Lab to do."""

import hashlib
import itertools
import json
import os
import pathlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from postil import _data, _postil, rules


@dataclass
class Task:
    """Data of one question, and how they are to be learned from."""

    X: pd.DataFrame | np.ndarray
    y: pd.Series | np.ndarray
    positive: str = ""
    advice: str = ""  # rules, as text
    scale: str = "standard"
    missing: str = "refuse"
    metric: str = "error"
    numbers: bool = False  # y are numbers, not classes

    def rows(self):
        rows = _data.rows_of(self.X)
        if self.numbers:
            rows.set_labels(np.ascontiguousarray(self.y, dtype=np.float64), [])
            return rows
        classes = sorted({str(value) for value in self.y})
        codes = pd.Categorical([str(value) for value in self.y], categories=classes).codes
        rows.set_labels(np.ascontiguousarray(codes, dtype=np.float64), classes)
        return rows

    def fingerprint(self):
        values = pd.util.hash_pandas_object(pd.DataFrame(self.X), index=False).to_numpy()
        labels = "\n".join(str(value) for value in self.y)
        told = json.dumps([self.positive, self.advice, self.scale, self.missing, self.metric])
        return hashlib.sha256(values.tobytes() + labels.encode() + told.encode()).hexdigest()


@dataclass(frozen=True)
class Learner:
    """One that competes. Each run chooses from the grid, by cross-validation of its own training rows."""

    learner: str
    settings: dict[str, Any] = field(default_factory=dict)
    grid: dict[str, list] = field(default_factory=dict)
    advice: bool = False
    only_last: bool = False  # a batch learner: one point, at the end

    @property
    def from_zero(self):
        """Whether it knows nothing before the first example."""
        return not self.advice or self.settings.get("start") == "zero"

    def points(self):
        return [dict(zip(self.grid, values)) for values in itertools.product(*self.grid.values())]

    def recipes(self, task):
        base = {"learner": self.learner, "scale": task.scale, "missing": task.missing}
        base |= {"regression": True} if task.numbers else {"positive": task.positive}
        if self.advice and task.advice:
            base |= {"rules": task.advice, "rules_source": "rules"}
        return [base | {"settings": {name: _text(value) for name, value in (self.settings | point).items()}} for point in self.points()]

    def __str__(self):
        told = [f"{name}={_text(value)}" for name, value in self.settings.items()]
        told += [f"{name} of {', '.join(map(_text, values))}" for name, values in self.grid.items()]
        return f"`{self.learner}`" + (f", {', '.join(told)}" if told else "") + (", takes the rules" if self.advice else "")


def _text(value):
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


@dataclass
class Job:
    """Work in units, each of which gives something that JSON can hold."""

    key: str
    units: int
    spec: Any  # all that the answer depends on, as JSON
    work: Callable[[int], Any]


def contest(key, task, learners, splits, checkpoints, folds=5, chunk=10, choose_by=None):
    """The learners on the same splits: a job whose units are `chunk` splits each.

    `splits`: a list of pairs of row numbers, to learn from in this order and to test on.
    `choose_by`: settings are chosen by so many of the rows to learn from; None: by all.
    """
    curves = {name: learner for name, learner in learners.items() if not learner.only_last}
    ends = {name: learner for name, learner in learners.items() if learner.only_last}
    splits = [(np.asarray(train, dtype=np.uint32), np.asarray(test, dtype=np.uint32)) for train, test in splits]
    drawn = hashlib.sha256(b"".join(np.r_[len(train), train, test].tobytes() for train, test in splits)).hexdigest()

    def compare(recipes, part, places):
        return _postil.compare(task.rows(), recipes, part, places, metric=task.metric, folds=folds, threads=os.cpu_count())

    def work(unit):
        part = splits[unit * chunk : (unit + 1) * chunk]
        answer = {}
        for group, places in ((curves, checkpoints), (ends, checkpoints[-1:])):
            if not group:
                continue
            recipes = [learner.recipes(task) for learner in group.values()]
            values, chosen = compare(recipes, part if choose_by is None else [(train[:choose_by], test) for train, test in part], places)
            if choose_by is not None:
                fixed = [[[of_learner[choices[run]]] for of_learner, choices in zip(recipes, chosen)] for run in range(len(part))]
                values = np.concatenate([compare(of_run, [split], places)[0] for of_run, split in zip(fixed, part)], axis=2)
            for name, of_learner, choices in zip(group, values, chosen):
                answer[name] = {"at": list(places), "values": of_learner.tolist(), "chosen": list(choices)}
        return answer

    spec = [task.fingerprint(), {name: repr(learner) for name, learner in learners.items()}, drawn, list(checkpoints), folds, chunk, choose_by]
    return Job(key, -(-len(splits) // chunk), spec, work)


def curves_of(parts):
    """What the units of a contest gave, together: {learner: (checkpoints, values[checkpoint, run], chosen)}."""
    return {
        name: (parts[0][name]["at"], np.concatenate([np.array(part[name]["values"], dtype=float) for part in parts], axis=1), [place for part in parts for place in part[name]["chosen"]])
        for name in parts[0]
    }


def run_seed(seed, run):
    return np.random.default_rng([seed, run])


def split(rows, train, random):
    """`train` random rows to learn from, the others to test."""
    order = random.permutation(rows)
    return order[:train], order[train:]


def balanced_split(y, train, random):
    """As many training rows of each class; the others are for the test."""
    y = np.asarray(y)
    members = [random.permutation(np.flatnonzero(y == value)) for value in np.unique(y)]
    each = [train // len(members) + (place < train % len(members)) for place in range(len(members))]
    chosen = np.concatenate([rows[:count] for rows, count in zip(members, each)])
    return random.permutation(chosen), np.concatenate([rows[count:] for rows, count in zip(members, each)])


def rule_file(name):
    return (pathlib.Path(__file__).parent / "rules" / f"{name}.rules").read_text()


def rules_digest():
    texts = [path.read_bytes() for path in sorted((pathlib.Path(__file__).parent / "rules").glob("*.rules"))]
    return hashlib.sha256(b"".join(texts)).hexdigest()


def statements(text):
    """What a rule file says besides its rules: domains, kinds, names."""
    return "\n".join(line for line in text.splitlines() if "=>" not in line and line.split("#")[0].strip()) + "\n"


def rules_about(text, name, keep=lambda rule: True):
    """The rules of a file about one class, with its other statements."""
    return statements(text) + "\n".join(str(rule) for rule in rules.parse(text) if rule.says == name and keep(rule)) + "\n"
