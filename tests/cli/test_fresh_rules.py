"""The default learner on rules that nobody here wrote, and where rules are wrong: what it promises, with margins. docs/defaults-advised.md has the numbers."""

import csv
import gzip
import re

import numpy
import pytest

from conftest import run, run_json


def errors_at(path, rules, checkpoints, *options, learner="advised", metric="balanced_error"):
    given = ["--advice", rules] if rules else []
    found = run_json("curve", path, *given, "--learner", learner, "--checkpoints", ",".join(map(str, checkpoints)), "--metric", metric, *options)
    return dict(zip(checkpoints, found["learners"][0]["error_mean"]))


def unpacked(source, target):
    target.write_bytes(gzip.decompress(source.read_bytes()))
    return target


def rules_of(data, name):
    path = data.parent / "rules" / f"{name}.rules"
    if not path.exists():
        pytest.skip("rules from elsewhere are not beside the data")
    return path


def test_mushrooms_are_right_from_the_first(data, tmp_path):
    path = unpacked(data / "mushroom" / "mushroom.csv.gz", tmp_path / "m.csv")
    found = errors_at(path, rules_of(data, "mushroom"), [0, 1, 2, 5, 10, 50], "--label", "class", "--train", 200, "--runs", 8)
    assert max(found.values()) < 0.01, found


@pytest.mark.parametrize("lineage", ["east_african_indian", "indo_oceanic"])
def test_the_first_labels_cost_little_on_rows_that_are_not_scaled(lineage, data, tmp_path):
    rules = rules_of(data, "tuberculosis")
    run("make", "tuberculosis", "--rows", 4000, "--seed", 2, "-o", tmp_path / "all.csv", check=True)
    table = [line.split(",") for line in (tmp_path / "all.csv").read_text().splitlines()]
    rows = [[*row[:-2], str(min(max(int(row[-2]), 1), 2)), row[-1] if row[-1] == lineage else "other"] for row in table[1:]]
    path, own = tmp_path / "task.csv", tmp_path / "task.rules"
    path.write_text("\n".join(",".join(row) for row in [[*table[0][:-1], "label"], *rows]) + "\n")
    own.write_text("\n".join(line for line in rules.read_text().splitlines() if line.startswith(("domain", "integer")) or re.search(rf"=> (not )?{lineage}\b", line)) + "\n")
    found = errors_at(path, own, [0, 1, 2, 10, 100], "--scale", "none", "--positive", lineage, "--train", 200, "--runs", 10)
    assert max(found.values()) < 0.03, found


def write_frauds(path, rows, seed):
    """1 % positives, one rule: right in some 85 % of what it names, F1 about .8 as written."""
    random = numpy.random.default_rng(seed)
    fraud = random.random(rows) < 0.01
    amount = numpy.exp(random.normal(numpy.where(fraud, 6.9, 3.8), numpy.where(fraud, 0.45, 1.0)))
    night = random.random(rows) < numpy.where(fraud, 0.85, 0.2)
    abroad = random.random(rows) < numpy.where(fraud, 0.87, 0.3)
    noise = random.normal(size=(rows, 4)) + numpy.outer(fraud, numpy.linspace(0, 0.8, 4))
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["amount", "night", "abroad", "a", "b", "c", "d", "label"])
        out.writerows([f"{amount[i]:.2f}", int(night[i]), int(abroad[i]), *(f"{value:.3f}" for value in noise[i]), "fraud" if fraud[i] else "fine"] for i in range(rows))
    return path


@pytest.mark.parametrize("labels", [0, 10, 100, 1000, 3000])
def test_rare_frauds(labels, write, tmp_path):
    """A rule that fires on one row in a hundred is neither drowned by the base rate nor forgotten."""
    rules = write("f.rules", "r: amount >= 340 and night = 1 and abroad = 1 => fraud\n")
    header, *rows = write_frauds(tmp_path / "all.csv", 10_000, 1).read_text().splitlines(keepends=True)
    without = [re.sub(r",\w+$", ",", row.rstrip("\n")) + "\n" for row in rows[labels:2000]]
    train, test = write("train.csv", header + "".join(rows[:labels] + without)), write("test.csv", header + "".join(rows[5000:]))
    run("train", train, "--label", "label", "--advice", rules, "--positive", "fraud", "--classes", "fine,fraud", "--quiet", "--model", tmp_path / "m", check=True)
    decide = ["--decide", "cost:fp=1,fn=2"] if labels > 0 else []
    assert run_json("evaluate", tmp_path / "m", test, *decide)["f1"] > 0.72


