"""Corners that a careful reviewer found, each kept as a test."""

import json
import os
import signal
import subprocess
import time

import pytest

from conftest import POSTIL, run, run_json


@pytest.mark.parametrize("scale", ["standard", "minmax", "maxabs", "none"])
@pytest.mark.parametrize("text", ["a,y\n1e308,1\n-1e308,0\n", "a,y\n1e200,1\n2e200,0\n", "a,y\n?,1\n1.7e308,0\n-1.7e308,1\n"])
def test_huge_numbers_give_a_model_that_reads_or_none(scale, text, write, tmp_path):
    path, model = write("s.csv", text), tmp_path / "m"
    done = run("train", path, "--scale", scale, "--quiet", "--model", model)
    if done.returncode == 1:
        assert "the weights overflowed" in done.stderr and not model.exists()
        return
    explained, predicted = run_json("explain", model), run_json("predict", model, path)
    assert None not in [*explained["raw_weights"], explained["raw_bias"], *predicted["scores"]]


def test_overflowing_weights_are_an_error(write, tmp_path):
    done = run("train", write("s.svm", "1 1:1e308 2:1e308\n-1 1:1e308 2:-1e308\n-1 1:1e308\n"), "--no-shuffle", "--model", tmp_path / "m")
    assert done.returncode == 1 and "the weights overflowed" in done.stderr and not (tmp_path / "m").exists()


def test_an_outlier_at_prediction_has_a_finite_score(write, tmp_path):
    run("train", write("a.csv", "a,b,y\n1,2,0\n2,1,1\n"), "--quiet", "--model", tmp_path / "m", check=True)
    scores = run_json("predict", tmp_path / "m", write("b.csv", "a,b\n1.7e308,1.7e308\n-1.7e308,1.7e308\n"))["scores"]
    assert all(isinstance(score, float) for score in scores)


def test_labels_that_libsvm_text_cannot_hold(write, tmp_path):
    for label in ('"#h"', '"a b"', '"a:b"'):
        done = run("convert", write("l.csv", f"a,y\n1,{label}\n2,x\n"), tmp_path / "l.svm")
        assert done.returncode == 1 and "cannot be written as LIBSVM text" in done.stderr and not (tmp_path / "l.svm").exists()


def test_an_ignored_column_is_not_the_label(write, tmp_path):
    path = write("d.csv", "a,b,y,id\n0,1,0,7\n1,0,1,8\n2,5,1,9\n3,0,0,10\n")
    assert run_json("train", path, "--ignore", "id", "--quiet")["classes"] == ["0", "1"]


def test_the_model_alone_goes_to_standard_output(write, tmp_path):
    path = write("d.csv", "a,y\n0,0\n1,1\n")
    run("train", path, "--quiet", "--model", tmp_path / "m", check=True)
    for name in ("-", "/dev/stdout"):
        done = subprocess.run([POSTIL, "train", path, "--quiet", "--model", name], capture_output=True)
        assert done.stdout == (tmp_path / "m").read_bytes()
        with open(tmp_path / "out", "wb") as file:
            subprocess.run([POSTIL, "train", path, "--quiet", "--model", name], stdout=file, check=True)
        assert (tmp_path / "out").read_bytes() == (tmp_path / "m").read_bytes()


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_leaves_nothing_behind(stop, tmp_path):
    process = subprocess.Popen([POSTIL, "make", "dense", "--rows", "100000000", "-o", tmp_path / "x.csv"])
    time.sleep(0.3)
    process.send_signal(stop)
    process.wait()
    assert list(tmp_path.iterdir()) == []


def test_pipes_can_be_converted_and_learned_from(write, tmp_path):
    text = "a,c,y\n1,r,0\n2,g,1\n3,r,1\n"
    path = write("d.csv", text)
    assert run("convert", "-", "-", "--to", "libsvm", stdin=text).stdout == run("convert", path, "-", "--to", "libsvm").stdout
    for verb in (["convert", None, tmp_path / "out.svm"], ["train", None, "--no-shuffle"], ["train", None]):
        pipe = tmp_path / "pipe.csv"
        os.mkfifo(pipe)
        process = subprocess.Popen([POSTIL, *[pipe if part is None else part for part in verb]], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        pipe.write_text(text)
        assert process.wait(timeout=20) == 0, process.stderr.read()
        pipe.unlink()


def test_files_without_end_are_refused_at_once():
    done = subprocess.run([POSTIL, "explain", "/dev/zero"], capture_output=True, text=True, timeout=10)
    assert done.returncode == 1 and "not a Postil model" in done.stderr


def test_names_that_would_collide(write):
    done = run("train", write("c.csv", "c,c=r,y\nr,1,0\ng,2,1\n"))
    assert done.returncode == 1 and "two features would be called 'c=r'" in done.stderr


def test_a_loop_of_links_is_not_replaced(write, tmp_path):
    path = write("d.csv", "a,y\n0,0\n1,1\n")
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    done = run("train", path, "--model", tmp_path / "one")
    assert done.returncode == 1 and (tmp_path / "one").is_symlink()


def test_ragged_lines_are_told_alike_by_every_verb(write, tmp_path):
    good = "a,b,c,y\n1,red,2,0\n2,blue,3,1\n"
    run("train", write("good.csv", good), "--quiet", "--model", tmp_path / "m", check=True)
    bad = write("bad.csv", good + "1,2\n")
    messages = {run("train", bad).stderr, run("evaluate", tmp_path / "m", bad).stderr}
    assert len(messages) == 1 and "bad.csv:4:4: found 2 cells, expected 4" in messages.pop()


def test_promises_that_the_training_file_breaks_are_told(write):
    assert "column 'a': 2 values outside what was declared (binary, 0 to 1)" in run("train", write("d.csv", "a,y\n0.5,0\n2,1\n"), "--kind", "a=binary").stderr


def test_positive_is_for_two_classes(write):
    done = run("train", write("d.csv", "a,y\n0,0\n1,1\n2,2\n"), "--positive", "1")
    assert done.returncode == 2 and "--positive is for two classes" in done.stderr


def test_a_label_that_means_missing(write):
    assert run_json("train", write("d.csv", "a,y\n0,0\n1,1\n2,9\n"), "--na", "y=9", "--quiet")["classes"] == ["0", "1"]


def test_lines_that_end_with_carriage_returns_alone(write):
    done = run("train", write("d.csv", "a,y\r0,0\r1,1\r"))
    assert done.returncode == 1 and "found a line that ends with CR alone" in done.stderr


def test_lines_of_spaces_are_blank(write):
    assert run_json("train", write("d.csv", "a,y\n0,0\n   \n1,1\n"), "--quiet")["examples"] == 2


def test_make_and_convert_tell_what_they_did(tmp_path):
    made = json.loads(run("make", "dense", "--rows", 5, "--features", 3, "-o", tmp_path / "d.csv", "--json").stdout)
    assert made["rows"] == 5 and made["params"]["features"] == 3
    assert json.loads(run("convert", tmp_path / "d.csv", tmp_path / "d.svm", "--json").stdout)["features"] == 3
