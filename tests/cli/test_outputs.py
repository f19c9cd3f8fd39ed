"""No command writes over a file that it reads, or text under the name of another format."""

import os

import pytest
from conftest import run

ROWS = "a,b,y\n" + "".join(f"{k},{k % 7},{'yes' if k % 3 else 'no'}\n" for k in range(60))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.csv").write_text(ROWS)
    (tmp_path / "r.rules").write_text("a >= 30 => yes\n")
    run("train", "p.csv", "--model", "m", "--quiet", check=True)
    os.link("p.csv", "hard.csv")
    os.symlink("p.csv", "soft.csv")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "kept", "names"),
    [
        ("train p.csv --model p.csv", "p.csv", ("DATA", "--model")),
        ("train p.csv --model ./p.csv", "p.csv", ("DATA", "--model")),
        ("train p.csv --model hard.csv", "p.csv", ("DATA", "--model")),
        ("train soft.csv --model p.csv", "p.csv", ("DATA", "--model")),
        ("train p.csv --advice r.rules --model r.rules", "r.rules", ("--advice", "--model")),
        ("train p.csv --unlabelled hard.csv --model soft.csv", "p.csv", ("DATA", "--model")),
        ("tune p.csv --model p.csv", "p.csv", ("DATA", "--model")),
        ("cv p.csv --save-folds p.csv", "p.csv", ("DATA", "--save-folds")),
        ("predict m p.csv -o p.csv", "p.csv", ("DATA", "--output")),
        ("predict m p.csv -o m", "m", ("MODEL", "--output")),
        ("predict m p.csv --json -o m", "m", ("MODEL", "--output")),
        ("report m --data p.csv -o p.csv", "p.csv", ("--data", "--output")),
        ("scorecard m --data p.csv -o soft.csv", "p.csv", ("--data", "--output")),
        ("scorecard m --data p.csv --test hard.csv -o p.csv", "p.csv", ("--data", "--output")),
        ("convert p.csv p.csv", "p.csv", ("IN", "OUT")),
        ("convert m m", "m", ("IN", "OUT")),
        ("rules convert r.rules --to json -o r.rules", "r.rules", ("FILE", "--output")),
        ("stream p.csv --model p.csv", "p.csv", ("DATA", "--model")),
        ("stream p.csv --advice r.rules --model r.rules", "r.rules", ("--advice", "--model")),
    ],
)
def test_an_input_is_not_written_over(folder, command, kept, names):
    before = (folder / kept).read_bytes()
    done = run(*command.split())
    assert done.returncode == 1 and done.stdout == ""
    assert f"this file is also an input ({names[0]}); name another file for {names[1]}" in done.stderr
    assert (folder / kept).read_bytes() == before


def test_the_file_of_the_project_counts(folder):
    (folder / "postil.toml").write_text('data = "p.csv"\nmodel = "p.csv"\n')
    assert "also an input (DATA)" in run("train").stderr and (folder / "p.csv").read_text() == ROWS


def test_what_may_be_written_again(folder):
    run("train", "p.csv", "--init", "m", "--model", "m", "--quiet", check=True)
    run("stream", "p.csv", "--model", "live", "--quiet", check=True)
    run("stream", "p.csv", "--model", "live", "--quiet", check=True)
    for _ in range(2):  # a file of an earlier run is replaced
        run("predict", "m", "p.csv", "-o", "out.csv", check=True)
    run("rules", "fmt", "r.rules", "-o", "r.rules", check=True)  # the same rules, in another form
    run("predict", "m", "/dev/null", "-o", "/dev/null")


@pytest.mark.parametrize("ending", [".parquet", ".feather", ".arrow", ".xlsx", ".XLS", ".json", ".jsonl", ".dta", ".arff", ".parquet.gz"])
def test_formats_that_are_not_written(folder, ending):
    for command, what in (("convert p.csv", "convert writes data as .csv or .svm, models as .onnx, .sql or .model"), ("make synthetic --rows 3 -o", "make writes .csv or .svm"), ("predict m p.csv -o", "predict writes CSV, and with --json one JSON document")):
        done = run(*command.split(), f"x{ending}")
        assert done.returncode == 2 and what in done.stderr and not os.path.exists(f"x{ending}")


def test_json_where_it_is_written(folder):
    run("predict", "m", "p.csv", "--json", "-o", "x.json", check=True)
    run("rules", "convert", "r.rules", "--to", "json", "-o", "r.json", check=True)
