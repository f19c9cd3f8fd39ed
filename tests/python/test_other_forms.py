"""Models that leave Python as ONNX, SQL and score cards: other engines predict the same, and docs/export.md says what is so."""

import json
import re
import sqlite3

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pytest
from conftest import ROOT, run

import postil

RULES = "old [sure = 80%]: age >= 60 and not sex = female => yes\nthin: bmi < 20.5 or missing(bmi) => no\n"


@pytest.fixture(scope="module")
def patients():
    """Rows with whole numbers, numbers, categories and gaps."""
    draw = np.random.default_rng(7)
    X = pd.DataFrame({"age": draw.integers(18, 90, 400), "bmi": draw.normal(27, 5, 400).round(1), "sex": draw.choice(["male", "female", "it's"], 400)})
    y = np.where(X["age"] + 2 * X["bmi"] + 10 * (X["sex"] == "male") + draw.normal(0, 8, 400) > 105, "yes", "no")
    X.loc[::7, "bmi"] = np.nan
    X.loc[::11, "sex"] = None
    return X, y


@pytest.fixture(scope="module")
def model(patients):
    return postil.AdviceClassifier(advice=RULES, missing="indicator").fit(*patients)


def session_of(path):
    onnx.checker.check_model(onnx.load(path), full_check=True)
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


def in_sqlite(X, query, table="data"):
    database = sqlite3.connect(":memory:")
    X.assign(row_number=np.arange(len(X))).to_sql(table, database, index=False)
    return pd.read_sql(query, database).sort_values("row_number")


def check_onnx(model, path, given, X):
    assert model.to_onnx(path) == path.read_bytes()
    label, probabilities, scores = session_of(path).run(None, given)
    assert [str(one) for one in label] == [str(one) for one in model.predict(X)]
    np.testing.assert_allclose(probabilities, model.predict_proba(X), rtol=1e-6, atol=1e-12)
    wanted = model.decision_function(X)
    np.testing.assert_allclose(scores, wanted.reshape(len(wanted), -1), rtol=1e-8, atol=1e-9)


def check_sql(model, path, X, table=None):
    assert model.to_sql(path) == path.read_text()
    found = in_sqlite(X if table is None else table, path.read_text())
    assert found["prediction"].tolist() == [str(one) for one in model.predict(X)]
    if len(model.classes_) == 2:
        np.testing.assert_allclose(found["probability"], model.predict_proba(X)[:, 1], rtol=1e-6, atol=1e-12)
        np.testing.assert_allclose(found["score"], model.decision_function(X), rtol=1e-8, atol=1e-9)


def test_a_frame_with_rules_categories_and_gaps(model, patients, tmp_path):
    X, _ = patients
    given = {"age": X[["age"]].to_numpy(dtype="float64"), "bmi": X[["bmi"]].to_numpy(), "sex": X[["sex"]].fillna("").to_numpy(dtype=object)}
    check_onnx(model, tmp_path / "m.onnx", given, X)
    check_sql(model, tmp_path / "m.sql", X)
    model.save(tmp_path / "m.postil")
    for form in ("onnx", "sql"):
        run("convert", tmp_path / "m.postil", tmp_path / f"c.{form}", check=True)
        assert (tmp_path / f"c.{form}").read_bytes() == (tmp_path / f"m.{form}").read_bytes()


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("form", [postil.AROWClassifier, postil.GradientDescentClassifier, postil.AdviceClassifier, postil.PassiveAggressiveClassifier])
def test_matrices_and_several_classes(form, classes, tmp_path):
    draw = np.random.default_rng(1)
    X = draw.normal(size=(300, 4))
    y = np.digitize(X[:, 0] + 0.3 * draw.normal(size=300), [0.0] if classes == 2 else [-0.5, 0.5])
    model = form().fit(X, y)
    check_onnx(model, tmp_path / "m.onnx", {"columns": X}, X)
    check_sql(model, tmp_path / "m.sql", X, pd.DataFrame(X, columns=["f1", "f2", "f3", "f4"]))


def test_numbers_are_predicted(tmp_path):
    X = pd.DataFrame(np.random.default_rng(2).normal(size=(200, 3)), columns=["a", "b", "c"])
    model = postil.AROWRegressor().fit(X, X @ [1.0, 2.0, 3.0])
    model.to_onnx(tmp_path / "m.onnx")
    np.testing.assert_allclose(session_of(tmp_path / "m.onnx").run(None, {"columns": X.to_numpy()})[0].ravel(), model.predict(X), rtol=1e-9)
    np.testing.assert_allclose(in_sqlite(X, model.to_sql())["prediction"], model.predict(X), rtol=1e-9)


