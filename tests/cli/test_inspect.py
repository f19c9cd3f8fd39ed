"""Files as people have them: what `inspect` says of them, what `train` makes of them."""

import gzip
import random

import pandas as pd
import pytest
from conftest import run, run_json


def remarks(path, *options):
    return [(remark["column"], remark["text"]) for remark in run_json("inspect", path, *options)["remarks"]]


def messy(rows=200):
    draw = random.Random(1)
    lines = ["Patient ID;name;height;weight;smoker;dose;cost;visit;rate;constant;outcome"]
    for i in range(rows):
        cells = [1000 + 7 * i, f"Person {i}", f"{draw.uniform(1.5, 2):.2f}".replace(".", ","), draw.choice(["70", "80,5", "N/A", "-"]), draw.choice(["Yes", "yes", "no"])]
        cells += [f"{draw.randint(1, 9)} mg", f"${draw.randint(10, 99)}", f"{draw.randint(1, 28)}/{draw.randint(1, 3)}/2024", f"{draw.randint(0, 99)},5%", "x", "ill" if i % 40 == 0 else "well"]
        lines.append(";".join(map(str, cells)))
    return "\n".join(lines) + "\n"


def test_a_messy_file(write, tmp_path):
    path = write("mess.csv", messy())
    found = run_json("inspect", path)
    assert (found["delimiter"], found["header"], found["decimal"], found["rows"], found["complete"]) == (";", True, "comma", 200, True)
    columns = {column["name"]: column for column in found["columns"]}
    assert {name: column["role"] for name, column in columns.items() if column["role"] != "feature"} == {"Patient ID": "left out", "name": "left out", "outcome": "label"}
    assert [columns[name]["kind"] for name in ("height", "weight", "smoker", "cost", "rate")] == ["number", "number", "categorical", "integer", "percent"]
    theirs = pd.read_csv(path, sep=";", decimal=",", na_values=["-"])
    assert columns["weight"]["missing"] == theirs["weight"].isna().sum()
    assert columns["weight"]["mean"] == pytest.approx(theirs["weight"].mean())
    assert columns["height"]["low"] == theirs["height"].min()
    assert columns["smoker"]["values"][0] == {"value": theirs["smoker"].value_counts().index[0], "rows": theirs["smoker"].value_counts().iloc[0]}
    assert found["label"] == {"name": "outcome", "by_name": False, "numeric": False, "classes": [{"value": "well", "rows": 195}, {"value": "ill", "rows": 5}]}
    said = " | ".join(f"{column}: {text}" for column, text in remarks(path))
    for expected in (
        "outcome: only 2.5 % of the labels are 'ill'; --decide balanced",
        "Patient ID: left out, since every row has another number",
        "name: left out, since 200 different texts stand in 200 rows; --kind name=categorical keeps it",
        "weight: '-' and 'N/A' count as missing",
        "smoker: 'yes' and 'Yes' are two categories",
        "dose: numbers with the unit 'mg' are read as 9 categories",
        "visit: dates in this form are read as",
        "constant: the same in every row, 'x'",
        "None: numbers are read with decimal commas; --decimal point undoes that",
    ):
        assert expected in said
    assert "cost: '$" in said
    text = run("inspect", path, check=True).stdout
    assert "The label is the last column, 'outcome'; --label names another." in text
    trained = run("train", path, "--model", tmp_path / "m", check=True)
    assert "postil: column 'name': left out, since" in trained.stderr
    names = [column["name"] for column in run_json("explain", tmp_path / "m")["columns"]]
    assert names == ["height", "weight", "smoker", "dose", "cost", "visit", "rate", "constant"]
    assert "left out" not in run("train", path, "--quiet", "--model", tmp_path / "m", check=True).stderr
    without = write("new.csv", "\n".join(";".join(line.split(";")[2:-1]) for line in messy().splitlines()) + "\n")
    assert run("predict", tmp_path / "m", without, check=True).stdout == run("predict", tmp_path / "m", path, check=True).stdout


