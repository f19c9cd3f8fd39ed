"""Every kind of bad input: one clear message, the documented exit code, no output file left behind."""

import gzip
import os
import pathlib
import shutil
import stat
import subprocess
import tempfile

import pytest

from conftest import POSTIL, run

GOOD = "a,b,label\n1,2,x\n3,4,y\n5,1,x\n"

BAD_DATA = {
    "empty": (b"", "the file is empty"),
    "blank": (b"\n\n\n", "no rows"),
    "header only": (b"a,b,label\n", "there are no rows"),
    "one class": (b"a,label\n1,x\n2,x\n", "only one class, 'x'"),
    "ragged": (b"a,b,label\n1,2,x\n3,y\n", "bad.csv:3:4: found 2 cells, expected 3"),
    "ragged, too many": (b"a,b,label\n1,2,x\n3,4,y,5\n", "bad.csv:3:6: found 4 cells, expected 3"),
    "a line of 10 MB": (b"a,b,label\n" + b"1" * 10_000_000 + b"\n", "found 1 cells, expected 3"),
    "10 MB of letters": (b"x" * 10_000_000, "no column besides the label"),
    "NUL": (b"a,b,label\n1,\0,x\n", "bad.csv:2:3: found a NUL byte"),
    "names not UTF-8": (b"a,\xff\xfe,label\n1,2,x\n", "bad.csv:1:3: the column name '\\xff\\xfe' is not valid UTF-8"),
    "1e999": (b"a,label\n1,x\n1e999,y\n", "bad.csv:3:1: column 'a': found '1e999', expected a finite number"),
    "0x10": (b"a,label\n1,x\n0x10,y\n", "bad.csv:3:1: column 'a': found '0x10', expected a number"),
    "decimal comma": (b"a;b;label\n1;1.5;x\n1,5;2;y\n", "bad.csv:3:1: column 'a': found '1,5', expected a number with a decimal point; --decimal comma reads the file with decimal commas"),
    "--": (b"a,label\n1,x\n--,y\n", "bad.csv:3:1: column 'a': found '--', expected a number"),
    "infinity": (b"a,label\n1,x\n-inf,y\n", "bad.csv:3:1: column 'a': found '-inf', expected a finite number"),
    "inf in a text column": (b"a,label\nred,x\n-INF,y\n", "bad.csv:3:1: column 'a': found '-INF', expected a finite value"),
    "unclosed quote": (b'a,label\n1,x\n"2,y\n', "bad.csv:3:1: a quoted cell begins here and is never closed"),
    "names twice": (b"a,a,label\n1,2,x\n", "bad.csv:1:3: the column name 'a' appears twice"),
    "truncated gzip": (gzip.compress(GOOD.encode() * 1000)[:60], "the gzip data end too early"),
    "damaged gzip": (gzip.compress(GOOD.encode())[:-8] + b"12345678", "damaged gzip data"),
}


def check(done, folder, code, message, known=()):
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("postil: ") and len(lines[0]) < 300
    assert done.stdout == ""
    assert sorted(p.name for p in folder.iterdir()) == sorted(known)


@pytest.mark.parametrize("name", BAD_DATA)
@pytest.mark.parametrize("order", ["shuffle", "file"])
def test_bad_data(name, order, write, tmp_path):
    content, message = BAD_DATA[name]
    path = write("bad.csv", content)
    check(run("train", path, "--order", order, "--model", tmp_path / "m"), tmp_path, 1, message, ["bad.csv"])
    check(run("convert", path, tmp_path / "out.svm"), tmp_path, 1, message, ["bad.csv"]) if name not in ("header only", "one class", "blank") else None


def test_bad_libsvm(write, tmp_path):
    path = write("bad.svm", "1 1:1\n-1 3:1 2:1\n")
    check(run("train", path, "--model", tmp_path / "m"), tmp_path, 1, "bad.svm:2:8: found index 2 after 3, expected increasing indices", ["bad.svm"])


def test_files_that_cannot_be_read(write, tmp_path):
    check(run("train", tmp_path / "none.csv"), tmp_path, 1, "none.csv: cannot read: No such file or directory")
    check(run("train", tmp_path), tmp_path, 1, "cannot read: it is a directory")
    check(run("predict", tmp_path / "none.postil", tmp_path / "none.csv"), tmp_path, 1, "none.postil: cannot read: No such file or directory")


def test_a_file_one_may_not_read(tmp_path):
    """Root may read everything, so root tries it as nobody."""
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        folder.chmod(0o755)
        program = shutil.copy(POSTIL, folder / "postil")
        secret = folder / "secret.csv"
        secret.write_text(GOOD)
        secret.chmod(0)
        user = {"user": "nobody"} if os.getuid() == 0 else {}
        done = subprocess.run([program, "train", secret], capture_output=True, text=True, **user)
        assert done.returncode == 1 and "secret.csv: cannot read: Permission denied" in done.stderr
    finally:
        shutil.rmtree(folder)


