"""JSON lines and ARFF, read as those read them who were there before, and files that are no text."""

import gzip
import json
import math
import pathlib
import subprocess
import sys
import zipfile

import pandas as pd
import postil
import pyarrow
import pyarrow.ipc
import pytest
from conftest import run, run_json
from postil.convert import lines


def table(path):
    """Rows as the engine reads them, one dict for each."""
    read = postil._postil.read_table(str(path), "label", False)
    columns = {name: column[0] if isinstance(column, tuple) else column for name, column in zip(read["names"], read["columns"])}
    texts = {name: column[1] for name, column in zip(read["names"], read["columns"]) if isinstance(column, tuple)}
    label = [read["classes"][int(code)] for code in read["labels"]]
    return [{name: None if math.isnan(values[i]) or (name in texts and values[i] < 0) else texts[name][int(values[i])] if name in texts else values[i] for name, values in columns.items()} | {"label": label[i]} for i in range(len(label))]


# ---- JSON lines ----


def test_json_lines_are_what_python_reads(write):
    objects = [{"n": i / 7, "t": ["a", 'b "c", d', "é\n"][i % 3], "u": {"v": -i, "w": {"x": None if i % 5 else "y"}}, "label": "ab"[i % 2]} for i in range(300)]
    path = write("rows.jsonl", "".join(json.dumps(row, ensure_ascii=i % 2 == 0) + "\n" for i, row in enumerate(objects)))
    for ours, row in zip(table(path), objects, strict=True):
        assert ours == {"n": row["n"], "t": row["t"].replace("\n", " "), "u.v": row["u"]["v"], "u.w.x": row["u"]["w"]["x"], "label": row["label"]}


def test_the_same_model_from_json_as_from_csv(data, tmp_path):
    frame = pd.read_csv(data / "pima/pima.csv.gz")
    frame.to_csv(tmp_path / "pima.csv", index=False)
    for name, path in {"plain": "pima.jsonl", "packed": "pima.jsonl.gz"}.items():
        frame.to_json(tmp_path / path, orient="records", lines=True, double_precision=15)
        label = frame.columns[-1]
        for file in ("pima.csv", path):
            run("train", tmp_path / file, "--label", label, "--quiet", "--model", tmp_path / f"{file}.model", check=True)
        assert (tmp_path / f"{path}.model").read_bytes() == (tmp_path / "pima.csv.model").read_bytes(), name
        answers = [run("predict", tmp_path / "pima.csv.model", tmp_path / file, "--scores", check=True).stdout for file in ("pima.csv", path)]
        assert answers[0] == answers[1]


def test_rows_from_a_pipe(write):
    first = '{"a": 1, "b": "x", "label": 0}\n{"a": 2, "b": "y", "label": 1}\n'
    model = write("m", "")
    run("train", "-", "--quiet", "--model", model, stdin=first * 10, check=True)
    assert run("predict", model, "-", stdin='{"b": "x", "a": 1}\n{"c": 3, "a": 2}\n', check=True).stdout.split()[0] == "label"
    late = run("train", "-", "--quiet", "--model", model, stdin=first * 10_000 + '{"a": 1, "late": 2, "label": 0}\n')
    assert late.returncode == 1 and "standard input:20001: the key 'late' appears here for the first time" in late.stderr and "--ignore late" in late.stderr
    run("train", "-", "--quiet", "--model", model, "--ignore", "late", stdin=first * 10_000 + '{"a": 1, "late": [2], "label": 0}\n', check=True)


def test_a_stream_of_objects(tmp_path):
    rows = "".join(json.dumps({"x": {"y": i % 7}, "label": "high" if i % 7 > 3 else "low"}) + "\n" for i in range(400))
    done = run("stream", "--model", tmp_path / "m", "--label", "label", stdin=rows + '{"x": {"y": 6}}\n{"x": {"y": 0}}\n', check=True)
    assert done.stdout.split()[-2:] == ["high", "low"]


@pytest.mark.parametrize(
    "text, message",
    [
        ('[{"a": 1, "label": 2},\n {"a": 2, "label": 1}]\n', "data:1: found a list, expected one JSON object on each line; python -m postil.convert reads lists of objects"),
        ('{"a": 1, "label": 2}\n{"a": 1, "label": }\n', "data:2: found text that is not valid JSON"),
        ('{"a": "x", "label": 2}\n{"a": 1, "label": 2}\n', "data:2: column 'a': found a number in a column of text; --kind a=categorical reads all its cells as text"),
    ],
)
def test_json_that_is_refused(write, tmp_path, text, message):
    write("data", text)
    done = run("train", "data", "--model", "m", cwd=tmp_path)
    assert done.returncode == 1 and message in done.stderr, done.stderr
    assert not (tmp_path / "m").exists()


