"""The house rules: who may include whom, what is generated, what must not be there."""

import re
import subprocess

from conftest import ROOT, run_json

# DESIGN's drawing: what each folder of src/ may include, besides itself and the public headers of those.
MAY_USE = {
    "core": set(),
    "solvers": {"core"},
    "advice": {"core", "solvers"},
    "data": {"core"},
    "forms": {"core", "advice", "data"},
    "learners": {"core", "solvers", "advice"},
    "model": {"core", "solvers", "advice", "data", "learners"},
    "eval": {"core", "solvers", "advice", "data", "learners", "model"},
    "report": {"core", "solvers", "advice", "data", "learners", "model", "eval"},
    "export": {"core", "advice", "learners", "model", "data", "eval"},
}
# The public headers belong to the layer that implements them.
HEADER_LAYER = {
    "archive": "core",
    "checksum": "core",
    "error": "core",
    "output_file": "core",
    "params": "core",
    "random": "core",
    "row": "core",
    "schema": "core",
    "text": "core",
    "watch": "core",
    "data": "data",
    "inspect": "data",
    "rules": "advice",
    "rule_edits": "advice",
    "rule_forms": "forms",
    "learner": "learners",
    "drift": "model",
    "model": "model",
    "probabilities": "model",
    "session": "model",
    "shards": "model",
    "train": "model",
    "evaluate": "eval",
    "ask": "eval",
    "repair": "eval",
    "suggest": "eval",
    "worth": "eval",
    "export": "export",
    "scorecard": "export",
    "json": "report",
    "report": "report",
    "postil": "cli",
}


def tracked(*patterns):
    return subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *patterns], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()


def includes(path):
    return re.findall(r'^#include "([^"]+)"', (ROOT / path).read_text(), re.MULTILINE)


def layer_of(include, folder):
    if include.startswith("postil/"):
        return HEADER_LAYER[include[len("postil/") : -len(".hpp")]]
    return include.split("/")[0] if "/" in include else folder


def test_include_directions():
    wrong = []
    for path in tracked("src/*.cpp", "src/*.hpp"):
        folder = path.split("/")[1]
        wrong += [f"{path} includes {name}" for name in includes(path) if layer_of(name, folder) not in MAY_USE[folder] | {folder}]
    for path in tracked("include/*.hpp"):
        layer = HEADER_LAYER[path.split("/")[-1][:-4]]
        allowed = MAY_USE.get(layer, set(MAY_USE)) | {layer}
        wrong += [f"{path} includes {name}" for name in includes(path) if not name.startswith("postil/") or layer_of(name, "") not in allowed]
    assert wrong == []


def test_front_ends_use_the_public_door():
    """The command and the Python module include public headers and their own, nothing of src/."""
    wrong = [f"{path} includes {name}" for path in tracked("cli/*", "python/src/*") for name in includes(path) if not name.startswith("postil/") and "/" in name]
    assert wrong == []


def test_the_library_prints_nothing_and_reads_no_clock():
    forbidden = re.compile(r"fmt::print|std::cout|std::cerr|\bprintf\(|std::exit|::exit\(|_clock\b|<ctime>|<iostream>|\bstd::rand")
    wrong = [path for path in tracked("src/*", "include/*") if forbidden.search((ROOT / path).read_text())]
    assert wrong == []


def strings(path):
    """The texts in a C++ file, without those of raw strings, which are pages of documentation."""
    code = re.sub(r'R"(\w*)\((?:.|\n)*?\)\1"', '""', (ROOT / path).read_text())
    code = re.sub(r"//.*", "", code)
    return re.findall(r'"((?:[^"\\\n]|\\.)*)"', code)


def test_the_library_has_no_words_for_options():
    """Messages name options as Option; the command, Python and others put their own words there."""
    wrong = [f"{path}: {text}" for path in tracked("src/*", "include/*") for text in strings(path) if re.search(r"--[a-z]", text)]
    assert wrong == []
    assert "regex" not in (ROOT / "python/src/errors.cpp").read_text() + (ROOT / "python/src/module.cpp").read_text()


def test_every_code_of_errors_has_its_line():
    """docs/errors.md lists the codes, as the library has them."""
    code = (ROOT / "src/core/error.cpp").read_text()
    words = re.findall(r'\{Code::(\w+), "(\w+)"\}', code)
    assert len(words) > 20 and all(name == word for name, word in words)
    listed = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/errors.md").read_text().split("## Codes")[1], re.MULTILINE)
    assert listed == [word for _, word in words]


def test_every_learner_has_its_oracle_test_and_page():
    for entry in run_json("learners"):
        stem = entry["name"].replace("-", "_")
        assert (ROOT / f"tests/oracle/{stem}_test.cpp").exists()
        assert (ROOT / f"src/learners/{stem}.cpp").exists()
        assert f"{{{entry['reference']}," in (ROOT / "docs/references.bib").read_text()


def test_regenerating_changes_nothing():
    done = subprocess.run(["/usr/bin/python3", "tools/generate.py", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
