"""The ellipsoidal machine against a general convex solver on its problems as the paper prints them and docs/mathematics.md part B corrects them."""

import csv
import json

import cvxpy
import numpy
import pytest

from conftest import run, run_json


def points(seed, rows=40, features=3, noise=0.6, unit=False):
    random = numpy.random.default_rng(seed)
    x = random.normal(size=(rows, features)) + random.normal(size=features) / 3
    y = numpy.where(x @ random.normal(size=features) + noise * random.normal(size=rows) > 0.2, 1, -1)
    return (x / numpy.linalg.norm(x, axis=1)[:, None] if unit else x), y


def write(path, x, y):
    path.write_text(",".join(f"x{j}" for j in range(x.shape[1])) + ",label\n" + "".join(",".join(map(repr, row)) + f",{label}\n" for row, label in zip(x.tolist(), y.tolist())))
    return path


def fit(path, **settings):
    given = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    model = path.parent / "m"
    report = run_json("train", path, "--learner", "esvm", "--scale", "none", *given, "--model", model)
    explained = run_json("explain", model)
    return report["fit"], numpy.array(explained["weights"]), explained["bias"], numpy.array(explained.get("metric", {}).get("B"))


def oracle(x, y, problem, nu=1.0, r=0.9, bias="free", hard=False, c_form="rank", rows="unit", lam=1.0):
    """Minimises the primal over (E, w, b, xi, rho); gives its value and (w, b, E)."""
    if bias == "augmented":
        x = numpy.hstack([x, numpy.ones((len(x), 1))])
    m, n = x.shape
    t = numpy.linalg.norm(x, axis=1)
    E, w = cvxpy.Variable((n, n), PSD=True), cvxpy.Variable(n)
    b = cvxpy.Variable() if bias == "free" else 0.0
    margin = cvxpy.multiply(y, x @ w + b)
    c = {"rank": min(n, m) / (nu * m * t), "norm": 1 / (nu * t), "norm2": 1 / (nu * t**2), "mean": numpy.full(m, 1 / (nu * m))}[c_form]
    objective, slack, need = 0, 0, 0
    if problem in ("rho", "sphere"):
        rho, c = cvxpy.Variable(), 1 / (nu * t**2)
        objective, need = -m * rho, t**2 * rho
    if not hard:
        slack = cvxpy.Variable(m, nonneg=True)
        objective = objective + c @ slack
    if problem == "relaxed":
        need = need + cvxpy.sum(cvxpy.multiply(x @ E, x), axis=1) / (t if rows == "unit" else 1)
    elif problem != "sphere":
        need = need + cvxpy.norm(E @ x.T, axis=0)
    if problem != "sphere":
        objective = objective + lam * (-r * cvxpy.log_det(E) + (1 - r) * cvxpy.trace(E))
    whole = cvxpy.Problem(cvxpy.Minimize(objective), [margin + slack >= need, cvxpy.norm(w) <= 1])
    whole.solve(solver="CLARABEL")
    bias_value = w.value[-1] if bias == "augmented" else b.value if bias == "free" else 0
    return whole.value, (w.value[:-1] if bias == "augmented" else w.value), bias_value, E.value


@pytest.mark.parametrize("bias", ["none", "free", "augmented"])
@pytest.mark.parametrize("problem", ["relaxed", "exact", "iterated", "rho", "sphere"])
def test_soft(problem, bias, tmp_path):
    x, y = points(1)
    nu = 0.5 if problem in ("rho", "sphere") else 1.0
    value, w, b, metric = oracle(x, y, "exact" if problem == "iterated" else problem, nu=nu, bias=bias)
    report, own_w, own_b, own_metric = fit(write(tmp_path / "d.csv", x, y), problem=problem, nu=nu, one_minus_r=0.1, bias=bias, tolerance=1e-8)
    assert report["converged"] and report["gap"] < 1e-6, report
    assert report["objective"] == pytest.approx(value, abs=2e-5 * (1 + abs(value)))
    if problem != "sphere":  # with nu of (1) so small that w = 0 is as good, w is not settled
        numpy.testing.assert_allclose(own_w, w, atol=2e-3)
        numpy.testing.assert_allclose(own_metric, metric, atol=3e-3 * abs(metric).max())
        assert own_b == pytest.approx(b, abs=2e-3)


