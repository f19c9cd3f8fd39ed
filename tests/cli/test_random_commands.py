"""Random command lines under the address and undefined-behaviour sanitizers: whatever is asked for, an answer.

200 here, 5,000 with POSTIL_TORTURE=1 (`make torture`). Needs the preset asan; without it they are skipped.
"""

import os
import random
import re
import subprocess

import pytest

from conftest import ROOT, run

SANITIZED = ROOT / "build" / "asan" / "postil"
COMMANDS = 5000 if os.environ.get("POSTIL_TORTURE") else 200
VERBS = ["inspect", "train", "predict", "evaluate", "stream", "rules check", "rules show", "rules fmt", "explain", "cv", "curve", "tune", "make", "convert", "learners"]
NUMBERS = ["0", "1", "2", "-1", "3.5", "1e300", "nan", "inf", "", "18446744073709551616", "abc", "0.001"]
NAMES = ["arow", "pa", "sgd", "svm", "advised", "kbsvm", "esvm", "perceptron", "C=1", "C=-1", "kernel=rbf", "x=y", "standard", "none", "csv", "libsvm", "a", "label", "x,y", "a=categorical", "regression", "balanced", "error", "synthetic", "text"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("random")
    run("make", "synthetic", "--rows", 60, "--seed", 1, "-o", folder / "d.csv", check=True)
    (folder / "r.rules").write_text("x1 >= 1 => positive\nat least 1 of (x1 <= -1, x2 <= -1) => negative\n")
    (folder / "odd.rules").write_text("define a = b\nx1 >= => +1\n")
    (folder / "d.svm").write_text("1 1:2 3:1\n-1 2:1\n1 1:1\n-1 3:4\n")
    (folder / "text.csv").write_text("a,b,label\nred,1,x\nblue,?,y\nred,3,x\ngreen,4,y\n")
    (folder / "empty").write_text("")
    (folder / "bytes").write_bytes(bytes(range(256)) * 4)
    (folder / "folder").mkdir()
    run("train", folder / "d.csv", "--advice", folder / "r.rules", "--model", folder / "m.postil", check=True)
    run("train", folder / "d.svm", "--learner", "pa", "--model", folder / "s.postil", check=True)
    return folder


def options_of(verb):
    text = run(*verb.split(), "--help").stdout
    return sorted(set(re.findall(r"--[a-z][a-z-]*", text)))


@pytest.mark.skipif(not SANITIZED.exists(), reason="the preset asan is not built")
def test_random_command_lines(files):
    chance = random.Random(11)
    options = {verb: options_of(verb) for verb in VERBS}
    names = [path.name for path in files.iterdir()] + ["missing", "-", "out"]
    good = {"train": ["d.csv"], "predict": ["m.postil", "d.csv"], "evaluate": ["m.postil", "d.csv"], "stream": ["d.csv", "--model", "out"], "cv": ["d.csv"], "curve": ["d.csv"], "tune": ["d.csv"], "explain": ["m.postil"], "convert": ["d.csv", "out"], "rules check": ["r.rules"]}
    ended = {0: 0, 1: 0, 2: 0}
    for number in range(COMMANDS):
        verb = chance.choice(VERBS)
        words = verb.split()
        words += good.get(verb, []) if chance.random() < 0.6 else [chance.choice(names) for _ in range(chance.randrange(3))]
        for _ in range(chance.randrange(4)):
            option = chance.choice(options[verb])
            words.append(option)
            if chance.random() < 0.8:
                words.append(chance.choice(chance.choice([NUMBERS, NAMES, names])))
        done = subprocess.run([SANITIZED, *words], cwd=files, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, env={**os.environ, "ASAN_OPTIONS": "exitcode=99:detect_leaks=0", "UBSAN_OPTIONS": "exitcode=98"})
        assert done.returncode in (0, 1, 2), (number, words, done.stderr[-3000:].decode(errors="replace"))
        ended[done.returncode] += 1
    assert all(ended.values()), ended  # some of each, or the lines are too dull
