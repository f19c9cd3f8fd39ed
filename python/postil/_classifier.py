"""Estimators of classes: labels in and out, scores by class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_y, column_or_1d

from . import _data, _errors, _labels
from ._estimator import Estimator, all_or_nothing
from ._online import OnlineMixin
from ._warn import warn

if TYPE_CHECKING:
    from typing import Self


class Classifier(ClassifierMixin, Estimator):
    _multiclass = True  # River

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self._needs_advice  # it does not look at labels
        return tags

    # ---- labels ----

    def _labels_of(self, y):
        if not isinstance(y, np.ndarray) or y.ndim != 1 or y.dtype.kind not in "iubUT":
            if isinstance(y, (list, tuple)) or np.asarray(y).dtype.kind == "O":
                y, there = _labels.known(y)
                if there is not None:
                    raise _errors.DataError(f"y has no label for row {np.flatnonzero(~there)[0]}; leave out rows without a label")
            y = column_or_1d(y, warn=True)
            _check_y(y, estimator=self) if y.dtype.kind == "f" else None
            check_classification_targets(y)
            if y.dtype.kind == "O":
                y = np.array(y.tolist()) if all(isinstance(value, type(y[0])) for value in y) else y
        return y

    def _labels_restored(self):
        self._book.follow(self._engine)
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
        if self._known_classes is None or len(self._known_classes) != self._engine.class_count or not self._engine.settled:  # more may come
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
        recipe["label_kind"] = _labels.kind_of(self._book.values)
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
        unweighed = [name for name in self._codes if name not in weight]
        if unknown and (y is None or unweighed):  # some rows may lack a class; a name that is none beside a class without a weight is a slip
            raise ValueError(f"class_weight names {unknown[0]!r}, which is no class; classes: {np.asarray(classes).tolist()}")
        recipe["class_weight"] = {_labels.class_text(name): float(value) for name, value in weight.items() if name in self._codes}

    def _code(self, value):
        code = self._codes.get(value)
        if code is None:
            self._book.check_kind(value)
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
        """NaN, and a warning, for a class that is none of those named beforehand."""
        if value not in self._codes:
            self._book.check_kind(value)
        try:
            return self._code(value)
        except ValueError as error:
            if not getattr(self, "_told_unknown", False):
                self._told_unknown = True
                warn(f"{error}; rows of such classes are not learned")
            return np.nan

    def _set_labels(self, rows, y, codes):
        rows.set_labels(np.asarray(codes, dtype=np.float64), self._engine.labels)

    def _label_named(self, text):
        label = self._book.by_text.get(text)
        return label if label is not None else dict(zip(self._engine.classes, self._by_number()))[text]

    def _by_number(self):
        """Labels in the engine's own order of classes."""
        return self._book.labels_of(self._engine.classes, self._engine.label_kind)

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

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The share of rows whose class is predicted. `y` may be the name of a column of X."""
        X, y, _ = _data.whole(X, y)
        return super().score(X, y, sample_weight)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        return self._predicted(self._scores(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, in the order of classes_.

        Of learners whose scores are log-odds (AdviceClassifier) these are their own. Others are calibrated by Platt's method on scores
        that were given before the row was learned; batch learners on cross-validated scores.

        Returns
        -------
        array of shape (rows, classes)
        """
        return self._probabilities(self._scores(X))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithm of predict_proba."""
        return np.log(self.predict_proba(X))

    def _probabilities(self, scores):
        return self._engine.probabilities(np.ascontiguousarray(scores))[:, self._columns()]

    def abstains(self, X: Any) -> np.ndarray:
        """True for each row on which no rule holds, or rules cancel each other: of RulesClassifier, whose prediction is then the usual class."""
        silent = self._ready().silent(self._rows(X, reset=False))
        if silent is None:
            raise AttributeError(f"{type(self).__name__} has an answer for every row")
        return silent.astype(bool)

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
        self._use_classes(_labels.from_texts(engine.classes, engine.label_kind).tolist())
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
            Labels. None, NaN and pandas.NA stand for a row without one, which tells of the columns only.
        classes : array, optional
            All classes there will be, in the first call. Without them, new classes may come at any time.
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

    def predict_proba_one(self, x: Any) -> dict:
        """The probability of each class, of one example; none before anything was learned, unless there are rules."""
        if self._engine is None and getattr(self, "advice", None):
            self._begin_with(x)
        if self._engine is None:
            return {}
        return {self._label_named(text): share for text, share in self._engine.probabilities_one(x)}

    def predict_proba_many(self, X: Any) -> Any:
        """The probability of each class, of the rows of a frame."""
        import pandas as pd

        if self._engine is None and getattr(self, "advice", None):
            self._begin_with(X)
        if self._engine is None or not self._engine.ready:
            return pd.DataFrame(index=getattr(X, "index", None))
        shares = self._engine.probabilities(np.ascontiguousarray(self._engine.scores(self._many_rows(X, False))))
        return pd.DataFrame(shares, columns=self._by_number(), index=getattr(X, "index", None))

    def _start(self, rows, classes):
        recipe = self._recipe()
        self._name_classes(recipe, [] if classes is None else np.unique(classes))
        self._begin(rows, recipe)

    def _name_classes(self, recipe, classes):
        """Classes that are known beforehand; if none are, the first rows decide."""
        self._use_classes(np.asarray(classes).tolist())
        self._known_classes = None
        recipe["classes"] = self._book.texts()
        self._class_wishes(recipe, classes, None)

    def _partial_fit(self, X, y, classes, sample_weight):
        if self._engine is not None and _data.is_plain(X) and len(X) == 1 and sample_weight is None and X.shape[1] == self.n_features_in_ and classes is None:
            if type(y) is np.ndarray and y.shape == (1,) and not hasattr(self, "feature_names_in_"):
                value = y[0]
                if value in self._codes or not _labels.is_missing(value):
                    self._engine.learn_one(X, self._codes[value] if value in self._codes else self._code(value), 1.0)
                    return
        y, there = _labels.known(y)
        y = self._labels_of(y) if there is None or there.any() else y
        values, places = _labels.distinct(y)
        if classes is not None:
            unknown = np.setdiff1d(values, classes)
            if len(unknown):
                raise ValueError(f"y holds {unknown[0]!r}, which is not among classes={np.unique(classes).tolist()}")
        rows = self._rows(X, reset=self._engine is None)
        self._matching(rows, y if there is None else there)
        if self._engine is None:
            self._start(rows, classes)
        elif classes is not None and not np.array_equal(np.unique(classes), self._sorted_classes()):
            raise ValueError(f"classes={np.unique(classes).tolist()} comes too late or has changed: this model knows {self._sorted_classes().tolist()}. All classes are named in the first call")
        codes = self._coded(values, places) if len(values) else []
        self._learn(rows, X, y, _labels.spread(codes, there), sample_weight)

    def _expect(self, recipe, y):
        """What the first label tells of the classes: truth values are two."""
        self._name_classes(recipe, [False, True] if isinstance(y, (bool, np.bool_)) else [])
