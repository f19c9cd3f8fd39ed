"""What all estimators share: scikit-learn's manners and River's, over one engine."""

from __future__ import annotations

import functools
import json
import os
import sys
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_feature_names, _check_n_features, _check_sample_weight, _check_y, check_array, column_or_1d

from . import _data, _errors, _labels, _postil, rules
from ._explain import Explanation, RowExplanation

if TYPE_CHECKING:
    from typing import Self

    import pandas

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


def _register_with_river():
    """River asks isinstance; its base classes take us as their own once both are there."""
    base = sys.modules.get("river.base")
    if base is not None and not Estimator._in_river:
        Estimator._in_river = True
        base.MiniBatchClassifier.register(Classifier)
        base.MiniBatchRegressor.register(Regressor)


class Estimator(BaseEstimator):
    """A learner of the registry, with its model once there is one."""

    _learner = ""  # in the registry
    _settings: dict[str, str] = {}  # parameter -> its name in the registry
    _in_river = False
    _supervised = True  # River
    _engine: Any = None

    def __new__(cls, *args, **kwargs):
        _register_with_river()
        return super().__new__(cls)

    # ---- what is asked of the engine ----

    def _recipe(self):
        recipe = {
            "learner": self._learner,
            "settings": {name: _setting(getattr(self, parameter)) for parameter, name in self._settings.items()},
            "scale": self.scale,
            "missing": "refuse" if self.missing is None else self.missing,
        }
        if "seed" in recipe["settings"]:
            recipe["settings"]["seed"] = str(self._seed())
        advice = getattr(self, "advice", None)
        if advice is not None and not (isinstance(advice, (str, list, tuple)) and len(advice) == 0):
            recipe["rules"], recipe["rules_source"] = rules.read(advice)
        return recipe

    def _seed(self):
        state = getattr(self, "random_state", None)
        if state is None:
            return 0
        if isinstance(state, (int, np.integer)):
            return int(state)
        return int(check_random_state(state).randint(2**31))

    # ---- data at the door ----

    def _rows(self, X, reset):
        """X as the engine reads it, checked as scikit-learn's users expect."""
        if not reset and hasattr(self, "feature_names_in_") and self._engine is not None and self._engine.width > self.n_features_in_:
            self.feature_names_in_ = np.asarray(self._engine.column_names, dtype=object)  # dicts brought new features
            self.n_features_in_ = self._engine.width
        if (_data.is_plain(X) or _data.is_plain_csr(X)) and X.shape[0] > 0 and X.shape[1] > 0 and (reset or not hasattr(self, "feature_names_in_")):
            if reset:  # the engine will look at the numbers; there is no need to look twice
                self.__dict__.pop("feature_names_in_", None)
                self.n_features_in_ = X.shape[1]
            if X.shape[1] == self.n_features_in_:
                return _data.rows_of(X)
        if isinstance(X, _postil.Rows) or _data.is_frame(X) or _data.is_parquet(X):
            return self._frame_rows(X, reset)
        _data.refuse_lazy(X)
        missing = reset and self.missing is not None or not reset and self._engine is not None and self._engine.missing_allowed
        X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", ensure_all_finite="allow-nan" if missing else True, estimator=self, input_name="X")
        _check_feature_names(self, X, reset=reset)
        _check_n_features(self, X, reset=reset)
        return _data.rows_of(X, list(self.feature_names_in_) if hasattr(self, "feature_names_in_") else None)

    def _frame_rows(self, X, reset):
        rows = _data.rows_of(X)
        if len(rows) == 0:
            raise ValueError(f"Found array with 0 sample(s) (shape=(0, {rows.width})) while a minimum of 1 is required.")
        if rows.width == 0:
            raise ValueError(f"Found array with 0 feature(s) (shape=({len(rows)}, 0)) while a minimum of 1 is required.")
        if _data.is_pandas(X) or type(X).__module__.startswith("polars"):
            _check_feature_names(self, X, reset=reset)
        elif reset:  # the engine arranges them by name
            self.feature_names_in_ = np.asarray(rows.names, dtype=object)
        if reset:
            self.n_features_in_ = rows.width
        elif rows.width != self.n_features_in_:
            raise ValueError(f"X has {rows.width} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input.")
        elif not hasattr(self, "feature_names_in_"):  # learned from columns without names: their order counts
            rows.rename(self._engine.column_names or rows.names)
        return rows

    def _weights(self, sample_weight, X, rows):
        if sample_weight is None:
            return
        like = X if hasattr(X, "shape") and len(X.shape) == 2 else np.empty((len(rows), 1))
        weights = np.ascontiguousarray(_check_sample_weight(sample_weight, like, dtype=np.float64))
        if len(weights) != len(rows):
            raise ValueError(f"sample_weight.shape == {weights.shape}, expected ({len(rows)},)!")
        rows.set_weights(weights)

    def _matching(self, rows, y):
        if len(rows) != len(y):
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{len(rows)}, {len(y)}]")

    # ---- learning ----

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learns from all rows, from the beginning (or on, with warm_start).

        Parameters
        ----------
        X : array, sparse matrix, frame, Arrow stream, or path of a Parquet file
            The rows.
        y : array, or the name of a column of X
            Their labels.
        sample_weight : array, optional
            How much each row counts.

        Returns
        -------
        self
        """
        X, y = _data.whole(X, y)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        going_on = getattr(self, "warm_start", False) and self._engine is not None and self._engine.settled
        rows = self._rows(X, reset=not going_on)
        y = self._labels_of(y)
        self._matching(rows, y)
        if going_on:
            self._set_labels(rows, y, self._codes_of(y))
            self._weights(sample_weight, X, rows)
            self._engine.fit_more(rows, passes=self._passes(), shuffle=self._shuffled(), seed=self._seed(), after_pass=self._after_pass())
            return self
        recipe = self._recipe()
        self._describe_labels(recipe, rows, y)
        self._weights(sample_weight, X, rows)
        try:
            self._engine = _postil.Engine.fit(rows, recipe, passes=self._passes(), shuffle=self._shuffled(), seed=self._seed(), after_pass=self._after_pass())
        except _errors.ParseError as error:
            raise self._told_of_names(error) from None
        self._look_at_rules()
        self._report_convergence()
        return self

    def _passes(self):
        passes = getattr(self, "max_iter", 1)
        if not isinstance(passes, (int, np.integer)) or passes < 1:
            raise ValueError(f"max_iter={passes!r}; expected a whole number of passes, at least 1")
        return int(passes)

    def _shuffled(self):
        return bool(getattr(self, "shuffle", False))

    def _after_pass(self):
        """Stops when a pass makes no fewer mistakes (for numbers, no smaller errors) than those before; tells of each pass."""
        tol, verbose = getattr(self, "tol", None), getattr(self, "verbose", 0)
        if tol is None and not verbose:
            return None
        state = {"best": np.inf, "since": 0}
        patience = getattr(self, "n_iter_no_change", 5)

        def after_pass(passes, loss):
            if verbose:
                print(f"pass {passes}: loss {loss:.6g}", file=sys.stderr)
            state["since"] = 0 if tol is None or loss < state["best"] - tol else state["since"] + 1
            state["best"] = min(loss, state["best"])
            return state["since"] < patience

        return after_pass

    def _look_at_rules(self):
        """Rules are in the units of the columns that the estimator sees."""
        if self._learner == "advice-only" and not self._engine.rules:
            warnings.warn("there is no advice, so this model says the same of every row", UserWarning, stacklevel=3)
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
        for text in odd:
            warnings.warn(text, UserWarning, stacklevel=3)

    def _report_convergence(self):
        for report in self._engine.fit_reports:
            if not report["converged"]:
                warnings.warn(f"{self._learner}: {report['status']} after {report['iterations']} iterations", ConvergenceWarning, stacklevel=3)

    def _begin(self, rows, recipe):
        try:
            self._engine = _postil.Engine.begin(rows, recipe)
        except _errors.ParseError as error:
            raise self._told_of_names(error) from None

    def _told_of_names(self, error):
        unnamed = "unknown column" in str(error) and not hasattr(self, "feature_names_in_")
        return _errors.ParseError(f"{error}{UNNAMED_HINT if unnamed else ''}")

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
        """How far each row lies from what was learned from: x'Bx, of learners with an ellipsoid.

        Returns
        -------
        array of shape (rows,) or (rows, classes)
        """
        values = self._ready().novelty(self._rows(X, reset=False))
        if values is None:
            raise AttributeError(f"{type(self).__name__} has no ellipsoid, and so no novelty")
        return values[:, 0] if values.shape[1] == 1 else values

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

    def _linear(self):
        linear = self._ready().linear()
        if linear is None:
            raise AttributeError(f"{type(self).__name__} has no weights by feature here: it does not predict with one hyperplane")
        return linear

    def explain(self, row: Any = None, *, certify: Any = None) -> Explanation | RowExplanation:
        """What the model has learned, or why one row gets its score.

        Parameters
        ----------
        row : one row, or a frame of one row; optional
            To be explained: what each feature and each rule adds to its score.
        certify : rules, optional
            For each, a proof that the model obeys it everywhere, or a counterexample.

        Returns
        -------
        Explanation or RowExplanation
            A dict as `postil explain --json` prints it; its text is that of the command.
        """
        engine = self._ready()
        if row is not None:
            rows = self._one_row(row)
            return RowExplanation(json.loads(engine.row_report(rows, True)), engine.row_report(rows, False))
        text = "" if certify is None else rules.read(certify)[0]
        return Explanation(json.loads(engine.explain_json(text)), engine.explain_text())

    def _one_row(self, row):
        if hasattr(row, "keys") and getattr(row, "ndim", 1) == 1:  # a mapping, or a Series
            import pandas as pd

            values = {str(name): value for name, value in row.items()}
            if not hasattr(self, "feature_names_in_") and not set(values) & set(self._engine.column_names):
                values = dict(zip(self._engine.column_names, values.values()))  # columns without names, in their order
            return _data.rows_of(pd.DataFrame([{name: values.get(name, np.nan if self._engine.missing_allowed else 0) for name in self._engine.column_names}]))
        if hasattr(row, "ndim") and row.ndim == 1 or isinstance(row, (list, tuple)):
            row = np.asarray(row, dtype=np.float64)[None, :]
            return _data.rows_of(row, None if self._engine.sparse else self._engine.column_names)
        rows = self._rows(row, reset=False)
        if len(rows) != 1:
            raise ValueError(f"explain tells of one row, found {len(rows)}")
        return rows

    def ledger(self) -> pandas.DataFrame:
        """What became of each rule, as a DataFrame: how often it held, agreed and was contradicted, and what it moved.

        `contradicted_by` holds the last few rows that spoke against it, counted from 0 in the order they were given.
        """
        import pandas as pd

        entries = json.loads(self._ready().explain_json())["rules"]
        columns = ["id", "text", "class", "polarity", "fired", "agreed", "contradicted", "precision", "base_rate", "z", "verdict", "closeness", "influence", "trust", "contradicted_by"]
        table = pd.DataFrame([{name: entry[name] for name in columns} for entry in entries], columns=columns)
        table["contradicted_by"] = [[row - 1 for row in entry["contradicted_by"]] for entry in entries]
        return table.set_index("id")

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

    # ---- tags, and River's expectations ----

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing is not None
        tags.target_tags.required = True
        tags.input_tags.pairwise = getattr(self, "kernel", None) == "precomputed"
        return tags

    def clone(self) -> Self:
        """A fresh estimator with the same parameters, as River calls it."""
        return clone(self)

    @property
    def _raw_memory_usage(self):
        return len(self._engine.to_bytes()) if self.__sklearn_is_fitted__() else sys.getsizeof(self)


class OnlineMixin:
    """Learning as rows come."""

    def _learn(self, rows, X, y, codes, sample_weight):
        self._set_labels(rows, y, codes)
        self._weights(sample_weight, X, rows)
        before = self._engine.settled
        self._engine.learn(rows, self.missing is not None)
        if not before and self._engine.settled:
            for text in self._engine.odd_units():
                warnings.warn(f"{text} Rules are in the units of the columns that this estimator sees; scale='standard' scales both.", UserWarning, stacklevel=4)

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learns from one example: an array, a sparse row, or a dict of features by name.

        A feature that a dict does not have counts as 0, unless `missing` tells what else.
        """
        try:
            code = self._codes[y]
            learn = self._engine.learn_one
        except (AttributeError, KeyError, TypeError):
            self._begin_with(x, y)
            code = self._code_if_known(y)
            learn = self._engine.learn_one
        learn(x, code, w)

    def predict_one(self, x: Any) -> Any:
        """The label of one example; None before anything was learned, unless there are rules."""
        if self._engine is None and getattr(self, "advice", None):
            self._begin_with(x)
        engine = self._engine
        if engine is None or not engine.ready:
            return None
        return self._label_of(engine.predict_one(x))

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learns from the rows of a frame in turn, to the same bits as learn_one from each."""
        for part, labels, weights in _data.weighted_batches_of(X, y, w):
            labels = np.asarray(labels)
            if len(labels) == 0:
                continue
            if self._engine is None:
                self._begin_with(part, labels.tolist()[0])
            codes = [self._code_if_known(value) for value in labels.tolist()]
            rows = part if isinstance(part, _postil.Rows) else _data.rows_of(part, None if self._engine.sparse else self._engine.column_names)
            self._learn(rows, part, labels, codes, weights)

    def predict_many(self, X: Any) -> Any:
        """The labels of the rows of a frame, as a pandas Series if it is one of pandas'."""
        if self._engine is None and getattr(self, "advice", None):
            self._begin_with(X)
        if self._engine is None or not self._engine.ready:
            labels = [None] * len(X)
        else:
            rows = _data.rows_of(X, None if self._engine.sparse else self._engine.column_names)
            labels = self._predicted(self._engine.scores(rows))
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
        if hasattr(x, "keys") and getattr(x, "ndim", 1) == 1:  # a mapping, or a Series
            values = dict(x.items())
            names = [str(name) for name in values]
            rows = _postil.Rows.columns([(np.zeros(1, dtype=np.int32), [value]) if isinstance(value, str) else np.zeros(1) for value in values.values()], names, 1)
            rows = self._rows(rows, reset=True)
        elif hasattr(x, "ndim") and x.ndim == 1 or isinstance(x, (list, tuple)):
            rows = self._rows(np.asarray(x, dtype=np.float64)[None, :], reset=True)
        else:
            rows = self._rows(x, reset=True)
        recipe = self._recipe()
        self._expect(recipe, y)
        self._begin(rows, recipe)


