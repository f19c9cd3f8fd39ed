"""River's manners: dicts, its evaluation, its pipelines."""

import pickle
import warnings

import numpy as np
import pytest
from river import base, compose, datasets, evaluate, feature_extraction, linear_model, metrics, preprocessing

import postil


@pytest.mark.parametrize("name", ["PerceptronClassifier", "PassiveAggressiveClassifier", "AROWClassifier", "AdviceClassifier", "GradientDescentClassifier", "OnlineEllipsoidalSVC"])
def test_progressive_validation(name):
    alone = evaluate.progressive_val_score(datasets.Phishing(), getattr(postil, name)(), metrics.Accuracy())
    assert alone.get() > 0.85
    behind = preprocessing.StandardScaler() | getattr(postil, name)()
    assert isinstance(behind, compose.Pipeline)
    assert evaluate.progressive_val_score(datasets.Phishing(), behind, metrics.Accuracy() + metrics.F1()).get()[0] > 0.82


def test_it_is_the_loop_that_river_promises():
    model, right, rows = postil.AROWClassifier(), 0, 0
    for x, y in datasets.Phishing():
        predicted = model.predict_one(x)
        right += predicted == y if predicted is not None else 0
        rows += predicted is not None
        model.learn_one(x, y)
    score = evaluate.progressive_val_score(datasets.Phishing(), postil.AROWClassifier(), metrics.Accuracy())
    assert score.get() == pytest.approx(right / rows, abs=1e-12)


def test_more_than_two_classes_by_name():
    score = evaluate.progressive_val_score(datasets.ImageSegments(), preprocessing.StandardScaler() | postil.AROWClassifier(), metrics.Accuracy())
    assert score.get() > 0.75


def test_regression():
    score = evaluate.progressive_val_score(datasets.TrumpApproval(), preprocessing.StandardScaler() | postil.PassiveAggressiveRegressor(), metrics.MAE())
    assert score.get() < 5
    theirs = evaluate.progressive_val_score(datasets.TrumpApproval(), preprocessing.StandardScaler() | linear_model.LinearRegression(intercept_lr=0.1), metrics.MAE()).get()
    for ours in (postil.AROWRegressor(), preprocessing.StandardScaler() | postil.AROWRegressor()):
        assert evaluate.progressive_val_score(datasets.TrumpApproval(), ours, metrics.MAE()).get() < theirs


def test_rows_with_few_features_before_the_schema_is_settled():
    """Such rows were kept as they came, and there was no room in them for columns that came later."""
    for make in (postil.PassiveAggressiveClassifier, lambda: postil.AROWClassifier(scale="maxabs"), postil.AdviceClassifier):
        one, frame = make(), {}
        for number in range(300):
            row = {f"w{number % 7}": 1.0, f"w{number % 23}": 2.0, f"w{number // 20}": 0.5}
            one.learn_one(row, number % 3 == 0)
            one.predict_one(row)
            one = pickle.loads(pickle.dumps(one)) if number in (3, 100) else one
            for name in row:
                frame.setdefault(name, {})[number] = row[name]
        many = make()
        for number in range(300):
            many.learn_one({name: values.get(number, 0.0) for name, values in frame.items()}, number % 3 == 0)
        assert one._engine.column_names == many._engine.column_names
        named = [dict(zip(model._engine.column_names, model.coef_[0])) for model in (one, many)]
        assert named[0] == pytest.approx(named[1], rel=1e-9)


def test_wide_rows_of_numbers():
    """The full matrix of AROW gives way to its diagonal, and a model that was saved goes on from there."""
    random = np.random.default_rng(1)
    model = postil.AROWRegressor()
    for number in range(400):
        row = {f"c{j}": value for j, value in enumerate(random.normal(size=150 if number < 300 else 250))}
        model.learn_one(row, 3 * row["c0"] + 40)
        if number == 350:
            model = pickle.loads(pickle.dumps(model))
    error = [abs(model.predict_one(row := {f"c{j}": value for j, value in enumerate(random.normal(size=250))}) - 3 * row["c0"] - 40) for _ in range(50)]
    assert np.mean(error) < 10


