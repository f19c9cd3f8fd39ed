"""Rules with kernels: points stand for regions. Against scikit-learn's machine where the points are known, and on a circle that no hyperplane describes."""

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import SVC as PeerSVC

import postil

RING = """core: a between -0.7 and 0.7 and b between -0.7 and 0.7 => inside
left: a <= -1.2 => outside
right: a >= 1.2 => outside
low: b <= -1.2 => outside
high: b >= 1.2 => outside
"""


def ring(rows, seed):
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.uniform(-2, 2, size=(rows, 2)), columns=["a", "b"])
    return X, np.where((X**2).sum(axis=1) < 1.2, "inside", "outside")


@pytest.mark.parametrize("settings", [{"kernel": "linear"}, {"kernel": "rbf", "gamma": 0.7}, {"kernel": "polynomial", "degree": 3, "gamma": 0.5, "coef0": 1.0}])
def test_a_rule_about_one_point_is_one_more_row(settings):
    """Then the points are known: the machine is that of scikit-learn with further rows of weight mu."""
    random = np.random.default_rng(1)
    X = pd.DataFrame(random.normal(size=(60, 2)), columns=["a", "b"])
    y = np.where(X.a + X.b**2 + 0.3 * random.normal(size=60) > 0.5, "yes", "no")
    rules = "here: a = 0.25 and b = -1.5 => no\nthere [trust = 0.5]: a = -2 and b = 0.5 => yes\n"
    ours = postil.KernelKnowledgeSVC(advice=rules, mu=3.0, lambda_=2.0, tol=1e-8, scale="none", **settings).fit(X, y)
    more = np.vstack([X, [[0.25, -1.5], [-2, 0.5]]])
    names = {"polynomial": "poly"}
    peer = PeerSVC(C=1, tol=1e-9, **settings | {"kernel": names.get(settings["kernel"], settings["kernel"])})
    peer.fit(more, [*y, "no", "yes"], sample_weight=[2.0] * 60 + [3.0, 1.5])
    grid = random.normal(size=(50, 2))
    np.testing.assert_allclose(ours.decision_function(pd.DataFrame(grid, columns=["a", "b"])), peer.decision_function(grid), atol=2e-4)


def test_without_rules_it_is_the_support_vector_machine():
    X, y = ring(120, 2)
    ours = postil.KernelKnowledgeSVC(lambda_=2.0, gamma=0.5, tol=1e-8, scale="none").fit(X, y)
    peer = PeerSVC(C=2, gamma=0.5, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-4)


def test_a_circle_from_rules_about_boxes():
    test, truth = ring(2000, 3)
    X, y = ring(10, 4)
    ruled = postil.KernelKnowledgeSVC(advice=RING).fit(X, y)
    assert ruled.score(test, truth) > 0.95
    assert postil.SVC().fit(X, y).score(test, truth) < 0.9
    assert postil.KnowledgeSVC(advice=RING).fit(X, y).score(test, truth) < 0.9  # one hyperplane
    # Each rule is obeyed nearly everywhere in its region, also between the points it was asked at.
    core = test[(test.abs() <= 0.7).all(axis=1)]
    assert np.mean(ruled.predict(core) == "inside") > 0.99


def test_points_cover_what_rows_do_not_show():
    """Rows are far from a rule's region; points drawn from it are not."""
    X, y = ring(200, 5)
    near = X.a > -1
    model = postil.KernelKnowledgeSVC(advice="domain a in [-2, 2]\n" + RING.replace("left: a <= -1.2 => outside", "left: a <= -1.2 => inside")).fit(X[near], y[near])
    far = pd.DataFrame({"a": np.linspace(-2, -1.4, 20), "b": np.linspace(-1, 1, 20)})
    assert np.mean(model.predict(far) == "inside") > 0.9


def test_wrong_rules_are_outvoted_by_examples():
    X, y = ring(600, 6)
    test, truth = ring(1000, 7)
    wrong = RING.replace("=> inside", "=> OUT").replace("=> outside", "=> inside").replace("=> OUT", "=> outside")
    model = postil.KernelKnowledgeSVC(advice=wrong, mu=1.0).fit(X, y)
    assert model.score(test, truth) > 0.93


