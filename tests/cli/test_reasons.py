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


def test_kept_columns_and_predictions_have_names_of_their_own(write, tmp_path):
    data = write("d.csv", "a,score,label\n" + "".join(f"{k},{k % 7},{'yes' if k % 3 else 'no'}\n" for k in range(60)))
    run("train", data, "--quiet", "--model", tmp_path / "m", check=True)
    head = lambda *options: run("predict", tmp_path / "m", data, *options, check=True).stdout.splitlines()[0]
    assert head("--keep", "label") == "label,predicted_label"
    assert head("--keep", "label,score", "--scores") == "label,score,predicted_label,probability,predicted_score"
    assert head("--keep", "a", "--scores") == "a,label,probability,score"
