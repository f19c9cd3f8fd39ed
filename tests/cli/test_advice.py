"""Training with advice: rules in raw units reach the learner, travel in the model, and help."""

import gzip
import json
import math
import re
import signal
import subprocess

import numpy
import pytest

from conftest import POSTIL, run, run_json

ADVICE = "class sick = 1\nhigh: glucose >= 126 and bmi >= 30 => sick\nlow [trust = 0.5]: glucose <= 100 and bmi <= 25 => not sick\n"


@pytest.fixture
def patients(tmp_path):
    """Points about two columns, labels by a noisy line in raw units."""
    path = tmp_path / "points.csv"
    run("make", "dense", "--features", 2, "--rows", 600, "--seed", 4, "-o", tmp_path / "raw.csv", check=True)
    lines = (tmp_path / "raw.csv").read_text().splitlines()[1:]
    out = ["glucose,bmi,label"]
    for line in lines:
        first, second, _ = line.split(",")
        glucose, bmi = 120 + 30 * float(first), 30 + 6 * float(second)
        out.append(f"{glucose:.3f},{bmi:.3f},{int(glucose / 30 + bmi / 6 > 9.2)}")
    path.write_text("\n".join(out) + "\n")
    return path


@pytest.fixture
def rules(write):
    return write("advice.rules", ADVICE)


@pytest.mark.parametrize("learner", ["pa-adviceptron", "adviceptron", "advice-only", "kbsvm", "advised"])
def test_scaling_moves_the_rules_along(learner, patients, rules, write, tmp_path):
    """Raw rules under standard scaling give the model that scaled rules give on scaled data."""
    run("train", patients, "--advice", rules, "--learner", learner, "--no-shuffle", "--quiet", "--model", tmp_path / "a", check=True)
    explained = run_json("explain", tmp_path / "a")
    (shift_g, shift_b), (scale_g, scale_b) = explained["scaling"]["shift"], explained["scaling"]["scale"]
    rows = [line.split(",") for line in patients.read_text().splitlines()[1:]]
    scaled = "\n".join(f"{(float(g) - shift_g) / scale_g!r},{(float(b) - shift_b) / scale_b!r},{y}" for g, b, y in rows)
    data = write("scaled.csv", "glucose,bmi,label\n" + scaled + "\n")
    numbers = {"126": (126 - shift_g) / scale_g, "30": (30 - shift_b) / scale_b, "100": (100 - shift_g) / scale_g, "25": (25 - shift_b) / scale_b}
    text = ADVICE
    for old, new in numbers.items():
        text = text.replace(f" {old}", f" {new!r}")
    # The rows keep the expert's scale: 1 on raw columns is `scale` on scaled ones.
    text = text.replace("glucose >=", f"{scale_g!r}*glucose >=").replace("glucose <=", f"{scale_g!r}*glucose <=").replace("bmi >=", f"{scale_b!r}*bmi >=").replace("bmi <=", f"{scale_b!r}*bmi <=")
    for value in numbers.values():
        factor = scale_g if value in (numbers["126"], numbers["100"]) else scale_b
        text = text.replace(f"= {value!r}", f"= {factor * value!r}")
    run("train", data, "--advice", write("scaled.rules", text), "--learner", learner, "--scale", "none", "--no-shuffle", "--quiet", "--model", tmp_path / "b", check=True)
    assert run_json("explain", tmp_path / "b")["weights"] == pytest.approx(explained["weights"], rel=1e-5)


@pytest.mark.parametrize("learner", ["pa-adviceptron", "adviceptron", "advised", "arow"])
def test_rules_travel_in_the_model_and_learning_goes_on(learner, patients, rules, tmp_path):
    """Stopped, saved, loaded and continued: the same bytes, the ledger among them, wherever it stopped."""
    header, *rows = patients.read_text().splitlines(keepends=True)
    settings = {"pa-adviceptron": ["--set", "mu=0.1"], "arow": ["--set", "start=advice"]}.get(learner, [])
    options = ["--learner", learner, *settings, "--advice", rules, "--quiet"]
    once = tmp_path / "once"
    run("stream", "--model", once, *options, stdin=header + "".join(rows), check=True)
    for stop in (1, 7, 300):
        parts = tmp_path / f"parts{stop}"
        run("stream", "--model", parts, *options, stdin=header + "".join(rows[:stop]), check=True)
        run("stream", "--model", parts, "--quiet", stdin=header + "".join(rows[stop:]), check=True)
        assert once.read_bytes() == parts.read_bytes(), stop
    assert b"high: glucose >= 126 and bmi >= 30" in once.read_bytes()
    run("train", patients, "--init", once, "--quiet", "--model", tmp_path / "more", check=True)