def test_rules_turned_round_do_not_hurt_for_long(data, tmp_path):
    path = unpacked(data / "mushroom" / "mushroom.csv.gz", tmp_path / "m.csv")
    text = rules_of(data, "mushroom").read_text().replace("=> poisonous", "=> EDIBLE").replace("=> edible", "=> poisonous").replace("=> EDIBLE", "=> edible")
    turned = tmp_path / "turned.rules"
    turned.write_text(text)
    given = ["--label", "class", "--train", 300, "--runs", 8]
    found, plain = errors_at(path, turned, [20, 50, 200], *given), errors_at(path, None, [20, 50, 200], *given)
    assert all(found[at] < plain[at] + 0.03 for at in found), (found, plain)


def write_turning(folder, rows, seed):
    """Points with rules that are right in the first half and wrong in the second."""
    run("make", "synthetic", "--rows", rows, "--seed", seed, "-o", folder / "points.csv", check=True)
    header, *lines = (folder / "points.csv").read_text().splitlines()
    turned = {"positive": "negative", "negative": "positive"}
    cells = [line.rsplit(",", 1) for line in lines]
    path, rules = folder / "turning.csv", folder / "turning.rules"
    path.write_text("\n".join([header, *(f"{x},{label if i < rows / 2 else turned[label]}" for i, (x, label) in enumerate(cells))]) + "\n")
    rules.write_text("low: x2 <= 0 => positive\nhigh: x2 >= 3 and x2 - 0.5*x1 >= 1 => not positive\n")
    return path, rules


def test_a_world_that_changes(tmp_path):
    path, rules = write_turning(tmp_path, 3000, 4)
    given = [path, "--no-shuffle", "--advice", rules, "--quiet", "--model", tmp_path / "m"]
    errors = {drift: run_json("train", *given, "--set", f"drift={drift}")["progressive_error"] for drift in ("none", "auto")}
    assert errors["auto"] < 0.05 and errors["auto"] < errors["none"] - 0.01, errors
    found = run_json("explain", tmp_path / "m")["advice"]
    assert sum(part["share"] for part in found["parts"] if part["memory"] == 100) > 0.8 and len(found["parts"]) == 9
    assert sum(part["share"] for part in found["parts"]) == pytest.approx(1)
    text = run("explain", tmp_path / "m", check=True).stdout
    assert "shares by memory: all examples" in text and "about the last 100 " in text
    assert "mixture of several learners" in run("convert", tmp_path / "m", tmp_path / "m.liblinear").stderr


def test_mistakes_are_counted_since_there_are_rules(tmp_path):
    """Rules that come late are not praised or blamed for what was before."""
    path, rules = write_turning(tmp_path, 1000, 5)
    header, *lines = path.read_text().splitlines(keepends=True)
    (tmp_path / "first.csv").write_text(header + "".join(lines[:300]))
    (tmp_path / "rest.csv").write_text(header + "".join(lines[300:500]))
    run("train", tmp_path / "first.csv", "--model", tmp_path / "m", check=True)
    done = run("train", tmp_path / "rest.csv", "--init", tmp_path / "m", "--advice", rules, "--model", tmp_path / "n", check=True)
    assert "mistakes on 200 examples" in done.stdout, done.stdout
    assert "mistakes on 200 examples" in run("explain", tmp_path / "n", check=True).stdout


