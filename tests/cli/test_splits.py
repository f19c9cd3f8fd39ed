"""`--group` and `--time` of cv, tune and curve: the folds against scikit-learn's, on generated and on real rows."""

import numpy as np
import pandas as pd
import pytest
from conftest import run, run_json
from sklearn.model_selection import StratifiedGroupKFold, TimeSeriesSplit


def visits(folder, patients=60, seed=3):
    """Visits of patients: what a patient has in common tells patients apart, and says nothing of others."""
    draw = np.random.default_rng(seed)
    counts = draw.integers(1, 15, patients)
    who = np.repeat(np.arange(patients), counts)
    sick = draw.random(patients) < 0.4
    frame = pd.DataFrame({"patient": [f"p{k:03d}" for k in who], "day": draw.permutation(len(who)), "x": draw.normal(size=len(who)) + sick[who]})
    for k in range(4):
        frame[f"own{k}"] = draw.normal(size=patients)[who]
    frame["label"] = np.where(sick[who], "ill", "well")
    frame = frame.sample(frac=1, random_state=seed).reset_index(drop=True)
    frame.to_csv(folder / "visits.csv", index=False)
    return folder / "visits.csv", frame


def folds_of(path, out, *options):
    told = run_json("cv", path, "--learner", "pa", "--save-folds", out, *options)
    return pd.read_csv(out), told


@pytest.mark.parametrize("folds", [2, 5, 10])
def test_groups_stay_together_and_classes_are_spread(tmp_path, folds):
    path, frame = visits(tmp_path)
    found, told = folds_of(path, tmp_path / "folds", "--group", "patient", "--folds", folds)
    assert told["group"] == "patient" and len(told["per_fold"]) == folds
    assert list(found.line) == list(range(2, len(frame) + 2))
    assert set(found.fold) == set(range(1, folds + 1))  # all rows tested, no fold empty
    assert (found.fold.groupby(frame.patient).nunique() == 1).all()

    def unevenness(fold):
        share = pd.crosstab(fold, frame.label, normalize="columns")
        return ((share - 1 / folds) ** 2).to_numpy().sum()

    theirs = np.zeros(len(frame))
    for k, (_, test) in enumerate(StratifiedGroupKFold(folds, shuffle=True, random_state=0).split(frame, frame.label, frame.patient)):
        theirs[test] = k
    assert unevenness(found.fold) <= 1.5 * unevenness(pd.Series(theirs)) + 0.002
    assert folds_of(path, tmp_path / "again", "--group", "patient", "--folds", folds)[0].equals(found)
    assert not folds_of(path, tmp_path / "other", "--group", "patient", "--folds", folds, "--seed", 1)[0].equals(found)


def test_a_group_column_is_no_feature_unless_asked(tmp_path):
    path, frame = visits(tmp_path)
    by_hand = frame.drop(columns="patient")
    by_hand.to_csv(tmp_path / "without.csv", index=False)
    given = ["--folds", 4, "--learner", "perceptron"]
    assert run_json("cv", path, *given, "--ignore", "patient") == run_json("cv", tmp_path / "without.csv", *given)
    grouped = run_json("cv", path, *given, "--group", "patient")
    assert grouped["per_fold"] == run_json("cv", path, *given, "--group", "patient", "--ignore", "patient")["per_fold"]
    asked = run_json("cv", path, *given, "--group", "patient", "--kind", "patient=categorical")
    assert asked["per_fold"] != grouped["per_fold"]


def test_groups_show_what_mixed_folds_hide(tmp_path):
    """A forest of columns that only tell patients apart: with visits of one patient on both sides the error is too good."""
    path, frame = visits(tmp_path, 40, 1)
    given = ["--folds", 5, "--learner", "svm", "--set", "gamma=1", "--set", "C=10"]
    assert run_json("cv", path, *given)["error_mean"] < 0.5 * run_json("cv", path, *given, "--group", "patient")["error_mean"]


@pytest.mark.parametrize("folds", [1 + 1, 5, 9])
def test_time_is_scikit_learns_where_no_two_times_are_equal(tmp_path, folds):
    path, frame = visits(tmp_path)
    found, told = folds_of(path, tmp_path / "folds", "--time", "day", "--folds", folds)
    order = np.argsort(frame.day.to_numpy())
    expected = np.zeros(len(frame), int)
    for k, (_, test) in enumerate(TimeSeriesSplit(folds).split(order)):
        expected[order[test]] = k + 1
    assert list(found.fold) == list(expected) and told["time"] == "day"
    assert "before it by day" in run("cv", path, "--time", "day", "--folds", folds, check=True).stdout


@pytest.mark.parametrize("how", ["date", "time of day", "number"])
def test_equal_times_are_never_parted(tmp_path, how):
    path, frame = visits(tmp_path)
    draw = np.random.default_rng(0)
    months = draw.choice(9, len(frame), p=[0.4, 0.02, 0.02, 0.02, 0.2, 0.1, 0.1, 0.1, 0.04])
    day = pd.to_datetime("2024-11-28") + pd.to_timedelta(months, unit="D")
    frame["when"] = {"date": day.strftime("%Y-%m-%d"), "time of day": day.strftime("%Y-%m-%d 12:30"), "number": months * 0.5 - 1}[how]
    frame[["when", "x", "own0", "label"]].to_csv(tmp_path / "t.csv", index=False)
    for folds in (2, 5, 8):
        found, _ = folds_of(tmp_path / "t.csv", tmp_path / "folds", "--time", "when", "--folds", folds)
        assert set(found.fold) == set(range(folds + 1))
        assert (found.fold.groupby(months).nunique() == 1).all()
        assert found.fold.groupby(months).first().is_monotonic_increasing  # learned from the past only
    refused = run("cv", tmp_path / "t.csv", "--time", "when", "--folds", 9)
    assert refused.returncode == 1 and "9 different times" in refused.stderr and "--folds 8" in refused.stderr


