"""What an attack found: closed descriptors, full devices, hostile rules, huge numbers, two streams on one file."""

import gzip
import os
import resource
import subprocess

import pytest

from conftest import POSTIL, run, run_json


@pytest.fixture
def points(tmp_path):
    path = tmp_path / "points.csv"
    run("make", "synthetic", "--rows", 500, "--seed", 5, "-o", path, check=True)
    return path


def shell(command, cwd, timeout=60):
    return subprocess.run(["bash", "-c", command.replace("postil", str(POSTIL))], cwd=cwd, capture_output=True, text=True, timeout=timeout)


def limited(arguments, memory=4 << 30, timeout=20, cwd=None):
    """Runs the command with little memory and time."""
    return subprocess.run(
        [str(word) for word in [POSTIL, *arguments]], capture_output=True, text=True, timeout=timeout, cwd=cwd,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)),
    )  # fmt: skip


# ---- descriptors ----


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_closed_descriptors(closed, points, tmp_path):
    assert shell(f"postil train points.csv --model m {closed}", tmp_path).returncode == 0
    assert run_json("evaluate", tmp_path / "m", points)["examples"] == 500
    assert shell(f"postil stream points.csv --model s {closed}", tmp_path).returncode == 0
    assert run_json("evaluate", tmp_path / "s", points)["examples"] == 500


def test_a_stream_without_standard_input_ends(tmp_path):
    assert shell("postil stream --model s <&-", tmp_path, timeout=20).returncode == 1


@pytest.mark.parametrize("what", ["--help", "--version", "train --help", "learners"])
def test_full_devices_are_told(what, tmp_path):
    assert shell(f"postil {what} > /dev/full", tmp_path).returncode == 1


def test_a_report_that_cannot_be_written_does_not_cost_the_model(points, tmp_path):
    done = shell("postil train points.csv --model m > /dev/full", tmp_path)
    assert done.returncode == 1 and "standard output: cannot write" in done.stderr
    assert run_json("evaluate", tmp_path / "m", points)["examples"] == 500


def test_files_that_may_not_grow(points, tmp_path):
    run("make", "text", "--rows", 200, "-o", tmp_path / "text.svm", check=True)
    done = shell("ulimit -f 1; postil train text.svm --model m --quiet", tmp_path)
    assert done.returncode == 1 and "cannot write" in done.stderr
    assert not (tmp_path / "m").exists()


# ---- streams ----


def test_a_first_row_that_cannot_be_used_spoils_nothing(write):
    rows = "".join(f"{i},{i % 7},{'xy'[i % 2]}\n" for i in range(800))
    data = write("d.csv", "a,b,label\n,1,x\n" + rows)
    done = run("stream", data, "--model", data.parent / "m", "--missing", "refuse")
    assert done.returncode == 0 and "d.csv:2: column 'a': a missing value" in done.stderr
    answers = done.stdout.splitlines()
    assert len(answers) == 801 and answers.count("") == 2  # the bad row, and the first good one
    assert run_json("explain", data.parent / "m")["learner"]


@pytest.mark.parametrize("packing", ["gz", "zst"])
@pytest.mark.parametrize("by", ["name", "pipe"])
def test_packed_streams(packing, by, points, tmp_path):
    packed = tmp_path / f"points.csv.{packing}"
    run("make", "synthetic", "--rows", 500, "--seed", 5, "-o", packed, check=True)
    if by == "name":
        got = run("stream", packed, "--model", tmp_path / "p", "--quiet", check=True).stdout
    else:
        got = shell(f"cat {packed} | postil stream --model p --quiet", tmp_path).stdout
    plain = run("stream", points, "--model", tmp_path / "m", "--quiet", check=True).stdout
    assert got == plain and len(got.splitlines()) == 500
    assert (tmp_path / "p").read_bytes() == (tmp_path / "m").read_bytes()


