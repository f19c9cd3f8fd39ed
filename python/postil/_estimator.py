"""What all estimators share: scikit-learn's manners over one engine."""

from __future__ import annotations

import functools
import json
import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils import check_random_state

from . import _data, _errors, _labels, _postil, rules
from ._explain import ExplainMixin
from ._export import ExportMixin
from ._input import InputMixin
from ._river import RiverMixin
from ._warn import warn

if TYPE_CHECKING:
    from typing import Self

Method = TypeVar("Method", bound=Callable[..., Any])

UNNAMED_HINT = (
    "\nX has no column names, so they are called f1, f2, ...: give a frame. A transformer in front keeps names with "
    "set_output(transform='pandas'), but rules are in the units of the columns that this estimator sees: leave a scaler out and use "
    "scale='standard' here."
)


def _setting(value):
    """A parameter as the engine reads it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(value)


def all_or_nothing(method: Method) -> Method:
    """If it fails, the estimator is what it was."""

    @functools.wraps(method)
    def careful(self, *arguments, **options):
        before = dict(self.__dict__)
        try:
            return method(self, *arguments, **options)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    return careful  # type: ignore[return-value]


class Estimator(InputMixin, ExplainMixin, ExportMixin, RiverMixin, BaseEstimator):
    """A learner of the registry, with its model once there is one."""

    _learner = ""  # in the registry
    _settings: dict[str, str] = {}  # parameter -> its name in the registry
    _words: dict[str, dict[Any, str]] = {}  # parameter -> {a value as scikit-learn's users know it: the registry's}
    _needs_advice = False  # it says nothing without rules
    _numbers = False  # labels are numbers
    _engine: Any = None
    _label_name: str | None = None  # of the column of X that held the labels

    # ---- what is asked of the engine ----

    def _recipe(self):
        recipe = {
            "learner": self._learner,
            "settings": {name: self._setting_of(parameter) for parameter, name in self._settings.items()},
            "scale": self.scale,
            "missing": "refuse" if self.missing is None else self.missing,
        }
        if not getattr(self, "fit_intercept", True):
            recipe["settings"]["bias"] = "none"
        if "seed" in recipe["settings"]:
            recipe["settings"]["seed"] = str(self._seed())
        advice = getattr(self, "advice", None)
        if advice is not None and not (isinstance(advice, (str, list, tuple)) and len(advice) == 0):
            text, source = rules.read(advice)
            if text:
                recipe["rules"], recipe["rules_source"] = text, source
        return recipe

    def _setting_of(self, parameter):
        value = getattr(self, parameter)
        words = self._words.get(parameter)
        if words and isinstance(value, (str, bool, np.bool_)):
            value = words.get(value, value)
        return _setting(value)

    def _seed(self):
        state = getattr(self, "random_state", None)
        if state is None:
            return 0
        if isinstance(state, (int, np.integer)) and 0 <= state < 2**64:
            return int(state)
        if isinstance(state, (np.random.RandomState, type(np.random))):
            return int(check_random_state(state).randint(2**31))
        raise _errors.ParamError(f"random_state={state!r}; expected None, a whole number from 0 to 2^64 - 1, or numpy.random.RandomState")

    # ---- learning ----

    @all_or_nothing
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learns from all rows, from the beginning (or on, with warm_start).

        Parameters
        ----------
        X : array, sparse matrix, frame, Arrow stream, or path of a Parquet, CSV, LIBSVM, JSON lines or ARFF file
            The rows.
        y : array, or the name of a column of X
            Their labels. Of a text file they may be left out: they are found as the command finds them.
        sample_weight : array, optional
            How much each row counts.

        Returns
        -------
        self
        """
        X, y, self._label_name = _data.whole(X, y, self._numbers)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        going_on = getattr(self, "warm_start", False) and self._engine is not None and self._engine.settled
        rows = self._rows(X, reset=not going_on)
        y = self._labels_of(y)
        self._matching(rows, y)
        if going_on:
            self._set_labels(rows, y, self._codes_of(y))
            self._weights(sample_weight, X, rows)
            self._engine.fit_more(rows, **self._fit_options())
            return self
        recipe = self._recipe()
        self._describe_labels(recipe, rows, y)
        self._weights(sample_weight, X, rows)
        self._make_engine(_postil.Engine.fit, rows, recipe, **self._fit_options())
        self._look_at_rules()
        self._report_convergence()
        return self

    def _fit_options(self):
        """How often and in which order fit reads the rows, and when it stops."""
        return {"passes": self._passes(), "shuffle": bool(getattr(self, "shuffle", False)), "seed": self._seed(), "after_pass": self._after_pass(), "tell": self._tell()}

    def _passes(self):
        passes = getattr(self, "max_iter", 1)
        if not isinstance(passes, (int, np.integer)) or passes < 1:
            raise ValueError(f"max_iter={passes!r}; expected a whole number of passes, at least 1")
        return int(passes)

    def _after_pass(self):
        """Stops when a pass makes no fewer mistakes (for numbers, no smaller errors) than those before; tells of each pass."""
        tol, tell = getattr(self, "tol", None) if hasattr(self, "n_iter_no_change") else None, self._tell()
        if tol is None and tell is None:
            return None
        state = {"best": np.inf, "since": 0}
        patience = getattr(self, "n_iter_no_change", 5)

        def after_pass(passes, loss):
            if tell is not None:
                tell("passes", passes, loss)
            state["since"] = 0 if tol is None or loss < state["best"] - tol else state["since"] + 1
            state["best"] = min(loss, state["best"])
            return state["since"] < patience

        return after_pass

    def _tell(self):
        """Who hears how far fit is: standard error, and the user's callback."""
        if not self.verbose and self.callback is None:
            return None
        last = {"time": time.monotonic()}

        def tell(what, done, loss=None):
            now = time.monotonic()
            if self.verbose and (loss is not None or now - last["time"] >= 1):
                last["time"] = now
                print(f"{self._learner}: {done} {what}" + ("" if loss is None else f", loss {loss:.6g}"), file=sys.stderr)
            if self.callback is not None:
                self.callback({"what": what, "done": done, "loss": loss})

        return tell

    def _look_at_rules(self):
        """Rules are in the units of the columns that the estimator sees."""
        if self._needs_advice and not self._engine.rules:
            warn("there is no advice, so this model says the same of every row")
        odd = self._engine.odd_units()
        if not odd:
            return
        scaled = self._engine.standardised_columns()
        if scaled:
            self._engine = None
            raise _errors.DataError(
                f"{odd[0]}\nThe columns {', '.join(scaled[:5])} have mean 0 and deviation 1, as a StandardScaler makes them, but rules are in the "
                "units of the columns that this estimator sees. Leave the scaler out of the pipeline; scale='standard' of this estimator does "
                "its work and the rules stay in raw units."
            )
        warn("\n".join(odd))

    def _report_convergence(self):
        reports = [f"{self._learner}: {report['status']} after {report['iterations']} iterations" for report in self._engine.fit_reports if not report["converged"]]
        if reports:
            warn("\n".join(dict.fromkeys(reports)), ConvergenceWarning)

    def _begin(self, rows, recipe):
        self._make_engine(_postil.Engine.begin, rows, recipe)

    def _make_engine(self, make, rows, recipe, **options):
        try:
            self._engine = make(rows, recipe, **options)
        except _errors.ParseError as error:
            unnamed = "unknown column" in str(error) and not hasattr(self, "feature_names_in_")
            if unnamed:
                error.args = (f"{error}{UNNAMED_HINT}",)
            raise error from None

    # ---- predicting ----

    def _ready(self):
        if self._engine is None or not self._engine.ready:
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator.")
        return self._engine

    def __sklearn_is_fitted__(self):
        return self._engine is not None and self._engine.ready

    def _scores(self, X):
        engine = self._ready()
        return engine.scores(self._rows(X, reset=False))

    def novelty(self, X: Any) -> np.ndarray:
        """How unlike each row is to those that were learned.

        Of learners with an ellipsoid x'Bx. Of AROW and the default learner the variance of the score, in units of what it was for the last rows learned: about 1 is usual; the larger, the less the row is like those that were learned.

        Returns
        -------
        array of shape (rows,) or (rows, classes)
        """
        values = self._ready().novelty(self._rows(X, reset=False))
        if values is None:
            raise AttributeError(f"{type(self).__name__} does not know how unlike rows are to those it learned")
        return values[:, 0] if values.shape[1] == 1 else values

    def ask(self, X: Any, n: int = 20, random: float = 0.15, seed: int = 0) -> Any:
        """Which rows to label next, so that it matters: those whose labels would tell most, unlike each other.

        Parameters
        ----------
        X : array, sparse matrix or frame
            Rows without labels; as many as you like, they are looked at once.
        n : int
            How many to choose.
        random : float
            Share of rows chosen at random, which keep error rates and the record of the rules honest.
        seed : int
            Of what is chosen at random.

        Returns
        -------
        pandas.DataFrame
            By position in X, the first to be labelled first: `why` in words, `reason` in a word, `random`, the predicted `label`, its `probability`, and `value`, what the label would tell. Without pandas a list of dicts.

        Examples
        --------
        >>> import postil
        >>> X, y = postil.datasets.make("diabetes", rows=500, seed=1)
        >>> model = postil.AdviceClassifier(advice="risk: bmi >= 30 and glucose >= 126 => diabetes", missing="mean").fit(X[:20], y[:20])
        >>> asked = model.ask(X[20:], n=5)
        >>> len(set(asked.index)), int(asked.random.sum())
        (5, 1)
        """
        if not isinstance(n, (int, np.integer)) or n < 1:
            raise _errors.ParamError(f"n={n!r}; expected a whole number, at least 1")
        if not 0 <= random <= 1:
            raise _errors.ParamError(f"random={random!r}; expected a share from 0 to 1")
        rows = json.loads(self._ready().ask(self._rows(X, reset=False), int(n), float(random), int(seed)))["rows"]
        if not self._numbers:
            names = {_labels.class_text(name): name for name in self.classes_.tolist()}
            rows = [entry | {"label": names.get(entry["label"], entry["label"])} for entry in rows]
        rows = [{key: entry[key] for key in ("row", "why", "reason", "random", "label", "probability", "value")} for entry in rows]
        try:
            import pandas
        except ImportError:
            return rows
        return pandas.DataFrame(rows, columns=["row", "why", "reason", "random", "label", "probability", "value"]).set_index("row")

    # ---- what was learned ----

    @property
    def n_iter_(self) -> int:
        """Passes made by fit; for a batch learner, iterations of its solver."""
        reports = self._ready().fit_reports
        return max([1, *(report["iterations"] for report in reports)]) if reports else max(1, self._engine.counters["passes"])

    @property
    def t_(self) -> int:
        """Rounds of learning, and one."""
        return self._ready().counters["examples"] + 1

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns of coef_: of X, or `column=category` where a column holds text."""
        return np.asarray(self._ready().features, dtype=object)

    @property
    def feature_importances_(self) -> np.ndarray:
        """How much each column of X moves the score: the length of its weights, each times the deviation of its feature.

        SelectFromModel takes it where columns hold text, which have several weights: importance_getter='feature_importances_'.
        """
        engine = self._ready()
        self._linear()
        columns, sizes = engine.feature_sizes()
        out = np.zeros(self.n_features_in_)
        np.add.at(out, columns.astype(np.intp), sizes)
        return np.sqrt(out)

    def _linear(self):
        linear = self._ready().linear()
        if linear is None:
            raise AttributeError(f"{type(self).__name__} has no weights by feature here: it does not predict with one hyperplane")
        return linear

    def set_advice(self, advice: Any) -> Self:
        """Other rules from here on; what was learned from examples stays. Returns self."""
        text, source = rules.read(advice)
        self._ready().advise(text, source)
        self.advice = advice
        return self

    # ---- files ----

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model to a file, which the command reads too."""
        self._ready().save(str(path))

    def __getstate__(self):
        state = dict(super().__getstate__())
        if self._engine is not None:
            state["_engine"] = self._engine.to_bytes() if self._engine.ready else None
        return state

    def __setstate__(self, state):
        if isinstance(state.get("_engine"), bytes):
            state["_engine"] = _postil.Engine.from_bytes(state["_engine"])
        super().__setstate__(state)
        if self._engine is not None:
            self._labels_restored()
        elif state.get("_expected"):
            self.expect(*state["_expected"])

    def _labels_restored(self):
        """The engine may number classes otherwise than before it was saved."""

    # ---- tags ----

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing is not None
        tags.target_tags.required = True
        tags.input_tags.pairwise = getattr(self, "kernel", None) == "precomputed"
        return tags
