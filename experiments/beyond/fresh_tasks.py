"""Questions with rules that people wrote without looking at the data, and two that are generated: what the default learner is judged on."""

import dataclasses
import functools

import numpy as np
import pandas as pd

from postil import datasets, rules

from .. import data, trials
from ..annie2010 import templates


@dataclasses.dataclass
class Fresh:
    """One yes/no question: rows, labels +1 and -1, rules about `says`; how its rows are drawn and seen."""

    X: pd.DataFrame
    y: np.ndarray
    says: str  # the class whose question it is, as the rules call it
    advice: str
    balanced: bool = False  # as many rows of each class are drawn to learn from
    scaled: bool = True  # columns of numbers, to mean 0 and variance 1
    sparse: bool = False  # columns stay as they are

    def encoded(self):
        """Rows as a learner sees them: numbers (standardised if so wished, missing ones at the mean), and 0/1 for categories."""
        parts = []
        for name in self.X.columns:
            column = self.X[name]
            if column.dtype.kind in "OSU" or str(column.dtype) in ("str", "string", "category"):
                parts.append(np.stack([(column == value).to_numpy(float) for value in sorted(column.dropna().unique())], axis=1))
                continue
            values = column.to_numpy(float)
            values = np.where(np.isnan(values), np.nanmean(values), values)
            if self.scaled and not self.sparse:
                values = (values - values.mean()) / (values.std() or 1)
            parts.append(values[:, None])
        return np.concatenate(parts, axis=1)

    def labels(self):
        """As the rules call them."""
        others = sorted({rule.says for rule in rules.parse(self.advice)} - {self.says}) or ["other"]
        return np.where(self.y > 0, self.says, others[0])

    @functools.cached_property
    def votes(self):
        """+1 or -1 where a rule holds and speaks for or against `says`, else 0: (rows, rules)."""
        signs = np.array([(1 if rule.says == self.says else -1) * (-1 if rule.negated else 1) for rule in rules.parse(self.advice)], dtype=float)
        return rules.holds(self.advice, self.X, self.labels()) * signs

    def draw(self, rows, tested, random):
        """Rows to learn from, in their order, rows to be tested on (more where one class is rare), and the others."""
        y, n = self.y, len(self.y)
        train = min(rows, int(0.6 * n))
        tested = 4 * tested if np.mean(y > 0) < 0.02 and not self.balanced else tested
        if self.balanced:
            sides = [random.permutation(np.flatnonzero(y * sign > 0)) for sign in (1, -1)]
            each = min(train // 2, int(0.6 * len(sides[0])))
            learned, rest = random.permutation(np.r_[sides[0][:each], sides[1][:each]]), np.r_[sides[0][each:], sides[1][each:]]
        else:
            order = random.permutation(n)
            learned, rest = order[:train], order[train:]
        rest = random.permutation(rest)
        return learned, rest[:tested], rest[tested:]

    def task(self, metric):
        """For a contest of learners."""
        return trials.Task(self.X, self.labels(), self.says, self.advice, "standard" if self.scaled and not self.sparse else "none", "mean", metric)


def _binary(X, y, says, advice, value=None, **more):
    named = "\n".join(line for line in advice.splitlines() if not line.startswith("class ")) + "\n"  # labels are called as rules call them
    return Fresh(X.reset_index(drop=True), np.where(np.asarray(y) == (value or says), 1.0, -1.0), says, named, **more)


def diabetes():
    X, y = data.pima()
    return _binary(X, y, "diabetes", trials.rule_file("diabetes"), "1")


def synthetic(seed=0):
    X, y = datasets.make("synthetic", rows=4000, seed=seed, spread=1.3)
    return _binary(X, y, "positive", trials.rule_file("synthetic"))


def lineage(name, real=False, **more):
    X, y = data.sitvit2(0) if real else data.simulated_isolates(8000, 0)
    return _binary(X, y, name, trials.rules_about(trials.rule_file("tuberculosis"), name), **more)


def digits():
    X, y = data.usps((5, 8))
    return _binary(X, y, "5", "domain p1..p256 in [0, 1]\n" + templates.rules(5, 8, 10, 0.35, 0), scaled=False)


def adult():
    X, y = data.adult()
    keep = np.random.default_rng(0).permutation(len(X))[:8000]
    return _binary(X.drop(columns="fnlwgt").iloc[keep], y.iloc[keep], ">50K", trials.rule_file("adult"))


def german():
    table = data.read("uci/german.csv")
    return _binary(table.drop(columns="label"), table["label"].astype(str), "bad", trials.rule_file("german"), "2")


def wisconsin():
    table = data.read("uci/wisconsin.csv").replace("?", np.nan)
    return _binary(table.drop(columns=["label", "id"]).astype(float), table["label"].astype(str), "malignant", trials.rule_file("wisconsin"), "1")


def heart():
    table = data.read("uci/heart_statlog.csv")
    return _binary(table.drop(columns="label").astype(float), table["label"].astype(str), "disease", trials.rule_file("heart"), "1")


def recurrence():
    table = data.read("uci/breast_cancer_ljubljana.csv").replace("?", np.nan)
    return _binary(table.drop(columns="label"), table["label"], "recurrence-events", trials.rule_file("recurrence"))


def promoters():
    X, y = data.promoters()
    return _binary(X, y, "promoter", trials.rule_file("promoters"), "1")


def mushrooms():
    table = data.read("mushroom/mushroom.csv")
    return _binary(table.drop(columns="class"), table["class"], "poisonous", trials.rule_file("mushroom"))


def splice(junction):
    table = data.read("splice/splice.csv")
    return _binary(table.drop(columns="junction"), table["junction"], junction, trials.rule_file("splice"))


def frauds(rows=20000, seed=0):
    """1 % positives; one rule, right on about 85 % of what it names, and F1 about .78 as written."""
    random = np.random.default_rng([seed, 1])
    y = random.random(rows) < 0.01
    amount = np.exp(random.normal(np.where(y, 6.9, 3.8), np.where(y, 0.45, 1.0)))
    hour = np.where(y & (random.random(rows) < 0.85), random.integers(0, 6, rows), random.integers(6, 24, rows)) % 24
    abroad = random.random(rows) < np.where(y, 0.87, 0.3)
    more = random.normal(size=(rows, 8)) + np.outer(y, np.linspace(0, 0.8, 8))
    X = pd.DataFrame({"amount": amount.round(2), "hour": hour, "abroad": abroad.astype(int), "device": random.choice(list("abcde"), rows)})
    night = ~y & (random.random(rows) < 0.2)
    X.loc[night, "hour"] = random.integers(0, 6, int(night.sum()))
    for k in range(8):
        X[f"m{k + 1}"] = more[:, k].round(4)
    return Fresh(X, np.where(y, 1.0, -1.0), "fraud", "night: amount >= 340 and hour < 6 and abroad = 1 => fraud\n")


def keywords(rows=6000, words=2000, count=100, seed=0):
    """Messages of some 25 of 2,000 words; 100 overlapping rules of one to three words, right in 55 to 95 % of what they name."""
    random = np.random.default_rng([seed, 2])
    y = np.where(random.random(rows) < 0.4, 1.0, -1.0)
    often = np.minimum(0.4, 4.0 / np.arange(10, words + 10))
    telling = np.zeros(words)
    chosen = random.choice(words // 2, 240, replace=False)
    telling[chosen] = random.normal(0, 1.1, 240)
    odds = np.log(often / (1 - often)) + np.outer(y, telling / 2) * 1.0
    X = (random.random((rows, words)) < 1 / (1 + np.exp(-odds))).astype(float)
    lines = []
    by_strength = chosen[np.argsort(-np.abs(telling[chosen]))]
    for k in range(count):
        mine = random.choice(by_strength[:160], random.integers(1, 4), replace=False)
        signs = np.sign(telling[mine])
        says = "spam" if signs.sum() > 0 or (signs.sum() == 0 and k % 2) else "not spam"
        names = ", ".join(f"w{j + 1}" for j in sorted(mine))
        lines.append(f"k{k + 1}: any({names}) => {says}" if random.random() < 0.75 or len(mine) == 1 else f"k{k + 1}: all({names}) => {says}")
    frame = pd.DataFrame(X, columns=[f"w{j + 1}" for j in range(words)])
    return Fresh(frame, y, "spam", "\n".join(lines) + "\n", sparse=True)


def circle(rows=4000, seed=0):
    """Rules about boxes inside and outside a circle: each is right, and no hyperplane obeys them all."""
    random = np.random.default_rng([seed, 3])
    X = pd.DataFrame(random.uniform(-2, 2, size=(rows, 2)), columns=["a", "b"])
    y = np.where((X**2).sum(axis=1) < 1.2, 1.0, -1.0)
    sides = "".join(f"{name} => not inside\n" for name in ("a <= -1.2", "a >= 1.2", "b <= -1.2", "b >= 1.2"))
    return Fresh(X, y, "inside", "a between -0.7 and 0.7 and b between -0.7 and 0.7 => inside\n" + sides)


def corners(rows=4000, seed=0):
    """Opposite corners belong together: one rule for each corner."""
    random = np.random.default_rng([seed, 4])
    X = pd.DataFrame(random.normal(size=(rows, 6)), columns=[f"x{k}" for k in range(1, 7)])
    y = np.where((X.x1 > 0) == (X.x2 > 0.3), 1.0, -1.0)
    y = np.where(random.random(rows) < 0.05, -y, y)
    rules_ = "".join(f"x1 {a} 0 and x2 {b} 0.3 => {'same' if (a == '>') == (b == '>') else 'not same'}\n" for a in "<>" for b in "<>")
    return Fresh(X, y, "same", rules_)


TASKS = {
    "diabetes": diabetes,
    "synthetic": synthetic,
    **{f"tb {name}": functools.partial(lineage, name) for name in data.LINEAGES},
    "tb east_african_indian, unscaled": functools.partial(lineage, "east_african_indian", scaled=False),
    "tb indo_oceanic, unscaled": functools.partial(lineage, "indo_oceanic", scaled=False),
    "tb africanum, balanced": functools.partial(lineage, "africanum", balanced=True),
    "tb bovis, balanced": functools.partial(lineage, "bovis", balanced=True, scaled=False),
    "strains east_african_indian": functools.partial(lineage, "east_african_indian", real=True),
    "strains euro_american": functools.partial(lineage, "euro_american", real=True, scaled=False),
    "usps 5v8": digits,
    "adult": adult,
    "german": german,
    "wisconsin": wisconsin,
    "heart": heart,
    "recurrence": recurrence,
    "promoters": promoters,
    "mushrooms": mushrooms,
    "splice EI": functools.partial(splice, "EI"),
    "splice IE": functools.partial(splice, "IE"),
    "frauds": frauds,
    "keywords": keywords,
    "circle": circle,
    "corners": corners,
}
