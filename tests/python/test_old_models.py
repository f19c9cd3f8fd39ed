"""Model files of earlier formats load and predict the same (tests/fixtures/make_models.py made them)."""

import json
import pathlib
import re
import shutil

import numpy as np
import pytest

from conftest import run, run_json

FIXTURES = pathlib.Path(__file__).parent.parent / "fixtures"
CASES = [(folder, name) for folder in sorted(FIXTURES.glob("models-*")) for name in sorted(json.loads((folder / "expected.json").read_text()))]


def numbers(predictions):
    return np.array(predictions["scores"], dtype=float)


@pytest.mark.parametrize("folder, name", CASES, ids=[f"{folder.name}-{name}" for folder, name in CASES])
def test_loads_and_predicts_the_same(folder, name):
    expected = json.loads((folder / "expected.json").read_text())[name]
    found = run_json("predict", folder / f"{name}.postil", folder / expected["data"], "--scores")
    np.testing.assert_allclose(numbers(found), numbers(expected["predictions"]), rtol=1e-12, atol=1e-12)
    assert found["labels"] == expected["predictions"]["labels"]
    explained = run("explain", folder / f"{name}.postil")
    assert explained.returncode == 0 or "has no weights" in explained.stderr, explained.stderr


@pytest.mark.parametrize("folder, name", [case for case in CASES if case[1].startswith("stream") or case[1] in ("arow", "advised-rules", "pa-adviceptron-rules")])
def test_goes_on_learning(folder, name, tmp_path):
    model = shutil.copy(folder / f"{name}.postil", tmp_path / "m")
    done = run("stream", "--model", model, folder / "two.csv", check=True)
    seen = int(re.search(r"has seen (\d+) rows", done.stderr)[1])
    assert f"{seen + 80} rows" in done.stderr
