"""Test errors of every online learner under settings that might be its defaults, after one pass over real data sets.

    POSTIL_DATA=... tools/defaults/defaults.py > docs/defaults.md

Three orders of the training rows each; the test sets are the ones that come with the data.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
POSTIL = ROOT / "build" / "postil"
DATA = pathlib.Path(os.environ.get("POSTIL_DATA", ROOT / "data"))
SETS = {  # name: training file, test file, options
    "a9a": ("libsvm/a9a.gz", "libsvm/a9a.t.gz", []),
    "w3a": ("libsvm/w3a.gz", "libsvm/w3a.t.gz", []),
    "splice": ("libsvm/splice.gz", "libsvm/splice.t.gz", ["--scale", "standard"]),
    "rcv1": ("text/rcv1_small_train.gz", "text/rcv1_small_test.gz", []),
    "reuters": ("text/reuters_train.gz", "text/reuters_test.gz", []),
    "adult": ("adult/adult_train.csv.gz", "adult/adult_test.csv.gz", []),
    "satimage": ("uci/satimage_train.csv.gz", "uci/satimage_test.csv.gz", []),
    "usps": ("usps/usps_train.csv.gz", "usps/usps_test.csv.gz", ["--label", "digit"]),
}
QUESTIONS = {
    "Averaging": [[learner, f"average={average}"] for learner in ("perceptron", "margin-perceptron", "romma", "pa", "sgd", "arow") for average in ("none", "uniform")],
    "The constant feature of the bias": [[learner, f"bias={bias}"] for learner in ("perceptron", "pa", "arow") for bias in ("none", "0.1", "0.3", "1", "3")],
    "C of PA-I": [["pa", f"C={c}"] for c in ("0.001", "0.01", "0.1", "1", "10")],
    "r of AROW": [["arow", f"r={r}", f"relative={relative}"] for relative in ("true", "false") for r in ("0.03", "0.1", "0.3", "1", "3")],
    "Step size of SGD": [["sgd", f"schedule={schedule}", f"eta0={eta}"] for schedule in ("constant", "invsqrt") for eta in ("0.01", "0.1", "1")],
}
CONCLUSIONS = {
    "Averaging": "On for every learner but `arow`, whose weights settle by themselves.",
    "The constant feature of the bias": "`bias=1`: never far from the best; smaller ones suit rows of length 1, larger ones long rows.",
    "C of PA-I": "`C=1`: smaller ones learn too slowly from short rows.",
    "r of AROW": "`r=0.3`, relative to the rows' length, so that it needs no change when the data are scaled.",
    "Step size of SGD": "`schedule=constant`, `eta0=1` with averaging. (For the squared losses that is too long a step on long rows.)",
}
SEEDS = range(3)


def error(learner, settings, name, seed):
    train, test, options = SETS[name]
    given = [word for setting in settings for word in ("--set", setting)]
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "m"
        subprocess.run([POSTIL, "train", DATA / train, "--learner", learner, *given, *options, "--seed", str(seed), "--threads", "1", "--quiet", "--model", model], check=True, capture_output=True)
        label = options[options.index("--label") :][:2] if "--label" in options else []
        return json.loads(subprocess.run([POSTIL, "evaluate", model, DATA / test, *label, "--threads", "1", "--json"], check=True, capture_output=True).stdout)["error"]


def main():
    print("# Why the defaults are what they are\n\n<!-- Written by tools/defaults/defaults.py; needs the real data sets. -->\n")
    print("Test error in percent after one pass over the training rows, mean of three orders; the last column is the mean over the sets of the ratio to the best row of its table.\n")
    with ThreadPoolExecutor(2) as pool:
        for question, candidates in QUESTIONS.items():
            table = {}
            for learner, *settings in candidates:
                jobs = {name: [pool.submit(error, learner, settings, name, seed) for seed in SEEDS] for name in SETS}
                table[f"{learner} {' '.join(settings)}"] = {name: statistics.mean(job.result() for job in done) for name, done in jobs.items()}
                print(question, learner, settings, file=sys.stderr)
            print(f"## {question}\n\n| | {' | '.join(SETS)} | ratio |\n|---|{'---:|' * (len(SETS) + 1)}")
            best = {}
            for row, errors in table.items():
                group = row.split()[0]
                for name in SETS:
                    best[group, name] = min(best.get((group, name), 1), errors[name])
            for row, errors in table.items():
                ratio = statistics.mean(errors[name] / max(best[row.split()[0], name], 1e-4) for name in SETS)
                print(f"| {row} | {' | '.join(f'{100 * errors[name]:.2f}' for name in SETS)} | {ratio:.2f} |")
            print(f"\n{CONCLUSIONS[question]}\n")


if __name__ == "__main__":
    main()