@pytest.mark.parametrize("bias", ["none", "free", "augmented"])
@pytest.mark.parametrize("problem", ["relaxed", "exact", "iterated"])
def test_hard(problem, bias, tmp_path):
    x, y = points(2, noise=0)
    keep = abs(x @ numpy.ones(3)) > 0.3
    x, y = x[keep], numpy.where(x[keep] @ numpy.ones(3) > 0, 1, -1)
    value, w, b, metric = oracle(x, y, "exact" if problem == "iterated" else problem, bias=bias, hard=True)
    report, own_w, own_b, own_metric = fit(write(tmp_path / "d.csv", x, y), problem=problem, margin="hard", one_minus_r=0.1, bias=bias, tolerance=1e-8)
    assert report["converged"], report
    assert report["objective"] == pytest.approx(value, abs=2e-5 * (1 + abs(value)))
    numpy.testing.assert_allclose(own_w, w, atol=2e-3)


@pytest.mark.parametrize("c_form", ["rank", "norm", "norm2", "mean"])
@pytest.mark.parametrize("rows", ["unit", "given"])
def test_forms_of_c_and_of_rows(c_form, rows, tmp_path):
    x, y = points(3)
    value, w, *_ = oracle(x, y, "relaxed", nu=0.7, c_form=c_form, rows=rows)
    report, own_w, *_ = fit(write(tmp_path / "d.csv", x, y), nu=0.7, one_minus_r=0.1, c_form=c_form, rows=rows, tolerance=1e-6)
    assert report["converged"], report
    slack = 2e-5 if "nu*" not in report["status"] else 2e-3  # there the answer is 1e-3-optimal, as it says
    assert report["objective"] == pytest.approx(value, abs=slack * (1 + abs(value)))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("solver", ["dca", "smo", "ipm"])
def test_every_solver(seed, solver, tmp_path):
    x, y = points(10 + seed, rows=60, features=4)
    for bias in ("none", "free", "augmented"):
        value, *_ = oracle(x, y, "relaxed", nu=1.5, bias=bias)
        report, *_ = fit(write(tmp_path / "d.csv", x, y), nu=1.5, one_minus_r=0.1, bias=bias, solver=solver, tolerance=1e-7)
        assert report["converged"], report
        assert report["objective"] == pytest.approx(value, abs=2e-5 * (1 + abs(value)))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("nu", [0.1, 0.01])
@pytest.mark.parametrize("solver", ["auto", "ipm"])
def test_small_nu(seed, nu, solver, tmp_path):
    """Where losses weigh so much that |w| <= 1 is not active; twenty rows to a feature, and five."""
    for features in (3, 12):
        x, y = points(20 + seed, rows=60, features=features, noise=4.0)
        value, w, *_ = oracle(x, y, "relaxed", nu=nu)
        report, own_w, *_ = fit(write(tmp_path / "d.csv", x, y), nu=nu, one_minus_r=0.1, solver=solver, tolerance=1e-6)
        assert report["converged"], report
        assert report["objective"] == pytest.approx(value, abs=2e-3)  # gamma is held at 1e-3 there
        assert own_w @ w > 0.99 * numpy.linalg.norm(own_w) * numpy.linalg.norm(w)


@pytest.mark.parametrize("problem", ["relaxed", "exact"])
def test_rows_that_do_not_span_everything(problem, tmp_path):
    x, y = points(4, rows=14)
    for z in (numpy.hstack([x, numpy.zeros((14, 1))]), numpy.hstack([x, x[:, :1] - x[:, 1:2]])):
        value, w, b, metric = oracle(z, y, problem)
        report, own_w, own_b, own_metric = fit(write(tmp_path / "d.csv", z, y), problem=problem, nu=1, one_minus_r=0.1, tolerance=1e-7)
        assert report["converged"], report
        assert report["objective"] == pytest.approx(value, abs=2e-5 * (1 + abs(value)))
        numpy.testing.assert_allclose(own_metric, metric, atol=3e-3 * abs(metric).max())