def test_who_takes_advice(patients, rules):
    told = run("train", patients, "--advice", rules, "--learner", "perceptron").stderr
    able = ", ".join(learner["name"] for learner in run_json("learners") if learner["advice"])
    assert f"perceptron accepts rules only as a starting point (--set start=advice); these learn from rules: {able}\n" in told
    assert "romma takes no advice; these do" in run("train", patients, "--advice", rules, "--learner", "romma").stderr
    assert run_json("train", patients, "--advice", rules)["learner"] == "advised"
    numbers = run("train", patients, "--advice", rules, "--task", "regression")
    assert numbers.returncode == 1 and "which holds numbers; found" in numbers.stderr
    assert run("stream", patients, "--model", "m", "--advice", rules, "--learner", "kbsvm").returncode == 2
    assert json.loads(run("learners", "pa-adviceptron", "--json").stdout)[0]["advice"] is True


@pytest.mark.parametrize("learner", ["perceptron", "margin-perceptron", "pa", "sgd", "arow", "pa-adviceptron"])
def test_any_linear_learner_may_start_at_the_rules(learner, patients, rules):
    """Before the first example it says what advice-only says."""
    given = ["--advice", rules, "--train", 300, "--runs", 3, "--checkpoints", "0,300"]
    (start,) = run_json("curve", patients, "--learner", f"{learner}:start=advice", *given)["learners"]
    (alone,) = run_json("curve", patients, "--learner", "advice-only", *given)["learners"]
    assert start["error_mean"][0] == alone["error_mean"][0] < 0.3
    assert start["error_mean"][1] < start["error_mean"][0] + 0.05


def test_rules_beside_learners_that_take_none(patients, rules):
    both = run_json("curve", patients, "--advice", rules, "--learner", "arow", "--learner", "advised", "--train", 100, "--runs", 4, "--checkpoints", "1,100")
    (plain, advised) = both["learners"]
    assert plain["error_mean"] == run_json("curve", patients, "--learner", "arow", "--train", 100, "--runs", 4, "--checkpoints", "1,100")["learners"][0]["error_mean"]
    assert advised["error_mean"][0] < plain["error_mean"][0]


# ---- the ledger ----


def test_the_ledger_counts_what_a_reader_of_the_file_would(patients, rules, tmp_path):
    explained = run_json("train", patients, "--advice", rules, "--no-shuffle", "--model", tmp_path / "m")
    assert explained["rules"] == run_json("explain", tmp_path / "m")["rules"]
    rows = [(float(g), float(b), int(y)) for g, b, y in (line.split(",") for line in patients.read_text().splitlines()[1:])]
    base = numpy.mean([y for _, _, y in rows])
    scaling = run_json("explain", tmp_path / "m")["scaling"]
    for entry, holds, label, p, bounds in zip(
        explained["rules"],
        [lambda g, b: g >= 126 and b >= 30, lambda g, b: g <= 100 and b <= 25],
        [1, 0],
        [base, 1 - base],
        [lambda g, b: (max(0, 126 - g), max(0, 30 - b)), lambda g, b: (max(0, g - 100), max(0, b - 25))],
    ):
        fired = [(line, y) for line, (g, b, y) in enumerate(rows, 2) if holds(g, b)]
        right = sum(y == label for _, y in fired)
        assert (entry["fired"], entry["agreed"], entry["contradicted"]) == (len(fired), right, len(fired) - right)
        assert entry["contradicted_by"] == [line for line, y in fired if y != label][::-1][:5]
        assert entry["precision"] == pytest.approx(right / len(fired))
        assert entry["base_rate"] == pytest.approx(p)
        n = len(fired)
        assert entry["z"] == pytest.approx((right - n * p) / math.sqrt((n + 2) * p * (1 - p)))
        assert entry["verdict"] == ("supported" if entry["z"] > 2 else "contradicted" if entry["z"] < -2 else "open")
        distances = [-math.hypot(*(miss / scale for miss, scale in zip(bounds(g, b), scaling["scale"]))) for g, b, _ in rows]
        assert entry["closeness"] == pytest.approx(numpy.corrcoef(distances, [1 if y == label else -1 for _, _, y in rows])[0, 1])
    assert [entry["trust"] for entry in explained["rules"]] == [1, 0.5]
    told = explained["advice"]
    assert sum(part["share"] for part in told["parts"]) == pytest.approx(1) and [part["start"] for part in told["parts"]] == pytest.approx([0.1, 0.3, 0.6])
    assert told["mistakes"] == explained["mistakes"] and told["mistakes_without_rules"] == told["parts"][0]["mistakes"]


