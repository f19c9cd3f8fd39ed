"""Rows from wherever users have them: without copies, by name, in streams; and to the same bits whichever way."""

import subprocess
import sys
import threading

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

import postil
from postil import _data, _postil

ONLINE = ["AROWClassifier", "AdviceClassifier", "AdviceptronClassifier", "PAAdviceptronClassifier", "PassiveAggressiveClassifier", "PerceptronClassifier", "GradientDescentClassifier", "RommaClassifier", "VotedPerceptronClassifier"]


def table(rows=700, seed=0):
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.normal(size=(rows, 5)), columns=list("abcde"))
    return X, np.where(X["a"] + X["b"] * 2 > X["c"], "yes", "no")


def mixed(rows=400, seed=1):
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "color": random.choice(["red", "green", "blue"], rows),
            "size": random.normal(size=rows),
            "count": random.integers(0, 9, rows).astype(np.int16),
            "flag": random.random(rows) < 0.5,
        }
    )
    return X, ((X["color"] == "red") | (X["size"] > 1)).to_numpy()


# ---- the same rows, whoever holds them ----


def holders(X):
    arrow = pa.Table.from_pandas(X, preserve_index=False)
    return {
        "pandas": X,
        "polars": pl.from_pandas(X),
        "polars in chunks": pl.concat([pl.from_pandas(X[:100]), pl.from_pandas(X[100:])], rechunk=False),
        "pyarrow": arrow,
        "pyarrow in batches": pa.Table.from_batches(arrow.to_batches(max_chunksize=64)),
        "record batch": arrow.combine_chunks().to_batches()[0],
        "duckdb": duckdb.from_df(X),
    }


@pytest.mark.parametrize("data", [table, mixed])
def test_every_frame_gives_the_same_bits(data):
    X, y = data()
    expected = postil.AROWClassifier(scale="standard").fit(X, y)
    for name, frame in holders(X).items():
        model = postil.AROWClassifier(scale="standard").fit(frame, y)
        assert model._engine.to_bytes() == expected._engine.to_bytes(), name
        np.testing.assert_array_equal(model.decision_function(frame), expected.decision_function(X), err_msg=name)
        assert list(model.feature_names_in_) == list(X.columns)


def test_matrices_of_every_type_and_layout():
    X, y = table()
    values = X.to_numpy()
    expected = postil.AROWClassifier().fit(np.ascontiguousarray(values), y)
    for matrix in (np.asfortranarray(values), values[::1], np.repeat(values, 2, axis=0)[::2], values.tolist(), values.astype(object)):
        np.testing.assert_array_equal(postil.AROWClassifier().fit(matrix, y).coef_, expected.coef_)
    single = values.astype(np.float32)
    np.testing.assert_array_equal(postil.AROWClassifier().fit(single, y).coef_, postil.AROWClassifier().fit(single.astype(float), y).coef_)
    whole = np.round(values * 3)
    for kind in (np.int8, np.int16, np.int32, np.int64):
        np.testing.assert_array_equal(postil.AROWClassifier().fit(whole.astype(kind), y).coef_, postil.AROWClassifier().fit(whole, y).coef_)


def test_sparse_matrices_of_every_form():
    random = np.random.default_rng(0)
    dense = random.normal(size=(400, 30)) * (random.random((400, 30)) < 0.2)
    y = (dense @ random.normal(size=30) > 0).astype(int)
    expected = postil.PassiveAggressiveClassifier().fit(sp.csr_matrix(dense), y)
    np.testing.assert_allclose(expected.coef_, postil.PassiveAggressiveClassifier().fit(dense, y).coef_, atol=1e-9)
    unsorted = sp.csr_matrix(dense)
    for row in range(400):
        part = slice(unsorted.indptr[row], unsorted.indptr[row + 1])
        unsorted.indices[part], unsorted.data[part] = unsorted.indices[part][::-1].copy(), unsorted.data[part][::-1].copy()
    unsorted.has_sorted_indices = False
    halves = sp.csr_matrix((np.repeat(sp.csr_matrix(dense).data / 2, 2), np.repeat(sp.csr_matrix(dense).indices, 2), sp.csr_matrix(dense).indptr * 2), shape=dense.shape)
    wide = sp.csr_array(dense)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for matrix in (sp.csr_array(dense), sp.csc_matrix(dense), sp.coo_matrix(dense), sp.lil_matrix(dense), unsorted, halves, wide):
        model = postil.PassiveAggressiveClassifier().fit(matrix, y)
        np.testing.assert_array_equal(model.coef_, expected.coef_)
        np.testing.assert_array_equal(model.predict(matrix), expected.predict(dense))
    assert (unsorted.indices[unsorted.indptr[0]] != sp.csr_matrix(dense).indices[0]) or unsorted.indptr[1] < 2, "the caller's matrix was sorted"


