"""The same model files as the command's, in both directions, to the last bit; rules, ledger and explanations likewise."""

import json
import pickle
import re
import subprocess

import numpy as np
import pandas as pd
import pytest
from conftest import POSTIL, ROOT, run, run_json
from sklearn.base import is_regressor

import postil
from postil._names import ESTIMATORS

RULES = "domain x1 in [-3, 10]\ndomain x2 in [-5, 9]\nbelow: x2 <= 0 => positive\nabove: x2 >= 3 and x2 - 0.5*x1 >= 1 => not positive\nmyth [trust = 0.5]: x1 >= 5 => not positive\n"
LEARNERS = {entry["name"]: entry for entry in json.loads(subprocess.run([POSTIL, "learners", "--json"], capture_output=True, text=True, check=True).stdout)} if POSTIL.exists() else {}


@pytest.fixture
def points(tmp_path):
    run("make", "synthetic", "--rows", "300", "--seed", "4", "-o", tmp_path / "points.csv", check=True)
    (tmp_path / "points.rules").write_text(RULES)
    frame = pd.read_csv(tmp_path / "points.csv")
    return tmp_path, frame.drop(columns="label"), frame["label"].to_numpy()


def as_rows(told):
    """The command counts lines of a file from 1, Python rows from 0."""
    if isinstance(told, str):
        return re.sub(r"last contradicted on line (.*)", lambda match: "last contradicted in row " + ", ".join(str(int(number) - 1) for number in match[1].split(", ")), told)
    for rule in told["rules"]:
        rule["contradicted_by"] = [line - 1 for line in rule["contradicted_by"]]
    return told


@pytest.mark.parametrize("name", sorted(LEARNERS))
def test_the_command_reads_our_files_and_we_read_its(points, name):
    folder, X, y = points
    advice = ["--advice", folder / "points.rules"] if LEARNERS[name]["advice"] else []
    run("train", folder / "points.csv", "--learner", name, "--model", folder / "m.postil", "--passes", "3", *advice, check=True)
    loaded = postil.load(folder / "m.postil")
    assert type(loaded)._learner == name
    said = run_json("predict", folder / "m.postil", folder / "points.csv", "--scores")
    assert loaded.predict(X).tolist() == said["labels"]
    assert loaded.decision_function(X).tolist() == said["scores"]
    # The same from here: the same bytes.
    form = type(loaded)
    params = {"scale": "standard"} | ({"max_iter": 3, "tol": None} if LEARNERS[name]["online"] else {}) | ({"advice": folder / "points.rules"} if advice else {})
    ours = form(**params).fit(X, y)
    assert ours.decision_function(X).tolist() == said["scores"]
    ours.save(folder / "ours.postil")
    assert run_json("predict", folder / "ours.postil", folder / "points.csv", "--scores")["scores"] == said["scores"]
    if name == "voted-perceptron":  # it has no weights to explain
        return
    assert as_rows(run_json("explain", folder / "ours.postil")) == dict(ours.explain())
    assert as_rows(run("explain", folder / "ours.postil", check=True).stdout) == str(ours.explain())


def test_loaded_estimators_have_the_parameters_of_the_file(points):
    folder, X, y = points
    run("train", folder / "points.csv", "--learner", "pa", "--set", "variant=pa2", "--set", "C=0.25", "--scale", "minmax", "--model", folder / "m.postil", check=True)
    model = postil.load(folder / "m.postil")
    assert (type(model), model.variant, model.C, model.scale) == (postil.PassiveAggressiveClassifier, "pa2", 0.25, "minmax")
    assert model.classes_.tolist() == ["negative", "positive"]
    model.partial_fit(X, y)
    model.save(folder / "more.postil")
    run("train", folder / "points.csv", "--init", folder / "m.postil", "--no-shuffle", "--model", folder / "more2.postil", check=True)
    assert run_json("explain", folder / "more.postil")["weights"] == run_json("explain", folder / "more2.postil")["weights"]
    run("train", folder / "points.csv", "--learner", "svm", "--set", "nu=0.2", "--model", folder / "m.postil", check=True)
    assert isinstance(postil.load(folder / "m.postil"), postil.NuSVC)
    run("make", "dense", "--rows", "200", "-o", folder / "d.csv", check=True)
    run("train", folder / "d.csv", "--learner", "sgd", "--task", "regression", "--model", folder / "r.postil", check=True)
    assert isinstance(postil.load(folder / "r.postil"), postil.GradientDescentRegressor)


def test_a_stream_begun_here_goes_on_there(points):
    folder, X, y = points
    model = postil.AdviceClassifier(advice=folder / "points.rules")
    model.learn_many(X[:100], y[:100])
    model.save(folder / "s.postil")
    rest = "x1,x2,label\n" + "".join(f"{a!r},{b!r},{c}\n" for a, b, c in zip(X["x1"][100:].tolist(), X["x2"][100:].tolist(), y[100:]))
    run("stream", "--model", folder / "s.postil", stdin=rest, check=True)
    model.learn_many(X[100:], y[100:])
    model.save(folder / "t.postil")
    assert (folder / "t.postil").read_bytes() == (folder / "s.postil").read_bytes()


