#!/usr/bin/env python3
"""What learning in shards costs in error: the same rows in 1, 2, 8, 64 and 512 shards, with 1 to 5 rounds, against one and five passes on one machine.

mixing.py FOLDER [--rows 500000] [--data covtype,a9a,patients] [--learners advised,arow,pa,perceptron,sgd] [--rounds 1,2,3,5] [-o TABLE.csv]

covtype and a9a from POSTIL_DATA, a fifth of their rows to test on; and generated rows, with others of another seed to test on
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
SETTINGS = {"sgd": ["--set", "loss=logistic", "--set", "schedule=invsqrt"]}
SHARDS = [2, 8, 64, 512]


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


def data_sets(folder, wanted, rows):
    data = pathlib.Path(os.environ.get("POSTIL_DATA", ROOT / "data"))
    for name, path in (("covtype", "covtype/covtype_100k.csv.gz"), ("a9a", "libsvm/a9a.gz")):
        if name in wanted and data.is_dir():
            yield name, split(name, gzip.open(data / path, "rt").read(), folder, name == "covtype")
        elif name in wanted:
            print(f"{data} is not there: {name} is left out", file=sys.stderr)
    if "patients" in wanted:
        paths = [folder / f"patients-{rows}-{part}.csv" for part in ("train", "test")]
        for seed, (path, count) in enumerate(zip(paths, (rows * 4 // 5, min(rows // 5, 500_000))), 1):
            if not path.exists():
                subprocess.run([POSTIL, "make", "diabetes", "--rows", str(count), "--seed", str(seed), "-o", path], check=True)
        yield f"{rows} patients", paths


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=500_000, help="generated rows")
    parser.add_argument("--data", type=lambda text: text.split(","), default=["covtype", "a9a", "patients"])
    parser.add_argument("--learners", type=lambda text: text.split(","), default=["advised", "arow", "pa", "perceptron", "sgd"])
    parser.add_argument("--rounds", type=lambda text: [int(word) for word in text.split(",")], default=[1, 2, 3, 5])
    parser.add_argument("-o", "--output", type=pathlib.Path, help="a table: CSV")
    flags = parser.parse_args()
    flags.folder.mkdir(parents=True, exist_ok=True)
    model = flags.folder / "mixing.postil"
    out = []
    for name, (train, test) in data_sets(flags.folder, flags.data, flags.rows):
        for word in flags.learners:
            given = ["--learner", word, *SETTINGS.get(word, []), "--quiet", "--model", model]

            def error(*how):
                run("train", train, *given, *how)
                found = run("evaluate", model, test)
                return found["error"], found.get("log_loss")

            rows = [("one machine", passes, *error("--passes", passes)) for passes in (1, 5)]
            rows += [(shards, rounds, *error("--shards", shards, "--rounds", rounds)) for shards in SHARDS for rounds in flags.rounds]
            for shards, rounds, wrong, loss in rows:
                out.append({"data": name, "learner": word, "shards": shards, "rounds": rounds, "error": wrong, "log_loss": loss})
            once = rows[0][2]
            print(f"{name} {word}: one pass {once:.4f}, five {rows[1][2]:.4f}")
            for shards in SHARDS:
                print(f"  {shards:>4} shards, rounds {flags.rounds}: " + "  ".join(f"{wrong:.4f}" for of, _, wrong, _ in rows if of == shards), flush=True)
    if flags.output:
        with open(flags.output, "w", newline="") as file:
            writer = csv.DictWriter(file, list(out[0]))
            writer.writeheader()
            writer.writerows(out)


if __name__ == "__main__":
    main()
