"""Models in other forms: ONNX, SQL, and score cards."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from . import _data, _errors, _views
from ._told import Told


class Scorecard(Told):
    """A model as whole points that people add up.

    A dict with the names of `postil scorecard --json`; printed, the command's text; in notebooks, tables.
    """

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str:
        """Returns the card as CSV, as `postil scorecard --csv` writes it, and writes it to a file if `path` names one."""
        written: str = self._notes
        if path is not None:
            from ._postil import write_file

            write_file(os.fspath(path), written)
        return written

    def _repr_html_(self) -> str:
        return _views.scorecard_view(self)


class ExportMixin:
    """A trained model for those who run it without Postil."""

    def to_onnx(self, path: str | os.PathLike[str] | None = None) -> bytes:
        """Writes the model as an ONNX file, which predicts what this model predicts, in double precision.

        Parameters
        ----------
        path : str, optional
            The file to write; the old one stays until the new one is complete.

        Returns
        -------
        bytes
            The file's content. `postil convert MODEL OUT.onnx` writes the same.

        Raises
        ------
        ModelError
            If ONNX cannot hold this model exactly; the message names what works.
        """
        return self._ready().to_onnx(None if path is None else os.fspath(path))

    def to_sql(self, path: str | os.PathLike[str] | None = None, *, table: str = "data") -> str:
        """Writes the model as an SQL query, which adds this model's predictions to the rows of a table.

        Parameters
        ----------
        path : str, optional
            The file to write; the old one stays until the new one is complete.
        table : str, default="data"
            The table to read; `schema.table` works.

        Returns
        -------
        str
            The query. `postil convert MODEL OUT.sql` writes the same.

        Raises
        ------
        ModelError
            If SQL cannot hold this model exactly; the message names what works.

        Examples
        --------
        >>> import sqlite3
        >>> import pandas, postil
        >>> X = pandas.DataFrame({"age": [70, 30, 65, 20]})
        >>> model = postil.AdviceClassifier(advice="age >= 60 => ill").fit(X, ["ill", "well", "ill", "well"])
        >>> database = sqlite3.connect(":memory:")
        >>> X.to_sql("patients", database, index=False)
        4
        >>> pandas.read_sql(model.to_sql(table="patients"), database)["prediction"].tolist()
        ['ill', 'well', 'ill', 'well']
        """
        if not isinstance(table, str) or not table:
            raise _errors.ParamError(f"table={table!r}; expected the name of the table that the query reads")
        return self._ready().to_sql(table, None if path is None else os.fspath(path))

    def scorecard(self, X: Any, y: Any = None, *, test: Any = None, items: int = 10, bins: int = 5, seed: int = 0) -> Scorecard:
        """Turns a model of two classes into a score card: whole points for each condition, and what a total means.

        Parameters
        ----------
        X : array, sparse matrix, frame, Arrow stream, or path of a Parquet, CSV, LIBSVM, JSON lines or ARFF file
            Rows from which ranges, points and probabilities are taken.
        y : array, or the name of a column of X
            Their labels.
        test : pair of X and y, optional
            Rows to test the card on. Default: a third of the rows, which then do not make the card.
        items : int, default=10
            Columns and rules at most; those that matter most.
        bins : int, default=5
            Ranges of a column of numbers at most.
        seed : int, default=0
            Of the choice of the third that tests.

        Returns
        -------
        Scorecard
            A dict with the names of `postil scorecard --json`; printed, the command's text; in notebooks, tables.

        Raises
        ------
        ModelError
            If the model is not a sum over columns and rules, or has not two classes.
        """
        engine = self._ready()
        for name, value, least, most in (("items", items, 1, 1000), ("bins", bins, 2, 20), ("seed", seed, 0, 2**64 - 1)):
            if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not least <= value <= most:
                raise _errors.ParamError(f"{name}={value!r}; expected a whole number from {least} to {most if most < 2**64 - 1 else '2^64 - 1'}")
        if test is not None and not (isinstance(test, (tuple, list)) and len(test) == 2):
            raise _errors.ParamError("test holds one thing; expected a pair: X and y of the rows to test on")
        told, text, written = engine.scorecard(self._labelled_rows(X, y), None if test is None else self._labelled_rows(*test), int(items), int(bins), int(seed))
        return Scorecard(json.loads(told), text, written)

    def _labelled_rows(self, X, y):
        X, y, _ = _data.whole(X, y, self._numbers)
        if y is None:
            raise _errors.DataError("scorecard needs y: the labels of the rows")
        rows = self._rows(X, reset=False)
        self._matching(rows, y)
        rows.set_labels(*self._labels_to_test(y))
        return rows
