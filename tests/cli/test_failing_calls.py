"""Every verb with its n-th system call or allocation failing: a message and exit code 1, an old or a whole new file, no crash.

In full, for every n until nothing fails any more, with POSTIL_TORTURE=1 (`make torture`); here a sample of the n.
"""

import os
import pathlib
import signal
import subprocess

import pytest

from conftest import POSTIL, run

RULES = "x1 >= 2 and x2 >= 1 => positive\nx1 <= -2 => negative\n"
TORTURE = bool(os.environ.get("POSTIL_TORTURE"))
EVERYWHERE = {"write", "malloc"}  # calls that every verb makes
CALLS = ["write", "read", "fsync", "rename", "linkat", "open", "mmap", "malloc"]


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    library = tmp_path_factory.mktemp("shim") / "fail_calls.so"
    source = pathlib.Path(__file__).with_name("fail_calls.c")
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    run("make", "synthetic", "--rows", 300, "--seed", 5, "-o", folder / "d.csv", check=True)
    (folder / "r.rules").write_text(RULES)
    run("train", folder / "d.csv", "--advice", folder / "r.rules", "--model", folder / "m", check=True)
    return folder


VERBS = {
    "train": ["train", "d.csv", "--advice", "r.rules", "--model", "out", "--threads", "2"],
    "stream": ["stream", "d.csv", "--advice", "r.rules", "--model", "out", "--every", "100"],
    "predict": ["predict", "m", "d.csv", "-o", "out.csv"],
    "evaluate": ["evaluate", "m", "d.csv"],
    "explain": ["explain", "m", "--certify", "r.rules"],
    "rules": ["rules", "check", "r.rules", "--data", "d.csv"],
    "cv": ["cv", "d.csv", "--folds", "3"],
    "convert": ["convert", "d.csv", "out.svm"],
    "make": ["make", "synthetic", "--rows", "50", "-o", "out.csv"],
    "learners": ["learners", "--json"],
}


def numbers():
    """1, 2, 3, ... or a sample of them."""
    n = 1
    while True:
        yield n
        n += 1 if TORTURE else 1 + n // 4


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("verb", VERBS)
def test_the_nth_call_fails(verb, call, shim, files, tmp_path):
    for name in ["d.csv", "r.rules", "m"]:
        (tmp_path / name).symlink_to(files / name)
    whole = {}
    done = subprocess.run([POSTIL, *VERBS[verb]], cwd=tmp_path, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    for path in tmp_path.glob("out*"):
        whole[path.name] = path.read_bytes()
        path.unlink()
    for n in numbers():
        environment = {**os.environ, "LD_PRELOAD": str(shim), "FAIL_CALL": call, "FAIL_AT": str(n), "FAIL_LOG": str(tmp_path / "log"), "FAIL_INSIDE": str(tmp_path / "inside")}
        done = subprocess.run([POSTIL, *VERBS[verb]], cwd=tmp_path, capture_output=True, timeout=120, env=environment)
        inside = (tmp_path / "inside").exists()  # the solver of linear programs, which is not safe against this
        (tmp_path / "inside").unlink(missing_ok=True)
        if inside and -done.returncode in (signal.SIGABRT, signal.SIGSEGV):
            continue
        assert done.returncode in (0, 1), (n, done.returncode, done.stderr[-500:])
        if done.returncode == 1:
            assert done.stderr.startswith(b"postil: ") or b"\npostil: " in done.stderr, (n, done.stderr)
        for path in tmp_path.glob("out*"):
            assert path.read_bytes() == whole[path.name] or verb == "stream", (n, path)
            path.unlink()
        if (tmp_path / "log").exists():  # there was no n-th call
            assert done.returncode == 0 and n > (1 if call in EVERYWHERE else 0)
            return
