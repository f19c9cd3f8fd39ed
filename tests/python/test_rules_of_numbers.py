"""Rules about labels that are numbers: charges >= 20000, between two ends, = 3*x + 2; on real data that nobody here made."""

import json

import cvxpy
import numpy
import pandas
import pytest
from scipy.optimize import linprog
from sklearn.datasets import load_diabetes

import postil
from conftest import run, run_json

RULES = """\
domain bmi in [15, 60]
obese: bmi >= 30 and bp >= 100 => progression >= 180
slim [trust = 0.5]: bmi <= 23 and bp <= 90 => progression <= 110
lipids: ltg >= 5 => progression between 100 and 60*ltg
line: bmi = 27 => progression = 2*bmi + bp
"""
# What they say, written out: conditions, and the ends low and high as functions of a row.
WRITTEN = {
    "obese": (lambda r: r.bmi >= 30 and r.bp >= 100, lambda r: 180, None),
    "slim": (lambda r: r.bmi <= 23 and r.bp <= 90, None, lambda r: 110),
    "lipids": (lambda r: r.ltg >= 5, lambda r: 100, lambda r: 60 * r.ltg),
    "line": (lambda r: r.bmi == 27, lambda r: 2 * r.bmi + r.bp, lambda r: 2 * r.bmi + r.bp),
}
# The same as sets D x <= d => z (score - h'x - c) >= 0 over bmi, bp, ltg, age; the domain's rows follow below.
SETS = [
    ([[-1, 0, 0, 0], [0, -1, 0, 0]], [-30, -100], [False, False], 1, 1, [0, 0, 0, 0], 180),
    ([[1, 0, 0, 0], [0, 1, 0, 0]], [23, 90], [False, False], -1, 0.5, [0, 0, 0, 0], 110),
    ([[0, 0, -1, 0]], [-5], [False], 1, 1, [0, 0, 0, 0], 100),
    ([[0, 0, -1, 0]], [-5], [False], -1, 1, [0, 0, 60, 0], 0),
    ([[1, 0, 0, 0]], [27], [True], 1, 1, [2, 1, 0, 0], 0),
    ([[1, 0, 0, 0]], [27], [True], -1, 1, [2, 1, 0, 0], 0),
]
COLUMNS = ["bmi", "bp", "ltg", "age"]
NAMED = [0, 1, 2]  # age is in no rule


@pytest.fixture(scope="module")
def frame():
    data = load_diabetes(scaled=False, as_frame=True).frame.rename(columns={"s5": "ltg", "target": "progression"})
    return data[[*COLUMNS, "progression"]]


@pytest.fixture
def files(frame, tmp_path):
    data, rules = tmp_path / "d.csv", tmp_path / "r.rules"
    frame.to_csv(data, index=False)
    rules.write_text(RULES)
    return data, rules


def oracle(frame, form, epsilon, hard, rows, lam, mu):
    """Mangasarian, Shavlik and Wild's problem in scaled columns, as it is written, by a general solver."""
    X, y = frame[COLUMNS].to_numpy(), frame.progression.to_numpy()
    shift, scale = X.mean(0), X.std(0)
    X = (X - shift) / scale
    w, b = cvxpy.Variable(4), cvxpy.Variable()
    short = cvxpy.pos(cvxpy.abs(y - X @ w - b) - epsilon)
    size = cvxpy.norm1(w) if form == "l1" else cvxpy.sum_squares(w) / 2
    cost = size + (lam / 2 * cvxpy.sum_squares(short) if form == "l2" else lam * cvxpy.sum(short))
    demands = []
    for D, d, free, z, trust, h, c in SETS:
        D = [*D, [1, 0, 0, 0], [-1, 0, 0, 0]]  # bmi in [15, 60]
        d, free, h = [*d, 60, -15], [*free, False, False], numpy.array(h, dtype=float)
        D, d = numpy.array(D, dtype=float), numpy.array(d, dtype=float)
        d = d - D @ shift
        D = D * scale
        c = c + h @ shift
        h = h * scale
        u = cvxpy.Variable(len(d))
        demands += [u[k] >= 0 for k in range(len(d)) if not free[k]]
        eta, zeta = D.T @ u + z * (w - h), d @ u - z * (b - c)
        if hard:
            demands += [eta == 0, zeta <= 0]
        elif form == "l2":
            cost += mu * trust / 2 * (cvxpy.sum_squares(eta) + cvxpy.square(cvxpy.pos(zeta)))
        else:
            cost += mu * trust * (cvxpy.norm1(eta) + cvxpy.pos(zeta))
    problem = cvxpy.Problem(cvxpy.Minimize(cost), demands)
    problem.solve(solver=cvxpy.CLARABEL)
    return w.value, b.value, problem.value


