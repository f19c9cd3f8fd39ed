"""Learning as rows come, one or many at a time: River's methods."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from . import _data, _labels, _postil
from ._estimator import all_or_nothing
from ._warn import warn


def _column_like(value):
    """A column of one row that holds such values: text, dates or numbers."""
    if isinstance(value, str):
        return np.zeros(1, dtype=np.int32), [value]
    return (np.zeros(1), "date") if isinstance(value, (datetime.date, np.datetime64)) else np.zeros(1)


class OnlineMixin:
    """Learning as rows come."""

    def _learn(self, rows, X, y, codes, sample_weight):
        self._set_labels(rows, y, codes)
        self._weights(sample_weight, X, rows)
        before = self._engine.settled
        self._engine.learn(rows, self.missing is not None)
        if not before and self._engine.settled:
            odd = self._engine.odd_units()
            if odd:
                warn("\n".join(odd) + "\nRules are in the units of the columns that this estimator sees; scale='standard' scales both.")

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learns from one example: an array, a sparse row, or a dict of features by name.

        A feature that a dict does not have counts as 0, unless `missing` tells what else. An example whose label is None, NaN or
        pandas.NA has none: it tells of the features only.
        """
        try:
            code = self._codes[y]
            learn = self._engine.learn_one
        except (AttributeError, KeyError, TypeError):
            labelled = not _labels.is_missing(y)
            self._begin_with(x, y if labelled else None)
            code = self._code_if_known(y) if labelled else np.nan
            learn = self._engine.learn_one
        learn(x, code, w)

    def predict_one(self, x: Any) -> Any:
        """The label of one example; None before anything was learned, unless there are rules."""
        if self._engine is None:
            if not getattr(self, "advice", None):
                return None
            self._begin_with(x)
        answer = self._engine.predict_one(x)
        return None if answer is None else self._label_named(answer)

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learns from the rows of a frame in turn, to the same bits as learn_one from each, also of rows without a label."""
        for part, labels, weights in _data.weighted_batches_of(X, y, w):
            labels, there = _labels.known(labels)
            labels = labels.tolist()
            if len(labels if there is None else there) == 0:
                continue
            if self._engine is None:
                self._begin_with(part, labels[0] if labels and (there is None or there[0]) else None)
            codes = _labels.spread([self._code_if_known(value) for value in labels], there)
            self._learn(self._many_rows(part, True), part, codes, codes, weights)

    def predict_many(self, X: Any) -> Any:
        """The labels of the rows of a frame, as a pandas Series if it is one of pandas'."""
        if self._engine is None and getattr(self, "advice", None):
            self._begin_with(X)
        if self._engine is None or not self._engine.ready:
            labels = [None] * len(X)
        else:
            labels = self._predicted(self._engine.scores(self._many_rows(X, False)))
        if not _data.is_pandas(X):
            return labels
        import pandas as pd

        return pd.Series(labels, index=X.index)

    def _rows_to_come(self, X):
        """Columns as a frame or a matrix has them, or named in a list; what was learned is forgotten."""
        if isinstance(X, (list, tuple)) and X and isinstance(X[0], str):
            X = _postil.Rows.columns([np.zeros(1) for _ in X], list(X), 1)
        self._engine = None
        return self._rows(X, reset=True)

    @all_or_nothing
    def _begin_with(self, x, y=None):
        """The first example tells what the columns are."""
        if self._engine is not None:
            return
        if _data.is_named_row(x):
            values = dict(x.items())
            names = [str(name) for name in values]
            rows = _postil.Rows.columns([_column_like(value) for value in values.values()], names, 1)
            rows = self._rows(rows, reset=True)
        elif _data.is_plain_row(x):
            rows = self._rows(np.asarray(x, dtype=np.float64)[None, :], reset=True)
        else:
            rows = self._rows(x, reset=True)
        recipe = self._recipe()
        self._expect(recipe, y)
        self._begin(rows, recipe)
