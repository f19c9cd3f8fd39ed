"""What River asks of every estimator."""

from __future__ import annotations

import copy
import sys
import warnings
from typing import TYPE_CHECKING, Any

from sklearn.base import clone

from . import _errors

if TYPE_CHECKING:
    from typing import Self


class RiverMixin:
    """An estimator that River takes as its own."""

    _in_river = False
    _supervised = True
    _mutable_attributes: set[str] = set()
    _tags: set[str] = set()

    def __new__(cls, *args, **kwargs):
        _register_with_river()
        return super().__new__(cls)

    @classmethod
    def _unit_test_params(cls):
        yield {}

    def _get_params(self):
        return self.get_params(deep=False)

    def clone(self, new_params: dict[str, Any] | None = None, include_attributes: bool = False) -> Self:
        """A fresh estimator with the same parameters, or those given, as River calls it; `include_attributes`: with what was learned."""
        fresh = copy.deepcopy(self) if include_attributes else clone(self)
        return fresh.set_params(**(new_params or {}))

    def mutate(self, new_attrs: dict[str, Any]) -> None:
        """Changes parameters in place, as River calls it: from the next fit on, or the first example."""
        unknown = set(new_attrs) - set(self._mutable_attributes)
        if unknown:
            raise ValueError(f"{type(self).__name__} cannot change {', '.join(sorted(unknown))} once it is made; use clone(new_params)")

    def debug_one(self, x: Any) -> str:
        """Why one example gets its prediction, as text."""
        if not self.__sklearn_is_fitted__():
            return "nothing was learned yet"
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "explain: the model has no column")  # new features may come at any time
                return str(self.explain(x))
        except _errors.ParamError as error:  # kernels, or one class so far
            return str(error)

    def _unit_test_skips(self):
        from .testing import expected_failed_river_checks

        return set(expected_failed_river_checks(self))

    @property
    def _is_stochastic(self):
        return False  # random_state=None is a seed like any other

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
