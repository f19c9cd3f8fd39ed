"""Rules that say which way a score goes: more x => class."""

import numpy
import pytest
from conftest import run, run_json

RULES = """
up: more a => yes
down: more b => no
wrong [trust = 3]: less c => yes
"""


@pytest.fixture
def rows(tmp_path):
    random = numpy.random.default_rng(4)
    x = random.normal(size=(300, 3)) * [1, 50, 0.01] + [3, -400, 0]
    score = (x[:, 0] - 3) - (x[:, 1] + 400) / 60 + 40 * x[:, 2] + random.normal(size=300)
    path = tmp_path / "d.csv"
    path.write_text("a,b,c,label\n" + "".join(f"{u},{v},{w},{'yes' if s > 0 else 'no'}\n" for (u, v, w), s in zip(x, score)))
    (tmp_path / "r.rules").write_text(RULES)
    return path


def weights(model):
    return dict(zip("abc", run_json("explain", model)["raw_weights"]))


@pytest.mark.parametrize("settings", [["kbsvm", "advice=hard"], ["kbsvm", "advice=hard", "form=l1"], ["kbsvm", "advice=hard", "form=mixed"], ["adviceptron"], ["pa-adviceptron"]])
def test_never_against_a_direction(rows, settings, tmp_path):
    learner, *rest = settings
    given = [word for setting in rest for word in ("--set", setting)]
    run("train", rows, "--advice", tmp_path / "r.rules", "--learner", learner, *given, "--model", tmp_path / "m")
    w = weights(tmp_path / "m")
    assert w["a"] > 0 and w["b"] < 0 and w["c"] <= 1e-9
    certificates = run_json("explain", tmp_path / "m", "--certify", tmp_path / "r.rules")["certificates"]
    assert [c["obeyed"] for c in certificates] == [True] * 3
    assert [c["direction"] for c in certificates] == ["a", "b", "c"]


@pytest.mark.parametrize("form", ["l2", "l1", "mixed"])
def test_soft_directions_give_way(rows, form, tmp_path):
    def weight(rules):
        (tmp_path / "q.rules").write_text(rules)
        run("train", rows, "--advice", tmp_path / "q.rules", "--learner", "kbsvm", "--set", f"form={form}", "--set", "mu=30", "--model", tmp_path / "m")
        return weights(tmp_path / "m")["c"]

    free, soft, softer = weight("more c => yes"), weight("less c => yes"), weight("[trust = 0.01]: less c => yes")
    assert soft < softer <= free and soft >= 0 if form == "l2" else soft <= softer <= free
    run("train", rows, "--advice", tmp_path / "q.rules", "--learner", "kbsvm", "--set", "mu=30", "--model", tmp_path / "m")
    assert "not obeyed; the score rises with c" in run("explain", tmp_path / "m", "--certify", tmp_path / "q.rules").stdout


@pytest.mark.parametrize("learner", ["advised", "advice-only", "adviceptron", "arow"])
def test_they_predict_before_the_first_label(rows, learner, tmp_path):
    (tmp_path / "q.rules").write_text("more a => yes\nless b => yes\n")
    start = ["--set", "start=advice"] if learner == "arow" else []
    (tmp_path / "none.csv").write_text("".join(line if i == 0 else line.rsplit(",", 1)[0] + ",\n" for i, line in enumerate(rows.read_text().splitlines(True))))
    run("train", tmp_path / "none.csv", "--advice", tmp_path / "q.rules", "--learner", learner, *start, "--label", "label", "--classes", "no,yes", "--model", tmp_path / "m")
    assert run_json("evaluate", tmp_path / "m", rows)["error"] < 0.3


