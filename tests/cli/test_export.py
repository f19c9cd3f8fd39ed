"""Models as ONNX and SQL: other engines predict the same."""

import csv
import gzip
import json
import re
import sqlite3

import duckdb
import numpy as np
import onnx
import onnxruntime
import pytest

from conftest import run, run_json

MISSING = {"", "?", "NA", "nan"}


def read(path, label):
    """Rows as dicts of texts, None where missing, without the label."""
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rt", newline="") as file:
        return [{name: None if cell in MISSING else cell for name, cell in row.items() if name != label} for row in csv.DictReader(file)]


def predicted(model, path):
    done = run_json("predict", model, path, "--scores")
    scores = np.array(done["scores"], float)
    return done["labels"], scores.reshape(len(scores), -1), np.array(done["probabilities"])


def run_onnx(path, rows):
    """The outputs by name; and the session."""
    onnx.checker.check_model(onnx.load(path), full_check=True)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    columns = json.loads(session.get_modelmeta().custom_metadata_map["columns"])
    if [entry.name for entry in session.get_inputs()] == ["columns"] and session.get_inputs()[0].shape[1] == len(columns):
        given = {"columns": np.array([[float(row[column["name"]] or "nan") for column in columns] for row in rows])}
    else:
        given = {}
        for entry in session.get_inputs():
            cells = [row[entry.name] for row in rows]
            if entry.type == "tensor(string)":
                given[entry.name] = np.array([[cell or ""] for cell in cells], dtype=object)
            else:
                given[entry.name] = np.array([[float(cell or "nan")] for cell in cells])
    return dict(zip([entry.name for entry in session.get_outputs()], session.run(None, given), strict=True))


