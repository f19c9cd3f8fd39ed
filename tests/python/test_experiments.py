"""The experiments: each runs in its quick form and has its shape; what was done is not done again; committed pages say what their numbers say."""

import csv
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from scipy import stats

from conftest import POSTIL, ROOT

import postil
from postil import _postil
from postil.experiments import __main__ as command
from postil.experiments import data as experiment_data
from postil.experiments import experiment, lab, page, trials
from postil.experiments.acml2010 import sets, soft_margin
from postil.experiments.annie2010 import templates
from postil.experiments.beyond import labels_worth, tasks

KNOWN = command.experiments()
PAGES = ROOT / "docs" / "experiments"


class Silent:
    def isatty(self):
        return False


def quick(name, folder, **options):
    return experiment.run(KNOWN[name], quick=True, folder=folder, meter=lab.Meter(Silent()), **options)


# ---- each in its quick form ----


@pytest.mark.parametrize("name", KNOWN)
def test_quick(name, tmp_path, request):
    if KNOWN[name].needs:
        request.getfixturevalue("data")
    done = quick(name, tmp_path / "cache")
    KNOWN[name].check(done.settings, done.results)
    text = page.write(KNOWN[name], done, tmp_path / "out").read_text()
    assert "**not the protocol**" in text and "What we had to assume" in text and not re.search(r"\bnan\b", text)
    assert f"postil experiment run {name} --quick" in text and lab.machine() in text
    for kind, magic in (("svg", b"<?xml"), ("png", b"\x89PNG"), ("csv", b"task,learner")):
        path = tmp_path / "out" / f"{name}.{kind}"
        assert path.read_bytes().startswith(magic) if KNOWN[name].draw or kind == "csv" else not path.exists()
    assert all(len(entry) > 20 for entry in KNOWN[name].assumed) and KNOWN[name].about
    # And the check can fail: all learners alike, or what it looks at turned for the worse.
    done.results.table["mean"] = 100.0
    for learner in ("e-SVM", "advised", "exact (5)") if name in ("soft-rbf", "long-stream", "exact-relaxed") else ():
        done.results.table.loc[done.results.table.learner == learner, "mean"] = 200.0
    if name == "perceptron-bounds":
        done.results.extra["done"][0]["found"][0][0] = 1e9
    if name == "advice-bounds":
        done.results.extra["worst"]["adviceptron"] = 1.5
    if name == "labels-worth":
        done.results.table["mean"] = 0.0
    with pytest.raises(AssertionError):
        KNOWN[name].check(done.settings, done.results)


def test_names_are_those_of_the_files():
    for name, each in KNOWN.items():
        assert each.name == name and (ROOT / "experiments" / each.paper / f"{name.replace('-', '_')}.py").exists()
    modules = {path.stem for paper in command.MODULES for path in (ROOT / "experiments" / paper).glob("*.py") if "EXPERIMENT = " in path.read_text()}
    assert modules == {name.replace("-", "_") for name in KNOWN}


# ---- the engine's contest against plain loops ----


def test_a_contest_is_what_estimators_give():
    """The same splits by partial_fit and predict, one estimator after the other."""
    X, y = postil.datasets.make("synthetic", rows=400, seed=3, spread=1.3)
    task = trials.Task(X, y, positive="positive", scale="none")
    splits = [trials.split(400, 100, trials.run_seed(5, run)) for run in range(4)]
    learners = {"pa": trials.Learner("pa", {"C": 0.1}), "arow": trials.Learner("arow")}
    job = trials.contest("x", task, learners, splits, [1, 20, 100], chunk=3)
    found = trials.curves_of([job.work(unit) for unit in range(job.units)])
    made = {"pa": lambda: postil.PassiveAggressiveClassifier(C=0.1, scale="none"), "arow": lambda: postil.AROWClassifier(scale="none")}
    for name, make in made.items():
        for run, (train, test) in enumerate(splits):
            model, done = make(), 0
            for place, step in enumerate((1, 20, 100)):
                model.partial_fit(X.iloc[train[done:step]], y.iloc[train[done:step]], classes=["negative", "positive"])
                done = step
                assert found[name][1][place, run] == pytest.approx(1 - model.score(X.iloc[test], y.iloc[test]), abs=1e-12)


