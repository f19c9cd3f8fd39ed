"""Rules for diabetes beside 768 patients: does knowing `bmi >= 30 and glucose >= 126` help, and is it true?

    python examples/diabetes.py [--data pima.csv.gz]

The data are the Pima Indians' (POSTIL_DATA/pima/pima.csv.gz, or --data). Where they are not at hand, scikit-learn's loader fetches them from OpenML.
"""

import argparse
import os
import pathlib

import numpy as np
import pandas as pd

import postil

RULES = """
class diabetes = 1
domain bmi in [15, 70]
domain glucose in [40, 200]
high: bmi >= 30 and glucose >= 126 => diabetes
low: bmi <= 25 and glucose <= 100 => not diabetes
"""
UNMEASURED = ["glucose", "blood_pressure", "skin_thickness", "insulin", "bmi"]  # where a 0 means that nobody looked


def patients(path):
    if pathlib.Path(path).exists():
        table = pd.read_csv(path)
    else:
        from sklearn.datasets import fetch_openml

        print(f"{path} is not there; asking OpenML for the data")
        table = fetch_openml("diabetes", version=1, as_frame=True).frame
        table.columns = ["pregnancies", "glucose", "blood_pressure", "skin_thickness", "insulin", "bmi", "pedigree", "age", "label"]
        table["label"] = (table["label"] == "tested_positive").astype(int)
    table[UNMEASURED] = table[UNMEASURED].replace(0, np.nan)
    return table.drop(columns="label"), table["label"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.path.join(os.environ.get("POSTIL_DATA", "data"), "pima", "pima.csv.gz"), help="a CSV file with the columns named above and `label`")
    X, y = patients(parser.parse_args().data)

    print("The rules, examined on all patients:")
    print(postil.rules.check(RULES, X, y))
    models = {
        "examples alone": postil.AROWClassifier(scale="standard", missing="mean"),
        "with rules": postil.AdviceClassifier(advice=RULES, missing="mean"),
    }
    curve = postil.evaluate.learning_curve(models, X, y, train=200, checkpoints=[0, 1, 5, 10, 20, 50, 100, 200], runs=20)
    print("Mean test error, %, after so many patients (20 random splits):")
    print((100 * curve.pivot(index="examples", columns="learner", values="error_mean")).round(1).to_string())

    model = models["with rules"].fit(X, y)
    print("\nWhat the patients said about the rules:")
    print(model.ledger()[["fired", "agreed", "contradicted", "precision", "base_rate", "verdict", "influence"]].round(3).to_string())
    print("\nWhy the first patient is predicted as she is:")
    print(model.explain(X.iloc[0]))


if __name__ == "__main__":
    main()