@pytest.mark.parametrize("change", ["negative", "beyond", "backwards", "nan"])
def test_damaged_sparse_matrices_are_refused(change):
    matrix = sp.random(50, 20, density=0.3, format="csr", random_state=0)
    if change == "negative":
        matrix.indices[3] = -1
    elif change == "beyond":
        matrix.indices[matrix.indptr[1] - 1] = 20
    elif change == "backwards":
        matrix.indptr[5] = matrix.indptr[4] - 1 if matrix.indptr[4] else 10**6
    else:
        matrix.data[7] = np.nan
    with pytest.raises(ValueError):  # noqa: PT011
        postil.AROWClassifier().fit(matrix, np.arange(50) % 2)


def test_nothing_is_copied():
    X, y = table()
    for matrix in (np.ascontiguousarray(X.to_numpy()), np.ascontiguousarray(X.to_numpy(dtype=np.float32))):
        rows = _data.rows_of(matrix)
        engine = postil.PassiveAggressiveClassifier().fit(matrix, y)._engine
        before = engine.scores(rows)
        matrix *= 2  # whoever lends can still change it
        np.testing.assert_array_equal(engine.scores(rows), engine.scores(_data.rows_of(matrix.copy())))
        assert (engine.scores(rows) != before).any()
    frame = X.copy()
    rows = _data.rows_of(pl.from_pandas(frame))
    assert len(rows) == len(frame)
    read_only = np.ascontiguousarray(X.to_numpy())
    read_only.setflags(write=False)
    postil.AROWClassifier().fit(read_only, y)


# ---- names ----


def test_names_are_what_counts():
    X, y = table()
    model = postil.AROWClassifier().fit(X, y)
    np.testing.assert_array_equal(model.predict(X[list("edcba")]), model.predict(X))  # by name, in any order
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X.rename(columns={"a": "aa"}))
    with pytest.warns(UserWarning, match="valid feature names"):
        model.predict(X.to_numpy())
    streamed = postil.AROWClassifier()
    streamed.learn_many(X, y)
    np.testing.assert_array_equal(streamed.predict_many(X[list("edcba")]), streamed.predict_many(X))
    np.testing.assert_array_equal(streamed.predict_many(pl.from_pandas(X[list("ecdba")])), streamed.predict_many(X))
    np.testing.assert_array_equal(streamed.predict_many(X.rename(columns={"a": "aa"})), streamed.predict_many(X.assign(a=0.0)))  # as of dicts
    streamed.learn_many(X[list("abcd")], y)
    kinds = postil.AROWClassifier().fit(mixed()[0], mixed()[1])
    with pytest.raises(postil.DataError, match="'color' holds numbers, expected categories"):
        kinds.predict(mixed()[0].assign(color=1.0))
    with pytest.raises(postil.DataError, match="'size' holds text"):
        kinds.predict(mixed()[0].assign(size="large"))
    with pytest.raises(postil.DataError, match="timedelta"):
        kinds.fit(mixed()[0].assign(size=pd.Timedelta("1D")), mixed()[1])
    with pytest.raises(postil.DataError, match="Arrow type"):
        kinds.fit(pa.table({"when": pa.array([1, 2], pa.duration("s"))}), [0, 1])


def test_categories_not_met_in_training_are_none_of_the_known():
    X, y = mixed()
    model = postil.AROWClassifier().fit(X, y)
    strange = X.assign(color="violet")
    weights = dict(zip(model._engine.features, model.coef_[0]))
    expected = X["size"] * weights["size"] + X["count"] * weights["count"] + X["flag"] * weights["flag"] + model.intercept_[0]
    np.testing.assert_allclose(model.decision_function(strange), expected, atol=1e-9)


def test_missing_values_of_every_kind():
    X, y = mixed()
    X["count"] = X["count"].astype("Int64")
    X.loc[::5, "count"], X.loc[::7, "size"], X.loc[::11, "color"] = pd.NA, np.nan, None
    with pytest.raises(postil.DataError, match="NaN"):
        postil.AROWClassifier().fit(X, y)
    expected = postil.AROWClassifier(missing="indicator").fit(X, y)
    assert "color missing" in " ".join(expected._engine.features) or len(expected._engine.features) > 6
    for frame in (pl.from_pandas(X), pa.Table.from_pandas(X, preserve_index=False)):
        assert postil.AROWClassifier(missing="indicator").fit(frame, y)._engine.to_bytes() == expected._engine.to_bytes()