def test_remedies_work(write, tmp_path):
    path = write("mess.csv", messy())
    run("train", path, "--kind", "name=categorical", "--kind", "Patient ID=integer", "--model", tmp_path / "m", check=True)
    assert [column["name"] for column in run_json("explain", tmp_path / "m")["columns"]][:2] == ["Patient ID", "name"]
    rules = write("r.rules", "`Patient ID` >= 2000 => ill\n")  # rules keep what they are about
    run("train", path, "--advice", rules, "--model", tmp_path / "m", check=True)
    assert [column["name"] for column in run_json("explain", tmp_path / "m")["columns"]][0] == "Patient ID"
    mixed = write("mixed.csv", "a,b,label\n" + "".join(f"{'unknown' if i % 5 == 0 else i % 17},{i % 3},{'xy'[i % 2]}\n" for i in range(60)))
    assert [text for column, text in remarks(mixed)] == ["48 numbers and 12 texts, such as 'unknown' (line 2); --na a=unknown makes it missing, --kind a=categorical reads all as text"]
    for remedy in (("--na", "a=unknown"), ("--kind", "a=categorical")):
        run("train", mixed, *remedy, "--model", tmp_path / "m", check=True)
    ambiguous = write("a.csv", "a;label\n1,234;x\n2;y\n3;x\n")
    refused = run("train", ambiguous, "--model", tmp_path / "m")
    assert refused.returncode == 1 and "a.csv:2:1: column 'a': found '1,234', expected a number with a decimal point; --decimal comma reads the file with decimal commas" in refused.stderr
    assert run_json("inspect", ambiguous, "--decimal", "comma")["columns"][0]["low"] == 1.234
    assert run("train", ambiguous, "--decimal", "komma", "--model", tmp_path / "m").returncode == 2


def test_labels(write, tmp_path):
    numbers = write("n.csv", "x,price\n" + "".join(f"{i % 7},{100 + i * 1.5}\n" for i in range(100)))
    assert remarks(numbers) == [("price", "the label has 100 different numbers; --task regression predicts numbers instead of classes")]
    assert remarks(numbers, "--label", "x") == []
    signs = write("s.csv", "class,a\n" + "".join(f"{'+-'[i % 2]},{i % 5}\n" for i in range(40)))  # - is a class here
    assert run_json("inspect", signs)["label"]["classes"] == [{"value": "+", "rows": 20}, {"value": "-", "rows": 20}]
    spelt = write("t.csv", "a,label\n" + "".join(f"{i % 5},{('Yes', 'yes', 'No')[i % 3]}\n" for i in range(40)))
    assert remarks(spelt) == [("label", "'Yes' and 'yes' are two classes")]
    assert remarks(write("o.csv", "a,label\n" + "".join(f"{i % 5},x\n" for i in range(40)))) == [("label", "all labels are 'x'")]
    names = write("l.csv", "a,who\n" + "".join(f"{i % 5},person {i}\n" for i in range(40)))
    assert remarks(names)[0] == ("who", "nearly every row has a label of its own (40 labels); --label names another column")


def test_files_without_names_and_of_other_forms(write, tmp_path):
    bare = write("b.csv", "0,1,2\n" + "".join(f"{i % 3},{i % 5},{i % 2}\n" for i in range(30)))
    assert remarks(bare) == [(None, "the first line is read as a row, not as names of columns; --header yes reads it as names")]
    assert [column["name"] for column in run_json("inspect", bare, "--header", "yes")["columns"]] == ["0", "1", "2"]
    sparse = write("s.svm", "1 3:1 7:2\n-1 2:1\n" * 50)
    found = run_json("inspect", sparse)
    assert (found["format"], found["rows"], found["features"]) == ("libsvm", 100, 7)
    assert "features up to number 7, 1.5 values in a row" in run("inspect", sparse, check=True).stdout
    packed = write("p.csv.gz", gzip.compress(messy().encode()))
    assert run_json("inspect", packed)["rows"] == 200
    assert run_json("inspect", "-", stdin=messy())["columns"] == run_json("inspect", packed)["columns"]
    first = run_json("inspect", packed, "--rows", "50")
    assert (first["rows"], first["complete"]) == (50, False)
    for wrong, message in (("a,b\n1,2\n1,2,3\n", "w.csv:3: found 3 cells, expected 2"), ('a,b\n1,"2\n', "w.csv:2:3: a quoted cell begins here and is never closed"), ("", "the file is empty"), ("a,b\n", "there are no rows")):
        done = run("inspect", write("w.csv", wrong))
        assert done.returncode == 1 and message in done.stderr, done.stderr