def test_rules_that_no_hyperplane_obeys(tmp_path):
    """Inside and outside a circle, and opposite corners: from no label on as good as the rules as written."""
    random = numpy.random.default_rng(6)
    X = random.uniform(-2, 2, size=(1500, 2))
    circle = "a between -0.7 and 0.7 and b between -0.7 and 0.7 => yes\n" + "".join(f"{side} => no\n" for side in ("a <= -1.2", "a >= 1.2", "b <= -1.2", "b >= 1.2"))
    corners = "a > 0 and b > 0 => yes\na <= 0 and b <= 0 => yes\na > 0 and b <= 0 => no\na <= 0 and b > 0 => no\n"
    for text, truth in ((circle, (X**2).sum(axis=1) < 1.2), (corners, X[:, 0] * X[:, 1] > 0)):
        path, rules = tmp_path / "d.csv", tmp_path / "d.rules"
        path.write_text("a,b,label\n" + "".join(f"{a:.4f},{b:.4f},{'yes' if right else 'no'}\n" for (a, b), right in zip(X, truth)))
        rules.write_text(text)
        given = ["--train", 400, "--runs", 5, "--metric", "error"]
        found = run_json("curve", path, "--advice", rules, "--checkpoints", "0,1,5,20,100", *given)
        written = found["rules_as_written"]["error_mean"] if "rules_as_written" in found else found["learners"][-1]["error_mean"]
        assert all(mine < other + 0.03 for mine, other in zip(found["learners"][0]["error_mean"], written)), (found["learners"][0]["error_mean"], written)
        assert found["learners"][0]["error_mean"][0] < written[0] + 0.005


def test_probabilities_mean_what_they_say(data, tmp_path):
    """Log loss and calibration after 500 labels, on rows not seen before."""
    path = unpacked(data / "pima" / "pima.csv.gz", tmp_path / "p.csv")
    header, *rows = path.read_text().splitlines(keepends=True)
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    train.write_text(header + "".join(rows[:500]))
    test.write_text(header + "".join(rows[500:]))
    run("train", train, "--advice", rules_of(data, "diabetes"), "--quiet", "--model", tmp_path / "m", check=True)
    found = run_json("evaluate", tmp_path / "m", test)
    assert found["log_loss"] < 0.5 and found["calibration_error"] < 0.08 and found["brier_score"] < 0.17


@pytest.mark.parametrize("decide, word", [("likely", "likely"), ("balanced", "balanced"), ("cost:fp=1,fn=20", "cost:fp=1,fn=20")])
def test_decisions(decide, word, write, tmp_path):
    data = write_frauds(tmp_path / "all.csv", 4000, 3)
    run("train", data, "--positive", "fraud", "--quiet", "--model", tmp_path / "m", check=True)
    found = run_json("evaluate", tmp_path / "m", data, "--decide", decide)
    predicted = run_json("predict", tmp_path / "m", data, "--decide", decide)
    assert found["decide"]["label"] == word and sum(label == "fraud" for label in predicted["labels"]) == sum(counts[1] for counts in found["confusion"]["counts"])
    p = numpy.array(predicted["probabilities"])[:, predicted["classes"].index("fraud")]
    if decide.startswith("cost"):
        assert [label == "fraud" for label in predicted["labels"]] == (20 * p >= 1 - p).tolist()
    if decide == "likely":
        assert [label == "fraud" for label in predicted["labels"]] == (p >= 0.5).tolist()


def test_decisions_that_make_no_sense(write, tmp_path):
    data = write("d.csv", "x,label\n" + "1,a\n2,b\n3,c\n" * 5)
    run("train", data, "--quiet", "--model", tmp_path / "m", check=True)
    assert "unknown decision 'rarely'" in run("predict", tmp_path / "m", data, "--decide", "rarely").stderr
    assert "two classes" in run("predict", tmp_path / "m", data, "--decide", "cost:fp=1,fn=2").stderr
    for wrong in ("cost:", "cost:fp", "cost:fp=-1", "cost:fp=0,fn=0", "cost:fp=inf"):
        assert run("evaluate", tmp_path / "m", data, "--decide", wrong).returncode == 2


def test_comparisons_decide_as_told(write, tmp_path):
    data = write_frauds(tmp_path / "all.csv", 4000, 5)
    given = ["--positive", "fraud", "--train", 1000, "--runs", 2, "--checkpoints", "1000", "--metric", "balanced_error"]
    by_default, likely = run_json("curve", data, *given), run_json("curve", data, *given, "--decide", "likely")
    assert by_default["decide"] is None and likely["decide"] == "likely"
    assert by_default["learners"][0]["error_mean"][0] < likely["learners"][0]["error_mean"][0]
    assert "balanced threshold" in run("cv", data, "--metric", "balanced_error", "--folds", 2, check=True).stdout
    assert "decided by cost:fp=1,fn=3" in run("cv", data, "--metric", "f1", "--folds", 2, "--decide", "cost:fp=1,fn=3", check=True).stdout