# ---- streams ----


def test_streams_of_record_batches(tmp_path):
    X, y = table()
    whole = pa.Table.from_pandas(X.assign(label=y), preserve_index=False)
    path = tmp_path / "rows.parquet"
    pq.write_table(whole, path, row_group_size=90)
    for params in ({}, {"scale": "standard"}):
        expected = postil.AROWClassifier(**params).partial_fit(X, y, classes=["no", "yes"])
        streams = [
            (whole.to_reader(max_chunksize=50), "label"),
            (whole.drop_columns("label").to_reader(max_chunksize=50), y),
            (path, "label"),
            (duckdb.sql("select * from whole"), "label"),
            (pl.from_pandas(X), y),
        ]
        for stream, labels in streams:
            model = postil.AROWClassifier(**params).partial_fit(stream, labels, classes=["no", "yes"])
            assert model._engine.to_bytes() == expected._engine.to_bytes()
    fitted = postil.AROWClassifier().fit(path, "label")
    np.testing.assert_array_equal(fitted.coef_, postil.AROWClassifier().fit(X, y).coef_)
    assert postil.AROWClassifier().fit(X.assign(label=y), "label").predict(X).shape == y.shape
    with pytest.raises(postil.DataError, match="no column 'lable'; there are: a, b"):
        postil.AROWClassifier().fit(path, "lable")
    with pytest.raises(ValueError, match="inconsistent|more rows"):
        postil.AROWClassifier().partial_fit(whole.drop_columns("label").to_reader(max_chunksize=50), y[:-1])


@pytest.mark.parametrize("name", ONLINE)
@pytest.mark.parametrize("params", [{}, {"scale": "standard"}, {"scale": "none"}])
@pytest.mark.parametrize("rows", [3, 200, 600])
def test_one_by_one_many_or_in_parts_is_the_same(name, params, rows):
    X, y = table(rows)
    make = getattr(postil, name)
    models = [make(**params) for _ in range(5)]
    for row, label in zip(X.to_dict("records"), y):
        models[0].learn_one(row, label)
    models[1].learn_many(X, y)
    for first in range(0, rows, 37):
        models[2].learn_many(X[first : first + 37], y[first : first + 37])
        models[3].partial_fit(X[first : first + 37], y[first : first + 37])
        models[3] = _again(models[3])  # stopped and resumed
    models[4].learn_many(pl.from_pandas(X), y)
    states = [model._engine.to_bytes() for model in models]
    assert len(set(states)) == 1
    assert len({tuple(model.predict_many(X)) for model in models}) == 1
    known = make(**params).partial_fit(X, y, classes=["no", "yes"])
    assert known.score(X, y) > (0.8 if rows > 100 else 0.3)


def _again(model):
    import pickle

    return pickle.loads(pickle.dumps(model))


def test_rows_without_names_one_by_one():
    X, y = table(500)
    matrix, codes = np.ascontiguousarray(X.to_numpy()), (y == "yes").astype(int)
    many = postil.AROWClassifier().partial_fit(matrix, codes, classes=[0, 1])
    for form in (lambda row: row, lambda row: row[None, :], lambda row: row.tolist(), lambda row: np.repeat(row, 2)[::2]):
        one = postil.AROWClassifier().expect(matrix, classes=[0, 1])
        for row, label in zip(matrix, codes):
            one.learn_one(form(row), label)
        assert one._engine.to_bytes() == many._engine.to_bytes()
        assert [one.predict_one(form(row)) for row in matrix[:20]] == many.predict(matrix[:20]).tolist()
    parts = postil.AROWClassifier()
    for k in range(500):
        parts.partial_fit(matrix[k : k + 1], codes[k : k + 1], classes=[0, 1] if k == 0 else None)
    assert parts._engine.to_bytes() == many._engine.to_bytes()
    sparse = sp.csr_matrix(matrix)
    whole = postil.AROWClassifier().partial_fit(sparse, codes, classes=[0, 1])
    rows = postil.AROWClassifier().expect(sparse, classes=[0, 1])
    for k in range(500):
        rows.learn_one(sparse[k], codes[k])
    assert rows._engine.to_bytes() == whole._engine.to_bytes()
    assert [rows.predict_one(sparse[k]) for k in range(9)] == whole.predict(sparse[:9]).tolist()