def test_foreign_and_damaged_files_are_refused(points):
    folder, X, y = points
    model = postil.AROWClassifier().fit(X, y)
    model.save(folder / "m.postil")
    whole = (folder / "m.postil").read_bytes()
    for damaged in (b"", whole[:100], whole[:-1], whole[:200] + b"x" + whole[201:], b"not a model"):
        (folder / "d.postil").write_bytes(damaged)
        with pytest.raises(postil.ModelError):
            postil.load(folder / "d.postil")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        postil.load(folder / "nowhere.postil")
    with pytest.raises(ValueError):  # noqa: PT011
        model.save(folder / "no" / "such" / "folder")
    state = pickle.dumps(model)
    with pytest.raises(postil.ModelError):
        pickle.loads(state.replace(b"postil", b"postal", 0)[: len(state)].replace(whole[300:310], b"0123456789", 1))


# ---- rules ----


def test_rules_as_the_command_tells_them(points):
    folder, X, y = points
    parsed = postil.rules.parse(folder / "points.rules")
    assert [rule.id for rule in parsed] == ["below", "above", "myth"]
    assert (parsed[1].condition, parsed[1].says, parsed[1].negated, parsed[2].trust) == ("x2 >= 3 and x2 - 0.5*x1 >= 1", "positive", True, 0.5)
    assert postil.rules.fmt(RULES) == run("rules", "fmt", folder / "points.rules", check=True).stdout
    assert postil.rules.fmt(postil.rules.fmt(RULES)) == postil.rules.fmt(RULES)
    checked = postil.rules.check(RULES, X, y)
    assert dict(checked) == run_json("rules", "check", folder / "points.rules", "--data", folder / "points.csv")
    assert str(checked) == run("rules", "check", folder / "points.rules", "--data", folder / "points.csv", check=True).stdout
    assert dict(postil.rules.check(RULES)) == run_json("rules", "check", folder / "points.rules")
    assert postil.rules.check(RULES, X.assign(label=y), "label") == checked
    assert "<table>" in checked._repr_html_() and "below" in parsed._repr_html_()
    with pytest.raises(postil.ParseError) as error:
        postil.rules.parse("a >= => x\nb <=> 3 => y")
    assert "1:6" in str(error.value) and "2:5" in str(error.value) and "^" in str(error.value)


def test_ledger_and_explanations(points):
    folder, X, y = points
    model = postil.AdviceClassifier(advice=RULES).fit(X, y)
    ledger = model.ledger()
    holds = X["x2"] <= 0
    assert ledger.loc["below", "fired"] == holds.sum()
    assert ledger.loc["below", "agreed"] == (y[holds] == "positive").sum()
    wrong = np.flatnonzero((X["x1"] >= 5) & (y == "positive"))
    assert set(ledger.loc["myth", "contradicted_by"]) <= set(wrong) and len(ledger.loc["myth", "contradicted_by"]) == min(5, len(wrong))
    assert ledger.loc["myth", "trust"] == 0.5
    row = model.explain(X.iloc[0])
    story = run_json("explain", _saved(model, folder), "--row", "1", "--data", folder / "points.csv")
    assert dict(row) == story
    for form in (X.iloc[:1], X.iloc[0].to_dict(), X.iloc[0].to_numpy(), X.iloc[0].tolist()):
        assert dict(model.explain(form)) == story
    total = sum(entry["contribution"] for entry in [*row["features"], *row["rules"]]) + row["bias"] + row["plane"] + row["no_rule_holds"] + row["remainder"]
    assert total == pytest.approx(model.decision_function(X[:1])[0])
    for page in (row._repr_html_(), model.explain()._repr_html_()):
        assert page.count("<table>") == page.count("</table>") > 0
    certified = model.explain(certify=RULES)["certificates"]
    assert {entry["rule"] for entry in certified} == {"below", "above", "myth"}
    with pytest.raises(ValueError, match="one row"):
        model.explain(X[:2])


def _saved(model, folder):
    model.save(folder / "saved.postil")
    return folder / "saved.postil"


def test_novelty_where_there_is_an_ellipsoid(points):
    _, X, y = points
    model = postil.EllipsoidalSVC(scale="standard").fit(X, y)
    assert model.novelty(X + 100).min() > model.novelty(X).max()
    with pytest.raises(AttributeError, match="does not know how unlike"):
        postil.PassiveAggressiveClassifier().fit(X, y).novelty(X)


# ---- pictures ----


