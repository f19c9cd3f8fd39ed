"""cv, curve, tune, bounds; weights and regression: the shapes promised, and numbers that another program agrees with."""

import csv

import numpy
import pytest
from scipy import stats

from conftest import run, run_json


@pytest.fixture
def points(tmp_path):
    path = tmp_path / "points.csv"
    run("make", "synthetic", "--rows", 300, "--seed", 2, "-o", path, check=True)
    return path


@pytest.fixture
def line(tmp_path):
    """y = 2a - 3b + 1 with a little noise, and a weight that is 0 for rows that say something else."""
    path = tmp_path / "line.csv"
    random = numpy.random.default_rng(0)
    with open(path, "w") as file:
        file.write("a,b,w,y\n")
        for i in range(600):
            a, b = random.normal(size=2).tolist()
            wrong = i % 5 == 0
            y = 100 if wrong else 2 * a - 3 * b + 1 + 0.01 * random.normal()
            file.write(f"{a!r},{b!r},{0 if wrong else 1},{float(y)!r}\n")
    return path


def test_cv(points):
    found = run_json("cv", points, "--folds", 5, "--learner", "pa", "--set", "C=0.5")
    assert list(found) == ["folds", "learner", "params", "metric", "decide", "error_mean", "error_se", "per_fold"]
    assert found["params"]["C"] == 0.5 and len(found["per_fold"]) == 5
    assert found["error_mean"] == pytest.approx(numpy.mean(found["per_fold"]))
    assert found["error_se"] == pytest.approx(stats.sem(found["per_fold"]))
    assert found["error_mean"] < 0.15
    assert run_json("cv", points, "--folds", 5, "--learner", "pa", "--set", "C=0.5", "--jobs", 1) == found
    assert run_json("cv", points, "--folds", 5, "--seed", 1)["per_fold"] != found["per_fold"]
    assert run_json("cv", points, "--metric", "auc")["error_mean"] > 0.9
    assert "over 10 folds of 300 rows" in run("cv", points, check=True).stdout


def test_curve(points):
    given = ["--learner", "perceptron", "--learner", "pa:C=0.1,variant=pa2", "--train", 100, "--runs", 6]
    found = run_json("curve", points, *given)
    assert list(found) == ["data", "metric", "decide", "train", "test", "draw", "runs", "checkpoints", "learners", "paired"]
    assert found["checkpoints"] == [0, 1, 2, 5, 10, 20, 50, 100] and found["test"] == 200 and found["runs"] == 6
    first, second = found["learners"]
    assert second["name"] == "pa:C=0.1,variant=pa2" and second["params"]["variant"] == "pa2"
    assert first["error_mean"][0] == second["error_mean"][0] == pytest.approx(0.5, abs=0.1)  # same splits for all
    assert first["error_mean"][-1] < 0.15
    assert [entry["at"] for entry in found["paired"]] == found["checkpoints"]
    last = found["paired"][-1]
    assert (last["a"], last["b"]) == ("perceptron", "pa:C=0.1,variant=pa2")
    assert last["mean"] == pytest.approx(first["error_mean"][-1] - second["error_mean"][-1])
    assert last["p"] == pytest.approx(2 * stats.t.sf(abs(last["mean"] / last["se"]), 5))
    assert run_json("curve", points, *given, "--jobs", 1) == found
    assert run_json("curve", points, "--checkpoints", "0,7", "--train", 0.5, "--draw", "balanced")["train"] == 150
    assert "paired t-test" in run("curve", points, *given, check=True).stdout


def test_settings_chosen_in_each_split(points):
    given = ["--learner", "pa", "--folds", 4, "--inner-folds", 3]
    found = run_json("cv", points, *given, "--grid", "C=0.00001,0.1,1")
    assert len(found["chosen"]) == 4 and {entry["C"] for entry in found["chosen"]} <= {1e-5, 0.1, 1}
    by_hand = {C: run_json("cv", points, *given, "--set", f"C={C}")["per_fold"] for C in (1e-5, 0.1, 1)}
    assert found["per_fold"] == [by_hand[entry["C"]][k] for k, entry in enumerate(found["chosen"])]
    assert "chosen by 3-fold" in run("cv", points, *given, "--grid", "C=0.1,1", check=True).stdout

    runs = ["--train", 100, "--runs", 5, "--checkpoints", 100]
    [found] = run_json("curve", points, "--learner", "pa:variant=pa2,C=0.00001|1", *runs)["learners"]
    assert len(found["chosen"]) == 5 and all(entry["variant"] == "pa2" and entry["C"] in (1e-5, 1) for entry in found["chosen"])
    alone = [run_json("curve", points, "--learner", f"pa:variant=pa2,C={C}", *runs)["learners"][0]["error_mean"] for C in ("0.00001", 1)]
    assert min(alone)[0] <= found["error_mean"][0] <= max(alone)[0]