# ---- one example after the other ----


def plain_adviceptron(X, y, points, lambda_, mu, gamma, passes):
    """Every step of kernel_adviceptron.cpp written out: rows and coefficients in lists, all kernels worked out each time. Gives the scores before each round, last and mean."""
    rows, coefficients, total = [], [], []

    def f(x, weights):
        return sum(a * (np.exp(-gamma * np.sum((row - x) ** 2)) + 1) for a, row in zip(weights, rows))

    def step(x, label, limit):
        loss = 1 - label * f(x, coefficients)
        if loss > 0:
            rows.append(x)
            coefficients.append(label * min(limit, loss / 2))
            total.append(0.0)

    for _ in range(passes):
        for x, label, trust in points:
            step(x, label, trust)
    scores = []
    for t, (x, label) in enumerate(zip(X, y)):
        scores.append((f(x, coefficients), f(x, [value / t for value in total]) if t else f(x, coefficients)))
        step(x, label, lambda_)
        for s, says, trust in points:
            step(s, says, mu * trust)
        for i, a in enumerate(coefficients):
            total[i] += a
    return np.array(scores)


@pytest.mark.parametrize("average", ["none", "uniform"])
def test_the_kernel_adviceptron_equals_its_steps_written_out(average):
    random = np.random.default_rng(2)
    X = random.normal(size=(40, 2))
    y = np.where(X[:, 0] + X[:, 1] ** 2 > 0.5, 1, -1)
    rules = "here: a = 0.25 and b = -1.5 => -1\nthere [trust = 0.5]: a = -2 and b = 0.5 => +1\n"
    points = [(np.array([0.25, -1.5]), -1, 1.0), (np.array([-2, 0.5]), 1, 0.5)]
    settings = {"lambda_": 0.7, "mu": 0.2, "points": 2, "budget": 0, "gamma": 0.6, "average": average, "scale": "none"}
    expected = plain_adviceptron(X, y, points, 0.7, 0.2, 0.6, 4)[:, 0 if average == "none" else 1]
    frame = pd.DataFrame(X, columns=["a", "b"])
    for count in (1, 5, 20, 39):
        model = postil.KernelAdviceptronClassifier(advice=rules, **settings).partial_fit(frame[:count], y[:count], classes=[-1, 1])
        np.testing.assert_allclose(model.decision_function(frame[count : count + 1])[0], expected[count], rtol=1e-9, atol=1e-9)


def test_the_kernel_adviceptron_on_a_circle_and_a_budget(tmp_path):
    test, truth = ring(1000, 8)
    X, y = ring(300, 9)
    for budget in (40, 300):
        model = postil.KernelAdviceptronClassifier(advice=RING, budget=budget, scale="standard")
        model.partial_fit(X[:20], y[:20], classes=["inside", "outside"])
        assert model.score(test, truth) > 0.93
        model.partial_fit(X[20:], y[20:])
        assert model.score(test, truth) > 0.96
        assert model.explain()["kernel"]["support"] <= budget
        model.save(tmp_path / "m")
        loaded = postil.load(tmp_path / "m")
        for each in (model, loaded):
            each.partial_fit(X[:50], y[:50])
        assert np.array_equal(model.decision_function(test), loaded.decision_function(test))


# ---- labels that are numbers ----


