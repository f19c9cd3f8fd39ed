"""--decide ...,abstain=: labels, coverage, errors and costs, counted again from the probabilities that predict prints."""

import io

import numpy as np
import pandas as pd
import pytest
from conftest import run, run_json
from scipy.stats import binomtest


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("abstain")
    draw = np.random.default_rng(2)
    for name, rows in (("train", 600), ("test", 500)):
        frame = pd.DataFrame({"a": draw.normal(size=rows), "b": draw.normal(size=rows)})
        frame["label"] = np.where(frame.a + frame.b + draw.normal(size=rows) > 1, "ill", "well")
        frame["three"] = np.select([frame.a > 0.7, frame.b > 0.5], ["x", "y"], "z")
        frame.to_csv(folder / f"{name}.csv", index=False)
    for learner in ("advised", "pa"):
        run("train", folder / "train.csv", "--label", "label", "--ignore", "three", "--learner", learner, "--positive", "ill", "--model", folder / learner, "--quiet", check=True)
    run("train", folder / "train.csv", "--label", "three", "--ignore", "label", "--model", folder / "three", "--quiet", check=True)
    return folder, pd.read_csv(folder / "test.csv")


def predicted(folder, model, *options):
    text = run("predict", folder / model, folder / "test.csv", "--scores", *options, check=True).stdout
    return pd.read_csv(io.StringIO(text), dtype={"label": str}, keep_default_na=False)


def interval(part, of):
    return pytest.approx(list(binomtest(int(part), int(of)).proportion_ci(0.95, "wilson")), abs=1e-5)


@pytest.mark.parametrize("model", ["advised", "pa"])
@pytest.mark.parametrize("least", [0, 0.5, 0.8, 0.99, 1])
def test_likely(trained, model, least):
    folder, test = trained
    out = predicted(folder, model, "--decide", f"likely,abstain={least}")
    top = np.maximum(out.probability, 1 - out.probability)
    label = np.where(out.probability >= 0.5, "ill", "well")
    assert list(out.label) == list(np.where(top < least, "", label))
    told = run_json("predict", folder / model, folder / "test.csv", "--decide", f"likely,abstain={least}")["labels"]
    assert [of or "" for of in told] == list(out.label)
    report = run_json("evaluate", folder / model, folder / "test.csv", "--decide", f"likely,abstain={least}")
    assert report["decide"]["label"] == f"likely,abstain={least}"
    found, answered = report["abstention"], top >= least
    wrong = answered & (label != test.label)
    assert (found["rows"], found["answered"]) == (len(test), answered.sum())
    assert found["coverage"] == pytest.approx(answered.mean()) and found["coverage_interval"] == interval(answered.sum(), len(test))
    if answered.any():
        assert found["error"] == pytest.approx(wrong.sum() / answered.sum()) and found["error_interval"] == interval(wrong.sum(), answered.sum())
    else:
        assert found["error"] is None
    for of in found["classes"]:
        mine = test.label == of["class"]
        assert (of["rows"], of["answered"]) == (mine.sum(), (mine & answered).sum())
    assert report["accuracy"] == pytest.approx((label == test.label).mean())  # with an answer for every row
    by_certainty = np.argsort(-top.to_numpy(), kind="stable")
    errors = np.cumsum((label != test.label)[by_certainty])
    for point in found["risk_coverage"]:
        k = point["answered"]
        assert point["error"] == pytest.approx(errors.iloc[k - 1] / k) and point["coverage"] == pytest.approx(k / len(test))
        assert (top >= point["probability_at_least"] - 1e-12).sum() == k  # 1 - p is rounded
    assert [round(point["coverage"], 2) for point in found["risk_coverage"]] == [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1]
    text = run("evaluate", folder / model, folder / "test.csv", "--decide", f"likely,abstain={least}", check=True).stdout
    assert f"({answered.sum()}/{len(test)})" in text and "surest rows" in text and "With an answer for every row" in text


@pytest.mark.parametrize("fp, fn, none", [(1, 10, 0.5), (1, 1, 0.2), (3, 2, 5), (1, 10, 0)])
def test_costs(trained, fp, fn, none):
    folder, test = trained
    decide = f"cost:fp={fp},fn={fn},abstain={none}"
    out = predicted(folder, "advised", "--decide", decide)
    yes, no = fp * (1 - out.probability), fn * out.probability
    expected = np.where(np.minimum(yes, no) > none, "", np.where(yes <= no, "ill", "well"))
    assert list(out.label) == list(expected)
    found = run_json("evaluate", folder / "advised", folder / "test.csv", "--decide", decide)["abstention"]
    cost = np.where(expected == "", none, np.where(expected == test.label, 0, np.where(expected == "ill", fp, fn)))
    assert found["mean_cost"] == pytest.approx(cost.mean()) and found["answered"] == (expected != "").sum()
    answered = f"cost:fp={fp},fn={fn}"
    label = np.array(predicted(folder, "advised", "--decide", answered).label)
    mean = np.where(label == test.label, 0, np.where(label == "ill", fp, fn)).mean()
    plain = run_json("evaluate", folder / "advised", folder / "test.csv", "--decide", answered)
    assert plain["cost"] == pytest.approx(mean) and "abstention" not in plain
    assert f"\nmean cost of a row {mean:.4g}\n" in run("evaluate", folder / "advised", folder / "test.csv", "--decide", answered, check=True).stdout
    assert "cost" not in run_json("evaluate", folder / "advised", folder / "test.csv", "--decide", "likely")


def test_balanced_and_several_classes(trained):
    folder, test = trained
    out = predicted(folder, "advised", "--decide", "balanced,abstain=0.7")
    plain = predicted(folder, "advised", "--decide", "balanced")
    assert 0 < (out.label == "").sum() < len(test)
    assert (out.label[out.label != ""] == plain.label[out.label != ""]).all()
    odds = out.probability / (1 - out.probability)
    reached = odds[out.label == "ill"].min(), odds[(out.label == "") & (plain.label == "ill")].max(), odds[(out.label == "") & (plain.label == "well")].min(), odds[out.label == "well"].max()
    assert reached[0] >= reached[1] > reached[2] >= reached[3]
    assert reached[0] / reached[3] == pytest.approx((0.7 / 0.3) ** 2, rel=0.3)  # the threshold is in the middle of the two
    three = predicted(folder, "three", "--decide", "likely,abstain=0.6")
    top = three[[f"probability_{name}" for name in "xyz"]].max(axis=1)
    assert ((three.label == "") == (top < 0.6)).all() and 0 < (three.label == "").sum() < len(test)
    assert len(run_json("evaluate", folder / "three", folder / "test.csv", "--decide", "likely,abstain=0.6")["abstention"]["classes"]) == 3


def test_what_cannot_be(trained):
    folder, _ = trained
    for wrong in ("likely,abstain=1.5", "likely,abstain=", "likely,abstain=x", "likely,abstain=-1", "balanced,likely", "abstain", "cost:fp=1,abstain=1,fn=2", "likely,"):
        told = run("predict", folder / "advised", folder / "test.csv", "--decide", wrong)
        assert told.returncode in (1, 2) and "expected" in told.stderr, wrong
    for verb in ("cv", "curve"):
        assert "abstain= is for predict and evaluate" in run(verb, folder / "train.csv", "--label", "label", "--decide", "likely,abstain=0.8").stderr
    assert "abstention" not in run_json("evaluate", folder / "advised", folder / "test.csv")