@pytest.mark.parametrize("verb", [["cv", "--folds", "2"], ["curve", "--learner", "arow", "--runs", "2", "--train", "50"], ["tune", "--learner", "pa", "--grid", "C=0.1,1", "--folds", "2"]])
def test_comparisons_leave_the_same_columns_out(verb, write):
    path = write("mess.csv", messy())
    done = run(verb[0], path, *verb[1:], check=True)
    assert "column 'Patient ID': left out" in done.stderr
    ignored = run(verb[0], path, "--ignore", "Patient ID", "--ignore", "name", *verb[1:], check=True)
    assert done.stdout == ignored.stdout


def test_numbers_as_pandas_reads_them(write, tmp_path):
    draw = random.Random(4)
    rows = [[draw.choice([f"{draw.uniform(-5000, 5000):,.2f}", f"{draw.randint(-9, 9)}", "NULL", "n/a", "nan", ""]) for _ in range(5)] for _ in range(400)]
    german = "\n".join(";".join(cell.translate(str.maketrans(",.", ".,")) for cell in row) + ";" + "ab"[k % 2] for k, row in enumerate(rows))
    path = write("g.csv", "a;b;c;d;e;label\n" + german + "\n")
    theirs = pd.read_csv(path, sep=";", decimal=",", thousands=".")
    for column in run_json("inspect", path)["columns"][:-1]:
        series = theirs[column["name"]]
        assert column["missing"] == series.isna().sum()
        assert [column["low"], column["high"], column["mean"]] == pytest.approx([series.min(), series.max(), series.mean()])
    run("train", path, "--scale", "none", "--model", tmp_path / "m", check=True)  # and so does who learns from them
    assert [column["missing"] for column in run_json("explain", tmp_path / "m")["columns"]] == ["mean"] * 5
    rules = write("r.rules", "a > 1234.5 => a\nb is missing => b\n")
    checked = run_json("rules", "check", rules, "--data", path)["rules"]
    assert [rule["covered"] for rule in checked] == [(theirs["a"] > 1234.5).sum(), theirs["b"].isna().sum()]


def table(write, name, header, row, rows=40):
    return write(name, header + "\n" + "".join(row(i) + "\n" for i in range(rows)))