# ---- ARFF ----


def openml_files():
    """Real files of OpenML that come with scikit-learn's tests."""
    import sklearn.datasets

    return sorted(pathlib.Path(sklearn.datasets.__file__).parent.glob("tests/data/openml/*/*.arff.gz"))


@pytest.mark.parametrize("path", openml_files(), ids=lambda path: path.parent.name)
def test_arff_files_of_openml(path, tmp_path):
    from sklearn.externals import _arff

    text = gzip.open(path, "rt", encoding="utf-8").read()
    theirs = _arff.loads(text, return_type=_arff.DENSE)
    names = [name for name, _ in theirs["attributes"]]
    inspected = run_json("inspect", path)
    if inspected["format"] != "arff":
        pytest.fail("not recognised")
    assert [column["name"] for column in inspected["columns"]] == names
    assert inspected["rows"] == len(theirs["data"])
    counts = [sum(row[j] is None for row in theirs["data"]) for j in range(len(names))]
    assert [column["missing"] for column in inspected["columns"]] == counts
    for column, (_, kind), values in zip(inspected["columns"], theirs["attributes"], zip(*theirs["data"])):
        known = [value for value in values if value is not None]
        if isinstance(kind, list):
            assert column["distinct"] == len(set(known)), column
        elif known and kind.lower() in ("numeric", "real", "integer"):
            assert (column["low"], column["high"]) == (min(known), max(known))


# ---- tables that are no text ----


def convert(*arguments, cwd):
    return subprocess.run([sys.executable, "-m", "postil.convert", *map(str, arguments)], capture_output=True, text=True, cwd=cwd)


FRAME = pd.DataFrame(
    {
        "zip": ["01234", None, "77"],
        "n": [1, 2, None],
        "whole": [2**53 + 1, -3, 0],
        "yes": [True, False, True],
        "day": pd.to_datetime(["2024-03-01", None, "2024-03-01 12:30:00"], format="ISO8601"),
        "colour": pd.Categorical(["red", "blue", None]),
        "label": ["a", "b", "a"],
    }
)
EXPECTED = [
    {"zip": "01234", "n": 1.0, "whole": 2**53 + 1, "yes": True, "day": "2024-03-01", "colour": "red", "label": "a"},
    {"zip": None, "n": 2.0, "whole": -3, "yes": False, "day": None, "colour": "blue", "label": "b"},
    {"zip": "77", "n": None, "whole": 0, "yes": True, "day": "2024-03-01T12:30:00", "colour": None, "label": "a"},
]


