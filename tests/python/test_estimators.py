"""Estimators under scikit-learn's manners: its own checks, its own learners as oracles, pipelines, weights, errors."""

import copy
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Perceptron
from sklearn.linear_model import SGDClassifier as PeerSGD
from sklearn.linear_model import SGDRegressor as PeerSGDRegressor
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as PeerSVC
from sklearn.utils.estimator_checks import check_estimator

import postil
from postil._names import ESTIMATORS

CLASSIFIERS = [name for name in ESTIMATORS if not is_regressor(getattr(postil, name)())]
ONLINE = [name for name in ESTIMATORS if hasattr(getattr(postil, name), "partial_fit")]
RULES = "low: f2 <= -1 => 1\nhigh: f1 >= 1 and f3 >= 0 => not 1"
ONE_PASS = {"max_iter": 1, "tol": None, "shuffle": False}


def made(rows=300, width=6, classes=2, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, width))
    scores = X @ random.normal(size=(width, classes))
    return X, scores.argmax(axis=1)


def estimator(name, **params):
    return getattr(postil, name)(**params)


# ---- scikit-learn's own checks ----


@pytest.mark.parametrize("name", ESTIMATORS)
def test_passes_the_checks_of_scikit_learn(name):
    model = estimator(name)
    expected = postil.testing.expected_failed_checks(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(model, on_fail=None, on_skip=None)
    failed = {result["check_name"]: result["exception"] for result in results if result["status"] == "failed"}
    assert set(failed) <= set(expected), failed
    assert set(expected) <= set(failed), "expected to fail, but passes: say so no more"
    assert len(results) > 50


def test_only_what_is_asked_for_is_loaded():
    code = "import sys, postil; print([name for name in ('sklearn', 'pandas', 'scipy', 'matplotlib') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    assert set(ESTIMATORS) <= set(dir(postil))
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        postil.Nothing  # noqa: B018


# ---- peers as oracles ----


def test_passive_aggressive_is_that_of_scikit_learn():
    X, y = made()
    for loss, peer in (("hinge", "pa1"), ("squared_hinge", "pa2")):
        ours = postil.PassiveAggressiveClassifier(C=0.3, loss=loss, fit_intercept=False, average="none", **ONE_PASS).fit(X, y)
        theirs = PeerSGD(loss="hinge", penalty=None, learning_rate=peer, eta0=0.3, fit_intercept=False, shuffle=False, max_iter=1, tol=None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs.fit(X, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10)
        assert ours.intercept_ == 0
        assert (ours.predict(X) == theirs.predict(X)).all()


def test_passive_aggressive_regression_is_that_of_scikit_learn():
    X, _ = made()
    target = X @ [1.0, -2, 0.5, 0, 3, 1] + 0.1
    ours = postil.PassiveAggressiveRegressor(C=0.05, epsilon=0.1, fit_intercept=False, average="none", **ONE_PASS).fit(X, target)
    theirs = PeerSGDRegressor(loss="epsilon_insensitive", penalty=None, learning_rate="pa1", eta0=0.05, epsilon=0.1, fit_intercept=False, shuffle=False, max_iter=1, tol=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs.fit(X, target)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10)


def test_perceptron_is_that_of_scikit_learn():
    X, y = made(classes=3)
    ours = postil.PerceptronClassifier(fit_intercept=False, average="none", **ONE_PASS).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = Perceptron(fit_intercept=False, shuffle=False, max_iter=1, tol=None).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10)
    assert (ours.predict(X) == theirs.predict(X)).all()


def test_support_vector_machine_is_that_of_libsvm():
    X, y = made(rows=200)
    ours, theirs = postil.SVC(C=2, gamma=0.3, tol=1e-6).fit(X, y), PeerSVC(C=2, gamma=0.3, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    with pytest.raises(AttributeError, match="no weights"):
        ours.coef_  # noqa: B018


# ---- the model's parts ----


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("classes", [2, 3])
def test_scores_are_weights_times_rows(name, classes):
    X, y = made(rows=120, classes=classes)
    model = estimator(name, scale="standard").fit(X, y)
    scores = model.decision_function(X)
    assert scores.shape == ((len(X),) if classes == 2 else (len(X), classes))
    predicted = model.classes_[(scores > 0).astype(int)] if classes == 2 else model.classes_[scores.argmax(axis=1)]
    assert (predicted == model.predict(X)).mean() > 0.99 or name == "AdviceOnlyClassifier"  # ties
    if not hasattr(model, "coef_"):
        assert name in ("SVC", "NuSVC", "BayesPointClassifier", "VotedPerceptronClassifier", "KernelPerceptronClassifier", "KernelAdviceptronClassifier", "KernelKnowledgeSVC", "RulesClassifier")
        return
    assert model.coef_.shape == (1 if classes == 2 else classes, X.shape[1])
    np.testing.assert_allclose((X @ model.coef_.T + model.intercept_).squeeze(), scores, atol=1e-9)


def test_class_order_is_that_of_numpy_even_if_ours_differs():
    X, y = made(classes=3)
    names = np.array(["9", "10", "100"])[y]  # as text 10 < 100 < 9
    model = postil.AROWClassifier().fit(X, names)
    assert model.classes_.tolist() == ["10", "100", "9"]
    same = postil.AROWClassifier().fit(X, y)
    assert (model.predict(X) == np.array(["9", "10", "100"])[same.predict(X)]).all()
    np.testing.assert_array_equal(model.decision_function(X), same.decision_function(X)[:, [1, 2, 0]])
    two = postil.AROWClassifier().fit(X, names == "9")
    assert two.classes_.tolist() == [False, True]
    turned = postil.AROWClassifier().fit(X, np.where(names == "9", "10", "9"))  # positive is "9", the later text
    np.testing.assert_array_equal(turned.decision_function(X) > 0, turned.predict(X) == "9")


def test_distinct_labels_are_those_of_numpy():
    from postil._labels import distinct

    random = np.random.default_rng(0)
    for y in (random.integers(0, 2, 5000), random.integers(0, 2, 5000) * 2 - 1, random.random(5000) < 0.5, random.integers(3, 9, 5000).astype(np.int8), np.zeros(5000, int), random.integers(-(10**9), 10**9, 5000), random.integers(250, 256, 5000).astype(np.uint8)):
        values, codes = distinct(y)
        expected, places = np.unique(y, return_inverse=True)
        assert values.dtype == expected.dtype
        np.testing.assert_array_equal(values, expected)
        np.testing.assert_array_equal(codes, places)


def test_labels_keep_their_type():
    X, y = made()
    for labels in (y, y.astype(np.int8), y.astype(bool), y.astype(float) * 2 - 1, np.array(["no", "yes"])[y], np.array(["no", "yes"], dtype=object)[y], pd.Series(y).map({0: "a", 1: "b"})):
        model = postil.PassiveAggressiveClassifier().fit(X, labels)
        assert set(model.predict(X)) <= set(np.asarray(labels))
        assert model.score(X, labels) > 0.9
    assert postil.AROWClassifier().fit(X, np.array(["1", "+1"])[y]).classes_.tolist() == ["+1", "1"]


def test_rows_of_weight_0_are_not_there():
    X, y = made()
    weights = (np.arange(len(y)) % 3 != 0).astype(float)
    for name in ("PassiveAggressiveClassifier", "PerceptronClassifier", "AROWClassifier", "SVC", "EllipsoidalSVC"):
        params = ONE_PASS | {"average": "none"} if name in ONLINE else {}
        part, whole = estimator(name, **params).fit(X[weights > 0], y[weights > 0]), estimator(name, **params).fit(X, y, sample_weight=weights)
        np.testing.assert_allclose(whole.decision_function(X), part.decision_function(X), atol=2e-3 if name == "SVC" else 1e-6)


def test_class_weights_are_sample_weights():
    X, y = made()
    weights = {0: 0.2, 1: 3.0}
    for name in ("PassiveAggressiveClassifier", "AROWClassifier", "GradientDescentClassifier"):
        a = estimator(name, class_weight=weights, **ONE_PASS).fit(X, y)
        b = estimator(name, **ONE_PASS).fit(X, y, sample_weight=np.where(y == 1, 3.0, 0.2))
        np.testing.assert_array_equal(a.coef_, b.coef_)
        balanced = estimator(name, class_weight="balanced", **ONE_PASS).fit(X, y)
        share = {c: len(y) / (2 * (y == c).sum()) for c in (0, 1)}
        np.testing.assert_array_equal(balanced.coef_, estimator(name, class_weight=share, **ONE_PASS).fit(X, y).coef_)
    with pytest.raises(ValueError, match="fit"):
        postil.AROWClassifier(class_weight="balanced").partial_fit(X, y, classes=[0, 1])


def test_stops_when_nothing_improves_and_says_so(capfd):
    X, y = made()
    model = postil.PerceptronClassifier(verbose=1).fit(X, y)
    assert 5 < model.n_iter_ < 1000
    assert f"{model.n_iter_} passes, loss" in capfd.readouterr().err
    assert postil.PerceptronClassifier(max_iter=3, tol=None).fit(X, y).n_iter_ == 3
    once = postil.PerceptronClassifier(max_iter=2, tol=None, shuffle=False, warm_start=True)
    once.fit(X, y).fit(X, y)
    twice = postil.PerceptronClassifier(max_iter=4, tol=None, shuffle=False).fit(X, y)
    np.testing.assert_array_equal(once.coef_, twice.coef_)
    for lent in (X, X.astype(np.float32).astype(float) * 1.0):
        parts = postil.PerceptronClassifier()
        for _ in range(3):
            parts.partial_fit(lent, y, classes=[0, 1])
        np.testing.assert_array_equal(parts.coef_, postil.PerceptronClassifier(max_iter=3, tol=None, shuffle=False).fit(lent, y).coef_)


def test_seeds_decide():
    X, y = made()
    a, b, c = (postil.AROWClassifier(max_iter=1, tol=None, random_state=seed).fit(X, y).coef_ for seed in (1, 1, 2))
    np.testing.assert_array_equal(a, b)
    assert (a != c).any()


# ---- pipelines and searches ----


def test_pipelines_searches_and_clones():
    X, y = made(classes=3)
    search = GridSearchCV(make_pipeline(StandardScaler(), postil.AROWClassifier()), {"arowclassifier__r": [0.1, 1, 10]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    model = postil.AdviceClassifier(advice="f1 >= 1 => 2", prior=0.5)
    assert clone(model).get_params() == model.get_params()
    assert cross_val_score(model, X, y, cv=3).mean() > 0.85
    assert "AdviceClassifier" in repr(model)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_copies_are_whole_and_independent(name):
    X, y = made(rows=100)
    y = X[:, 0] - X[:, 1] if is_regressor(getattr(postil, name)()) else y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = estimator(name).fit(X, y)
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(twin.predict(X), model.predict(X))
        assert twin.get_params() == model.get_params()
    if name in ONLINE:
        before = model.predict(X)
        twin.partial_fit(-X, y)
        np.testing.assert_array_equal(model.predict(X), before)
    with pytest.raises(NotFittedError):
        pickle.loads(pickle.dumps(clone(model))).predict(X)


# ---- rules ----


def test_advice_as_text_list_file_or_rules(tmp_path):
    X, y = made()
    path = tmp_path / "a.rules"
    path.write_text(RULES)
    forms = [RULES, RULES.splitlines(), path, str(path), postil.rules.parse(RULES)]
    models = [postil.AdviceClassifier(advice=form, **ONE_PASS).fit(X, y) for form in forms]
    assert len({model._engine.to_bytes() for model in models}) == 1
    assert list(models[0].ledger().index) == ["low", "high"]
    without = postil.AdviceClassifier(**ONE_PASS).fit(X, y)
    assert (without.coef_ != models[0].coef_).any()
    with pytest.raises(postil.ParseError, match="neither a rule"):
        postil.AdviceClassifier(advice="no/such/file").fit(X, y)


def test_rules_are_in_raw_units_and_a_scaler_in_front_is_refused():
    random = np.random.default_rng(0)
    X = pd.DataFrame({"glucose": random.normal(120, 30, 400), "bmi": random.normal(31, 6, 400)})
    y = (X["glucose"] + 3 * X["bmi"] + random.normal(0, 20, 400) > 220).astype(int)
    rule = "bmi >= 30 and glucose >= 126 => 1"
    direct = postil.AdviceClassifier(advice=rule).fit(X, y)
    assert direct.ledger().loc["line 1", "fired"] == ((X["bmi"] >= 30) & (X["glucose"] >= 126)).sum()
    named = make_pipeline(StandardScaler().set_output(transform="pandas"), postil.AdviceClassifier(advice=rule))
    with pytest.raises(postil.DataError, match="StandardScaler.*scale='standard'"):
        named.fit(X, y)
    with pytest.raises(postil.DataError, match="outside its domain(.|\n)*StandardScaler"):
        make_pipeline(StandardScaler().set_output(transform="pandas"), postil.AdviceClassifier(advice=f"domain bmi in [10, 70]\ndomain glucose in [40, 250]\n{rule}")).fit(X, y)
    with pytest.raises(postil.ParseError, match="unknown column 'bmi'(.|\n)*scale='standard'"):
        make_pipeline(StandardScaler(), postil.AdviceClassifier(advice=rule)).fit(X, y)
    standard = make_pipeline(StandardScaler().set_output(transform="pandas"), postil.AdviceClassifier(advice="bmi >= 0.5 => 1"))
    assert standard.fit(X, y).score(X, y) > 0.8  # rules about the scaled columns are welcome
    with pytest.warns(UserWarning, match="other units"):
        postil.AdviceClassifier(advice="bmi >= 300 => 1").fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        postil.AdviceClassifier(advice="domain bmi in [5, 90]\nbmi >= 80 => 1").fit(X, y)


def test_rules_answer_before_any_label():
    rules = "domain bmi in [15, 50]\ndomain glucose in [50, 200]\nhigh: bmi >= 30 and glucose >= 126 => 1\nlow: bmi <= 25 and glucose <= 100 => not 1"
    model = postil.AdviceClassifier(advice=rules)
    assert model.predict_one({"bmi": 35, "glucose": 150}) == 1
    assert model.predict_one({"bmi": 20, "glucose": 80}) == 0
    model = postil.AdviceClassifier(advice=rules).expect(["glucose", "bmi"], classes=[0, 1])
    assert model.predict(pd.DataFrame({"glucose": [150.0, 80], "bmi": [35.0, 20]})).tolist() == [1, 0]
    assert list(model.ledger()["fired"]) == [0, 0]


def test_rules_can_change_while_learning():
    X, y = made()
    model = postil.AdviceClassifier(advice=RULES).partial_fit(X, y, classes=[0, 1])
    model.set_advice("other: f4 >= 1 => 1")
    assert list(model.ledger().index) == ["other"]
    model.partial_fit(X, y)
    assert model.ledger().loc["other", "fired"] == (X[:, 3] >= 1).sum()


# ---- what goes wrong is said ----


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda X, y: postil.AROWClassifier(r=-1).fit(X, y), "r is '-1', expected a number"),
        (lambda X, y: postil.AROWClassifier(scale="big").fit(X, y), "big"),
        (lambda X, y: postil.AROWClassifier(max_iter=0).fit(X, y), "max_iter=0"),
        (lambda X, y: postil.AROWClassifier(missing="maybe").fit(X, y), "maybe"),
        (lambda X, y: postil.PassiveAggressiveClassifier(loss="log").fit(X, y), "loss='log'"),
        (lambda X, y: postil.AROWClassifier().fit(X, y[:-1]), "inconsistent numbers of samples"),
        (lambda X, y: postil.AROWClassifier().fit(X, y, sample_weight=-np.ones(len(y))), "negative"),
        (lambda X, y: postil.AROWClassifier().fit(X, np.zeros(len(y), dtype=int)), "one class"),
        (lambda X, y: postil.AROWClassifier().fit(np.where(X == X[3, 2], np.nan, X), y), "NaN"),
        (lambda X, y: postil.AROWClassifier().fit(X, y).predict(X[:, :3]), "3 features"),
        (lambda X, y: postil.AROWClassifier().partial_fit(X, y, classes=[0, 1]).partial_fit(X, y + 5), "none of the classes"),
        (lambda X, y: postil.AROWClassifier().partial_fit(X, y, classes=[0, 2]), "not among classes"),
        (lambda X, y: postil.AdviceClassifier(advice="f9 >= 0 => 1").fit(X, y), "unknown column 'f9'"),
        (lambda X, y: postil.SVC().fit(X, y).partial_fit, "partial_fit"),
    ],
)
def test_messages(call, message):
    X, y = made()
    with pytest.raises((ValueError, AttributeError), match=message):
        call(X, y)


def test_missing_values_if_it_is_said_what_stands_for_them():
    X, y = made()
    holes = X.copy()
    holes[::7, 1] = np.nan
    for missing in ("mean", "zero", "indicator"):
        model = postil.AROWClassifier(missing=missing).fit(holes, y)
        assert model.score(holes, y) > 0.85
        streamed = postil.AROWClassifier(missing=missing).partial_fit(holes, y, classes=[0, 1])
        assert streamed.score(holes, y) > 0.8
    filled = np.where(np.isnan(holes), 0, holes)
    zero = postil.AROWClassifier(missing="zero").fit(holes, y)
    np.testing.assert_array_equal(zero.coef_, postil.AROWClassifier().fit(filled, y).coef_)
    with pytest.raises(ValueError, match="NaN"):
        postil.AROWClassifier().fit(X, y).predict(holes)


def test_doctests():
    import doctest

    import postil._learners
    import postil._rule_builder
    import postil._rules
    import postil.evaluate
    import postil.plots

    for module in (postil, postil.rules, postil._rules, postil._rule_builder, postil.evaluate, postil.plots, postil.datasets, postil.testing, postil._learners):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = doctest.testmod(module)
        assert result.failed == 0
    assert doctest.testmod(postil._learners).attempted >= 3 * len(ESTIMATORS)