def test_boundaries_survive_scaling(write, tmp_path):
    """Values on a bound are on it after they were scaled and scaled back; strict comparisons leave them out."""
    values = [0.1, 0.3, 0.7, 126, 126.0001, 125.9999, 0]
    data = write("d.csv", "a,flag,label\n" + "".join(f"{v},{i % 2},{'yes' if i % 2 else 'no'}\n" for i, v in enumerate(values)))
    rules = write("r.rules", "ge: a >= 126 => yes\ngt: a > 126 => yes\nle: a <= 0.3 => no\nlt: a < 0.3 => no\neq: a = 0.7 => no\nabsent(flag) => no\n")
    fired = [entry["fired"] for entry in run_json("train", data, "--advice", rules)["rules"]]
    assert fired == [2, 1, 3, 2, 1, 4]


def test_the_table_shows_the_ledger(patients, write, tmp_path):
    rules = write("some.rules", ADVICE + "wrong: bmi >= 28 => not sick\n")
    told = run("train", patients, "--advice", rules, "--model", tmp_path / "m", "--no-shuffle", check=True).stdout
    assert "verdict" in told and "last contradicted on line" in told and "shares in the next prediction: examples" in told and "without them it would have made" in told
    assert "high: glucose >= 126, bmi >= 30 do the work" in run("explain", tmp_path / "m").stdout


@pytest.mark.parametrize("learner", ["pa-adviceptron", "adviceptron", "advice-only", "kbsvm", "advised"])
def test_multipliers_estimates_and_ideal_points(learner, patients, rules, tmp_path):
    """r = -z D'u where nothing else is known of the columns, the ideal point lies in the region, and the parts are of the weights."""
    settings = ["--set", "mu=0.1"] if learner in ("pa-adviceptron", "kbsvm") else []
    run("train", patients, "--advice", rules, "--learner", learner, *settings, "--quiet", "--model", tmp_path / "m", check=True)
    explained = run_json("explain", tmp_path / "m")
    for entry, sign, point in zip(explained["rules"], [1, -1], [(126, 30), (100, 25)]):
        (only,) = entry["sets"]
        assert len(only["u"]) == len(only["comparisons"]) == 2 and len(only["estimate"]) == 2
        assert all(u >= 0 for u in only["u"])
        assert only["support"] == [text for text, u in zip(only["comparisons"], only["u"]) if u > 0]
        if learner in ("pa-adviceptron", "kbsvm"):  # the others know the ranges that were seen, whose rows are not the rule's
            for u, raw, name in zip(only["u"], only["estimate"], ["glucose", "bmi"]):
                assert raw == pytest.approx(u, abs=1e-9), name  # z is in the rows' direction
        if only["ideal"] and learner != "pa-adviceptron":
            assert all(sign * (value - bound) >= -1e-6 for value, bound in zip(only["ideal"], point))
        assert entry["influence"] >= 0