@pytest.mark.parametrize("form", ["l2", "l1", "mixed"])
@pytest.mark.parametrize("epsilon", [0, 20])
def test_batch_machine_against_a_general_solver(form, epsilon, frame, tmp_path):
    few = frame.iloc[::6]
    few.to_csv(tmp_path / "d.csv", index=False)
    (tmp_path / "r.rules").write_text(RULES)
    settings = [f"form={form}", "lambda=0.3", "mu=5", f"epsilon={epsilon}", "tolerance=1e-10"]
    run("train", tmp_path / "d.csv", "--advice", tmp_path / "r.rules", "--learner", "kbsvm", *(word for s in settings for word in ("--set", s)), "--model", tmp_path / "m", check=True)
    report = run_json("train", tmp_path / "d.csv", "--advice", tmp_path / "r.rules", "--learner", "kbsvm", *(word for s in settings for word in ("--set", s)))
    explained = run_json("explain", tmp_path / "m")
    w, b, value = oracle(few, form, epsilon, False, len(few), 0.3, 5)
    assert report["fit"]["converged"]
    assert report["fit"]["objective"] == pytest.approx(value, rel=1e-5)
    if form != "l1":  # whose solution need not be the only one
        order = [explained["features"].index(name) for name in COLUMNS]
        numpy.testing.assert_allclose(numpy.array(explained["weights"])[order], w, rtol=1e-3, atol=1e-2)
        assert explained["bias"] == pytest.approx(b, rel=1e-4)


@pytest.mark.parametrize("form", ["l2", "l1", "mixed"])
def test_hard_rules_are_obeyed(form, frame, tmp_path):
    """By the certificate, and by brute force over the corners of the regions."""
    frame[["bmi", "bp", "progression"]].to_csv(tmp_path / "d.csv", index=False)
    rules = "domain bmi in [15, 60]\ndomain bp in [50, 150]\nhigh: bmi >= 40 => progression >= 3*bp\nlow: bmi <= 20 => progression <= 120\n"
    (tmp_path / "r.rules").write_text(rules)
    run("train", tmp_path / "d.csv", "--advice", tmp_path / "r.rules", "--learner", "kbsvm", "--set", f"form={form}", "--set", "advice=hard", "--model", tmp_path / "m", check=True)
    for certificate in run_json("explain", tmp_path / "m", "--certify", tmp_path / "r.rules")["certificates"]:
        assert certificate["worst"] >= -1e-3
    corners = pandas.DataFrame([(bmi, bp) for bmi in (40, 60, 15, 20) for bp in (50, 150)], columns=["bmi", "bp"])
    corners.to_csv(tmp_path / "c.csv", index=False)
    found = numpy.array(run_json("predict", tmp_path / "m", tmp_path / "c.csv")["scores"])
    assert (found[:4] >= 3 * corners.bp[:4] - 1e-3).all() and (found[4:] <= 120 + 1e-3).all()


def test_rules_that_cannot_be_obeyed_together(files):
    data, rules = files
    rules.write_text("a: bmi >= 30 => progression >= 200\nb: bmi >= 35 => progression <= 100\n")
    wrong = run("train", data, "--advice", rules, "--learner", "kbsvm", "--set", "advice=hard")
    assert wrong.returncode == 1 and "no hyperplane obeys these rules at once: a, b" in wrong.stderr


