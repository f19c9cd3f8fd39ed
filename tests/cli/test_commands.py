"""The command end to end: what it prints, in which shape."""

import csv
import json
import re
import signal
import subprocess
import time

import numpy
import pytest

from conftest import POSTIL, ROOT, run, run_json

VERBS = ["learners", "inspect", "train", "predict", "evaluate", "stream", "rules", "rules check", "rules show", "rules fmt", "explain", "report", "cv", "curve", "tune", "make", "convert", "scorecard", "completion", "help"]


@pytest.fixture
def points(tmp_path):
    path = tmp_path / "points.csv"
    run("make", "synthetic", "--rows", 400, "--seed", 3, "-o", path, check=True)
    return path


def rows_of(path):
    with open(path) as file:
        rows = list(csv.DictReader(file))
    x = numpy.array([[float(row["x1"]), float(row["x2"])] for row in rows])
    return x, numpy.array([row["label"] for row in rows])


def test_train_predict_evaluate_explain(points, tmp_path):
    model = tmp_path / "m.postil"
    trained = run_json("train", points, "--learner", "perceptron", "--passes", 3, "--model", model)
    assert list(trained) == ["model", "learner", "params", "examples", "passes", "updates", "mistakes", "progressive_error", "seconds", "classes", "class_weights", "progressive"]
    assert trained["examples"] == 1200 and trained["passes"] == 3 and trained["classes"] == ["negative", "positive"]
    assert trained["params"] == {"average": "uniform", "bias": 1.0, "multiclass": "ovr", "start": "zero"}

    explained = run_json("explain", model)
    assert explained["features"] == ["x1", "x2"] and explained["positive"] == "positive" and explained["rules"] == []
    x, labels = rows_of(points)
    scaling = explained["scaling"]
    numpy.testing.assert_allclose(scaling["shift"], x.mean(axis=0), rtol=1e-12)
    numpy.testing.assert_allclose(scaling["scale"], x.std(axis=0), rtol=1e-12)
    score = (x - scaling["shift"]) / scaling["scale"] @ explained["weights"] + explained["bias"]
    numpy.testing.assert_allclose(x @ explained["raw_weights"] + explained["raw_bias"], score, rtol=1e-9, atol=1e-9)

    predicted = run_json("predict", model, points)
    numpy.testing.assert_allclose(predicted["scores"], score, rtol=1e-12, atol=1e-12)
    assert predicted["labels"] == ["positive" if s >= 0 else "negative" for s in score]
    out = tmp_path / "p.csv"
    run("predict", model, points, "--scores", "-o", out, check=True)
    with open(out) as file:
        written = list(csv.DictReader(file))
    assert [row["label"] for row in written] == predicted["labels"]
    assert [float(row["score"]) for row in written] == predicted["scores"]
    assert run("predict", model, points).stdout.splitlines()[:1] == ["label"]

    evaluated = run_json("evaluate", model, points)
    right = numpy.array(predicted["labels"]) == labels
    assert evaluated["examples"] == 400 and evaluated["accuracy"] == pytest.approx(right.mean()) and evaluated["error"] == pytest.approx(1 - right.mean())
    assert evaluated["balanced_error"] == pytest.approx(1 - (right[labels == "positive"].mean() + right[labels == "negative"].mean()) / 2)
    positive, negative = score[labels == "positive"], score[labels == "negative"]
    wins = (positive[:, None] > negative).mean() + (positive[:, None] == negative).mean() / 2
    assert evaluated["auc"] == pytest.approx(wins)
    assert evaluated["confusion"]["classes"] == ["negative", "positive"]
    assert numpy.trace(evaluated["confusion"]["counts"]) == right.sum()
    assert re.search(r"Accuracy = [0-9.]+% \(\d+/400\)", run("evaluate", model, points).stdout)


def test_progressive_validation(points):
    """Predict, then learn: the errors at powers of two, against a loop of our own."""
    trained = run_json("train", points, "--learner", "perceptron", "--scale", "none", "--no-shuffle", "--set", "average=none", "--passes", "2", "--quiet")
    x, labels = rows_of(points)
    w, wrong = numpy.zeros(3), []
    for row, label in zip(numpy.hstack([x, numpy.ones((len(x), 1))]), labels):
        score, y = w @ row, 1 if label == "positive" else -1
        wrong.append((score >= 0) != (y > 0))
        if y * score <= 0:
            w += y * row
    assert trained["progressive_error"] == pytest.approx(numpy.mean(wrong))
    assert [row["examples"] for row in trained["progressive"]] == [1, 2, 4, 8, 16, 32, 64, 128, 256]
    for row, before in zip(trained["progressive"], [0, 1, 2, 4, 8, 16, 32, 64, 128]):
        assert row["error"] == pytest.approx(numpy.mean(wrong[: row["examples"]]))
        assert row["since_last"] == pytest.approx(numpy.mean(wrong[before : row["examples"]]))
        assert row["label"] == labels[row["examples"] - 1]
    assert "since last" in run("train", points).stdout