def test_a_choice_is_that_of_cross_validation_by_hand():
    X, y = postil.datasets.make("synthetic", rows=300, seed=4, spread=2)
    task = trials.Task(X, y, positive="positive")
    values = [1e-4, 1.0]
    train, test = trials.split(300, 120, trials.run_seed(0, 0))
    whole, chosen = _postil.compare(task.rows(), [trials.Learner("pa", {}, {"C": values}).recipes(task)], [(train.astype(np.uint32), test.astype(np.uint32))], [120], folds=4)
    alone, _ = _postil.compare(task.rows(), [trials.Learner("pa", {"C": value}).recipes(task) for value in values], [(train.astype(np.uint32), test.astype(np.uint32))], [120])
    assert whole[0, 0, 0] == alone[chosen[0][0], 0, 0]
    assert chosen[0][0] == 1  # 1e-4 has hardly moved after 90 examples


@pytest.mark.parametrize("splits, expected", [([(np.array([0, 500], dtype=np.uint32), np.array([1], dtype=np.uint32))], "row 500"), ([], "splits")])
def test_bad_splits_are_refused(splits, expected):
    X, y = postil.datasets.make("synthetic", rows=50)
    task = trials.Task(X, y)
    with pytest.raises(postil.Error, match=expected):
        _postil.compare(task.rows(), [trials.Learner("arow").recipes(task)], splits, [1])


def test_paired_is_students_t():
    random = np.random.default_rng(0)
    a, b = random.normal(size=(1, 30)), random.normal(0.3, size=(1, 30))
    found = experiment.paired("t", {"a": ([5], a, []), "b": ([5], b, [])}, [("a", "b")], [5]).iloc[0]
    told = stats.ttest_rel(a[0], b[0])
    assert found["p"] == pytest.approx(told.pvalue) and found["mean"] == pytest.approx((a - b).mean()) and found["se"] == pytest.approx(stats.sem((a - b)[0]))
    same = experiment.paired("t", {"a": ([5], a, []), "b": ([5], a, [])}, [("a", "b")], [5]).iloc[0]
    assert same["p"] == 1


def test_splits():
    y = np.array(["a"] * 30 + ["b"] * 300)
    train, test = trials.balanced_split(y, 21, trials.run_seed(0, 1))
    assert sorted(np.r_[train, test]) == list(range(330)) and {*np.unique(y[train], return_counts=True)[1]} == {10, 11}
    folds = soft_margin.folds_of(y, 10, trials.run_seed(0, 0))
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(330))
    assert {int((y[test] == "a").sum()) for _, test in folds} == {3}
    assert all(set(train) | set(test) == set(range(330)) and not set(train) & set(test) for train, test in folds)


def test_rows_with_both_labels_are_left_out_of_training_only():
    import pandas as pd

    task = trials.Task(pd.DataFrame({"a": [1.0, 1, 2, 2, 3]}), np.array(["1", "-1", "1", "1", "-1"]))
    assert list(sets.without_conflicts(task, np.array([0, 1, 2, 3, 4]))) == [2, 3, 4]
    assert list(sets.without_conflicts(task, np.array([0, 2, 4]))) == [0, 2, 4]  # its twin is in the test, and nobody knows


def test_labels_needed():
    at, falling = [0, 10, 20, 40], [0.5, 0.3, 0.2, 0.1]
    assert labels_worth.needed(at, falling, 0.25) == 15
    assert labels_worth.needed(at, falling, 0.05) == float("inf")
    assert labels_worth.needed(at, falling, 0.6) == 0
    assert labels_worth.needed(at, [0.5, 0.1, 0.4, 0.1], 0.2) == pytest.approx(20 + 20 * 2 / 3)  # it must stay there


def test_rules_turned_round():
    text = tasks.with_rules(trials.Task(None, [], advice="domain a in [0, 1]\nr: a >= 0.5 => yes\ns: a <= 0.2 => not yes\n"), tasks.turned).advice
    assert [(rule.id, rule.negated) for rule in postil.rules.parse(text)] == [("r", True), ("s", False)] and "domain a" in text


def test_rules_of_one_lineage():
    text = trials.rules_about(trials.rule_file("tuberculosis"), "africanum")
    assert [rule.id for rule in postil.rules.parse(text)] == ["afr_p1", "afr_n1", "afr_n2", "afr_n3"] and "domain spacer_1..spacer_43" in text


# ---- data ----