def test_a_packed_stream_answers_as_rows_come(tmp_path):
    process = subprocess.Popen([POSTIL, "stream", "--model", tmp_path / "m", "--quiet"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for text, expected in [("a,label\n1,x\n", b"\n"), ("2,y\n", b"x\n")]:
        process.stdin.write(gzip.compress(text.encode()))  # members of one file
        process.stdin.flush()
        assert process.stdout.readline() == expected
    process.stdin.close()
    assert process.wait(30) == 0


def test_a_packed_stream_that_was_cut(points, tmp_path):
    packed = gzip.compress(points.read_bytes())
    (tmp_path / "cut.csv.gz").write_bytes(packed[: len(packed) // 2])
    done = run("stream", tmp_path / "cut.csv.gz", "--model", tmp_path / "m")
    assert done.returncode == 1 and "end too early" in done.stderr
    assert 0 < len(done.stdout.splitlines()) < 500 and (tmp_path / "m").exists()  # what came was learned


def test_rows_too_large_are_refused_with_their_line(write):
    rows = [f"{i % 9},{i % 5},{'xy'[i % 2]}" for i in range(600)]
    rows[400] = "1e155,1,x"
    rows[3] = "-1e200,1,y"
    data = write("d.csv", "a,b,label\n" + "\n".join(rows) + "\n")
    for scale in ["none", "standard"]:
        model = data.parent / f"m-{scale}"
        done = run("stream", data, "--model", model, "--scale", scale, "--learner", "arow")
        assert done.returncode == 0, done.stderr
        assert "d.csv:402: the row has numbers above 1e50" in done.stderr and "d.csv:5: the row" in done.stderr
        assert len(done.stdout.splitlines()) == 600
        assert run_json("evaluate", model, data)["examples"] == 600


def test_a_learner_that_runs_away_stays_finite(write):
    data = write("d.csv", "a,label\n" + "".join(f"{1000 + i},{i}\n" for i in range(500)))
    model = data.parent / "m"
    done = run("stream", data, "--model", model, "--learner", "sgd", "--task", "regression", "--scale", "none", "--set", "loss=squared", "--set", "eta0=1", "--set", "schedule=constant")
    assert done.returncode == 0, done.stderr
    assert "diverging" in done.stderr
    assert model.exists()


def test_two_streams_on_one_file(points, tmp_path):
    first = subprocess.Popen([POSTIL, "stream", "--model", tmp_path / "m"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1)
    first.stdin.write("a,label\n1,x\n")
    first.stdin.flush()
    first.stdout.readline()
    for arguments in [("stream", points), ("train", points)]:
        second = run(*arguments, "--model", tmp_path / "m")
        assert second.returncode == 1 and "another process is using this model file" in second.stderr
    first.stdin.close()
    assert first.wait(30) == 0
    assert run("train", points, "--model", tmp_path / "m").returncode == 0
    assert sorted(os.listdir(tmp_path)) == ["m", "points.csv"]  # no lock remains


def test_a_killed_stream_leaves_no_lock_in_force(points, tmp_path):
    first = subprocess.Popen([POSTIL, "stream", "--model", tmp_path / "m"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    first.stdin.write("a,label\n1,x\n")
    first.stdin.flush()
    first.stdout.readline()
    first.kill()
    first.wait(30)
    run("train", points, "--model", tmp_path / "m", check=True)


def test_a_checkpoint_that_fails_once_does_not_end_the_stream(tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    process = subprocess.Popen([POSTIL, "stream", "--model", folder / "m", "--every", "2"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1)

    def give(*rows):
        for row in rows:
            process.stdin.write(row + "\n")
            process.stdin.flush()
            process.stdout.readline()

    give("a,label\n1,x", "2,y")
    folder.rename(tmp_path / "away")  # whatever is written now has no place
    give("1,x", "2,y", "1,x")
    (tmp_path / "away").rename(folder)
    give("2,y", "3,y", "1,x")
    process.stdin.close()
    errors = process.stderr.read()
    assert process.wait(30) == 0
    assert errors.count("will try again") == 1 and "is saved again" in errors
    assert b'"rows":8,' in (folder / "m").read_bytes().replace(b"\\", b"")


def test_a_sparse_stream_of_one_class_can_be_resumed(write):
    first, second = write("a.svm", "1 1:2 5:1\n1 2:3\n"), write("b.svm", "-1 1:2 5:1\n1 7:3\n")
    model = first.parent / "m"
    run("stream", first, "--model", model, check=True)
    run("stream", second, "--model", model, check=True)
    assert run_json("explain", model)["classes"] == ["-1", "1"]


def test_a_nul_byte_costs_its_row_only(write):
    rows = [f"{i},{'pq'[i % 2]}".encode() for i in range(500)]
    rows[40] = b"1\0,p"
    data = write("d.csv", b"a,label\n" + b"\n".join(rows) + b"\n")
    done = run("stream", data, "--model", data.parent / "m", "--quiet")
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 500, done.stderr
    assert "d.csv:42" in done.stderr and done.stderr.count("\n") == 1


def test_one_label_too_many_is_refused_and_no_other_row(write):
    rows = [f"{i},k{i}" for i in range(1000)] + ["5,new", "7,k7", "8,", "9,k9"]
    data = write("d.csv", "a,label\n" + "\n".join(rows) + "\n")
    done = run("stream", data, "--model", data.parent / "m", "--quiet", "--learner", "perceptron")
    assert done.returncode == 0 and done.stderr.count("more than 1000 different labels") == 1
    assert len(done.stdout.splitlines()) == 1004


def test_a_record_that_is_too_long_ends_the_stream_in_words(write):
    data = write("d.csv", "a,label\n1,p\n2,q\n" + "x" * (65 << 20) + ",p\n3,q\n")
    done = run("stream", data, "--model", data.parent / "m")
    assert done.returncode == 1 and "a record of more than 64 MB" in done.stderr
    assert (data.parent / "m").exists()


@pytest.mark.parametrize("model", ["", "-", "/dev/stdout", "/dev/null"])
def test_a_stream_keeps_its_model_in_a_file(model, points):
    done = run("stream", points, "--model", model)
    assert done.returncode == 2 and "--model" in done.stderr and done.stdout == ""


def test_links_in_a_circle_and_folders_that_are_not_there(points, tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    for verb in ["stream", "train"]:
        for model in ["a", "none/m"]:
            done = run(verb, points, "--model", tmp_path / model)
            assert done.returncode == 1 and "internal" not in done.stderr, done.stderr


def test_labels_of_a_regression_may_be_anything(write):
    data = write("d.csv", "a,label\n1,1e308\n2,-1e308\n3,5\n4,1e308\n")
    done = run("train", data, "--task", "regression", "--model", data.parent / "m")
    assert done.returncode == 1 or run("predict", data.parent / "m", data).returncode == 0


def test_replay_of_a_shorter_input_says_so(points, tmp_path):
    run("stream", points, "--model", tmp_path / "m", check=True)
    short = tmp_path / "short.csv"
    short.write_text("".join(points.read_text().splitlines(keepends=True)[:101]))
    done = run("stream", short, "--model", tmp_path / "m", "--replay")
    assert done.returncode == 0 and "the input has 400 rows fewer" in done.stderr


@pytest.mark.parametrize("seconds", ["nan", "-1", "inf", "x"])
def test_seconds_are_a_number(seconds, points, tmp_path):
    done = run("stream", points, "--model", tmp_path / "m", f"--seconds={seconds}")
    assert done.returncode == 2 and "is not a number of 0 or more" in done.stderr


def test_leftover_names_do_not_block_saving(points, tmp_path):
    done = shell("for i in $(seq 0 300); do touch .m.$$-$i; done; exec postil train points.csv --model m", tmp_path)
    assert done.returncode == 0, done.stderr


# ---- rules ----

CHAIN = "define d0 = x >= 1\n" + "".join(f"define d{i} = d{i - 1} and x >= {i}\n" for i in range(1, 10_000)) + "d9999 => +1\n"
HOSTILE = {
    "chain": (CHAIN, "nested more than 100 levels deep"),
    "doubling and": ("define d0 = x >= 1\n" + "".join(f"define d{i} = d{i - 1} and d{i - 1}\n" for i in range(1, 24)) + "d23 => +1\n", None),
    "doubling or": ("define d0 = x >= 1\n" + "".join(f"define d{i} = d{i - 1} or d{i - 1}\n" for i in range(1, 24)) + "d23 => +1\n", None),
    "doubling both": ("define d0 = x >= 1\n" + "".join(f"define d{i} = (d{i - 1} or y >= {i}) and (d{i - 1} or z >= {i})\n" for i in range(1, 30)) + "d29 => +1\n", None),
    "circle": ("define a = b\ndefine b = a\na => +1\n", "needs itself"),
    "long line": (" and ".join(f"x{i} >= {i}" for i in range(10_000)) + " => +1\n", None),
    "long line with a mistake": ("x >= 1 and " * 20_000 + "@ => +1\n", "found '@'"),
    "absent of 100,000": ("absent(s_1..s_100000) => +1\n", None),
    "100,000 rules": ("".join(f"r{i}: x >= {i} => +1\n" for i in range(100_000)), None),
    "20,000 categories": ("c in {" + ", ".join(f"w{i}" for i in range(20_000)) + "} => +1\n", None),
    "9,000 regions": ("".join(f"define e{i} = x{i} >= 1\n" for i in range(20_000)) + " or ".join(f"e{i}" for i in range(9000)) + " => +1\n", None),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_rules_take_linear_time(name, write):
    text, problem = HOSTILE[name]
    rules = write("r.rules", text)
    done = limited(["train", "--advice", rules, "--model", rules.parent / "m", "--quiet"])
    assert done.returncode == (0 if problem is None else done.returncode), done.stderr[:500]
    if problem is not None:
        assert done.returncode in (1, 2) and problem in done.stderr
        assert len(done.stderr) < 10_000


def test_an_excerpt_of_a_long_line_is_short(write):
    rules = write("r.rules", "é >= 1 and " * 2000 + "x >> 2 => +1\n")
    done = run("rules", "check", rules)
    lines = done.stderr.splitlines()
    assert done.returncode == 1 and max(map(len, lines)) < 200
    assert lines[1].startswith("  ...") and lines[2].index("^") == lines[1].index(">> 2") + 1


# ---- memory and numbers ----


def test_a_huge_feature_number_is_refused_with_its_line(write):
    data = write("d.svm", "1 1:1 2:1\n-1 1:2\n1 100000000:1\n")
    done = limited(["train", data, "--model", data.parent / "m"])
    assert done.returncode == 1 and "d.svm:3: feature number 100000000 is too large" in done.stderr and "--memory 7GB" in done.stderr
    done = limited(["stream", data, "--model", data.parent / "s"])
    assert done.returncode == 0 and "d.svm:3: feature number" in done.stderr
    assert run_json("explain", data.parent / "s")["features"] == ["f1", "f2"]


def test_features_times_classes_are_budgeted(write):
    data = write("d.svm", "".join(f"{c} 1:{c} 20000000:1\n" for c in range(200)))
    done = limited(["train", data, "--model", data.parent / "m", "--learner", "pa"])
    assert done.returncode == 1 and "for each of 200 classes need about 256GB" in done.stderr


def test_a_late_class_beyond_the_budget_costs_its_rows_only(write):
    rows = ["1 1:1 11000000:1"] + [f"{1 + i % 2} 1:{i % 2} 2:1" for i in range(299)] + ["3 1:1", "1 1:1"]
    data = write("d.svm", "\n".join(rows) + "\n")
    done = limited(["stream", data, "--model", data.parent / "m", "--learner", "perceptron", "--quiet"], timeout=100)
    assert done.returncode == 0 and done.stderr.count("for each of 3 classes") == 1
    assert len(done.stdout.splitlines()) == 302 and done.stdout.splitlines()[301] in ("1", "2")


def test_rules_cannot_ask_for_more_memory_either(write):
    rules = write("r.rules", "f999999999 >= 1 => +1\n")
    data = write("d.svm", "1 1:1\n-1 1:2\n")
    done = limited(["stream", data, "--advice", rules, "--model", data.parent / "m"])
    assert done.returncode == 1 and "unknown column 'f999999999'" in done.stderr


@pytest.mark.parametrize("scale", ["1e-30", "1e-200", "1e30", "1e-300"])
def test_certificates_of_odd_units(scale, write):
    rows = "".join(f"{(i % 9 - 4)}e{scale[2:]},{i % 5},{'np'[i % 9 > 4]}\n" for i in range(300))
    data = write("d.csv", "a,b,label\n" + rows)
    rules = write("r.rules", f"a >= {scale} and b >= 2 => p\na <= -{scale} => n\n")
    run("train", data, "--advice", rules, "--model", data.parent / "m", check=True)
    done = run("explain", data.parent / "m", "--certify", rules)
    assert done.returncode == 0, done.stderr


def test_tolerances_that_cannot_be_met(points, tmp_path):
    done = run("train", points, "--learner", "bayes-point", "--set", "tol=1e-300")
    assert done.returncode == 2 and "tol is 1e-300, expected 0.0001 or more" in done.stderr


@pytest.mark.parametrize(
    "altered, problem",
    [(("nr_class 2", "nr_class 1000000000"), "nr_class is '1000000000'"), (("total_sv 1", "total_sv 1000000000"), "ends after 1 of"), (("1 1:1", "1 100000000:1"), "found index 100000000")],
)
def test_foreign_models_that_promise_too_much(altered, problem, write):
    text = "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\nlabel 1 -1\nnr_sv 1 0\nSV\n1 1:1\n"
    model = write("m.model", text.replace(*altered))
    done = limited(["convert", model, model.parent / "out", "--to", "postil"])
    assert done.returncode == 1 and problem in done.stderr


def test_csv_has_no_column_for_each_of_a_hundred_million(write):
    data = write("d.svm", "1 1:1 100000000:1\n-1 1:2\n")
    done = limited(["convert", data, data.parent / "out.csv"])
    assert done.returncode == 1 and "CSV would need 100000000 columns" in done.stderr


@pytest.mark.parametrize(
    "rule, problem",
    [
        ("r [trust = 1e308]: x1 >= 1 => positive", "at most 10"),
        ("r [margin = 1e300]: x1 >= 1 => positive", "from 0 to 1000000000"),
        ("absent(s_1..s_2000000000) => positive", "above 999999999"),
        ("x1 >= \x1b[31m => positive", "found '"),
    ],
)
def test_rules_that_go_too_far(rule, problem, write):
    done = run("rules", "check", write("r.rules", rule + "\n"))
    assert done.returncode == 1 and problem in done.stderr
    assert "\x1b" not in done.stderr  # nothing that a terminal would obey


def test_one_category_too_many_is_refused_and_no_other_row(write):
    rows = [f"c{i},{'pq'[i % 2]}" for i in range(10_000)] + ["new,p", "c7,q", "c9,"]
    data = write("d.csv", "c,label\n" + "\n".join(rows) + "\n")
    done = run("stream", data, "--model", data.parent / "m", "--quiet", "--learner", "perceptron")
    assert done.returncode == 0 and done.stderr.count("more than 10000 different texts") == 1
    assert len(done.stdout.splitlines()) == 10_003 and done.stdout.splitlines()[-1] in ("p", "q")