def test_tune(points, tmp_path):
    found = run_json("tune", points, "--learner", "pa", "--grid", "C=0.001,1", "--grid", "variant", "--holdout", 0.25, "--model", tmp_path / "m")
    assert {"best", "tried"} <= set(found) and len(found["tried"]) == 6
    assert list(found["tried"][0]) == ["params", "error_mean", "error_se"]
    assert found["error_mean"] == min(entry["error_mean"] for entry in found["tried"])
    assert 0 <= found["holdout_error"] < 0.2
    assert run_json("explain", tmp_path / "m")["params"] == found["best"]
    best = run_json("tune", points, "--learner", "pa", "--grid", "C=0.001,1", "--metric", "auc")
    assert best["error_mean"] == max(entry["error_mean"] for entry in best["tried"])
    assert "*" in run("tune", points, "--learner", "arow", "--grid", "r", check=True).stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["cv", "--folds", 1],
        ["cv", "--metric", "mae"],
        ["cv", "--metric", "accuracy"],
        ["curve", "--learner", "nope"],
        ["curve", "--learner", "pa:C=-1"],
        ["curve", "--learner", "pa:C=1|-1"],
        ["curve", "--learner", "pa:D=1|2"],
        ["cv", "--grid", "D=1,2", "--learner", "pa"],
        ["cv", "--grid", "C=1,2", "--set", "C=1", "--learner", "pa"],
        ["curve", "--learner", "pa:C"],
        ["curve", "--draw", "fair"],
        ["curve", "--train", "-3"],
        ["curve", "--checkpoints", "5,2"],
        ["tune"],
        ["tune", "--grid", "nope"],
        ["tune", "--grid", "r=0,-1"],
        ["tune", "--grid", "r", "--holdout", 1],
        ["tune", "--grid", "r=1", "--set", "r=2"],
        ["train", "--class-weight", "positive=1", "--class-weight", "positive=2"],
        ["train", "--class-weight", "positive=1", "--class-weight", "balanced"],
        ["train", "--task", "ranking"],
        ["train", "--task", "regression", "--classes", "a,b"],
        ["train", "--class-weight", "x=-1"],
        ["train", "--class-weight", "x"],
        ["train", "--bounds"],
        ["train", "--bounds", "--learner", "perceptron", "--order", "sample"],
    ],
)
def test_bad_usage(arguments, points):
    done = run(arguments[0], points, *arguments[1:])
    assert done.returncode == 2 and done.stdout == "" and done.stderr.startswith("postil: ")


@pytest.mark.parametrize("arguments", [["cv", "--folds", 301], ["curve", "--train", 300], ["curve", "--train", 299, "--draw", "balanced"], ["train", "--class-weight", "nope=2"], ["train", "--weight", "nope"]])
def test_bad_data(arguments, points):
    done = run(arguments[0], points, *arguments[1:])
    assert done.returncode == 1 and done.stdout == ""


def test_regression(line, tmp_path):
    for learner, settings in (("pa", []), ("pa", ["variant=pa2"]), ("arow", []), ("arow", ["full=false"]), ("sgd", []), ("sgd", ["loss=huber", "epsilon=1", "eta0=0.1"])):
        given = [word for setting in settings for word in ("--set", setting)]
        trained = run_json("train", line, "--task", "regression", "--weight", "w", "--learner", learner, *given, "--passes", 5, "--model", tmp_path / "m")
        assert trained["classes"] == [] and trained["mistakes"] == 0
        explained = run_json("explain", tmp_path / "m")
        assert explained["features"] == ["a", "b"]  # the weight is no feature
        numpy.testing.assert_allclose([*explained["raw_weights"], explained["raw_bias"]], [2, -3, 1], atol=0.15)
        predicted = run_json("predict", tmp_path / "m", line)
        assert predicted["labels"] == predicted["scores"]
        with open(line) as file:
            truth = numpy.array([float(row["y"]) for row in csv.DictReader(file)])
        scores = numpy.array(predicted["scores"])
        evaluated = run_json("evaluate", tmp_path / "m", line)
        assert list(evaluated) == ["examples", "mae", "rmse", "r2", "drift"]
        assert evaluated["mae"] == pytest.approx(abs(truth - scores).mean())
        assert evaluated["rmse"] == pytest.approx(numpy.sqrt(((truth - scores) ** 2).mean()))
        assert evaluated["r2"] == pytest.approx(1 - ((truth - scores) ** 2).sum() / ((truth - truth.mean()) ** 2).sum())
    assert run_json("cv", line, "--task", "regression", "--weight", "w")["metric"] == "mae"
    assert "these do: pa, sgd, arow" in run("train", line, "--task", "regression", "--learner", "romma").stderr
    assert "is for classes" in run("train", line, "--task", "regression", "--learner", "sgd", "--set", "loss=hinge").stderr


