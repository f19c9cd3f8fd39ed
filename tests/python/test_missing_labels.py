"""A label that is missing (None, NaN, pandas.NA) is none: its row is looked at or passed over, never learned as a class. Kinds of labels do not mix."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest

import postil

MISSING = [None, float("nan"), np.float64("nan"), pd.NA, pd.NaT]


@pytest.fixture
def stream():
    draw = np.random.default_rng(3)
    X = pd.DataFrame(draw.normal(size=(400, 3)), columns=["a", "b", "c"])
    y = np.where(X["a"] + 0.5 * X["b"] > 0, "yes", "no").astype(object)
    absent = itertools.cycle(MISSING)
    y[draw.random(400) < 0.4] = "?"
    return X, np.array([next(absent) if label == "?" else label for label in y], dtype=object)


FORMS = [postil.AROWClassifier, postil.PerceptronClassifier, postil.AdviceClassifier, lambda: postil.AdviceClassifier(advice="a >= 0 => yes")]


@pytest.mark.parametrize("make", FORMS)
def test_one_by_one_many_and_partial_fit_agree(make, stream):
    X, y = stream
    known = pd.notna(y)
    one, many, part, listed = make(), make(), make(), make()
    for x, label in zip(X.to_dict("records"), y):
        one.learn_one(x, label)
    for first in range(0, 400, 50):
        many.learn_many(X[first : first + 50], pd.Series(y[first : first + 50]))
        part.partial_fit(X[first : first + 50], y[first : first + 50])
        listed.partial_fit(X[first : first + 50], y[first : first + 50].tolist())
    for model in (one, many, part, listed):
        assert sorted(model.classes_) == ["no", "yes"] and model.t_ == known.sum() + 1
        np.testing.assert_array_equal(model.decision_function(X), one.decision_function(X))
    assert one.score(X[known], y[known].astype(str)) > 0.9
    assert one._engine.counters["rows"] == 400


def test_learners_that_look_at_labelled_rows_only_pass_the_others_over(stream):
    X, y = stream
    known = pd.notna(y)
    model, without = postil.PerceptronClassifier(), postil.PerceptronClassifier()
    for x, label in zip(X.to_numpy(), y):
        model.learn_one(x, label)
    without.partial_fit(X.to_numpy()[known], y[known].tolist())
    np.testing.assert_array_equal(model.coef_, without.coef_)


@pytest.mark.parametrize("absent", MISSING, ids=repr)
def test_before_the_first_label(absent):
    for give in (lambda model, x: model.learn_one(x, absent), lambda model, x: model.learn_many(pd.DataFrame([x]), [absent]), lambda model, x: model.partial_fit(pd.DataFrame([x]), [absent])):
        model = postil.AROWClassifier()
        give(model, {"a": 1.0})
        assert model.predict_one({"a": 1.0}) is None
        for k in range(20):
            model.learn_one({"a": k - 10.0}, k >= 10)
        give(model, {"a": 1.0})
        assert model.classes_.tolist() == [False, True] and model.predict_one({"a": 8.0}) is True
        assert pickle.loads(pickle.dumps(model)).predict_one({"a": 8.0}) is True
        ruled = postil.AdviceClassifier(advice="a >= 0 => 1")
        give(ruled, {"a": 1.0})
        assert ruled.predict_one({"a": 5.0}) == 1


def test_all_classes_named_beforehand(stream):
    X, y = stream
    model = postil.AROWClassifier()
    model.partial_fit(X[:20], y[:20], classes=["yes", "no"])
    model.partial_fit(X[20:22], [None, None])
    assert model.classes_.tolist() == ["no", "yes"]


def test_weights_and_matrices():
    X = np.random.default_rng(1).normal(size=(300, 2))
    y = (X[:, 0] > 0).astype(float)
    y[::3] = np.nan
    model = postil.AROWClassifier().partial_fit(X, y, sample_weight=np.ones(300))
    assert model.classes_.tolist() == [0, 1]
    model.partial_fit(X[:1], np.array([np.nan]))
    assert model.classes_.tolist() == [0, 1] and model.t_ == 201


def test_numbers():
    X = np.random.default_rng(1).normal(size=(300, 2))
    y = (X @ [1.0, 2.0]).astype(object)
    y[::4] = None
    known = np.array([label is not None for label in y])
    wanted = postil.PassiveAggressiveRegressor().partial_fit(X[known], y[known].astype(float))
    one, many, part = (postil.PassiveAggressiveRegressor() for _ in range(3))
    for x, label in zip(X, y):
        one.learn_one(x, label)
    many.learn_many(pd.DataFrame(X), y)
    part.partial_fit(X, y)
    for model in (one, many, part):
        np.testing.assert_array_equal(model.coef_, wanted.coef_)


def test_a_class_called_nan_is_a_class():
    model = postil.AROWClassifier()
    for k in range(20):
        model.learn_one({"a": float(k % 2)}, ["nan", "None"][k % 2])
    assert model.classes_.tolist() == ["None", "nan"]


@pytest.mark.parametrize(("labels", "message"), [([1, "a"], "numbers and text, as 1 and 'a'"), (["a", 2.0], "text and numbers, as 'a' and 2.0"), (["a", True], "text and truth values, as 'a' and True")])
def test_kinds_of_labels_do_not_mix(labels, message):
    X = pd.DataFrame({"a": [1.0, 2.0]})
    model = postil.AROWClassifier()
    model.learn_one({"a": 1.0}, labels[0])
    before = model._engine.to_bytes()
    with pytest.raises(postil.DataError, match=message):
        model.learn_one({"a": 2.0}, labels[1])
    with pytest.raises(postil.DataError, match=message):
        model.partial_fit(X[1:], labels[1:])
    assert model._engine.to_bytes() == before
    for learn in (postil.AROWClassifier().learn_many, postil.AROWClassifier().partial_fit, postil.AROWClassifier().fit):
        for given in (labels, pd.Series(labels), np.array(labels, dtype=object)):
            with pytest.raises(postil.DataError, match=message):
                learn(X, given)


def test_fit_wants_a_label_for_each_row():
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0]})
    for absent in MISSING:
        for given in (["a", absent, "b"], pd.Series(["a", absent, "b"], dtype=object)):
            with pytest.raises(postil.DataError, match="no label for row 1; leave out rows without a label"):
                postil.AROWClassifier().fit(X, given)
