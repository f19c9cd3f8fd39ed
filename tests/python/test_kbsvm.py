"""The knowledge-based machine against general solvers on its problems as docs/mathematics.md A5 writes them."""

import numpy
import pytest
from scipy.optimize import linprog, minimize

from conftest import run, run_json

LAMBDA, MU = 0.7, 1.3
RULES = {
    "intervals": "a >= 0.5 and b <= 0.3 => 1\nlow [trust = 0.5, margin = 2]: a <= -0.5 => -1",
    "linear": "2*a - b >= 1 => 1\na + b <= -1 and c = 0 => -1",
    "domain": "domain a in [-3, 3]\ndomain b in [-2, 2]\na >= 0.4 and b >= 0 => 1",
    "none": "domain c in [-9, 9]\na >= 100 => 1",
}


def task(tmp_path, rules, seed=0, rows=24):
    random = numpy.random.default_rng(seed)
    x = random.normal(size=(rows, 4))
    y = numpy.where(x[:, 0] + 0.5 * x[:, 1] + random.normal(size=rows) > 0, 1, -1)
    data, path = tmp_path / "d.csv", tmp_path / "r.rules"
    data.write_text("a,b,c,d,label\n" + "".join(",".join(map(repr, row)) + f",{label}\n" for row, label in zip(x.tolist(), y.tolist())))
    path.write_text(rules + "\n")
    shown = run_json("rules", "show", path, "--data", data, "--scale", "none")
    low, high = ([numpy.nan if v is None else v for v in shown["domain"][key]] for key in ("lo", "hi"))
    named = {j for s in shown["sets"] for row in s["D"] for j in numpy.flatnonzero(row)} | {"abcd".index(line.split()[1]) for line in rules.splitlines() if line.startswith("domain")}
    sets = []
    for s in shown["sets"]:
        D, d, free = [list(row) for row in s["D"]], list(s["d"]), list(s["equality"])
        for j in named:
            for bound, sign in ((high[j], 1), (low[j], -1)):
                if numpy.isfinite(bound):
                    D.append([sign * (k == j) for k in range(4)])
                    d.append(sign * bound)
                    free.append(False)
        sets.append((numpy.array(D, dtype=float), numpy.array(d), s["z"], s["trust"], s["margin"], free))
    return data, path, x, y, sets


def fit(data, path, *settings):
    given = [word for setting in [f"lambda={LAMBDA}", f"mu={MU}", *settings] for word in ("--set", setting)]
    model = data.parent / "m"
    report = run_json("train", data, "--learner", "kbsvm", "--advice", path, "--scale", "none", *given, "--model", model)
    explained = run_json("explain", model)
    assert report["fit"]["converged"], report["fit"]
    return numpy.array(explained["weights"]), explained["bias"], report["fit"]["objective"]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("seed", range(2))
def test_l2(rules, seed, tmp_path):
    data, path, x, y, sets = task(tmp_path, RULES[rules], seed)
    w, b, value = fit(data, path, "tolerance=1e-10")
    starts = numpy.cumsum([5, *(len(s[1]) for s in sets)])

    def objective(v):
        w, b = v[:4], v[4]
        short = numpy.maximum(0, 1 - y * (x @ w + b))
        total, g = w @ w / 2 + LAMBDA / 2 * short @ short, numpy.zeros_like(v)
        g[:4] = w - LAMBDA * x.T @ (short * y)
        g[4] = -LAMBDA * short @ y
        for (D, d, z, trust, margin, _), start in zip(sets, starts):
            u = v[start : start + len(d)]
            eta, zeta = D.T @ u + z * w, max(0, margin + d @ u - z * b)
            total += MU * trust / 2 * (eta @ eta + zeta**2)
            g[:4] += MU * trust * z * eta
            g[4] -= MU * trust * z * zeta
            g[start : start + len(d)] += MU * trust * (D @ eta + d * zeta)
        return total, g

    bounds = [(None, None)] * 5 + [(None, None) if free else (0, None) for s in sets for free in s[5]]
    v = numpy.zeros(starts[-1])
    for _ in range(4):
        v = minimize(objective, v, jac=True, bounds=bounds, method="L-BFGS-B", options={"maxiter": 20_000, "maxfun": 50_000, "ftol": 1e-16, "gtol": 1e-11, "maxcor": 50}).x
    assert value == pytest.approx(objective(v)[0], rel=1e-6)
    numpy.testing.assert_allclose(w, v[:4], atol=2e-4)
    assert b == pytest.approx(v[4], abs=2e-4)


