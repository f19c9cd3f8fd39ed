#!/usr/bin/env python3
"""How many labels `ask` needs: learning curves against random choice and the least certain row; the same first rows for all.

curves.py [--runs 10] [--labels 100] [--tasks pima,clouds,...] [--ways random,least_certain,ask] [-o TABLE.csv]

Tasks: pima and mushrooms (from POSTIL_DATA), clouds (two classes in the plane), patients (made up), each with rules and without. One row at a time is labelled, of a pool of at most 1,500; the error is the balanced one on the other 40 %.
"""

import argparse
import csv
import os
import pathlib
import warnings

import numpy as np
import pandas as pd
import postil
from sklearn.metrics import balanced_accuracy_score

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = pathlib.Path(os.environ.get("POSTIL_DATA", ROOT / "data"))
CHECKPOINTS = [5, 10, 20, 30, 50, 75, 100, 150, 200]


def rules_of(name):
    return (ROOT / "experiments/rules" / f"{name}.rules").read_text()


def pima():
    frame = pd.read_csv(DATA / "pima/pima.csv.gz")
    return frame.drop(columns="label"), frame.label, rules_of("diabetes")


def mushrooms():
    frame = pd.read_csv(DATA / "mushroom/mushroom.csv.gz")
    return frame.drop(columns="class"), frame["class"], rules_of("mushroom")


def clouds():
    return *postil.datasets.make("synthetic", rows=3000, seed=1), rules_of("synthetic")


def patients():
    return *postil.datasets.make("diabetes", rows=3000, seed=5), "risk: bmi >= 30 and glucose >= 126 => diabetes\nlean: bmi <= 25 and glucose <= 100 => not diabetes"


TASKS = {"pima": pima, "mushrooms": mushrooms, "clouds": clouds, "patients": patients}


def curve(X, y, rules, way, seed, labels):
    """Errors after so many labels."""
    random = np.random.default_rng(seed)
    order = random.permutation(len(X))
    cut = int(0.4 * len(X))
    test, pool = order[:cut], order[cut : cut + 1500]
    X_pool, y_pool = X.iloc[pool].reset_index(drop=True), y.iloc[pool].reset_index(drop=True)
    model = postil.AdviceClassifier(advice=rules, missing="mean")
    left, out = list(range(len(X_pool))), []
    for count in range(1, labels + 1):
        if way == "random" or count == 1:
            place = int(random.integers(len(left)))
        elif way == "least_certain":
            place = int(np.argmin(model.predict_proba(X_pool.iloc[left]).max(axis=1) + 1e-9 * random.random(len(left))))
        else:
            place = int(model.ask(X_pool.iloc[left], n=1, random=0, seed=count).index[0])
        row = left.pop(place)
        model.partial_fit(X_pool.iloc[[row]], y_pool.iloc[[row]], classes=sorted(y.unique()))
        if count in CHECKPOINTS:
            out.append(1 - balanced_accuracy_score(y.iloc[test].astype(str), model.predict(X.iloc[test]).astype(str)))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--labels", type=int, default=100)
    parser.add_argument("--tasks", type=lambda text: text.split(","), default=list(TASKS))
    parser.add_argument("--ways", type=lambda text: text.split(","), default=["random", "least_certain", "ask"])
    parser.add_argument("-o", "--output", type=pathlib.Path)
    flags = parser.parse_args()
    warnings.simplefilter("ignore")
    checkpoints = [count for count in CHECKPOINTS if count <= flags.labels]
    table = []
    print(f"{'':28}" + "".join(f"{count:>7}" for count in checkpoints))
    for name in flags.tasks:
        X, y, rules = TASKS[name]()
        for advice in (None, rules):
            curves = {way: np.array([curve(X, y, advice, way, seed, flags.labels) for seed in range(flags.runs)]) for way in flags.ways}
            for way, values in curves.items():
                mean, se = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(flags.runs)
                print(f"{name:10} {'rules' if advice else '':5} {way:12}" + "".join(f"{value:7.3f}" for value in mean), flush=True)
                table += [{"task": name, "rules": bool(advice), "way": way, "labels": count, "error": m, "se": s} for count, m, s in zip(checkpoints, mean, se)]
    if flags.output:
        with open(flags.output, "w", newline="") as file:
            writer = csv.DictWriter(file, list(table[0]))
            writer.writeheader()
            writer.writerows(table)


if __name__ == "__main__":
    main()
