"""Dates, percentages and thousands as people have them in their files."""

import pytest
from conftest import run, run_json

ROWS = """admission,discharge,rate,income,label
2024-01-05,2024-01-09,12.5%,"1,200",a
2024-02-05,2024-02-06,3%,900,b
2024-03-05T12:00,,7%,"2,000,000.5",a
,2023-12-31,50%,17,b
"""
RULES = """
late: admission >= 2024-02-01 => a
long: discharge - admission > 2 => a
rate: rate between 5% and 20% => a
rich: income > 1,000 => a
day: admission in {2024-02-05} => b
domain admission in [2020-01-01, 2025-01-01]
"""


@pytest.fixture
def rows(write):
    return write("d.csv", ROWS)


def test_rules_about_them(rows, write):
    checked = run_json("rules", "check", write("r.rules", RULES), "--data", rows)["rules"]
    assert {rule["id"]: rule["covered"] for rule in checked} == {"late": 2, "long": 1, "rate": 2, "rich": 2, "day": 1}


def test_they_are_kinds_of_columns_and_travel_in_the_model(rows, write, tmp_path):
    rules = write("r.rules", RULES)
    run("train", rows, "--advice", rules, "--model", tmp_path / "m", check=True)
    explained = run_json("explain", tmp_path / "m")
    assert [column["kind"] for column in explained["columns"]] == ["date", "date", "percent", "number"]
    shown = run("explain", tmp_path / "m", "--certify", rules, check=True).stdout
    assert "admission = 2025-01-01" in shown and "rate = 20%" in shown
    assert "admission = 2024-01-05" in run("explain", tmp_path / "m", "--row", "admission=2024-01-05,rate=3%", check=True).stdout
    scores = run("predict", tmp_path / "m", rows, "--scores", check=True).stdout
    days = write("e.csv", "admission,discharge,rate,income\n" + "".join(line.rsplit(",", 1)[0] + "\n" for line in ROWS.splitlines()[1:]).replace("2024-03-05T12:00", "2024-03-05 12:00:00Z"))
    assert run("predict", tmp_path / "m", days, "--scores", check=True).stdout == scores
    for cell, message in (("5", "found '5', expected a date such as 2024-03-01"), ("2024-02-30", "expected a date such as 2024-03-01")):
        wrong = write("w.csv", ROWS.replace("2024-02-05,", cell + ",", 1))
        done = run("predict", tmp_path / "m", wrong)
        assert done.returncode == 1 and "w.csv:3:1: column 'admission': " in done.stderr and message in done.stderr
    done = run("predict", tmp_path / "m", write("w.csv", ROWS.replace("3%", "0.03")))
    assert "column 'rate': found '0.03', expected a percentage such as 12.5%" in done.stderr


def test_a_stream_with_rules_about_dates(write, tmp_path):
    rules = write("r.rules", "late: admission >= 2024-02-01 => a\nearly: admission < 2024-02-01 => b\n")
    lines = ["admission,label"] + [f"2024-{1 + k % 4:02}-{1 + k % 28:02},{'a' if k % 4 else 'b'}" for k in range(600)]
    text = "\n".join(lines) + "\n"
    run("stream", "--advice", rules, "--model", tmp_path / "whole", stdin=text, check=True)
    alone = run("stream", "--advice", rules, "--learner", "rules", "--model", tmp_path / "alone", stdin=text, check=True)
    assert alone.stdout.split()[-600:] == [line[-1] for line in lines[1:]]  # from the first row on
    run("stream", "--advice", rules, "--model", tmp_path / "m", stdin="\n".join(lines[:100]) + "\n", check=True)
    run("stream", "--model", tmp_path / "m", stdin=lines[0] + "\n" + "\n".join(lines[100:]) + "\n", check=True)
    assert run_json("explain", tmp_path / "m")["weights"] == run_json("explain", tmp_path / "whole")["weights"]
    done = run("stream", "--advice", rules, "--model", tmp_path / "n", stdin="admission,label\n5,a\n")
    assert "the rules do not fit the rows so far" in done.stderr and "column 'admission' holds no dates" in done.stderr
    assert run_json("explain", tmp_path / "whole")["columns"][0]["kind"] == "date"
    late, early = run_json("explain", tmp_path / "whole")["rules"]
    assert (late["fired"], early["fired"]) == (450, 150)


