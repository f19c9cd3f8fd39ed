"""tools/draw_curve.py: the demo's picture."""

import json
import subprocess
import sys
import xml.etree.ElementTree

import pytest

from conftest import ROOT, run_json


def draw(curve, *arguments):
    return subprocess.run([sys.executable, str(ROOT / "tools/draw_curve.py"), *map(str, arguments)], input=json.dumps(curve), capture_output=True, text=True)


def test_a_curve_of_the_command(tmp_path):
    from conftest import run

    run("make", "synthetic", "--rows", 200, "-o", tmp_path / "d.csv", check=True)
    curve = run_json("curve", tmp_path / "d.csv", "--learner", "arow", "--learner", "pa", "--train", 50, "--runs", 3)
    done = draw(curve, "--svg", tmp_path / "c.svg", "--names", "one,a<b & c")
    assert done.returncode == 0 and "a<b & c" in done.stdout and done.stdout.count("examples") == len(curve["checkpoints"])
    shapes = [element.tag.rpartition("}")[2] for element in xml.etree.ElementTree.parse(tmp_path / "c.svg").iter()]
    assert shapes.count("polyline") == 2 and shapes.count("polygon") == 2


@pytest.mark.parametrize("means, errors, places", [([0.5], [None], [3]), ([0, 0], [0, 0], [0, 1]), ([None, 0.2], [None, None], [0, 10])])
def test_odd_curves(means, errors, places, tmp_path):
    done = draw({"checkpoints": places, "learners": [{"name": "x", "error_mean": means, "error_se": errors}]}, "--svg", tmp_path / "c.svg")
    assert done.returncode == 0, done.stderr
