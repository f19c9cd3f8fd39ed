"""Learning in shards: one after the other, in threads, in processes, on Dask and on Spark, with the same bits."""

import os
import pickle
import signal
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.svm import LinearSVC

import postil

RULES = "risk: bmi >= 30 and glucose >= 126 => diabetes\nlean: bmi <= 25 and glucose <= 100 => not diabetes"


@pytest.fixture(scope="module")
def patients():
    return postil.datasets.make("diabetes", rows=3000, seed=11)


def divided(X, y, count):
    """Parts of different sizes."""
    ends = [0, *(int(len(X) * (k / count) ** 1.3) for k in range(1, count)), len(X)]
    return [(X.iloc[a:b], y.iloc[a:b]) for a, b in zip(ends, ends[1:])]


def advised(**options):
    return postil.AdviceClassifier(advice=RULES, missing="mean", **options)


def test_maps_do_not_change_the_model(patients):
    parts = divided(*patients, 5)
    alone = postil.shards.fit(advised(), parts, rounds=2, seed=3)
    bits = alone._engine.to_bytes()
    with ThreadPoolExecutor(3) as pool:
        assert postil.shards.fit(advised(), parts, rounds=2, seed=3, map=pool.map)._engine.to_bytes() == bits
    with ProcessPoolExecutor(2) as pool:
        assert postil.shards.fit(advised(), parts, rounds=2, seed=3, map=pool.map)._engine.to_bytes() == bits
    backwards = lambda function, tasks: [function(task) for task in reversed(tasks)][::-1]  # noqa: E731
    assert postil.shards.fit(advised(), parts, rounds=2, seed=3, map=backwards)._engine.to_bytes() == bits
    assert postil.shards.fit(advised(), parts, rounds=2, seed=4)._engine.to_bytes() != bits


def test_the_model_is_a_model(patients, tmp_path):
    X, y = patients
    model = postil.shards.fit(advised(), divided(X, y, 4))
    assert list(model.classes_) == ["diabetes", "healthy"] and model.n_features_in_ == X.shape[1]
    assert abs(model.score(X, y) - advised().fit(X, y).score(X, y)) < 0.01
    assert model.ledger().loc["risk", "fired"] == ((X.bmi >= 30) & (X.glucose >= 126)).sum()
    model.save(tmp_path / "m.postil")
    assert (postil.load(tmp_path / "m.postil").predict_proba(X) == model.predict_proba(X)).all()
    assert (pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X)).all()
    model.partial_fit(X[:10], y[:10])  # goes on as any other


def test_ridge_regression_on_all_rows_however_they_are_divided():
    random = np.random.default_rng(2)
    X = random.normal(size=(600, 5))
    y = X @ [1, -2, 0, 3, 0.5] + 4 + random.normal(size=600)
    for count in (1, 3, 7):
        parts = [(X[k::count], y[k::count]) for k in range(count)]
        model = postil.shards.fit(postil.AROWRegressor(full=True, relative=False, r=0.7, drift=0.0, scale="none"), parts)
        with_constant = np.column_stack([X, np.ones(600)])  # AROW's prior is on the constant too
        theirs = Ridge(alpha=0.7, fit_intercept=False, solver="cholesky").fit(with_constant, y).coef_
        np.testing.assert_allclose([*model.coef_.ravel(), model.intercept_[0] if np.ndim(model.intercept_) else model.intercept_], theirs, rtol=1e-9)