def test_more_than_two_classes(tmp_path):
    path, model = tmp_path / "tb.csv", tmp_path / "m"
    run("make", "tuberculosis", "--rows", 1000, "-o", path, check=True)
    assert len(run_json("train", path, "--quiet", "--model", model)["classes"]) == 6
    explained = run_json("explain", model)
    assert numpy.array(explained["weights"]).shape == (6, 44) and len(explained["bias"]) == 6
    predicted = run_json("predict", model, path)
    scores = numpy.array(predicted["scores"])
    assert scores.shape == (1000, 6)
    probabilities = numpy.array(predicted["probabilities"])
    assert predicted["classes"] == explained["classes"] and probabilities.sum(axis=1) == pytest.approx(1)
    assert (probabilities.argmax(axis=1) == scores.argmax(axis=1)).all()
    assert predicted["labels"] == [explained["classes"][k] for k in scores.argmax(axis=1)]
    assert run("predict", model, path, "--scores").stdout.splitlines()[0] == ",".join(["label", *(f"{what}_{c}" for what in ("probability", "score") for c in explained["classes"])])


def textbook_perceptron(x, y, bias):
    x = numpy.hstack([x, numpy.full((len(x), 1), bias)])
    w = numpy.zeros(x.shape[1])
    for row, label in zip(x, y):
        if label * (w @ row) <= 0:
            w += label * row
    return w[:-1], w[-1] * bias


@pytest.mark.parametrize("bias", [0, 1])
def test_the_textbook_sequence(points, tmp_path, bias):
    model = tmp_path / "m"
    options = ["--scale", "none", "--no-shuffle", "--passes", "1", "--set", "average=none"] + ([] if bias else ["--no-bias"])
    run("train", points, "--learner", "perceptron", *options, "--quiet", "--model", model, check=True)
    explained = run_json("explain", model)
    x, labels = rows_of(points)
    w, b = textbook_perceptron(x, numpy.where(labels == "positive", 1, -1), bias)
    numpy.testing.assert_allclose(explained["weights"], w, rtol=1e-9)
    assert explained["bias"] == pytest.approx(b)


def test_standard_input_and_output(points, tmp_path):
    text = points.read_text()
    model = tmp_path / "m"
    assert run_json("train", "-", "--quiet", "--model", model, stdin=text)["examples"] == 400
    assert run("predict", model, "-", stdin=text).stdout.count("\n") == 401
    assert json.loads(run("evaluate", model, "-", "--json", stdin=text).stdout)["examples"] == 400
    assert run("make", "synthetic", "--rows", 3, "-o", "-").stdout.count("\n") == 4
    assert run("convert", points, "-", "--to", "libsvm").stdout.count("\n") == 400


def test_a_short_stream_equals_the_file_in_order(points, tmp_path):
    text = "".join(points.read_text().splitlines(keepends=True)[:200])
    path = tmp_path / "few.csv"
    path.write_text(text)
    run("train", "-", "--quiet", "--model", tmp_path / "a", stdin=text, check=True)
    run("train", path, "--no-shuffle", "--quiet", "--model", tmp_path / "b", check=True)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_columns_by_name_in_any_order(points, tmp_path, write):
    model = tmp_path / "m"
    run("train", points, "--quiet", "--model", model, check=True)
    with open(points) as file:
        rows = list(csv.DictReader(file))
    other = write("other.csv", "more,x2,label,x1\n" + "".join(f"text,{r['x2']},{r['label']},{r['x1']}\n" for r in rows))
    assert run("predict", model, other, "--scores").stdout == run("predict", model, points, "--scores").stdout
    assert run("evaluate", model, other).stdout == run("evaluate", model, points).stdout


def test_convert_and_back(points, tmp_path, write):
    svm, back = tmp_path / "p.svm.gz", tmp_path / "b.csv"
    run("convert", points, svm, check=True)
    run("convert", svm, back, check=True)
    assert back.read_text() == points.read_text().replace("x1,x2,label", "f1,f2,label")
    mixed = write("mixed.csv", "c,x,label\nred,1,a\nblue,?,b\n")
    assert "--missing says what is to stand for them" in run("convert", mixed, tmp_path / "x.svm").stderr
    assert run("convert", mixed, "-", "--missing", "zero", "--to", "csv").stdout == "c=blue,c=red,x,label\n0,1,1,a\n1,0,0,b\n"


