"""`--preset paper`: Algorithm 1 of 000 and of 004, transcribed from the pages, against the program."""

import cvxpy
import numpy
import pytest

from conftest import run, run_json

RULES = """\
class yes = 1
up: a >= 0.5 and b >= -0.2 => yes
down: 2*a - c <= -1.5 => not yes
mixed: b + c >= 1.2 and a <= 0.8 and c >= 0.1 => yes
"""
D = [numpy.array(rows, dtype=float) for rows in ([[-1, 0, 0], [0, -1, 0]], [[2, 0, -1]], [[0, -1, -1], [1, 0, 0], [0, 0, -1]])]
d = [numpy.array(bounds) for bounds in ([-0.5, 0.2], [-1.5], [-1.2, 0.8, -0.1])]
z = [1, -1, 1]


@pytest.fixture
def files(tmp_path):
    random = numpy.random.default_rng(3)
    X = random.normal(size=(60, 3))
    y = numpy.where(X[:, 0] + 0.4 * X[:, 1] + 0.5 * random.normal(size=60) > 0, 1, -1)
    (tmp_path / "d.csv").write_text("a,b,c,label\n" + "".join(",".join(map(repr, row)) + f",{int(label > 0)}\n" for row, label in zip(X.tolist(), y.tolist())))
    (tmp_path / "r.rules").write_text(RULES)
    return tmp_path, X, y


def weights(folder, learner, *settings):
    given = [word for setting in settings for word in ("--set", setting)]
    run("train", folder / "d.csv", "--advice", folder / "r.rules", "--learner", learner, "--preset", "paper", "--no-shuffle", *given, "--model", folder / "m", check=True)
    explained = run_json("explain", folder / "m")
    assert explained["bias"] == 0
    return numpy.array(explained["weights"])


@pytest.mark.parametrize("lam, mu", [(1, 1), (0.3, 0.02)])
def test_passive_aggressive_adviceptron(lam, mu, files):
    folder, X, y = files
    m = len(D)
    nu = 1 / (1 + m * mu)  # 3
    w, u = numpy.zeros(3), [numpy.zeros(len(bounds)) for bounds in d]  # 2
    for x_t, y_t in zip(X, y):  # 4
        r = -sum(z[i] * D[i].T @ u[i] for i in range(m)) / m
        loss = max(0, 1 - nu * y_t * w @ x_t - (1 - nu) * y_t * r @ x_t)  # 7, with the max of (8)
        alpha = loss / (1 / lam + nu * x_t @ x_t)  # 8
        w = nu * (w + alpha * y_t * x_t) + (1 - nu) * r
        for i in range(m):  # 9, H and g of (13)
            H = numpy.block([[-(D[i].T @ D[i] + numpy.eye(3) / mu), (D[i].T @ d[i])[:, None]], [(d[i] @ D[i])[None, :], -(d[i] @ d[i] + 1 / mu)]])
            g = numpy.concatenate([D[i].T @ u[i] + z[i] * w, [-d[i] @ u[i] - 1]])
            solved = numpy.linalg.solve(H, g)
            u[i] = numpy.maximum(0, u[i] + D[i] @ solved[:3] - d[i] * solved[3])
    numpy.testing.assert_allclose(weights(folder, "pa-adviceptron", f"lambda={lam}", f"mu={mu}"), w, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("lam, mu", [(0.5, 0.01), (0.05, 0.5)])
def test_adviceptron(lam, mu, files):
    folder, X, y = files
    m, strong = len(D), 100
    w, u = cvxpy.Variable(3), [cvxpy.Variable(len(bounds), nonneg=True) for bounds in d]
    cost = sum(cvxpy.sum_squares(D[i].T @ u[i] + z[i] * w) + cvxpy.square(cvxpy.pos(1 + d[i] @ u[i])) for i in range(m))  # (4), at margin 1
    cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(w) / 2 + strong / 2 * cost)).solve(solver=cvxpy.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    s = numpy.sqrt((w.value**2 * X.var(axis=0)).sum() + (w.value @ X.mean(axis=0)) ** 2)  # the program's unit
    r = -sum(z[i] * D[i].T @ u[i].value for i in range(m)) / m  # 1
    nu = 1 / (1 + m * mu)  # 2
    w = w.value  # 3
    for x_t, y_t in zip(X, y):  # 4
        sigma = y_t * w @ x_t <= 0  # (5)
        fires = y_t * (nu * w + (1 - nu) * r) @ x_t <= 0  # (8)
        w = w + lam * s * sigma * y_t * x_t
        if fires:
            w = nu * w + (1 - nu) * r
    numpy.testing.assert_allclose(weights(folder, "adviceptron", f"lambda={lam}", f"mu={mu}") * s, w, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("learner, settings", [("perceptron", []), ("margin-perceptron", ["margin=0.5"]), ("pa", ["variant=pa2", "C=0.4"])])
def test_learners_without_rules(learner, settings, files):
    folder, X, y = files
    w = numpy.zeros(3)
    for x_t, y_t in zip(X, y):
        margin = y_t * w @ x_t
        if learner == "perceptron":
            step = float(margin <= 0)
        elif learner == "margin-perceptron":
            step = float(margin <= 0.5)
        else:
            step = max(0, 1 - margin) / (x_t @ x_t + 1 / 0.8)
        w = w + step * y_t * x_t
    given = [word for setting in settings for word in ("--set", setting)]
    run("train", folder / "d.csv", "--learner", learner, "--preset", "paper", "--no-shuffle", *given, "--model", folder / "m", check=True)
    numpy.testing.assert_allclose(run_json("explain", folder / "m")["weights"], w, rtol=1e-12)


def test_what_a_preset_is(files):
    folder = files[0]
    wrong = run("train", folder / "d.csv", "--preset", "papers", "--learner", "pa")
    assert wrong.returncode == 2 and "--preset is 'papers', expected paper" in wrong.stderr
    none = run("train", folder / "d.csv", "--preset", "paper", "--learner", "arow")
    assert none.returncode == 2 and "--preset paper is for perceptron" in none.stderr
    kept = run_json("train", folder / "d.csv", "--preset", "paper", "--learner", "pa", "--set", "average=uniform")
    assert kept["params"]["average"] == "uniform" and kept["params"]["bias"] == "none"
