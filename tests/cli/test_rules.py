"""postil rules and certificates, end to end; conflicts and joint satisfiability against another solver."""

import csv
import itertools
import json

import numpy
import pytest
from scipy.optimize import linprog

from conftest import run, run_json

SIMPLE = """
class diabetes = 1
risk: bmi >= 30 and glucose >= 126 => diabetes
low [trust = 0.5]: bmi <= 25 and glucose <= 100 => not diabetes
"""
# A small lineage advice in our own words: opposite rules that meet, and rules that do not.
LINEAGE = """
domain spacer_1..spacer_6 in [0, 1]
integer miru24
domain miru24 in [0, 9]
p1: absent(spacer_1..spacer_3) => east
n1: any(spacer_1..spacer_3) => not east
p2: absent(spacer_4, spacer_5) and miru24 > 1 => west
n2: miru24 < 2 => not west
n3: present(spacer_6) and absent(spacer_4) => not west
p3: any(spacer_4..spacer_6) and spacer_1 >= 1 => north
n4: sum(spacer_1..spacer_6) <= 1 => not north
"""


@pytest.fixture
def rules(write):
    return lambda text: write("t.rules", text)


@pytest.fixture
def patients(write):
    lines = ["glucose,bmi,color,label", "130,31,red,1", "130,31,blue,0", "90,20,red,0", "90,,green,1", "126,30,,1", "100,25,red,0"]
    return write("patients.csv", "\n".join(lines) + "\n")


def test_show(rules, patients):
    shown = run_json("rules", "show", rules(SIMPLE), "--data", patients)
    assert shown["features"] == ["glucose", "bmi", "color=blue", "color=green", "color=red"]
    assert [(s["rule"], s["class"], s["z"], s["trust"]) for s in shown["sets"]] == [("risk", "1", 1, 1), ("low", "1", -1, 0.5)]
    assert shown["sets"][0]["D"] == [[0, -1, 0, 0, 0], [-1, 0, 0, 0, 0]] and shown["sets"][0]["d"] == [-30, -126]
    assert shown["domain"] == {"lo": [None, None, 0, 0, 0], "hi": [None, None, 1, 1, 1]}
    sparse = run_json("rules", "show", rules(SIMPLE), "--data", patients, "--sparse")
    assert sparse["sets"][1]["D"] == [[[1, 1]], [[0, 1]]]
    negative = run_json("rules", "show", rules(SIMPLE), "--data", patients, "--positive", "0")
    assert [(s["class"], s["z"]) for s in negative["sets"]] == [("0", -1), ("0", 1)]
    assert "wherever" in run("rules", "show", rules(SIMPLE), check=True).stdout


@pytest.mark.parametrize("scale", ["none", "standard", "minmax", "maxabs"])
def test_a_rule_holds_where_its_compiled_set_does(scale, rules, write, tmp_path):
    """On data with categories and missing values, under every scaling: rows covered = rows x with D x <= d."""
    random = numpy.random.default_rng(1)
    lines = ["a,n,color,label"]
    for _ in range(400):
        cells = [f"{random.normal():.3f}", str(random.integers(0, 5)), random.choice(["red", "blue", "green"])]
        cells = [cell if random.random() > 0.1 else "" for cell in cells]
        lines.append(",".join([*cells, str(random.integers(0, 2))]))
    data = write("d.csv", "\n".join(lines) + "\n")
    text = "r1: a > 0.1 and n > 1 => 1\nr2: color = red or 2*a - n <= -3.5 => 0\nr3: not (color in {red, blue} and a < 0.5) and n <= 2 => 1\n"
    model = tmp_path / "m"
    run("train", data, "--scale", scale, "--quiet", "--model", model, check=True)
    explained = run_json("explain", model)
    checked = {rule["id"]: rule for rule in run_json("rules", "check", rules(text), "--data", data)["rules"]}
    shown = run_json("rules", "show", rules(text), "--data", data, "--scale", scale)
    assert shown["features"] == explained["features"]
    # Rows in the learner's coordinates, built here; what is missing is unknown, and a rule that depends on it does not hold.
    with open(data) as file:
        rows = list(csv.DictReader(file))
    raw = numpy.zeros((len(rows), len(shown["features"])))
    for j, name in enumerate(shown["features"]):
        if "=" in name:
            raw[:, j] = [row["color"] == name.split("=")[1] if row["color"] else numpy.nan for row in rows]
        else:
            values = numpy.array([float(row[name]) if row[name] else numpy.nan for row in rows])
            raw[:, j] = values
    x = (raw - explained["scaling"]["shift"]) / explained["scaling"]["scale"]
    for name in ("r1", "r2", "r3"):
        inside = numpy.zeros(len(rows), dtype=bool)
        for s in shown["sets"]:
            if s["rule"] == name:
                D = numpy.array(s["D"])
                sums = numpy.array([x[:, row != 0] @ row[row != 0] for row in D]).T
                inside |= (sums <= numpy.array(s["d"]) + 1e-9).all(axis=1)
        assert inside.sum() == checked[name]["covered"] > 0


