"""Generated data, the same bytes on every machine for the same seed."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Any

from . import _postil

if TYPE_CHECKING:
    import pandas

__all__ = ["make"]


def make(name: str, rows: int = 0, seed: int = 0, **params: Any) -> tuple[pandas.DataFrame, pandas.Series]:
    """Data as `postil make NAME` makes them: X, a DataFrame, and y, a Series.

    Parameters
    ----------
    name : {'diabetes', 'synthetic', 'tuberculosis', 'text', 'dense'}
        Made-up patients; two clouds against one in the plane; simulated isolates of six lineages; and others that `postil make --help` lists.
    rows : int
        How many; 0: as many as the command would make.
    seed : int
        Any whole number.
    **params
        Of the generator, as the command has them.

    >>> X, y = make("synthetic", rows=3, seed=1)
    >>> list(X.columns), len(y)
    (['x1', 'x2'], 3)
    """
    import pandas as pd

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.csv")
        _postil.generate(name, path, rows, seed, {key: str(value) for key, value in params.items()})
        table = pd.read_csv(path)
    label = next((column for column in ("label", "class", "target") if column in table), table.columns[-1])
    return table.drop(columns=label), table[label]
