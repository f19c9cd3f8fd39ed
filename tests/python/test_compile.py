"""What the rules alone ask for, against a general solver on the problem as docs/mathematics.md part C writes it: w, b and every multiplier u >= 0 a variable."""

import random

import numpy
import pytest
from scipy.optimize import minimize

from conftest import run, run_json

MU = 100


def least(sets, features, mu=MU):
    """(w, b) of min 1/2|w|^2 + mu/2 sum (|D'u + z w|^2 + (1 + d'u - z b)_+^2), score w'x + b; a set is (D, d, z, free)."""
    sizes = [len(d) for _, d, _, _ in sets]
    starts = numpy.cumsum([features + 1, *sizes])

    def objective(x):
        w, b = x[:features], x[features]
        value, gradient = w @ w / 2, numpy.zeros_like(x)
        gradient[:features] = w
        for (D, d, z, _), start in zip(sets, starts):
            u = x[start : start + len(d)]
            eta, zeta = D.T @ u + z * w, max(0, 1 + d @ u - z * b)
            value += mu / 2 * (eta @ eta + zeta**2)
            gradient[:features] += mu * z * eta
            gradient[features] -= mu * z * zeta
            gradient[start : start + len(d)] += mu * (D @ eta + d * zeta)
        return value, gradient

    bounds = [(None, None)] * (features + 1) + [(None, None) if free else (0, None) for _, _, _, frees in sets for free in frees]
    x = numpy.zeros(starts[-1])
    for _ in range(6):  # restarts shed a stale model of the curvature
        x = minimize(objective, x, jac=True, bounds=bounds, method="L-BFGS-B", options={"maxiter": 50_000, "maxfun": 100_000, "ftol": 1e-16, "gtol": 1e-10, "maxcor": 60}).x
    return x[:features], x[features]


def compiled_by_hand(shown, x):
    """The compile step from `rules show --json` and the scaled rows x."""
    features = len(shown["features"])
    named = [j for j in range(features) if any(row[j] != 0 for s in shown["sets"] for row in s["D"])]
    low, high = (numpy.array([numpy.nan if v is None else v for v in shown["domain"][key]], dtype=float) for key in ("lo", "hi"))
    low, high = numpy.where(numpy.isnan(low), x.min(axis=0), low), numpy.where(numpy.isnan(high), x.max(axis=0), high)
    eye = numpy.eye(features)
    sets = []
    for s in shown["sets"]:
        D, d = numpy.array(s["D"]), numpy.array(s["d"])
        lo, hi = low.copy(), high.copy()
        for row, bound, equal in zip(D, d, s["equality"]):  # a range that was seen is widened to the rule's own bound
            if len(numpy.flatnonzero(row)) == 1:
                (j,) = numpy.flatnonzero(row)
                if equal or row[j] < 0:
                    hi[j] = max(hi[j], bound / row[j])
                if equal or row[j] > 0:
                    lo[j] = min(lo[j], bound / row[j])
        length = numpy.linalg.norm(D, axis=1)
        rows = numpy.vstack([D / length[:, None], eye[named], -eye[named]])[:, named]
        sets.append((rows, numpy.concatenate([d / length, hi[named], -lo[named]]), s["z"], [*s["equality"], *[False] * 2 * len(named)]))
    mean, variance = x.mean(axis=0)[named], x.var(axis=0)[named]
    if len({z for _, _, z, _ in sets}) == 1:
        sets.append((numpy.eye(len(named)), numpy.clip(mean, low[named], high[named]), -sets[0][2], [True] * len(named)))
    w, b = least(sets, len(named))
    scale = numpy.sqrt(w**2 @ variance + (w @ mean + b) ** 2)
    if scale < 1e-5:  # the rules ask for nothing
        return numpy.zeros(features), 0
    weights = numpy.zeros(features)
    weights[named] = w / scale
    return weights, b / scale


TASKS = {
    "intervals": "a >= 0.5 and b <= 0.3 => yes\nc >= 1 => no",
    "one side": "a >= 0.5 and b between -1 and 2 => yes",
    "linear": "2*a - b >= 1 and c <= 1 => yes\na + b + c <= -1 => no\nb - c >= 0.2 and b + c <= 1 => no",
    "equality": "a = 1 and b + c = 0.5 => yes\na <= -1 => no",
    "outside": "a >= 8 => yes\nb <= -6 and c <= 0 => no",
    "contradiction": "a >= 0 => yes\na >= 0.2 => no",
    "binary": "d and a >= 0 => yes\nnot d and any(e, d) => no",
}


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("scale", ["standard", "none"])
def test_compile_is_the_least(task, scale, tmp_path):
    random.seed(task)
    rows = [[random.gauss(0.3, 2), random.gauss(0, 1), random.gauss(-1, 0.5), random.randint(0, 1), random.randint(0, 1)] for _ in range(40)]
    data, rules, model = tmp_path / "d.csv", tmp_path / "r.rules", tmp_path / "m"
    data.write_text("a,b,c,d,e,label\n" + "".join(",".join(map(repr, row)) + f",{'yes' if row[0] > 0 else 'no'}\n" for row in rows))
    rules.write_text(TASKS[task] + "\n")
    run("train", data, "--learner", "advice-only", "--advice", rules, "--scale", scale, "--quiet", "--model", model, check=True)
    explained = run_json("explain", model)
    x = (numpy.array(rows) - explained["scaling"]["shift"]) / explained["scaling"]["scale"]
    shown = run_json("rules", "show", rules, "--data", data, "--scale", scale)
    weights, bias = compiled_by_hand(shown, x)
    numpy.testing.assert_allclose(explained["weights"], weights, atol=1e-4)
    assert explained["bias"] == pytest.approx(bias, abs=1e-4)
