"""The source distribution builds from itself, and the wheel runs where nothing of ours is."""

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

import pytest
from conftest import ROOT


@pytest.fixture(scope="module")
def built():
    """What `make wheel` copies to dist/: the wheel and the source distribution."""
    done = subprocess.run(["tools/wheel.sh"], cwd=ROOT, capture_output=True, text=True, env=os.environ | {"PYTHON": "/usr/bin/python3"})
    assert done.returncode == 0, done.stdout + done.stderr
    return next((ROOT / "build/wheel/repaired").glob("*.whl")), next((ROOT / "build/wheel").glob("postil-*.tar.gz"))


def test_what_is_inside(built):
    wheel, source = built
    with tarfile.open(source) as sdist:
        names = ["/".join(name.split("/")[1:]) for name in sdist.getnames()]
    assert {"CMakeLists.txt", "pyproject.toml", "LICENSE", "README.md", "src/learners/registry.cpp", "include/postil/model.hpp", "python/postil/_estimator.py", "cli/main.cpp"} <= set(names)
    assert not [name for name in names if name.startswith(("tests/", "build", "docs/", "data/")) or name.endswith(".so")]
    assert re.search(r"manylinux_2_(\d+)_", wheel.name)[1] <= "34", "RHEL 9, Debian 12, Ubuntu 22.04 and later"
    assert wheel.stat().st_size < 16e6
    inside = zipfile.ZipFile(wheel).namelist()
    assert {"postil/py.typed", "postil/_postil.pyi", "postil/__init__.pyi", "postil/_learners.py"} <= set(inside)
    assert not [name for name in inside if name.startswith(("include/", "lib/")) or name.endswith((".a", ".cpp"))]
    libraries = [name for name in inside if ".libs/" in name]
    assert len([name for name in libraries if "openblas" in name]) == 1, "what it links to comes along, once"
    licences = [name for name in inside if "/licenses/" in name]
    assert any(name.endswith("licenses/NOTICE") for name in licences)
    assert len([name for name in licences if "/bundled/" in name]) == len(libraries), "each with its licence"


def test_no_flag_ties_it_to_this_processor(built):
    commands = (ROOT / "build/wheel").glob("postil-*/build-python/build.ninja")
    text = "".join(path.read_text() for path in commands)
    assert "FLAGS = -O2" in text
    assert "-march" not in text and "-mtune" not in text


def test_it_runs_on_its_own(built, tmp_path):
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    python = tmp_path / "venv/bin/python"
    subprocess.run([sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", "--disable-pip-version-check", built[0]], check=True, env=environment)
    site = next(tmp_path.glob("venv/lib/python3*/site-packages"))
    (site / "peers.pth").write_text(sysconfig.get_path("purelib"))  # numpy and its like, behind what is installed here
    code = """
import postil
print(postil.__file__)
X, y = postil.datasets.make("synthetic", rows=200, seed=1)
print(postil.SVC().fit(X, y).score(X, y) > 0.9)
print(postil.AdviceClassifier(advice="x2 <= 0 => positive").fit(X, y).ledger().loc["line 1", "fired"] > 0)
"""
    said = subprocess.run([python, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True, env=environment).stdout.split()
    assert said == [str(site / "postil/__init__.py"), "True", "True"]
    version = subprocess.run([tmp_path / "venv/bin/postil", "--version"], capture_output=True, text=True, env=environment)
    assert version.stdout.splitlines()[0] == "postil 0.1.0", version.stderr
