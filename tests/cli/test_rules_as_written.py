"""Rules that nobody here wrote, exactly as written: which rows they hold on, and what they are worth as a classifier."""

import csv
import gzip
import pathlib
import random

import pytest
from conftest import run, run_json

SPLICE = """
define ei_stop = (m3 = T and m2 = A and m1 = A) or (m3 = T and m2 = A and m1 = G) or (m3 = T and m2 = G and m1 = A) or (m4 = T and m3 = A and m2 = A) or (m4 = T and m3 = A and m2 = G) or (m4 = T and m3 = G and m2 = A) or (m5 = T and m4 = A and m3 = A) or (m5 = T and m4 = A and m3 = G) or (m5 = T and m4 = G and m3 = A)
define ie_stop = (p1 = T and p2 = A and p3 = A) or (p1 = T and p2 = A and p3 = G) or (p1 = T and p2 = G and p3 = A) or (p2 = T and p3 = A and p4 = A) or (p2 = T and p3 = A and p4 = G) or (p2 = T and p3 = G and p4 = A) or (p3 = T and p4 = A and p5 = A) or (p3 = T and p4 = A and p5 = G) or (p3 = T and p4 = G and p5 = A)
define pyrimidine_rich = at least 6 of (m15 in {C, T}, m14 in {C, T}, m13 in {C, T}, m12 in {C, T}, m11 in {C, T}, m10 in {C, T}, m9 in {C, T}, m8 in {C, T}, m7 in {C, T}, m6 in {C, T})
donor: m3 in {A, C} and m2 = A and m1 = G and p1 = G and p2 = T and p3 in {A, G} and p4 = A and p5 = G and p6 = T and not ei_stop => EI
acceptor: pyrimidine_rich and m3 in {C, T} and m2 = A and m1 = G and p1 = G and not ie_stop => IE
"""


def test_the_splice_theory(data, write):
    path = data / "splice/splice.csv.gz"
    rules = write("splice.rules", SPLICE)
    checked = run_json("rules", "check", rules, "--data", path)
    donor, acceptor = checked["rules"]
    assert (donor["covered"], donor["agreed"], donor["sets"]) == (31, 31, 1)
    assert (acceptor["covered"], acceptor["agreed"], acceptor["sets"]) == (330, 302, 1)
    # by strings of nucleotides, in place of rules
    stops = ("TAA", "TAG", "TGA")
    with gzip.open(path, "rt") as file:
        for row in csv.DictReader(file):
            before = "".join(row[f"m{k}"] for k in range(30, 0, -1))
            after = "".join(row[f"p{k}"] for k in range(1, 31))
            spliced = (before[-3] in "AC" and before[-2:] == "AG" and after[:2] == "GT" and after[2] in "AG" and after[3:6] == "AGT") and not any(before[-3 - k : len(before) - k] in stops for k in range(3))
            donor["covered"] -= spliced
            joined = sum(c in "CT" for c in before[-15:-5]) >= 6 and before[-3] in "CT" and before[-2:] == "AG" and after[0] == "G" and not any(after[k : k + 3] in stops for k in range(3))
            acceptor["covered"] -= joined
    assert donor["covered"] == acceptor["covered"] == 0
    model = rules.parent / "m"
    run("train", path, "--advice", rules, "--model", model, "--quiet", check=True)
    assert run_json("explain", model)


@pytest.fixture
def messages(tmp_path):
    """Keyword rules of two classes, every one of one class overlapping every one of the other, about messages of words."""
    draw = random.Random(5)
    words = [f"w_{k}" for k in range(120)]
    lines = ["label," + ",".join(words)]
    for _ in range(600):
        spam = draw.random() < 0.3
        there = {draw.randrange(40) if draw.random() < (0.7 if spam else 0.05) else 40 + draw.randrange(80) for _ in range(8)}
        lines.append(("spam," if spam else "ham,") + ",".join("1" if k in there else "0" for k in range(120)))
    data = tmp_path / "messages.csv"
    data.write_text("\n".join(lines) + "\n")
    rules = ""
    for k in range(36):
        a, b, c = draw.sample(words[:40] if k % 2 == 0 else words[40:], 3)
        rules += f"r{k}: any({a}, {b}) and any({c}, {a}) => {'spam' if k % 2 == 0 else 'ham'}\n"
    path = tmp_path / "keywords.rules"
    path.write_text(rules)
    return data, path


