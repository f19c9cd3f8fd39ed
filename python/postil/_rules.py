"""Rules as objects: read once, never changed."""

from __future__ import annotations

import dataclasses
import difflib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Union, overload

from . import _data, _errors, _postil
from ._rule_builder import BuiltRule
from ._views import rules_view

if TYPE_CHECKING:
    import scipy.sparse

_RULE = re.compile(r"=>|->|⇒|→|\n|\bthen\b", re.IGNORECASE)  # in a rule, not in the name of a file


@dataclasses.dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes
    ----------
    id : str
        Its name, or "line 3" if it has none.
    line : int
        Where it begins in the text of its rules, from 1.
    condition : str
        Where it holds, in canonical form.
    says : str
        The class, or what it says of a number.
    negated : bool
        Whether it says "not" of the class.
    sure : float or None
        On what share of the rows where it holds it is right, if its author said so.
    trust, margin : float
        What the papers' learners take them for.
    text : str
        The rule as it was typed.
    """

    id: str
    line: int
    condition: str
    says: str
    negated: bool
    sure: float | None
    trust: float
    margin: float
    text: str

    def __str__(self) -> str:
        return self.text


class _Piece(NamedTuple):
    """A statement with the comments that belong to it, or comments that belong to none."""

    text: str
    stated: str  # without comments
    rule: Rule | None


class Rules(Sequence[Rule]):
    """Rules, to be looked at, selected, joined and applied; they never change.

    A sequence of `Rule`. Two are equal if they state the same, whatever their layout and comments. Estimators take them as `advice`.

    Parameters
    ----------
    text : str
        Statements of the rule language.
    source : str
        Its name in messages.

    Examples
    --------
    >>> rules = parse("domain bmi in [10, 70]\\nsugar: glucose >= 126 => ill\\nslim: bmi <= 20 => not ill")
    >>> [rule.id for rule in rules.without("slim")]
    ['sugar']
    >>> print(rules.only("slim") + "age >= 60 => ill", end="")
    domain bmi in [10, 70]
    slim: bmi <= 20 => not ill
    age >= 60 => ill
    """

    __slots__ = ("_pieces", "_rules", "_source", "_text")
    _pieces: tuple[_Piece, ...]
    _rules: tuple[Rule, ...]
    _source: str
    _text: str

    def __init__(self, text: str, source: str = "advice"):
        pieces = tuple(_Piece(whole, stated, _rule(entry)) for whole, stated, entry in _postil.pieces_of_rules(text, source))
        for name, value in (("_text", text), ("_source", source), ("_pieces", pieces), ("_rules", tuple(piece.rule for piece in pieces if piece.rule is not None))):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any = None) -> None:
        raise AttributeError("rules do not change: without(id, ...), only(id, ...) and + give others")

    __delattr__ = __setattr__

    @property
    def text(self) -> str:
        """The statements, as a file of rules has them."""
        return self._text

    @property
    def source(self) -> str:
        """The name of the text in messages."""
        return self._source

    # ---- a sequence of rules ----

    def __len__(self) -> int:
        return len(self._rules)

    @overload
    def __getitem__(self, place: int) -> Rule: ...
    @overload
    def __getitem__(self, place: slice) -> Rules: ...
    def __getitem__(self, place: int | slice) -> Rule | Rules:
        return self._with(set(self._rules[place])) if isinstance(place, slice) else self._rules[place]

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules)

    def _stated(self) -> tuple[str, ...]:
        return tuple(piece.stated for piece in self._pieces if piece.stated)

    def __eq__(self, other: object) -> bool:
        return self._stated() == other._stated() if isinstance(other, Rules) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._stated())

    # ---- others made of these ----

    def _with(self, kept: set[Rule]) -> Rules:
        """Some of the rules, and every other statement."""
        return Rules(_joined(piece for piece in self._pieces if piece.rule is None or piece.rule in kept), self._source)

    def _named(self, names: tuple[str, ...]) -> set[Rule]:
        known = {rule.id: rule for rule in self._rules}
        for name in names:
            if name not in known:
                raise _no_such_rule(name, list(known))
        return {known[name] for name in names}

    def without(self, *ids: str) -> Rules:
        """The other rules. Statements that are no rules (`domain`, `class`, `integer`, `define`) stay."""
        return self._with(set(self._rules) - self._named(ids))

    def only(self, *ids: str) -> Rules:
        """These rules, in the order in which they stand. Statements that are no rules stay."""
        return self._with(self._named(ids))

    def __add__(self, other: Any) -> Rules:
        """These rules and others, which may be text, a list or a file. What both state is stated once."""
        stated = set(self._stated())
        return Rules(_joined([*self._pieces, *(piece for piece in parse(other)._pieces if piece.stated not in stated)]), self._source)

    def __radd__(self, other: Any) -> Rules:
        return parse(other) + self

    # ---- on data ----

    def apply(self, X: Any, y: Any = None) -> scipy.sparse.csr_array:
        """Which rules hold on which rows, exactly as written: a sparse array of truth values, a row for each row of X, a column for each rule.

        Where a value that is needed is missing, a rule does not hold. `not (...)` around its condition tells these rows from
        those on which it is known not to hold.

        Parameters
        ----------
        X : array, sparse matrix, frame, Arrow stream, or path of a Parquet file
            In the units of the rules.
        y : array, or name of a column of X, optional
            Labels; needed only where rules name classes by their sign.

        Examples
        --------
        >>> import pandas
        >>> rules = parse("age >= 60 => ill\\nfever < 36 => well")
        >>> rules.apply(pandas.DataFrame({"age": [70, 50], "fever": [35, 37]})).toarray()
        array([[ True,  True],
               [False, False]])
        """
        import numpy as np
        from scipy.sparse import csr_array

        starts, places = _postil.rules_that_hold(self._text, self._source, rows_of(self, X, y), {"missing": "mean"})
        return csr_array((np.ones(len(places), dtype=bool), places, starts), shape=(len(starts) - 1, len(self)))

    # ---- as text ----

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Rules({self._text!r})"

    def _repr_html_(self) -> str:
        return rules_view(self)

    def __reduce__(self) -> Any:
        return Rules, (self._text, self._source)

    def __copy__(self) -> Rules:
        return self

    def __deepcopy__(self, memo: Any) -> Rules:
        return self


def _joined(pieces: Iterable[_Piece]) -> str:
    return "".join(piece.text for piece in pieces).lstrip("\n")


Advice = Union[Rules, Rule, BuiltRule, str, "os.PathLike[str]", Sequence[Union[str, Rule, BuiltRule]]]
"""Whatever is read as rules."""


def _rule(entry):
    return entry and Rule(**{("says" if key == "class" else key): value for key, value in entry.items()})


def _no_such_rule(name: str, known: list[str]) -> _errors.ParamError:
    near = difflib.get_close_matches(str(name), known, n=1)
    expected = f"one of {', '.join(map(repr, known))}" if known else "there are none"
    error = _errors.ParamError(f"there is no rule {name!r}; " + (f"did you mean {near[0]!r}?" if near else f"expected {expected}" if known else expected))
    error.code, error.subject, error.found, error.expected = "unknown_name", _errors.Subject("rule", str(name)), str(name), expected
    error.remedy = f"did you mean {near[0]!r}?" if near else None
    return error


# ---- as users give them ----


def read(advice: Any) -> tuple[str, str]:
    """Text and name of advice given as rules, as text, as a list of rules, or as a file."""
    if isinstance(advice, Rules):
        return advice.text, advice.source
    if isinstance(advice, (BuiltRule, Rule)):
        return str(advice), "advice"
    if isinstance(advice, os.PathLike):
        return file_text(os.fspath(advice))
    if isinstance(advice, str):
        if _RULE.search(advice) or not advice.strip():
            return advice, "advice"
        if os.path.exists(advice):
            return file_text(advice)
        raise _errors.ParseError(f"advice={advice!r} is neither a rule (condition => class) nor a file")
    try:
        return "\n".join(str(rule) for rule in advice), "advice"
    except TypeError:
        raise _errors.ParamError(f"advice is a text, a list of rules or the path of a file, not {type(advice).__name__}") from None


def file_text(path: str) -> tuple[str, str]:
    with open(path, encoding="utf-8") as file:
        return file.read(), path


def parse(advice: Any) -> Rules:
    """Reads rules: text, a list of lines, Python expressions or the path of a file.

    Raises ParseError, which shows every mistake with its line and column.

    >>> parse("risk: glucose >= 126 and bmi >= 30 => diabetes")[0].condition
    'glucose >= 126 and bmi >= 30'
    """
    return advice if isinstance(advice, Rules) else Rules(*read(advice))


def rows_of(rules: Rules | None, X: Any, y: Any) -> _postil.Rows:
    """Rows with their labels, as these rules understand labels."""
    import numpy as np

    from ._labels import Classes, distinct, known, spread

    numbers = rules is not None and _about_numbers(rules)
    X, y, _ = _data.whole(X, y, numbers)
    rows = _data.rows_of(X)
    if y is None:
        return rows
    labels, there = known(y)
    count = len(labels) if there is None else len(there)
    if count != len(rows):
        raise _errors.DataError(f"y has {count} labels, but X has {len(rows)} rows")
    values, codes = ([], labels.astype(np.float64)) if numbers else distinct(labels)
    codes = spread(codes, there)  # rows without labels count for what needs none
    if numbers or len(values):
        rows.set_labels(np.ascontiguousarray(codes), [] if numbers else Classes(values.tolist()).texts())
    return rows


def _about_numbers(rules):
    """Whether the rules say how large a number is, not of what class a row is."""
    import json

    said = [statement["then"] for statement in json.loads(_postil.rules_to("json", rules.text, rules.source)[0])["statements"] if "then" in statement]
    return any("compare" in then or "between" in then for then in said)
