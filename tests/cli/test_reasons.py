"""predict --reasons: why each row got its label, in bulk; the same sums as explain --row."""

import csv
import io
import re

import pytest
from conftest import run, run_json

RULES = "risk: bmi >= 30 and glucose >= 126 => diabetes\nlean: bmi <= 25 and glucose <= 100 => not diabetes\n"


@pytest.fixture(scope="module")
def patients(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reasons")
    run("make", "diabetes", "--rows", 300, "--seed", 4, "-o", folder / "p.csv", check=True)
    (folder / "d.rules").write_text(RULES)
    return folder


@pytest.mark.parametrize("learner", ["advised", "pa-adviceptron", "rules", "arow"])
def test_reasons_are_those_of_explain(patients, learner):
    advice = [] if learner == "arow" else ["--advice", patients / "d.rules"]
    model = patients / f"{learner}.postil"
    run("train", patients / "p.csv", *advice, "--learner", learner, "--model", model, "--quiet", check=True)
    rows = list(csv.DictReader(io.StringIO(run("predict", model, patients / "p.csv", "--reasons", 3, check=True).stdout)))
    assert len(rows) == 300 and set(rows[0]) == {"label", "reason_1", "reason_2", "reason_3"}
    for number in (1, 17, 300):
        text = run("explain", model, "--data", patients / "p.csv", "--row", number, check=True).stdout
        text = text.split("contribution by rule")[0]  # the same score, split up in another way
        assert f"predicted outcome: {rows[number - 1]['label']}" in text
        sums = {what.strip(): float(value) for value, what in re.findall(r"^ +(-?[\d.]+)  (.+)$", text, re.MULTILINE)}
        shown = [re.fullmatch(r"(.+) \(([+-][\d.e-]+)\)", cell).groups() for cell in list(rows[number - 1].values())[1:] if cell]
        for what, value in shown:
            assert float(value) > 0 and sums[what] == pytest.approx(float(value), rel=1e-3, abs=2e-3)
        possible = [value for what, value in sums.items() if value > 0 and (" = " in what or re.match(r"rule .*which holds here", what))]
        assert [float(value) for _, value in shown] == pytest.approx(sorted(possible, reverse=True)[:3], rel=1e-3, abs=2e-3)
    document = run_json("predict", model, patients / "p.csv", "--reasons", 2)
    assert len(document["reasons"]) == 300 and all(len(found) <= 2 for found in document["reasons"])
    for row, found in zip(rows, document["reasons"]):
        assert [reason["text"] for reason in found] == [cell.rsplit(" (", 1)[0] for cell in (row["reason_1"], row["reason_2"]) if cell]


def test_learners_without_weights_by_feature_are_refused(patients):
    run("train", patients / "p.csv", "--learner", "svm", "--model", patients / "svm.postil", "--quiet", check=True)
    done = run("predict", patients / "svm.postil", patients / "p.csv", "--reasons", 2)
    assert done.returncode == 2 and "kernels" in done.stderr


# ---- one line for a fact, and none for nothing ----


@pytest.fixture(scope="module")
def wards(tmp_path_factory):
    """Rows with categories, some of them missing, of two classes and of three."""
    folder = tmp_path_factory.mktemp("wards")
    lines = []
    for k in range(400):
        age, night, ward = 20 + k * 37 % 70, ("yes", "no")[k * 13 % 7 % 2], ("a", "b", "c", "")[k * 11 % 4]
        ill = age + 20 * (night == "no") + 10 * (ward == "a") > 70
        lines.append((f"{age if k % 9 else ''},{night},{ward}", "ill" if ill else "well", "ill" if ill else "unwell" if ward == "b" else "well"))
    for name, place in (("two", 1), ("three", 2)):
        (folder / f"{name}.csv").write_text("age,night,ward,label\n" + "".join(f"{line[0]},{line[place]}\n" for line in lines))
    return folder


def lines_of(text):
    return {what: float(value) for value, what in re.findall(r"^ +(-?[\d.]+)  (.+)$", text, re.MULTILINE)}


@pytest.mark.parametrize("missing", ["mean", "indicator"])
@pytest.mark.parametrize("name", ["two", "three"])
@pytest.mark.parametrize("learner", ["advised", "arow", "sgd"])
def test_a_category_is_told_once(wards, learner, name, missing):
    model = wards / f"{learner}-{name}-{missing}"
    run("train", wards / f"{name}.csv", "--learner", learner, "--missing", missing, "--model", model, "--quiet", check=True)
    for row, night, ward in (("age=70,night=no,ward=a", "night is no", "ward is a"), ("age=30,night=yes,ward=?", "night is yes", "ward is missing"), ("age=?,night=no,ward=z", "night is no", "ward is 'z', which the model does not know")):
        text = run("explain", model, "--row", row, check=True).stdout
        told, found = lines_of(text), run_json("explain", model, "--row", row)
        task, sign = found, 1
        if "per_class" in found:
            task = next(task for task in found["per_class"] if task["class"] == found["label"])
        elif found["label"] != found["class"]:
            sign = -1
        assert night in told and "night=" not in text and "ward=" not in text
        for line, column in ((night, "night"), (ward, "ward")):
            wanted = sum(entry["contribution"] for entry in task["features"] if entry["feature"].startswith(f"{column}="))
            assert told.get(line, 0) == pytest.approx(sign * wanted, abs=6e-5)  # without scaling, a missing category adds nothing
        age = sum(entry["contribution"] for entry in task["features"] if entry["feature"] in ("age", "age=?"))
        line = ("age is missing" if missing == "indicator" else "age =") if "age=?," in row else "age = "
        assert sum(value for what, value in told.items() if what.startswith(line)) == pytest.approx(sign * age, abs=6e-5)
        head = float(re.search(r": (-?[\d.]+)(?: \(a prob.*\))?, the sum of", text)[1])
        assert sum(told.values()) == pytest.approx(head, rel=1e-4, abs=5e-4)


def test_lines_of_nothing_are_counted_and_left_out(tmp_path):
    (tmp_path / "r.rules").write_text("old: age >= 60 and night = no => ill\nthin: bmi < 20 => well\n")
    names = [f"a{k}" for k in range(20)]
    for learner in ("advised", "wager"):
        run("train", "--advice", tmp_path / "r.rules", "--learner", learner, "--columns", ",".join(["age", "bmi", "night", *names]), "--model", tmp_path / "m", "--quiet", check=True)
        row = "age=70,bmi=19,night=no," + ",".join(f"{name}=1" for name in names)
        text = run("explain", tmp_path / "m", "--row", row, check=True).stdout
        idle = re.findall(r"^ +-?0\.0000  (.*)$", text, re.MULTILINE)
        assert all(re.match("rule .* holds here", what) for what in idle), text
        left_out = sum(int(count) for count in re.findall(r"^  \.\.\. and (\d+) lines? of 0\.0000$", text, re.MULTILINE))
        assert left_out >= 20 and "more features" not in text and len(lines_of(text)) >= 1, text
        assert len(run_json("explain", tmp_path / "m", "--row", row)["features"]) >= 20


def test_kept_columns_and_predictions_have_names_of_their_own(write, tmp_path):
    data = write("d.csv", "a,score,label\n" + "".join(f"{k},{k % 7},{'yes' if k % 3 else 'no'}\n" for k in range(60)))
    run("train", data, "--quiet", "--model", tmp_path / "m", check=True)
    head = lambda *options: run("predict", tmp_path / "m", data, *options, check=True).stdout.splitlines()[0]
    assert head("--keep", "label") == "label,predicted_label"
    assert head("--keep", "label,score", "--scores") == "label,score,predicted_label,probability,predicted_score"
    assert head("--keep", "a", "--scores") == "a,label,probability,score"