def check_onnx(model, path, rows, tmp_path):
    out = tmp_path / "model.onnx"
    run("convert", model, out, check=True)
    got = run_onnx(out, rows)
    labels, scores, probabilities = predicted(model, path)
    assert [str(label) for label in got["label"]] == [str(label) for label in labels]
    np.testing.assert_allclose(got["scores"], scores, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(got["probabilities"], probabilities, rtol=1e-6, atol=1e-12)


def engines(rows, numbers):
    """The rows as the table `data` of duckdb and of SQLite; numbers: the columns that hold numbers."""
    names = list(rows[0])
    cells = [tuple(None if row[name] is None else float(row[name]) if name in numbers else row[name] for name in names) for row in rows]
    typed = ", ".join(f'"{name}" {"DOUBLE" if name in numbers else "VARCHAR"}' for name in names)
    lite, duck = sqlite3.connect(":memory:"), duckdb.connect()
    lite.execute(f"CREATE TABLE data (row_number INTEGER, {typed})")
    lite.executemany(f"INSERT INTO data VALUES (?{', ?' * len(names)})", [(k, *row) for k, row in enumerate(cells)])
    duck.execute(f"CREATE TABLE data (row_number INTEGER, {typed})")
    table = {"row_number": np.arange(len(rows))}
    import pandas

    frame = pandas.DataFrame({**table, **{name: [row[k] for row in cells] for k, name in enumerate(names)}})
    duck.execute("INSERT INTO data SELECT * FROM frame")
    return {"sqlite": lite, "duckdb": duck}


def check_sql(model, path, rows, tmp_path):
    out = tmp_path / "model.sql"
    run("convert", model, out, check=True)
    labels, scores, probabilities = predicted(model, path)
    told = run_json("explain", model)
    numbers = {column["name"] for column in told["columns"] if column["kind"] != "categorical"}
    for name, engine in engines(rows, numbers).items():
        query = engine.execute(out.read_text())
        heads = [entry[0] for entry in query.description]
        got = sorted(query.fetchall(), key=lambda row: row[heads.index("row_number")])
        column = lambda head: [row[heads.index(head)] for row in got]  # noqa: E731, B023
        assert column("prediction") == [str(label) for label in labels], name
        wanted = [head for head in heads if head == "score" or head.startswith("score ")]
        np.testing.assert_allclose(np.array([column(head) for head in wanted]).T, scores, rtol=1e-8, atol=1e-9, err_msg=name)
        if scores.shape[1] == 1:
            np.testing.assert_allclose(column("probability"), probabilities[:, told["classes"].index(told["positive"])], rtol=1e-6, atol=1e-12, err_msg=name)


REAL = {  # file: its label, further options
    "pima/pima.csv.gz": ("label", []),
    "uci/heart_statlog.csv.gz": ("label", []),
    "uci/breast_cancer_ljubljana.csv.gz": ("label", []),
    "uci/new_thyroid.csv.gz": ("label", []),
    "uci/wisconsin.csv.gz": ("label", []),
    "ida/titanic.csv.gz": ("label", []),
    "adult/adult_test.csv.gz": ("label", []),
    "mushroom/mushroom.csv.gz": ("label", []),
}


def label_of(path):
    with gzip.open(path, "rt") as file:
        head = next(csv.reader(file))
    return next(name for name in head if name.lower() in ("label", "class", "target", "junction"))


@pytest.mark.parametrize("learner", ["advised", "arow", "sgd"])
@pytest.mark.parametrize("name", REAL)
def test_real_data(name, learner, data, tmp_path):
    path = data / name
    model = tmp_path / "m"
    run("train", path, "--label", label_of(path), "--learner", learner, "--missing", "indicator", "--quiet", "--model", model, check=True)
    rows = read(path, label_of(path))
    check_onnx(model, path, rows, tmp_path)
    check_sql(model, path, rows, tmp_path)


# Rules on columns of every sort, missing values, and a class that few rules name.
RULES = """
domain age in [0, 120]
old [sure = 80%]: age >= 60 and not sex = female => yes
thin: bmi < 20.5 or missing(bmi) => no
some: at least 2 of (age > 40, bmi >= 30, sex in {male, other}, height <= 170) => yes
sum: 2 * age + bmi - height > 0 => yes
word: sex != male and known(sex) => no
gap: missing(sex) => no
"""


@pytest.fixture
def patients(tmp_path):
    """Rows with numbers, categories and gaps, some of which look like a class or a quote."""
    random = np.random.default_rng(7)
    lines = ["age,bmi,sex,height,odd name,outcome"]
    for _ in range(400):
        age, bmi, height = random.integers(18, 90), round(random.normal(27, 5), 1), random.integers(150, 200)
        sex = random.choice(["male", "female", "other", "it's", ""])
        word = random.choice(['"a ""b"""', "c", "?", "semi;colon"])
        yes = age + 2 * bmi - 0.3 * height + (10 if sex == "male" else 0) + random.normal(0, 8) > 55
        lines.append(f"{age if random.random() > 0.1 else ''},{bmi if random.random() > 0.2 else 'NA'},{sex},{height},{word},{'yes' if yes else 'no'}")
    path = tmp_path / "patients.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def strangers(patients, tmp_path):
    """Other rows: more gaps, and categories that training never saw."""
    path = tmp_path / "strangers.csv"
    text = patients.read_text().replace(",male,", ",unheard of,").replace(",c,", ",NA,")
    path.write_text(text)
    return path


def check_both(model, path, tmp_path, label="outcome", sql=True):
    rows = read(path, label)
    check_onnx(model, path, rows, tmp_path)
    if sql:
        check_sql(model, path, rows, tmp_path)


@pytest.mark.parametrize("missing", ["mean", "zero", "indicator"])
@pytest.mark.parametrize("options", [["--learner", "advised"], ["--learner", "advised", "--set", "drift=auto"], ["--learner", "rules"], ["--learner", "arow", "--set", "start=advice"], ["--learner", "wager"]], ids=lambda o: o[1] + o[-1])
def test_rules(options, missing, patients, strangers, tmp_path):
    (tmp_path / "r.rules").write_text(RULES)
    model = tmp_path / "m"
    run("train", patients, "--label", "outcome", *options, "--advice", tmp_path / "r.rules", "--missing", missing, "--quiet", "--model", model, check=True)
    check_both(model, patients, tmp_path)
    check_both(model, strangers, tmp_path)


@pytest.mark.parametrize("options", [[], ["--scale", "none"], ["--scale", "minmax"], ["--learner", "sgd", "--set", "loss=hinge"], ["--na", "age=40", "--na", "age=41", "--na", "bmi=27"], ["--pca", "3"]], ids=str)
def test_categories_and_gaps(options, patients, strangers, tmp_path):
    model = tmp_path / "m"
    run("train", patients, "--label", "outcome", "--passes", 2, *options, "--quiet", "--model", model, check=True)
    check_both(model, patients, tmp_path)
    check_both(model, strangers, tmp_path)


@pytest.mark.parametrize("learner", ["advised", "arow", "sgd"])
def test_many_classes(learner, data, tmp_path):
    model = tmp_path / "m"
    path = data / "uci/satimage_train.csv.gz"
    run("train", path, "--label", label_of(path), "--learner", learner, "--quiet", "--model", model, check=True)
    check_both(model, path, tmp_path, label_of(path))


def test_rules_of_many_classes(data, tmp_path):
    model, path = tmp_path / "m", data / "splice/splice.csv.gz"
    for learner in ("advised", "rules"):
        run("train", path, "--label", label_of(path), "--learner", learner, "--advice", data.parent / "rules/splice.rules", "--quiet", "--model", model, check=True)
        check_both(model, path, tmp_path, label_of(path))


@pytest.mark.parametrize("options", [["kernel=linear"], ["kernel=rbf"], ["kernel=polynomial", "degree=2", "coef0=1"], ["kernel=rbf", "multiclass=ovo"]], ids=str)
def test_kernel_machines(options, data, tmp_path):
    model, path = tmp_path / "m", data / "uci/new_thyroid.csv.gz"
    settings = [word for option in options for word in ("--set", option)]
    run("train", path, "--learner", "svm", *settings, "--quiet", "--model", model, check=True)
    check_both(model, path, tmp_path, "class", sql=False)
    done = run("convert", model, tmp_path / "m.sql")
    if options != ["kernel=linear"]:
        assert done.returncode == 1 and "ONNX can hold" in done.stderr and not (tmp_path / "m.sql").exists()


def test_numbers_are_predicted(patients, tmp_path):
    model = tmp_path / "m"
    run("train", patients, "--label", "bmi", "--task", "regression", "--quiet", "--model", model, check=True)
    rows = [{name: cell for name, cell in row.items() if name != "bmi"} for row in read(patients, "bmi")]
    wanted = np.array(run_json("predict", model, patients, "--scores")["labels"], float)
    run("convert", model, tmp_path / "m.onnx", check=True)
    np.testing.assert_allclose(run_onnx(tmp_path / "m.onnx", rows)["prediction"].ravel(), wanted, rtol=1e-9)
    run("convert", model, tmp_path / "m.sql", "--table", "data", check=True)
    for name, engine in engines(rows, {"age", "height"}).items():
        query = engine.execute((tmp_path / "m.sql").read_text())
        heads = [entry[0] for entry in query.description]
        got = sorted(query.fetchall(), key=lambda row: row[heads.index("row_number")])
        np.testing.assert_allclose([row[heads.index("prediction")] for row in got], wanted, rtol=1e-9, err_msg=name)


def test_sparse_rows(data, tmp_path):
    model, path = tmp_path / "m", data / "libsvm/a1a.gz"
    run("train", path, "--quiet", "--model", model, check=True)
    with gzip.open(path, "rt") as file:
        pairs = [dict(cell.split(":") for cell in line.split()[1:]) for line in file]
    width = len(run_json("explain", model)["weights"])
    rows = [{f"f{k}": row.get(str(k), "0") for k in range(1, width + 1)} for row in pairs]
    check_onnx(model, path, rows, tmp_path)
    run("convert", model, tmp_path / "m.sql", check=True)
    for engine in engines(rows, set(rows[0])).values():
        query = engine.execute((tmp_path / "m.sql").read_text())
        heads = [entry[0] for entry in query.description]
        got = sorted(query.fetchall(), key=lambda row: row[heads.index("row_number")])
        assert [row[heads.index("prediction")] for row in got] == [str(label) for label in predicted(model, path)[0]]


def test_every_learner_is_written_exactly_or_refused(patients, tmp_path):
    (tmp_path / "r.rules").write_text("old: age >= 60 => yes\n")
    written = []
    for entry in run_json("learners"):
        model = tmp_path / entry["name"]
        advice = ["--advice", tmp_path / "r.rules"] if entry["advice"] else []
        run("train", patients, "--label", "outcome", "--learner", entry["name"], *advice, "--ignore", "odd name", "--quiet", "--model", model, check=True)
        rows = [{name: row[name] for name in ("age", "bmi", "sex", "height")} for row in read(patients, "outcome")]
        for form, check in {"onnx": check_onnx, "sql": check_sql}.items():
            done = run("convert", model, tmp_path / f"x.{form}")
            if done.returncode == 0:
                check(model, patients, rows, tmp_path)
                written.append((entry["name"], form))
                (tmp_path / f"x.{form}").unlink()
            else:
                assert done.returncode == 1 and " work" in done.stderr and not (tmp_path / f"x.{form}").exists(), (entry["name"], form)
    assert len(written) > 25, written


def test_what_sql_cannot_say(write, tmp_path):
    dated = write("d.csv", "when,x,label\n" + "".join(f"2024-03-{1 + k % 28:02},{k % 7},{'ab'[k % 2]}\n" for k in range(60)))
    run("train", dated, "--quiet", "--model", tmp_path / "m", check=True)
    done = run("convert", tmp_path / "m", tmp_path / "m.sql")
    assert done.returncode == 1 and "'when'" in done.stderr
    cased = write("c.csv", "x,X,label\n" + "".join(f"{k % 5},{k % 7},{'ab'[k % 2]}\n" for k in range(60)))
    run("train", cased, "--quiet", "--model", tmp_path / "m", check=True)
    done = run("convert", tmp_path / "m", tmp_path / "m.sql")
    assert done.returncode == 1 and "'X'" in done.stderr


def test_the_command_says_what_it_cannot_do(patients, tmp_path):
    run("train", patients, "--label", "outcome", "--quiet", "--model", tmp_path / "m", check=True)
    for arguments in (["--to", "pmml"], ["--to", "onnx", "--table", "t"]):
        done = run("convert", tmp_path / "m", tmp_path / "out", *arguments)
        assert done.returncode == 2 and not (tmp_path / "out").exists(), done.stderr
    run("convert", tmp_path / "m", tmp_path / "m.sql", "--table", "clinic.new patients", check=True)
    assert 'FROM "clinic"."new patients" AS d' in (tmp_path / "m.sql").read_text()