def test_one_row_is_explained(patients, rules, tmp_path):
    model = tmp_path / "m"
    run("train", patients, "--advice", rules, "--model", model, "--quiet", check=True)
    story = run_json("explain", model, "--row", "glucose=140,bmi=33")
    assert story["label"] == "1"
    rules_say = sum(r["contribution"] for r in story["rules"]) + story["plane"] + story["no_rule_holds"]
    assert story["bias"] + sum(f["contribution"] for f in story["features"]) + story["remainder"] + rules_say == pytest.approx(story["score"])
    assert story["data"] + rules_say == pytest.approx(story["score"])
    assert [r["holds"] for r in story["rules"]] == [True, False]
    text = run("explain", model, "--row", "3", "--data", patients, check=True).stdout
    assert "log-odds" in text and "base rate" in text
    assert "there is no column 'glucos'; did you mean 'glucose'?" in run("explain", model, "--row", "glucos=1").stderr
    spaced = run_json("explain", model, "--row", 'glucose = 140 , "bmi" = "33" ')
    assert spaced == story
    for row, message in (
        ("bmi=33,glucose=abc", "postil: --row: column 'glucose': found 'abc', expected a number"),
        ("bmi=", "--row: 'bmi' has no value; leave it out, or write bmi=? where it is missing"),
        ("bmi=1,bmi=2", "--row: 'bmi' is named twice"),
        ("=3", "--row: found a value without the name of its column"),
        ("0", "--row: found '0', expected name=value (or --data FILE and the number of a row in it)"),
    ):
        done = run("explain", model, "--row", row)
        assert done.returncode > 0 and message in done.stderr, done.stderr
    assert run_json("explain", model, "--row", "glucose=140,bmi=?") == run_json("explain", model, "--row", "glucose=140")
    assert "the number of a row, counted from 1; found '0'" in run("explain", model, "--row", "0", "--data", patients).stderr
    assert "it has only 600 rows" in run("explain", model, "--row", "601", "--data", patients).stderr


def test_rows_with_zeros_are_explained_in_full(write, tmp_path):
    """A 0 that scaling moves counts too; numbers of lines and of rows lead to the same row; LIBSVM rows by name."""
    rows = "".join(f"{i % 2},{'red' if i % 3 else 'blue'},{i % 7},{'yes' if i % 2 else 'no'}\n" for i in range(30))
    data = write("c.csv", "flag,color,a,label\n" + rows)
    run("train", data, "--advice", write("c.rules", "flag => yes\ncolor = red and a >= 3 => no\n"), "--quiet", "--model", tmp_path / "m", check=True)
    scores = run_json("predict", tmp_path / "m", data, "--scores")["scores"]
    for number in range(1, 31):
        story = run_json("explain", tmp_path / "m", "--row", number, "--data", data)
        assert story["score"] == pytest.approx(scores[number - 1])
        parts = story["bias"] + story["plane"] + story["no_rule_holds"] + story["remainder"]
        assert parts + sum(f["contribution"] for f in [*story["features"], *story["rules"]]) == pytest.approx(story["score"])
        assert story == run_json("explain", tmp_path / "m", "--line", number + 1, "--data", data)
    svm = write("d.svm", "".join(f"{1 if i % 2 else -1} 1:{i % 2} 3:{i % 5}\n" for i in range(1, 30)))
    run("train", svm, "--quiet", "--model", tmp_path / "s", check=True)
    assert run_json("explain", tmp_path / "s", "--row", "f3=2,f1=1")["score"] == run_json("explain", tmp_path / "s", "--row", "1:1 3:2")["score"]


def test_a_rare_class_is_not_support(write):
    """A rule that is never right is not supported because what it says is rare."""
    rows = "".join(f"{i % 10},{'rare' if i == 0 else 'common'}\n" for i in range(500))
    rules = write("r.rules", "never: a between 3 and 4 => rare\n")
    (entry,) = run_json("train", write("d.csv", "a,label\n" + rows), "--advice", rules)["rules"]
    assert entry["fired"] == 100 and entry["agreed"] == 0 and entry["z"] < 0
    assert entry["verdict"] == "open"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--learner", "advice-only"], "advice-only needs rules: --advice"),
        (["--learner", "pa", "--set", "start=advice"], "pa with start=advice needs rules"),
        (["--learner", "kbsvm", "--set", "advice=hard"], "kbsvm with advice=hard needs rules"),
        (["--learner", "advised", "--bounds"], "--bounds of advised are about rules"),
        (["--advice", "EMPTY"], "there is no rule in it"),
        (["--advice", "RULES", "--columns", "a,b"], "DATA has its own"),
    ],
)
def test_settings_that_need_rules(arguments, message, patients, rules, write):
    empty = write("empty.rules", "# nothing\n")
    given = [{"EMPTY": empty, "RULES": rules}.get(word, word) for word in arguments]
    done = run("train", patients, *given)
    assert done.returncode in (1, 2) and message in done.stderr