@pytest.mark.parametrize("count", [1, 2, 6])
def test_kbsvm_is_solved_whatever_the_partition(patients, count):
    X, y = patients
    alone = postil.KnowledgeSVC(advice=RULES, missing="mean", tol=1e-10).fit(X, y)
    model = postil.shards.fit(postil.KnowledgeSVC(advice=RULES, missing="mean", tol=1e-10), divided(X, y, count))
    np.testing.assert_allclose(model.coef_, alone.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(model.intercept_, alone.intercept_, rtol=1e-6)


def test_kbsvm_without_rules_against_liblinear():
    random = np.random.default_rng(4)
    X = random.normal(size=(900, 8))
    y = (X[:, 0] + 0.5 * X[:, 1] + random.normal(size=900) > 0).astype(int)
    theirs = LinearSVC(C=0.25, loss="squared_hinge", fit_intercept=False, tol=1e-10, max_iter=100_000).fit(X, y)  # C = lambda / 2
    model = postil.shards.fit(postil.KnowledgeSVC(lambda_=0.5, scale="none", fit_intercept=False, tol=1e-10), [(X[k::4], y[k::4]) for k in range(4)])
    np.testing.assert_allclose(model.coef_, theirs.coef_, rtol=1e-5, atol=1e-7)


def test_kbsvm_with_more_features_than_a_hessian_is_sent_for():
    random = np.random.default_rng(5)
    X = random.normal(size=(300, 400)) * (random.random((300, 400)) < 0.1)
    y = np.where(X[:, 0] - X[:, 1] + 0.1 * random.normal(size=300) > 0, "up", "down")
    alone = postil.KnowledgeSVC(scale="none", tol=1e-9).fit(X, y)
    model = postil.shards.fit(postil.KnowledgeSVC(scale="none", tol=1e-9), [(X[k::3], y[k::3]) for k in range(3)])
    np.testing.assert_allclose(model.coef_, alone.coef_, atol=1e-6)


def test_the_bound_of_the_perceptron_holds_for_mixing():
    """McDonald, Hall and Mann, theorem 3: over all rounds, the mistakes of the shards, each weighed by its part of the mix, are at most (R/gamma)^2."""
    for seed in range(8):
        random = np.random.default_rng(seed)
        u = random.normal(size=4)
        u /= np.linalg.norm(u)
        X = random.normal(size=(400, 4))
        X = X[np.abs(X @ u) > 0.1][:240]
        y = X @ u > 0
        count = int(random.integers(1, 6))
        parts = [(X[k::count], y[k::count]) for k in range(count)]
        data = postil.shards.begin(postil.PerceptronClassifier(average="none", fit_intercept=False, scale="none"), rounds=40)
        weighed, mistakes = 0.0, 0
        while not postil.shards.done(data):
            states = [postil.shards.update(data, *part, shard=k, seed=seed) for k, part in enumerate(parts)]
            if postil.shards.stage(data) != "survey":
                of_shards = [sum_of(state, "sum.mistakes") for state in states]
                weighed += sum(len(part[0]) / len(X) * of for part, of in zip(parts, of_shards))
                mistakes += sum(of_shards)
            data = postil.shards.finish(postil.shards.merge_all(states), count)
        radius, margin = np.linalg.norm(X, axis=1).max(), np.abs(X @ u).min()
        assert weighed <= (radius / margin) ** 2 and mistakes > 0
        model = postil.shards.model(postil.PerceptronClassifier(average="none", fit_intercept=False, scale="none"), data)
        assert model.score(X, y) == 1


def sum_of(state, name):
    """A tensor of a safetensors file, with nothing of ours."""
    import json

    length = int.from_bytes(state[:8], "little")
    begin, end = json.loads(state[8 : 8 + length])[name]["data_offsets"]
    return np.frombuffer(state[8 + length + begin : 8 + length + end])[0]


def test_parts_of_all_kinds(patients, tmp_path):
    X, y = patients
    parts = divided(X, y, 3)
    bits = postil.shards.fit(advised(), parts)._engine.to_bytes()
    for k, (part, labels) in enumerate(parts):
        part.assign(outcome=labels).to_parquet(tmp_path / f"{k}.parquet")
    files = [(str(tmp_path / f"{k}.parquet"), "outcome") for k in range(3)]
    assert postil.shards.fit(advised(), files)._engine.to_bytes() == bits
    assert postil.shards.fit(advised(), [lambda file=file: file for file in files])._engine.to_bytes() == bits
    turned = [(part[part.columns[::-1]], labels) for part, labels in parts[1:]]
    assert postil.shards.fit(advised(), [parts[0], *turned])._engine.to_bytes() == bits


def test_labels_and_weights():
    random = np.random.default_rng(1)
    X = random.normal(size=(300, 3))
    for y, kind in ((X[:, 0] > 0, np.bool_), (np.where(X[:, 0] > 0, 7, 3), np.integer), (np.digitize(X[:, 0], [-0.5, 0.5]), np.integer), (np.where(X[:, 0] > 0, "01", "1"), np.str_)):
        model = postil.shards.fit(postil.PassiveAggressiveClassifier(), [(X[k::2], y[k::2]) for k in range(2)])
        assert set(model.classes_.tolist()) == set(y.tolist()) and np.issubdtype(model.classes_.dtype, kind)
        assert model.score(X, y) > 0.9
    y = X[:, 0] > 0
    weights = random.integers(1, 4, size=300).astype(float)
    weighed = postil.shards.fit(postil.KnowledgeSVC(scale="none"), [(X[k::2], y[k::2], weights[k::2]) for k in range(2)])
    np.testing.assert_allclose(weighed.coef_, postil.KnowledgeSVC(scale="none").fit(X, y, sample_weight=weights).coef_, rtol=1e-5)
    balanced = postil.shards.fit(postil.KnowledgeSVC(scale="none", class_weight="balanced"), [(X[k::2], y[k::2]) for k in range(2)])
    np.testing.assert_allclose(balanced.coef_, postil.KnowledgeSVC(scale="none", class_weight="balanced").fit(X, y).coef_, rtol=1e-5)


def test_what_is_refused(patients):
    X, y = patients
    parts = divided(X, y, 2)
    with pytest.raises(postil.ParamError, match="svm does not learn from shards; these do: .*advised"):
        postil.shards.fit(postil.SVC(missing="mean"), parts)
    with pytest.raises(postil.ParamError, match="drift='none'"):
        postil.shards.fit(advised(drift="auto"), parts)
    with pytest.raises(postil.ParamError, match="rounds=0"):
        postil.shards.fit(advised(), parts, rounds=0)
    with pytest.raises(ValueError, match="shard 1: found input variables"):
        postil.shards.fit(advised(), [parts[0], (X, y[:5])])
    with pytest.raises(postil.DataError, match="no parts"):
        postil.shards.fit(advised(), [])
    with pytest.raises(postil.DataError, match="missing|NaN"):
        postil.shards.fit(postil.AdviceClassifier(), parts)
    data = postil.shards.begin(advised())
    state = postil.shards.update(data, *parts[0], shard=0)
    for damaged in (state[:100], state[:-1] + b"\0", b"", b"x" * 50):
        with pytest.raises(postil.Error):
            postil.shards.finish(damaged, 1)
    with pytest.raises(postil.ModelError, match="expected shards 0 to 1"):
        postil.shards.finish(state, 2)


# ---- Dask ----


@pytest.fixture(scope="module")
def frame(patients):
    import dask.dataframe

    X, y = patients
    return dask.dataframe.concat([dask.dataframe.from_pandas(part.assign(outcome=labels), npartitions=1) for part, labels in divided(X, y, 5)])


@pytest.fixture(scope="module")
def bits(patients):
    return postil.shards.fit(advised(), divided(*patients, 5), rounds=2)._engine.to_bytes()


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_dask_schedulers(frame, patients, bits, scheduler):
    import dask

    import postil.dask

    X, y = patients
    with dask.config.set(scheduler=scheduler):
        model = postil.dask.AdviceClassifier(advice=RULES, missing="mean").fit(frame, "outcome", rounds=2)
        assert model._engine.to_bytes() == bits
        lazy = model.predict(frame)
        assert hasattr(lazy, "compute") and (lazy.compute().to_numpy() == model.local().predict(X)).all()
        assert (model.predict_proba(frame).compute().to_numpy() == model.local().predict_proba(X)).all()
        assert (model.predict(X) == model.local().predict(X)).all()
    again = pickle.loads(pickle.dumps(model))
    assert type(again) is postil.dask.AdviceClassifier and (again.predict(X) == model.predict(X)).all()


def test_dask_arrays_and_delayed():
    import dask
    import dask.array

    import postil.dask

    random = np.random.default_rng(3)
    X = random.normal(size=(500, 4))
    y = X[:, 0] - X[:, 1]
    rows = dask.array.from_array(X, chunks=(130, 2))
    model = postil.dask.AROWRegressor(drift=0.0).fit(rows, dask.array.from_array(y, chunks=130))
    np.testing.assert_allclose(model.predict(rows).compute(), y, atol=0.1)
    assert not hasattr(model, "predict_proba")
    parts = [dask.delayed(X[a : a + 130]) for a in range(0, 500, 130)]
    other = postil.dask.fit(postil.AROWRegressor(drift=0.0), parts, [dask.delayed(y[a : a + 130]) for a in range(0, 500, 130)])
    assert other._engine.to_bytes() == model._engine.to_bytes()
    with pytest.raises(postil.DataError, match="divided alike"):
        postil.dask.AROWRegressor(drift=0.0).fit(rows, dask.array.from_array(y, chunks=100))


def kill_once(flag, part):
    """Ends the process it runs in, the first time."""
    try:
        os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return part
    os.kill(os.getpid(), signal.SIGKILL)


def test_dask_workers_that_die(patients, bits, tmp_path):
    import dask
    from dask.distributed import Client, LocalCluster

    import postil.dask

    parts = divided(*patients, 5)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        xs = [dask.delayed(part) for part, _ in parts]
        ys = [dask.delayed(labels) for _, labels in parts]
        assert postil.dask.fit(advised(), xs, ys, rounds=2)._engine.to_bytes() == bits
        xs[3] = dask.delayed(kill_once)(str(tmp_path / "killed"), parts[3][0])
        assert postil.dask.fit(advised(), xs, ys, rounds=2)._engine.to_bytes() == bits
        assert (tmp_path / "killed").exists()


# ---- Spark ----


@pytest.fixture(scope="module")
def spark():
    import shutil
    import warnings

    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, which is not installed")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1").config("spark.sql.shuffle.partitions", "4").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_spark(spark, patients, tmp_path):
    from pyspark.sql.functions import spark_partition_id

    import postil.spark

    X, y = patients
    X.assign(outcome=y).to_parquet(tmp_path / "patients.parquet", index=False)
    frame = spark.read.parquet(str(tmp_path / "patients.parquet")).repartition(5).cache()
    model = postil.spark.fit(advised(), frame, "outcome", rounds=2)
    rows = pd.DataFrame([row.asDict() for row in frame.withColumn("partition", spark_partition_id()).collect()])
    parts = [part.drop(columns="partition").reset_index(drop=True) for _, part in rows.groupby("partition")]
    alone = postil.shards.fit(advised(), [(part.drop(columns="outcome"), part["outcome"]) for part in parts], rounds=2)
    assert len(parts) == 5 and model._engine.to_bytes() == alone._engine.to_bytes()
    answered = pd.DataFrame([row.asDict() for row in postil.spark.predict(model, frame).collect()])
    assert answered["prediction"].tolist() == model.predict(answered[list(X.columns)]).tolist() and len(answered) == len(X)
    with_nothing = frame.union(frame.filter("glucose > 1e9"))  # empty partitions
    assert abs(postil.spark.fit(advised(), with_nothing, "outcome").score(X, y) - model.score(X, y)) < 0.02
    with pytest.raises(postil.DataError, match="there is no column 'nothing'"):
        postil.spark.fit(advised(), frame, "nothing")