def test_unseen_categories_and_features_are_counted(tmp_path, write):
    train, test = write("a.csv", "c,x,label\nred,1,a\nblue,2,b\n"), write("b.csv", "c,x,label\ngreen,1.5,a\n")
    model = tmp_path / "m"
    run("train", train, "--quiet", "--model", model, check=True)
    done = run("predict", model, test, check=True)
    assert "column 'c': 1 value of categories that training did not know" in done.stderr
    assert "column 'x'" not in done.stderr  # that it held whole numbers was a guess, no promise


def test_missing_values_per_column(tmp_path, write):
    path = write("d.csv", "glucose,children,label\n0,0,a\n100,2,b\n140,0,a\n")
    model = tmp_path / "m"
    run("train", path, "--na", "glucose=0", "--missing", "glucose=indicator", "--quiet", "--model", model, check=True)
    explained = run_json("explain", model)
    assert explained["features"] == ["glucose", "glucose=?", "children"]
    assert explained["columns"][0]["seen_missing"] == 1 and explained["columns"][1]["seen_missing"] == 0
    assert explained["scaling"]["shift"][0] == 120


def test_what_the_program_says_it_took(points):
    done = run("train", points)
    assert "label 'label': 'positive' is positive, 'negative' negative" in done.stderr
    assert "nothing was saved" in done.stderr
    assert run("train", points, "--quiet", "--positive", "negative", "--json").returncode == 0


def test_init_goes_on(points, tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    run("train", points, "--quiet", "--no-shuffle", "--model", first, check=True)
    assert run_json("train", points, "--quiet", "--no-shuffle", "--init", first, "--model", second)["examples"] == 800
    run("train", points, "--quiet", "--no-shuffle", "--init", first, "--model", first, check=True)  # over itself
    assert first.read_bytes() == second.read_bytes()


def test_same_seed_same_bytes_for_any_number_of_threads(tmp_path):
    path = tmp_path / "t.svm"
    run("make", "text", "--rows", 20000, "--features", 2000, "--nonzeros", 20, "-o", path, check=True)
    models = []
    for threads in (1, 2, 4):
        run("train", path, "--quiet", "--threads", threads, "--model", tmp_path / "m", check=True)
        models.append((tmp_path / "m").read_bytes())
    assert models[0] == models[1] == models[2]


def test_streaming_memory_does_not_grow_with_the_file(tmp_path):
    peaks = []
    for rows in (10_000, 100_000):
        path = tmp_path / "t.svm"
        run("make", "text", "--rows", rows, "-o", path, check=True)
        program = f"import resource, subprocess; subprocess.run([{str(POSTIL)!r}, 'train', {str(path)!r}, '--no-shuffle', '--quiet', '--json', '--threads', '2'], check=True, stdout=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        peaks.append(int(subprocess.run(["python3", "-c", program], capture_output=True, text=True, check=True).stdout))
    assert max(peaks) < 24_000, f"{peaks} kB"


def test_a_kill_leaves_the_old_model_or_the_new(points, tmp_path):
    model = tmp_path / "m"
    run("train", points, "--quiet", "--model", model, check=True)
    for attempt in range(20):
        process = subprocess.Popen([str(POSTIL), "train", str(points), "--quiet", "--passes", str(1 + attempt), "--model", str(model)], stdout=subprocess.DEVNULL)
        time.sleep(0.0005 * attempt)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert run("explain", model).returncode == 0


def test_learners():
    listed = run_json("learners")
    assert [entry["name"] for entry in listed][:1] == ["perceptron"]
    for entry in listed:
        assert {"name", "title", "reference", "task", "online", "advice", "kernels", "params"} <= entry.keys()
        for parameter in entry["params"]:
            assert {"name", "default", "range", "help"} <= parameter.keys()
    assert "bias" in run("learners").stdout and "max(0, -y f(x))" in run("learners", "perceptron").stdout


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_examples_that_work(verb, tmp_path):
    done = run(*verb.split(), "--help")
    assert done.returncode == 0 and "Example:" in done.stdout
    # What the examples stand on.
    run("make", "synthetic", "--rows", 500, "-o", tmp_path / "points.csv", check=True)
    run("train", tmp_path / "points.csv", "--quiet", "--model", tmp_path / "points.postil", check=True)
    (tmp_path / "advice.rules").write_text("x1 - x2 >= 2 => positive\n")
    examples = re.findall(r"postil ((?:%s) .*)" % "|".join(VERBS), done.stdout[done.stdout.index("Example:") :])
    assert examples
    for example in examples:
        assert run(*example.split(), cwd=tmp_path).returncode == 0, example


@pytest.mark.parametrize("page", ["docs/ellipsoids.md"])
def test_the_commands_of_the_pages_work(page, tmp_path):
    readme = (ROOT / page).read_text()
    for name, content in re.findall(r"^```\n# (\S+\.rules)\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL):
        (tmp_path / name).write_text(content)
    commands = re.findall(r"^build/postil (.*?)(?: +#.*)?$", readme, re.MULTILINE)
    assert len(commands) >= 5
    for command in commands:
        assert run(*command.split(), cwd=tmp_path).returncode == 0, command


def test_version_and_help():
    assert re.fullmatch(r"postil \d+\.\d+\.\d+\nbuilt with .+\n", run("--version").stdout)
    assert run("help", "rules", "check").stdout == run("rules", "check", "--help").stdout and run("help").stdout == run("--help").stdout
    assert "did you mean 'train'" in run("help", "trian").stderr
    assert all(verb.split()[0] in run("--help").stdout for verb in VERBS)


def test_nothing_but_the_terminal_sees_progress(points):
    assert "\r" not in run("train", points).stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rules", "checkk"], "there is no command 'rules checkk'; did you mean 'check'?"),
        (["help", "rules", "checkk"], "there is no command 'rules checkk'; did you mean 'check'?"),
        (["rules"], "rules needs a command: check, show, repair, suggest, lint, fmt, convert"),
        (["--helpp"], "postil has no option --helpp; did you mean --help?"),
        (["rules", "--jso"], "rules has no option --jso"),
        (["rules", "check", "r", "--dta", "x"], "check has no option --dta; did you mean --data?"),
    ],
)
def test_the_nearest_name(words, message):
    done = run(*words)
    assert done.returncode == 2 and message in done.stderr