def test_features_may_come_later():
    mails = [("free money now", True), ("see you at lunch", False), ("win money", True), ("lunch with a friend tomorrow", False)] * 20
    model = feature_extraction.BagOfWords(lowercase=True) | postil.PassiveAggressiveClassifier()
    assert evaluate.progressive_val_score(mails, model, metrics.Accuracy()).get() > 0.9
    learner = model["PassiveAggressiveClassifier"]
    weights = dict(zip(learner._engine.column_names, learner.coef_[0]))
    assert weights["money"] > 0 > weights["lunch"]
    assert set(weights) == set(" ".join(text for text, _ in mails).split()) - {"a"}  # River's tokens have two letters
    again = pickle.loads(pickle.dumps(learner))
    for text, spam in mails[:4]:
        words = {word: 1 for word in text.split() if len(word) > 1} | {"later": 1}
        again.learn_one(words, spam)
        learner.learn_one(words, spam)
    assert again._engine.to_bytes() == learner._engine.to_bytes()
    with pytest.raises(postil.DataError, match="NaN"):
        again.learn_one({"later": float("nan")}, True)
    scaled = postil.AROWClassifier(scale="standard").partial_fit([[1.0]], [1], classes=[0, 1])  # where columns are scaled, too
    for k in range(300):
        scaled.learn_one({"f1": 1, "new": 1000.0 * (-1) ** k}, k % 2)
    assert scaled._engine.column_names == ["f1", "new"]
    assert scaled.predict_one({"f1": 1, "new": 1000.0}) == 0
    assert scaled.predict_one({"f1": 1, "new": -1000.0}) == 1


def test_isinstance_and_clone():
    assert isinstance(postil.AROWClassifier(), base.Classifier)
    assert isinstance(postil.AROWClassifier(), base.MiniBatchClassifier)
    assert isinstance(postil.GradientDescentRegressor(), base.Regressor)
    assert not isinstance(postil.AROWClassifier(), base.Regressor)
    assert postil.AROWClassifier(r=3).clone().r == 3


def test_a_class_that_comes_late():
    model = postil.AROWClassifier()
    for k in range(300):
        model.learn_one({"a": float(k % 2), "b": 1.0}, ["x", "y"][k % 2])
    assert model.classes_.tolist() == ["x", "y"]
    for _ in range(20):
        model.learn_one({"a": 0.5, "b": 9.0}, "z")
    assert model.classes_.tolist() == ["x", "y", "z"]
    assert [model.predict_one({"a": a, "b": b}) for a, b in ((0.0, 1.0), (1.0, 1.0), (0.5, 9.0))] == ["x", "y", "z"]
    closed = postil.AROWClassifier().expect(["a", "b"], classes=["x", "y"])
    with pytest.warns(UserWarning, match="'z', which is none of the classes known"):
        closed.learn_one({"a": 1.0, "b": 2.0}, "z")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        closed.learn_one({"a": 1.0, "b": 2.0}, "z")
    closed.learn_one({"a": 1.0, "b": 2.0}, "x")
    assert closed.classes_.tolist() == ["x", "y"]
    named = postil.AROWClassifier().expect(["a", "b"], classes=["x", "y", "z"])
    named.learn_one({"a": 1.0, "b": 2.0}, "z")
    assert named.classes_.tolist() == ["x", "y", "z"]


def test_absent_is_0_unless_missing_says_otherwise():
    model = postil.PassiveAggressiveClassifier()
    model.learn_one({"a": 1.0, "b": 2.0}, True)
    model.learn_one({"a": -1.0}, False)
    twin = postil.PassiveAggressiveClassifier()
    twin.learn_one({"a": 1.0, "b": 2.0}, True)
    twin.learn_one({"a": -1.0, "b": 0.0}, False)
    assert model.coef_.tolist() == twin.coef_.tolist()
    mean = postil.PassiveAggressiveClassifier(missing="mean")
    for k in range(300):
        mean.learn_one({"a": float(k % 5), "b": 3.0}, k % 5 > 2)
    assert mean.predict_one({"a": 4.0}) == mean.predict_one({"a": 4.0, "b": 3.0})
