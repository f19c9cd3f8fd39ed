"""Each closed-form step against a general solver: the weights after one more row must solve the learner's own problem."""

import numpy
import pytest
from safetensors.numpy import load_file
from scipy.optimize import minimize

from conftest import run, run_json

FEATURES, ROWS = 4, 12


@pytest.fixture
def weights_after(tmp_path):
    """weights_after(learner, settings, x, y, t): those learned from the first t rows, textbook order; and the model's tensors."""

    def train(learner, settings, x, y, t, regression=False):
        path, model = tmp_path / "rows.csv", tmp_path / "m"
        lines = [",".join([*(repr(v) for v in row), repr(float(label))]) for row, label in zip(x[:t].tolist(), y[:t])]
        path.write_text(",".join([*(f"f{j}" for j in range(FEATURES)), "label"]) + "\n" + "\n".join(lines) + "\n")
        given = [word for setting in ["average=none", *settings] for word in ("--set", setting)]
        options = ["--scale", "none", "--no-bias", "--no-shuffle", "--quiet", *(["--task", "regression"] if regression else ["--classes", "-1,1"])]
        run("train", path, "--learner", learner, *given, *options, "--model", model, check=True)
        return numpy.array(run_json("explain", model)["weights"]), load_file(model)

    return train


def rows(seed):
    random = numpy.random.default_rng(seed)
    return random.normal(size=(ROWS, FEATURES)), random.choice([-1, 1], size=ROWS)


def check_optimal(found, objective, constraints):
    """`found` satisfies the constraints and no point that a general solver finds, from several starts, is better; the best of them is the same."""
    for constraint in constraints:
        value = constraint["fun"](found)
        assert value > -1e-7 if constraint["type"] == "ineq" else abs(value) < 1e-7
    random = numpy.random.default_rng(0)
    best = None
    for _ in range(3):
        tried = minimize(objective, found + 0.3 * random.normal(size=len(found)), constraints=constraints, method="SLSQP", options={"ftol": 1e-12, "maxiter": 1000})
        violated = max(max(-c["fun"](tried.x), 0) if c["type"] == "ineq" else abs(c["fun"](tried.x)) for c in constraints)
        if violated < 1e-7 and (best is None or tried.fun < best.fun):
            best = tried
    assert best is not None, "the solver found no feasible point"
    assert objective(found) <= best.fun + 1e-7 * (1 + abs(best.fun))
    numpy.testing.assert_allclose(best.x, found, atol=1e-3 * (1 + abs(found).max()))


@pytest.mark.parametrize("variant", ["pa", "pa1", "pa2"])
@pytest.mark.parametrize("seed", range(3))
def test_passive_aggressive(variant, seed, weights_after):
    x, y = rows(seed)
    c = 0.2
    for t in range(1, ROWS):
        old, _ = weights_after("pa", [f"variant={variant}", f"C={c}"], x, y, t)
        new, _ = weights_after("pa", [f"variant={variant}", f"C={c}"], x, y, t + 1)
        margin = {"type": "ineq", "fun": lambda z: y[t] * z[:FEATURES] @ x[t] - 1 + z[FEATURES]}
        slack = {"type": "eq", "fun": lambda z: z[FEATURES]} if variant == "pa" else {"type": "ineq", "fun": lambda z: z[FEATURES]}
        price = (lambda xi: c * xi) if variant == "pa1" else (lambda xi: c * xi**2)
        needed = max(0, 1 - y[t] * new @ x[t]) if variant != "pa" else 0
        check_optimal(numpy.append(new, needed), lambda z: ((z[:FEATURES] - old) ** 2).sum() / 2 + price(z[FEATURES]), [margin, slack])


@pytest.mark.parametrize("variant", ["pa", "pa1", "pa2"])
@pytest.mark.parametrize("seed", range(3))
def test_passive_aggressive_regression(variant, seed, weights_after):
    x, y = rows(seed)
    y = 3 * y + x[:, 0]
    c, epsilon = 0.2, 0.3
    for t in range(1, ROWS):
        settings = [f"variant={variant}", f"C={c}", f"epsilon={epsilon}"]
        old, _ = weights_after("pa", settings, x, y, t, regression=True)
        new, _ = weights_after("pa", settings, x, y, t + 1, regression=True)
        below = {"type": "ineq", "fun": lambda z: z[:FEATURES] @ x[t] - y[t] + epsilon + z[FEATURES]}
        above = {"type": "ineq", "fun": lambda z: y[t] - z[:FEATURES] @ x[t] + epsilon + z[FEATURES]}
        slack = {"type": "eq", "fun": lambda z: z[FEATURES]} if variant == "pa" else {"type": "ineq", "fun": lambda z: z[FEATURES]}
        price = (lambda xi: c * xi) if variant == "pa1" else (lambda xi: c * xi**2)
        needed = max(0, abs(new @ x[t] - y[t]) - epsilon) if variant != "pa" else 0
        check_optimal(numpy.append(new, needed), lambda z: ((z[:FEATURES] - old) ** 2).sum() / 2 + price(z[FEATURES]), [below, above, slack])


@pytest.mark.parametrize("aggressive", ["false", "true"])
@pytest.mark.parametrize("seed", range(3))
def test_romma(aggressive, seed, weights_after):
    x, y = rows(seed)
    for t in range(1, 6):
        old, _ = weights_after("romma", [f"aggressive={aggressive}"], x, y, t)
        new, _ = weights_after("romma", [f"aggressive={aggressive}"], x, y, t + 1)
        score = y[t] * old @ x[t]
        if score > 0 and (aggressive == "false" or score >= 1):
            numpy.testing.assert_array_equal(new, old)
            continue
        constraints = [{"type": "ineq", "fun": lambda w: y[t] * w @ x[t] - 1}, {"type": "ineq", "fun": lambda w: (old @ w - old @ old) / (old @ old)}]
        check_optimal(new, lambda w: w @ w, constraints)


@pytest.mark.parametrize("seed", range(3))
def test_arow(seed, weights_after):
    x, y = rows(seed)
    r = 0.7
    for t in range(1, ROWS):
        old, state = weights_after("arow", [f"r={r}", "relative=false", "full=true"], x, y, t)
        new, after = weights_after("arow", [f"r={r}", "relative=false", "full=true"], x, y, t + 1)
        size = FEATURES + 1
        before, now = (s["task.0.variance"].reshape(size, size)[1:, 1:] for s in (state, after))
        precision = numpy.linalg.inv(before)

        def objective(w):
            return (w - old) @ precision @ (w - old) / 2 + max(0, 1 - y[t] * w @ x[t]) ** 2 / (2 * r)

        best = minimize(objective, old, method="BFGS", options={"gtol": 1e-10}).x
        numpy.testing.assert_allclose(new, best, atol=1e-4)
        if y[t] * old @ x[t] < 1:
            numpy.testing.assert_allclose(numpy.linalg.inv(now), precision + numpy.outer(x[t], x[t]) / r, rtol=1e-6, atol=1e-8)
