"""Rules: reading, examining and printing an expert's advice. The language: docs/rules.md."""

from __future__ import annotations

import dataclasses
import html
import json
import os
import re
import warnings
from typing import Any

from . import _errors, _postil
from ._rule_builder import BuiltRule, all_of, any_of, at_least, col, count, less, more, none_of, not_
from ._rules_from_trees import from_tree
from ._told import Told, table

__all__ = ["Rule", "Rules", "RuleCheck", "parse", "check", "holds", "fmt", "col", "at_least", "count", "any_of", "all_of", "none_of", "more", "less", "not_", "from_json", "from_table", "from_list", "from_tree", "to_json", "to_sql", "to_english"]


_RULE = re.compile(r"=>|->|⇒|→|\n|\bthen\b", re.IGNORECASE)  # in a rule, not in the name of a file


@dataclasses.dataclass(frozen=True)
class Rule:
    """One rule as written."""

    id: str
    line: int
    condition: str
    says: str
    negated: bool
    sure: float | None
    trust: float
    margin: float
    text: str

    def __str__(self):
        return self.text


class Rules(list):
    """The rules of a text, with the text itself."""

    def __init__(self, rules, text, source):
        super().__init__(rules)
        self.text = text
        self.source = source

    def __str__(self):
        return self.text

    def _repr_html_(self):
        return table(["rule", "condition", "says"], [[r.id, r.condition, ("not " if r.negated else "") + r.says] for r in self])


class RuleCheck(Told):
    """What `postil rules check --json` tells, and its text."""

    def _repr_html_(self):
        columns = [name for name in ("id", "text", "class", "covered", "agreed", "precision", "base_rate", "lift", "verdict") if self["rules"] and name in self["rules"][0]]
        shown = table(columns, [[rule[name] for name in columns] for rule in self["rules"]])
        if self["together"]:
            together = next(line for line in str(self).splitlines() if line.startswith("together"))
            shown += f"<p>{html.escape(together)}</p>"
        return shown + "".join(f"<p>{html.escape(problem)}</p>" for problem in self["problems"])


def read(advice: Any) -> tuple[str, str]:
    """Text and name of advice given as text, as a list of rules, or as a file."""
    if isinstance(advice, Rules):
        return advice.text, advice.source
    if isinstance(advice, BuiltRule):
        return str(advice), "advice"
    if isinstance(advice, os.PathLike):
        return _file(os.fspath(advice))
    if isinstance(advice, str):
        if _RULE.search(advice) or not advice.strip():
            return advice, "advice"
        if os.path.exists(advice):
            return _file(advice)
        raise _errors.ParseError(f"advice={advice!r} is neither a rule (condition => class) nor a file")
    try:
        return "\n".join(str(rule) for rule in advice), "advice"
    except TypeError:
        raise _errors.ParamError(f"advice is a text, a list of rules or the path of a file, not {type(advice).__name__}") from None


def _file(path):
    with open(path, encoding="utf-8") as file:
        return file.read(), path


def parse(advice: Any) -> Rules:
    """Rules from text, a list of lines or a file.

    Raises ParseError, which shows every mistake with its line and column.

    >>> parse("risk: glucose >= 126 and bmi >= 30 => diabetes")[0].condition
    'glucose >= 126 and bmi >= 30'
    """
    text, source = read(advice)
    rules = [Rule(**{("says" if key == "class" else key): value for key, value in entry.items()}) for entry in _postil.parse_rules(text, source)]
    return Rules(rules, text, source)


def fmt(advice: Any) -> str:
    """The rules in canonical form; parsing it gives the same rules.

    >>> print(fmt("a>=1 and(b<2)=>yes"), end="")
    a >= 1 and b < 2 => yes
    """
    text, source = read(advice)
    return _postil.format_rules(text, source)


