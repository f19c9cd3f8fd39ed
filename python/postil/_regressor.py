"""Estimators of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import _check_y, column_or_1d

from . import _data, _labels
from ._estimator import Estimator, all_or_nothing
from ._online import OnlineMixin

if TYPE_CHECKING:
    from typing import Self


class Regressor(RegressorMixin, Estimator):
    _multiclass = False
    _numbers = True

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = self._needs_advice  # it learns no more than a mean
        return tags

    def _labels_of(self, y):
        if not isinstance(y, np.ndarray) or y.ndim != 1 or y.dtype != np.float64:
            y = column_or_1d(y, warn=True)
            if y.dtype.kind not in "fiub":
                y = y.astype(np.float64)
        y = np.ascontiguousarray(_check_y(y, y_numeric=True, estimator=self), dtype=np.float64)
        return y

    def _describe_labels(self, recipe, rows, y):
        recipe["regression"] = True
        rows.set_labels(y, [])

    def _set_labels(self, rows, y, codes):
        rows.set_labels(np.ascontiguousarray(y, dtype=np.float64), [])

    def _code(self, value):
        return float(value)

    _code_if_known = _code

    def _codes_of(self, y):
        return y

    def _label_named(self, number):
        return number

    def _predicted(self, scores):
        return scores[:, 0]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R^2 of the predictions. `y` may be the name of a column of X."""
        X, y, _ = _data.whole(X, y, numbers=True)
        return super().score(X, y, sample_weight)

    def predict(self, X: Any) -> np.ndarray:
        """The number predicted for each row."""
        return self._predicted(self._scores(X))

    @property
    def coef_(self) -> np.ndarray:
        """Weights in the units of X."""
        return self._linear()[0][0]

    @property
    def intercept_(self) -> np.ndarray:
        """The constant of the score."""
        return self._linear()[1]

    def _take(self, engine):
        self._engine = engine


class OnlineRegressor(OnlineMixin, Regressor):
    class _Numbers(dict):
        """Every number is its own code."""

        def __getitem__(self, value):
            return float(value)

    _codes = _Numbers()

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Goes on learning from more rows, each once and in their order. Returns self.

        None, NaN and pandas.NA in y stand for a row without a label, which tells of the columns only.
        """
        for part, labels, weights in _data.weighted_batches_of(X, y, sample_weight):
            labels, there = _labels.known(labels)
            labels = _labels.spread(self._labels_of(labels) if len(labels) or there is None else labels, there)
            rows = self._rows(part, reset=self._engine is None)
            self._matching(rows, labels)
            if self._engine is None:
                self._begin(rows, self._recipe() | {"regression": True})
            self._learn(rows, part, labels, labels, weights)
        return self

    @all_or_nothing
    def expect(self, X: Any) -> Self:
        """Tells what is to come: the columns, as a frame, a matrix or a list of names. Returns self."""
        rows = self._rows_to_come(X)
        self._begin(rows, self._recipe() | {"regression": True})
        self._expected = None if self._engine.sparse else (rows.names,)
        return self

    def _expect(self, recipe, y):
        recipe["regression"] = True