def test_check_with_data(rules, patients):
    checked = run_json("rules", "check", rules(SIMPLE + "odd: glucose >= 1260 => diabetes\n"), "--data", patients)
    assert list(checked) == ["rows", "rules", "together", "disagreements", "conflicts", "overlaps", "implied", "satisfiable", "problems"]
    risk, low, odd = checked["rules"]
    assert (risk["covered"], risk["agreed"], risk["line"], risk["polarity"], risk["sets"], risk["empty"]) == (3, 2, 3, 1, 1, 0)
    assert risk["precision"] == pytest.approx(2 / 3) and risk["interval"][0] < 2 / 3 < risk["interval"][1]
    assert (low["covered"], low["agreed"], low["polarity"]) == (2, 2, -1)
    assert odd["covered"] == 0 and odd["precision"] is None
    assert any("no row satisfies it" in problem for problem in checked["problems"])
    assert any("1260 lies outside what column 'glucose' shows, 90 to 130: other units?" in problem for problem in checked["problems"])
    assert checked["satisfiable"] == [{"class": "1", "yes": True, "core": []}]
    table = run("rules", "check", rules(SIMPLE), "--data", patients, check=True).stdout
    assert "2 of 3   66.7%" in table and "cannot tell" in table
    assert "together: they cover 83.3% of the rows and are right on 80.0% of these; with all other rows taken for 0: error 0.333, balanced error 0.333" in table


def lp_sets(text, tmp_path):
    path = tmp_path / "lp.rules"
    path.write_text(text)
    shown = run_json("rules", "show", path)
    bounds = [(lo, hi) for lo, hi in zip(shown["domain"]["lo"], shown["domain"]["hi"])]
    return shown, bounds, run_json("rules", "check", path)


def meet(a, b, bounds):
    """Strict rows are whole-number rows here, so closed sets decide."""
    d = numpy.array(a["D"] + b["D"])
    return linprog(numpy.zeros(d.shape[1]), A_ub=d, b_ub=a["d"] + b["d"], bounds=bounds).status == 0