@pytest.mark.parametrize("row", [{"a": "text"}, {"a": None}, {"a": float("nan")}, {"a": float("inf")}, {"a": [1]}, {"z": 1.0}, 5, "abc", [1, 2], np.zeros((2, 5)), np.zeros(4), np.array(["a"] * 5), sp.csr_matrix(np.ones((1, 9)))])
def test_odd_rows_are_refused_and_nothing_changes(row):
    X, y = table(400)
    for params in ({}, {"scale": "standard"}):
        model = postil.AROWClassifier(**params).partial_fit(X, y, classes=["no", "yes"])
        before = model._engine.to_bytes()
        if isinstance(row, dict) and "z" in row:
            continue  # a new feature is welcome
        with pytest.raises((ValueError, TypeError, RuntimeError)):
            model.learn_one(row, "yes")
        assert model._engine.to_bytes() == before


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_bad_value_far_down_changes_nothing(bad):
    random = np.random.default_rng(0)
    X = random.normal(size=(60000, 20))  # long enough to be checked while it is read
    y = (X[:, 0] > 0).astype(int)
    for form in (lambda matrix: matrix, sp.csr_matrix, lambda matrix: matrix.astype(np.float32)):
        model = postil.AROWClassifier().partial_fit(form(X), y, classes=[0, 1])
        assert model._engine.to_bytes() == postil.AROWClassifier().partial_fit(form(X[:100]), y[:100], classes=[0, 1]).partial_fit(form(X[100:]), y[100:])._engine.to_bytes()
        before = model._engine.to_bytes()
        damaged = X.copy()
        damaged[54321, 7] = bad
        with pytest.raises(ValueError, match="row 54321, column 'f8'"):
            model.partial_fit(form(damaged), y)
        assert model._engine.to_bytes() == before
        model.partial_fit(form(X[:10]), y[:10])


def test_random_frames_raise_our_errors_or_learn():
    random = np.random.default_rng(3)
    columns = [
        lambda n: random.normal(size=n),
        lambda n: random.normal(size=n) * 1e300,
        lambda n: np.where(random.random(n) < 0.2, np.nan, 1.0),
        lambda n: random.choice(["x", "", "é", "a,b"], n),
        lambda n: pd.array(random.choice([1, 2, None], n), dtype="Int64"),
        lambda n: pd.Categorical(random.choice(["u", "v"], n)),
        lambda n: random.random(n) < 0.5,
        lambda n: np.full(n, np.inf),
        lambda n: [object()] * n,
        lambda n: random.integers(0, 255, n).astype(np.uint8),
    ]
    learned = refused = 0
    for _ in range(200):
        rows = int(random.integers(1, 40))
        picked = random.choice(len(columns), size=int(random.integers(1, 5)))
        X = pd.DataFrame({f"c{k}": columns[c](rows) for k, c in enumerate(picked)})
        y = random.integers(0, int(random.integers(2, 4)), rows)
        model = postil.AdviceClassifier(missing=random.choice([None, "mean", "indicator"]), scale=random.choice(["none", "standard", "minmax"]))
        try:
            (model.fit if random.random() < 0.5 else model.learn_many)(X, y)
            model.predict_many(X)
            learned += 1
        except ValueError:
            refused += 1
    assert learned > 30 and refused > 30


# ---- threads ----


def test_the_lock_is_released_while_learning():
    random = np.random.default_rng(0)
    X = random.normal(size=(60000, 40))
    y = (X[:, 0] > 0).astype(int)
    turns, done = 0, threading.Event()
    model = postil.PassiveAggressiveClassifier(max_iter=30, tol=None)

    def learn():
        model.fit(X, y)
        done.set()

    thread = threading.Thread(target=learn)
    thread.start()
    while not done.is_set():
        turns += 1
    thread.join()
    assert turns > 1000


def test_learning_and_predicting_at_once():
    X, y = table(2000)
    matrix, codes = np.ascontiguousarray(X.to_numpy()), (y == "yes").astype(int)
    model = postil.AROWClassifier().expect(matrix, classes=[0, 1])
    failures, stop = [], threading.Event()

    def predict():
        try:
            while not stop.is_set():
                model.predict(matrix)
                model.predict_one(matrix[0])
                model.explain()
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=predict) for _ in range(3)]
    for thread in threads:
        thread.start()
    for first in range(0, 2000, 10):
        model.partial_fit(matrix[first : first + 10], codes[first : first + 10])
    stop.set()
    for thread in threads:
        thread.join()
    assert not failures
    assert model._engine.to_bytes() == postil.AROWClassifier().partial_fit(matrix, codes, classes=[0, 1])._engine.to_bytes()


