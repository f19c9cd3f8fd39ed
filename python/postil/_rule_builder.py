"""Rules as Python expressions: col("glucose") >= 126, joined by & | ~, and >> the class. Their repr is the text of a rule file."""

from __future__ import annotations

import copy
import datetime
import math
import re
from typing import Any

from . import _errors

__all__ = ["col", "at_least", "count", "any_of", "all_of", "none_of", "more", "less", "not_", "Columns", "Condition", "BuiltRule"]

_KEYWORDS = {"and", "or", "not", "between", "in", "at", "least", "of", "define"}
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*\Z")
_OR, _AND, _NOT, _ATOM = range(4)  # how tightly a condition binds


def _name(text: str) -> str:
    if _PLAIN.match(text) and text.lower() not in _KEYWORDS:
        return text
    return "`" + text.replace("`", "``") + "`"


def _text(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'


def _word(value: Any) -> str:
    """A category or class."""
    if isinstance(value, datetime.date):
        return _date(value)
    if isinstance(value, str):
        return value if _PLAIN.match(value) and value.lower() not in _KEYWORDS else _text(value)
    return _number(value)


def _date(value: datetime.date) -> str:
    return value.isoformat().removesuffix("T00:00:00")


def _number(value: Any) -> str:
    number = float(value)
    if not math.isfinite(number):
        raise _errors.ParamError(f"{value!r} cannot stand in a rule: expected a finite number")
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


class _Says:
    """What reads as a line of a rule file."""

    _said: str

    def __repr__(self) -> str:
        return self._said

    __str__ = __repr__
    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise TypeError(f"{self} is a part of a rule, neither true nor false: join such parts by & | ~ (not by and, or, not), and write .between(a, b) in place of a <= x <= b")


class Condition(_Says):
    """A condition: joined by & and |, turned round by ~, and made a rule by >> "class"."""

    def __init__(self, said: str, binds: int = _ATOM):
        self._said = said
        self._binds = binds

    def _inside(self, binds: int) -> str:
        return self._said if self._binds >= binds else f"({self._said})"

    def _joined(self, other: Any, word: str, binds: int) -> Condition:
        return Condition(f"{self._inside(binds)} {word} {_condition(other)._inside(binds)}", binds)

    def __and__(self, other: Any) -> Condition:
        return self._joined(other, "and", _AND)

    def __or__(self, other: Any) -> Condition:
        return self._joined(other, "or", _OR)

    def __rand__(self, other: Any) -> Condition:
        return _condition(other) & self

    def __ror__(self, other: Any) -> Condition:
        return _condition(other) | self

    def __invert__(self) -> Condition:
        return Condition("not " + self._inside(_NOT), _NOT)

    def unless(self, exception: Any) -> Condition:
        """This, and not that."""
        return self & ~_condition(exception)

    def __rshift__(self, says: Any) -> BuiltRule:
        return BuiltRule(self, says)


def _condition(part: Any) -> Condition:
    if isinstance(part, Condition):
        return part
    if isinstance(part, Columns):
        return part._alone()
    if isinstance(part, BuiltRule):
        raise TypeError(f"({part}) is a rule already: >> binds more tightly than & and |, so put parentheses around the whole condition")
    raise TypeError(f"{part!r} is no condition: expected something like col('glucose') >= 126, in parentheses beside & and |")


class Columns(_Says):
    """A column, or a sum of columns and numbers with factors."""

    def __init__(self, terms: list[tuple[float, str]], said: str | None = None):
        self._terms = terms  # factor and column; "": the number itself
        parts = []
        for factor, name in terms:
            size = abs(factor)
            part = _number(size) if not name else name if size == 1 else f"{_number(size)}*{name}"
            parts.append((("-" if factor < 0 else "") if not parts else (" - " if factor < 0 else " + ")) + part)
        self._said = said or "".join(parts)

    def _single(self) -> str:
        if len(self._terms) != 1 or self._terms[0][0] != 1 or not self._terms[0][1]:
            raise TypeError(f"{self} is no single column")
        return self._terms[0][1]

    def _alone(self) -> Condition:
        """A column of 0 and 1."""
        return Condition(self._single())

    # ---- sums ----

    def __add__(self, other: Any) -> Columns:
        return Columns(self._terms + _columns(other)._terms)

    def __radd__(self, other: Any) -> Columns:
        return _columns(other) + self

    def __neg__(self) -> Columns:
        return self * -1

    def __sub__(self, other: Any) -> Columns:
        return self + -_columns(other)

    def __rsub__(self, other: Any) -> Columns:
        return _columns(other) - self

    def __mul__(self, factor: Any) -> Columns:
        if isinstance(factor, Columns):
            raise TypeError(f"{self} times {factor} is not linear")
        return Columns([(size * float(factor), name) for size, name in self._terms])

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Columns:
        if isinstance(other, Columns):
            return Columns([(size, f"{name}/{other._single()}" if name else f"1/{other._single()}") for size, name in self._terms])
        return Columns([(size / float(other), name) for size, name in self._terms])

    # ---- comparisons ----

    def _compared(self, sign: str, other: Any) -> Condition:
        if isinstance(other, datetime.date):
            return Condition(f"{self} {sign} {_date(other)}")
        if isinstance(other, str):
            return Condition(f"{self._single()} {sign} {_word(other)}")
        return Condition(f"{self} {sign} {_columns(other)}")

    def __lt__(self, other: Any) -> Condition:
        return self._compared("<", other)

    def __le__(self, other: Any) -> Condition:
        return self._compared("<=", other)

    def __gt__(self, other: Any) -> Condition:
        return self._compared(">", other)

    def __ge__(self, other: Any) -> Condition:
        return self._compared(">=", other)

    def __eq__(self, other: Any) -> Condition:  # type: ignore[override]
        return self._compared("=", other)

    def __ne__(self, other: Any) -> Condition:  # type: ignore[override]
        return self._compared("!=", other)

    __hash__ = object.__hash__

    def between(self, low: Any, high: Any) -> Condition:
        """Both ends belong to it."""
        low, high = (_date(end) if isinstance(end, datetime.date) else _columns(end) for end in (low, high))
        return Condition(f"{self} between {low} and {high}")

    def isin(self, values: Any) -> Condition:
        """One of some categories, or of some numbers."""
        words = ", ".join(_word(value) for value in values)
        return Condition(f"{self._single()} in {{{words}}}")

    def notin(self, values: Any) -> Condition:
        words = ", ".join(_word(value) for value in values)
        return Condition(f"{self._single()} not in {{{words}}}", _NOT)

    def is_missing(self) -> Condition:
        return Condition(f"{self._single()} is missing")

    def is_known(self) -> Condition:
        return Condition(f"{self._single()} is known", _NOT)

    # ---- as a condition ----

    def __and__(self, other: Any) -> Condition:
        return self._alone() & other

    def __or__(self, other: Any) -> Condition:
        return self._alone() | other

    def __invert__(self) -> Condition:
        return ~self._alone()

    def unless(self, exception: Any) -> Condition:
        return self._alone().unless(exception)

    def __rshift__(self, says: Any) -> BuiltRule:
        return self._alone() >> says


def _columns(value: Any) -> Columns:
    if isinstance(value, Columns):
        return value
    if isinstance(value, Condition):
        raise TypeError(f"({value}) is a condition, not a number: put each comparison in parentheses")
    return Columns([(float(_number(value)), "")])


class Direction(_Says):
    """How the score of a class moves with a column; made a rule by >> "class"."""

    def __init__(self, said: str):
        self._said = said

    def __rshift__(self, says: Any) -> BuiltRule:
        return BuiltRule(self, says)


class _Class:
    def __init__(self, name: Any, negated: bool):
        self.name, self.negated = name, negated


def not_(name: Any) -> _Class:
    """Every class but this one, after >>."""
    return _Class(name, True)


class BuiltRule(_Says):
    """A rule. Its methods give the same rule with a name, or with what its author says about it."""

    def __init__(self, condition: Condition | Direction, says: Any):
        self._condition = condition
        self._class = says if isinstance(says, (_Class, Condition)) else _Class(says, False)
        self._id = ""
        self._options: dict[str, str] = {}

    @property
    def _said(self) -> str:  # type: ignore[override]
        options = ", ".join(f"{key} = {self._options[key]}" for key in ("sure", "trust", "margin") if key in self._options)
        head = (_name(self._id) if self._id else "") + (f"{' ' if self._id else ''}[{options}]" if options else "")
        says = str(self._class) if isinstance(self._class, Condition) else f"{'not ' if self._class.negated else ''}{_word(self._class.name)}"
        return f"{head}{': ' if head else ''}{self._condition} => {says}"

    def _with(self, key: str, value: str) -> BuiltRule:
        out = copy.copy(self)
        out._options = {**self._options, key: value}
        return out

    def named(self, name: str) -> BuiltRule:
        out = copy.copy(self)
        out._id = name
        return out

    def sure(self, rate: float, of: float | None = None) -> BuiltRule:
        """Of the rows on which it holds, this share is what it says; `of`: as if seen on so many rows."""
        if not 0 <= rate <= 1:
            raise _errors.ParamError(f"sure={rate!r}, expected a share from 0 to 1")
        percent = round(rate * 100, 10)
        return self._with("sure", (f"{_number(percent)}%" if percent / 100 == rate else _number(rate)) + ("" if of is None else f" of {_number(of)}"))

    def trust(self, value: float) -> BuiltRule:
        return self._with("trust", _number(value))

    def margin(self, value: float) -> BuiltRule:
        return self._with("margin", _number(value))


def col(name: str) -> Columns:
    """A column of the data.

    >>> (col("glucose") >= 126) & (col("bmi") >= 30) >> "diabetes"  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    TypeError: (bmi >= 30 => diabetes) is a rule already
    >>> ((col("glucose") >= 126) & (col("bmi") >= 30)) >> "diabetes"
    glucose >= 126 and bmi >= 30 => diabetes
    >>> (at_least(2, col("smoker"), col("age") > 60, col("color").isin(["red", "blue"])) >> not_("healthy")).named("risk").sure(0.8)
    risk [sure = 80%]: at least 2 of (smoker, age > 60, color in {red, blue}) => not healthy
    >>> (col("age") >= 60) >> (col("charges") >= 20000)
    age >= 60 => charges >= 20000
    """
    return Columns([(1.0, _name(name))])


def _list(conditions: Any) -> str:
    return ", ".join(str(_condition(condition)) for condition in conditions)


def at_least(number: int, *conditions: Any) -> Condition:
    """So many of the conditions hold."""
    return Condition(f"at least {int(number)} of ({_list(conditions)})")


class _Count(Columns):
    def __init__(self, said: str):
        super().__init__([(1.0, said)], said)


def count(*conditions: Any) -> Columns:
    """How many of the conditions hold; to be compared with a whole number."""
    return _Count(f"count({_list(conditions)})")


def _columns_list(columns: Any) -> str:
    return ", ".join(_name(column) if isinstance(column, str) else _columns(column)._single() for column in columns)


def any_of(*columns: Any) -> Condition:
    """One of some columns of 0 and 1 is 1."""
    return Condition(f"any({_columns_list(columns)})")


def all_of(*columns: Any) -> Condition:
    """Each of some columns of 0 and 1 is 1."""
    return Condition(f"all({_columns_list(columns)})")


def none_of(*columns: Any) -> Condition:
    """Each of some columns of 0 and 1 is 0."""
    return Condition(f"none({_columns_list(columns)})")


def more(column: Any) -> Direction:
    """The score of the class rises with a column: more("glucose") >> "diabetes"."""
    return Direction(f"more {_columns_list([column])}")


def less(column: Any) -> Direction:
    """The score of the class falls with a column."""
    return Direction(f"less {_columns_list([column])}")
