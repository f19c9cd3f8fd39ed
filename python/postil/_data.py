"""What users have, arrays, sparse matrices, frames, Arrow streams, as the rows that the engine reads, without copies."""

import os

import numpy as np

from . import _errors, _postil
from ._labels import from_texts

_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


def is_plain(X):
    """A matrix that can be lent as it is."""
    return type(X) is np.ndarray and X.ndim == 2 and X.dtype in _FLOATS and X.flags.c_contiguous


def is_plain_csr(X):
    return getattr(X, "format", None) == "csr" and X.ndim == 2 and X.dtype in _FLOATS


def is_sparse(X):
    return hasattr(X, "tocsr")


def is_pandas(X):
    return hasattr(X, "iloc") and hasattr(X, "columns") and hasattr(X, "dtypes")


def is_arrow(X):
    return hasattr(X, "__arrow_c_stream__")


def is_parquet(X):
    return isinstance(X, (str, os.PathLike)) and os.fspath(X).endswith(".parquet")


_TEXT_FILES = (".csv", ".tsv", ".svm", ".libsvm", ".jsonl", ".ndjson", ".json", ".arff", ".gz", ".zst", ".xz", ".bz2")


def is_text_file(X):
    """The path of a file that the command reads."""
    return isinstance(X, (str, os.PathLike)) and os.fspath(X).endswith(_TEXT_FILES)


def is_dask(X):
    return hasattr(X, "__dask_graph__") and hasattr(X, "compute")


def is_frame(X):
    return is_pandas(X) or is_arrow(X)


def is_named_row(x):
    """A mapping, or a Series."""
    return hasattr(x, "keys") and getattr(x, "ndim", 1) == 1


def is_plain_row(x):
    """Values without names."""
    return hasattr(x, "ndim") and x.ndim == 1 or isinstance(x, (list, tuple))


# ---- one kind after the other ----


def _dense(X, names):
    return _postil.Rows.dense(X, names)


def _csr(X):
    X = X.tocsr()
    rows = _lent_csr(X)
    if rows is None:  # indices that do not increase, or stand twice
        X = X.copy()
        X.sum_duplicates()
        rows = _lent_csr(X)
    if rows is None:
        raise _errors.DataError("the sparse matrix is damaged: a column index lies outside it")
    return rows


def _lent_csr(X):
    data = X.data if X.data.dtype in _FLOATS else X.data.astype(np.float64)
    indices = X.indices if X.indices.dtype == np.int32 else X.indices.astype(np.int32)
    return _postil.Rows.csr(X.indptr, indices, data, X.shape[1])


def _pandas_column(name, column):
    import pandas as pd

    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return column.cat.codes.to_numpy(), [str(value) for value in dtype.categories]
    if isinstance(dtype, np.dtype) and dtype.kind in "fiub":
        return column.to_numpy() if dtype.isnative and dtype.itemsize <= 8 else column.to_numpy(dtype=np.float64)
    if pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_numeric_dtype(dtype):  # with pandas' own missing values
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return _days(column), "date"
    if pd.api.types.is_object_dtype(dtype) or pd.api.types.is_string_dtype(dtype):
        kind = pd.api.types.infer_dtype(column, skipna=True)
        if kind in ("date", "datetime"):
            return _days(pd.to_datetime(column)), "date"
        if kind in ("integer", "floating", "mixed-integer-float", "decimal", "boolean"):
            return column.to_numpy(dtype=np.float64, na_value=np.nan)
        try:
            codes, texts = pd.factorize(column)
        except TypeError:  # lists, dicts, ...
            held = next(type(value).__name__ for value in column if getattr(value, "__hash__", None) is None)
            raise _errors.DataError(f"column {name!r} holds values of type {held}; expected numbers, truth values, dates or text") from None
        return codes, [str(value) for value in texts]
    raise _errors.DataError(f"column {name!r} holds {dtype}; expected numbers, truth values, dates or text")


def _days(column):
    """Since 1970-01-01, times of other zones as they are in UTC."""
    if getattr(column.dtype, "tz", None) is not None:
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    times = column.to_numpy().astype("datetime64[us]")
    days = times.astype(np.int64) / 86_400_000_000
    days[np.isnat(times)] = np.nan
    return days


def _pandas(X):
    named = any(isinstance(name, str) for name in X.columns)
    names = [str(name) if named else f"f{j + 1}" for j, name in enumerate(X.columns)]  # 0, 1, 2, ... are no names
    arrays = [_pandas_column(name, X.iloc[:, j]) for j, name in enumerate(names)]
    return _postil.Rows.columns(arrays, names, len(X))


def _batches(X):
    """The record batches of a frame. Arrow's interface does not tell how long buffers are; its own frames can check them."""
    if type(X).__module__.startswith("pyarrow") and hasattr(X, "validate"):
        try:
            X.validate(full=True)
        except ValueError as error:
            raise _errors.DataError(f"X: the Arrow data are damaged: {error}") from None
    return _postil.ArrowBatches(X.__arrow_c_stream__())


def _arrow(X):
    batches = _batches(X)
    rows = batches.next()
    if rows is None:
        return _postil.Rows.columns([np.empty(0) for _ in batches.names], batches.names, 0)
    while (more := batches.next()) is not None:
        rows.append(more)
    return rows