def separable(sets, bounds):
    """Is there (w, b) with z (w'x + b) >= 1 on every set? By the sets' vertices' dual: one block of multipliers for each."""
    n = len(bounds)
    width = n + 1
    equalities, inequalities, right = [], [], []
    blocks = []
    for s in sets:
        rows = [list(row) for row in s["D"]] + [[1.0 if k == j else 0.0 for k in range(n)] for j in range(n)] + [[-1.0 if k == j else 0.0 for k in range(n)] for j in range(n)]
        d = s["d"] + [hi for _, hi in bounds] + [-lo for lo, _ in bounds]
        blocks.append((s["z"], numpy.array(rows), numpy.array(d), width))
        width += len(d)
    for z, rows, d, start in blocks:
        for j in range(n):
            line = numpy.zeros(width)
            line[j] = z
            line[start : start + len(d)] = rows[:, j]
            equalities.append(line)
        line = numpy.zeros(width)
        line[n] = -z
        line[start : start + len(d)] = d
        inequalities.append(line)
        right.append(-1)
    free = [(None, None)] * (n + 1) + [(0, None)] * (width - n - 1)
    return linprog(numpy.zeros(width), A_ub=numpy.array(inequalities), b_ub=right, A_eq=numpy.array(equalities), b_eq=numpy.zeros(len(equalities)), bounds=free).status == 0


def test_conflicts_and_hyperplanes_against_another_solver(tmp_path):
    shown, bounds, checked = lp_sets(LINEAGE, tmp_path)
    found = {(c["class"], c["a"], c["b"]) for c in checked["conflicts"]}
    expected = {(a["class"], a["rule"], b["rule"]) for a, b in itertools.combinations(shown["sets"], 2) if a["class"] == b["class"] and a["z"] != b["z"] and meet(a, b, bounds)}
    assert found == expected == {("west", "p2", "n3")}
    for name in ("east", "west", "north"):
        of_class = [s for s in shown["sets"] if s["class"] == name]
        entry = next(s for s in checked["satisfiable"] if s["class"] == name)
        assert entry["yes"] == separable(of_class, bounds)
        if not entry["yes"]:  # an irreducible core
            core = [s for s in of_class if s["rule"] in entry["core"]]
            assert not separable(core, bounds)
            for left_out in core:
                assert separable([s for s in core if s is not left_out], bounds)
    strict = run("rules", "check", tmp_path / "lp.rules", "--strict")
    assert strict.returncode == 1 and "1 pair of rules contradict" in strict.stderr and "p2 and n3 meet" in strict.stdout


@pytest.mark.parametrize("seed", range(8))
def test_random_boxes_against_another_solver(seed, tmp_path):
    random = numpy.random.default_rng(seed)
    lines = ["domain x_1..x_3 in [-4, 4]"]
    for i in range(7):
        parts = []
        for j in random.choice(3, size=2, replace=False) + 1:
            low = random.uniform(-4, 3)
            parts.append(f"x_{j} between {low:.3f} and {low + random.uniform(0.2, 2):.3f}")
        if random.random() < 0.5:
            parts[0] = f"{random.normal():.3f}*x_1 + {random.normal():.3f}*x_2 - x_3 <= {random.normal() + 4:.3f}"
        lines.append(f"r{i}: {' and '.join(parts)} => {random.choice(['+1', '-1'])}")
    shown, bounds, checked = lp_sets("\n".join(lines) + "\n", tmp_path)
    found = {(c["a"], c["b"]) for c in checked["conflicts"]}
    assert found == {(a["rule"], b["rule"]) for a, b in itertools.combinations(shown["sets"], 2) if a["z"] != b["z"] and meet(a, b, bounds)}
    assert checked["satisfiable"][0]["yes"] == separable(shown["sets"], bounds)
    for conflict in checked["conflicts"]:
        point = numpy.array([conflict["witness"].get(name, 0) for name in shown["features"]])
        for s in shown["sets"]:
            if s["rule"] in (conflict["a"], conflict["b"]):
                assert (numpy.array(s["D"]) @ point <= numpy.array(s["d"]) + 1e-7).all()


def test_fmt(rules, tmp_path):
    text = run("rules", "fmt", rules("x:bmi>=30 AND glucose<2=>yes#why\n"), check=True).stdout
    assert text == "x: bmi >= 30 and glucose < 2 => yes  # why\n"
    assert run("rules", "fmt", "-", stdin=text, check=True).stdout == text
    run("rules", "fmt", rules(SIMPLE), "-o", tmp_path / "out.rules", check=True)
    assert "risk: bmi >= 30 and glucose >= 126 => diabetes\n" in (tmp_path / "out.rules").read_text()