def test_keyword_rules_are_told_in_few_lines(messages):
    data, rules = messages
    told = run("rules", "check", rules, "--data", data, "--positive", "spam", check=True).stdout
    lines = told.splitlines()
    assert len(lines) < 36 + 40
    assert lines[37].startswith("together: ") and "with all other rows taken for ham: error" in lines[37]
    assert told.index("together") < told.index("contradict each other")
    assert "(--all lists them)" in told
    everything = run("rules", "check", rules, "--data", data, "--positive", "spam", "--all", check=True).stdout
    checked = run_json("rules", "check", rules, "--data", data, "--positive", "spam")
    pairs = checked["disagreements"]
    assert everything.count(" meet at ") + len(pairs) == len(checked["conflicts"]) == 18 * 18
    assert pairs == sorted(pairs, key=lambda pair: -pair["rows"])
    with open(data) as file:  # the first pair, counted by hand
        rows = list(csv.DictReader(file))
    words = {line.split(":")[0]: [part.split(")")[0].split(", ") for part in line.split("any(")[1:]] for line in rules.read_text().splitlines()}
    both = [row for row in rows if all(any(row[w] == "1" for w in clause) for name in (pairs[0]["a"], pairs[0]["b"]) for clause in words[name])]
    assert len(both) == pairs[0]["rows"]
    assert sum((row["label"] == "spam") == (int(pairs[0]["a"][1:]) % 2 == 0) for row in both) == pairs[0]["a_right"]


def test_together_is_what_a_person_would_count(messages):
    data, rules = messages
    checked = run_json("rules", "check", rules, "--data", data, "--positive", "spam")
    with open(data) as file:
        rows = list(csv.DictReader(file))
    wrong = {"spam": 0, "ham": 0}
    decided = 0
    for row in rows:
        votes = 0
        for line in rules.read_text().splitlines():
            clauses = [part.split(")")[0].split(", ") for part in line.split("any(")[1:]]
            if all(any(row[w] == "1" for w in clause) for clause in clauses):
                votes += 1 if line.endswith("spam") else -1
        decided += votes != 0
        wrong[row["label"]] += ("spam" if votes > 0 else "ham") != row["label"]
    total = {label: sum(row["label"] == label for row in rows) for label in wrong}
    assert total["ham"] > total["spam"]
    assert checked["together"]["decided"] == decided
    assert checked["together"]["error"] == pytest.approx(sum(wrong.values()) / len(rows))
    assert checked["together"]["balanced_error"] == pytest.approx(sum(wrong[c] / total[c] for c in wrong) / 2)


@pytest.mark.parametrize(("data_file", "rules", "error"), [("pima/pima.csv.gz", "diabetes", 0.234), ("mushroom/mushroom.csv.gz", "mushroom", 0.0)])
def test_published_rules(data, data_file, rules, error):
    path = data / data_file
    advice = pathlib.Path(path).parents[2] / "rules" / f"{rules}.rules"
    if not advice.exists():
        pytest.skip(f"no {advice}")
    checked = run_json("rules", "check", advice, "--data", path)
    assert checked["together"]["error"] == pytest.approx(error, abs=0.0005)


def test_rules_answer_before_the_first_label(write):
    rules = write("r.rules", "high: x >= 3 => yes\nlow [sure = 60%]: x >= 5 => no\n")
    rows = "x,label\n1,\n3,\n6,\n" + "2,yes\n" * 3 + "1,\n"
    model = rules.parent / "m"
    data = write("d.csv", rows)
    answers = run("stream", data, "--model", model, "--learner", "rules", "--advice", rules, "--classes", "no,yes", "--label", "label", check=True).stdout
    labels = [line.split("\t")[0] for line in answers.splitlines()]
    assert len(labels) == 7
    assert "yes" in labels[1] and "yes" in labels[2]  # the surer rule wins
    assert "no" in labels[0] and "yes" in labels[6]  # silence: the negative class, then what is usual


@pytest.mark.parametrize("verb", ["predict", "evaluate", "cv", "curve"])
def test_every_verb_sees_which_rules_hold(verb, write):
    rules = write("r.rules", "high: x >= 3 => yes\nlow: x < 3 => no\n")
    data = write("d.csv", "x,label\n" + "".join(f"{k % 6},{'yes' if k % 6 >= 3 else 'no'}\n" for k in range(60)))
    advice = ["--learner", "rules", "--advice", rules]
    if verb == "cv":
        told = run_json("cv", data, *advice, "--folds", "3")
        assert told["per_fold"] == [0, 0, 0]
    elif verb == "curve":
        assert run_json("curve", data, *advice)["learners"][0]["error_mean"][0] == 0  # before the first label
    else:
        model = rules.parent / "m"
        run("train", data, *advice, "--model", model, "--quiet", check=True)
        told = run_json(verb, model, data)
        if verb == "evaluate":
            assert told["accuracy"] == 1
        else:
            assert told["labels"] == ["yes" if k % 6 >= 3 else "no" for k in range(60)]


