"""What an attack found: a refused batch leaves no trace, and what other libraries lend is not believed."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import postil

RULES = "a >= 1 and b >= 0 => yes\na <= -1 => no\n"


def frame(seed, rows):
    chance = np.random.default_rng(seed)
    X = pd.DataFrame({"a": chance.normal(size=rows), "b": chance.normal(size=rows), "c": chance.choice(["red", "blue"], rows)})
    return X, np.where(X.a + 0.3 * chance.normal(size=rows) > 0, "yes", "no")


def estimators():
    yield "arow", lambda: postil.AROWClassifier()
    yield "advised", lambda: postil.AdviceClassifier(advice=RULES)
    yield "scaled", lambda: postil.PassiveAggressiveClassifier(scale="standard")


def bad_batches(columns):
    X, y = frame(9, 5)
    X = X[columns]
    yield "an unknown class", X, np.array(["yes", "no", "yes", "maybe", "no"])
    large = X.copy()
    large.loc[3, "a"] = 1e200
    yield "a large number", large, y
    if "c" in columns:  # rows of numbers alone may be sparse
        yield "a sparse matrix", scipy.sparse.csr_matrix(np.ones((5, len(columns)))), y
    yield "other columns", X.rename(columns={"a": "z"}), y
    missing = X.copy()
    missing.loc[4, "b"] = np.nan
    yield "a missing value", missing, y
    yield "a label missing", X, y[:3]


@pytest.mark.parametrize("rows", [0, 20, 300])  # before the first row, while rows are kept, and after
@pytest.mark.parametrize("columns", [["a", "b"], ["a", "b", "c"]], ids=["numbers", "with text"])
@pytest.mark.parametrize("make", [make for _, make in estimators()], ids=[name for name, _ in estimators()])
def test_a_refused_batch_leaves_no_trace(make, columns, rows):
    X, y = frame(1, 400)
    X = X[columns]
    model, twin = make(), make()
    for one in (model, twin):
        if rows:
            one.partial_fit(X[:rows], y[:rows], classes=["no", "yes"])
    for name, bad, labels in bad_batches(columns):
        if rows == 0 and name in ("a sparse matrix", "other columns"):
            continue  # nothing says yet that it is wrong
        with pytest.raises(ValueError):
            model.partial_fit(bad, labels, classes=["no", "yes"])
    for one in (model, twin):
        one.partial_fit(X[rows:], y[rows:], classes=["no", "yes"])
    assert model._engine.to_bytes() == twin._engine.to_bytes()


def test_a_bad_row_between_good_ones():
    X, y = frame(1, 400)
    model, twin = postil.AROWClassifier(scale="standard"), postil.AROWClassifier(scale="standard")
    for i, (row, label) in enumerate(zip(X[["a", "b"]].to_dict("records"), y)):
        if i in (0, 5, 200, 300):
            with pytest.raises(ValueError, match="1e50"):
                model.learn_one({"a": 1e200, "b": 1.0}, label)
        model.learn_one(row, label)
        twin.learn_one(row, label)
    assert model.predict_one({"a": 2.0, "b": 1.0}) == "yes"
    assert model.decision_function(X[["a", "b"]][:5]) == pytest.approx(twin.decision_function(X[["a", "b"]][:5]), abs=0)


pa = pytest.importorskip("pyarrow")


def damaged_table(offsets, data, kind):
    """A table whose offsets were altered after pyarrow had looked at them."""
    room = np.arange(len(offsets), dtype=np.int32 if kind == pa.string() else np.int64)
    texts = pa.Array.from_buffers(kind, len(offsets) - 1, [None, pa.py_buffer(room), pa.py_buffer(data)])
    table = pa.table({"a": pa.array(np.arange(len(offsets) - 1.0)), "s": texts})
    room[:] = offsets
    return table


class Lent:
    """A frame that is not pyarrow's, and says nothing about the length of its buffers."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__()


DAMAGED = {
    "an offset too large": ([0, 1, 1_000_000_000, 3, 4], b"abcd"),
    "an offset that falls": ([0, 3, 1, 3, 4], b"abcd"),
    "a negative offset": ([-5, 1, 2, 3, 4], b"abcd"),
    "bytes that are no text": ([0, 1, 2, 3, 4], b"a\xff\xfed"),
}


@pytest.mark.parametrize("name", DAMAGED)
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
@pytest.mark.parametrize("wrap", [lambda table: table, Lent], ids=["pyarrow", "lent"])
def test_damaged_texts_are_refused(name, kind, wrap):
    with pytest.raises(postil.DataError, match="damaged"):
        postil.AROWClassifier().fit(wrap(damaged_table(*DAMAGED[name], kind)), ["x", "y", "x", "y"])


def test_the_last_offset_is_checked_by_who_knows_the_buffer():
    with pytest.raises(postil.DataError, match="damaged"):
        postil.AROWClassifier().fit(damaged_table([0, 1, 1_000_000_000], b"ab", pa.string()), ["x", "y"])


@pytest.mark.parametrize("wrap", [lambda table: table, Lent], ids=["pyarrow", "lent"])
def test_damaged_dictionaries_are_refused(wrap):
    codes = pa.array([0, 1, 7, 1], pa.int32())
    column = pa.DictionaryArray.from_arrays(codes, pa.array(["p", "q"]), safe=False)
    table = pa.table({"a": pa.array([1.0, 2.0, 3.0, 4.0]), "s": column})
    with pytest.raises(postil.DataError):
        postil.AROWClassifier().fit(wrap(table), ["x", "y", "x", "y"])


def test_an_altered_file(tmp_path):
    """Every byte of a small IPC file in turn, altered: an answer or an error, never a crash."""
    path = tmp_path / "t.arrow"
    table = pa.table({"a": pa.array([1.0, 2.0, None, 4.0]), "s": pa.array(["red", "blue", None, "red"]), "d": pa.array(["u", "v", "u", "v"]).dictionary_encode()})
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    good = path.read_bytes()
    chance = np.random.default_rng(1)
    refused = 0
    for place in chance.choice(len(good), 300, replace=False):
        bad = bytearray(good)
        bad[place] ^= int(chance.integers(1, 256))
        path.write_bytes(bytes(bad))
        try:
            read = pa.ipc.open_file(path).read_all()
        except Exception:  # what pyarrow itself refuses, in whatever words
            continue
        try:
            postil.AROWClassifier(missing="mean").fit(read, ["x", "y", "x", "y"][: read.num_rows])
        except ValueError:  # ours, and nothing else
            refused += 1
    assert refused > 3
