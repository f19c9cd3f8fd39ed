"""What River asks of every estimator."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from sklearn.base import clone

if TYPE_CHECKING:
    from typing import Self


class RiverMixin:
    """An estimator that River takes as its own."""

    _in_river = False
    _supervised = True

    def __new__(cls, *args, **kwargs):
        _register_with_river()
        return super().__new__(cls)

    def clone(self) -> Self:
        """A fresh estimator with the same parameters, as River calls it."""
        return clone(self)

    @property
    def _raw_memory_usage(self):
        return len(self._engine.to_bytes()) if self.__sklearn_is_fitted__() else sys.getsizeof(self)


def _register_with_river():
    """River asks isinstance; its base classes take us as their own once both are there."""
    base = sys.modules.get("river.base")
    if base is not None and not RiverMixin._in_river:
        from ._classifier import Classifier
        from ._regressor import Regressor

        RiverMixin._in_river = True
        base.MiniBatchClassifier.register(Classifier)
        base.MiniBatchRegressor.register(Regressor)