def test_scores_do_not_depend_on_how_many_rows_come_together():
    X, y = table(20000)
    model = postil.AROWClassifier(scale="standard").fit(X, y)
    together = model.decision_function(X)
    apart = np.concatenate([model.decision_function(X[first : first + 999]) for first in range(0, 20000, 999)])
    np.testing.assert_array_equal(together, apart)
    assert isinstance(_data.rows_of(X), _postil.Rows)


def test_long_columns_of_every_kind_are_what_rows_are():
    """Columns are read many rows at a time; a matrix, and rows one by one, must agree with them."""
    random = np.random.default_rng(5)
    rows = 5001
    frame = pd.DataFrame({f"n{j}": random.normal(size=rows) for j in range(9)})
    frame["whole"] = random.integers(-100, 100, rows).astype(np.int16)
    frame["yes"] = random.random(rows) < 0.5
    frame["small"] = frame["n0"].astype(np.float32)
    y = (frame["n0"] + frame["whole"] / 50 > 0).astype(int).to_numpy()
    matrix = np.ascontiguousarray(frame.to_numpy(dtype=np.float64))
    table = pa.Table.from_pandas(frame)
    chunks = pa.Table.from_batches(table.to_batches(max_chunksize=777))
    for scale in ("none", "standard"):
        model = postil.AROWClassifier(scale=scale, max_iter=2, tol=None).fit(matrix, y)
        expected = model.decision_function(matrix)
        for form in (frame, chunks, pl.from_pandas(frame)):
            other = postil.AROWClassifier(scale=scale, max_iter=2, tol=None).fit(form, y)
            np.testing.assert_array_equal(other.decision_function(form), expected)
    frame.loc[4321, "n3"] = np.nan
    with pytest.raises(postil.DataError, match="NaN in row 4321, column 'n3'"):
        postil.AROWClassifier().fit(frame, y)
    frame["kind"] = pd.Categorical.from_codes(random.integers(-1, 3, rows), ["a", "b", "c"])
    model = postil.AROWClassifier(missing="mean", max_iter=2, tol=None).fit(frame, y)
    arrow = pa.Table.from_batches(pa.Table.from_pandas(frame).to_batches(max_chunksize=777))
    np.testing.assert_array_equal(model.decision_function(arrow), model.decision_function(frame))
    np.testing.assert_array_equal(model.decision_function(frame)[4000:4400], np.concatenate([model.decision_function(frame[k : k + 100]) for k in range(4000, 4400, 100)]))


MEMORY_OF_FIT = """
import resource
import numpy as np, postil
matrix = np.empty(({rows}, 100), dtype=np.{kind})
for first in range(0, {rows}, 1000):
    matrix[first : first + 1000] = np.random.default_rng(first).normal(5, 2, size=(1000, 100))
y = np.where(matrix[:, 0] + matrix[:, 1] > 10, "yes", "no")
postil.{name}(scale="standard").fit(matrix[:1000], y[:1000])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
postil.{name}(scale="standard", max_iter=2, tol=None{more}).fit(matrix, y)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / matrix.nbytes)
"""


@pytest.mark.parametrize("name, more", [("AROWClassifier", ""), ("AdviceClassifier", ", advice='f1 >= 6 => yes'")])
def test_fit_on_a_large_matrix_makes_no_scaled_copy(name, more):
    """What fit needs besides a matrix of 80 MB is a small part of it."""
    program = MEMORY_OF_FIT.format(rows=100_000, kind="float64", name=name, more=more)
    share = float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)
    assert share < 0.3


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("params", [{"name": "AROWClassifier"}, {"name": "AdviceClassifier", "advice": "f1 >= 1 => no\nf2 >= 0 and f3 <= 1 => b"}, {"name": "PassiveAggressiveRegressor"}])
def test_rows_scaled_one_by_one_give_the_same_model(params, kind):
    """A large matrix is scaled row by row, a frame of the same numbers as a whole."""
    random = np.random.default_rng(3)
    matrix = random.normal(3, 2, size=(90_000, 100 if kind is np.float32 else 50)).astype(kind)
    assert matrix.nbytes > 32e6
    name = params["name"]
    y = matrix[:, 0] if name.endswith("Regressor") else np.array(["no", "10", "b"])[np.digitize(matrix[:, 0] + matrix[:, 1], [5, 7])]
    given = {key: value for key, value in params.items() if key != "name"} | {"scale": "standard", "max_iter": 2, "tol": None}
    one_by_one = getattr(postil, name)(**given).fit(matrix, y)
    frame = pd.DataFrame(matrix, columns=[f"f{j + 1}" for j in range(matrix.shape[1])])
    at_once = getattr(postil, name)(**given).fit(pl.from_pandas(frame), y)
    assert one_by_one._engine.to_bytes() == at_once._engine.to_bytes()
