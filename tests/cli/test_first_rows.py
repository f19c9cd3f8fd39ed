"""Rules and learning from the first row on, on data whose first rows flatter nobody: each test was a defect."""

import json
import os
import subprocess

import pytest

from conftest import POSTIL, run, run_json

RULES = """domain spacer_1..spacer_43 in [0, 1]
beijing: absent(spacer_1..spacer_34) => east_asian
lost: any(spacer_33..spacer_36) => not euro_american
old: miru24 > 1 => not euro_american
"""


@pytest.fixture
def isolates(tmp_path):
    path = tmp_path / "isolates.csv"
    run("make", "tuberculosis", "--rows", 600, "--seed", 3, "-o", path, check=True)
    return path


def answers(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_readmes_rules_on_a_stream(isolates, write, tmp_path):
    """The first row has miru24 = 1: what rows have shown so far must not make a rule impossible."""
    rules = write("lineage.rules", RULES)
    done = run("stream", "--model", tmp_path / "m", "--advice", rules, isolates, "--json", check=True)
    given = answers(done)
    assert given[0]["label"] is not None  # rules answer before the first label
    wrong = sum(answer["label"] != answer["truth"] for answer in given[:600])
    assert wrong < 0.15 * 600
    assert any(said["id"] == "old" for answer in given[:-1] for said in answer.get("rules", []))


@pytest.mark.parametrize("statement", ["", "integer m\n"])
def test_a_column_that_happens_to_hold_only_0_and_1(statement, write, tmp_path):
    data = write("d.csv", "m,x,label\n" + "".join(f"{i % 2},{i % 7},{'a' if i % 7 > 3 else 'b'}\n" for i in range(40)))
    rules = write("r.rules", statement + "r: m > 1 => a\n")
    run("train", data, "--advice", rules, "--model", tmp_path / "m", check=True)
    assert run_json("rules", "check", rules, "--data", data)["rules"][0]["covered"] == 0


def test_categories_that_no_row_has_shown(write, tmp_path):
    rows = "".join(f"{'none' if i % 2 else 'almond'},{i % 3},{'edible' if i % 2 == 0 else 'poisonous'}\n" for i in range(30))
    data = write("d.csv", "odor,n,class\n" + rows)
    rules = write("r.rules", "smell: odor in {foul, fishy} => poisonous\nnice: odor = almond => edible\n")
    done = run("train", data, "--advice", rules, "--model", tmp_path / "m", check=True)
    test = write("t.csv", "odor,n\nfoul,1\nalmond,1\n")
    assert run_json("predict", tmp_path / "m", test)["labels"] == ["poisonous", "edible"]
    problems = run_json("rules", "check", rules, "--data", data)["problems"]
    assert any("'foul'" in text and "odor" in text for text in problems)
    typo = write("t.rules", "nice: odor = almnod => edible\n")
    assert any("almond" in text for text in run_json("rules", "check", typo, "--data", data)["problems"])
    assert done.returncode == 0


def test_mushrooms_from_row_one(data, tmp_path):
    rules = data.parent / "rules" / "mushroom.rules"
    if not rules.exists():
        pytest.skip("the mushroom rules are not at hand")
    import gzip

    text = gzip.open(data / "mushroom" / "mushroom.csv.gz", "rt").read()
    lines = text.splitlines(keepends=True)
    done = run("stream", "--model", tmp_path / "m", "--advice", rules, "--json", stdin="".join(lines[:301]), check=True)
    given = answers(done)
    assert given[0]["label"] is not None
    assert sum(answer["label"] != answer["truth"] for answer in given[:300]) < 60


def test_a_cold_start_with_categories(write, tmp_path):
    rules = write("r.rules", "smell: odor = foul => poisonous\n")
    run("train", "--advice", rules, "--columns", "odor,color,size", "--kind", "color=categorical", "--model", tmp_path / "m", check=True)
    test = write("t.csv", "odor,color,size\nfoul,red,1\nnone,blue,2\n")
    assert run_json("predict", tmp_path / "m", test)["labels"][0] == "poisonous"
    kinds = {column["name"]: column["kind"] for column in run_json("explain", tmp_path / "m")["columns"]}
    assert kinds == {"odor": "categorical", "color": "categorical", "size": "number"}
    more = "odor,color,size,label\n" + "".join(f"none,{'red' if i % 2 else 'blue'},{i},{'poisonous' if i % 2 else 'edible'}\n" for i in range(40))
    done = run("stream", "--model", tmp_path / "m", "--json", stdin=more, check=True)
    assert len(answers(done)) >= 40


def test_every_acknowledged_row_is_learned(write, tmp_path):
    rows = [f"{i % 9 - 4},{(i * 7) % 5 - 2},{'yes' if i % 9 > 4 else 'no'}\n" for i in range(128)]
    against = ["4,0,no\n"] * 20
    done = run("stream", "--model", tmp_path / "m", "--json", stdin="a,b,label\n" + "".join(rows + against), check=True)
    scores = [answer["score"] for answer in answers(done)[128:148]]
    assert all(answer["learned"] for answer in answers(done)[1:148])
    assert len(set(scores)) == len(scores) and scores[-1] < scores[0]


def test_a_class_after_row_256(write, tmp_path):
    rows = [f"{3 if i % 2 else -3},0,{'x' if i % 2 else 'y'}\n" for i in range(300)] + [f"0,{5 + i % 3},z\n" for i in range(30)] + ["0,6,\n"]
    done = run("stream", "--model", tmp_path / "m", "--json", stdin="a,b,label\n" + "".join(rows), check=True)
    given = answers(done)
    assert given[310]["learned"] is True
    assert given[-1]["label"] == "z"
    assert "'z' is new" in done.stderr


def test_a_column_that_comes_late(write, tmp_path):
    model = tmp_path / "m"
    run("stream", "--model", model, stdin="a,label\n" + "".join(f"{i % 5},{'x' if i % 5 > 2 else 'y'}\n" for i in range(300)), check=True)
    late = "a,late,label\n" + "".join(f"2,{100 if i % 2 else -100},{'x' if i % 2 else 'y'}\n" for i in range(40))
    done = run("stream", "--model", model, "--json", stdin=late, check=True)
    assert [answer["label"] for answer in answers(done)[-2:]] == ["y", "x"]
    assert run_json("explain", model)["features"] == ["a", "late"]


def test_ignored_columns_stay_ignored(write, tmp_path):
    model = tmp_path / "m"
    run("stream", "--model", model, "--ignore", "id", stdin="id,a,label\nq1,1,x\nq2,2,y\n", check=True)
    run("stream", "--model", model, stdin="id,a,label\nq3,1,x\n", check=True)
    assert run_json("explain", model)["features"] == ["a"]


def test_2000_rows_killed_and_resumed(tmp_path):
    """With rules, through all stages of a stream: the same bits as one that never stopped."""
    data, rules = tmp_path / "d.csv", tmp_path / "r.rules"
    run("make", "tuberculosis", "--rows", 2000, "--seed", 8, "-o", data, check=True)
    rules.write_text(RULES)
    once, parts = tmp_path / "once", tmp_path / "parts"
    run("stream", "--model", once, "--advice", rules, data, check=True)
    lines = data.read_text().splitlines(keepends=True)
    begin = 1
    for end in (2, 4, 30, 201, 258, 700, 2001):
        run("stream", "--model", parts, "--advice", rules, stdin=lines[0] + "".join(lines[begin:end]), check=True)
        begin = end
    assert parts.read_bytes() == once.read_bytes()


def test_the_same_bytes_without_fused_multiply_add(isolates, write, tmp_path):
    rules = write("lineage.rules", RULES)
    without = {**os.environ, "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-AVX2_Usable,-FMA_Usable,-AVX2"}
    for learner in [info["name"] for info in json.loads(run("learners", "--json").stdout) if info["online"]]:
        advice = ["--advice", rules] if learner in ("advised", "advice-only", "adviceptron", "pa-adviceptron", "rules") else []
        for name, environment in (("with", os.environ), ("without", without)):
            subprocess.run([POSTIL, "train", isolates, "--learner", learner, *advice, "--model", tmp_path / name], check=True, env=environment, capture_output=True)
        assert (tmp_path / "with").read_bytes() == (tmp_path / "without").read_bytes(), learner


def test_a_saved_learner_with_rules_goes_on_with_sparse_rows(write, tmp_path):
    rows = write("t.csv", "c,a,b,label\nx,1,0,yes\ny,1,0,no\n")
    rules = write("t.rules", "r: a >= 8 => yes\n")
    for learner in [info["name"] for info in json.loads(run("learners", "--json").stdout) if info["online"] and info["advice"]]:
        model = tmp_path / learner
        run("stream", "--model", model, "--quiet", "--learner", learner, "--advice", rules, rows, check=True)
        run("stream", "--model", model, "--quiet", rows, check=True)


def test_columns_that_rules_call_categories_and_rows_leave_empty(write, tmp_path):
    rows, rules = write("u.csv", "color,b,label\n,1,yes\n,2,no\n"), write("u.rules", "r: color = red => yes\n")
    model = tmp_path / "m"
    run("stream", "--model", model, "--quiet", "--advice", rules, rows, check=True)
    done = run("stream", "--model", model, "--json", stdin="color,b,label\nred,1,yes\n5,1,no\n", check=True)
    assert answers(done)[0]["rules"] == [{"id": "r", "agrees": True}]


def test_text_where_a_rule_expects_numbers_is_an_error_of_its_row(write, tmp_path):
    rules = write("v.rules", "r: x >= 1 => yes\n")
    rows = "x,b,label\n" + "".join(f",{i},{'yes' if i % 2 else 'no'}\n" for i in range(20)) + "abc,3,yes\n,4,no\n"
    done = run("stream", "--model", tmp_path / "m", "--advice", rules, "--json", stdin=rows, check=True)
    given = answers(done)
    assert "column 'x' holds text" in given[20]["error"]
    assert given[21]["learned"] is True
    assert (tmp_path / "m").exists()


def test_rows_of_one_class_are_learned_if_rules_name_another(write, tmp_path):
    rules = write("oc.rules", "r: a >= 2 => yes\nq: a <= -2 => no\n")
    rows = "a,label\n" + "".join(f"{i % 9},no\n" for i in range(300))
    done = run("stream", "--model", tmp_path / "m", "--advice", rules, "--json", stdin=rows, check=True)
    assert all(answer["learned"] for answer in answers(done)[:300])


def test_refused_rows_make_no_classes(write, tmp_path):
    rows = "a,b,label\n" + "".join(f"{i},1,x\n{i},2,y\n" for i in range(5)) + ",1,ghost\n" + "".join(f"{i},1,x\n{i},2,y\n" for i in range(5))
    run("stream", "--model", tmp_path / "m", "--missing", "refuse", "--quiet", stdin=rows, check=True)
    assert run_json("explain", tmp_path / "m")["classes"] == ["x", "y"]


def test_sparse_columns_that_rules_name_stopped_and_resumed(write, tmp_path):
    rules = write("l.rules", 'q: f12 >= 1 => "-1"\n')
    lines = ["1 1:1\n", "-1 2:1\n", "1 1:1 2:1\n", "-1 12:1\n"]
    once = run("stream", "--model", tmp_path / "once", "--quiet", "--scores", "--format", "libsvm", "--advice", rules, stdin="".join(lines), check=True)
    parts = "".join(run("stream", "--model", tmp_path / "parts", "--quiet", "--scores", "--format", "libsvm", "--advice", rules, stdin=line, check=True).stdout for line in lines)
    assert parts == once.stdout
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "once").read_bytes()


