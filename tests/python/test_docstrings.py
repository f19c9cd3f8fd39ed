"""help() teaches: what a thing is for comes first, examples run (test_estimators.py), and nothing points to files that a wheel does not have."""

import inspect
import pydoc
import re

import pytest
from conftest import ROOT

import postil
from postil._names import ESTIMATORS


def documented(form, part):
    """Methods that are written again may leave their docstring to the class they derive from, as help() does."""
    return next((vars(base)[part] for base in form.__mro__ if part in vars(base) and inspect.getdoc(vars(base)[part])), getattr(form, part))


def public():
    """Every public function, class and method, by name."""
    out = {"postil": postil, "postil.load": postil.load}
    for name in (*ESTIMATORS, "Error"):
        out[name] = getattr(postil, name)
    for module in ("rules", "evaluate", "plots", "datasets", "testing"):
        out[module] = getattr(postil, module)
        out |= {f"{module}.{name}": getattr(out[module], name) for name in out[module].__all__}
    for owner, thing in list(out.items()):
        if inspect.isclass(thing):
            own = [part for part in vars(thing) if not part.startswith("_")] if owner not in ESTIMATORS else [part for part in dir(thing) if not part.startswith("_") and getattr(getattr(thing, part), "__module__", "").startswith("postil")]
            out |= {f"{owner}.{part}": documented(thing, part) for part in own if callable(getattr(thing, part)) or isinstance(getattr(thing, part), property)}
    return out


THINGS = public()


def test_everything_says_what_it_is_for():
    silent = [name for name, thing in THINGS.items() if not inspect.getdoc(thing)]
    assert not silent
    for name, thing in THINGS.items():
        first = inspect.getdoc(thing).split("\n\n")[0].replace("\n", " ")
        assert first.rstrip().endswith((".", ":")) or ">>>" in first, name


def test_no_links_to_files_that_a_wheel_does_not_have():
    for name, thing in THINGS.items():
        assert not re.search(r"\bdocs/|\.md\b|\.bib\b", inspect.getdoc(thing)), name


@pytest.mark.parametrize("name", ESTIMATORS)
def test_help_of_an_estimator_teaches(name):
    form = getattr(postil, name)
    text = pydoc.plain(pydoc.render_doc(form))
    doc = inspect.getdoc(form)
    assert re.match(r"(Classifies rows|Predicts numbers)", doc) and doc.count("Examples\n---") == 1 and "When not to use it" in doc and f"postil.{name}(" in doc
    assert "$" not in doc and "\\" not in doc.split("Examples")[0] and doc in re.sub(r"^ \|  ", "", text, flags=re.MULTILINE).replace(" |\n", "\n")
    for parameter in inspect.signature(form).parameters:
        assert re.search(rf"^{parameter} : ", doc, re.MULTILINE), parameter


def test_learners_named_in_help_exist():
    from postil._learners import ESTIMATORS as by_learner

    learners = {learner for learner, _ in by_learner}
    for name in ESTIMATORS:
        quoted = set(re.findall(r"`([\w-]+)`", inspect.getdoc(getattr(postil, name)).split("Parameters\n")[0]))
        assert not quoted & (learners - {"rules"}), name


def test_the_reference_says_shared_things_once():
    page = (ROOT / "docs/api.md").read_text()
    for sentence in ("most passes over the rows", "how columns are scaled before learning", "what stands for NaN", "classes count alike"):
        assert page.count(sentence) == 1, sentence
    titles = re.findall(r"^- \[.*\]\(#(.*)\)$", page, re.MULTILINE)
    heads = [re.sub(r"[^\w -]", "", head).lower().replace(" ", "-") for head in re.findall(r"^## (.*)$", page, re.MULTILINE)]
    assert titles == heads
    for name in (*ESTIMATORS, *(f"`postil.rules.{part}" for part in postil.rules.__all__)):
        assert f"### {name}" in page, name


def test_types_of_rules(tmp_path):
    import subprocess
    import sys

    (tmp_path / "user.py").write_text(
        "from postil import rules\nimport postil\n"
        "r = rules.parse('a => b')\nreveal_type(r)\nreveal_type(r[0])\nreveal_type(r[:1])\nreveal_type([x for x in r])\nreveal_type(r.only('a') + 'c => d')\nreveal_type(r[0].sure)\n"
        "reveal_type(rules.col('a') >= 1)\nreveal_type((rules.col('a') >= 1) >> 'x')\n"
        "postil.AdviceClassifier(advice=r)\npostil.AdviceClassifier(advice=['a => b', (rules.col('a') >= 1) >> 'x'])\npostil.AdviceClassifier(advice=3)\n"
    )
    said = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "user.py"], cwd=tmp_path, capture_output=True, text=True).stdout
    types = re.findall(r'Revealed type is "(.*)"', said)
    expected = ["Rules", "Rule", "Rules", "list[postil._rules.Rule]", "Rules", "float | None", "Condition", "BuiltRule"]
    assert len(types) == len(expected) and all(end in kind for kind, end in zip(types, expected)), types
    assert said.count("error:") == 1 and 'Argument "advice"' in said, said
