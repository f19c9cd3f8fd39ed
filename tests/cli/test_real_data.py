"""Real data sets, where they are at hand: they read, with the counts their description states."""

import gzip
import json

import pytest

from conftest import run, run_json

LABELS = {"uci/letter.csv.gz": "letter", "usps/usps_train.csv.gz": "digit"}  # where no column has a usual name
COUNTS = {  # rows, classes
    "adult/adult_train.csv.gz": (32561, 2),
    "covtype/covtype_100k.csv.gz": (100000, 7),
    "ida/banana.csv.gz": (5300, 2),
    "libsvm/a9a.gz": (32561, 2),
    "libsvm/dna.scale.gz": (2000, 3),
    "libsvm/mushrooms.gz": (8124, 2),
    "libsvm/w8a.gz": (49749, 2),
    "text/rcv1_small_train.gz": None,
    "uci/breast_cancer_ljubljana.csv.gz": (286, 2),
    "uci/german.csv.gz": (1000, 2),
    "uci/letter.csv.gz": (20000, 26),
    "uci/satimage_train.csv.gz": (4435, 6),
    "uci/wisconsin.csv.gz": (699, 2),
    "usps/usps_train.csv.gz": (7291, 10),
}


@pytest.mark.parametrize("name", COUNTS)
def test_reads_and_trains(name, data, tmp_path):
    label = ["--label", LABELS[name]] if name in LABELS else []
    trained = run_json("train", data / name, *label, "--quiet", "--model", tmp_path / "m")
    if COUNTS[name]:
        assert (trained["examples"], len(trained["classes"])) == COUNTS[name]
    assert run_json("evaluate", tmp_path / "m", data / name)["examples"] == trained["examples"]


def test_diabetes_zeros_that_mean_missing(data, tmp_path):
    columns = {"glucose": 5, "blood_pressure": 35, "skin_thickness": 227, "insulin": 374, "bmi": 11}
    with gzip.open(data / "pima/pima.csv.gz", "rt") as file:
        header = file.readline().strip().split(",")
    assert set(columns) <= set(header)
    options = [word for column in columns for word in ("--na", f"{column}=0")]
    run("train", data / "pima/pima.csv.gz", *options, "--quiet", "--model", tmp_path / "m", check=True)
    found = {column["name"]: column["seen_missing"] for column in run_json("explain", tmp_path / "m")["columns"]}
    assert {name: found[name] for name in columns} == columns


def test_adult_predicts_better_than_the_larger_class(data, tmp_path):
    run("train", data / "adult/adult_train.csv.gz", "--passes", "5", "--quiet", "--model", tmp_path / "m", check=True)
    assert json.loads(run("evaluate", tmp_path / "m", data / "adult/adult_test.csv.gz", "--json").stdout)["auc"] > 0.8