def test_who_can_speak_without_examples(rules, patients, tmp_path):
    assert "says nothing of these rules before it has seen examples" in run("train", "--advice", rules, "--learner", "pa-adviceptron").stderr
    assert "names 'bmi' twice" in run("train", "--advice", rules, "--columns", "bmi,bmi").stderr
    run("train", "--advice", rules, "--learner", "kbsvm", "--model", tmp_path / "k", check=True)
    assert any(run_json("explain", tmp_path / "k")["weights"])
    run("stream", patients, "--model", tmp_path / "p", "--learner", "pa", "--set", "start=advice", "--advice", rules, "--quiet", check=True)
    other = tmp_path / "other.rules"
    other.write_text(OTHER)
    assert "took rules as its start only" in run("stream", patients, "--model", tmp_path / "p", "--advice", other).stderr


def test_six_lineages_each_with_its_rules(data, tmp_path):
    rules = data.parent / "rules" / "tuberculosis.rules"
    if not rules.exists():
        pytest.skip("the papers' rules are not beside the data")
    isolates = tmp_path / "tb.csv"
    run("make", "tuberculosis", "--rows", 800, "--seed", 5, "-o", isolates, check=True)
    report = run_json("train", isolates, "--advice", rules)
    assert len(report["per_class"]) == 6
    assert sum(len(task["rules"]) for task in report["per_class"]) == len(report["rules"]) == 29
    assert all(task["advice"]["mistakes"] <= task["advice"]["mistakes_without_rules"] for task in report["per_class"])
    assert not [entry["id"] for entry in report["rules"] if entry["verdict"] == "contradicted"]
    assert report["progressive_error"] < run_json("train", isolates, "--learner", "arow")["progressive_error"]


# ---- rules alone ----


def test_a_model_from_rules_and_no_data(rules, write, tmp_path):
    model = tmp_path / "m"
    run("train", "--advice", rules, "--columns", "id,bmi,glucose", "--model", model, check=True)
    patient = write("p.csv", "id,bmi,glucose\n1,35,150\n2,22,90\n")
    assert run("predict", model, patient, check=True).stdout.split() == ["label", "1", "0"]
    assert "unknown column 'glucose'" in run("train", "--advice", rules, "--columns", "bmi", "--model", model).stderr
    assert run("train", "--columns", "bmi").returncode == 2
    run("train", "--advice", rules, "--classes", "healthy,1", "--learner", "advised", "--model", model, "--quiet", check=True)
    assert run_json("explain", model)["classes"] == ["1", "healthy"]


@pytest.mark.parametrize("method", ["optimise", "sample"])
def test_unlabelled_rows_give_the_scaling(method, patients, rules, write, tmp_path):
    header, *rows = patients.read_text().splitlines()
    unlabelled = write("u.csv", "glucose,bmi\n" + "\n".join(row.rsplit(",", 1)[0] for row in rows) + "\n")
    run("train", "--unlabelled", unlabelled, "--advice", rules, "--learner", "advice-only", "--set", f"method={method}", "--quiet", "--model", tmp_path / "m", check=True)
    assert run_json("evaluate", tmp_path / "m", patients)["error"] < 0.25


def test_rules_answer_before_the_first_label(rules, tmp_path):
    rows = "glucose,bmi,label\n150,35,\n90,22,\n150,35,1\n90,22,\n90,22,0\n"
    answers = [json.loads(line) for line in run("stream", "--model", tmp_path / "m", "--advice", rules, "--json", stdin=rows, check=True).stdout.splitlines()]
    assert [answer["label"] for answer in answers[:5]] == ["1", "0", "1", "0", "0"]
    assert answers[2]["rules"] == [{"id": "high", "agrees": True}]
    assert answers[-1]["ledger"]["rules"][0]["fired"] == 1


# ---- rules that change ----

OTHER = ADVICE.replace("trust = 0.5", "trust = 0.9") + "new: glucose >= 160 => sick\n"


