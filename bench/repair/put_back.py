#!/usr/bin/env python3
"""A number of a rule is moved by a known amount: how often does `rules repair` propose to move it, and does its interval hold the number that was there?

put_back.py [--runs 50] [--rows 600]

Each run draws rows anew. Pima: the number of the health page, 126, is not the truth but what experts say. Made-up patients: the labels follow a logistic function of all columns. Tuberculosis: the isolates of the simulator, and a rule of the paper.
"""

import argparse
import os
import pathlib
import re

import numpy as np
import pandas as pd
import postil

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = pathlib.Path(os.environ.get("POSTIL_DATA", ROOT / "data"))


def tasks():
    if DATA.is_dir():
        pima = pd.read_csv(DATA / "pima/pima.csv.gz")
        yield "Pima", pima.drop(columns="label"), pima.label.map({0: "healthy", 1: "diabetes"}), "risk: bmi >= 30 and glucose >= {} => diabetes", 126, (-60, -40, -20, 0, 20, 40, 60)
    X, y = postil.datasets.make("diabetes", rows=20_000, seed=1)
    yield "made-up patients", X, pd.Series(y), "risk: bmi >= 30 and glucose >= {} => diabetes", 129, (-60, -40, -20, 0, 20, 40, 60)
    X, y = postil.datasets.make("tuberculosis", rows=20_000, seed=1)
    other = pd.Series(y).where(pd.Series(y) == "euro_american", "other")
    yield "tuberculosis, Euro-American (rule eur_n2)", X, other, "r: miru24 >= {} => not euro_american", 2, (0, 2, 4)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--rows", type=int, default=600)
    flags = parser.parse_args()
    for name, X, y, rule, number, moves in tasks():
        print(f"{name}, {flags.rows} rows, {flags.runs} runs: {rule.format(number)}")
        for move in moves:
            proposed, held, best = 0, 0, []
            for seed in range(flags.runs):
                rows = np.random.default_rng(seed).permutation(len(X))[: flags.rows]
                moved = rule.format(number + move)
                comparison = re.search(r"\w+ >= \S+(?= =>)", moved)[0]
                found = postil.rules.repair(moved, X.iloc[rows], y.iloc[rows], seed=seed)
                entry = next(entry for entry in found["numbers"] if entry["comparison"] == comparison)
                proposed += any(repair["before"] == comparison and repair["kind"] == "move" for repair in found["repairs"])
                held += (entry["low"] is None or entry["low"] <= number) and (entry["high"] is None or number <= entry["high"])
                if entry["best"] is not None:
                    best.append(entry["best"])
            print(f"  moved by {move:+4}: proposed {100 * proposed / flags.runs:3.0f} %, interval holds {number}: {100 * held / flags.runs:3.0f} %, best on the mean {np.mean(best):.1f}", flush=True)


if __name__ == "__main__":
    main()
