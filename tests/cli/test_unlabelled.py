"""Rows without a label tell what rows look like, and what the rules say of them."""

import gzip

import numpy
import pytest

from conftest import run, run_json


@pytest.fixture
def two_clouds(write):
    """Rules about two of twenty columns; the others follow the same class, so that rows without labels can teach them."""
    random = numpy.random.default_rng(4)
    y = random.random(3000) < 0.4
    x = random.normal(size=(3000, 20)) + numpy.outer(numpy.where(y, 0.7, -0.7), numpy.linspace(1, 0.3, 20))
    header = ",".join(f"c{k}" for k in range(20)) + ",label\n"
    rows = [",".join(f"{value:.3f}" for value in row) + f",{'yes' if label else 'no'}\n" for row, label in zip(x, y)]
    rules = write("r.rules", "c0 >= 1.2 => yes\nc1 <= -1.2 => no\n")
    return header, rows, rules


def without_label(rows):
    return [row.rsplit(",", 1)[0] + ",\n" for row in rows]


def test_a_stream_learns_from_rows_it_only_predicts(two_clouds, write, tmp_path):
    header, rows, rules = two_clouds
    test = write("test.csv", header + "".join(rows[1000:]))
    run("train", "--advice", rules, "--columns", ",".join(f"c{k}" for k in range(20)), "--model", tmp_path / "none", "--quiet", check=True)
    run("stream", "--model", tmp_path / "m", "--advice", rules, "--classes", "no,yes", "--label", "label", "--quiet", stdin=header + "".join(without_label(rows[:300])), check=True)
    before, after = (run_json("evaluate", tmp_path / name, test)["balanced_error"] for name in ("none", "m"))
    assert after < before - 0.05 and after < 0.15


def test_stopped_and_resumed_it_is_the_same(two_clouds, tmp_path):
    """The sample of unlabelled rows travels in the model file; more of them than are kept, before labels and between them."""
    header, rows, rules = two_clouds
    mixed = without_label(rows[:30]) + [without_label([row])[0] if i % 3 else row for i, row in enumerate(rows[30:900])]
    given = ["--advice", rules, "--classes", "no,yes", "--label", "label", "--quiet"]
    run("stream", "--model", tmp_path / "whole", *given, stdin=header + "".join(mixed), check=True)
    for first, last in ((0, 20), (20, 31), (31, 500), (500, 870), (870, 900)):
        run("stream", "--model", tmp_path / "parts", *(given if first == 0 else ["--quiet"]), stdin=header + "".join(mixed[first:last]), check=True)
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "parts").read_bytes()


def test_a_file_of_unlabelled_rows(two_clouds, write, tmp_path):
    header, rows, rules = two_clouds
    train, more, test = (write(name, header + "".join(part)) for name, part in (("train.csv", rows[:6]), ("more.csv", rows[6:1000]), ("test.csv", rows[1000:])))
    bare = write("bare.csv", header.replace(",label", "") + "".join(row.rsplit(",", 1)[0] + "\n" for row in rows[6:1000]))
    errors = []
    for name, extra in (("without", []), ("with", ["--unlabelled", more]), ("bare", ["--unlabelled", bare])):
        run("train", train, "--advice", rules, *extra, "--quiet", "--model", tmp_path / name, check=True)
        errors.append(run_json("evaluate", tmp_path / name, test)["balanced_error"])
    assert errors[1] < errors[0] - 0.03
    assert (tmp_path / "with").read_bytes() == (tmp_path / "bare").read_bytes()  # labels there are not looked at
    run("train", "--unlabelled", bare, "--advice", rules, "--classes", "no,yes", "--quiet", "--model", tmp_path / "alone", check=True)
    assert run_json("evaluate", tmp_path / "alone", test)["balanced_error"] < 0.15
    assert "teach nothing without rules" in run("train", "--unlabelled", bare).stderr
    assert "u.csv" in run("train", train, "--unlabelled", tmp_path / "u.csv").stderr


def test_rules_and_no_label_are_as_good_as_the_rules_as_written(data, tmp_path):
    source, rules = data / "mushroom" / "mushroom.csv.gz", data.parent / "rules" / "mushroom.rules"
    if not rules.exists():
        pytest.skip("rules from elsewhere are not beside the data")
    path = tmp_path / "m.csv"
    path.write_bytes(gzip.decompress(source.read_bytes()))
    run("train", "--unlabelled", path, "--ignore", "class", "--advice", rules, "--quiet", "--model", tmp_path / "m", check=True)
    assert run_json("evaluate", tmp_path / "m", path, "--label", "class")["error"] < 0.01
