"""Reads, examines, applies and prints rules: what experts say of data, in the names and units of its columns."""

from __future__ import annotations

import json
import os
from typing import Any

from . import _errors, _postil, _views
from ._rule_builder import all_of, any_of, at_least, col, count, less, more, none_of, not_
from ._rules import Rule, Rules, file_text, parse, read, rows_of
from ._rules_from_trees import from_tree
from ._told import Told
from ._warn import warn

__all__ = ["Rule", "Rules", "RuleCheck", "Repairs", "Suggestions", "parse", "check", "repair", "suggest", "holds", "fmt", "col", "at_least", "count", "any_of", "all_of", "none_of", "more", "less", "not_", "from_json", "from_table", "from_list", "from_tree", "to_json", "to_sql", "to_english"]


class RuleCheck(Told):
    """What is found out about rules: a dict with the names of `postil rules check --json`; its text is that of the command."""

    def _repr_html_(self) -> str:
        return _views.check_view(self, self._notes)


def fmt(advice: Any) -> str:
    """Writes the rules in canonical form; parsing it gives the same rules.

    >>> print(fmt("a>=1 and(b<2)=>yes"), end="")
    a >= 1 and b < 2 => yes
    """
    text, source = read(advice)
    return _postil.format_rules(text, source)


def check(advice: Any, X: Any = None, y: Any = None, *, worth: bool = False, labels: int = 200, runs: int = 20, seed: int = 0) -> RuleCheck:
    """Examines rules: conflicts, whether a linear model can follow them all and, on data, coverage and accuracy.

    Parameters
    ----------
    advice : Rules, str, list of str, or path
        The rules.
    X : frame or array, optional
        Data that the rules are about, in raw units.
    y : array, or name of a column of X, optional
        Labels. None, NaN and pandas.NA stand for a row without one.
    worth : bool
        Also find out how many labels the rules are worth, and the error without each of them: by learning from at most `labels` rows, with the rules and without, `runs` times from other rows.

    Returns
    -------
    RuleCheck
        A dict with the names of `postil rules check --json`, the command's text, and a table in notebooks.

    Examples
    --------
    >>> print(check(["low: a >= 1 => yes", "high: a >= 2 => not yes"]))
    rule  says     sets
    low   yes      1
    high  not yes  1
    rules that contradict each other:
      low and high meet at a = 2
    yes: no linear model can follow all rules at once, nor these alone: low, high
    <BLANKLINE>
    """
    rules = parse(advice)
    options = None
    if worth:
        if X is None or y is None:
            raise _errors.ParamError("worth=True needs X and y")
        if labels < 2 or runs < 2:
            raise _errors.ParamError(f"labels={labels!r}, runs={runs!r}; expected at least 2 of each")
        options = _postil.WorthOptions(labels, runs, seed)
    told, text, notes = _postil.check_rules(rules.text, rules.source, None if X is None else rows_of(rules, X, y), {"missing": "mean"}, options)
    return RuleCheck(json.loads(told), text, notes)


class Repairs(Told):
    """What labelled rows say rules should have been: a dict with the names of `postil rules repair --json`; its text is that of the command.

    >>> import numpy as np, pandas
    >>> random = np.random.default_rng(0)
    >>> heat = random.uniform(20, 60, 400).round()
    >>> found = repair("stop: heat >= 50 => broken", pandas.DataFrame({"heat": heat}), np.where(heat >= 42, "broken", "fine"))
    >>> print(found.apply(1), end="")
    stop: heat >= 42 => broken
    """

    def __init__(self, found: Any):
        super().__init__(json.loads(found.json), found.text)
        self._found = found

    def apply(self, *numbers: int) -> Rules:
        """The rules with these proposals accepted, by their numbers from 1; without numbers, with all."""
        return parse(self._found.apply(list(numbers) or [entry["number"] for entry in self["repairs"]]))

    def _repr_html_(self) -> str:
        return _views.repairs_view(self)


def repair(advice: Any, X: Any, y: Any, seed: int = 0) -> Repairs:
    """Looks for what rules should have been, according to labelled rows: another number in a comparison, a condition to drop, one more condition.

    Nothing is proposed that chance explains: where labels have nothing to do with the columns, fewer than one set of rules in twenty gets a proposal.

    Parameters
    ----------
    advice : Rules, str, list of str, or path
        The rules; they are not changed.
    X : frame or array
        Rows, in raw units.
    y : array, or name of a column of X
        Labels.
    seed : int
        Of the permutations that tell chance from evidence.

    Returns
    -------
    Repairs
        `numbers`: each comparison, the number that fits best, its interval and the rule's record for other numbers (a curve). `repairs`: the proposals; `apply` accepts some.
    """
    rules = parse(advice)
    return Repairs(_postil.repair_rules(rules.text, rules.source, rows_of(rules, X, y), {"missing": "mean"}, seed))


