"""Learning from rows that stand in several places, with the same bits whatever the number of workers.

The rows are divided into shards, numbered from 0. A model is made in rounds: the first surveys the columns, the others learn. Each round is `update` for every shard, `merge` of the states, two at a time, and `finish`. All three are pure functions of bytes: any engine may
run them anywhere, in any order, and again after a failure. `fit` does it all, with a `map` of your choice; `postil.dask` and `postil.spark` are the same on these engines.

>>> import postil
>>> X, y = postil.datasets.make("synthetic", rows=600, seed=1)
>>> parts = [(X[i::3], y[i::3]) for i in range(3)]
>>> model = postil.shards.fit(postil.AdviceClassifier(), parts)
>>> print(f"{model.score(X, y):.3f}")
0.985
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone

from . import _data, _errors, _labels, _postil

__all__ = ["begin", "done", "finish", "fit", "merge", "model", "stage", "update"]

Model = TypeVar("Model")


def begin(estimator: Any, rounds: int | None = None) -> bytes:
    """What the first round begins with.

    Parameters
    ----------
    estimator : an estimator of Postil
        With its parameters; it is not changed.
    rounds : int, optional
        How often to learn from all rows. Default: the learner's. Batch learners end by themselves.
    """
    recipe = estimator._recipe()
    if estimator._numbers:
        recipe["regression"] = True
    else:
        weight = estimator.class_weight
        if isinstance(weight, str) and weight == "balanced":
            recipe["balanced"] = True
        elif weight is not None:
            recipe["class_weight"] = {_labels.class_text(name): float(value) for name, value in dict(weight).items()}
    if rounds is not None and (not isinstance(rounds, (int, np.integer)) or rounds < 1):
        raise _errors.ParamError(f"rounds={rounds!r}; expected a whole number, at least 1")
    return _postil.begin_shards(recipe, rounds or 0)


def update(model: bytes, X: Any, y: Any = None, shard: int = 0, seed: int = 0, sample_weight: Any = None) -> bytes:
    """The state of a shard after a round.

    Parameters
    ----------
    model : bytes
        Of `begin` or `finish`.
    X : array, sparse matrix, frame, Arrow table, or path of a file
        The rows of the shard.
    y : array, or the name of a column of X
        Their labels.
    shard : int
        Its number, from 0.
    seed : int
        Of the shuffling; the same for all shards.
    sample_weight : array, optional
        How much each row counts.
    """
    numbers = _postil.shards_numbers(model)
    rows, y = _rows(X, y, numbers)
    kind = ""
    if y is not None:
        if len(y) != len(rows):
            raise ValueError(f"shard {shard}: found input variables with inconsistent numbers of samples: [{len(rows)}, {len(y)}]")
        if numbers:
            rows.set_labels(np.ascontiguousarray(y, dtype=np.float64), [])
        else:
            values, codes = _labels.distinct(y)
            rows.set_labels(codes, [_labels.class_text(value) for value in values.tolist()])
            kind = _labels.kind_of(values.tolist())
    if sample_weight is not None:
        rows.set_weights(np.ascontiguousarray(sample_weight, dtype=np.float64))
    return _postil.update_shard(model, rows, shard, seed, kind)


def _rows(X, y, numbers):
    """The rows of a shard and their labels, as arrays; there may be none."""
    X, y, _ = _data.whole(X, y, numbers)
    if isinstance(X, _postil.Rows):
        return X, y
    if hasattr(X, "__len__") and not isinstance(X, str) and hasattr(X, "columns") and len(X) == 0 and _data.is_pandas(X):
        X = X.astype({name: np.float64 for name in X.columns if X[name].dtype == object})  # an empty column is of any kind
    return _data.rows_of(X), None if y is None else np.asarray(y)


def merge(a: bytes, b: bytes) -> bytes:
    """The state of the shards of `a` and, right after them, `b`: of shards 2i and 2i + 1, or of two branches of that tree."""
    return _postil.merge_shards(a, b)


def finish(state: bytes, shards: int) -> bytes:
    """What the next round begins with, or the model: `done` says which. `state` is of all shards, of which there are so many."""
    return _postil.finish_shards(state, shards)


def done(model: bytes) -> bool:
    """Whether these are the bytes of a model, which `postil.load` and the command read."""
    return _postil.shards_done(model)


def stage(model: bytes) -> str:
    """What the next round does: 'survey', 'round 1 of 3', or 'done'."""
    return _postil.shards_stage(model)


def model(estimator: Any, data: bytes) -> Any:
    """A copy of the estimator with the model in it."""
    out = clone(estimator)
    engine = _postil.Engine.from_bytes(data)
    out._take(engine)
    names = engine.column_names
    out.n_features_in_ = len(names) or len(engine.features)
    if names and names != [f"f{j + 1}" for j in range(len(names))]:
        out.feature_names_in_ = np.asarray(names, dtype=object)
    return out


def merge_all(states: Iterable[bytes], merge: Callable[[Any, Any], Any] = merge) -> Any:
    """All states, in order of their shards, merged as a binary tree. `merge` may build a task graph."""
    level = list(states)
    while len(level) > 1:
        level = [merge(level[i], level[i + 1]) if i + 1 < len(level) else level[i] for i in range(0, len(level), 2)]
    return level[0]


def _update_part(task):
    model, part, shard, seed = task
    part = part() if callable(part) else part
    if isinstance(part, (str, os.PathLike)):
        part = (part,)
    X, y, weight = (*part, None, None)[:3]
    return update(model, X, y, shard, seed, weight)


def _files(where, y):
    """The files of a folder, or those whose names fit a pattern, in the order of their names."""
    where = os.fspath(where)
    folder = os.path.isdir(where)
    found = sorted(name for name in glob.glob(os.path.join(glob.escape(where), "*") if folder else where, recursive=True) if os.path.isfile(name) and not os.path.basename(name).startswith(("_", ".")))
    if not found:
        raise _errors.DataError(f"there are no files in {where}" if folder else f"no file is called {where}")
    return [(name, y) for name in found]


def fit(estimator: Any, parts: Sequence[Any] | str | os.PathLike[str], rounds: int | None = None, seed: int = 0, map: Callable[..., Iterable[bytes]] = map, y: str | None = None) -> Any:
    """A copy of the estimator, fitted to rows in several parts.

    Parameters
    ----------
    estimator : an estimator of Postil
        Of a learner that can learn from shards: docs/shards.md has the table.
    parts : list, or path
        Each of (X, y) or (X, y, sample_weight), the path of a file, or a function without arguments that gives one of these; so that a process reads its own part. In place of a list a folder, or a pattern such as "patients/*.parquet": a part each file, in the order of their names.
    rounds : int, optional
        How often to learn from all rows. Default: the learner's.
    seed : int
        Of the shuffling.
    map : function
        `map(function, tasks)` in the manner of Python's own: of a thread pool, a process pool (`concurrent.futures.ProcessPoolExecutor().map`), MPI, Ray, ... It does not change the model.
    y : str, optional
        The column of labels, for a folder or a pattern.
    """
    parts = _files(parts, y) if isinstance(parts, (str, os.PathLike)) else list(parts)
    if not parts:
        raise _errors.DataError("there are no parts")
    data = begin(estimator, rounds)
    while not done(data):
        states = list(map(_update_part, [(data, part, shard, seed) for shard, part in enumerate(parts)]))
        data = finish(merge_all(states), len(parts))
    return model(estimator, data)