def test_the_worst_point_of_a_region(files, frame):
    data, rules = files
    run("train", data, "--advice", rules, "--learner", "kbsvm", "--model", data.parent / "m", check=True)
    explained = run_json("explain", data.parent / "m")
    w, b = dict(zip(explained["features"], explained["raw_weights"])), explained["raw_bias"]
    found = run_json("explain", data.parent / "m", "--certify", rules)["certificates"]
    bounds = [(15, 60), (None, None), (None, None), (None, None)]
    for certificate, (D, d, free, z, _, h, c) in zip(found, SETS):
        line = z * (numpy.array([w[name] for name in COLUMNS]) - h)
        parts = ({"A_eq": D, "b_eq": d} if free[0] else {"A_ub": D, "b_ub": d})
        worst = linprog(line, **parts, bounds=bounds)
        if worst.status == 0:
            assert certificate["worst"] == pytest.approx(worst.fun + z * (b - c), rel=1e-6)
        else:
            assert certificate["worst"] is None


def test_ledger_and_coverage_count_as_written(files, frame):
    data, rules = files
    report = run_json("train", data, "--advice", rules)
    checked = run_json("rules", "check", rules, "--data", data)
    for rule, coverage in zip(report["rules"], checked["rules"]):
        holds, low, high = WRITTEN[rule["id"]]
        admitted = numpy.array([(low is None or r.progression >= low(r)) and (high is None or r.progression <= high(r)) for r in frame.itertuples()])
        held = numpy.array([holds(r) for r in frame.itertuples()])
        for found, name in ((rule, "fired"), (coverage, "covered")):
            assert found[name] == held.sum()
            assert found["agreed"] == (held & admitted).sum()
            assert found["base_rate"] == pytest.approx(admitted.mean())
        assert rule["contradicted"] == (held & ~admitted).sum()


def test_rules_as_written(files, frame):
    """Before the first label the mean of their ends; then the mean of the labels, moved into what they allow."""
    data, rules = files
    run("train", "--advice", rules, "--learner", "rules", "--model", data.parent / "m", check=True)
    before = numpy.mean([180, 110, 100])
    run("train", data, "--advice", rules, "--learner", "rules", "--model", data.parent / "n", check=True)
    for model, middle in (("m", before), ("n", frame.progression.mean())):
        found = run_json("predict", data.parent / model, data)["scores"]
        for r, score in zip(frame.itertuples(), found):
            ends = [(low(r) if low else -numpy.inf, high(r) if high else numpy.inf) for holds, low, high in WRITTEN.values() if holds(r)]
            low, high = max((e[0] for e in ends), default=-numpy.inf), min((e[1] for e in ends), default=numpy.inf)
            assert score == pytest.approx((low + high) / 2 if low > high else min(max(middle, low), high))


def test_contradictions(tmp_path):
    rules = tmp_path / "r.rules"
    rules.write_text(
        "domain x in [0, 10]\n"
        "a: x >= 5 => y >= 20\n"
        "b: x >= 7 => y <= 10\n"  # against a
        "c: x <= 4 => y <= 3*x\n"
        "d: x <= 2 => y >= 5\n"  # against c below 5/3
        "e: x >= 6 => y >= 15\n"  # a says more
        "f: x >= 5 => y <= 20\n"  # touches a, no contradiction
    )
    found = run_json("rules", "check", rules)
    assert {(c["a"], c["b"]) for c in found["conflicts"]} == {("a", "b"), ("b", "e"), ("c", "d")}
    witness = next(c["witness"] for c in found["conflicts"] if c["a"] == "c")
    assert 3 * witness["x"] < 5 and witness["x"] <= 2
    assert [(i["rule"], i["by"]) for i in found["implied"]] == [("e", "a")]
    assert not found["satisfiable"][0]["yes"]
    rules.write_text("domain x in [0, 10]\na: x >= 5 => y >= 20\nc: x <= 4 => y <= 3*x\n")
    assert run_json("rules", "check", rules)["satisfiable"][0]["yes"]
    rules.write_text("domain x in [0, 10]\na: x >= 5 => y >= x\nb: x <= 9 => y >= 2*x + 1\nc: x <= 1 => y <= 0\n")
    assert not run_json("rules", "check", rules)["satisfiable"][0]["yes"]


