"""The made-up patients of `make diabetes`: the odds they were drawn with, missing values, both formats."""

import csv

import numpy as np
from conftest import run, run_json
from sklearn.linear_model import LogisticRegression



def test_the_odds_are_those_of_the_file(tmp_path):
    run("make", "diabetes", "--rows", 60_000, "--seed", 3, "--missing", 0, "-o", tmp_path / "p.csv", check=True)
    with open(tmp_path / "p.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["age", "pregnancies", "glucose", "blood_pressure", "bmi", "pedigree", "outcome"]
    x = np.array([[float(cell) for cell in row[:-1]] for row in rows[1:]])
    y = np.array([row[-1] == "diabetes" for row in rows[1:]])
    assert 0.2 < y.mean() < 0.4
    scale = x.std(axis=0)
    fitted = LogisticRegression(C=1e6, max_iter=1000).fit(x / scale, y).coef_[0] / scale
    planted = [0.02, 0.1, 0.037, -0.01, 0.09, 0.9]
    assert np.all(np.abs(fitted - planted) * scale < 0.06), fitted


def test_what_is_not_known_is_left_empty(tmp_path):
    run("make", "diabetes", "--rows", 2000, "-o", tmp_path / "p.csv", check=True)
    found = run_json("inspect", tmp_path / "p.csv")
    missing = {column["name"]: column["missing"] for column in found["columns"]}
    assert 40 < missing["blood_pressure"] < 130 and 40 < missing["bmi"] < 130 and missing["glucose"] == 0
    assert found["remarks"] == []
    refused = run("make", "diabetes", "--format", "libsvm", "-o", tmp_path / "p.svm")
    assert refused.returncode == 1 and "missing values cannot be written as LIBSVM text" in refused.stderr
    run("make", "diabetes", "--format", "libsvm", "--missing", 0, "-o", tmp_path / "p.svm", check=True)
    run("train", tmp_path / "p.svm", "--model", tmp_path / "m", check=True)
