"""Postil's estimators on Dask: the same model, to the bit, whatever the number of workers.

    import dask.dataframe, postil.dask
    frame = dask.dataframe.read_parquet("patients/")
    model = postil.dask.AdviceClassifier(advice=rules).fit(frame, "outcome")
    model.predict(frame)          # lazy, a dask Series

Every estimator whose learner can learn from shards is here under its own name. A shard is a partition of a frame, or the rows of a block of an array, so the model depends on how the data are divided into these, and on nothing else. It runs on the scheduler in force:
`dask.distributed.Client()`, threads or one after the other. Rows that are read anew in each round stay in memory after `X.persist()`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _data, _errors, shards

__all__ = ["fit"]


def _parts(X, y, sample_weight):
    """A delayed X, y and weight for each shard."""
    xs = _delayed(X, "X")
    named = isinstance(y, str)
    ys = [y] * len(xs) if named or y is None else _delayed(y, "y")
    weights = [None] * len(xs) if sample_weight is None else _delayed(sample_weight, "sample_weight")
    for name, other in (("y", ys), ("sample_weight", weights)):
        if len(other) != len(xs):
            raise _errors.DataError(f"X has {len(xs)} partitions, but {name} has {len(other)}; they must be divided alike")
    return list(zip(xs, ys, weights))


def _delayed(data, name):
    if isinstance(data, (list, tuple)):  # delayed objects already
        return list(data)
    if not _data.is_dask(data):
        raise _errors.DataError(f"{name} is no dask collection; expected a dask frame or array, or a list of delayed objects")
    if getattr(data, "ndim", 1) == 2 and hasattr(data, "numblocks"):  # an array: all columns of a row in one block
        data = data.rechunk({1: data.shape[1]})
    options = {"optimize_graph": False} if hasattr(data, "numblocks") else {}  # so that what X and y have in common is computed once
    return np.ravel(np.asarray(data.to_delayed(**options), dtype=object)).tolist()


def _scattered(model):
    """The model on every worker at once, where there are workers."""
    try:
        from distributed import get_client

        return get_client().scatter(model, broadcast=True, hash=False)
    except (ImportError, ValueError):
        return model


def fit(estimator: Any, X: Any, y: Any = None, sample_weight: Any = None, rounds: int | None = None, seed: int = 0) -> Any:
    """A copy of the estimator, fitted to dask data.

    Parameters
    ----------
    estimator : an estimator of Postil
        With its parameters; it is not changed.
    X : dask frame or array, or a list of delayed objects
        A shard each partition.
    y : name of a column of X, dask Series or array
        Labels, divided as X is.
    sample_weight : dask Series or array, optional
        How much each row counts.
    rounds : int, optional
        How often to learn from all rows. Default: the learner's.
    seed : int
        Of the shuffling within shards.
    """
    import dask

    update, merge, finish = (dask.delayed(function, pure=False) for function in (shards.update, shards.merge, shards.finish))
    parts = _parts(X, y, sample_weight)
    data = shards.begin(estimator, rounds)
    while not shards.done(data):
        name = shards.stage(data).replace(" ", "-")
        held = _scattered(data)
        states = [update(held, x, labels, shard, seed, weight, dask_key_name=f"postil-{name}-{shard}-{dask.base.tokenize(data, shard)}") for shard, (x, labels, weight) in enumerate(parts)]
        data = finish(shards.merge_all(states, merge), len(parts)).compute()
    return shards.model(estimator, data)


class _DaskEstimator:
    """What changes for an estimator on Dask: fit takes dask data, and answers about dask data are lazy."""

    def fit(self, X, y=None, sample_weight=None, rounds=None, seed=None):
        """Learns from dask data, as postil.dask.fit does. Returns self."""
        plain = self.local()
        seed = plain._seed() if seed is None else seed
        fitted = fit(plain, X, y, sample_weight, rounds, seed)
        self.__dict__.update({key: value for key, value in fitted.__dict__.items() if key not in self.get_params(deep=False)})
        if isinstance(y, str):
            self._label_name = y
        return self

    def local(self):
        """The same estimator for data at hand, with the model if there is one."""
        base = next(kind for kind in type(self).__mro__ if kind.__module__ != __name__)
        out = base(**self.get_params(deep=False))
        out.__dict__.update({key: value for key, value in self.__dict__.items() if key not in out.get_params(deep=False)})
        return out

    def _lazily(self, X, method, like):
        if not _data.is_dask(X):
            return getattr(super(), method)(X)
        local = self.local()
        answer = getattr(local, method)
        if hasattr(X, "map_partitions"):
            import pandas

            def of_frame(frame):
                values = answer(frame) if len(frame) else like[:0]
                return pandas.Series(values, index=frame.index) if values.ndim == 1 else pandas.DataFrame(values, index=frame.index)

            meta = pandas.Series(like[:0]) if like.ndim == 1 else pandas.DataFrame(like[:0])
            return X.map_partitions(of_frame, meta=meta)
        X = X.rechunk({1: X.shape[1]})
        options = {"drop_axis": 1} if like.ndim == 1 else {"chunks": (X.chunks[0], (like.shape[1],))}
        return X.map_blocks(lambda block: answer(block) if len(block) else like[:0], dtype=like.dtype, meta=like[:0], **options)

    def predict(self, X):
        """Labels, or numbers; of dask data lazily."""
        self._ready()
        like = np.zeros(1) if self._numbers else self.classes_
        return self._lazily(X, "predict", like)


class _DaskClassifier(_DaskEstimator):
    def predict_proba(self, X):
        """The probability of each class; of dask data lazily."""
        self._ready()
        return self._lazily(X, "predict_proba", np.zeros((1, len(self.classes_))))


def __getattr__(name):
    import postil

    base = getattr(postil, name, None)
    if not (isinstance(base, type) and hasattr(base, "_learner")):
        raise AttributeError(f"module 'postil.dask' has no attribute {name!r}")
    mixin = _DaskEstimator if base._numbers else _DaskClassifier
    made = type(name, (mixin, base), {"__doc__": f"`postil.{name}` for dask data: postil.dask.fit.\n\n{base.__doc__}", "__module__": __name__})
    globals()[name] = made  # pickle finds it by name
    return made


def __dir__():
    import postil

    return sorted({*__all__, *(name for name in dir(postil) if isinstance(getattr(postil, name, None), type) and hasattr(getattr(postil, name), "_learner"))})
