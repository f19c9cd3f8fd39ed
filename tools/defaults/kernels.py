"""Cross-validated errors of the kernel machines and ellipsoids under settings that might be their defaults.

    POSTIL_DATA=... python3 tools/defaults/kernels.py > docs/defaults-kernels.md

Ten folds, the same for every setting; nothing is tuned inside the folds.
"""

import json
import os
import pathlib
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
POSTIL = ROOT / "build" / "postil"
DATA = pathlib.Path(os.environ.get("POSTIL_DATA", ROOT / "data"))
SETS = {
    "heart": "uci/heart_statlog",
    "sonar": "uci/sonar",
    "ionosphere": "uci/ionosphere",
    "bupa": "uci/bupa",
    "pima": "pima/pima",
    "wisconsin": "uci/wisconsin",
    "breast": "ida/breast-cancer",
    "thyroid": "ida/thyroid",
}
QUESTIONS = {
    "nu and bias of esvm, linear": [["esvm", f"nu={nu}", f"bias={bias}"] for bias in ("none", "free", "augmented") for nu in ("0.01", "0.03", "0.1", "0.3", "1")],
    "nu of esvm, RBF": [["esvm", "kernel=rbf", f"nu={nu}"] for nu in ("0.003", "0.01", "0.03", "0.1", "0.3")],
    "1 - r of esvm": [["esvm", f"kernel={kernel}", f"one_minus_r={r}"] for kernel in ("linear", "rbf") for r in ("1e-6", "1e-3", "0.1")],
    "soft of bayes-point": [["bayes-point", f"soft={soft}"] for soft in ("0.03", "0.1", "0.3", "1", "3")],
    "nu and step of esvm-online": [["esvm-online", f"nu={nu}", f"step={step}"] for step in ("sqrt", "harmonic") for nu in ("0.01", "0.1", "1")],
    "other learners": [["svm"], ["svm", "kernel=linear"], ["arow"]],
}
CONCLUSIONS = {
    "nu and bias of esvm, linear": "`nu=0.1`, `bias=free`: the paper's form, and no worse than the others on the whole.",
    "nu of esvm, RBF": "`nu=0.1` as for linear machines, which below it are more often in the degenerate regime; with an RBF kernel 0.03 is better on these sets and worth a try.",
    "1 - r of esvm": "`one_minus_r=1e-6`, the paper's: linear errors do not depend on it, those of RBF machines little (0.1 is somewhat better here).",
    "soft of bayes-point": "`soft=0.1`: about as good as 0.03 and quicker, since the version space is wider.",
    "nu and step of esvm-online": "`step=sqrt`, which depends little on nu; `nu=0.1` as in the batch machine.",
    "other learners": "For comparison, at their own defaults.",
}


def error(words, name):
    learner, *settings = words
    given = [word for setting in settings for word in ("--set", setting)] + (["--set", "tol=0.05"] if learner == "bayes-point" else [])
    done = subprocess.run([POSTIL, "cv", DATA / f"{SETS[name]}.csv.gz", "--learner", learner, *given, "--folds", "10", "--json"], check=True, capture_output=True)
    return json.loads(done.stdout)["error_mean"]


def main():
    print("# Why the defaults of kernel machines are what they are\n\n<!-- Written by tools/defaults/kernels.py; needs the real data sets. -->\n")
    print("Error in percent by ten-fold cross-validation; the last column is the mean over the sets of the ratio to the best row of its table.")
    for title, rows in QUESTIONS.items():
        table = [[error(words, name) for name in SETS] for words in rows]
        best = [min(column) for column in zip(*table)]
        print(f"\n## {title}\n\n| | {' | '.join(SETS)} | ratio |\n|---|{'---:|' * (len(SETS) + 1)}")
        for words, values in zip(rows, table):
            ratio = statistics.mean(value / least if least > 0 else 1 for value, least in zip(values, best))
            print(f"| {' '.join(words)} | {' | '.join(f'{100 * value:.1f}' for value in values)} | {ratio:.2f} |", flush=True)
        print(f"\n{CONCLUSIONS[title]}")


if __name__ == "__main__":
    main()