@pytest.mark.parametrize("learner", ["pa-adviceptron", "adviceptron", "advised"])
@pytest.mark.parametrize("stop", [1, 40, 300])
def test_rules_may_change_between_runs(learner, stop, patients, rules, write, tmp_path):
    header, *rows = patients.read_text().splitlines(keepends=True)
    model, other = tmp_path / "m", write("other.rules", OTHER)
    run("stream", "--model", model, "--learner", learner, "--advice", rules, "--quiet", stdin=header + "".join(rows[:stop]), check=True)
    if stop == 300:
        before = run_json("explain", model)
    told = run("stream", "--model", model, "--advice", other, stdin=header, check=True).stderr
    assert f"hold from row {stop + 1} on" in told
    if stop == 300:  # what was learned stays, and so does what was written about rules that stay
        after = run_json("explain", model)
        assert [entry["fired"] for entry in after["rules"]] == [entry["fired"] for entry in before["rules"]] + [0]
        if learner != "advised":
            assert after["weights"] == pytest.approx(before["weights"], rel=1e-9)
    run("stream", "--model", model, "--quiet", stdin=header + "".join(rows[stop:]), check=True)
    explained = run_json("explain", model)
    assert [entry["id"] for entry in explained["rules"]] == ["high", "low", "new"]
    assert explained["rules"][1]["trust"] == 0.9
    assert run_json("evaluate", model, patients)["error"] < 0.3


