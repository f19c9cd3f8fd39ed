"""What scikit-learn's users ask of a support vector machine: its support vectors, under the names that they know."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from . import _data, _postil


class SupportVectors:
    """The support vectors of SVC and NuSVC. They are known after fit; a model file has no numbers of rows."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        super().fit(X, y, sample_weight)
        X, y, _ = _data.whole(X, y)
        self._multipliers = [np.array(report["multipliers"], dtype=[("row", np.intp), ("value", float)]) for report in self._engine.fit_reports]
        self._fitted_labels = self._places_of(y)
        self._order_support()
        X = X.tocsr() if hasattr(X, "tocsr") else X if _data.is_frame(X) else np.asarray(X)
        self._support_vectors = None if isinstance(X, _postil.Rows) else _safe_indexing(X, self._support)
        return self

    def _places_of(self, y):
        return np.searchsorted(self.classes_, np.asarray(y))

    def _order_support(self):
        """By class, and by number in it."""
        rows = np.unique(np.concatenate([part["row"] for part in self._multipliers]))
        order = np.argsort(self._fitted_labels[rows], kind="stable")
        self._support = rows[order]

    def _known(self):
        if not hasattr(self, "_support"):
            raise AttributeError(f"the rows that this {type(self).__name__} was fitted to are not known: it comes from a file")
        return self._support

    @property
    def support_(self) -> np.ndarray:
        """Numbers of the support vectors among the rows of fit, class by class."""
        return self._known()

    @property
    def support_vectors_(self) -> Any:
        """The support vectors, in the units of X."""
        self._known()
        return self._support_vectors

    @property
    def n_support_(self) -> np.ndarray:
        """How many support vectors each class has."""
        return np.bincount(self._fitted_labels[self._known()], minlength=len(self.classes_))

    @property
    def dual_coef_(self) -> np.ndarray:
        """Multipliers of the support vectors, times the sign of their class, in the form of LIBSVM.

        Two classes have one row. One against one, column k has the multipliers of support vector k in the machines of its class and each
        other, in the order of the others; one against the rest, there is a row for each class.
        """
        support, classes = self._known(), len(self.classes_)
        place = np.empty(support.max() + 1, dtype=np.intp)
        place[support] = np.arange(len(support))
        if classes == 2 or self.multiclass == "ovr":
            sign = 1.0 if classes > 2 or self._later_is_positive() else -1.0
            out = np.zeros((1 if classes == 2 else classes, len(support)))
            for row, part in enumerate(self._multipliers if classes == 2 else [self._multipliers[k] for k in self._columns()]):
                out[row, place[part["row"]]] = sign * part["value"]
            return out
        out = np.zeros((classes - 1, len(support)))
        number = np.argsort(self._columns())  # of the engine's classes among ours
        pairs = [(a, b) for a in range(classes) for b in range(a + 1, classes)]
        for (a, b), part in zip(pairs, self._multipliers):
            ours = {number[a]: number[b], number[b]: number[a]}
            for row, value in part:
                mine = self._fitted_labels[row]
                other = ours[mine]
                out[other - (other > mine), place[row]] = value if number[a] < number[b] else -value
        return out

    @property
    def fit_status_(self) -> int:
        """0 if the solver converged, else 1."""
        return 0 if all(report["converged"] for report in self._ready().fit_reports) else 1
