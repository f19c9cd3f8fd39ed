"""model.ask: rows whose labels tell most, in words; fewer labels than random choice needs; never the same row twice."""

import numpy as np
import pandas as pd
import pytest

import postil

RULES = "risk: bmi >= 30 and glucose >= 126 => diabetes\nlean: bmi <= 25 and glucose <= 100 => not diabetes\nodd: glucose >= 120 and bmi <= 28 => not diabetes"


@pytest.fixture(scope="module")
def patients():
    return postil.datasets.make("diabetes", rows=2000, seed=21)


def test_reasons_in_words(patients):
    X, y = patients
    model = postil.AdviceClassifier(advice=RULES + "\nrisky: glucose >= 150 => diabetes", missing="mean").fit(X[:30], y[:30])
    asked = model.ask(X[30:], n=60, random=0.1)
    assert len(asked) == 60 and asked.index.is_unique and asked.index.max() < len(X) - 30
    assert asked.random.sum() == 6 and set(asked.reason) <= {"random", "rules_disagree", "rule_against", "unknown", "between_classes"}
    holds = postil.rules.holds(model.advice, X[30:])
    for row, entry in asked.iterrows():
        if entry.reason == "rules_disagree":
            assert "disagree here" in entry.why and holds[row].sum() > 1
        if entry.reason == "between_classes":
            assert "could be " in entry.why
    p = model.predict_proba(X[30:].iloc[asked.index]).max(axis=1)
    np.testing.assert_allclose(asked.probability, p)
    assert set(asked.label) <= set(model.classes_)


def test_with_rules_alone_and_with_one_class(patients):
    X, y = patients
    rules_alone = postil.AdviceClassifier(advice=RULES, missing="mean").partial_fit(X[:1], y[:1], classes=["diabetes", "healthy"])
    assert len(rules_alone.ask(X, n=10)) == 10
    one = postil.AROWClassifier(missing="mean").partial_fit(X[:5], ["healthy"] * 5, classes=["diabetes", "healthy"])
    assert len(one.ask(X, n=10)) == 10


def test_several_classes_numbers_and_sparse_rows():
    random = np.random.default_rng(3)
    X = random.normal(size=(400, 4))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    model = postil.AdviceClassifier().fit(X[:40], y[:40])
    asked = model.ask(X, n=12, random=0)
    assert len(asked) == 12 and set(asked.label) <= {0, 1, 2}
    assert np.abs(np.abs(X[asked.index, 0]) - 0.5).mean() < np.abs(np.abs(X[:, 0]) - 0.5).mean()
    regressor = postil.AROWRegressor().fit(X[:40], X[:40, 0])
    assert len(regressor.ask(X, n=5)) == 5
    import scipy.sparse

    sparse = scipy.sparse.random(300, 50, density=0.1, format="csr", random_state=1)
    words = postil.AdviceClassifier().fit(sparse[:50], np.arange(50) % 2)
    assert words.ask(sparse, n=7).index.is_unique


def test_asking_needs_fewer_labels_than_chance():
    """Without rules, on tasks of two classes that nobody tuned for: labels until the error of 60 random ones."""
    ahead = []
    for seed in range(6):
        random = np.random.default_rng(100 + seed)
        w = random.normal(size=6)
        X = pd.DataFrame(random.normal(size=(1500, 6)) * [1, 2, 0.5, 1, 3, 1], columns=list("abcdef"))
        y = (X.to_numpy() @ w + random.normal(size=1500) * 0.3 > 0.5).astype(int)
        errors = {}
        for how in ("random", "ask"):
            model, left = postil.AdviceClassifier(), list(range(800))
            for k in range(60):
                if how == "random" or k < 2:
                    place = int(np.random.default_rng(1000 * seed + k).integers(len(left)))
                else:
                    place = int(model.ask(X.iloc[left], n=1, random=0).index[0])
                row = left.pop(place)
                model.partial_fit(X.iloc[[row]], y[[row]], classes=[0, 1])
                if k + 1 in (30, 60):
                    errors[how, k + 1] = np.mean(model.predict(X[800:]) != y[800:])
        ahead.append(errors["ask", 30] <= errors["random", 60])
    assert np.mean(ahead) >= 0.6


def test_bad_arguments_are_refused(patients):
    X, y = patients
    model = postil.AdviceClassifier(missing="mean").fit(X[:50], y[:50])
    for options in ({"n": 0}, {"n": 2.5}, {"random": -0.1}, {"random": 1.5}):
        with pytest.raises(postil.ParamError):
            model.ask(X, **options)
    assert (model.ask(X, n=9, seed=3) == model.ask(X, n=9, seed=3)).all(axis=None)


def test_novelty_of_linear_learners():
    random = np.random.default_rng(5)
    X = random.normal(size=(600, 3))
    for model in (postil.AdviceClassifier(), postil.AROWClassifier()):
        model.fit(X, X[:, 0] > 0)
        usual, far = model.novelty(X), model.novelty(np.array([[0, 30.0, 0]]))
        assert 0.5 < np.median(usual) < 2 and far[0] > 4 * np.quantile(usual, 0.95)
    with pytest.raises(AttributeError, match="does not know how unlike"):
        postil.PassiveAggressiveClassifier().fit(X, X[:, 0] > 0).novelty(X)