class Classifier(ClassifierMixin, Estimator):
    _multiclass = True  # River

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self._learner == "advice-only"  # it does not look at labels
        return tags

    # ---- labels ----

    def _labels_of(self, y):
        if not isinstance(y, np.ndarray) or y.ndim != 1 or y.dtype.kind not in "iubUT":
            y = column_or_1d(y, warn=True)
            _check_y(y, estimator=self) if y.dtype.kind == "f" else None
            check_classification_targets(y)
            if y.dtype.kind == "O":
                y = np.array(y.tolist()) if all(isinstance(value, type(y[0])) for value in y) else y
        return y

    def _labels_restored(self):
        self._book.follow(self._engine.labels)
        self._codes = self._book.codes

    def _use_classes(self, classes):
        self._book = _labels.Classes(classes)
        self._codes = self._book.codes

    @property
    def classes_(self) -> np.ndarray:
        """The classes, in order."""
        self._ready()
        return self._sorted_classes()

    def _sorted_classes(self):
        if not self._engine.settled:  # more may come
            return np.unique(np.array(self._by_number()))
        if self._known_classes is None:
            self._known_classes = np.unique(np.array(self._by_number()))
        return self._known_classes

    def _describe_labels(self, recipe, rows, y):
        values, codes = _labels.distinct(y)
        self._use_classes(values.tolist())
        self._known_classes = values
        if len(values) == 1:
            raise ValueError(f"{type(self).__name__} needs rows of two classes at least; y has only one class, {values[0]!r}")
        self._class_wishes(recipe, values, y)
        rows.set_labels(codes, self._book.texts())

    def _class_wishes(self, recipe, classes, y):
        if len(classes) == 2:
            recipe["positive"] = _labels.class_text(classes[1])
        weight = self.class_weight
        if weight is None:
            return
        if isinstance(weight, str):
            if weight != "balanced" or y is None:
                raise ValueError(f"class_weight={weight!r} is not known here: expected a dict {{class: weight}}" + (" or 'balanced'" if y is not None else "; 'balanced' needs all rows at once (fit)"))
            recipe["balanced"] = True
            return
        for name, value in weight.items():
            if not (isinstance(value, (int, float, np.number)) and 0 <= value < np.inf):
                raise ValueError(f"class_weight of {name!r} is {value!r}; expected a finite number, not negative")
        unknown = [name for name in weight if name not in self._codes]
        if unknown and y is None:
            raise ValueError(f"class_weight names {unknown[0]!r}, which is no class; classes: {list(classes)}")
        recipe["class_weight"] = {_labels.class_text(name): float(value) for name, value in weight.items() if name in self._codes}

    def _code(self, value):
        code = self._codes.get(value)
        if code is None:
            if _labels.class_text(value) == "":
                raise _errors.DataError("y holds '', a class without a name: in a stream that means that there is no label")
            try:
                code = self._book.add(value, self._engine)
            except _errors.DataError:
                raise _errors.DataError(f"y holds {value!r}, which is none of the classes known: {self._sorted_classes().tolist()}") from None
        return code

    def _codes_of(self, y):
        return self._coded(*_labels.distinct(y))

    def _coded(self, values, places):
        codes = np.array([self._code(value) for value in values.tolist()])
        return places if np.array_equal(codes, np.arange(len(codes))) else codes[places.astype(np.intp)]

    def _code_if_known(self, value):
        """NaN, and a warning, for a class that came too late: what a stream's first rows settle holds."""
        try:
            return self._code(value)
        except ValueError as error:
            if not getattr(self, "_told_unknown", False):
                self._told_unknown = True
                warnings.warn(f"{error}; rows of such classes are not learned. partial_fit(classes=...) names all classes beforehand", UserWarning, stacklevel=4)
            return np.nan

    def _set_labels(self, rows, y, codes):
        rows.set_labels(np.asarray(codes, dtype=np.float64), self._engine.labels)

    def _label_of(self, number):
        return self._by_number()[int(number)]

    def _by_number(self):
        """Labels in the engine's own order of classes."""
        by_text = {_labels.class_text(value): value for value in self._book.values}
        known = _labels.from_texts(self._engine.classes).tolist()  # some may be known by the rules alone
        return [by_text.get(text, value) for text, value in zip(self._engine.classes, known)]

    # ---- predicting ----

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores: of the later of two classes, or of each of more.

        Returns
        -------
        array of shape (rows,) or (rows, classes)
        """
        scores = self._scores(X)
        if scores.shape[1] > 1:
            return scores[:, self._columns()]
        if scores.shape[1] == 0:  # one class so far
            return np.zeros(len(scores))
        return scores[:, 0] if self._later_is_positive() else -scores[:, 0]

    def _columns(self):
        places = {text: place for place, text in enumerate(self._engine.classes)}
        return [places[_labels.class_text(value)] for value in self._sorted_classes().tolist()]

    def _later_is_positive(self):
        positive = self._engine.classes[self._engine.positive]
        return _labels.class_text(self._sorted_classes().tolist()[-1]) == positive

    def _predicted(self, scores):
        classes = self._sorted_classes()
        if scores.shape[1] > 1:
            order = np.argsort(self._columns())
            return classes[order[np.argmax(scores, axis=1)]]
        if scores.shape[1] == 0:
            return np.repeat(classes[:1], len(scores))
        yes = scores[:, 0] >= 0
        return classes[(yes if self._later_is_positive() else ~yes).astype(np.intp)]

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        return self._predicted(self._scores(X))

    @property
    def coef_(self) -> np.ndarray:
        """Weights in the units of X, of shape (1, features) or (classes, features): of the features, a category counting as one each."""
        weights = self._linear()[0]
        return weights[self._columns()] if len(weights) > 1 else weights if self._later_is_positive() else -weights

    @property
    def intercept_(self) -> np.ndarray:
        """The constant of each score."""
        biases = self._linear()[1]
        return biases[self._columns()] if len(biases) > 1 else biases if self._later_is_positive() else -biases

    def _take(self, engine):
        self._engine = engine
        self._use_classes(_labels.from_texts(engine.classes).tolist())
        self._known_classes = None


class OnlineClassifier(OnlineMixin, Classifier):
    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Goes on learning from more rows, each once and in their order.

        Parameters
        ----------
        X : array, sparse matrix, frame, Arrow stream, or path of a Parquet file
            A stream of record batches is read batch by batch.
        y : array, or the name of a column of X
            Labels.
        classes : array, optional
            All classes there will be, in the first call. Without them the first 256 rows tell.
        sample_weight : array, optional
            How much each row counts.

        Returns
        -------
        self
        """
        for part, labels, weights in _data.weighted_batches_of(X, y, sample_weight):
            self._partial_fit(part, labels, classes, weights)
        return self

    @all_or_nothing
    def expect(self, X: Any, classes: Any = None) -> Self:
        """Tells what is to come: the columns (a frame, a matrix or a list of names) and, if they are known, the classes.

        From here on rules answer, before any label. Returns self.
        """
        rows = self._rows_to_come(X)
        self._start(rows, classes)
        self._expected = None if self._engine.sparse else (rows.names, None if classes is None else np.unique(classes).tolist())
        return self

    def _start(self, rows, classes):
        recipe = self._recipe()
        classes = None if classes is None else np.unique(classes)
        self._use_classes([] if classes is None else classes.tolist())
        recipe["classes"] = self._book.texts()
        self._class_wishes(recipe, [] if classes is None else classes, None)
        self._known_classes = None
        self._begin(rows, recipe)

    def _partial_fit(self, X, y, classes, sample_weight):
        if self._engine is not None and _data.is_plain(X) and len(X) == 1 and sample_weight is None and X.shape[1] == self.n_features_in_ and classes is None:
            if type(y) is np.ndarray and y.shape == (1,) and not hasattr(self, "feature_names_in_"):
                value = y[0]
                self._engine.learn_one(X, self._codes[value] if value in self._codes else self._code(value), 1.0)
                return
        y = self._labels_of(y)
        values, places = _labels.distinct(y)
        if classes is not None:
            unknown = np.setdiff1d(values, classes)
            if len(unknown):
                raise ValueError(f"y holds {unknown[0]!r}, which is not among classes={np.unique(classes).tolist()}")
        rows = self._rows(X, reset=self._engine is None)
        self._matching(rows, y)
        if self._engine is None:
            self._start(rows, classes)
        elif classes is not None and not np.array_equal(np.unique(classes), self._sorted_classes()):
            raise ValueError(f"classes={np.unique(classes).tolist()} comes too late or has changed: this model knows {self._sorted_classes().tolist()}. All classes are named in the first call")
        self._learn(rows, X, y, self._coded(values, places), sample_weight)

    def _expect(self, recipe, y):
        """What the first label tells of the classes: truth values are two."""
        values = [False, True] if isinstance(y, (bool, np.bool_)) else []
        self._use_classes(values)
        self._known_classes = None
        recipe["classes"] = self._book.texts()
        self._class_wishes(recipe, values, None)


class Regressor(RegressorMixin, Estimator):
    _multiclass = False

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

    def _label_of(self, number):
        return number

    def _predicted(self, scores):
        return scores[:, 0]

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
        if not self.fit_intercept:
            recipe["settings"]["bias"] = "none"
        return recipe


class OnlineRegressor(OnlineMixin, Regressor):
    class _Numbers(dict):
        """Every number is its own code."""

        def __getitem__(self, value):
            return float(value)

    _codes = _Numbers()

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Goes on learning from more rows, each once and in their order. Returns self."""
        for part, labels, weights in _data.weighted_batches_of(X, y, sample_weight):
            labels = self._labels_of(labels)
            if self._engine is None:
                rows = self._rows(part, reset=True)
                self._matching(rows, labels)
                self._begin(rows, self._recipe() | {"regression": True})
            else:
                rows = self._rows(part, reset=False)
                self._matching(rows, labels)
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
