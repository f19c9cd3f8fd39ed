"""The data sets: real ones from the folder that POSTIL_DATA names (default: data), or from OpenML where it has the same; generated ones from nothing."""

import hashlib
import os
import pathlib
import sys

import numpy as np
import pandas as pd

from postil import datasets


class Missing(Exception):
    """A data set that is neither here nor to be fetched."""


def folder():
    return pathlib.Path(os.environ.get("POSTIL_DATA", "data"))


def path_of(name):
    """Of a file of the folder, which is compressed. Throws Missing."""
    path = folder() / f"{name}.gz"
    if path.exists():
        return path
    raise Missing(f"{path} is not there: set POSTIL_DATA to the folder that holds {name}.gz")


def digest(name):
    """Of a file that is needed; nothing if only OpenML has it. Throws Missing if nobody has."""
    try:
        return hashlib.sha256(path_of(name).read_bytes()).hexdigest()
    except Missing:
        if name in OPENML:
            return ""
        raise


# What OpenML has of the same rows: number there, and how its frame becomes ours.
def _renamed(*names):
    return lambda frame: frame.set_axis(list(names), axis=1)


OPENML = {
    "pima/pima.csv": (37, lambda frame: _renamed("pregnancies", "glucose", "blood_pressure", "skin_thickness", "insulin", "bmi", "pedigree", "age", "label")(frame).replace({"label": {"tested_positive": 1, "tested_negative": 0}})),
    "uci/ionosphere.csv": (59, lambda frame: _renamed(*(f"x{k}" for k in range(1, 35)), "label")(frame).replace({"label": {"g": 1, "b": -1}})),
    "uci/sonar.csv": (40, lambda frame: _renamed(*(f"x{k}" for k in range(1, 61)), "label")(frame).replace({"label": {"Mine": 1, "Rock": -1}})),
}


def read(name):
    """A CSV file of the folder, `name` without .gz; or the same from OpenML."""
    try:
        return pd.read_csv(path_of(name))
    except Missing as missing:
        if name not in OPENML:
            raise
        wanted = str(missing)
    number, convert = OPENML[name]
    print(f"{name} is not in {folder()}; asking OpenML for its data set {number}", file=sys.stderr)
    try:
        from sklearn.datasets import fetch_openml

        return convert(fetch_openml(data_id=number, as_frame=True, parser="liac-arff").frame)
    except Exception as error:  # whatever goes wrong between here and there
        raise Missing(f"{wanted}; OpenML did not give it either ({type(error).__name__}: {error})") from None


def read_libsvm(name, width):
    """A LIBSVM file of the folder as a dense matrix and its labels."""
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(str(path_of(name)), n_features=width)
    return X.toarray(), y


# ---- one set after the other ----


def pima():
    """Patients; zeros that mean 'not measured' are missing."""
    table = read("pima/pima.csv")
    X, y = table.drop(columns="label").astype(float), table["label"].astype(int).astype(str)
    for column in ("glucose", "blood_pressure", "skin_thickness", "insulin", "bmi"):
        X.loc[X[column] == 0, column] = np.nan
    return X, y


def promoters():
    """57 nucleotides, one column each."""
    table = read("promoters/promoters.csv")
    positions = [f"p{k}" for k in [*range(-50, 0), *range(1, 8)]]
    return pd.DataFrame([list(sequence) for sequence in table["sequence"]], columns=positions), table["class"].map({"+": "1", "-": "-1"})


def usps(digits):
    """All images of these digits, training and test set together, ink in [0, 1]."""
    table = pd.concat([read("usps/usps_train.csv"), read("usps/usps_test.csv")], ignore_index=True)
    table = table[table["digit"].isin(digits)].reset_index(drop=True)
    return (table.drop(columns="digit") + 1) / 2, table["digit"].astype(str)


LINEAGES = ["east_asian", "east_african_indian", "euro_american", "indo_oceanic", "africanum", "bovis"]


def simulated_isolates(rows, seed):
    """Isolates as `postil make tuberculosis` makes them; miru24 clipped to the rules' domain."""
    X, y = datasets.make("tuberculosis", rows=rows, seed=seed)
    X["miru24"] = X["miru24"].clip(1, 2)
    return X, y


# miru24 by lineage, as `postil make tuberculosis` draws it.
MIRU24 = {
    "east_asian": {0: 0.004, 1: 0.991, 2: 0.005},
    "east_african_indian": {0: 0.004, 1: 0.991, 2: 0.005},
    "euro_american": {0: 0.004, 1: 0.991, 2: 0.005},
    "indo_oceanic": {1: 0.012, 2: 0.95, 3: 0.02, 4: 0.01, 5: 0.005, 6: 0.003},
    "africanum": {1: 0.015, 2: 0.86, 3: 0.08, 4: 0.035, 5: 0.01},
    "bovis": {1: 0.008, 2: 0.972, 3: 0.02},
}
SITVIT2_NAMES = {
    "East-Asian": "east_asian",
    "East-African-Indian": "east_african_indian",
    "Euro-American": "euro_american",
    "Indo-Oceanic": "indo_oceanic",
    "M. africanum": "africanum",
    "M. bovis": "bovis",
}


def sitvit2(seed):
    """US isolates of the SITVIT2 list with a known lineage; miru24, which the list lacks, is drawn as the simulator does."""
    table = read("tuberculosis/sitvit2_spoligotypes.csv")
    table = table[table["major_lineage"].notna() & (table["isolates_us"] > 0) & ~table["spoligotype"].str.contains(r"\?")]
    table = table.loc[table.index.repeat(table["isolates_us"])].reset_index(drop=True)
    X = pd.DataFrame([[int(digit) for digit in pattern] for pattern in table["spoligotype"]], columns=[f"spacer_{k}" for k in range(1, 44)])
    y = table["major_lineage"].map(SITVIT2_NAMES)
    random = np.random.default_rng(seed)
    X["miru24"] = 0
    for lineage, chances in MIRU24.items():
        chosen = y == lineage
        X.loc[chosen, "miru24"] = random.choice(list(chances), size=int(chosen.sum()), p=list(chances.values()))
    X["miru24"] = X["miru24"].clip(1, 2)
    return X, y


def adult():
    """The 45,222 complete rows, training rows first."""
    table = pd.concat([read("adult/adult_train.csv"), read("adult/adult_test.csv")], ignore_index=True)
    table = table.replace("?", np.nan).dropna().reset_index(drop=True)
    return table.drop(columns="label"), table["label"]


def covtype():
    """The 100,000-row sample, class 2 against the rest."""
    table = read("covtype/covtype_100k.csv")
    return table.iloc[:, :-1].astype(float), np.where(table.iloc[:, -1] == 2, "2", "rest")