def test_columns_without_names(rules, write):
    data = write("d.svm", "+1 1:1 2:0.5 3:2\n-1 2:1 4:1\n+1 1:1 3:5\n")
    shown = run_json("rules", "show", rules("f1 and not absent(f1, f4) and f3 > 2 and f2 > 0.2 => +1\n"), "--data", data)
    assert shown["sets"][0]["d"] == [-1, -1, -3, -0.2]
    assert shown["domain"] == {"lo": [0, None, None, 0], "hi": [1, None, None, 1]}


def test_classes_without_data(rules):
    done = run("rules", "check", rules("a >= 3 => yes\na >= 3 => maybe\n"), "--classes", "yes,no")
    assert done.returncode == 1 and "unknown class 'maybe'; known: no, yes" in done.stderr
    shown = run_json("rules", "show", rules("a >= 3 => +1\na <= 5 => no\n"), "--classes", "yes,no", "--positive", "yes")
    assert [(s["class"], s["z"]) for s in shown["sets"]] == [("yes", 1), ("yes", -1)]


def test_promises_that_the_data_break(rules, patients):
    problems = run_json("rules", "check", rules("domain glucose in [0, 100]\nglucose > 3 => 1\n"), "--data", patients)["problems"]
    assert "column 'glucose' shows 90 to 130, outside its domain from 0 to 100" in problems


def test_mistakes_are_told_with_their_place(rules, patients, tmp_path):
    done = run("rules", "check", rules("risk: bmj >= 30 => 1\nbad: glucose > > 3 => 1\n"), "--data", patients)
    assert done.returncode == 1 and done.stdout == ""
    assert f"{tmp_path}/t.rules:2:16: found '>', expected a number, a column or a condition" in done.stderr
    assert "t.rules:1:7: unknown column 'bmj'" in done.stderr  # both kinds of mistake in one run
    done = run("rules", "check", rules("risk: bmj >= 30 => 1\nodd: glucose > 3 => 2\n"), "--data", patients)
    assert "t.rules:1:7: unknown column 'bmj'; did you mean 'bmi'?" in done.stderr
    assert "t.rules:2:21: unknown class '2'; known: 0, 1" in done.stderr
    assert run("rules", "check", tmp_path / "none").returncode == 1
    assert run("rules").returncode == 2


def test_certificates(rules, write, tmp_path):
    random = numpy.random.default_rng(0)
    rows = [f"{a!r},{b!r},{int(a > 0.2)}" for a, b in random.normal(size=(300, 2)).tolist()]
    data, model = write("d.csv", "a,b,label\n" + "\n".join(rows) + "\n"), tmp_path / "m"
    run("train", data, "--quiet", "--model", model, check=True)
    text = "domain a, b in [-3, 3]\nyes: a >= 2 => 1\nno: a <= -2 => not 1\nwrong: a <= 0 and b >= 0 => 1\n"
    explained = run_json("explain", model, "--certify", rules(text))
    found = {entry["rule"]: entry for entry in explained["certificates"]}
    assert found["yes"]["obeyed"] and found["no"]["obeyed"] and not found["wrong"]["obeyed"]
    w, b = numpy.array(explained["raw_weights"]), explained["raw_bias"]
    point = numpy.array([found["wrong"]["counterexample"][name] for name in explained["features"]])
    assert point[0] <= 1e-9 and point[1] >= -1e-9 and (abs(point) <= 3 + 1e-9).all() and w @ point + b < 0
    corners = [w @ numpy.array(corner) + b for corner in itertools.product([2, 3], [-3, 3])]
    assert found["yes"]["certificate"]["proven"] == pytest.approx(min(corners))
    assert "obeyed everywhere" in run("explain", model, "--certify", rules(text), check=True).stdout