def test_it_says_what_training_says(write, tmp_path):
    """What inspect calls missing, mixed or not finite is that for who learns."""
    zeros = table(write, "z.csv", "bmi,b,label", lambda i: f"{i % 4 * 10}.0,{i % 3},{i % 2}")
    assert run_json("inspect", zeros, "--na", "bmi=0")["columns"][0]["missing"] == 10  # 0 and 0.0 are the same number
    run("train", zeros, "--na", "bmi=0", "--model", tmp_path / "m", check=True)
    labels = table(write, "y.csv", "a,label", lambda i: f"{i % 5},{('1', '2', '9.0')[i % 3]}")
    assert {entry["value"] for entry in run_json("inspect", labels, "--na", "label=9")["label"]["classes"]} == {"1", "2"}
    for name, row, said in (
        ("percent", lambda i: f"{i}%" if i % 2 == 0 else f"{i}", "20 numbers, such as '1' (line 3) and 20 percentages, such as '0%' (line 2); --kind x=categorical reads all as text"),
        ("dates", lambda i: "2024-03-01" if i == 1 else "31/12/2024", "1 date, such as '2024-03-01' (line 3) and 39 texts, such as '31/12/2024' (line 2); write them as 2024-03-01 to read them as dates, --kind x=categorical reads all as text"),
        ("days", lambda i: "7" if i == 1 else "2024-03-01", "1 number, such as '7' (line 3) and 39 dates, such as '2024-03-01' (line 2); --kind x=categorical reads all as text"),
        ("one", lambda i: ("5", "x", "", "")[min(i, 3)], "1 number and 1 text, such as 'x' (line 3); --na x=x makes it missing, --kind x=categorical reads all as text"),
        ("inf", lambda i: ("inf", "1e400", "5", "6")[i % 4], "20 values that are not finite, such as 'inf' (line 2), which are refused; --na x=1e400 and --na x=inf make them missing"),
    ):
        path = table(write, f"{name}.csv", "x,b,label", lambda i, row=row: f"{row(i)},{i % 3},{i % 2}")
        assert remarks(path) == [("x", said)]
        assert run("train", path).returncode == 1
        remedy = ("--na", "x=inf", "--na", "x=1e400") if name == "inf" else ("--kind", "x=categorical")
        run("train", path, *remedy, "--model", tmp_path / "m", check=True)
        assert not [text for column, text in remarks(path, *remedy) if "refused" in text or "texts" in text]
    refused = run("train", write("i.csv", "x,label\n1,a\ninf,b\n2,a\n")).stderr
    assert "i.csv:3:1: column 'x': found 'inf', expected a finite number; --na x=inf makes it missing" in refused


def test_categories_that_look_like_numbers(write):
    ages = table(write, "a.csv", "age,b,label", lambda i: f"{20 + i % 3},{i % 4},{i % 2}")
    column = run_json("inspect", ages, "--kind", "age=categorical")["columns"][0]
    assert column["kind"] == "categorical" and column["values"] == [{"value": "20", "rows": 14}, {"value": "21", "rows": 13}, {"value": "22", "rows": 13}]
    codes = write("z.jsonl", "".join(f'{{"zip": "{10000 + i % 2}", "b": {i % 3}, "label": {i % 2}}}\n' for i in range(40)))
    assert run_json("inspect", codes)["columns"][0]["values"] == [{"value": "10000", "rows": 20}, {"value": "10001", "rows": 20}]
    words = table(write, "w.csv", "x,b,label", lambda i: f"{('-', 'N/A', 'red', 'blue')[i % 4]},{i % 3},{i % 2}")
    assert remarks(words) == [("x", "'-' and 'N/A' are categories like any other (20 rows); --na x=- and --na x=N/A make them missing")]


def test_thousands_and_times(write):
    path = table(write, "t.csv", "price;height;a;b;c;d;label", lambda i: f"{40 + i % 7},{200 + i % 9};1,{i % 5};{i % 3} {100 + i % 3};{1 + i % 3}'000;{10 + i % 3}:30;{i % 4}\u202f000;{i % 2}")
    said = dict(remarks(path))
    assert said["price"] == "all numbers with a comma have three digits behind it; '40,200' is read as 40.2, and if the comma separates thousands, remove it"
    assert said["a"] == said["d"].replace("4 categories", "3 categories") == "numbers with spaces are read as 3 categories; remove the spaces to read them as numbers"
    assert said["b"] == "numbers with apostrophes are read as 3 categories; remove the apostrophes to read them as numbers"
    assert said["c"] == "times of day are read as 3 categories; write the time as a number, 12.5 for 12:30, to read them as numbers"
    assert "height" not in said
    fractions = table(write, "f.csv", "x;y;label", lambda i: f"0,{200 + i % 9};1,{i % 5};{i % 2}")
    assert [column for column, _ in remarks(fractions)] == [None]