@pytest.mark.parametrize(
    "rule, words",
    [
        ("bmi > 30 => progression != 5", "a rule about a number says that it is >=, <=, =, < or > something"),
        ("bmi > 30 => not progression > 5", "a rule about a number says that it is"),
        ("bmi > 30 => progression", "holds numbers: say how large it is"),
        ("bmi > 30 => yes", "the label is 'progression', which holds numbers; found 'yes'"),
        ("bmi > 30 => +1", "the label is 'progression', which holds numbers; found a class"),
        ("bmi > 30 => progression between 9 and 3", "no number lies between 9 and 3"),
        ("bmi > 30 => progression >= bmj", "unknown column 'bmj'; did you mean 'bmi'?"),
        ("bmi > 30 => progression >= bmi/bp", "cannot be divided by a column"),
        ("[sure = 80%]: bmi > 30 => progression >= 5", "is about classes"),
        ("more bmi => progression >= 5", "a direction says that progression rises or falls"),
        ("bmi > 30 => progression in {1, 2}", "a rule about a number says that it is"),
    ],
)
def test_mistakes(rule, words, files):
    data, rules = files
    rules.write_text(rule + "\nbmi > 40 => progression >= 1\n")
    wrong = run("train", data, "--advice", rules)
    assert wrong.returncode == 1 and words in wrong.stderr and "r.rules:1:" in wrong.stderr, wrong.stderr


def test_the_label_is_the_one_that_rules_name(files, frame):
    data, rules = files
    frame[["progression", *COLUMNS]].to_csv(data, index=False)  # not the last column
    assert run_json("train", data, "--advice", rules)["learner"] == "pa-adviceptron"
    other = run("train", data, "--advice", rules, "--label", "age")
    assert other.returncode == 1 and "the label is 'age', which holds numbers; found 'progression'" in other.stderr
    classes = run("train", data, "--advice", rules, "--task", "classification")
    assert classes.returncode == 1 and "the rule says a number of 'progression'; the label holds classes" in classes.stderr


def test_a_stream_stopped_and_resumed(files, frame):
    data, rules = files
    lines = data.read_text().splitlines()
    first, second = data.parent / "1.csv", data.parent / "2.csv"
    for cut in (3, 100, 300):  # before and after the schema is settled
        first.write_text("\n".join(lines[: cut + 1]) + "\n")
        second.write_text("\n".join([lines[0], *lines[cut + 1 :]]) + "\n")
        for name, parts in (("whole", [data]), ("parts", [first, second])):
            (data.parent / name).unlink(missing_ok=True)
            for part in parts:
                run("stream", "--advice", rules, "--model", data.parent / name, part, check=True)
        assert (data.parent / "whole").read_bytes() == (data.parent / "parts").read_bytes()
    told = [json.loads(line) for line in run("stream", "--advice", rules, "--model", data.parent / "told", data, "--json", check=True).stdout.splitlines()]
    for r, answer in zip(frame.itertuples(), told):
        holding = {name: (low is None or r.progression >= low(r)) and (high is None or r.progression <= high(r)) for name, (holds, low, high) in WRITTEN.items() if holds(r)}
        if "rules" in answer:
            assert {entry["id"]: entry["agrees"] for entry in answer["rules"]} == holding


def test_a_direction(files):
    data, rules = files
    rules.write_text("less bmi => progression\nbmi >= 60 => progression >= 0\n")  # the wrong way round
    for learner in ("kbsvm", "pa-adviceptron"):
        run("train", data, "--advice", rules, "--learner", learner, *(["--set", "mu=1e6"] if learner == "kbsvm" else []), "--model", data.parent / "m", check=True)
        explained = run_json("explain", data.parent / "m")
        assert explained["raw_weights"][explained["features"].index("bmi")] <= 0.01
    assert explained["rules"][0]["verdict"] == "contradicted"
    assert run_json("rules", "check", rules, "--data", data)["rules"][0]["verdict"] == "harms"


