"""What docs/experiments/soft-margin.md says of peers: linear SVMs of scikit-learn on the sets of Table 2 where we are far from the paper.

    POSTIL_DATA=... build/venv/bin/python tools/defaults/table2.py
"""

import warnings

import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from postil.experiments.acml2010 import soft_margin

warnings.simplefilter("ignore")  # of LinearSVC, which is stopped after 3,000 passes

for name in ("letter", "satimage"):  # all rows, four fifths to learn from
    X, y = soft_margin.read(name)
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[: len(y) * 4 // 5], order[len(y) * 4 // 5 :]
    for title, machine in (
        ("one against the rest, C = 0.1", LinearSVC(C=0.1, loss="hinge", max_iter=3000, random_state=0)),
        ("one against the rest, C = 1", LinearSVC(C=1, loss="hinge", max_iter=3000, random_state=0)),
        ("one against one, C = 1", SVC(kernel="linear", C=1)),
    ):
        model = make_pipeline(StandardScaler(), machine).fit(X[train], y[train])
        print(f"{name}, {title}: {100 * (1 - model.score(X[test], y[test])):.1f} % wrong", flush=True)

X, y = soft_margin.read("ionosphere")
for C in (0.01, 0.1, 1, 10, 100):
    right = cross_val_score(make_pipeline(StandardScaler(), SVC(kernel="linear", C=C)), X, y, cv=10).mean()
    print(f"ionosphere, C = {C}: {100 * (1 - right):.1f} % wrong, ten-fold cross-validation")