def test_miru24_is_drawn_as_the_simulator_does(data):
    path = data.parent / "rules" / "tuberculosis_simulator.json"
    if not path.exists():
        pytest.skip("the simulator's facts are not beside the data")
    lineages = json.loads(path.read_text())["lineages"]
    assert {name: {int(value): chance for value, chance in facts["miru24"].items()} for name, facts in lineages.items()} == experiment_data.MIRU24


def test_sitvit2(data):
    X, y = experiment_data.sitvit2(0)
    assert len(y) == 13354 and X.shape[1] == 44 and set(y) == set(experiment_data.LINEAGES)
    assert dict(y.value_counts())["east_asian"] == 2175 and X["miru24"].isin([1, 2]).all()


def test_missing_data_are_asked_of_openml(monkeypatch, tmp_path, capsys):
    """The folder is empty: OpenML is asked, its frame becomes ours, and whoever reads is told."""
    import pandas as pd
    import sklearn.datasets

    class Bunch:
        frame = pd.DataFrame([[6.0, 148, 72, 35, 0, 33.6, 0.627, 50, "tested_positive"], [1, 0, 66, 29, 0, 26.6, 0.351, 31, "tested_negative"]], columns=["preg", "plas", "pres", "skin", "insu", "mass", "pedi", "age", "class"])

    monkeypatch.setenv("POSTIL_DATA", str(tmp_path))
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda **given: Bunch if given["data_id"] == 37 else None)
    X, y = experiment_data.pima()
    assert list(y) == ["1", "0"] and np.isnan(X.loc[1, "glucose"]) and X.loc[0, "bmi"] == 33.6
    assert "asking OpenML" in capsys.readouterr().err

    def broken(**given):
        raise OSError("no way out")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", broken)
    with pytest.raises(experiment_data.Missing, match="POSTIL_DATA.*no way out"):
        experiment_data.pima()
    with pytest.raises(experiment_data.Missing, match="usps_train"):
        experiment_data.usps((3, 5))


def test_templates_are_frozen():
    """The rules from drawings, drawn before the data were seen."""
    masks = [[int(mask.sum()) for mask in templates.contrast_masks(a, b, 10, 0.35, 0)] for a, b in ((3, 5), (5, 8), (3, 8))]
    assert masks == [[15, 25], [15, 26], [0, 19]]
    assert len(postil.rules.parse(templates.rules(3, 8, 10, 0.35, 0))) == 2


def test_rules_of_directions_hold_on_the_drawings():
    """Normalised drawings lie on their own side of the middle, whatever the pen; and the width of the pen does not count."""
    for a, b in ((3, 5), (5, 8), (3, 8)):
        for direction in (templates.matching_direction(a, b, 10, 0), templates.component_direction(a, b, 10, 0)):
            of_a, of_b = (templates.normalised(templates.drawings(digit, 10, 0).reshape(10, -1)) @ direction for digit in (a, b))
            assert of_a.mean() > of_b.mean()
            assert [(rule.id, rule.says) for rule in postil.rules.parse(templates.direction_rules(a, b, direction, 10, 0))] == [(f"like_{a}", str(a)), (f"like_{b}", str(b))]
    image = templates.drawings(3, 1, 0).reshape(1, -1)
    assert np.allclose(templates.normalised(image), templates.normalised(0.3 + 0.5 * image))


def test_values_that_could_hardly_miss_are_counted_apart():
    """An error near zero, and one after a single example of a learner that begins with nothing; a value that misses always counts."""
    each = KNOWN["tuberculosis"]
    rows = [row for row in each.expected() if row["task"] == "east_asian" and row["learner"] in ("pa-ii", "adviceptron", "adviceptron, advice start")]
    table = experiment.table([(row["task"], row["learner"], row["quantity"], row["at"], row["paper"], 0.0, 200) for row in rows])
    found = {(row["learner"], row["at"]): row["easy"] for row in each.agreement(experiment.Results(table))}
    assert found["pa-ii", 1] and found["adviceptron, advice start", 50] and found["adviceptron", 1]
    table["mean"] = 0.9
    assert not any(row["easy"] or row["agrees"] for row in each.agreement(experiment.Results(table)))
    bars = KNOWN["exact-relaxed"]
    values = [("w1a", "relaxed (6)", "error, %", None, 2.9, 0.0, 10), ("w1a", experiment.ONE_CLASS, "error, %", None, 2.97, 0.0, 10)]
    assert [bool(row["easy"]) for row in bars.agreement(experiment.Results(experiment.table(values)))] == [True]
    assert [bool(row["easy"]) for row in bars.agreement(experiment.Results(experiment.table(values[:1])))] == [False]


