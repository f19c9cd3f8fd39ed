"""postil shard, mix, finish and train --shards: the same bytes however the work is done."""

import gzip

import pytest
from conftest import run, run_json

RULES = "risk: bmi >= 30 and glucose >= 126 => diabetes\nlean: bmi <= 25 and glucose <= 100 => not diabetes\n"


@pytest.fixture
def patients(tmp_path):
    path = tmp_path / "patients.csv"
    run("make", "diabetes", "--rows", 4000, "--seed", 7, "-o", path, check=True)
    (tmp_path / "r.rules").write_text(RULES)
    return path


def by_commands(folder, data, shards, options, order):
    """All rounds, one command a step."""
    model = []
    said = ""
    while said != "done":
        states = []
        for k in order:
            state = folder / f"{k}.state"
            run("shard", data, "--shard", f"{k}/{shards}", *(model or options), "-o", state, check=True)
            states.append(state)
        run("mix", *states, "-o", folder / "all.state", check=True)
        said = run("finish", folder / "all.state", "--shards", shards, "-o", folder / "next", check=True).stdout.strip()
        assert said == "done" or said.startswith("next: round")
        model = ["--model", folder / "next"]
    return (folder / "next").read_bytes()


@pytest.mark.parametrize("options", [["--rounds", 2], ["--learner", "kbsvm"], ["--learner", "sgd", "--set", "l1=0.001", "--class-weight", "balanced"]], ids=lambda options: str(options[1]))
def test_commands_threads_and_orders_give_the_same_bytes(patients, tmp_path, options):
    advice = [] if "sgd" in options else ["--advice", tmp_path / "r.rules"]
    files = []
    for threads in (1, 2):
        run("train", patients, "--shards", 5, *advice, *options, "--threads", threads, "--quiet", "--model", tmp_path / f"{threads}.model", check=True)
        files.append((tmp_path / f"{threads}.model").read_bytes())
    files.append(by_commands(tmp_path, patients, 5, [*advice, *options], [0, 1, 2, 3, 4]))
    files.append(by_commands(tmp_path, patients, 5, [*advice, *options], [3, 4, 1, 0, 2]))
    assert all(file == files[0] for file in files)


def test_files_are_shards(patients, tmp_path):
    head, *lines = patients.read_text().splitlines()
    paths = []
    for k in range(3):
        path = tmp_path / f"part-{k}.csv.gz"
        path.write_bytes(gzip.compress("\n".join([head, *lines[k::3]]).encode()))
        paths.append(path)
    given = ["--advice", tmp_path / "r.rules", "--positive", "diabetes"]
    trained = run_json("train", *paths, "--shards", 1, *given, "--model", tmp_path / "m")
    cells = [line.split(",") for line in lines]
    assert trained["examples"] >= 4000 and trained["rules"][0]["fired"] == sum("" not in (row[2], row[4]) and float(row[4]) >= 30 and float(row[2]) >= 126 for row in cells)
    one = run_json("train", patients, *given, "--model", tmp_path / "one")
    assert abs(run_json("evaluate", tmp_path / "m", patients)["error"] - run_json("evaluate", tmp_path / "one", patients)["error"]) < 0.01
    assert one["classes"] == trained["classes"]
    for k, path in enumerate(paths):
        run("shard", path, "--shard", k, *given, "-o", tmp_path / f"{k}.state", check=True)
    assert run("mix", *(tmp_path / f"{k}.state" for k in range(3)), "-o", tmp_path / "all", check=True).returncode == 0
    assert run_json("finish", tmp_path / "all", "--shards", 3, "-o", tmp_path / "plan")["done"] is False


def test_what_is_refused(patients, tmp_path):
    state, other = tmp_path / "0.state", tmp_path / "2.state"
    for k, path in ((0, state), (2, other)):
        run("shard", patients, "--shard", f"{k}/4", "-o", path, check=True)
    packed = tmp_path / "p.csv.gz"
    packed.write_bytes(gzip.compress(patients.read_bytes()))
    cases = [
        (["mix", state, other, "-o", tmp_path / "x"], "these are shard 0 and shard 2, which do not make one branch"),
        (["finish", state, "--shards", 4, "-o", tmp_path / "x"], "it is of shard 0, expected shards 0 to 3"),
        (["finish", patients, "--shards", 4, "-o", tmp_path / "x"], "patients.csv: "),
        (["mix", tmp_path / "nothing", "-o", tmp_path / "x"], "nothing: cannot read"),
        (["shard", patients, "--shard", "4/4", "-o", tmp_path / "x"], "numbered from 0 to 3"),
        (["shard", patients, "--shard", "one", "-o", tmp_path / "x"], "--shard is 'one', expected K, or K/N"),
        (["shard", packed, "--shard", "0/2", "-o", tmp_path / "x"], "a compressed file cannot be divided into shards; give each shard a file of its own"),
        (["shard", patients, "--shard", "0/4", "--model", state, "-o", tmp_path / "x"], "0.state: the state of a shard, expected a plan or a model"),
        (["train", patients, "--shards", 2, "--learner", "svm"], "svm does not learn from shards; these do: perceptron, pa, sgd, arow, kbsvm, advised"),
        (["train", patients, "--shards", 2, "--set", "drift=auto"], "--set drift=none"),
        (["train", patients, "--shards", 2, "--passes", 3], "--rounds says how often"),
        (["train", patients, patients], "several files are learned from as shards: --shards 1"),
        (["train", patients, "--rounds", 2], "--rounds is about --shards"),
    ]
    for arguments, message in cases:
        done = run(*arguments)
        assert done.returncode in (1, 2) and message in done.stderr, (arguments, done.stderr)
        assert not (tmp_path / "x").exists()


def test_more_shards_than_rows(write, tmp_path):
    path = write("few.csv", "a,label\n1,x\n2,y\n3,x\n")
    run("train", path, "--shards", 50, "--quiet", "--model", tmp_path / "m", check=True)
    assert run("predict", tmp_path / "m", path, check=True).stdout.split()[0] == "label"
    done = run("train", write("none.csv", "a,label\n"), "--shards", 2, "--model", tmp_path / "n")
    assert done.returncode == 1 and "there are no rows" in done.stderr and not (tmp_path / "n").exists()
