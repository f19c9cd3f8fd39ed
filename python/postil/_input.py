"""X and weights as scikit-learn's users give them: checked, and made the rows that the engine reads."""

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import _check_feature_names, _check_n_features, _check_sample_weight, check_array

from . import _data, _errors, _postil


class InputMixin:
    """What an estimator does with X."""

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
                return self._named(_data.rows_of(X))
        if _data.is_dask(X):
            X = X.compute()
        if _data.is_text_file(X):
            X = _data.rows_of(X)
        if isinstance(X, _postil.Rows) or _data.is_frame(X) or _data.is_parquet(X):
            return self._frame_rows(X, reset)
        _data.refuse_lazy(X)
        X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", ensure_all_finite=False, estimator=self, input_name="X")  # the engine looks, and says where
        _check_feature_names(self, X, reset=reset)
        _check_n_features(self, X, reset=reset)
        if hasattr(self, "feature_names_in_"):
            return _data.rows_of(X, list(self.feature_names_in_))
        return self._named(_data.rows_of(X))

    def _named(self, rows):
        """The rows of a matrix, under the names that the user has given its columns."""
        names = getattr(self, "feature_names", None)
        if names is None:
            return rows
        if hasattr(names, "get_feature_names_out"):
            try:
                names = names.get_feature_names_out()
            except NotFittedError:  # clone parts it from the one in front, which is fitted
                error = _errors.ParamError(
                    f"feature_names is a {type(names).__name__} that is not fitted, since scikit-learn copies the steps of a pipeline one by one; expected a list of names, or a vectoriser with vocabulary=..."
                )
                error.remedy = "give feature_names a list of names, or a vectoriser with vocabulary=..."
                raise error from None
        names = [str(name) for name in names]
        if len(names) != rows.width:
            raise _errors.DataError(f"feature_names has {len(names)} names, but X has {rows.width} columns")
        rows.rename(names)
        return rows

    def _frame_rows(self, X, reset):
        rows = _data.rows_of(X)
        if not reset and self._label_name is not None and self._label_name not in self._engine.column_names:
            rows.drop(self._label_name)
        if len(rows) == 0:
            raise ValueError(f"Found array with 0 sample(s) (shape=(0, {rows.width})) while a minimum of 1 is required.")
        if rows.width == 0:
            raise ValueError(f"Found array with 0 feature(s) (shape=({len(rows)}, 0)) while a minimum of 1 is required.")
        if _data.is_pandas(X) or type(X).__module__.startswith("polars"):
            if reset or not hasattr(self, "feature_names_in_") or set(rows.names) != set(self.feature_names_in_):  # their order does not matter
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

    def _model_rows(self, X):
        """The rows of X, unchecked; the columns of a matrix get the names that the model knows."""
        return _data.rows_of(X, None if self._engine.sparse else self._engine.column_names)

    def _many_rows(self, X, learning):
        """The same of River's frames: a column that is absent counts as a feature that a dict does not have."""
        rows = self._model_rows(X)
        self._engine.fill(rows, only=not learning)
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
