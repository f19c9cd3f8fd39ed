"""What an experiment is: settings, work, a table of results, a picture, and what the paper says of the same numbers."""

import csv
import pathlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from . import data, lab, trials

PAPERS = {
    "ecml2010": "Kunapuli, Bennett, Shabbeer, Maclin and Shavlik, *Online Knowledge-Based Support Vector Machines*, ECML 2010",
    "annie2010": "Kunapuli, Bennett, Maclin and Shavlik, *The Adviceptron: Giving Advice to the Perceptron*, ANNIE 2010",
    "acml2010": "Momma, Hatano and Nakayama, *Ellipsoidal Support Vector Machines*, ACML 2010",
    "lecture": "the lecture on the perceptron and its mistake bounds",
    "beyond": "beyond the papers",
}

# What pages and pictures call a task; any other goes by its own name.
TITLES = {
    "east_asian": "East-Asian",
    "east_african_indian": "East-African-Indian",
    "euro_american": "Euro-American",
    "indo_oceanic": "Indo-Oceanic",
    "africanum": "M. africanum",
    "bovis": "M. bovis",
}
ONE_CLASS = "one class only"  # in the place of a learner: always the more frequent class of the training rows


def title_of(task):
    return re.sub(rf"\b({'|'.join(TITLES)})\b", lambda name: TITLES[name[0]], str(task))


COLUMNS = ["task", "learner", "quantity", "at", "mean", "se", "runs"]


@dataclass
class Results:
    """Numbers, one a row, and what else the page shows."""

    table: pd.DataFrame  # COLUMNS
    paired: pd.DataFrame | None = None  # task, a, b, at, mean, se, p
    told: list[str] = field(default_factory=list)  # sentences computed from this run
    extra: dict[str, Any] = field(default_factory=dict)  # for the picture
    wide: bool = False  # a table with learners across, as papers print it
    tables: list[tuple] = field(default_factory=list)  # more of them: title, a sentence, header, rows of text

    def row(self, task, learner, at=None, quantity="error"):
        """The last of these; None: there is none."""
        found = self.table[(self.table.task == task) & (self.table.learner == learner) & (self.table.quantity == quantity)]
        if at is not None:
            found = found[found["at"] == at]
        return found.iloc[-1] if len(found) else None

    def value(self, task, learner, at=None, quantity="error"):
        row = self.row(task, learner, at, quantity)
        if row is None:
            raise KeyError(f"no {quantity} of {learner} on {task} at {at}")
        return float(row["mean"])


@dataclass
class Experiment:
    """One figure or table.

    `settings` are the full protocol and are printed on the page; `quick` replaces some of them for a run of seconds.
    """

    name: str
    paper: str  # a key of PAPERS
    figure: str  # "Figure 2(b)"
    title: str
    settings: dict[str, Any]
    quick: dict[str, Any]
    jobs: Callable[[dict], list]  # settings -> work for the lab
    report: Callable[[dict, dict], Results]  # settings, what the lab did -> results
    draw: Callable[[dict, Results], Any] | None  # a matplotlib figure; None: its table says more than a picture
    check: Callable[[dict, Results], None]  # raises AssertionError if the shape is not there
    about: str  # what it shows, in two or three sentences
    assumed: list[str]  # what the paper leaves open, and what was taken
    why: list[str] = field(default_factory=list)  # about what does not agree
    needs: list[str] = field(default_factory=list)  # data sets
    gaps: str = ""  # how the allowed gaps were set, for the page

    def chosen_settings(self, quick, **given):
        settings = dict(self.settings)
        if quick:
            settings |= self.quick
        for name, value in given.items():
            if name not in settings:
                raise ValueError(f"{self.name} has no setting {name!r}; it has {', '.join(settings)}")
            check_setting(name, value, settings[name])
        return settings | given

    def expected(self):
        """What the paper says: task, learner, quantity, at, paper, gap."""
        path = pathlib.Path(__file__).parent / self.paper / "expected.csv"
        if not path.exists():
            return []
        with open(path, newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["experiment"] == self.name]
        for row in rows:
            row["paper"], row["gap"] = float(row["paper"]), float(row["gap"])
            row["at"] = float(row["at"]) if row["at"] else None
        return rows

    def variants(self, results):
        """Panels that stand beside those of the paper: what is added to the task's name."""
        bases = {row["task"] for row in self.expected()}
        parts = [str(task).partition(", ") for task in dict.fromkeys(results.table.task)]
        return list(dict.fromkeys(comma + variant for task, comma, variant in parts if task in bases and comma))

    def agreement(self, results, variant=""):
        """The rows of `expected` with ours beside them: ours, se, agrees; easy: why a value that agrees could hardly do otherwise, or nothing."""
        rows = []
        for row in self.expected():
            found = results.row(row["task"] + variant, row["learner"], row["at"], row["quantity"])
            if found is not None:
                ours = float(found["mean"])
                agrees = abs(ours - row["paper"]) <= row["gap"] + 1e-12
                rows.append(row | {"ours": ours, "se": float(found["se"]), "agrees": agrees, "easy": self._easy(row, results) if agrees else ""})
        return rows

    def _easy(self, row, results):
        constant = results.row(row["task"], ONE_CLASS, quantity=row["quantity"])
        learner = self.settings["learners"].get(row["learner"]) if isinstance(self.settings.get("learners"), dict) else None
        if row["paper"] <= row["gap"]:
            return "the published error is not above the gap"
        if row["at"] == 1 and learner is not None and learner.from_zero:
            return "after one example all learners that start from zero predict almost alike"
        if row["at"] == 1 and constant is None:  # of a curve: what learners that start from zero predict before any example
            constant = next((found for name, each in (self.settings.get("learners") or {}).items() if each.from_zero and (found := results.row(row["task"], name, 0, row["quantity"])) is not None), None)
        if constant is not None and abs(float(constant["mean"]) - row["paper"]) <= row["gap"]:
            return "always predicting one class agrees too"
        return ""


