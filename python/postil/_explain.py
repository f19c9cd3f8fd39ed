"""Explanations: dicts with the names of `postil explain --json`, a text, and tables for notebooks."""

from __future__ import annotations

import difflib
import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _data, _errors, _labels, _postil, _views, rules
from ._told import Told
from ._warn import warn

if TYPE_CHECKING:
    from ._ledger import Ledger


class Explanation(Told):
    """What a model has learned."""

    def _repr_html_(self) -> str:
        return _views.explanation_view(self, *self._notes)


class RowExplanation(Told):
    """Why one row gets its score."""

    def _repr_html_(self) -> str:
        return _views.row_view(self, *self._notes)


class ExplainMixin:
    """What an estimator has learned, and what became of its rules."""

    def explain(self, row: Any = None, *, certify: Any = None, top: int = 20) -> Explanation | RowExplanation:
        """Shows what the model has learned, or why one row gets its score.

        Parameters
        ----------
        row : one row, or a frame of one row; optional
            To be explained: what each feature and each rule adds to its score. Warns of names in a dict that the model does not know.
        certify : rules, optional
            For each, a proof that the model obeys it everywhere, or a counterexample.
        top : int, default=20
            How many features the text and the tables show.

        Returns
        -------
        Explanation or RowExplanation
            A dict with the names of `postil explain --json` and all features; printed, the command's text; in notebooks, tables.
            Rows are counted from 0.
        """
        engine = self._ready()
        if not isinstance(top, (int, np.integer)) or top < 0:
            raise _errors.ParamError(f"top={top!r}; expected how many features to show, from 0")
        if row is not None:
            told, text, sums = engine.explain_row(self._one_row(row), top)
            return RowExplanation(told, text, (sums, top))
        told, text, title, learned, notes = engine.explain("" if certify is None else rules.read(certify)[0], top)
        told = json.loads(told)
        for rule in [*told["rules"], *(rule for task in told.get("per_class", []) for rule in task["rules"])]:
            rule["contradicted_by"] = [number - 1 for number in rule["contradicted_by"]]
        return Explanation(told, text, (title, learned, notes, top))

    def _one_row(self, row):
        if _data.is_named_row(row):
            import pandas as pd

            values = {str(name): value for name, value in row.items()}
            if not hasattr(self, "feature_names_in_") and not set(values) & set(self._engine.column_names):
                values = dict(zip(self._engine.column_names, values.values()))  # columns without names, in their order
            self._look_at_names(values)
            return _data.rows_of(pd.DataFrame([{name: values.get(name, np.nan if self._engine.missing_allowed else 0) for name in self._engine.column_names}]))
        if _data.is_plain_row(row):
            return self._model_rows(np.asarray(row, dtype=np.float64)[None, :])
        rows = self._rows(row, reset=False)
        if len(rows) != 1:
            raise ValueError(f"explain tells of one row, found {len(rows)}")
        return rows

    def _look_at_names(self, values):
        """Warns of names in a row that the model does not know: it may be a slip, or a feature that a stream has brought since."""
        known = self._engine.column_names
        unknown = [name for name in values if name not in known and name != self._label_name]
        if not unknown:
            return
        close = difflib.get_close_matches(unknown[0], known, n=1)
        text = f"explain: the model has no column {unknown[0]!r}" + (f"; did you mean {close[0]!r}?" if close else ".")
        if len(unknown) > 1:
            text += f" Nor has it {', '.join(map(repr, unknown[1:6]))}{', ...' if len(unknown) > 6 else ''}."
        absent = [name for name in known if name not in values]
        if absent:
            stands = "missing" if self._engine.missing_allowed else "0"
            text += f" The row lacks {', '.join(map(repr, absent[:5]))}{', ...' if len(absent) > 5 else ''}, which {'count' if len(absent) > 1 else 'counts'} as {stands}."
        warn(text)

    def ledger(self) -> Ledger:
        """Shows what became of each rule, as a DataFrame: how often it held, agreed and was contradicted, and what it moved.

        `contradicted_by` holds the last few rows that spoke against it, counted from 0 in the order they were given. Printed, it is
        the command's table; in notebooks, a table with bars.
        """
        from ._ledger import Ledger

        return Ledger.of(self._ready())

    def report(
        self,
        X: Any,
        y: Any = None,
        *,
        path: str | os.PathLike[str] | None = None,
        by: Any = None,
        title: str = "",
        purpose: str = "",
        trained: str = "",
        examples: int = 3,
    ) -> str:
        """A report on the model and these rows, as one HTML page for those who have to approve the model.

        Parameters
        ----------
        X : array, sparse matrix, frame, Arrow stream, or path of a Parquet, CSV, LIBSVM, JSON lines or ARFF file
            Rows to test the model on, best not those it was trained on.
        y : array, or the name of a column of X, optional
            Their labels. Without them the page says nothing about how often the model is right.
        path : str, optional
            A file to write the page to.
        by : list of names of columns of X, or dict of name: array, optional
            Rows are also counted apart by these, for example sexes or sites.
        title, purpose, trained : str, optional
            Title of the page, intended use, and when and on what the model was trained, as you state them.
        examples : int, default=3
            Rows shown of each sort (right, wrong, unsure); 0: none, so that the page contains no row of X.

        Returns
        -------
        str
            The page. It loads nothing and runs no program. `postil report` makes the same.
        """
        engine = self._ready()
        if not isinstance(examples, (int, np.integer)) or not 0 <= examples <= 100:
            raise _errors.ParamError(f"examples={examples!r}; expected how many rows to show of each sort, from 0 to 100")
        groups, X = _groups(X, by, [*engine.column_names, *([y] if isinstance(y, str) else [])])
        if y is not None:
            X, y, _ = _data.whole(X, y, self._numbers)
        rows = self._rows(X, reset=False)
        if y is not None:
            self._matching(rows, y)
            rows.set_labels(*self._labels_to_test(y))
        origin = [("Program", f"Postil {_postil.__version__}"), ("Made with", f"{type(self).__name__}.report in Python")]
        return engine.report(rows, groups, origin, title, purpose, trained, int(examples), None if path is None else os.fspath(path))

    def _labels_to_test(self, y):
        """Codes and the texts they stand for; none of numbers."""
        if self._numbers:
            return np.ascontiguousarray(y, dtype=np.float64), []
        values, codes = _labels.distinct(np.asarray(self._labels_of(y)))
        return np.asarray(codes, dtype=np.float64), _labels.Classes(values.tolist()).texts()


def _groups(X, by, known):
    """Names and texts of the groups, and X without columns that are there for the groups alone."""
    if by is None:
        return [], X
    if not isinstance(by, dict):
        names = [by] if isinstance(by, str) else list(by)
        if not hasattr(X, "columns") or not hasattr(X, "drop"):
            raise _errors.DataError("by names columns, but X has no named columns; expected a dict of name: array")
        for name in names:
            if name not in X.columns:
                raise _errors.DataError(f"by: there is no column {name!r}; there are: {', '.join(map(str, X.columns))}")
        by = {name: X[name] for name in names}
        extra = [name for name in names if str(name) not in known]
        X = X.drop(columns=extra) if _data.is_pandas(X) else X.drop(extra)
    return [(str(name), ["" if value is None or value != value else str(value) for value in values]) for name, values in by.items()], X
