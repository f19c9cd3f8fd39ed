#!/usr/bin/env python3
"""What learning in shards costs in error: the same rows in 1, 2, 8, 64 and 512 shards, with 1 to 5 rounds, against one and five passes on one machine.

mixing.py FOLDER [--rows 500000] [-o TABLE.csv]     covtype and a9a from POSTIL_DATA, and generated rows; the rest of a set is the test set
"""

import argparse
import csv
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
POSTIL = ROOT / "build/postil"
LEARNERS = ["advised", "arow", "pa", "perceptron", "sgd --set loss=logistic --set schedule=invsqrt"]
SHARDS, ROUNDS = [2, 8, 64, 512], [1, 2, 3, 5]


def run(*arguments):
    return json.loads(subprocess.run([POSTIL, *map(str, arguments), "--json"], capture_output=True, text=True, check=True).stdout)


def split(name, text, folder, header):
    """Shuffled rows; four fifths to learn from."""
    lines = text.splitlines()
    head, lines = (lines[:1], lines[1:]) if header else ([], lines)
    random.Random(0).shuffle(lines)
    cut = len(lines) * 4 // 5
    paths = [folder / f"{name}-{part}{'.csv' if header else '.svm'}" for part in ("train", "test")]
    for path, part in zip(paths, (lines[:cut], lines[cut:])):
        path.write_text("\n".join(head + part) + "\n")
    return paths


def data_sets(folder, rows):
    data = pathlib.Path(os.environ.get("POSTIL_DATA", ROOT / "data"))
    if data.is_dir():
        yield "covtype", split("covtype", gzip.open(data / "covtype/covtype_100k.csv.gz", "rt").read(), folder, True)
        yield "a9a", split("a9a", gzip.open(data / "libsvm/a9a.gz", "rt").read(), folder, False)
    else:
        print(f"{data} is not there: covtype and a9a are left out", file=sys.stderr)
    path = folder / f"patients-{rows}.csv"
    if not path.exists():
        subprocess.run([POSTIL, "make", "diabetes", "--rows", rows, "--seed", "1", "-o", path], check=True)
    yield "patients", split("patients", path.read_text(), folder, True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rows", type=str, default="500000", help="generated rows")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="a table: CSV")
    flags = parser.parse_args()
    flags.folder.mkdir(parents=True, exist_ok=True)
    model = flags.folder / "mixing.postil"
    out = []
    for name, (train, test) in data_sets(flags.folder, flags.rows):
        for learner in LEARNERS:
            word, *settings = learner.split()
            given = ["--learner", word, *settings, "--quiet", "--model", model]

            def error(*how):
                run("train", train, *given, *how)
                found = run("evaluate", model, test)
                return found["error"], found.get("log_loss")

            rows = [("one machine", passes, *error("--passes", passes)) for passes in (1, 5)]
            rows += [(shards, rounds, *error("--shards", shards, "--rounds", rounds)) for shards in SHARDS for rounds in ROUNDS]
            for shards, rounds, wrong, loss in rows:
                out.append({"data": name, "learner": word, "shards": shards, "rounds": rounds, "error": wrong, "log_loss": loss})
            once = rows[0][2]
            print(f"{name} {word}: one pass {once:.4f}, five {rows[1][2]:.4f}")
            for shards in SHARDS:
                print(f"  {shards:>4} shards, rounds {ROUNDS}: " + "  ".join(f"{wrong:.4f}" for of, _, wrong, _ in rows if of == shards), flush=True)
    if flags.output:
        with open(flags.output, "w", newline="") as file:
            writer = csv.DictWriter(file, list(out[0]))
            writer.writeheader()
            writer.writerows(out)


if __name__ == "__main__":
    main()