def test_explain_takes_categories_with_commas(write, tmp_path):
    data = write("d.csv", 'c,n,label\n"a, b",1,x\n"a, b",2,x\nplain,1,y\nplain,3,y\n')
    run("train", data, "--quiet", "--model", tmp_path / "m", check=True)
    assert "c is a, b" in run("explain", tmp_path / "m", "--row", 'c="a, b",n=3', check=True).stdout
    assert "a quote is not closed" in run("explain", tmp_path / "m", "--row", 'c="a').stderr


def test_the_same_command_goes_on(write, tmp_path):
    rows = write("p.csv", "a,label\n1,a\n2,b\n3,c\n")
    for _ in range(2):
        run("stream", "--model", tmp_path / "m", "--positive", "a", "--quiet", rows, check=True)


def test_a_weight_column_is_no_feature_later(write, tmp_path):
    rows = write("w.csv", "a,w,label\n1,1,x\n2,1,y\n")
    run("stream", "--model", tmp_path / "m", "--weight", "w", "--quiet", rows, check=True)
    run("stream", "--model", tmp_path / "m", "--quiet", rows, check=True)
    assert run_json("explain", tmp_path / "m")["features"] == ["a"]


def test_rules_do_not_change_the_learner(write, tmp_path):
    rows, rules = write("w.csv", "a,label\n1,x\n2,y\n"), write("r.rules", "r: a >= 2 => y\n")
    run("stream", "--model", tmp_path / "m", "--learner", "arow", "--quiet", rows, check=True)
    done = run("stream", "--model", tmp_path / "m", "--advice", rules, "--quiet", rows)
    assert done.returncode == 2 and "arow" in done.stderr