def test_help_speaks_of_commands_and_numbers():
    assert "Usage: postil [OPTIONS] COMMAND" in run("help").stdout
    assert "Usage: postil help [OPTIONS] [COMMAND]" in run("help", "help").stdout
    for verb in VERBS:
        text = run(*verb.split(), "--help").stdout
        assert not re.search(r"UINT|INT in|FLOAT|WHOLE|SUBCOMMAND", text)
    assert "--passes NUMBER=1" in run("train", "--help").stdout


def test_files_that_are_something_else(points, write, tmp_path):
    def message(*words):
        done = run(*words)
        assert done.returncode == 1
        return done.stderr

    model = tmp_path / "m"
    run("train", points, "--quiet", "--model", model, check=True)
    assert f"{points}: not a Postil model; the file holds text; are the model and the data named in the right order?" in message("predict", points, model)
    assert message("explain", write("i.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR01234567")).endswith("i.png: not a Postil model\n")
    assert "the file was cut: it has 100 bytes, and its header alone needs" in message("explain", write("cut", model.read_bytes()[:100]))
    assert "cells may be separated by commas, semicolons, tabs or |, but not by spaces" in message("train", write("s.txt", "a b label\n1 2 x\n2 3 y\n"))
    assert "there is no column besides the label 'My title'; the next line has 3 cells; if the first line is a title, remove it" in message("train", write("t.csv", "My title\na,b,label\n1,2,x\n3,4,y\n"))
    assert "there is no column besides the label 'a'\n" in message("train", write("o.csv", "a\n1\n2\n"))
    header = points.read_text().replace("x1", "X1", 1)
    assert "the model needs column 'x1', which the file does not have; it has 'X1'; did you mean that?" in message("predict", model, write("X.csv", header))


def test_a_first_score_of_0_is_explained_where_counts_differ(write):
    def told(first):
        rows = "".join(f"{x},{'b' if x > 0 else 'a'}\n" for x in (first, -3 * first, 2, -2))
        return run("train", write("d.csv", "x,label\n" + rows), "--learner", "perceptron", "--set", "average=none", "--scale", "none", "--no-shuffle", "--quiet", check=True).stdout

    assert "mistakes 1 (a score of exactly 0 counts as one), progressive error 0.00 %" in told(1)  # predicted b, by a score of 0
    assert "mistakes 1, progressive error 25.00 %" in told(-1)
