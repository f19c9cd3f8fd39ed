"""The guide's code prints what the guide shows, and the worked examples tell what they promise."""

import doctest
import os
import re
import subprocess
import sys
import warnings

import pytest
from conftest import ROOT


def test_the_guide_prints_what_it_shows():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = doctest.testfile(str(ROOT / "docs/python.md"), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0 and result.attempted > 30


def test_the_page_of_errors_prints_what_it_shows():
    result = doctest.testfile(str(ROOT / "docs/errors.md"), module_relative=False)
    assert result.failed == 0 and result.attempted == 2


@pytest.mark.parametrize("page", ["README.md", *sorted(str(page.relative_to(ROOT)) for folder in ("tutorials", "how-to") for page in (ROOT / "docs" / folder).glob("*.md") if ">>> " in page.read_text())])
def test_python_sessions_of_the_pages_print_what_they_show(page):
    done = subprocess.run([sys.executable, ROOT / "tools/page_outputs.py", "--only", "python", ROOT / page], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def run_example(name, *arguments, **environment):
    done = subprocess.run([sys.executable, ROOT / "examples" / name, *map(str, arguments)], capture_output=True, text=True, env=os.environ | environment | {"MPLBACKEND": "Agg"})
    assert done.returncode == 0, done.stderr
    return done.stdout


def curve(text):
    """{examples: (alone, with rules)}"""
    return {int(row[0]): (float(row[1]), float(row[2])) for row in re.findall(r"^(\d+)\s+([\d.]+|NaN)\s+([\d.]+)$", text, re.MULTILINE)}


def test_tuberculosis(tmp_path):
    said = curve(run_example("tuberculosis.py", "--picture", tmp_path / "curve.png"))
    assert said[0][1] < 25  # rules alone
    assert said[1][1] < 25 < said[1][0] and said[5][1] < 8 < said[5][0]  # no worse for the first labels, and far ahead of examples alone
    assert said[500][1] < 1.5 and said[500][0] < 1.5
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_a_bad_rule_is_noticed_and_costs_little():
    said = run_example("bad_rule.py")
    last = [int(number) for number in re.search(r"^ +2000 +(.*)$", said, re.MULTILINE)[1].split()]
    without, good, mixed, bad = last
    assert good <= without and mixed <= without + 8 and bad <= without + 8
    assert re.search(r"^myth .* contradicted ", said, re.MULTILINE)


def test_diabetes(data):
    said = run_example("diabetes.py", POSTIL_DATA=str(data))
    errors = curve(said)
    assert errors[1][1] < errors[1][0] - 3 and errors[20][1] < errors[20][0] and errors[200][1] < 25
    assert re.search(r"^high +216 +152 ", said, re.MULTILINE)


@pytest.mark.parametrize("name", ["tuberculosis.py", "bad_rule.py", "diabetes.py"])
def test_examples_say_how_they_are_called(name):
    text = (ROOT / "examples" / name).read_text()
    assert f"python examples/{name}" in text.split('"""')[1]