# ---- the lab ----


def test_what_was_done_is_not_done_again(tmp_path):
    done = []

    def work(unit):
        done.append(unit)
        return {"unit": unit, "not a number": float("nan")}

    job = trials.Job("j", 3, {"a": 1}, work)
    first = lab.Lab("x", tmp_path).do([job])
    assert done == [0, 1, 2] and [part["unit"] for part in first["j"]] == [0, 1, 2]
    assert str(lab.Lab("x", tmp_path).do([job])) == str(first) and done == [0, 1, 2]
    next(tmp_path.glob("x/*-1.json")).write_text("{ damaged")  # one is lost
    lab.Lab("x", tmp_path).do([job])
    assert done == [0, 1, 2, 1]
    lab.Lab("x", tmp_path).do([trials.Job("j", 3, {"a": 2}, work)])  # another specification
    assert done == [0, 1, 2, 1, 0, 1, 2]
    lab.Lab("x", tmp_path, fresh=True).do([job])
    assert len(done) == 10


def test_a_log_gets_a_line_a_minute():
    stream = io.StringIO()
    meter = lab.Meter(stream)
    meter.update("x", 0, 4, None)
    assert stream.getvalue() == ""
    meter.shown -= 61
    meter.update("x", 1, 4, 300)
    meter.update("x", 2, 4, 200)
    meter.clear()
    assert stream.getvalue() == "x: 1 of 4 parts, 5 min left\n"


def test_a_run_that_was_stopped_goes_on(tmp_path):
    arguments = [sys.executable, "-m", "postil.experiments", "run", "tuberculosis", "--quick", "--set", "runs=40", "--out", str(tmp_path / "out"), "--cache", str(tmp_path / "cache")]
    folder = tmp_path / "cache" / "tuberculosis-quick"
    running = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and len(list(folder.glob("*.json"))) < 2 and running.poll() is None:
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    _, told = running.communicate(timeout=120)
    kept = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.json")}
    assert running.returncode == 1 and "goes on from there" in told and 2 <= len(kept) < 24, told
    subprocess.run(arguments, check=True, capture_output=True)
    assert len(list(folder.glob("*.json"))) == 24
    assert all((folder / name).stat().st_mtime_ns == when for name, when in kept.items())


def test_answers_are_kept_by_all_they_depend_on(tmp_path, monkeypatch):
    """Other rules, other data or other code than those of a kept answer: the work is done again."""
    job = trials.Job("j", 1, {}, lambda unit: unit)
    paths = {lab.Lab("x", tmp_path, inputs=inputs)._paths(job)[0] for inputs in ([], ["a"], ["b"])}
    monkeypatch.setattr(lab, "engine_mark", lambda: "another build")
    paths.add(lab.Lab("x", tmp_path)._paths(job)[0])
    assert len(paths) == 4
    behind = [name.rpartition(".")[2] for name, _ in lab.code_behind(soft_margin.jobs)]
    assert {"soft_margin", "data", "trials"} <= set(behind) and not {"page", "curves", "lab"} & set(behind)
    assert all("EXPERIMENT = Experiment(" not in text for _, text in lab.code_behind(soft_margin.jobs))


# ---- the command ----


def run_command(*arguments, **environment):
    return subprocess.run([str(POSTIL), "experiment", *map(str, arguments)], capture_output=True, text=True, env=os.environ | {"POSTIL_PYTHON": sys.executable} | environment, timeout=300)


