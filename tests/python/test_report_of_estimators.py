"""`report` of estimators: the page of the command, from arrays and frames."""

import re

import numpy as np
import pytest

import postil


def values(page):
    """Exact numbers by name."""
    return {name: float(value) for name, value in re.findall(r'<data id="([^"]+)" value="([^"]+)"', page)}


@pytest.fixture(scope="module")
def patients():
    frame, label = postil.datasets.make("diabetes", rows=900)
    frame = frame.assign(sex=np.random.default_rng(1).choice(["f", "m", None], len(frame)))
    return frame, np.asarray(label)


def test_frames_groups_and_files(patients, tmp_path):
    frame, label = patients
    features = frame.drop(columns="sex")
    model = postil.AdviceClassifier(advice="sugar: glucose >= 140 => diabetes", missing="mean").fit(features[:600], label[:600])
    page = model.report(frame[600:], label[600:], by="sex", path=tmp_path / "r.html", purpose="Research <only>", title="A & B")
    assert (tmp_path / "r.html").read_text() == page
    found = values(page)
    assert found["accuracy"] == pytest.approx(model.score(features[600:], label[600:])) and found["examples"] == 300
    assert "Research &lt;only&gt;" in page and "<h1>A &amp; B</h1>" in page and "By sex" in page and "(empty)" in page
    assert f"Postil {postil.__version__}" in page and "<script" not in page and "sugar: glucose &gt;= 140" in page
    # The label as a column, groups beside the frame, the same numbers.
    again = model.report(features[600:].assign(y=label[600:]), "y", by={"sex": frame.sex[600:], "truth": label[600:]})
    assert values(again)["accuracy"] == found["accuracy"] and "By truth" in again


def test_arrays_without_labels_and_numbers():
    draw = np.random.default_rng(2)
    X = draw.normal(size=(200, 3))
    model = postil.PassiveAggressiveClassifier().fit(X, X[:, 0] > 0)
    page = model.report(X)
    assert "These rows have no labels" in page and "accuracy" not in values(page)
    assert values(model.report(X, X[:, 0] > 0))["accuracy"] == pytest.approx(model.score(X, X[:, 0] > 0))
    assert "article" not in model.report(X, X[:, 0] > 0, examples=0) and "Row 0:" not in model.report(X, examples=0)
    numbers = postil.AROWRegressor().fit(X, X @ [1, 2, 3])
    assert values(numbers.report(X, X @ [1, 2, 3]))["r2"] == pytest.approx(numbers.score(X, X @ [1, 2, 3]))


def test_mistakes_are_told(patients):
    frame, label = patients
    model = postil.AROWClassifier().fit(frame[["glucose"]].fillna(0), label)
    with pytest.raises(postil.DataError, match="no column 'sax'; there are"):
        model.report(frame, label, by=["sax"])
    with pytest.raises(postil.DataError, match="no named columns"):
        model.report(np.zeros((3, 1)), by=["sex"])
    with pytest.raises(postil.DataError, match="has 2 values, but there are 3 rows"):
        model.report(frame[["glucose"]].fillna(0)[:3], label[:3], by={"site": ["a", "b"]})
    with pytest.raises(postil.ParamError, match="examples=-1"):
        model.report(frame[["glucose"]].fillna(0), label, examples=-1)
    with pytest.raises(postil.DataError, match="martian"):
        model.report(frame[["glucose"]].fillna(0)[:2], np.array(["healthy", "martian"]))