def test_a_running_stream_reads_its_rules_again(patients, write, tmp_path):
    header, *rows = patients.read_text().splitlines(keepends=True)
    rules = write("r.rules", ADVICE)
    process = subprocess.Popen([POSTIL, "stream", "--model", tmp_path / "m", "--advice", rules, "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdin.write(header + "".join(rows[:300]))
    process.stdin.flush()
    for _ in range(300):
        process.stdout.readline()
    rules.write_text(OTHER)
    process.send_signal(signal.SIGHUP)
    process.stdin.write(rows[300])
    process.stdin.flush()
    process.stdout.readline()
    rules.write_text("nonsense\n")
    process.send_signal(signal.SIGHUP)
    process.stdin.write("".join(rows[301:]))
    out, told = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "hold from row 301 on" in told and "the rules stay as they were" in told
    assert [entry["id"] for entry in json.loads(out.splitlines()[-1])["ledger"]["rules"]] == ["high", "low", "new"]


def test_further_training_with_other_rules(patients, rules, write, tmp_path):
    run("train", patients, "--advice", rules, "--quiet", "--model", tmp_path / "a", check=True)
    run("train", patients, "--init", tmp_path / "a", "--advice", write("other.rules", OTHER), "--quiet", "--model", tmp_path / "b", check=True)
    assert [entry["id"] for entry in run_json("explain", tmp_path / "b")["rules"]] == ["high", "low", "new"]


# ---- advice helps early and cannot hurt late ----


def error_at(path, learner, at, *options):
    return run_json("curve", path, "--learner", learner, "--checkpoints", at, *options)["learners"][0]["error_mean"][0]


@pytest.mark.parametrize("seed", [0, 1])
def test_wrong_rules_do_no_harm_in_the_end(seed, write, tmp_path):
    """20,000 rows, every rule turned round: within .003 of no advice."""
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    run("make", "synthetic", "--rows", 20_000, "--spread", 1.3, "--seed", seed, "-o", train, check=True)
    run("make", "synthetic", "--rows", 20_000, "--spread", 1.3, "--seed", seed + 100, "-o", test, check=True)
    wrong = write("wrong.rules", "x1 - x2 >= 1 and x1 - x2 <= 6 and 3*x1 + 2*x2 >= 3 => negative\nx2 >= 4 => positive\nx2 >= 3 and x1 >= 2 => positive\n")
    beside = write("beside.rules", "x1 >= 100 => positive\nx2 <= -100 => negative\n")
    run("train", train, "--learner", "arow", "--quiet", "--model", tmp_path / "plain", check=True)
    plain = run_json("evaluate", tmp_path / "plain", test)["error"]
    for rules in (wrong, beside):
        run("train", train, "--advice", rules, "--quiet", "--model", tmp_path / "advised", check=True)
        assert run_json("evaluate", tmp_path / "advised", test)["error"] < plain + 0.003
        if rules is wrong:
            assert {entry["verdict"] for entry in run_json("explain", tmp_path / "advised")["rules"]} == {"contradicted"}


def test_round_ten_synthetic(tmp_path, data):
    """At least half of the gap of the study in docs/advice.md: .149 against .099."""
    rules = data.parent / "rules" / "synthetic.rules"
    if not rules.exists():
        pytest.skip("the papers' rules are not beside the data")
    points = tmp_path / "points.csv"
    run("make", "synthetic", "--rows", 3000, "--spread", 1.3, "--seed", 3, "-o", points, check=True)
    given = ["--train", 200, "--runs", 200, "--seed", 1]
    assert error_at(points, "arow", 10, *given) - error_at(points, "advised", 10, "--advice", rules, *given) > 0.025


def test_round_ten_promoters(tmp_path, data):
    """At least half of .395 against .195; and 64 advice sets over 228 columns are compiled and learned in seconds, 40 times."""
    rules = data.parent / "rules" / "promoters.rules"
    if not rules.exists():
        pytest.skip("the papers' rules are not beside the data")
    header, *rows = gzip.open(data / "promoters/promoters.csv.gz", "rt").read().splitlines()
    positions = [f"p{k}" for k in [*range(-50, 0), *range(1, 8)]]
    path = tmp_path / "promoters.csv"
    path.write_text(",".join([*positions, "label"]) + "\n" + "".join(",".join([*row.split(",")[2], row.split(",")[0]]) + "\n" for row in rows))
    given = ["--train", 80, "--runs", 20]
    assert error_at(path, "arow", 10, *given) - error_at(path, "advised", 10, "--advice", rules, *given) > 0.1


@pytest.mark.parametrize("lineage, gap", [("euro_american", 0.024), ("indo_oceanic", 0.0125), ("africanum", 0.0085), ("bovis", -0.02)])
def test_round_ten_tuberculosis(lineage, gap, tmp_path, data):
    """Balanced draws from simulated isolates. Euro-American: half of the gap of the study in docs/advice.md. The others: about half of what we measure, since plain AROW is better on these draws than in the study. Bovis: the rules as written err on .015, where examples soon do not."""
    rules = data.parent / "rules" / "tuberculosis.rules"
    if not rules.exists():
        pytest.skip("the papers' rules are not beside the data")
    run("make", "tuberculosis", "--rows", 20_000, "--seed", 3, "-o", tmp_path / "all.csv", check=True)
    header, *rows = (line.split(",") for line in (tmp_path / "all.csv").read_text().splitlines())
    for row in rows:
        row[-2] = str(min(max(int(row[-2]), 1), 2))  # the rules' domain of miru24
    own, others = [row for row in rows if row[-1] == lineage][:600], [row for row in rows if row[-1] != lineage][:600]
    chosen = own + [[*row[:-1], "other"] for row in others[: len(own)]]
    path = tmp_path / "task.csv"
    path.write_text("\n".join(",".join(row) for row in [[*header[:-1], "label"], *chosen]) + "\n")
    lines = [line for line in rules.read_text().splitlines() if line.startswith(("domain", "integer")) or re.search(rf"=> (not )?{lineage}\b", line)]
    task_rules = tmp_path / "task.rules"
    task_rules.write_text("\n".join(lines) + "\n")
    given = ["--train", 50, "--runs", 40, "--draw", "balanced", "--positive", lineage]
    assert error_at(path, "arow", 10, *given) - error_at(path, "advised", 10, "--advice", task_rules, *given) > gap


def test_pima_at_round_ten_advised(data):
    """At least half of the gap of the study in docs/advice.md, .374 against .333."""
    rules = data.parent / "rules" / "diabetes.rules"
    if not rules.exists():
        pytest.skip("the papers' rules are not beside the data")
    path, given = data / "pima/pima.csv.gz", ["--train", 200, "--runs", 100]
    assert error_at(path, "arow", 10, *given) - error_at(path, "advised", 10, "--advice", rules, *given) > 0.02


def test_pima_at_round_ten(data):
    """The Adviceptron's early lead on the real task: at least half of the gap of .262 against .321."""
    rules = data.parent / "rules" / "diabetes.rules"
    if not rules.exists():
        pytest.skip("the papers' rules are not beside the data")
    given = ["--train", 200, "--runs", 40, "--checkpoints", "10"]
    path = data / "pima/pima.csv.gz"
    plain = run_json("curve", path, "--learner", "pa:variant=pa2,C=0.5,average=none", *given)["learners"][0]["error_mean"][0]
    advised = run_json("curve", path, "--advice", rules, "--learner", "pa-adviceptron", *given)["learners"][0]["error_mean"][0]
    assert plain - advised > 0.03
