"""Standard error that cannot be written changes nothing but that its lines are lost."""

import subprocess

import pytest

from conftest import POSTIL, run, run_json


@pytest.fixture
def points(tmp_path):
    run("make", "synthetic", "--rows", 300, "--seed", 3, "-o", tmp_path / "points.csv", check=True)
    return tmp_path / "points.csv"


def run_without_reader(arguments, errors, **options):
    """Runs the command with standard error on a full device, or on a pipe that nobody reads."""
    command = [str(word) for word in [POSTIL, *arguments]]
    if errors == "full":
        with open("/dev/full", "w") as full:
            return subprocess.run(command, stderr=full, text=True, timeout=60, **options)
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **{name: value for name, value in options.items() if name != "input"})
    process.stderr.close()
    process.stderr = None
    process.communicate(options.get("input"), timeout=60)
    return process


@pytest.mark.parametrize("errors", ["full", "closed"])
@pytest.mark.parametrize("verb", ["train", "stream"])
def test_lost_notes_do_not_lose_the_model(verb, errors, points, tmp_path):
    text = points.read_text()
    data = [points] if verb == "train" else []
    run(verb, *data, "--model", tmp_path / "usual", stdin=text, check=True)
    done = run_without_reader([verb, *data, "--model", tmp_path / "lost"], errors, stdout=subprocess.DEVNULL, input=text)
    assert done.returncode == 0
    assert (tmp_path / "lost").read_bytes() == (tmp_path / "usual").read_bytes()
    assert run_json("evaluate", tmp_path / "lost", points)["examples"] == 300


@pytest.mark.parametrize("errors", ["full", "closed"])
def test_lost_errors_keep_the_exit_code(errors, write, tmp_path):
    bad = write("bad.csv", "a,y\nx,1\n2,0\n")
    for arguments, code in ((["train", bad, "--model", tmp_path / "m"], 1), (["train", bad, "--learner", "nothing"], 2), (["train", bad, "--nothing"], 2), (["nothing"], 2)):
        assert run_without_reader(arguments, errors, stdout=subprocess.DEVNULL).returncode == code
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.csv"]


def test_a_bad_row_of_a_stream_that_cannot_be_reported(points, tmp_path):
    done = run_without_reader(["stream", "--model", tmp_path / "m"], "full", stdout=subprocess.PIPE, input=points.read_text() + "what,1,positive\n")
    assert done.returncode == 0 and done.stdout.count("\n") == 301


def test_nobody_reads_anything(points, tmp_path):
    """As `2>&1 | head -0`: the report is lost, the model is not."""
    process = subprocess.Popen([POSTIL, "train", points, "--model", tmp_path / "m"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    process.stdout.close()
    assert process.wait(60) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m", "points.csv"]
    assert run_json("evaluate", tmp_path / "m", points)["examples"] == 300


def test_the_reader_had_enough(points, tmp_path):
    """As `| head`: that is no reason to complain."""
    process = subprocess.Popen([POSTIL, "make", "dense", "--rows", "100000", "-o", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.read(100)
    process.stdout.close()
    assert process.stderr.read() == b"" and process.wait(60) == 1
