"""The metric of the ellipsoidal machines as a transformer."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin


class EllipsoidMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Rows along the axes of the ellipsoid that was learned."""

    def transform(self, X: Any) -> np.ndarray:
        """Each row along the axes of the ellipsoid B, from those along which least was seen to those along which most was.

        The Euclidean distance between two rows of the answer is the square root of (x - z)'B(x - z), where x and z are the rows as scaled
        by `scale`. Several classes have an ellipsoid each; their columns stand one after the other, in the order in which the classes first came.

        Returns
        -------
        array of shape (rows, axes)
        """
        values = self._ready().transform(self._rows(X, reset=False))
        if values is None:
            raise AttributeError(f"{type(self).__name__} has no ellipsoid over the columns here: transform needs kernel='linear', and not problem='sphere'")
        return values

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns of transform: ellipsoidalsvc0, ellipsoidalsvc1, ..."""
        return super().get_feature_names_out(input_features)

    @property
    def _n_features_out(self):
        return self._ready().axis_count
