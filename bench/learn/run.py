#!/usr/bin/env python3
"""Learning against peers: ratios of medians, measured in turns, in one run.

From a text file to a saved model, one pass of PA-I in file order without scaling; and in memory. The answers are compared first: scikit-learn's PA-I must give our weights.
Vowpal Wabbit and LIBLINEAR compute something else and are shown as such, with their accuracy on the training file.

run.py FOLDER [--rounds 5] [--only text,dense,wide]      FOLDER holds the data, made where missing; build/bench-venv the peers (make bench sees to both)
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import struct
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
POSTIL = ROOT / "build" / "postil"
IN_MEMORY = ROOT / "build" / "dev" / "bench" / "bench_learn"
PYTHON = ROOT / "build" / "bench-venv" / "bin" / "python"

DATA = {  # name: arguments of postil make, features
    "text": (["text", "--rows", "200000"], 50000),
    "dense": (["dense", "--rows", "500000"], 54),
    "wide": (["text", "--rows", "1000000", "--features", "1000000", "--nonzeros", "30"], 1000000),
}
PA = ["--learner", "pa", "--no-shuffle", "--scale", "none", "--no-bias", "--set", "average=none", "--quiet"]


def timed(command):
    """Wall seconds, CPU seconds and peak memory in MB of a command."""
    start = time.perf_counter()
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    if status != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def output(command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout


def made(folder, name):
    path = folder / f"{name}.svm"
    if not path.exists():
        print(f"making {path}", flush=True)
        output([POSTIL, "make", *DATA[name][0], "--seed", "1", "-o", path])
    vw = folder / f"{name}.vw"
    if not vw.exists():
        print(f"making {vw}", flush=True)
        temporary = vw.with_suffix(".part")
        with open(path) as source, open(temporary, "w") as target:
            for line in source:
                label, _, rest = line.partition(" ")
                target.write(f"{'1' if float(label) > 0 else '-1'} | {rest}")
        temporary.rename(vw)
    return path, vw


def weights_of(model):
    """task.0.weights of a model file: safetensors, read with nothing but the standard library."""
    data = pathlib.Path(model).read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    begin, end = json.loads(data[8 : 8 + size])["task.0.weights"]["data_offsets"]
    return memoryview(data[8 + size + begin : 8 + size + end]).cast("d")


def npy_of(path):
    data = pathlib.Path(path).read_bytes()
    (size,) = struct.unpack("<H", data[8:10])
    return memoryview(data[10 + size :]).cast("d")


def report(title, first, rows, column):
    """One line per program: median, spread, ratio to ours."""
    ours = statistics.median(measured[column] for measured in rows[first])
    print(f"  {title}")
    for name, runs in rows.items():
        values = sorted(measured[column] for measured in runs)
        middle = statistics.median(values)
        print(f"    {name:<44} {middle:8.3f} s ({values[0]:.3f} - {values[-1]:.3f})   ours is 1/{middle / ours:.2f} of it" if name != first else f"    {name:<44} {middle:8.3f} s ({values[0]:.3f} - {values[-1]:.3f})")


def compare(folder, name, rounds):
    path, vw = made(folder, name)
    features = DATA[name][1]
    print(f"\n{name}: {path.stat().st_size / 1e6:.0f} MB", flush=True)
    model, coefficients = folder / "bench.postil", folder / "bench.npy"

    # The answers first.
    timed([POSTIL, "train", path, *PA, "--model", model])
    timed([PYTHON, HERE / "sklearn_peer.py", path, coefficients, features])
    ours, theirs = weights_of(model), npy_of(coefficients)
    largest = max(map(abs, theirs))
    gap = max(abs(a - b) for a, b in zip(ours, theirs)) / largest
    print(f"  largest difference to scikit-learn's weights: {gap:.1e} of the largest weight; {'the same answer' if gap < 1e-6 else 'DIFFERENT ANSWERS'}")

    commands = {
        "postil pa (PA-I)": [POSTIL, "train", path, *PA, "--model", model],
        "postil pa, one thread": [POSTIL, "train", path, *PA, "--threads", "1", "--model", model],
        "scikit-learn PA-I": [PYTHON, HERE / "sklearn_peer.py", path, coefficients, features],
        "Vowpal Wabbit hinge, default (other steps)": [PYTHON, "-m", "vowpalwabbit", "-d", vw, "--loss_function", "hinge", "--noconstant", "-b", "20", "-f", folder / "bench.vwm", "--quiet"],
        "Vowpal Wabbit hinge, --sgd (other steps)": [PYTHON, "-m", "vowpalwabbit", "-d", vw, "--loss_function", "hinge", "--noconstant", "-b", "20", "--sgd", "-f", folder / "bench.vwm", "--quiet"],
        "Vowpal Wabbit starting, one row": [PYTHON, "-m", "vowpalwabbit", "-d", folder / "one.vw", "--quiet"],
        "LIBLINEAR -s 3 (solves to tolerance)": ["liblinear-train", "-s", "3", "-q", path, folder / "bench.ll"],
    }
    (folder / "one.vw").write_text("1 | 1:1\n")
    rows = {command: [] for command in commands}
    for _ in range(rounds):
        for command, arguments in commands.items():
            rows[command].append(timed(arguments))
    report("text file to saved model: CPU seconds", "postil pa (PA-I)", rows, 1)
    report("text file to saved model: wall seconds", "postil pa (PA-I)", rows, 0)
    print(f"  peak memory: {max(m[2] for m in rows['postil pa (PA-I)']):.0f} MB")

    passes = {n: statistics.median(timed([POSTIL, "train", path, *PA, "--passes", n, "--model", model])[1] for _ in range(rounds)) for n in (1, 2, 6)}
    print(f"  CPU of a further pass: {(passes[6] - passes[1]) / 5:.3f} s, {(passes[6] - passes[1]) / 5 / passes[1]:.2f} of the first; with one further pass {(passes[2] - passes[1]) / passes[1]:.2f}")

    memory = {}
    for _ in range(rounds):
        *seconds, count = output([IN_MEMORY, path, 2, "pa", "bias=none", "average=none"]).split()
        memory.setdefault("postil pa (PA-I)", []).append((float(seconds[-1]),))
        *seconds, count = output([IN_MEMORY, path, 2, "perceptron", "bias=none", "average=none"]).split()
        memory.setdefault("postil perceptron", []).append((float(seconds[-1]),))
        for line in output([PYTHON, HERE / "sklearn_peer.py", path, "--memory", features]).splitlines():
            seconds, estimator = line.split("\t")
            memory.setdefault(f"scikit-learn {estimator}", []).append((float(seconds),))
    report(f"in memory, one pass over {count} rows", "postil pa (PA-I)", memory, 0)
    few = 2000
    river = float(output([PYTHON, HERE / "river_peer.py", path, few]))
    ours = statistics.median(m[0] for m in memory["postil pa (PA-I)"]) / int(count)
    print(f"    River PAClassifier.learn_one ({few} rows)   {river / few * 1e6:.1f} µs a row, ours {ours * 1e6:.2f}: 1/{river / few / ours:.0f}")


def percent(text):
    return re.search(r"Accuracy = ([\d.]+)%", text).group(1)


def accuracy(folder, name):
    """How good the models of the last run are, on the training file."""
    path, vw = made(folder, name)
    averaged = folder / "averaged.postil"
    timed([POSTIL, "train", path, "--learner", "pa", "--no-shuffle", "--scale", "none", "--quiet", "--model", averaged])
    output([PYTHON, "-m", "vowpalwabbit", "-d", vw, "-t", "-i", folder / "bench.vwm", "-p", folder / "bench.vwp", "--quiet"])
    with open(vw) as rows, open(folder / "bench.vwp") as predictions:
        right = [(float(p) >= 0) == (row[0] != "-") for row, p in zip(rows, predictions)]
    found = {
        "postil pa": percent(output([POSTIL, "evaluate", folder / "bench.postil", path])),
        "averaged (our default)": percent(output([POSTIL, "evaluate", averaged, path])),
        "LIBLINEAR": percent(output(["liblinear-predict", path, folder / "bench.ll", "/dev/null"])),
        "Vowpal Wabbit --sgd": f"{100 * sum(right) / len(right):.4g}",
    }
    print("  accuracy on the training file: " + ", ".join(f"{name} {value} %" for name, value in found.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="text,dense,wide")
    given = parser.parse_args()
    for name in given.only.split(","):
        compare(given.folder, name, given.rounds)
        accuracy(given.folder, name)


main()
