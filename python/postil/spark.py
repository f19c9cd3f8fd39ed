"""Postil's estimators on Spark: the same model, to the bit, whatever the number of executors.

    import postil, postil.spark
    frame = spark.read.parquet("patients/").cache()
    model = postil.spark.fit(postil.AdviceClassifier(advice=rules), frame, "outcome")
    postil.spark.predict(model, frame).show()          # with a column `prediction`

A shard is a partition, so the model depends on how the frame is partitioned, and on nothing else. States come to the driver, which merges them in the order of the shards. Spark computes a frame anew in each round unless it is cached, and gives the same
rows in the same order only if what made them is deterministic: cache, or read from files.
"""

from __future__ import annotations

from typing import Any

from . import _errors, shards

__all__ = ["fit", "predict"]


def fit(estimator: Any, frame: Any, y: str, sample_weight: str | None = None, rounds: int | None = None, seed: int = 0) -> Any:
    """A copy of the estimator, fitted to a frame of Spark.

    Parameters
    ----------
    estimator : an estimator of Postil
        With its parameters; it is not changed.
    frame : pyspark.sql.DataFrame
        A shard each partition.
    y : str
        The column of labels.
    sample_weight : str, optional
        A column that says how much each row counts.
    rounds : int, optional
        How often to learn from all rows. Default: the learner's.
    seed : int
        Of the shuffling within shards.
    """
    for column in (y, sample_weight):
        if column is not None and column not in frame.columns:
            raise _errors.DataError(f"there is no column {column!r}; there are: {', '.join(frame.columns)}")
    from pyspark.sql.pandas.types import to_arrow_schema

    empty = to_arrow_schema(frame.schema).empty_table()
    data = shards.begin(estimator, rounds)
    count = frame.rdd.getNumPartitions()
    while not shards.done(data):
        held = frame.sparkSession.sparkContext.broadcast(data)
        rows = frame.mapInArrow(_updating(held, empty, y, sample_weight, seed), "shard bigint, state binary").collect()
        held.unpersist()
        states = {row["shard"]: bytes(row["state"]) for row in rows}
        if sorted(states) != list(range(count)):
            raise _errors.DataError(f"Spark gave states of shards {sorted(states)}, expected 0 to {count - 1}: is the frame partitioned anew in each round? cache() it")
        data = shards.finish(shards.merge_all(states[shard] for shard in range(count)), count)
    return shards.model(estimator, data)


def _updating(held, empty, y, sample_weight, seed):
    def update(batches):
        import pyarrow
        from pyspark import TaskContext

        shard = TaskContext.get().partitionId()
        batches = [batch for batch in batches if batch.num_rows]
        table = pyarrow.Table.from_batches(batches) if batches else empty
        labels = table.column(y).to_numpy()
        weights = None if sample_weight is None else table.column(sample_weight).to_numpy()
        features = table.drop_columns([name for name in (y, sample_weight) if name is not None])
        state = shards.update(held.value, features, labels, shard, seed, weights)
        yield pyarrow.RecordBatch.from_pydict({"shard": [shard], "state": [state]}, schema=pyarrow.schema([("shard", pyarrow.int64()), ("state", pyarrow.binary())]))

    return update


def predict(model: Any, frame: Any, column: str = "prediction") -> Any:
    """The frame with one more column, of the predicted labels or numbers; lazily."""
    if column in frame.columns:
        raise _errors.DataError(f"there is a column {column!r} already; name another")
    import pyspark.sql.types as types

    kind = "f" if model._numbers else model.classes_.dtype.kind
    kind = {"f": types.DoubleType(), "i": types.LongType(), "u": types.LongType(), "b": types.BooleanType()}.get(kind, types.StringType())
    schema = types.StructType([*frame.schema.fields, types.StructField(column, kind)])
    names = list(model.feature_names_in_)

    def predicting(batches):
        import pyarrow

        for batch in batches:
            table = pyarrow.Table.from_batches([batch])
            if batch.num_rows:
                yield from table.append_column(column, pyarrow.array(model.predict(table.select(names)).tolist())).to_batches()

    return frame.mapInArrow(predicting, schema)