def test_full_disk(write, tmp_path):
    path = write("good.csv", GOOD)
    run("train", path, "--quiet", "--model", tmp_path / "m", check=True)
    for arguments in (["train", path, "--quiet", "--model", "/dev/full"], ["predict", tmp_path / "m", path, "-o", "/dev/full"], ["make", "dense", "-o", "/dev/full"], ["convert", path, "/dev/full", "--to", "csv"]):
        check(run(*arguments), tmp_path, 1, "/dev/full: cannot write: No space left on device", ["good.csv", "m"])
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def test_options_about_columns_and_classes(write, tmp_path):
    path = write("good.csv", GOOD)
    for arguments, message in (
        (["--label", "lable"], "--label: there is no column 'lable'; did you mean 'label'?"),
        (["--label", "b", "--ignore", "b"], "column 'b' is named by --label and by --ignore"),
        (["--kind", "label=number"], "--kind: column 'label' is the label"),
        (["--ignore", "aa"], "--ignore: there is no column 'aa'; did you mean 'a'?"),
        (["--kind", "q=binary"], "--kind: there is no column 'q'"),
        (["--na", "c=0"], "--na: there is no column 'c'"),
        (["--positive", "z"], "--positive: there is no class 'z'"),
        (["--classes", "x,z"], "found class 'y', but --classes names only: x, z"),
    ):
        check(run("train", path, *arguments, "--model", tmp_path / "m"), tmp_path, 1, message, ["good.csv"])


def test_bad_usage(write, tmp_path):
    path = write("good.csv", GOOD)
    for arguments, message in (
        (["trian", path], "there is no command 'trian'; did you mean 'train'?"),
        (["train", path, "--lable", "x"], "train has no option --lable; did you mean --label?"),
        (["train"], "DATA is required"),
        (["train", path, "--learner", "perceptrn"], "there is no learner 'perceptrn'; did you mean 'perceptron'?"),
        (["train", path, "--learner", "arow", "--set", "bias=-1"], "arow: bias is '-1', expected a number in (0, inf) or none"),
        (["train", path, "--set", "bais=1"], "advised has no parameter 'bais'; did you mean 'bias'?"),
        (["train", path, "--set", "bias"], "expected key=value"),
        (["train", path, "--scale", "big"], "'big' is no scaling; known: none, standard, minmax, maxabs"),
        (["train", path, "--passes", "0"], "--passes"),
        (["train", path, "--no-shuffle", "--order", "sample"], "--no-shuffle and --order sample contradict each other"),
        (["train", path, "--classes", "x,,y"], "--classes: a class without a name"),
        (["train", path, "--classes", "x,y,x"], "--classes names 'x' twice"),
        (["make", "synthetic", "--rows", "-5", "-o", tmp_path / "x"], "'-5' is not a whole number"),
        (["make", "synthetic", "--rows", "99999999999999999999", "-o", tmp_path / "x"], "is not a whole number"),
        (["train", path, "--seed", "-1"], "'-1' is not a whole number"),
        (["make", "dense", "--json", "-o", "-"], "--json and the data both want standard output"),
        (["train", path, "--memory", "lots"], "'lots' is no size"),
        (["train", path, "--format", "xml"], "there is no format 'xml'"),
        (["make", "dens", "-o", tmp_path / "x"], "there is no generator 'dens'; did you mean 'dense'?"),
        (["make", "dense", "--noise", "2", "-o", tmp_path / "x"], "dense: noise is '2', expected a number in [0, 0.5]"),
        (["make", "synthetic", "--features", "3", "-o", tmp_path / "x"], "synthetic has no parameter 'features'"),
    ):
        check(run(*arguments), tmp_path, 2, message, ["good.csv"])
    assert run().returncode == 2


def test_models_that_do_not_fit(write, tmp_path):
    path = write("good.csv", GOOD)
    model = tmp_path / "m"
    run("train", path, "--quiet", "--model", model, check=True)
    known = ["good.csv", "m", "other"]
    for content, message in (
        ("a,label\n1,x\n", "other:1: the model needs column 'b', which the file does not have"),
        ("a,b,label\n1,2,z\n", "other:2: found class 'z', expected one of: x, y"),
        ("a,b\n1,2\n", "other:1: there is no label column 'label'"),
        ("a,b,label\n1,w,x\n", "other:2:3: column 'b': found 'w', expected a number"),
        ("1 1:1\n", "LIBSVM data have no column names"),
    ):
        check(run("evaluate", model, write("other", content)), tmp_path, 1, message, known)
    check(run("explain", write("other", b"not a model at all")), tmp_path, 1, "other: not a Postil model", known)
    whole = model.read_bytes()
    for length in range(0, len(whole), 37):
        check(run("explain", write("other", whole[:length])), tmp_path, 1, "other: ", known)
    for option in (["--learner", "perceptron"], ["--ignore", "a"], ["--na", "0"], ["--missing", "zero"], ["--kind", "a=binary"]):
        check(run("train", path, "--init", model, *option), tmp_path, 2, "--init goes on with the model's own learner", known)