def test_relaxed_is_a_relaxation(tmp_path):
    for seed in range(6):
        path = write(tmp_path / "d.csv", *points(20 + seed, features=4))
        (relaxed, w6, *_), (exact, w5, *_) = (fit(path, problem=problem, one_minus_r=0.1, nu=1) for problem in ("relaxed", "exact"))
        assert relaxed["objective"] <= exact["objective"] + 1e-6
        assert w5 @ w6 / numpy.linalg.norm(w5) / numpy.linalg.norm(w6) > 0.99


@pytest.mark.parametrize("problem", ["exact", "iterated", "rho"])
def test_kernel_forms(problem, tmp_path):
    """(4) and (5) with an RBF kernel: a convex solver over coordinates by eigenvectors, ours over those of a Cholesky factor with pivots."""
    x, y = points(5, rows=14)
    kernel = numpy.exp(-0.5 * ((x[:, None] - x[None]) ** 2).sum(axis=2))
    values, vectors = numpy.linalg.eigh(kernel)
    z = vectors * numpy.sqrt(values)
    nu = 0.2
    value, w, b, _ = oracle(z, y, "exact" if problem == "iterated" else problem, nu=nu, c_form="norm")
    path = write(tmp_path / "d.csv", x, y)
    given = {"problem": problem, "kernel": "rbf", "gamma": 0.5, "nu": nu, "one_minus_r": 0.1, "tolerance": 1e-7}
    report = run_json("train", path, "--learner", "esvm", "--scale", "none", *(word for name, each in given.items() for word in ("--set", f"{name}={each}")), "--model", tmp_path / "m")
    assert report["fit"]["converged"], report["fit"]
    assert report["fit"]["objective"] == pytest.approx(value, abs=2e-5 * (1 + abs(value)))
    rows = list(csv.DictReader(run("predict", tmp_path / "m", path, "--scores", check=True).stdout.splitlines()))
    numpy.testing.assert_allclose([float(row["score"]) for row in rows], z @ w + b, atol=2e-3)


def test_what_becomes_of_rho(tmp_path):
    """Footnote 1 of the paper says that rho of (4) becomes zero in most cases. It falls with lambda, from the rho of (1) through zero to
    below: only if rho >= 0 is asked for does it stay at zero, from some lambda on, where (4) is (5)."""
    for seed, noise, unit in ((5, 0, True), (5, 0, False), (8, 0.6, True)):
        path = write(tmp_path / "d.csv", *points(seed, noise=noise, unit=unit))

        def rho(problem, **more):
            report, *_ = fit(path, problem=problem, nu=0.4, one_minus_r=0.001, **more)
            assert report["converged"], report
            return float(report["status"].split("rho")[1])

        found = [rho("rho", **{"lambda": value}) for value in (0.001, 0.1, 1, 10, 40)]
        assert found == sorted(found, reverse=True)
        assert found[0] == pytest.approx(rho("sphere"), abs=0.01)  # which is not unique
        assert found[-1] < 0


def test_rho_without_bound_is_said(tmp_path):
    x, y = points(5, noise=0, unit=True)
    path = write(tmp_path / "d.csv", x, numpy.where(x[:, 0] > 0.8, 1, -1))
    done = run("train", path, "--learner", "esvm", "--scale", "none", "--set", "problem=rho", "--set", "nu=0.9")
    assert done.returncode == 1 and "nu = 0.9 is too large" in done.stderr


def test_novelty_is_the_quadratic_form(tmp_path):
    x, y = points(6)
    path = write(tmp_path / "d.csv", x, y)
    for bias in ("free", "augmented"):
        *_, metric = fit(path, nu=1, bias=bias)
        rows = list(csv.DictReader(run("predict", tmp_path / "m", path, "--scores", check=True).stdout.splitlines()))
        z = numpy.hstack([x, numpy.ones((len(x), 1))]) if bias == "augmented" else x
        numpy.testing.assert_allclose([float(row["novelty"]) for row in rows], numpy.einsum("ij,jk,ik->i", z, metric, z), rtol=1e-10)