def plain_regression(X, y, points, weights, gamma, epsilon):
    """The least of 1/2 a'Ka + sum |y - f|_epsilon + the price of what rules say of points, by a general solver: f at any rows."""
    cvxpy = pytest.importorskip("cvxpy")
    rows = np.vstack([X, [point for point, _, _ in points]])

    def kernel(a, b):
        return np.exp(-gamma * ((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2))

    root = np.linalg.cholesky(kernel(rows, rows) + 1e-10 * np.eye(len(rows)))
    v, b = cvxpy.Variable(len(rows)), cvxpy.Variable()  # v = root' a
    f = root @ v + b
    cost = cvxpy.sum_squares(v) / 2 + weights[0] * cvxpy.sum(cvxpy.pos(cvxpy.abs(y - f[: len(y)]) - epsilon))
    for k, (_, z, target) in enumerate(points):
        cost += weights[1] * cvxpy.pos(z * (target - f[len(y) + k]))
    cvxpy.Problem(cvxpy.Minimize(cost)).solve(solver=cvxpy.CLARABEL)
    a = np.linalg.solve(root.T, v.value)
    return lambda at: kernel(at, rows) @ a + b.value


def test_rules_about_numbers_at_points():
    random = np.random.default_rng(11)
    X = random.normal(size=(40, 2))
    y = 10 * np.sin(X[:, 0]) + 5 * X[:, 1] + random.normal(size=40)
    rules = "high: a = 0.25 and b = -1.5 => y >= 12\nline: a = -2 and b = 0.5 => y = 3*a + 2\nlow: a = 1.5 and b = 1.5 => y between 0 and 2\n"
    points = [([0.25, -1.5], 1, 12), ([-2, 0.5], 1, -4), ([-2, 0.5], -1, -4), ([1.5, 1.5], 1, 0), ([1.5, 1.5], -1, 2)]
    frame = pd.DataFrame(X, columns=["a", "b"])
    ours = postil.KernelKnowledgeSVR(advice=rules, lambda_=0.5, mu=2.0, gamma=0.6, epsilon=0.3, tol=1e-8, scale="none").fit(frame, pd.Series(y, name="y"))
    unit = np.std([*y, *np.repeat([target for _, _, target in points], 100)])  # each side of a rule has 100 points
    theirs = plain_regression(X, y, points, (0.5 * unit, 2 * unit), 0.6, 0.3)
    grid = random.normal(size=(60, 2))
    np.testing.assert_allclose(ours.predict(pd.DataFrame(grid, columns=["a", "b"])), theirs(grid), atol=2e-3 * unit)


@pytest.mark.parametrize("unit", [1e-6, 1, 1e6])
def test_without_rules_about_numbers_it_is_support_vector_regression(unit):
    from sklearn.svm import SVR as PeerSVR

    random = np.random.default_rng(12)
    X, y = random.normal(size=(80, 3)), random.normal(size=80) * unit
    ours = postil.KernelKnowledgeSVR(lambda_=2.0, gamma=0.5, epsilon=0.1 * unit, tol=1e-7, scale="none").fit(X, y)
    peer = PeerSVR(C=2, gamma=0.5, epsilon=0.1 / (y / unit).std(), tol=1e-8).fit(X, y / y.std())
    np.testing.assert_allclose(ours.predict(X), peer.predict(X) * y.std(), atol=1e-4 * unit)


def test_a_bowl_from_rules_about_numbers():
    """No hyperplane is a bowl; rules about its middle and its rim and five labels make a better one than the labels alone."""
    rules = "domain a in [-2, 2]\ndomain b in [-2, 2]\nmiddle: a between -0.5 and 0.5 and b between -0.5 and 0.5 => y <= 0.5\n"
    rules += "".join(f"rim{k}: {side} => y >= 2\n" for k, side in enumerate(["a <= -1.5", "a >= 1.5", "b <= -1.5", "b >= 1.5"]))
    errors = {"both": 0, "labels": 0, "hyperplane": 0}
    for seed in range(4):
        X = pd.DataFrame(np.random.default_rng(seed).uniform(-2, 2, size=(500, 2)), columns=["a", "b"])
        y = pd.Series((X**2).sum(axis=1), name="y")
        models = {"both": postil.KernelKnowledgeSVR(advice=rules), "labels": postil.KernelKnowledgeSVR(), "hyperplane": postil.KnowledgeSVR(advice=rules)}
        for name, model in models.items():
            errors[name] += np.abs(model.fit(X[:5], y[:5]).predict(X[5:]) - y[5:]).mean() / 4
        records = models["both"].ledger()
        assert list(records["agreed"]) == list(records["fired"])
    assert errors["both"] < 0.8 * errors["labels"] and errors["both"] < 0.8 * errors["hyperplane"], errors