def test_tables_are_named_and_files_whole(model, patients, tmp_path):
    X, _ = patients
    assert len(in_sqlite(X, model.to_sql(table="new patients"), "new patients")) == len(X)
    assert 'FROM "clinic"."patients" AS d' in model.to_sql(table="clinic.patients")
    for wrong in ("", None, 3):
        with pytest.raises(postil.ParamError, match="table="):
            model.to_sql(table=wrong)
    (tmp_path / "m.sql").write_text("before")
    kernel = postil.SVC().fit(np.random.default_rng(3).normal(size=(40, 2)), [0, 1] * 20)
    with pytest.raises(postil.ModelError, match="ONNX can hold this one"):
        kernel.to_sql(tmp_path / "m.sql")
    with pytest.raises(postil.DataError, match="nowhere"):
        model.to_onnx(tmp_path / "nowhere/m.onnx")
    assert (tmp_path / "m.sql").read_text() == "before" and [path.name for path in tmp_path.iterdir()] == ["m.sql"]
    for method in ("to_onnx", "to_sql"):
        with pytest.raises(postil._estimator.NotFittedError):
            getattr(postil.AdviceClassifier(), method)(tmp_path / "x")


def test_a_score_card_is_the_command_s(model, patients, tmp_path):
    X, y = patients
    first = np.flatnonzero(y == "no")[0]  # a file's classes come in the order of its rows, an array's in theirs: the same
    X, y = X[first:], y[first:]
    model.save(tmp_path / "m.postil")
    X.assign(outcome=y).to_csv(tmp_path / "d.csv", index=False)
    X[:150].assign(outcome=y[:150]).to_csv(tmp_path / "t.csv", index=False)
    base = ["scorecard", tmp_path / "m.postil", "--data", tmp_path / "d.csv", "--label", "outcome"]
    for options, flags in (({}, []), ({"items": 2, "bins": 3, "seed": 5}, ["--items", 2, "--bins", 3, "--seed", 5]), ({"test": (X[:150], y[:150])}, ["--test", tmp_path / "t.csv"])):
        card = model.scorecard(X, y, **options)
        assert dict(card) == json.loads(run(*base, *flags, "--json", check=True).stdout)
        assert str(card) == run(*base, *flags, check=True).stdout
        assert card.to_csv(tmp_path / "card.csv") == (tmp_path / "card.csv").read_text() == run(*base, *flags, "--csv", check=True).stdout
    assert dict(model.scorecard(X.assign(outcome=y), "outcome")) == dict(model.scorecard(X, y))


def test_a_score_card_adds_up(patients):
    """Points that numpy adds up for the rows put as many into each band as the card says."""
    X, y = patients
    X = X[["age", "bmi"]].fillna(27.0)
    model = postil.AROWClassifier(scale="standard").fit(X, y)
    card = model.scorecard(X, y, test=(X, y))
    total = np.zeros(len(X))
    for item in card["items"]:
        for entry in item["conditions"]:
            low = -np.inf if entry["from"] is None else entry["from"]
            high = np.inf if entry["below"] is None else entry["below"]
            inside = (X[item["item"]] >= low) & (X[item["item"]] < high)
            assert inside.sum() == entry["rows"]
            total += entry["points"] * inside
    for band in card["totals"]:
        inside = (total >= band["low"]) & (total <= band["high"])
        assert (inside.sum(), (y[inside] == "yes").sum()) == (band["rows"], band["positives"]) == (band["test_rows"], band["test_positives"])
    said = re.sub(r"<[^>]+>", " ", card._repr_html_())
    assert "Score card for yes" in said and "are too good" not in said and all(item["item"] in said for item in card["items"])


def test_what_a_score_card_is_not_for(model, patients):
    X, y = patients
    for options, message in (({"items": 0}, "items=0"), ({"bins": 21}, "bins=21"), ({"seed": -1}, "seed=-1"), ({"test": X}, "a pair")):
        with pytest.raises(postil.ParamError, match=message):
            model.scorecard(X, y, **options)
    with pytest.raises(postil.DataError, match="needs y"):
        model.scorecard(X)
    with pytest.raises(postil.DataError, match="martian"):
        model.scorecard(X[:40], np.array(["yes", "martian"] * 20))
    with pytest.raises(postil.DataError, match="too few"):
        model.scorecard(X[:5], y[:5])
    three = postil.AROWClassifier().fit(np.eye(9), np.arange(9) % 3)
    with pytest.raises(postil.ModelError, match="two classes"):
        three.scorecard(np.eye(9), np.arange(9) % 3)


def test_the_page_shows_what_works(model, patients, tmp_path, monkeypatch):
    """The lines of Python on docs/export.md, as they stand there."""
    page = (ROOT / "docs/export.md").read_text()
    monkeypatch.chdir(tmp_path)
    X, y = patients
    calls = re.findall(r"`(model\.\w+\([^`]*\))`", page)
    assert len(calls) >= 3
    for call in calls:
        assert eval(call, {"model": model, "X": X, "y": y})
    assert (tmp_path / "model.onnx").stat().st_size > 1000 and '"patients"' in (tmp_path / "model.sql").read_text()
    begin, numbers, mixed = re.fullmatch(r"(.*?\n)(.*?)\n\n(.*)", re.search(r"```python\n(.*?)```", page, re.DOTALL)[1], re.DOTALL).groups()
    plain = postil.AROWClassifier(missing="mean").fit(X[["age", "bmi"]], y)
    for block, of in ((mixed, model), (numbers, plain)):
        of.to_onnx("model.onnx")
        names = {"onnxruntime": onnxruntime, "frame": X, "names": ["age", "bmi"]}
        exec(begin + block, names)
        assert names["label"].tolist() == of.predict(X if of is model else X[["age", "bmi"]]).tolist()