def test_kernel_novelty_and_scores_equal_the_linear_form(tmp_path):
    """polynomial of degree 1 is the linear kernel by another way."""
    x, y = points(7)
    path = write(tmp_path / "d.csv", x, y)
    out = {}
    for name, settings in {"linear": {}, "kernel": {"kernel": "polynomial", "degree": 1, "gamma": 1}}.items():
        model, given = tmp_path / name, [w for k, v in {"one_minus_r": 0.01, "nu": 1, "c_form": "norm2", "tolerance": 1e-9, **settings}.items() for w in ("--set", f"{k}={v}")]
        report = run_json("train", path, "--learner", "esvm", "--scale", "none", *given, "--model", model)
        assert report["fit"]["converged"], report["fit"]
        out[name] = list(csv.DictReader(run("predict", model, path, "--scores", check=True).stdout.splitlines()))
    for column in ("score", "novelty"):
        a, b = (numpy.array([float(row[column]) for row in out[name]]) for name in ("linear", "kernel"))
        numpy.testing.assert_allclose(a, b, rtol=2e-3, atol=2e-3)


def test_online_reaches_the_optimum_of_14(tmp_path):
    """f at the averaged w and the last B comes within 0.02 of the least f, found by a convex solver."""
    x, y = points(12, rows=60)
    path = write(tmp_path / "d.csv", x, y)
    nu, norms = 0.2, numpy.linalg.norm(x, axis=1)
    radius = norms.max()

    def f(B, w):
        return -numpy.linalg.slogdet(B)[1] + numpy.mean(numpy.maximum(0, numpy.einsum("ij,jk,ik->i", x, B, x) - y * (x @ w)) / (nu * norms))

    B, w = cvxpy.Variable((3, 3), PSD=True), cvxpy.Variable(3)
    loss = cvxpy.pos(cvxpy.sum(cvxpy.multiply(x @ B, x), axis=1) - cvxpy.multiply(y, x @ w))
    least = cvxpy.Problem(cvxpy.Minimize(-cvxpy.log_det(B) + (1 / (nu * norms)) @ loss / len(y)), [cvxpy.trace(B) <= 1 / radius, cvxpy.norm(w) <= 1]).solve(solver="CLARABEL")
    model = tmp_path / "m"
    run_json("train", path, "--learner", "esvm-online", "--scale", "none", "--set", f"nu={nu}", "--set", "bias=none", "--order", "sample", "--passes", "400", "--model", model)
    explained = run_json("explain", model)
    metric = numpy.array(explained["metric"]["B"])
    assert numpy.trace(metric) <= (1 + 1e-8) / radius
    reached = f(metric, numpy.array(explained["weights"]))
    assert least - 1e-6 <= reached < least + 0.02


def test_online_stops_at_epsilon(tmp_path):
    path = write(tmp_path / "d.csv", *points(12, rows=60))
    report = run_json("train", path, "--learner", "esvm-online", "--set", "epsilon=0.05", "--passes", "1000", "--model", tmp_path / "m")
    assert report["examples"] < 60_000
    done = run("train", path, "--learner", "esvm-online", "--set", "epsilon=0.05", "--passes", "1000")
    assert "epsilon was reached" in done.stderr


def odd_problem(random):
    """Few rows, one feature, whole numbers, doubles of rows, huge and tiny units, columns of which one follows from the others."""
    rows, features = random.choice([4, 10, 40, 150]), random.choice([1, 2, 5, 20])
    kind = random.choice(["whole", "real", "doubled", "huge", "tiny", "one-hot"])
    if kind == "whole":
        x = random.integers(0, 3, size=(rows, features)).astype(float)
    elif kind == "one-hot":
        x = numpy.eye(features)[random.integers(features, size=rows)]
    else:
        x = random.normal(size=(rows, features)) * {"huge": 1e6, "tiny": 1e-6}.get(kind, 1)
    if kind == "doubled":
        x = x[random.integers(rows, size=rows)]
    y = numpy.where(x.sum(axis=1) + random.choice([0, 1, 5]) * random.normal(size=rows) > 0, 1, -1)
    y[0], y[1] = 1, -1
    return x, y