def test_what_the_data_say(rows, tmp_path):
    report = run_json("train", rows, "--advice", tmp_path / "r.rules", "--model", tmp_path / "m")
    assert report["examples"] == 300
    up, down, wrong = run_json("explain", tmp_path / "m")["rules"]
    assert up["direction"] == {"column": "a", "sign": 1} and down["direction"] == {"column": "b", "sign": -1}
    assert up["fired"] == 0 and up["precision"] is None
    cells = [line.split(",") for line in rows.read_text().splitlines()[1:]]
    label = numpy.array([1 if row[3] == "yes" else -1 for row in cells])
    for rule, column, sign in ((up, 0, 1), (down, 1, -1), (wrong, 2, -1)):
        r = sign * numpy.corrcoef([float(row[column]) for row in cells], label)[0, 1]
        assert rule["closeness"] == pytest.approx(r, abs=1e-9)
        assert rule["z"] == pytest.approx(r * 299**0.5, abs=1e-6)
    assert [rule["verdict"] for rule in (up, down, wrong)] == ["supported", "supported", "contradicted"]
    checked = run_json("rules", "check", tmp_path / "r.rules", "--data", rows)["rules"]
    assert [rule["verdict"] for rule in checked] == ["helps", "helps", "harms"]
    assert checked[0]["correlation"] == pytest.approx(up["closeness"], abs=1e-9)


def test_saved_and_continued(rows, tmp_path):
    lines = rows.read_text().splitlines(True)
    (tmp_path / "first.csv").write_text("".join(lines[:150]))
    (tmp_path / "second.csv").write_text(lines[0] + "".join(lines[150:]))
    for learner in ("advised", "adviceptron", "pa-adviceptron"):
        given = ["--advice", tmp_path / "r.rules", "--learner", learner, "--scale", "none"]
        run("train", rows, *given, "--model", tmp_path / "whole")
        run("train", tmp_path / "first.csv", *given, "--model", tmp_path / "m")
        run("train", tmp_path / "second.csv", "--init", tmp_path / "m", "--model", tmp_path / "parts", check=True)
        assert [rule["closeness"] for rule in run_json("explain", tmp_path / "parts")["rules"]] == pytest.approx([rule["closeness"] for rule in run_json("explain", tmp_path / "whole")["rules"]])
        w = weights(tmp_path / "parts")
        if learner != "advised":
            assert w["c"] <= 1e-12


def test_rules_that_no_hyperplane_obeys_with_them(rows, tmp_path):
    (tmp_path / "q.rules").write_text("r: a >= 5 => yes\ns: a <= 1 => no\nd: less a => yes\ne: more b => yes\n")
    assert "no hyperplane obeys these rules at once: r, s, d" in run("train", rows, "--advice", tmp_path / "q.rules", "--learner", "kbsvm", "--set", "advice=hard", "--model", tmp_path / "m").stderr
    assert "does not speak of directions" in run("train", rows, "--advice", tmp_path / "q.rules", "--learner", "pa-adviceptron", "--set", "bias=none", "--no-shuffle", "--bounds", "--model", tmp_path / "m").stderr
    assert run("rules", "check", tmp_path / "q.rules", "--strict").returncode == 0
    (tmp_path / "o.rules").write_text("more a => yes\nless a => yes\n")
    done = run("rules", "check", tmp_path / "o.rules", "--strict")
    assert done.returncode == 1 and "say opposite things of column 'a'" in done.stdout


@pytest.mark.parametrize("learner", ["pa-adviceptron", "perceptron", "pa", "sgd", "arow"])
def test_beginning_with_directions_alone(rows, learner, tmp_path):
    (tmp_path / "q.rules").write_text("more a => yes\nmore one => no\n")
    (tmp_path / "one.csv").write_text("".join(line.rstrip() + (",one" if i == 0 else ",1") + "\n" for i, line in enumerate(rows.read_text().splitlines())))
    run("train", tmp_path / "one.csv", "--label", "label", "--advice", tmp_path / "q.rules", "--learner", learner, "--set", "start=advice", "--model", tmp_path / "m", check=True)
    assert run_json("evaluate", tmp_path / "m", tmp_path / "one.csv")["error"] < 0.4
    run("train", "--advice", tmp_path / "q.rules", "--columns", "a,one", "--classes", "no,yes", "--model", tmp_path / "n", check=True)