def test_rows_of_a_group_are_on_one_side():
    from sklearn.neighbors import KNeighborsClassifier

    draw = np.random.default_rng(0)
    who = np.repeat(np.arange(40), 6)
    X, y = draw.normal(size=(40, 3))[who] + 0.01 * draw.normal(size=(240, 3)), draw.integers(0, 2, 40)[who]  # only the patient tells
    models = {"nearest": KNeighborsClassifier(1)}
    mixed, grouped = (postil.evaluate.learning_curve(models, X, y, groups=groups, train=120, checkpoints=[120], runs=6) for groups in (None, who))
    assert mixed["error_mean"][0] < 0.1 and grouped["error_mean"][0] > 0.3
    with pytest.raises(ValueError, match="one group for each of the 240 rows"):
        postil.evaluate.learning_curve(models, X, y, groups=who[1:])
    with pytest.raises(ValueError, match="need all 40 groups"):
        postil.evaluate.learning_curve(models, X, y, groups=who, train=238)


def test_answers_only_where_a_model_is_sure():
    from sklearn.linear_model import LogisticRegression

    draw = np.random.default_rng(0)
    X = draw.normal(size=(400, 2))
    y = np.where(X[:, 0] + draw.normal(size=400) > 0.5, "ill", "well")
    model = LogisticRegression().fit(X, y)
    sure = model.predict_proba(X).max(axis=1)
    labels = postil.evaluate.abstain(model, X, below=0.8)
    assert [of is None for of in labels] == list(sure < 0.8) and list(labels[sure >= 0.8]) == list(model.predict(X)[sure >= 0.8])
    table = postil.evaluate.risk_coverage(model, X, y)
    assert list(table.coverage) == pytest.approx([0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1]) and table.error[0] < table.error[6] == pytest.approx(1 - model.score(X, y))
    for row in table.itertuples():
        kept = np.array([of is not None for of in postil.evaluate.abstain(model, X, below=row.below)])
        assert kept.sum() == row.answered and row.error == pytest.approx((model.predict(X) != y)[kept].mean())
    with pytest.raises(ValueError, match="from 0 to 1"):
        postil.evaluate.abstain(model, X, below=80)


def test_pictures_and_what_they_show(points):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    _, X, y = points
    models = {"without": postil.AROWClassifier(scale="standard"), "with": postil.AdviceClassifier(advice=RULES), "batch": postil.KnowledgeSVC(advice=RULES)}
    curve = postil.evaluate.learning_curve(models, X, y, train=60, checkpoints=[0, 2, 10, 60], runs=4)
    by = curve.set_index(["learner", "examples"])["error_mean"]
    assert by["with", 0] < 0.45 and np.isnan(by["without", 0])  # rules know before the first label
    assert by["with", 2] < by["without", 2] and by["without", 60] < 0.1
    assert (curve.set_index(["learner", "examples"])["runs"] <= 4).all()
    again = postil.evaluate.learning_curve(models, X, y, train=60, checkpoints=[0, 2, 10, 60], runs=4)
    pd.testing.assert_frame_equal(curve, again)
    ax = postil.plots.learning_curve(curve)
    assert len(ax.lines) == 3 and len(ax.collections) == 3
    history = postil.evaluate.rule_history(models["with"], X, y, checkpoints=[0, 10, 300])
    assert len(history) == 9 and history["fired"].iloc[-3:].tolist() == models["with"].fit(X, y).ledger()["fired"].tolist()
    assert [text.get_text() for text in postil.plots.rule_influence(history).get_legend().get_texts()] == ["below", "above", "myth"]
    ax = postil.plots.plane(models["with"], X, y)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x1", "x2")
    postil.plots.plane(postil.SVC().fit(X.to_numpy(), y), X.to_numpy(), y)
    matplotlib.pyplot.close("all")


# ---- what is generated ----


def test_stubs_are_those_of_the_module(tmp_path):
    import sys

    done = subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "postil._postil", "-o", tmp_path / "_postil.pyi"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "_postil.pyi").read_text() == (ROOT / "python/postil/_postil.pyi").read_text(), "python -m nanobind.stubgen -m postil._postil -o python/postil/_postil.pyi"


def test_types_are_found_and_wrong_ones_told(tmp_path):
    import sys

    (tmp_path / "user.py").write_text(
        "import postil\nmodel = postil.AROWClassifier(r=2.0, scale='standard')\nreveal_type(model.fit([[1.0]], [1]))\nreveal_type(postil.rules.fmt('a => b'))\npostil.AROWClassifier(intercept_scaling='nope')\n"
    )
    said = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "user.py"], cwd=tmp_path, capture_output=True, text=True).stdout
    assert 'user.py:3: note: Revealed type is "postil._learners.AROWClassifier"' in said
    assert 'user.py:4: note: Revealed type is "str"' in said
    assert "user.py:5: error" in said and said.count("error:") == 1


def test_every_learner_has_its_estimators():
    forms = {(getattr(postil, name)._learner, is_regressor(getattr(postil, name)())) for name in ESTIMATORS}
    wanted = {(name, False) for name in LEARNERS} | {(name, True) for name, entry in LEARNERS.items() if "regression" in entry["task"]}
    assert forms == wanted