@pytest.mark.parametrize("seed", range(60))
def test_odd_problems_are_solved_or_refused_with_a_reason(seed, tmp_path):
    random = numpy.random.default_rng(seed)
    path = write(tmp_path / "d.csv", *odd_problem(random))
    given = {"nu": [0.0001, 0.001, 0.01, 0.1, 1, 10], "one_minus_r": [1e-6, 1e-8, 0.3, 0.5], "bias": ["none", "free", "augmented"], "solver": ["auto", "ipm"]}
    given = {name: random.choice(values) for name, values in given.items()} | ({"margin": "hard"} if seed % 7 == 0 else {})
    settings = [word for name, value in given.items() for word in ("--set", f"{name}={value}")]
    answer = run("train", path, "--learner", "esvm", "--scale", random.choice(["none", "standard"]), *settings, "--model", tmp_path / "m", "--json")
    if answer.returncode == 0:
        fitted = json.loads(answer.stdout)["fit"]
        assert fitted["converged"], (given, fitted)
    else:
        assert any(reason in answer.stderr for reason in ("one class only", "no hyperplane separates", "are the same but of different classes", "nothing but zeros")), (given, answer.stderr)


def test_transform_measures_by_the_ellipsoid():
    """Euclidean distances after transform are those of B, whatever the problem, the bias and the scaling."""
    import postil

    x, y = points(9, rows=80, features=4)
    for model in (
        postil.EllipsoidalSVC(nu=1),
        postil.EllipsoidalSVC(nu=1, problem="exact", intercept="augmented"),
        postil.EllipsoidalSVC(nu=1, scale="standard"),
        postil.OnlineEllipsoidalSVC(nu=1, max_iter=5, tol=None),
        postil.OnlineEllipsoidalSVC(nu=1, max_iter=5, tol=None, ellipsoid="average"),
    ):
        z = model.fit(x, y).transform(x)
        metric = numpy.array(model.explain()["metric"]["B"])[:4, :4]
        seen = (x - x.mean(axis=0)) / x.std(axis=0) if model.scale == "standard" else x
        step = seen[:-1] - seen[1:]
        numpy.testing.assert_allclose(((z[:-1] - z[1:]) ** 2).sum(axis=1), numpy.einsum("ij,jk,ik->i", step, metric, step), rtol=1e-6)
        assert list(model.get_feature_names_out()) == [f"{type(model).__name__.lower()}{k}" for k in range(4)]
        numpy.testing.assert_allclose(numpy.abs(z).sum(axis=0), numpy.abs(model.fit_transform(x, y)).sum(axis=0))


def test_transform_has_the_axes_of_every_class():
    import postil

    random = numpy.random.default_rng(3)
    x = random.normal(size=(90, 3))
    y = numpy.repeat(["a", "b", "c"], 30)
    x[:30, 0] += 3
    x[30:60, 1] += 3
    model = postil.EllipsoidalSVC(nu=1).fit(x, y)
    assert model.transform(x).shape == (90, 9) and len(model.get_feature_names_out()) == 9
    assert model.set_output(transform="pandas").transform(x).columns[8] == "ellipsoidalsvc8"


def test_transform_needs_an_ellipsoid():
    import postil

    x, y = points(9)
    for settings in ({"kernel": "rbf"}, {"problem": "sphere", "nu": 0.5}):
        with pytest.raises(AttributeError, match="no ellipsoid over the columns here"):
            postil.EllipsoidalSVC(**settings).fit(x, y).transform(x)


def test_bounds_of_the_online_form(tmp_path):
    """--bounds: the same numbers as text and as JSON; never violated; and what is refused."""
    path = write(tmp_path / "d.csv", *points(12, rows=80))
    for nu in (0.1, 1, 10):
        told = run_json("train", path, "--learner", "esvm-online", "--set", f"nu={nu}", "--passes", 5, "--bounds")["bounds"]
        assert told["rounds"] == 400 and told["n"] == 4
        assert told["loss"] <= told["theorem_1"]["bound"] == pytest.approx(told["least"] + told["theorem_1"]["ellipsoid"] + told["theorem_1"]["weights"])
        assert told["theorem_2"]["excess"] > 0 and told["corollary_3"]["rounds"] > 400
    text = run("train", path, "--learner", "esvm-online", "--bounds", check=True).stdout
    assert "theorem 1 of 002, corrected: at most" in text and "corollary 3, corrected" in text
    refused = run("train", path, "--learner", "esvm-online", "--set", "step=harmonic", "--bounds")
    assert refused.returncode == 2 and "step is harmonic, the theorem needs sqrt" in refused.stderr
