"""What the Python-side tests share: running the command, finding the data."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
POSTIL = ROOT / "build" / "postil"


def run(*arguments, stdin=None, cwd=None, check=False):
    """Runs the command; text in, text out."""
    done = subprocess.run([str(POSTIL), *map(str, arguments)], input=stdin, capture_output=True, text=True, cwd=cwd, timeout=300)
    if check:
        assert done.returncode == 0, done.stderr
    return done


def run_json(*arguments, **options):
    return json.loads(run(*arguments, "--json", check=True, **options).stdout)


@pytest.fixture
def write(tmp_path):
    """Writes a file into the test's own folder and returns its path."""

    def write_file(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


@pytest.fixture(scope="session")
def data():
    """The folder of real data sets; skips the test where it is not at hand."""
    folder = pathlib.Path(os.environ.get("POSTIL_DATA", ROOT / "data"))
    if not folder.is_dir():
        pytest.skip(f"real data sets are not at hand (POSTIL_DATA names their folder; {folder} does not exist)")
    return folder
