"""rules repair, rules suggest, rules check --worth, ask and predict --novelty as commands: what they print, accept and refuse."""

import csv
import io
import json

import pytest
from conftest import run


def postil(*arguments, check=True):
    return run(*arguments, check=check)

RULES = "# as remembered\nrisk: bmi >= 30 and glucose >= 170 => diabetes\nlean: bmi <= 25 and glucose <= 100 => not diabetes\n"


@pytest.fixture
def patients(tmp_path):
    postil("make", "diabetes", "--rows", 2500, "--seed", 31, "-o", tmp_path / "patients.csv")
    (tmp_path / "memory.rules").write_text(RULES)
    return tmp_path


def test_a_repair_is_proposed_and_accepted(patients):
    arguments = ["rules", "repair", patients / "memory.rules", "--data", patients / "patients.csv"]
    told = json.loads(postil(*arguments, "--json").stdout)
    repair = next(repair for repair in told["repairs"] if repair["before"] == "glucose >= 170")
    assert repair["rule"] == "risk" and repair["line"] == 2 and repair["low"] <= repair["after"] <= repair["high"] < 170
    lines = (patients / "patients.csv").read_text().splitlines()
    for line in repair["lines"]:  # each changes sides: its glucose lies between the two numbers
        assert repair["after"] <= float(lines[line - 1].split(",")[2]) < 170
    text = postil(*arguments).stdout
    assert "rule risk: glucose >= 170 -> " in text and "--apply 1" in text
    new = patients / "new.rules"
    postil(*arguments, "--apply", repair["number"], "-o", new)
    assert new.read_text() == RULES.replace("170", f"{repair['after']:g}")
    assert postil("rules", "repair", new, "--data", patients / "patients.csv").stdout.count("risk: glucose") == 0


@pytest.mark.parametrize("numbers, message", [("0", "numbers of repairs from 1 to"), ("9", "numbers of repairs from 1 to"), ("x", "numbers of repairs from 1 to"), ("1,,2", "numbers of repairs from 1 to")])
def test_numbers_that_are_none(patients, numbers, message):
    done = postil("rules", "repair", patients / "memory.rules", "--data", patients / "patients.csv", "--apply", numbers, "-o", patients / "new.rules", check=False)
    assert done.returncode == 2 and message in done.stderr and not (patients / "new.rules").exists()


def test_suggestions_are_rules(patients):
    found = postil("rules", "suggest", patients / "patients.csv", "-o", patients / "found.rules")
    assert found.stdout == ""
    checked = json.loads(postil("rules", "check", patients / "found.rules", "--data", patients / "patients.csv", "--json").stdout)
    assert len(checked["rules"]) >= 2 and all(rule["verdict"] == "helps" for rule in checked["rules"])
    told = json.loads(postil("rules", "suggest", patients / "patients.csv", "--json", "-n", 2).stdout)
    assert len(told["rules"]) == 2 and told["searched"] + told["checked"] == 2500
    assert told["rules"][0]["saves"] >= told["rules"][1]["saves"]
    beyond = json.loads(postil("rules", "suggest", patients / "patients.csv", "--advice", patients / "found.rules", "--json").stdout)
    assert len(beyond["rules"]) < len(checked["rules"])


def test_labels_that_have_nothing_to_do_with_the_columns_suggest_nothing(tmp_path):
    import random

    chance = random.Random(1)
    suggested = 0
    for k in range(25):
        rows = "\n".join(f"{chance.gauss(0, 1):.2f},{chance.gauss(0, 1):.2f},{chance.choice('xyz')},{chance.choice(['yes', 'no'])}" for _ in range(300))
        (tmp_path / "noise.csv").write_text("a,b,c,label\n" + rows + "\n")
        suggested += bool(json.loads(postil("rules", "suggest", tmp_path / "noise.csv", "--json", "--seed", k).stdout)["rules"])
    assert suggested <= 5


