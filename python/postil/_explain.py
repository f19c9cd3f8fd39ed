"""Explanations: dicts with the names of `postil explain --json`, a text, and tables for notebooks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _data, _errors, _views, rules
from ._told import Told

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
            To be explained: what each feature and each rule adds to its score.
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
            return _data.rows_of(pd.DataFrame([{name: values.get(name, np.nan if self._engine.missing_allowed else 0) for name in self._engine.column_names}]))
        if _data.is_plain_row(row):
            return self._model_rows(np.asarray(row, dtype=np.float64)[None, :])
        rows = self._rows(row, reset=False)
        if len(rows) != 1:
            raise ValueError(f"explain tells of one row, found {len(rows)}")
        return rows

    def ledger(self) -> Ledger:
        """Shows what became of each rule, as a DataFrame: how often it held, agreed and was contradicted, and what it moved.

        `contradicted_by` holds the last few rows that spoke against it, counted from 0 in the order they were given. Printed, it is
        the command's table; in notebooks, a table with bars.
        """
        from ._ledger import Ledger

        return Ledger.of(self._ready())
