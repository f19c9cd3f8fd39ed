"""`evaluate` by class and by group, `predict --keep`: against scikit-learn and SciPy, on rows read by pandas."""

import io

import numpy as np
import pandas as pd
import pytest
from conftest import run, run_json
from scipy.stats import binomtest
from sklearn.metrics import confusion_matrix, mean_absolute_error, precision_recall_fscore_support


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Patients with a site, which is no feature, a sex, which is, and ids with commas, quotes and leading zeros."""
    folder = tmp_path_factory.mktemp("groups")
    draw = np.random.default_rng(5)
    rows = 700
    frame = pd.DataFrame({"id": [f'0{k}, "x"' if k % 3 == 0 else f"0{k}" for k in range(rows)], "sex": draw.choice(["f", "m", ""], rows, p=[0.6, 0.35, 0.05]), "site": draw.integers(1, 12, rows), "glucose": draw.normal(120, 30, rows).round(1), "bmi": draw.normal(30, 6, rows).round(1)})
    frame["outcome"] = np.where(frame.glucose + 3 * frame.bmi + 15 * (frame.sex == "m") + draw.normal(0, 25, rows) > 215, "ill", "well")
    frame["cost"] = (frame.glucose * 2 + draw.normal(0, 5, rows)).round(2)
    frame.to_csv(folder / "d.csv", index=False)
    run("train", folder / "d.csv", "--label", "outcome", "--ignore", "cost", "--ignore", "site", "--ignore", "id", "--model", folder / "m", "--quiet", check=True)
    run("train", folder / "d.csv", "--label", "cost", "--task", "regression", "--ignore", "outcome", "--ignore", "site", "--ignore", "id", "--model", folder / "r", "--quiet", check=True)
    return folder, frame


def predicted(folder, model="m", *options):
    return pd.read_csv(io.StringIO(run("predict", folder / model, folder / "d.csv", *options, check=True).stdout), dtype=str, keep_default_na=False)


def test_cells_are_kept_as_they_are(trained):
    folder, frame = trained
    out = predicted(folder, "m", "--keep", "id,site", "--keep", "sex", "--scores")
    assert list(out.columns) == ["id", "site", "sex", "label", "probability", "score"]
    assert list(out.id) == list(frame.id) and list(out.site) == [str(site) for site in frame.site] and list(out.sex) == list(frame.sex)
    assert list(out.label) == list(predicted(folder).label)
    for threads in ("1", "3"):
        told = run_json("predict", folder / "m", folder / "d.csv", "--keep", "glucose,id", "--threads", threads)
        assert told["kept"]["id"] == list(frame.id) and [float(cell) for cell in told["kept"]["glucose"]] == list(frame.glucose)
        assert told["labels"] == list(out.label)


def test_each_class_has_its_precision_and_recall(trained):
    folder, frame = trained
    told = run_json("evaluate", folder / "m", folder / "d.csv")
    guess = predicted(folder).label
    precision, recall, _, rows = precision_recall_fscore_support(frame.outcome, guess, labels=["ill", "well"])
    for k, of in enumerate(told["classes"]):
        assert (of["class"], of["rows"]) == (["ill", "well"][k], rows[k])
        assert (of["precision"], of["recall"]) == pytest.approx((precision[k], recall[k]))
        for share, among in (("precision", of["predicted"]), ("recall", of["rows"])):
            assert of[f"{share}_interval"] == pytest.approx(binomtest(of["right"], among).proportion_ci(0.95, "wilson"), abs=1e-5)
    shown = run("evaluate", folder / "m", folder / "d.csv", check=True).stdout
    assert f"{100 * precision[0]:.1f}%" in shown and f"{100 * recall[1]:.1f}%" in shown and "F1 of well" in shown


@pytest.mark.parametrize("columns", [["sex"], ["site", "sex"], ["outcome"]])
def test_groups_are_counted_apart(trained, columns):
    folder, frame = trained
    guess = predicted(folder).label
    told = run_json("evaluate", folder / "m", folder / "d.csv", "--by", ",".join(columns))["by"]
    assert set(told) == set(columns)
    for column in columns:
        values = [group["value"] for group in told[column]]
        assert values == [str(value) for value in sorted(frame[column].unique())]
        for group in told[column]:
            chosen = frame[column].astype(str) == group["value"]
            counts = confusion_matrix(frame.outcome[chosen], guess[chosen], labels=["ill", "well"])
            assert (group["rows"], group["accuracy"]) == (chosen.sum(), pytest.approx((frame.outcome[chosen] == guess[chosen]).mean()))
            assert [of["right"] for of in group["classes"]] == list(np.diag(counts)) and [of["predicted"] for of in group["classes"]] == list(counts.sum(0))
    shown = run("evaluate", folder / "m", folder / "d.csv", "--by", "sex", check=True).stdout
    assert "(empty)" in shown and "are well" in shown


def test_numbers_by_group(trained):
    folder, frame = trained
    guess = predicted(folder, "r").label.astype(float)
    for group in run_json("evaluate", folder / "r", folder / "d.csv", "--by", "sex")["by"]["sex"]:
        chosen = frame.sex == group["value"]
        assert group["examples"] == chosen.sum() and group["mae"] == pytest.approx(mean_absolute_error(frame.cost[chosen], guess[chosen]))
    assert "mean |error|" in run("evaluate", folder / "r", folder / "d.csv", "--by", "sex", check=True).stdout


def test_what_cannot_be_kept_or_grouped(trained, tmp_path):
    folder, _ = trained
    for verb, option in (("predict", "--keep"), ("evaluate", "--by")):
        told = run(verb, folder / "m", folder / "d.csv", option, "sit")
        assert told.returncode == 1 and "there is no column 'sit'; did you mean 'site'?" in told.stderr
        told = run(verb, folder / "m", folder / "d.csv", option, "site,site")
        assert told.returncode == 2 and "site" in told.stderr
    run("make", "text", "--rows", 50, "-o", tmp_path / "t.svm", check=True)
    run("train", tmp_path / "t.svm", "--model", tmp_path / "m", "--quiet", check=True)
    assert "only CSV files have named columns" in run("predict", tmp_path / "m", tmp_path / "t.svm", "--keep", "a").stderr
    many = pd.DataFrame({"glucose": [1] * 1200, "bmi": [2] * 1200, "sex": "m", "name": range(1200), "outcome": "ill"})
    many.to_csv(tmp_path / "many.csv", index=False)
    told = run("evaluate", folder / "m", tmp_path / "many.csv", "--by", "name")
    assert told.returncode == 2 and "more than 1000 different values" in told.stderr