def test_what_looks_alike_and_is_not(write, tmp_path):
    # a column of text with a date in it; a date declared to be text; commas in files that have other delimiters
    for cell, what in (("2024-01-01", "a date"), ("5%", "a percentage"), ('"1,200"', "a number")):
        text = write("t.csv", f"x,y,label\nred,1,a\n{cell},2,b\n")
        assert f"column 'x': found {what} in a column of text; --kind x=categorical reads all its cells as text" in run("train", text, "--model", tmp_path / "m").stderr
        run("train", text, "--kind", "x=categorical", "--model", tmp_path / "m", check=True)
    run("train", write("t.csv", "x,y,label\n2024-01-01,1,a\n2024-01-02,2,b\nred,3,a\n"), "--kind", "x=categorical", "--model", tmp_path / "m", check=True)
    assert "expected a date" in run("train", write("t.csv", "x,y,label\n2024-01-01,1,a\nred,2,b\n"), "--model", tmp_path / "m").stderr
    assert "expected a number with a decimal point" in run("train", write("t.csv", "x;y;label\n1;1;a\n1,234;2;b\n"), "--model", tmp_path / "m").stderr
    assert "expected a number with a decimal point" in run("train", write("t.csv", "x;y;label\n1,234;1;a\n5;2;b\n"), "--model", tmp_path / "m").stderr
    assert "expected a date" in run("train", write("t.csv", "x,y,label\n5,1,a\n6,2,b\n"), "--kind", "x=date", "--model", tmp_path / "m").stderr
    run("rules", "check", write("r.rules", "x >= 2024-01-01 => a\nrate > 5% => b\n"), check=True)  # without data


def test_dates_beyond_a_chunk(write, tmp_path):
    text = "when,x,label\n" + "".join(f"20{10 + k % 15}-01-{1 + k % 28:02},{k % 7},{'a' if k % 15 > 7 else 'b'}\n" for k in range(60000))
    path = write("big.csv", text)
    run("train", path, "--model", tmp_path / "m", check=True)
    assert run_json("evaluate", tmp_path / "m", path)["error"] < 0.1
    wrong = write("wrong.csv", text + "yesterday,3,a\n")
    assert "wrong.csv:60002:1: column 'when': found 'yesterday', expected a date" in run("train", wrong, "--model", tmp_path / "n").stderr


def test_a_difference_of_dates_before_any_is_seen(write, tmp_path):
    rules = write("r.rules", "admission >= 2024-03-01 and discharge - admission > 7 => b\n")
    run("rules", "check", rules, check=True)
    run("train", "--advice", rules, "--columns", "admission,discharge", "--classes", "a,b", "--model", tmp_path / "m", check=True)
    text = "admission,discharge,label\n,2024-03-09,a\n2024-03-01,2024-03-20,b\n2024-03-02,,a\n" * 5
    text = text.replace("\nadmission,discharge,label", "")
    run("stream", "--advice", rules, "--model", tmp_path / "n", stdin=text, check=True)
    assert run_json("explain", tmp_path / "n")["rules"][0]["fired"] == 5
    both = write("b.rules", "discharge - admission > 7 => b\nadmission < discharge => a\n")
    run("stream", "--advice", both, "--model", tmp_path / "o", stdin=text, check=True)
    assert [rule["fired"] for rule in run_json("explain", tmp_path / "o")["rules"]] == [5, 5]


def test_a_first_row_of_thousands_is_no_heading(write, tmp_path):
    path = write("t.csv", "".join(f'"{k},{200 + k}",{"ab"[k % 2]}\n' for k in range(1, 30)))
    assert run_json("train", path, "--model", tmp_path / "m")["examples"] == 29