# ---- tables from what the lab did ----


def mean_and_error(values):
    known = np.asarray(values, dtype=float)
    known = known[~np.isnan(known)]
    return float(known.mean()) if len(known) else float("nan"), float(known.std(ddof=1) / np.sqrt(len(known))) if len(known) > 1 else float("nan"), len(known)


def curve_rows(task, curves, quantity="error"):
    return [(task, name, quantity, at, *mean_and_error(values[place])) for name, (places, values, _) in curves.items() for place, at in enumerate(places)]


def table(rows):
    return pd.DataFrame(rows, columns=COLUMNS)


def paired(task, curves, pairs, places):
    """Student's t on the differences a - b, run by run."""
    rows = []
    for a, b in pairs:
        for at in places:
            if at not in curves[a][0] or at not in curves[b][0]:
                continue
            difference = curves[a][1][curves[a][0].index(at)] - curves[b][1][curves[b][0].index(at)]
            mean, error, _ = mean_and_error(difference)
            if len(difference) < 2 or (mean != 0 and error <= 1e-9 * abs(mean)):
                p = float("nan")  # all differences alike: nothing to test by
            else:
                p = 1.0 if error == 0 else 2 * float(stats.t.sf(abs(mean) / error, len(difference) - 1))
            rows.append((task, a, b, at, mean, error, p))
    return pd.DataFrame(rows, columns=["task", "a", "b", "at", "mean", "se", "p"])


def chosen_text(learner, chosen):
    """Which points of its grid a learner chose, most often first."""
    points = learner.points()
    counts = pd.Series(chosen).value_counts()
    shown = [", ".join(f"{name}={value:g}" if isinstance(value, (int, float)) else f"{name}={value}" for name, value in points[place].items()) + f" ({times}×)" for place, times in counts.items()]
    more = len(shown) - 3
    return "; ".join(shown[:3]) + (f"; {more} other{'s' if more > 1 else ''}" if more > 0 else "")


def check_setting(name, value, usual):
    """Throws ValueError if a value given on the command line cannot stand for the usual one."""
    numbers = isinstance(value, list) and len(value) > 0 and all(type(each) in (int, float) for each in value)
    if value is None and name == "rows":
        good, expected = True, ""  # all of them
    elif isinstance(usual, int) or usual is None:
        least = 0 if name == "seed" else 2 if "folds" in name else 1
        good, expected = type(value) is int and value >= least, f"a whole number from {least}"
    elif isinstance(usual, float):
        good, expected = type(value) in (int, float) and value > 0, "a number above 0"
    elif isinstance(usual, list) and isinstance(usual[0], str):
        good, expected = isinstance(value, list) and len(value) > 0 and set(value) <= set(usual), f"a list of some of {', '.join(usual)}"
    elif isinstance(usual, list) and name == "checkpoints":
        good, expected = numbers and sorted(set(value)) == value and value[0] >= 0, "a list of rising numbers, as [0, 10, 100]"
    elif isinstance(usual, list):
        good, expected = numbers, "a list of numbers, as [1, 2, 3]"
    else:
        good, expected = False, "what the source has there: learners are not given on the command line"
    if not good:
        raise ValueError(f"setting {name} is {value!r}, expected {expected}")


@dataclass
class Done:
    """A run: what it was given, what it found, and how."""

    settings: dict[str, Any]
    results: Results
    seconds: float  # of work, also that done before
    days: list[str]
    machines: list[str]
    quick: bool
    given: dict[str, Any]  # settings that are not the protocol's


def run(experiment, quick=False, folder=None, fresh=False, meter=None, **given):
    settings = experiment.chosen_settings(quick, **given)
    place = lab.Lab(experiment.name + ("-quick" if quick else ""), folder, fresh, meter, [data.digest(name) for name in experiment.needs] + [trials.rules_digest()])
    results = experiment.report(settings, place.do(experiment.jobs(settings)))
    return Done(settings, results, place.seconds, sorted(place.days), sorted(place.machines), quick, given)
