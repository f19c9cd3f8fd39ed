"""Joint updates of several classes (multiclass=joint): plain loops over all weights, a general solver for one step, numerical gradients."""

import cvxpy
import numpy as np
import pytest

import postil

CLASSES = ["a", "b", "c", "d"]


def sample(seed, rows=150, features=5):
    random = np.random.default_rng(seed)
    centres = random.normal(size=(len(CLASSES), features))
    y = random.integers(len(CLASSES), size=rows)
    y[: len(CLASSES)] = np.arange(len(CLASSES))
    return centres[y] + random.normal(size=(rows, features)), y


def plain(X, y, step, average):
    """Weights of all classes, the constant last, after one pass: step(W, x, y) gives what is added to each."""
    X = np.c_[X, np.ones(len(X))]
    W, total = np.zeros((len(CLASSES), X.shape[1])), 0
    for x, label in zip(X, y):
        W = W + step(W, x, label)
        total = total + W
    return total / len(X) if average else W


def rival_of(scores, label):
    others = [c for c in range(len(scores)) if c != label]
    return max(others, key=lambda c: scores[c])


def pair(tau, x, label, rival):
    out = np.zeros((len(CLASSES), len(x)))
    out[label], out[rival] = tau * x, -tau * x
    return out


def top(loss_to_tau):
    def step(W, x, label):
        scores = W @ x
        rival = rival_of(scores, label)
        return pair(loss_to_tau(scores[label] - scores[rival], x @ x), x, label, rival)

    return step


def softmax_step(W, x, label):
    p = np.exp(W @ x - np.max(W @ x))
    return 0.5 * np.outer(np.eye(len(CLASSES))[label] - p / p.sum(), x)


CASES = {
    "perceptron": (postil.PerceptronClassifier, {}, top(lambda margin, xx: float(margin <= 0))),
    "margin perceptron": (postil.MarginPerceptronClassifier, {"margin": 2.0}, top(lambda margin, xx: float(margin <= 2))),
    "pa": (postil.PassiveAggressiveClassifier, {"variant": "pa"}, top(lambda margin, xx: max(0, 1 - margin) / (2 * xx))),
    "pa1": (postil.PassiveAggressiveClassifier, {"variant": "pa1", "C": 0.05}, top(lambda margin, xx: min(0.05, max(0, 1 - margin) / (2 * xx)))),
    "pa2": (postil.PassiveAggressiveClassifier, {"variant": "pa2", "C": 0.05}, top(lambda margin, xx: max(0, 1 - margin) / (2 * xx + 10))),
    "crammer-singer": (postil.GradientDescentClassifier, {"loss": "hinge", "eta0": 0.5}, top(lambda margin, xx: 0.5 * (margin < 1))),
    "squared": (postil.GradientDescentClassifier, {"loss": "squared-hinge", "eta0": 0.1}, top(lambda margin, xx: 0.2 * max(0, 1 - margin))),
    "softmax": (postil.GradientDescentClassifier, {"loss": "logistic", "eta0": 0.5}, softmax_step),
}


def one_pass(make, settings, X, y, average):
    model = make(multiclass="joint", average="uniform" if average else "none", **settings)
    return model.partial_fit(X, np.array(CLASSES)[y], classes=CLASSES)


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_equals_the_plain_loop(name, average):
    make, settings, step = CASES[name]
    for seed in range(3):
        X, y = sample(seed)
        model, expected = one_pass(make, settings, X, y, average), plain(X, y, step, average)
        np.testing.assert_allclose(np.c_[model.coef_, model.intercept_], expected, rtol=1e-9, atol=1e-10)
        assert list(model.predict(X)) == [CLASSES[c] for c in np.argmax(np.c_[X, np.ones(len(X))] @ expected.T, axis=1)]


def test_the_passive_aggressive_step_is_the_nearest_point_that_is_right():
    """The smallest change of all weights that gives the example's class a lead of 1 over its rival (Crammer et al. 2006, section 8), by a general solver."""
    X, y = sample(5, rows=30, features=3)
    for k in (10, 17, 29):
        before = one_pass(postil.PassiveAggressiveClassifier, {"variant": "pa"}, X[:k], y[:k], False)
        after = one_pass(postil.PassiveAggressiveClassifier, {"variant": "pa"}, X[: k + 1], y[: k + 1], False)
        start, x = np.c_[before.coef_, before.intercept_], np.r_[X[k], 1]
        rival = rival_of(start @ x, y[k])
        W = cvxpy.Variable(start.shape)
        cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(W - start)), [(W[y[k]] - W[rival]) @ x >= 1]).solve(solver=cvxpy.CLARABEL)
        np.testing.assert_allclose(np.c_[after.coef_, after.intercept_], W.value, atol=1e-5)


def test_the_softmax_step_follows_the_gradient():
    X, y = sample(6, rows=20)
    before = one_pass(postil.GradientDescentClassifier, {"loss": "logistic", "eta0": 0.5}, X[:-1], y[:-1], False)
    after = one_pass(postil.GradientDescentClassifier, {"loss": "logistic", "eta0": 0.5}, X, y, False)
    start, x = np.c_[before.coef_, before.intercept_], np.r_[X[-1], 1]

    def loss(W):
        return np.log(np.sum(np.exp(W @ x))) - (W @ x)[y[-1]]

    gradient = np.zeros_like(start)
    for place in np.ndindex(start.shape):
        step = np.zeros_like(start)
        step[place] = 1e-6
        gradient[place] = (loss(start + step) - loss(start - step)) / 2e-6
    np.testing.assert_allclose(np.c_[after.coef_, after.intercept_] - start, -0.5 * gradient, atol=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_row_by_row_file_and_stop_give_the_same(name, tmp_path):
    make, settings, _ = CASES[name]
    X, y = sample(7)
    whole = one_pass(make, settings, X, y, True)
    parts = make(multiclass="joint", average="uniform", **settings)
    for first in range(0, len(X), 40):
        parts.partial_fit(X[first : first + 40], np.array(CLASSES)[y[first : first + 40]], classes=CLASSES)
    assert np.array_equal(whole.coef_, parts.coef_)
    whole.save(tmp_path / "m")
    loaded = postil.load(tmp_path / "m")
    more = np.array(CLASSES)[y[:50]]
    assert np.array_equal(whole.partial_fit(X[:50], more).coef_, loaded.partial_fit(X[:50], more).coef_)


def test_two_classes_do_not_care():
    X, y = sample(8)
    two = y < 2
    fitted = [postil.PassiveAggressiveClassifier(multiclass=kind).partial_fit(X[two], y[two], classes=[0, 1]).coef_ for kind in ("ovr", "joint")]
    assert np.array_equal(*fitted)


def test_l1_goes_with_it():
    X, y = sample(9)
    model = postil.GradientDescentClassifier(multiclass="joint", loss="logistic", eta0=0.2, l1=0.05).partial_fit(X, np.array(CLASSES)[y], classes=CLASSES)
    assert np.mean(model.coef_ == 0) > 0 and model.score(X, np.array(CLASSES)[y]) > 0.5