def check(advice: Any, X: Any = None, y: Any = None) -> RuleCheck:
    """Examines rules: conflicts, whether one hyperplane can obey them all and, on data, coverage and accuracy.

    Parameters
    ----------
    advice : str, list of str, or path
        The rules.
    X : frame or array, optional
        Data that the rules are about, in raw units.
    y : array, or name of a column of X, optional
        Labels.

    Returns
    -------
    RuleCheck
        A dict as `postil rules check --json` prints it; its text is the table of the command.
    """
    text, source = read(advice)
    rows = None if X is None else _rows_of(X, y, _about_numbers(text, source))
    texts = [_postil.check_rules(text, source, rows, {"missing": "mean"}, json_wanted) for json_wanted in (True, False)]
    return RuleCheck(json.loads(texts[0]), texts[1])


def holds(advice: Any, X: Any, y: Any = None) -> Any:
    """Whether each rule holds on each row, exactly as written: a boolean array of shape (rows, rules).

    Its columns can stand beside those of X in any other program. `y` is needed only where rules name classes by their sign.

    >>> import pandas
    >>> holds(["age >= 60 => ill", "fever < 36 => well"], pandas.DataFrame({"age": [70, 50], "fever": [35, 37]}))
    array([[ True,  True],
           [False, False]])
    """
    text, source = read(advice)
    return _postil.rules_that_hold(text, source, _rows_of(X, y, _about_numbers(text, source)), {"missing": "mean"})


def _about_numbers(text, source):
    """Whether the rules say how large a number is, not of what class a row is."""
    said = [statement["then"] for statement in json.loads(_postil.rules_to("json", text, source)[0])["statements"] if "then" in statement]
    return any("compare" in then or "between" in then for then in said)


def _rows_of(X, y, numbers):
    import numpy as np

    from . import _data
    from ._labels import Classes, distinct

    X, y, _ = _data.whole(X, y, numbers)
    rows = _data.rows_of(X)
    if y is not None and numbers:
        rows.set_labels(np.ascontiguousarray(y, dtype=np.float64), [])
    elif y is not None:
        values, codes = distinct(np.asarray(y))
        rows.set_labels(codes, Classes(values.tolist()).texts())
    return rows


# ---- other forms ----


def _as_text(given: Any) -> tuple[str, str]:
    if isinstance(given, os.PathLike) or (isinstance(given, str) and "\n" not in given and os.path.exists(given)):
        return _file(os.fspath(given))
    return given, "text"


def from_json(given: Any) -> Rules:
    """Rules from a JSON document (docs/rules.md, "As JSON"): its text, a file, or the dict it stands for."""
    text, source = (json.dumps(given), "json") if isinstance(given, dict) else _as_text(given)
    return parse(_postil.rules_from("json", text, source))


def from_table(given: Any) -> Rules:
    """Rules from a table of column, operator, value, class, and perhaps rule, sure, trust: a frame, the text of a CSV file, or a file.

    >>> print(from_table("column,operator,value,class\\nglucose,>=,126,diabetes"))
    glucose >= 126 => diabetes
    """
    text, source = (given.to_csv(index=False), "table") if hasattr(given, "to_csv") else (given.write_csv(), "table") if hasattr(given, "write_csv") else _as_text(given)
    return parse(_postil.rules_from("table", text, source).rstrip("\n"))


def from_list(given: Any, *, unordered: bool = False) -> Rules:
    """Rules from a decision list as Weka's PART and JRip print it: its text, or a file.

    A rule of a list is for rows that none before it is for. `unordered`: each as if it stood alone.
    """
    text, source = _as_text(given)
    return parse(_postil.rules_from("list", text, source, unordered))


def to_json(advice: Any) -> str:
    """The rules as a JSON document (docs/rules.md, "As JSON")."""
    return _postil.rules_to("json", *read(advice))[0]


def to_sql(advice: Any) -> str:
    """The rules as a CASE expression of SQL, which takes the first that holds; NULL where none does. Warns of what it cannot say."""
    text, notes = _postil.rules_to("sql", *read(advice))
    for note in notes:
        warnings.warn(note, stacklevel=2)
    return text


def to_english(advice: Any) -> str:
    """The rules as sentences.

    >>> print(to_english("risk [sure = 80%]: glucose >= 126 and smoker => diabetes"), end="")
    risk: if glucose is at least 126 and smoker, then diabetes. This is right in 80 of 100 cases.
    """
    return _postil.rules_to("english", *read(advice))[0]
