"""The same bits on processors with other instruction sets: the command itself, run by an emulator that has no more than they have.

The loader picks a version of each kernel by what the processor can do; here it meets one without AVX, one with AVX2, and this
machine's own (AVX-512, where it has it: no emulator at hand knows that).
"""

import json
import platform
import shutil
import subprocess

import pytest

from conftest import POSTIL, run

PROCESSORS = ["Nehalem", "Haswell-noTSX"]
RULES = "f1 >= 0.5 and f2 >= 0 => 1\nf1 <= -1 or f3 >= 1.5 => -1\n"
OPENBLAS = {"esvm-online"}  # an ellipsoid, whose projection is OpenBLAS's: the same bits on the same type of processor only
ONLINE = [learner for learner in json.loads(run("learners", "--json").stdout) if learner["online"] and learner["name"] not in OPENBLAS]

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64" or shutil.which("qemu-x86_64") is None, reason="the emulator qemu-x86_64 (Debian: qemu-user) is not at hand")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("processors")
    run("make", "dense", "--rows", 400, "--features", 37, "--seed", 2, "-o", folder / "d.csv", check=True)
    (folder / "r.rules").write_text(RULES)
    return folder


@pytest.mark.parametrize("learner", ONLINE, ids=lambda learner: learner["name"])
def test_models_have_the_same_bytes(learner, files, tmp_path):
    advice = ["--advice", files / "r.rules"] if learner["advice"] else []
    arguments = [str(word) for word in ["train", files / "d.csv", "--learner", learner["name"], *advice, "--quiet", "--model"]]
    subprocess.run([POSTIL, *arguments, tmp_path / "here"], check=True, capture_output=True)
    for processor in PROCESSORS:
        subprocess.run(["qemu-x86_64", "-cpu", processor, POSTIL, *arguments, tmp_path / processor], check=True, capture_output=True)
        assert (tmp_path / processor).read_bytes() == (tmp_path / "here").read_bytes(), processor