def test_what_rules_are_worth(patients):
    arguments = ["rules", "check", patients / "memory.rules", "--data", patients / "patients.csv", "--worth", "--runs", 8, "--labels", 100]
    worth = json.loads(postil(*arguments, "--json").stdout)["worth"]
    assert [point["labels"] for point in worth["checkpoints"]] == [0, 5, 10, 20, 50, 100]
    start = worth["checkpoints"][0]
    assert start["without"]["mean"] == 0.5 and start["with"]["mean"] < 0.4 and (start["labels_without"] is None or start["labels_without"] > 10)
    assert [rule["id"] for rule in worth["rules"]] == ["risk", "lean"] and max(rule["saves"] for rule in worth["rules"]) > 0
    assert "what the rules are worth" in postil(*arguments).stdout
    assert "worth" not in json.loads(postil("rules", "check", patients / "memory.rules", "--json").stdout)
    assert postil("rules", "check", patients / "memory.rules", "--worth", check=False).returncode == 2


def test_ask_prints_rows_and_reasons(patients):
    postil("train", patients / "patients.csv", "--advice", patients / "memory.rules", "--model", patients / "m.postil")
    lines = (patients / "patients.csv").read_text().splitlines()
    (patients / "pool.csv").write_text("\n".join([lines[0], *(line if k % 2 else line.rsplit(",", 1)[0] + "," for k, line in enumerate(lines[1:]))]) + "\n")
    rows = list(csv.DictReader(io.StringIO(postil("ask", patients / "m.postil", patients / "pool.csv", "-n", 12).stdout)))
    assert len(rows) == 12 and len({row["row"] for row in rows}) == 12
    assert sum(row["random"] == "yes" for row in rows) == 2 and all(row["why"] for row in rows)
    assert all(int(row["row"]) % 2 == 1 and int(row["line"]) == int(row["row"]) + 1 for row in rows)  # without a label
    without = patients / "without.csv"
    without.write_text("\n".join(line.rsplit(",", 1)[0] for line in lines) + "\n")
    told = json.loads(postil("ask", patients / "m.postil", without, "--json").stdout)
    assert len(told["rows"]) == 20 and told["had_label"] == 0
    done = postil("ask", patients / "m.postil", patients / "patients.csv", check=False)
    assert done.returncode == 1 and "all 2500 rows have a label; --all asks about them too" in done.stderr
    assert len(postil("ask", patients / "m.postil", patients / "patients.csv", "--all", "-n", 3).stdout.splitlines()) == 4
    assert postil("ask", patients / "m.postil", without, "-n", 5, "-o", patients / "out.csv").stdout == ""
    postil("train", "--advice", patients / "memory.rules", "--columns", "bmi,glucose", "--model", patients / "rules.postil")
    assert len(postil("ask", patients / "rules.postil", without, "-n", 5).stdout.splitlines()) == 6  # no label at all


def test_novelty_is_printed_when_asked_for(patients):
    postil("train", patients / "patients.csv", "--model", patients / "m.postil")
    plain = postil("predict", patients / "m.postil", patients / "patients.csv", "--scores").stdout.splitlines()
    assert plain[0] == "label,probability,score"
    (patients / "odd.csv").write_text("age,pregnancies,glucose,blood_pressure,bmi,pedigree\n41,5,131,64,29.5,0.4\n41,5,131,64,29.5,40\n")
    rows = list(csv.DictReader(io.StringIO(postil("predict", patients / "m.postil", patients / "odd.csv", "--novelty").stdout)))
    assert float(rows[0]["novelty"]) < 4 < float(rows[1]["novelty"])
    assert len(json.loads(postil("predict", patients / "m.postil", patients / "odd.csv", "--novelty", "--json").stdout)["novelty"]) == 2
    postil("train", patients / "patients.csv", "--learner", "pa", "--model", patients / "pa.postil")
    done = postil("predict", patients / "pa.postil", patients / "odd.csv", "--novelty", check=False)
    assert done.returncode == 2 and "does not know how unlike" in done.stderr