def test_the_past_alone_is_learned(tmp_path):
    """Each fold's error is that of a model trained on the rows before it."""
    path, frame = visits(tmp_path)
    given = ["--learner", "pa"]
    found, told = folds_of(path, tmp_path / "folds", "--time", "day", "--folds", 3)
    ordered = frame.sort_values("day").drop(columns="day")
    fold = found.fold.to_numpy()[ordered.index]
    for k, error in enumerate(told["per_fold"], 1):
        ordered[fold < k].to_csv(tmp_path / "past.csv", index=False)
        ordered[fold == k].to_csv(tmp_path / "next.csv", index=False)
        run("train", tmp_path / "past.csv", *given, "--order", "file", "--model", tmp_path / "m", "--quiet", check=True)
        assert run_json("evaluate", tmp_path / "m", tmp_path / "next.csv")["error"] == pytest.approx(error)


def test_choices_inside_a_fold_respect_groups_and_times(tmp_path):
    """A setting that is only good where patients are on both sides is not chosen."""
    path, _ = visits(tmp_path, 40, 1)
    given = ["--learner", "svm", "--set", "C=10", "--grid", "gamma=0.001,1", "--folds", 4]
    mixed, grouped = run_json("cv", path, *given), run_json("cv", path, *given, "--group", "patient")
    assert [of["gamma"] for of in mixed["chosen"]] == [1] * 4
    assert [of["gamma"] for of in grouped["chosen"]].count(0.001) >= 3
    assert len(run_json("cv", path, "--learner", "pa", "--grid", "C=0.1,1", "--folds", 3, "--time", "day")["chosen"]) == 3
    tuned = run_json("tune", path, *given[:-2], "--group", "patient", "--holdout", 0.25)
    assert tuned["best"]["gamma"] == 0.001 and tuned["holdout_error"] > 0.1
    assert run_json("tune", path, "--learner", "pa", "--grid", "C=0.1,1", "--time", "day", "--holdout", 0.25)["holdout_error"] >= 0


def test_curve_by_group(tmp_path):
    path, frame = visits(tmp_path, 40, 1)
    given = ["--learner", "svm:gamma=1,C=10", "--train", 150, "--runs", 10, "--checkpoints", "150"]
    mixed, grouped = run_json("curve", path, *given), run_json("curve", path, *given, "--group", "patient")
    assert grouped["learners"][0]["error_mean"][0] > 1.5 * mixed["learners"][0]["error_mean"][0]
    assert len(frame) - 150 - 15 <= grouped["test"] <= len(frame) - 150
    refused = run("curve", path, "--group", "patient", "--draw", "balanced")
    assert refused.returncode == 2 or refused.returncode == 1
    assert "--draw balanced cannot be combined with --group" in refused.stderr


def test_numbers_as_labels(tmp_path):
    path, frame = visits(tmp_path)
    for split in (["--group", "patient"], ["--time", "day"]):
        told = run_json("cv", path, "--label", "x", "--task", "regression", "--folds", 3, "--ignore", "label", *split)
        assert told["metric"] == "mae" and len(told["per_fold"]) == 3


def test_empty_cells(tmp_path):
    path, frame = visits(tmp_path)
    frame.loc[:20, "patient"] = ""
    frame.to_csv(path, index=False)
    told = run("cv", path, "--group", "patient", "--folds", 3, "--save-folds", tmp_path / "folds", check=True)
    assert "21 rows have no value in column 'patient'; together they count as one group" in told.stderr
    assert pd.read_csv(tmp_path / "folds").fold[:21].nunique() == 1
    frame["day"] = frame.day.astype(str)
    frame.loc[7, "day"] = "soon"
    frame.to_csv(path, index=False)
    told = run("cv", path, "--time", "day", "--folds", 3)
    assert told.returncode == 1 and "visits.csv:9:" in told.stderr and "found 'soon' in column 'day'" in told.stderr


def test_what_cannot_be(tmp_path):
    path, frame = visits(tmp_path, 6)
    for options, words in (
        (["--group", "patient"], ["10 folds of only 6 groups", "--folds 6"]),
        (["--group", "patent"], ["there is no column 'patent'", "did you mean 'patient'?"]),
        (["--time", "dya"], ["there is no column 'dya'"]),
        (["--time", "day", "--group", "patient"], ["cannot be combined"]),
        (["--group", "label", "--label", "label"], ["label"]),
    ):
        told = run("cv", path, *options)
        assert told.returncode in (1, 2) and all(word in told.stderr for word in words), told.stderr
    (tmp_path / "a.svm").write_text("1 1:2\n-1 1:3\n1 1:1\n-1 1:5\n")
    assert "named columns" in run("cv", tmp_path / "a.svm", "--group", "x").stderr