def test_frames_whose_columns_differ_by_part():
    parts = [
        (pd.DataFrame({"a": [1.0, 2, 3], "c": ["x", "y", "x"]}), ["u", "v", "u"]),
        (pd.DataFrame({"a": [4.0, 5, 6], "c": ["z", None, "x"]}), ["v", "w", "w"]),
        (pd.DataFrame({"a": [1.0, 1, 1], "c": [None, None, None]}), ["u", "u", "v"]),
    ]
    model = postil.shards.fit(postil.AdviceClassifier(missing="mean"), parts)
    assert list(model.classes_) == ["u", "v", "w"] and "c=z" in list(model.get_feature_names_out())
    with pytest.raises(postil.DataError, match="column 'c' holds numbers here, but text"):
        postil.shards.fit(postil.AdviceClassifier(missing="mean"), [parts[0], (pd.DataFrame({"a": [1.0, 2], "c": [1, 2]}), ["u", "v"])])


def test_a_folder_or_a_pattern_is_a_list_of_files(patients, tmp_path):
    X, y = patients
    parts = divided(X, y, 3)
    for k, (part, labels) in enumerate(parts):
        part.assign(outcome=labels).to_parquet(tmp_path / f"part-{k}.parquet")
    (tmp_path / "_SUCCESS").touch()  # as Spark leaves it
    bits = postil.shards.fit(advised(), parts)._engine.to_bytes()
    assert postil.shards.fit(advised(), tmp_path, y="outcome")._engine.to_bytes() == bits
    assert postil.shards.fit(advised(), str(tmp_path / "part-*.parquet"), y="outcome")._engine.to_bytes() == bits
    with pytest.raises(postil.DataError, match="no file is called"):
        postil.shards.fit(advised(), str(tmp_path / "*.csv"), y="outcome")