@pytest.mark.parametrize("name, write_frame", [("t.parquet", pd.DataFrame.to_parquet), ("t.feather", pd.DataFrame.to_feather)])
def test_parquet_and_feather_become_json_lines(tmp_path, name, write_frame):
    write_frame(FRAME, tmp_path / name)
    refused = run("train", tmp_path / name, "--model", tmp_path / "m")
    assert refused.returncode == 1 and f"python -m postil.convert {tmp_path / name} -o data.jsonl" in refused.stderr
    done = convert(name, "-o", "data.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [json.loads(line) for line in (tmp_path / "data.jsonl").read_text().splitlines()] == EXPECTED
    assert convert(name, cwd=tmp_path).stdout == (tmp_path / "data.jsonl").read_text()
    columns = {column["name"]: column["kind"] for column in run_json("inspect", tmp_path / "data.jsonl")["columns"]}
    assert columns == {"zip": "categorical", "n": "integer", "whole": "integer", "yes": "categorical", "day": "date", "colour": "categorical", "label": "categorical"}


def test_stata_and_lists_become_json_lines(tmp_path):
    FRAME.drop(columns=["whole", "zip"]).to_stata(tmp_path / "t.dta", write_index=False)
    rows = [json.loads(line) for line in convert("t.dta", cwd=tmp_path).stdout.splitlines()]
    assert [(row["n"], row["day"], row["label"]) for row in rows] == [(row["n"], row["day"], row["label"]) for row in EXPECTED]
    (tmp_path / "t.json").write_text(json.dumps(EXPECTED))
    assert [json.loads(line) for line in convert("t.json", cwd=tmp_path).stdout.splitlines()] == EXPECTED


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["nothere.parquet"], "nothere.parquet: there is no such file"),
        (["t.sav"], "t.sav: found a name with another ending, expected one of .parquet"),
        (["bad.parquet"], "bad.parquet: "),
        (["good.json", "-o", "x.csv"], "x.csv: JSON lines are written"),
        (["object.json"], "object.json: expected a list of objects"),
        (["good.json", "-o", "nowhere/x.jsonl"], "nowhere/x.jsonl: cannot write: there is no folder nowhere\n"),
        (["good.json", "-o", "/proc/x.jsonl"], "/proc/x.jsonl: cannot write: "),
        (["good.json", "-o", "folder.jsonl"], "folder.jsonl: cannot write: it is a folder"),
        (["good.json", "--sheet", "x"], "good.json: only Excel files have sheets"),
    ],
)
def test_what_cannot_be_converted(write, tmp_path, arguments, message):
    write("bad.parquet", b"PAR1 nonsense")
    (tmp_path / "folder.jsonl").mkdir()
    write("good.json", '[{"a": 1}]')
    write("object.json", '{"a": 1}')
    done = convert(*arguments, "-o", "x.jsonl", cwd=tmp_path) if "-o" not in arguments else convert(*arguments, cwd=tmp_path)
    assert done.returncode == 1 and done.stderr.startswith(f"postil.convert: {message}"), done.stderr
    assert ".postil-" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.parquet", "folder.jsonl", "good.json", "object.json"]


@pytest.mark.parametrize("rows", [3, 66_000])
@pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
def test_an_index_with_a_name_is_a_column(tmp_path, name, rows):
    """Also one of several levels, or one that only counts; an index without a name tells nothing."""
    frame = pd.DataFrame({"zip": [f"{k:05}" for k in range(rows)], "site": [k % 3 for k in range(rows)], "n": range(rows)})

    def written(given):
        if name.endswith("parquet"):
            given.to_parquet(tmp_path / name)
        else:
            table = pyarrow.Table.from_pandas(given)
            with pyarrow.ipc.new_file(tmp_path / name, table.schema) as file:
                file.write_table(table, max_chunksize=65_536)
        return [json.loads(line) for line in lines(tmp_path / name)]

    expected = frame.to_dict("records")
    rest = [{"n": row["n"]} for row in expected]
    for given, wanted in [
        (frame.set_index("zip"), expected),
        (frame.set_index(["zip", "site"]), expected),
        (frame[["n"]].set_index(frame["zip"].rename(None)), rest),
        (frame[["n"]], rest),
        (frame[["n"]].rename_axis("row"), [{"row": k, "n": k} for k in range(rows)]),
        (frame[["n"]].set_index(pd.RangeIndex(5, 5 + 2 * rows, 2, name="row")), [{"row": 5 + 2 * k, "n": k} for k in range(rows)]),
    ]:
        found = written(given)
        assert found == wanted and list(found[0])[0] == list(wanted[0])[0]


def test_archives_are_no_spreadsheets(tmp_path):
    with zipfile.ZipFile(tmp_path / "patients.zip", "w") as archive:
        archive.writestr("patients.csv", "a,label\n1,x\n")
    done = run("inspect", tmp_path / "patients.zip")
    assert done.returncode == 1 and done.stderr.endswith("patients.zip: this is a zip archive; unpack it\n"), done.stderr
    for name in ("[Content_Types].xml", "mimetype"):
        with zipfile.ZipFile(tmp_path / "unnamed", "w") as archive:
            archive.writestr(name, "x")
        assert "this is an Excel file" in run("inspect", tmp_path / "unnamed").stderr
    for ending in ("xlsx", "XLSM", "ods"):
        (tmp_path / "patients.zip").rename(tmp_path / f"patients.{ending}")
        assert "this is an Excel file" in run("inspect", tmp_path / f"patients.{ending}").stderr
        (tmp_path / f"patients.{ending}").rename(tmp_path / "patients.zip")


def test_half_a_conversion_leaves_nothing(tmp_path):
    pd.DataFrame({"a": [[1], [2]]}).to_parquet(tmp_path / "lists.parquet")
    done = convert("lists.parquet", "-o", "x.jsonl", cwd=tmp_path)
    assert done.returncode == 1 and "column 'a' holds values of type" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["lists.parquet"]