@pytest.mark.parametrize("learner", ["advised", "kbsvm", "pa-adviceptron", "adviceptron", "advice-only", "rules"])
def test_rules_about_missing_values_alone(learner, write):
    rules = write("r.rules", "x is known => yes\nx is missing => no\n")
    data = write("d.csv", "x,y,label\n" + "".join(f"{k if k % 3 else ''},{k % 5},{'yes' if k % 3 else 'no'}\n" for k in range(60)))
    done = run("train", data, "--learner", learner, "--advice", rules, "--model", rules.parent / "m", "--quiet")
    assert done.returncode == 0, done.stderr


def test_it_is_explained_by_its_ledger(messages):
    data, rules = messages
    model = rules.parent / "m"
    run("train", data, "--learner", "rules", "--advice", rules, "--model", model, "--quiet", check=True)
    assert "base rate" in run("explain", model, check=True).stdout
    assert len(run_json("explain", model)["rules"]) == 36
    assert "has no weights" in run("explain", model, "--certify", rules).stderr


def test_it_stands_beside_learners(messages):
    data, rules = messages
    done = run_json("cv", data, "--learner", "rules", "--advice", rules, "--folds", "3")
    curve = run_json("curve", data, "--learner", "rules", "--learner", "arow", "--advice", rules)
    assert done and [learner["name"] for learner in curve["learners"]] == ["rules", "arow"]


def test_abstaining_and_why(write, tmp_path):
    rows = write("d.csv", "x,y,label\n1,0,a\n5,0,b\n9,3,a\n2,7,b\n")
    rules = write("r.rules", "high: x >= 4 => b\nlow: x < 2 => a\ny: y > 1 and x > 4 => a\nmore x => b\n")
    nowhere = write("n.csv", "x,y,label\n2,0,a\n3,0,b\n2.5,0,a\n")  # no rule holds: their votes stay what they are
    run("train", nowhere, "--advice", rules, "--learner", "rules", "--model", tmp_path / "m", check=True)
    assert run("predict", tmp_path / "m", rows, "--abstain", check=True).stdout == "label\na\nb\n\n\n"
    assert run_json("predict", tmp_path / "m", rows, "--abstain")["labels"] == ["a", "b", None, None]
    assert "" not in run("predict", tmp_path / "m", rows, check=True).stdout.split("\n")[:-1]
    told = run("explain", tmp_path / "m", "--row", "x=9,y=3", check=True).stdout
    assert "rule high, which holds here" in told and "rule y, which holds here" in told and "the rules cancel each other: what is usual" in told
    assert "no rule holds here: what is usual" in run("explain", tmp_path / "m", "--row", "x=2,y=7", check=True).stdout
    story = run_json("explain", tmp_path / "m", "--row", "x=5,y=0")
    assert [(rule["id"], rule["contribution"]) for rule in story["rules"]] == [("high", story["score"])]
    run("train", rows, "--advice", rules, "--model", tmp_path / "n", check=True)
    assert "--abstain: advised has an answer for every row" in run("predict", tmp_path / "n", rows, "--abstain").stderr
    classes = write("c.csv", "x,label\n1,a\n-1,c\n2,b\n-5,a\n")
    several = write("s.rules", "x > 0 => a\nx > 0 => b\nx < -3 => c\nx < -4 => not b\n")
    run("train", write("z.csv", "x,label\n0,a\n0,b\n0,c\n"), "--advice", several, "--learner", "rules", "--model", tmp_path / "k", check=True)
    assert run_json("predict", tmp_path / "k", classes, "--abstain")["labels"] == [None, None, None, "c"]


def test_beside_every_learner_with_rules(messages, write):
    path, rules = messages
    alone = run_json("cv", path, "--advice", rules, "--learner", "rules", "--folds", "4")
    beside = run_json("cv", path, "--advice", rules, "--folds", "4")
    assert beside["rules_as_written"]["error_mean"] == alone["error_mean"] and "rules_as_written" not in alone
    drawn = run_json("curve", path, "--advice", rules, "--learner", "advised", "--learner", "advice-only", "--runs", "2", "--train", "50")
    assert [learner["name"] for learner in drawn["learners"]] == ["advised", "advice-only"]
    assert len(drawn["rules_as_written"]["error_mean"]) == len(drawn["checkpoints"])
    assert {pair["b"] for pair in drawn["paired"]} == {"advice-only"}
    assert "rules_as_written" in run_json("curve", path, "--advice", rules, "--learner", "arow", "--learner", "advised", "--runs", "2", "--train", "50")
    drawn = run_json("curve", path, "--advice", rules, "--learner", "rules", "--learner", "advised", "--runs", "2", "--train", "50")
    assert [learner["name"] for learner in drawn["learners"]] == ["rules", "advised"] and "rules_as_written" not in drawn
    assert "rules as written" not in run("curve", path, "--learner", "arow", "--runs", "2", "--train", "50", check=True).stdout
