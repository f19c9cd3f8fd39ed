"""postil stream: answers as rows come, checkpoints, ends cleanly, resumes to the bit."""

import json
import os
import select
import signal
import subprocess
import time

import pytest

from conftest import POSTIL, run, run_json


@pytest.fixture
def points(tmp_path):
    path = tmp_path / "points.csv"
    run("make", "synthetic", "--rows", 900, "--seed", 5, "-o", path, check=True)
    return path


def start(*arguments):
    process = subprocess.Popen([POSTIL, "stream", *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1)
    process.unread = b""
    return process


def answer(process):
    """The next line of the output, which must come without the input ending first."""
    while b"\n" not in process.unread:
        ready, _, _ = select.select([process.stdout], [], [], 30)
        assert ready, "no answer within 30 s"
        process.unread += os.read(process.stdout.fileno(), 65536)
    line, process.unread = process.unread.split(b"\n", 1)
    return json.loads(line)


def test_answers_each_row_at_once(tmp_path):
    process = start("--model", tmp_path / "m", "--json")
    process.stdin.write("a,b,label\n")
    given = [("1,2,x", None), ("-1,-2,y", "x"), ("2,3,", "x"), ("-2,-3,y", "y")]
    for row, (line, expected) in enumerate(given, start=1):
        process.stdin.write(line + "\n")
        got = answer(process)
        assert (got["row"], got["label"], got["learned"]) == (row, expected, not line.endswith(","))
    process.stdin.write("oops\n")
    assert "expected 3" in answer(process)["error"]
    process.stdin.close()
    assert process.wait(30) == 0
    assert "progressive error" in process.stderr.read()


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it_cleanly(sent, points, tmp_path):
    lines = points.read_text().splitlines(keepends=True)
    process = start("--model", tmp_path / "m", "--json")
    process.stdin.write("".join(lines[:301]) + "1.5,")  # half a row
    process.stdin.flush()
    for _ in range(300):
        answer(process)
    process.send_signal(sent)
    assert process.wait(30) == 0
    assert run_json("explain", tmp_path / "m")["features"] == ["x1", "x2"]
    once = tmp_path / "once"
    run("stream", "--model", once, stdin="".join(lines[:301]), check=True)
    assert once.read_bytes() == (tmp_path / "m").read_bytes()


def test_a_signal_before_any_input(tmp_path):
    process = start("--model", tmp_path / "m")
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("rows", [40, 450])  # while the first rows are kept, and after
def test_killed_it_resumes_from_its_checkpoint_to_the_bit(rows, points, tmp_path):
    lines = points.read_text().splitlines(keepends=True)
    model, once = tmp_path / "m", tmp_path / "once"
    process = start("--model", model, "--every", 30, "--json")
    process.stdin.write("".join(lines[: rows + 1]))
    process.stdin.flush()
    for _ in range(rows):
        answer(process)
    process.kill()
    process.wait(30)
    assert sorted(os.listdir(tmp_path)) == [".m.lock", "m", "points.csv"]  # no half-written file; the lock is not in force
    resumed = run("stream", "--model", model, "--replay", points, "--json", check=True)
    whole = run("stream", "--model", once, points, "--json", check=True)
    answers = whole.stdout.splitlines()
    again = resumed.stdout.splitlines()  # from a checkpoint on: the last one, or, if it was killed before that was written, the one before
    saved = len(answers) - len(again)
    assert saved in (rows - rows % 30, rows - rows % 30 - 30)
    assert again == answers[saved:]
    assert model.read_bytes() == once.read_bytes()


def test_checkpoints_by_time(tmp_path):
    model = tmp_path / "m"
    process = start("--model", model, "--seconds", 0.2, "--json")
    process.stdin.write("a,label\n1,x\n2,y\n")
    answer(process), answer(process)
    for _ in range(100):
        if model.exists() and run("explain", model).returncode == 0:
            break
        time.sleep(0.1)
    assert run_json("explain", model)["classes"] == ["x", "y"]
    process.kill()
    process.wait(30)


def test_plain_answers_and_scores(points, tmp_path):
    plain = run("stream", "--model", tmp_path / "m", "--quiet", points, "--scores", check=True)
    lines = plain.stdout.splitlines()
    assert len(lines) == 900 and lines[0] == ","
    label, score = lines[-1].split(",")
    assert label == ("positive" if float(score) >= 0 else "negative")
    assert plain.stderr == ""


def test_resuming_with_other_wishes_is_refused(points, tmp_path):
    run("stream", "--model", tmp_path / "m", "--learner", "pa", points, check=True)
    run("stream", "--model", tmp_path / "m", "--learner", "pa", points, check=True)
    for wishes in (["--learner", "arow"], ["--learner", "pa", "--set", "C=3"], ["--learner", "pa", "--task", "regression"], ["--learner", "pa", "--scale", "none"], ["--positive", "negative"], ["--ignore", "x1"], ["--kind", "x1=categorical"], ["--class-weight", "positive=2"]):
        before = (tmp_path / "m").read_bytes()
        assert run("stream", "--model", tmp_path / "m", *wishes, points).returncode == 2
        assert (tmp_path / "m").read_bytes() == before


def test_nobody_reads_the_answers(points, tmp_path):
    process = start("--model", tmp_path / "m", "--json")
    lines = points.read_text().splitlines(keepends=True)
    process.stdin.write("".join(lines[:51]))
    process.stdin.flush()
    for _ in range(50):
        answer(process)
    process.stdout.close()
    process.stdin.write("".join(lines[51:91]))
    process.stdin.flush()
    assert process.wait(30) == 1
    assert run_json("evaluate", tmp_path / "m", points)["examples"] == 900


def test_a_stream_of_another_format_or_columns(points, tmp_path):
    run("stream", "--model", tmp_path / "m", points, check=True)
    assert run("stream", "--model", tmp_path / "m", stdin="1 1:2\n").returncode == 1
    assert "needs column" in run("stream", "--model", tmp_path / "m", stdin="x1,label\n1,positive\n").stderr
    reordered = run("stream", "--model", tmp_path / "m", "--json", stdin="label,x2,x1\npositive,1,2\n", check=True)
    assert json.loads(reordered.stdout)["row"] == 901


@pytest.mark.parametrize("learner", ["advised", "pa"])
def test_probabilities_come_with_answers_and_are_those_of_the_model_before(learner, tmp_path):
    rows = [(i, "abc"[i % 3], (i % 3) + (i * 37 % 11) / 10) for i in range(400)]
    text = "x,label\n" + "".join(f"{x},{label}\n" for _, label, x in rows)
    whole = [json.loads(line) for line in run("stream", "--learner", learner, "--model", tmp_path / "m", "--json", "--quiet", stdin=text, check=True).stdout.splitlines()]
    for answer in whole[4:]:
        p = answer["probabilities"]
        assert set(p) == {"a", "b", "c"} and sum(p.values()) == pytest.approx(1) and p[answer["label"]] == max(p.values())
    head, rest = "".join(text.splitlines(keepends=True)[:301]), text.splitlines(keepends=True)[301]
    run("stream", "--learner", learner, "--model", tmp_path / "n", "--quiet", stdin=head, check=True)
    (tmp_path / "next.csv").write_text("x,label\n" + rest)
    predicted = run_json("predict", tmp_path / "n", tmp_path / "next.csv")
    assert whole[300]["probabilities"] == dict(zip(predicted["classes"], predicted["probabilities"][0]))


def test_a_bad_row_is_answered_in_parts(tmp_path):
    text = "body mass,b,label\n1,2,yes\n2,1,no\nheavy,1,no\n1,2\n1,2,yes\n"
    done = run("stream", "--model", tmp_path / "m", "--json", "--quiet", stdin=text, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["row"] for answer in answers] == [1, 2, 3, 4, 5]
    assert answers[2] == {
        "row": 3,
        "error": "standard input:4:1: column 'body mass': found 'heavy', expected a number; --kind 'body mass=categorical' reads all its cells as text",
        "code": "not_a_number",
        "line": 4,
        "column": 1,
        "subject": {"kind": "column", "name": "body mass"},
        "found": "heavy",
        "expected": "a number",
        "remedy": "--kind 'body mass=categorical' reads all its cells as text",
    }
    assert answers[3] == {
        "row": 4,
        "error": "standard input:5:4: found 2 cells, expected 3",
        "code": "wrong_count",
        "line": 5,
        "column": 4,
        "subject": {"kind": "row", "name": None},
        "found": "2 cells",
        "expected": "3 cells",
        "remedy": None,
    }
    assert done.stderr.splitlines() == [f"postil: {answers[2]['error']}", f"postil: {answers[3]['error']}"]