class Suggestions(Told):
    """Short rules that labelled rows support: a dict with the names of `postil rules suggest --json`; its text is a file of rules."""

    @property
    def rules(self) -> Rules:
        """The rules found, what adds most first."""
        return parse(str(self))


def suggest(X: Any, y: Any, advice: Any = None, n: int = 10, conditions: int = 3, seed: int = 0) -> Suggestions:
    """Looks for short rules that labelled rows support and that the given rules do not already say.

    Rules are searched for in two thirds of the rows; what is told of them is counted on the other third, which the search has not seen, and rules that it does not confirm are left out.

    Parameters
    ----------
    X : frame or array
        Rows, in raw units.
    y : array, or name of a column of X
        Labels.
    advice : Rules, str, list of str, or path, optional
        Rules at hand.
    n : int
        At most so many rules.
    conditions : int
        At most so many conditions in a rule.
    seed : int
        Of which rows the search does not see.

    Examples
    --------
    >>> import numpy as np, pandas
    >>> random = np.random.default_rng(0)
    >>> heat, noise = random.uniform(20, 60, 900).round(), random.normal(size=900)
    >>> found = suggest(pandas.DataFrame({"heat": heat, "noise": noise}), np.where(heat >= 42, "broken", "fine"), n=2)
    >>> [rule.text for rule in found.rules]
    ['heat >= 42 => broken', 'heat < 42 => fine']
    """
    for name, value, most in (("n", n, 1000), ("conditions", conditions, 5)):
        if not 1 <= value <= most:
            raise _errors.ParamError(f"{name}={value!r}; expected a whole number from 1 to {most}")
    rules = None if advice is None else parse(advice)
    told, text = _postil.suggest_rules(None if rules is None else rules.text, "advice" if rules is None else rules.source, rows_of(rules, X, y), {"missing": "mean"}, n, conditions, seed)
    return Suggestions(json.loads(told), text)


def holds(advice: Any, X: Any, y: Any = None) -> Any:
    """Tells whether each rule holds on each row: `Rules.apply` as a dense array, for many columns of another program.

    >>> import pandas
    >>> holds(["age >= 60 => ill", "fever < 36 => well"], pandas.DataFrame({"age": [70, 50], "fever": [35, 37]}))
    array([[ True,  True],
           [False, False]])
    """
    return parse(advice).apply(X, y).toarray()


# ---- other forms ----


def _as_text(given: Any) -> tuple[str, str]:
    if isinstance(given, os.PathLike) or (isinstance(given, str) and "\n" not in given and os.path.exists(given)):
        return file_text(os.fspath(given))
    return given, "text"


def from_json(given: Any) -> Rules:
    """Reads rules from a JSON document that `to_json` wrote: its text, a file, or the dict it stands for."""
    text, source = (json.dumps(given), "json") if isinstance(given, dict) else _as_text(given)
    return parse(_postil.rules_from("json", text, source))


def from_table(given: Any) -> Rules:
    """Reads rules from a table of column, operator, value, class, and perhaps rule, sure, trust: a frame, the text of a CSV file, or a file.

    >>> print(from_table("column,operator,value,class\\nglucose,>=,126,diabetes"))
    glucose >= 126 => diabetes
    """
    text, source = (given.to_csv(index=False), "table") if hasattr(given, "to_csv") else (given.write_csv(), "table") if hasattr(given, "write_csv") else _as_text(given)
    return parse(_postil.rules_from("table", text, source).rstrip("\n"))


def from_list(given: Any, *, unordered: bool = False) -> Rules:
    """Reads rules from a decision list as Weka's PART and JRip print it: its text, or a file.

    A rule of a list is for rows that none before it is for. `unordered`: each as if it stood alone.
    """
    text, source = _as_text(given)
    return parse(_postil.rules_from("list", text, source, unordered))


def to_json(advice: Any) -> str:
    """Writes the rules as a JSON document."""
    return _postil.rules_to("json", *read(advice))[0]


def to_sql(advice: Any) -> str:
    """Writes the rules as a CASE expression of SQL, which takes the first that holds; NULL where none does. Warns of what it cannot say."""
    text, notes = _postil.rules_to("sql", *read(advice))
    if notes:
        warn("\n".join(notes))
    return text


def to_english(advice: Any) -> str:
    """Writes the rules as sentences.

    >>> print(to_english("risk [sure = 80%]: glucose >= 126 and smoker => diabetes"), end="")
    risk: if glucose is at least 126 and smoker, then diabetes. This is right in 80 of 100 cases.
    """
    return _postil.rules_to("english", *read(advice))[0]