def test_rules_help_where_labels_are_few(frame):
    """Mean |error| on 242 rows after 5 labels, with rules and without; on rules of thumb, not fitted to the data."""
    rules = "bmi >= 30 and bp >= 100 => progression >= 180\nbmi <= 23 and bp <= 90 => progression <= 110\nltg >= 5 and bmi >= 27 => progression >= 170\nmore bmi => progression"
    X, y = frame[COLUMNS], frame.progression
    gains = {name: [] for name in ("KnowledgeSVR", "PAAdviceptronRegressor")}
    for seed in range(12):
        order = numpy.random.default_rng(seed).permutation(len(X))
        train, test = order[:5], order[200:]
        for name, gain in gains.items():
            settings = {"start": "advice"} if name.startswith("PA") else {}
            error = [abs(model.fit(X.iloc[train], y.iloc[train]).predict(X.iloc[test]) - y.iloc[test]).mean() for model in (getattr(postil, name)(), getattr(postil, name)(advice=rules, **settings))]
            gain.append(error[0] - error[1])
    for name, gain in gains.items():
        assert numpy.mean(gain) > 5, (name, gain)


def test_forms_and_words(tmp_path):
    rules = tmp_path / "r.rules"
    rules.write_text("a: x >= 1 => `the price` between 10 and 2*x + 3\nx < 1 => `the price` < 5\n")
    assert run("rules", "fmt", rules, check=True).stdout == rules.read_text()
    as_json = run("rules", "convert", rules, "--to", "json", check=True).stdout
    (tmp_path / "r.json").write_text(as_json)
    assert run("rules", "convert", tmp_path / "r.json", "--to", "rules", check=True).stdout == rules.read_text()
    english = run("rules", "convert", rules, "--to", "english", check=True).stdout
    assert "the price" in english and "10" in english
    sql = run("rules", "convert", rules, "--to", "sql")
    assert sql.returncode == 1 and "there is no rule that SQL could say" in sql.stderr


def test_what_is_told_of_a_row(files):
    """No share of a rule where the learner does not know it, and nothing of sides where there are no classes."""
    data, rules = files
    run("train", data, "--advice", rules, "--model", data.parent / "m", check=True)
    assert "by who" not in run("explain", data.parent / "m", "--row", "7", "--data", data, check=True).stdout
    run("train", data, "--advice", rules, "--learner", "kbsvm", "--model", data.parent / "k", check=True)
    assert "wrong side" not in run("explain", data.parent / "k", check=True).stdout


def test_words_and_completions(tmp_path):
    rules = tmp_path / "r.rules"
    rules.write_text("age >= 60 => charges >= 200*age + 5\nage < 30 => ")
    lint = run_json("rules", "lint", rules, "--at", "2:13")
    kinds = [word["kind"] for word in lint["words"] if word["line"] == 1]
    assert kinds == ["column", "sign", "number", "sign", "class", "sign", "number", "sign", "column", "sign", "number"]
    assert [entry["text"] for entry in lint["completions"]] == ["charges"]


def test_python(frame, tmp_path):
    X, y = frame[COLUMNS], frame.progression
    checked = postil.rules.check(RULES, X, y)
    assert [rule["agreed"] for rule in checked["rules"]] == [rule["agreed"] for rule in postil.rules.check(RULES, frame, "progression")["rules"]]
    assert (postil.rules.holds(RULES, X)[:, 0] == ((X.bmi >= 30) & (X.bp >= 100))).all()
    assert checked["rules"][0]["agreed"] == ((X.bmi >= 30) & (X.bp >= 100) & (y >= 180)).sum()
    model = postil.PAAdviceptronRegressor(advice=RULES, start="advice").fit(X, y)
    assert list(model.ledger()["rule"] if "rule" in model.ledger() else model.ledger().index)[:2] == ["obese", "slim"]
    model.save(tmp_path / "m")
    again = postil.load(tmp_path / "m")
    assert isinstance(again, postil.PAAdviceptronRegressor)
    numpy.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert postil.RulesRegressor(advice=RULES).fit(X, y).score(X, y) > 0.1
    assert postil.KnowledgeSVR(advice=RULES).fit(X, y).score(X, y) > 0.3
    grown = postil.PAAdviceptronRegressor(advice=RULES)
    for row, label in zip(X.to_dict("records")[:50], y[:50]):
        grown.learn_one(row, label)
    assert numpy.isfinite(grown.predict(X)).all()