def test_promoters_have_64_conjunctions(data, tmp_path):
    theory = (data.parent / "rules" / "promoters.rules") if (data.parent / "rules").is_dir() else None
    if theory is None:
        pytest.skip("the promoter theory is not beside the data")
    assert len(run_json("rules", "show", theory, "--sparse")["sets"]) == 64
    checked = run_json("rules", "check", theory)
    assert checked["rules"][0]["sets"] == 64 and checked["rules"][0]["empty"] == 12


@pytest.mark.parametrize(("name", "pairs"), [("tuberculosis", 0), ("tuberculosis_as_published", 11)])
def test_published_rules(name, pairs, data):
    path = data.parent / "rules" / f"{name}.rules"
    if not path.exists():
        pytest.skip("the papers' rules are not beside the data")
    checked = run_json("rules", "check", path)
    assert len(checked["conflicts"]) == pairs and len(checked["rules"]) == 29
    assert all(entry["yes"] for entry in checked["satisfiable"]) == (pairs == 0)
    text = run("rules", "fmt", path, check=True).stdout
    assert run("rules", "fmt", "-", stdin=text, check=True).stdout == text
    assert json.loads(run("rules", "check", "-", "--json", stdin=text, check=True).stdout)["conflicts"] == checked["conflicts"]


def test_rows_without_a_label(write, tmp_path):
    """The last column must not be taken for the label, nor may the remedy turn a rule about it around."""
    data = write("u.csv", "glucose,bmi,age\n150,33,50\n90,22,30\n160,35,60\n80,21,20\n")
    path = write("r.rules", "sick: glucose >= 150 => diabetes\nold: age >= 60 => diabetes\n")
    done = run("rules", "check", path, "--data", data)
    assert done.returncode == 1 and "the last column, 'age', is taken for the label" in done.stderr and "--no-labels says that there is none" in done.stderr
    assert "class diabetes = VALUE, with one of them for VALUE" in done.stderr and "class diabetes = 60" not in done.stderr
    report = run_json("rules", "check", path, "--data", data, "--no-labels")
    assert [rule["covered"] for rule in report["rules"]] == [2, 1]
    assert report["together"]["decided"] == 2 and report["rows"] == 4
    run("rules", "check", path, "--data", data, "--no-labels", check=True)
    run("rules", "show", path, "--data", data, "--no-labels", check=True)
    assert not run_json("rules", "lint", path, "--data", data, "--no-labels")["problems"]
    assert "contradict each other" in run("rules", "check", path, "--data", data, "--no-labels", "--label", "age").stderr
    labelled = write("l.csv", "glucose,bmi,age,outcome\n150,33,50,well\n90,22,30,ill\n")
    assert "taken for the label" not in run("rules", "check", write("k.rules", "glucose >= 150 => ill\n"), "--data", labelled, check=True).stderr
    bare = write("b.svm", "1 1:3\n0 1:4\n")
    assert run_json("rules", "check", write("b.rules", "f1 >= 4 => 1\n"), "--data", bare, "--no-labels")["rules"][0]["covered"] == 1


def test_a_class_written_as_a_comparison(rules, write):
    data = write("p.csv", "bmi,outcome\n33,diabetes\n22,healthy\n35,diabetes\n")
    for text, word in (("outcome = diabetes", "diabetes"), ('outcome = "very ill"', '"very ill"'), ("outcome >= 3", "CLASS")):
        path = rules(f"\nbmi > 30 => {text}\n")
        for command in (("train", data, "--advice", path), ("rules", "check", path, "--data", data), ("cv", data, "--advice", path)):
            done = run(*command)
            assert done.returncode == 1
            assert f"{path}:2:13: the rule says a number of 'outcome', which holds 'diabetes' ({data}:2); to name a class, write => {word}\n  bmi > 30 => {text}\n" in done.stderr