def test_examples_of_other_engines(patients, tmp_path):
    """A shell loop and Ray give what `train` gives of the same files."""
    import subprocess

    from conftest import POSTIL, ROOT

    X, y = patients
    (tmp_path / "rows").mkdir()
    for k, (part, labels) in enumerate(divided(X, y, 3)):
        part.assign(outcome=labels).to_csv(tmp_path / "rows" / f"{k}.csv", index=False)
    files = [str(tmp_path / "rows" / f"{k}.csv") for k in range(3)]
    options = ["--label", "outcome", "--positive", "diabetes"]
    subprocess.run([POSTIL, "train", *files, "--shards", "1", "--model", tmp_path / "train.postil", *options, "--quiet"], check=True, capture_output=True)
    environment = os.environ | {"PATH": f"{POSTIL.parent}:{os.environ['PATH']}"}
    subprocess.run([ROOT / "examples/shards_folder.sh", tmp_path / "rows", tmp_path / "shell.postil", *options], check=True, capture_output=True, env=environment)
    assert (tmp_path / "shell.postil").read_bytes() == (tmp_path / "train.postil").read_bytes()
    for name in ("shards_folder.sh", "shards_ray.py"):
        assert len((ROOT / "examples" / name).read_text().splitlines()) < 50
    subprocess.run([sys.executable, ROOT / "examples/shards_ray.py", str(tmp_path / "rows/*.csv"), "outcome", tmp_path / "ray.postil"], check=True, capture_output=True)
    alone = postil.shards.fit(postil.AdviceClassifier(missing="mean"), [(file, "outcome") for file in files])
    alone.save(tmp_path / "alone.postil")
    assert (tmp_path / "ray.postil").read_bytes() == (tmp_path / "alone.postil").read_bytes()