def programme(x, y, sets, hard):
    """Columns: w, b, |w| bounds t, xi, then per set u, rho, zeta. Rows A v <= h and E v = e; the linear part of the cost."""
    rows, features = x.shape
    sizes = [(len(s[1]), 0 if hard else features, 0 if hard else 1) for s in sets]
    total = 2 * features + 1 + rows + sum(map(sum, sizes))
    cost, A, h, E, e = numpy.zeros(total), [], [], [], []
    bounds = [(None, None)] * (features + 1) + [(0, None)] * (features + rows)
    cost[2 * features + 1 : 2 * features + 1 + rows] = LAMBDA
    for j in range(features):
        for sign in (1, -1):
            line = numpy.zeros(total)
            line[j], line[features + 1 + j] = sign, -1
            A.append(line), h.append(0)
    for i in range(rows):
        line = numpy.zeros(total)
        line[:features], line[features], line[2 * features + 1 + i] = -y[i] * x[i], -y[i], -1
        A.append(line), h.append(-1)
    at = 2 * features + 1 + rows
    for (D, d, z, trust, margin, frees), (k, r, _) in zip(sets, sizes):
        bounds += [(None, None) if free else (0, None) for free in frees]
        for j in range(features):
            line = numpy.zeros(total)
            line[at : at + k], line[j] = D[:, j], z
            if hard:
                E.append(line), e.append(0)
                continue
            for sign in (1, -1):
                soft = sign * line
                soft[at + k + j] = -1
                A.append(soft), h.append(0)
        line = numpy.zeros(total)
        line[at : at + k], line[features] = d, -z
        if not hard:
            line[at + k + r] = -1
            cost[at + k : at + k + r + 1] = MU * trust
            bounds += [(0, None)] * (r + 1)
        A.append(line), h.append(-margin)
        at += k + r + (0 if hard else 1)
    return cost, numpy.array(A), numpy.array(h), numpy.array(E).reshape(-1, total), numpy.array(e), bounds


@pytest.mark.parametrize("advice", ["soft", "hard"])
@pytest.mark.parametrize("rules", RULES)
def test_l1(rules, advice, tmp_path):
    data, path, x, y, sets = task(tmp_path, RULES[rules])
    cost, A, h, E, e, bounds = programme(x, y, sets, advice == "hard")
    cost[5:9] = 1
    found = linprog(cost, A, h, E if len(E) else None, e if len(e) else None, bounds)
    if found.status == 2:
        assert "no hyperplane obeys these rules at once" in run("train", data, "--learner", "kbsvm", "--advice", path, "--scale", "none", "--set", "form=l1", "--set", "advice=hard").stderr
        return
    w, b, value = fit(data, path, "form=l1", f"advice={advice}")
    assert value == pytest.approx(found.fun, rel=1e-7)
    short = numpy.maximum(0, 1 - y * (x @ w + b)).sum()
    if advice == "hard":
        assert abs(w).sum() + LAMBDA * short == pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize("advice", ["soft", "hard"])
@pytest.mark.parametrize("rules", ["intervals", "domain"])
def test_mixed(rules, advice, tmp_path):
    data, path, x, y, sets = task(tmp_path, RULES[rules], rows=12)
    cost, A, h, E, e, bounds = programme(x, y, sets, advice == "hard")
    w, b, value = fit(data, path, "form=mixed", f"advice={advice}")
    constraints = [{"type": "ineq", "fun": lambda v: h - A @ v, "jac": lambda v: -A}]
    if len(E):
        constraints.append({"type": "eq", "fun": lambda v: E @ v - e, "jac": lambda v: E})
    start = linprog(cost + 1e-3 * numpy.abs(cost), A, h, E if len(E) else None, e if len(e) else None, bounds).x
    found = minimize(lambda v: v[:4] @ v[:4] / 2 + cost @ v, start, jac=lambda v: numpy.concatenate([v[:4], numpy.zeros(len(v) - 4)]) + cost, bounds=bounds, constraints=constraints, method="SLSQP", options={"ftol": 1e-12, "maxiter": 2000})
    assert value == pytest.approx(found.fun, rel=1e-5)
    numpy.testing.assert_allclose(w, found.x[:4], atol=1e-3)


@pytest.mark.parametrize("form", ["l2", "mixed"])
def test_hard_advice_is_obeyed(form, tmp_path):
    """Every rule with its margin, everywhere: by the certificate of `explain --certify`, which knows nothing of the learner."""
    data, path, x, y, sets = task(tmp_path, RULES["intervals"])
    fit(data, path, f"form={form}", "advice=hard")
    for certificate in run_json("explain", tmp_path / "m", "--certify", path)["certificates"]:
        assert certificate["obeyed"] and certificate["worst"] >= 1 - 1e-4


def test_l2_hard_is_the_limit_of_heavy_soft_advice(tmp_path):
    data, path, *_ = task(tmp_path, RULES["domain"])
    hard, b, _ = fit(data, path, "advice=hard")
    given = [word for setting in [f"lambda={LAMBDA}", "mu=1e6", "tolerance=1e-12"] for word in ("--set", setting)]
    run("train", data, "--learner", "kbsvm", "--advice", path, "--scale", "none", *given, "--model", tmp_path / "soft", "--quiet", check=True)
    soft = run_json("explain", tmp_path / "soft")
    numpy.testing.assert_allclose(hard, soft["weights"], atol=2e-3)
    assert b == pytest.approx(soft["bias"], abs=2e-3)


def test_rules_that_cannot_be_obeyed_are_named(tmp_path):
    data, path, *_ = task(tmp_path, "one: a >= 0 => 1\ntwo: a >= 0.5 => -1\nthree: b >= 1 => 1")
    for form in ("l2", "l1", "mixed"):
        told = run("train", data, "--learner", "kbsvm", "--advice", path, "--set", "advice=hard", "--set", f"form={form}")
        assert told.returncode == 1 and "one, two" in told.stderr and "three" not in told.stderr
