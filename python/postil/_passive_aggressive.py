"""For users of scikit-learn's PassiveAggressiveClassifier and PassiveAggressiveRegressor."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from . import _data


class PassiveAggressive:
    """The parameters of scikit-learn's passive-aggressive estimators, which are leaving it."""

    _VARIANTS = {
        "hinge": "pa1",
        "squared_hinge": "pa2",
        "epsilon_insensitive": "pa1",
        "squared_epsilon_insensitive": "pa2",
        "pa1": "pa1",
        "pa2": "pa2",
    }

    def _recipe(self):
        recipe = super()._recipe()
        for name in ("loss", "learning_rate"):
            value = getattr(self, name)
            if value is None:
                continue
            if value not in self._VARIANTS:
                raise ValueError(f"{name}={value!r} is not known; expected None or one of {', '.join(self._VARIANTS)}")
            recipe["settings"]["variant"] = self._VARIANTS[value]
        share = self.validation_fraction
        if not (isinstance(share, numbers.Real) and 0 < share < 1):
            raise ValueError(f"validation_fraction={share!r}; expected a share of the rows between 0 and 1")
        if self.early_stopping not in (True, False):
            raise ValueError(f"early_stopping={self.early_stopping!r}; expected True or False")
        return recipe

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        if not self.early_stopping:
            return super().fit(X, y, sample_weight)
        from sklearn.base import clone, is_classifier
        from sklearn.model_selection import train_test_split
        from sklearn.utils import _safe_indexing

        X, y, _ = _data.whole(X, y, self._numbers)
        learned, held = train_test_split(
            np.arange(len(y)), test_size=self.validation_fraction, random_state=self._seed() % 2**32, stratify=y if is_classifier(self) else None
        )
        part, test = (_safe_indexing(X, learned), _safe_indexing(y, learned)), (_safe_indexing(X, held), _safe_indexing(y, held))
        weights = None if sample_weight is None else _safe_indexing(sample_weight, learned)
        stepwise = clone(self).set_params(early_stopping=False, max_iter=1, tol=None, warm_start=True)
        best, since = -np.inf, 0
        for passes in range(self._passes()):
            stepwise.set_params(random_state=(self._seed() + passes) % 2**63)
            stepwise.fit(*part, weights)
            score = stepwise.score(*test)
            since = 0 if score > best + (self.tol or 0) else since + 1
            best = max(best, score)
            if since >= self.n_iter_no_change:
                break
        kept = self.get_params()
        self.__dict__.update(stepwise.__dict__)
        return self.set_params(**kept)