def test_weights(points, tmp_path, write):
    """A class that weighs 2 is a class whose rows weigh 2; PA-I with weight c is PA-I with C c."""
    header, *rows = points.read_text().splitlines()
    weighted = write("weighted.csv", "\n".join(["weight," + header, *(f"{2 if row.endswith('positive') else 1}," + row for row in rows)]) + "\n")
    options = ["--learner", "pa", "--set", "C=0.1", "--no-shuffle", "--scale", "none"]
    run("train", points, *options, "--class-weight", "positive=2", "--model", tmp_path / "a", check=True)
    run("train", weighted, *options, "--weight", "weight", "--model", tmp_path / "b", check=True)
    a, b = run_json("explain", tmp_path / "a"), run_json("explain", tmp_path / "b")
    assert a["weights"] == b["weights"] and a["features"] == b["features"]
    trained = run_json("train", points, *options, "--class-weight", "balanced", "--positive", "negative")
    counts = [sum(row.endswith(name) for row in rows) for name in trained["classes"]]
    assert trained["class_weights"] == pytest.approx([len(rows) / 2 / count for count in counts])
    same = ["--class-weight", "positive=3", "--class-weight", "negative=3"]
    run("train", points, *options, *same, "--model", tmp_path / "c", check=True)
    run("train", points, *options, "--set", "C=0.3", "--model", tmp_path / "d", check=True)
    assert run_json("explain", tmp_path / "c")["weights"] == pytest.approx(run_json("explain", tmp_path / "d")["weights"])
    bad = write("bad.csv", "w,a,label\n1,2,x\n-1,3,y\n")
    assert "bad.csv:3" in run("train", bad, "--weight", "w").stderr
    assert "missing weight" in run("train", write("gap.csv", "w,a,label\n1,2,x\n,3,y\n"), "--weight", "w").stderr
    # Going on with a model keeps its class weights and can read weights.
    run("train", weighted, "--weight", "weight", "--init", tmp_path / "a", "--model", tmp_path / "e", check=True)


def test_bounds(points, write):
    found = run_json("train", points, "--learner", "perceptron", "--passes", 3, "--bounds")["bounds"]
    assert found["class"] == "positive" and found["mistakes"] <= found["theorem_3_2"]["bound"]
    assert found["theorem_3_1"]["bound"] is None
    basis = write("basis.svm", "".join(f"1 {i}:1\n" for i in range(1, 9)))
    tight = run_json("train", basis, "--classes", "-1,1", "--learner", "perceptron", "--no-bias", "--passes", 4, "--bounds")["bounds"]
    assert tight["mistakes"] == 8 and tight["theorem_3_1"]["bound"] == pytest.approx(8)
    three = write("three.csv", "a,b,label\n" + "1,2,x\n3,1,y\n-1,-1,z\n" * 5)
    assert len(run_json("train", three, "--learner", "perceptron", "--bounds")["bounds"]["per_class"]) == 3
    assert "theorem 3.1: at most" in run("train", three, "--learner", "perceptron", "--bounds", check=True).stdout


def test_what_cannot_be_known_is_not_told(points):
    once = run_json("curve", points, "--learner", "pa", "--learner", "arow", "--runs", 1)
    assert once["learners"][0]["error_se"][0] is None and once["paired"][0]["p"] is None
    assert "is defined on no test" in run("cv", points, "--folds", 300, "--metric", "auc").stderr
    assert run_json("tune", points, "--learner", "arow", "--grid", "r=0.1", "--grid", "r=0.2")["tried"][1]["params"]["r"] == 0.2


def test_the_default_learner(points):
    assert run_json("train", points)["learner"] == "advised"
    assert run_json("train", points, "--label", "x1", "--ignore", "label", "--task", "regression")["learner"] == "arow"


def test_another_label_column(write, tmp_path):
    """Messages name --label where labels stand elsewhere, and --classes where a class was made up."""
    rows = "".join(f"{k},{k % 7},{'yes' if k % 3 else 'no'}\n" for k in range(60))
    data, model = write("d.csv", "a,b,label\n" + rows), tmp_path / "m"
    run("train", data, "--quiet", "--model", model, check=True)
    feature = run("evaluate", model, data, "--label", "b")
    assert feature.returncode == 1 and feature.stderr == f"postil: {data}:1: --label: column 'b' is a feature of the model, not its label; --label label names a column that the model does not use\n"
    renamed = write("r.csv", "a,b,truth\n" + rows)
    assert run("evaluate", model, renamed).stderr == f"postil: {renamed}:1: there is no label column 'label'; --label truth names a column that the model does not use\n"
    more = write("w.csv", "who,a,b,truth\n" + "".join(f"x,{row}\n" for row in rows.splitlines()))
    assert "--label names it; the model does not use who, truth" in run("evaluate", model, more).stderr
    assert run_json("evaluate", model, renamed, "--label", "truth") == run_json("evaluate", model, data)

    rules = write("r.rules", "a > 30 => yes\n")
    run("train", "--advice", rules, "--quiet", "--model", tmp_path / "r", check=True)
    assert "there is no label column 'label'; --label names it" in run("evaluate", tmp_path / "r", renamed).stderr
    made_up = run("evaluate", tmp_path / "r", renamed, "--label", "truth")
    assert "found class 'no', expected one of: not yes, yes; --classes no,yes in training names both classes" in made_up.stderr
    run("train", "--advice", rules, "--classes", "no,yes", "--quiet", "--model", tmp_path / "r", check=True)
    assert run_json("evaluate", tmp_path / "r", renamed, "--label", "truth")["examples"] == 60
