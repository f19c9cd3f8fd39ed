"""Postil: maximum-margin classifiers that take advice.

>>> import postil
>>> model = postil.AdviceClassifier(advice="bmi >= 30 and glucose >= 126 => 1")
"""

import importlib

from . import _postil
from ._errors import DataError, Error, ModelError, ParamError, ParseError
from ._names import ESTIMATORS
from ._postil import __version__

# What needs scikit-learn, matplotlib or pandas is loaded when it is first asked for.
_MODULES = ("datasets", "evaluate", "plots", "rules", "shards", "testing")

__all__ = ["DataError", "Error", "ModelError", "ParamError", "ParseError", "__version__", "load", *_MODULES, *ESTIMATORS]


def __getattr__(name):
    if name in ESTIMATORS:
        value = getattr(importlib.import_module("._learners", __name__), name)
    elif name in _MODULES:
        value = importlib.import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module 'postil' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return sorted(__all__)


def load(path):
    """The estimator that a model file holds, whether `save` or the command wrote it."""
    import os

    from . import _learners
    from ._errors import NoSuchFile

    try:
        engine = _postil.Engine.load(os.fspath(path))
    except DataError as error:
        if os.path.exists(path):
            raise
        raise NoSuchFile.from_error(error) from None
    return _learners.from_engine(engine)