def test_command(tmp_path):
    listed = json.loads(run_command("list", "--json").stdout)
    assert [entry["name"] for entry in listed] == list(KNOWN)
    done = run_command("run", "figure1", "perceptron-bounds", "--quick", "--json", "--out", tmp_path / "out", "--cache", tmp_path / "cache")
    assert done.returncode == 0, done.stderr
    def refuse(word):
        raise AssertionError(f"{word} is no JSON")

    first, second = (json.loads(line, parse_constant=refuse) for line in done.stdout.splitlines())
    assert first["name"] == "figure1" and len(first["expected"]) == 5 and second["results"]
    assert "figure1.md" in (tmp_path / "out" / "README.md").read_text()
    made = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert run_command("page", "figure1", "perceptron-bounds", "--pictures", "--out", tmp_path / "out").returncode == 0
    assert made == {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}  # nothing has changed
    done = run_command("page", "diabetes", "--out", tmp_path / "out")
    assert done.returncode == 1 and "diabetes.md" in done.stderr and "Traceback" not in done.stderr
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "README.md").write_text("my own\n")  # a README that is not ours stays
    assert run_command("run", "figure1", "--quick", "--out", tmp_path / "mine", "--cache", tmp_path / "cache").returncode == 0
    assert (tmp_path / "mine" / "README.md").read_text() == "my own\n" and (tmp_path / "mine" / "figure1.md").exists()
    done = run_command("run", "figure1", "--quick", "--out", tmp_path / "mine" / "README.md", "--cache", tmp_path / "cache")  # a file is no folder
    assert done.returncode == 1 and "README.md" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments, code, told",
    [
        (["run", "diabets"], 2, "did you mean 'diabetes'?"),
        (["run", "figure1", "--quick", "--set", "rnus=3"], 2, "no setting 'rnus'"),
        (["run", "figure1", "--quick", "--set", "runs"], 2, "NAME=VALUE"),
        (["run", "figure1", "--quick", "--set", "runs=0"], 2, "expected a whole number from 1"),
        (["run", "figure1", "--quick", "--set", "runs=x"], 2, "expected a whole number"),
        (["run", "figure1", "--quick", "--set", "mu=-1"], 2, "expected a number above 0"),
        (["run", "diabetes", "--set", "folds=1"], 2, "expected a whole number from 2"),
        (["run", "diabetes", "--set", "checkpoints=[5, 3]"], 2, "rising numbers"),
        (["run", "diabetes", "--set", "checkpoints=[]"], 2, "a list of rising numbers"),
        (["run", "diabetes", "--set", "learners=x"], 2, "not given on the command line"),
        (["walk"], 2, "invalid choice"),
        ([], 2, "expected list, or run NAME"),
        (["--help"], 0, ""),
    ],
)
def test_command_mistakes(arguments, code, told, tmp_path):
    done = run_command(*arguments, *(["--out", tmp_path] if arguments[:1] == ["run"] else []))
    assert done.returncode == code and told in done.stderr, done.stderr


def test_command_says_what_is_missing(tmp_path):
    done = run_command("run", "usps", "figure1", "--quick", "--out", tmp_path, "--cache", tmp_path, POSTIL_DATA=str(tmp_path / "nothing"))
    assert done.returncode == 1 and "usps" in done.stderr and "POSTIL_DATA" in done.stderr
    assert (tmp_path / "figure1.md").exists()  # the others are made
    done = run_command("list", POSTIL_PYTHON=str(tmp_path / "no-python"))
    assert done.returncode == 1 and "does not have the Python package" in done.stderr


# ---- what is committed ----


def test_every_experiment_has_its_page():
    index = (PAGES / "README.md").read_text()
    for name in KNOWN:
        text = (PAGES / f"{name}.md").read_text()
        assert f"({name}.md)" in index and "not the protocol" not in text
        for link in re.findall(r"\]\(([^)#]+)\)", text):
            assert link.startswith("http") or (PAGES / link).exists(), f"{name}: {link}"
        for kind in ("svg", "png", "csv"):
            assert (PAGES / f"{name}.{kind}").exists() == bool(KNOWN[name].draw or kind == "csv")


@pytest.mark.parametrize("name", KNOWN)
def test_pages_say_what_their_numbers_say(name):
    """A committed page is what the sources make of its committed CSV: tables, counts of what agrees, sentences (`postil experiment page`)."""
    results = page.kept_results(KNOWN[name], PAGES)
    text = (PAGES / f"{name}.md").read_text()
    assert text.endswith(f"\n\n{page.conclusions(KNOWN[name], results)}\n")
    assert f"\n\n{KNOWN[name].about}\n\n" in text
    results.wide = "\n|  | what |" in text
    assert page.numbers(results) in text.replace("**", "")  # bold comes of paired tests, which need the runs



def above(t, a, b):
    return t[a] - t[b]


