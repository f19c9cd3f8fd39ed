"""The eleven sets of the hard-margin table."""

import numpy as np

from .. import data, trials

# name: file, label column, training rows (a share, or as many as the IDA benchmark has)
SETS = {
    "thyroid": ("ida/thyroid.csv", "label", 0.6),
    "heart": ("uci/heart_statlog.csv", "label", 0.6),
    "diabetes": ("pima/pima.csv", "label", 0.6),
    "wave": ("ida/waveform.csv", "label", 400),
    "banana": ("ida/banana.csv", "label", 400),
    "wisc-bc": ("uci/wisconsin.csv", "label", 0.6),
    "bupa": ("uci/bupa.csv", "selector", 0.6),
    "german": ("ida/german.csv", "label", 0.6),
    "breast": ("ida/breast-cancer.csv", "label", 0.6),
    "sonar": ("uci/sonar.csv", "label", 0.6),
    "iono": ("uci/ionosphere.csv", "label", 0.6),
}


def task(name):
    path, label, _ = SETS[name]
    table = data.read(path).replace("?", np.nan).dropna().reset_index(drop=True)
    X = table.drop(columns=[column for column in (label, "id") if column in table]).astype(float)
    return trials.Task(X, table[label].astype(int).astype(str).to_numpy())


def draw(name, task, random):
    wanted = SETS[name][2]
    return trials.split(len(task.y), wanted if wanted > 1 else int(wanted * len(task.y)), random)


def without_conflicts(task, train):
    """The training rows but those that are there with both labels: no hard margin exists with them."""
    rows = task.X.iloc[train].assign(**{"class of row": task.y[train]})
    both = rows.groupby(list(task.X.columns))["class of row"].transform("nunique") > 1
    return train[~both.to_numpy()]


# ---- what pages say

ASSUMED = [
    "60 % of the rows to learn from, 40 % to test; waveform and banana as in the IDA benchmark: 400 to learn from. Columns are standardised by the training rows, rows with missing values left out, zeros of diabetes kept as they are.",
]