def rows_of(X, names=None):
    """The rows of anything that holds a table. `names`: of the columns of a matrix."""
    if isinstance(X, _postil.Rows):
        return X
    if is_plain(X):
        return _dense(X, names)
    if is_sparse(X):
        return _csr(X)
    if is_pandas(X):
        return _pandas(X)
    if is_parquet(X):
        return _arrow(_parquet(X).read())
    if is_text_file(X):
        return _rows_of_file(_postil.read_table(os.fspath(X), None, False, []))
    if is_arrow(X):
        return _arrow(X)
    if is_dask(X):
        return rows_of(X.compute(), names)
    refuse_lazy(X)
    array = np.asarray(X)
    if array.dtype not in _FLOATS:
        array = array.astype(np.float64)
    return _dense(np.ascontiguousarray(array), names)


def refuse_lazy(X):
    if hasattr(X, "collect") and hasattr(X, "lazy"):
        raise _errors.DataError("X is a LazyFrame; call .collect() first")


# ---- files of text ----


def _rows_of_file(table):
    if "indptr" in table:
        return _postil.Rows.csr(table["indptr"], table["indices"], table["data"], table["width"])
    return _postil.Rows.columns(table["columns"], table["names"], len(table["columns"][0]) if table["columns"] else 0)


def _labelled_file(path, label, numbers):
    """Rows and labels; a label that is not named is found as the command finds it."""
    table = _postil.read_table(os.fspath(path), label, numbers)
    codes = table["labels"]
    unlabelled = np.flatnonzero(np.isnan(codes)) if len(codes) else []
    if len(unlabelled):
        raise _errors.DataError(f"{path}: row {unlabelled[0] + 1} has no label in column {table['label']!r}")
    return _rows_of_file(table), codes if numbers else from_texts(table["classes"], "")[codes.astype(np.intp)], table["label"]


# ---- streams of batches, with their labels in them or beside them ----


def _parquet(path):
    import pyarrow.parquet

    return pyarrow.parquet.ParquetFile(os.fspath(path))


def _without(batch, label):
    names = [name for name in batch.schema.names if name != label]
    if len(names) == len(batch.schema.names):
        raise _errors.DataError(f"there is no column {label!r}; there are: {', '.join(batch.schema.names)}")
    return batch.select(names), batch.column(label).to_numpy(zero_copy_only=False)


def _labelled(X, label, at_once):
    """Pairs of X without the column of labels, and these: all rows at once, or batch by batch where X has batches."""
    if is_pandas(X):
        if label not in X.columns:
            raise _errors.DataError(f"there is no column {label!r}; there are: {', '.join(map(str, X.columns))}")
        yield X.drop(columns=label), X[label].to_numpy()
        return
    if is_parquet(X):
        file = _parquet(X)
        tables = [file.read()] if at_once else file.iter_batches()
    elif is_arrow(X):
        import pyarrow

        reader = pyarrow.RecordBatchReader.from_stream(X)
        tables = [reader.read_all()] if at_once else reader
    else:
        raise _errors.DataError(f"y names a column, {label!r}, but X has no named columns")
    for table in tables:
        if at_once or table.num_rows:
            yield _without(table, label)


def whole(X, y, numbers=False):
    """X and y for those who need all rows at once, and the name of the column of X that is y, if it is one.

    `y` may be an array, the name of a column, or for a text file None. `numbers`: the labels are numbers, not classes.
    """
    if is_text_file(X) and (y is None or isinstance(y, str)):
        return _labelled_file(X, y, numbers)
    if is_dask(X):
        X = X.compute()
    if is_dask(y):
        y = y.compute()
    return (*next(_labelled(X, y, at_once=True)), y) if isinstance(y, str) else (X, y, None)


def _dask_parts(X):
    """The partitions of a dask frame, or the rows of blocks of a dask array, one after the other."""
    if hasattr(X, "partitions"):
        return (part.compute() for part in X.partitions)
    return (X.blocks[k].compute() for k in range(X.numblocks[0]))


def batches_of(X, y):
    """Pairs of X and y, batch by batch. `y` is an array for all rows, or the name of a column of X."""
    if is_dask(X):
        parts = _dask_parts(X) if isinstance(y, str) or not is_dask(y) else zip(_dask_parts(X), _dask_parts(y))
        at = 0
        for part in parts:
            part, labels = part if isinstance(part, tuple) else (part, y if isinstance(y, str) else np.asarray(y)[at : at + len(part)])
            at += len(part)
            yield from batches_of(part, labels)
        return
    if is_text_file(X):
        yield whole(X, y)[:2]
        return
    if isinstance(y, str):
        yield from _labelled(X, y, at_once=False)
        return
    if is_parquet(X) or (is_arrow(X) and not is_pandas(X)):
        stream = _parquet(X).iter_batches() if is_parquet(X) else _lent_batches(X)
        y, at = np.asarray(y), 0
        for batch in stream:
            rows = len(batch) if isinstance(batch, _postil.Rows) else batch.num_rows
            if at + rows > len(y):
                raise _errors.DataError(f"X has more rows than y, which has {len(y)}")
            yield batch, y[at : at + rows]
            at += rows
        if at != len(y):
            raise _errors.DataError(f"Found input variables with inconsistent numbers of samples: [{at}, {len(y)}]")
        return
    yield X, y


def weighted_batches_of(X, y, weights):
    """The same with the weights of each batch, or None."""
    if weights is None or np.ndim(weights) == 0:  # one number is for all rows
        yield from ((part, labels, weights) for part, labels in batches_of(X, y))
        return
    if not isinstance(y, str) and len(weights) != len(y):  # before anything is learned
        raise _errors.DataError(f"sample_weight has {len(weights)} entries, expected {len(y)}")
    at = 0
    for part, labels in batches_of(X, y):
        yield part, labels, np.asarray(weights)[at : at + len(labels)]
        at += len(labels)


def _lent_batches(X):
    batches = _batches(X)
    while (rows := batches.next()) is not None:
        if len(rows):
            yield rows