@pytest.mark.parametrize(
    "name, quantity, at, words, fact",
    [
        ("hard-margin", "error, %", None, "than the SVM on ten of eleven sets", lambda t: [(t[machine] < t["SVM"]).sum() for machine in ("BPM", "e-SVM")] == [10, 10] and len(t) == 11),
        ("soft-rbf", "error, %", None, "within a point of each other on ten of eleven sets", lambda t: ((t.max(axis=1) - t.min(axis=1)) < 1).sum() == 10 and len(t) == 11),
        ("soft-margin", "error, %", None, "ahead on splice and dna only", lambda t: set(t.index[t["e-SVM"] < t["SVM"]]) == {"splice", "dna"}),
        ("exact-relaxed", "error, %", None, "differ by .2 points at most", lambda t: above(t, "exact (5)", "relaxed (6)").abs().max() <= 0.2),
        ("relinearised", "objective of (5) above exact", None, "within 1e-4", lambda t: t["linearised again"].abs().max() < 1e-4),
        ("relinearised", "linearisations", None, "after 6 to 46 linearisations", lambda t: [t["linearised again"].min(), t["linearised again"].max()] == [6, 46]),
        ("neighbours", "error, %", None, "worse than ν = .01 in 27 of 33", lambda t: (above(t, "whitened", "esvm, ν = 0.01") > 0).sum() == 27 and len(t) == 33),
        ("drift", "progressive error", None, "never behind River's linear ensembles", lambda t: all((above(t, "advised, drift=auto", f"ADWIN {kind}") <= 0).all() for kind in ("bagging", "boosting"))),
        ("fresh-rules", "balanced error", 10, "means over 28 tasks", lambda t: t.loc["mean over tasks"].idxmin() == "advised" and len(t) == 29),
        ("bad-advice", "error", 5, "8 % where AROW errs on 34", lambda t: [round(100 * t[t.index.str.endswith(", good")][learner].mean()) for learner in ("advised", "arow")] == [8, 34]),
        ("bad-advice", "error", "end", "at most .0006 above AROW in all twenty", lambda t: above(t, "advised", "arow").max() < 0.00065 and len(t) == 20),
        ("long-stream", "error", 20000, "ends within .0002 of PA-II", lambda t: above(t, "adviceptron, μ fades", "pa-ii").abs().max() < 0.0002),
        ("tuberculosis", "error", 50, "after 50 examples they differ by .005 at most", lambda t: above(t, "adviceptron, μ = 1e-4", "pa-ii").abs().max() < 0.005),
        ("sitvit2", "error", 50, "after 50 examples they differ by .003 at most", lambda t: above(t, "adviceptron, μ = 1e-4", "pa-ii").abs().max() < 0.0035),
        ("usps", "error", 0, "they err on 26 to 30 %", lambda t: {round(100 * value) for value in t["adviceptron mu=1e-4"][t.index.str.startswith("3v5")]} <= set(range(26, 31))),
    ],
)
def test_sentences_that_count(name, quantity, at, words, fact):
    """A sentence of a page, and what it says, from the page's CSV: means, tasks down, learners across."""
    table = page.kept_results(KNOWN[name], PAGES).table
    table = table[table.quantity == quantity]
    if at == "end":
        table = table[table["at"] == table.groupby("task")["at"].transform("max")]
    elif at is not None:
        table = table[table["at"] == at]
    assert words in (PAGES / f"{name}.md").read_text()
    assert fact(table.pivot(index="task", columns="learner", values="mean"))


@pytest.mark.parametrize("paper", [paper for paper in command.MODULES if paper not in ("beyond", "lecture")])
def test_expected_values_are_about_something(paper):
    with open(ROOT / "experiments" / paper / "expected.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows and list(rows[0]) == ["experiment", "task", "learner", "quantity", "at", "paper", "gap"]
    for row in rows:
        assert row["experiment"] in KNOWN and float(row["paper"]) >= 0 and float(row["gap"]) > 0
    for name in {row["experiment"] for row in rows}:
        table = list(csv.DictReader(open(PAGES / f"{name}.csv")))
        known = {(entry["task"], entry["learner"], entry["quantity"]) for entry in table}
        missing = [row for row in rows if row["experiment"] == name and (row["task"], row["learner"], row["quantity"]) not in known]
        assert all(row["task"] == "w2a" for row in missing), missing  # not at hand


def test_pictures_of_the_readme_are_there():
    text = (ROOT / "README.md").read_text()
    shown = re.findall(r'src="(docs/experiments/[^"]+)"', text)
    assert len(shown) == 3 and all((ROOT / path).exists() for path in shown)
    assert all(f"postil experiment run {pathlib.Path(path).stem}" in text for path in shown)
