"""postil.toml: options that a project keeps in a file."""

import os

import pytest
from conftest import run, run_json

TABLE = "outcome,glucose,bmi,id\n" + "".join(f"{'yes' if k % 3 == 0 else 'no'},{100 + 7 * (k % 11) + 30 * (k % 3 == 0)},{22 + k % 9},{k}\n" for k in range(60))
RULES = "risk: glucose >= 150 => yes\n"


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "patients.csv").write_text(TABLE)
    (tmp_path / "patients.rules").write_text(RULES)
    monkeypatch.chdir(tmp_path)

    def write(text, name="postil.toml"):
        (tmp_path / name).write_text(text)
        return tmp_path

    return write


BASIC = 'data = "patients.csv"\nrules = "patients.rules"\nlabel = "outcome"\nignore = ["id"]\nmodel = "m.postil"\n'


def test_commands_need_no_options(project):
    project(BASIC + "seed = 3\n\n[cv]\nfolds = 4\n")
    trained = run("train", check=True)
    assert "postil.toml gives data, ignore, label, model, rules, seed" in trained.stderr
    assert set(run_json("explain")["features"]) == {"glucose", "bmi"}
    assert run_json("evaluate")["examples"] == 60
    assert run("predict", check=True).stdout.count("\n") == 61
    assert run_json("cv")["folds"] == 4
    assert run_json("rules", "check")["rules"][0]["id"] == "risk"
    assert run_json("inspect")["label"]["name"] == "outcome"


def test_it_gives_what_the_options_give(project):
    typed = ["train", "patients.csv", "--label", "outcome", "--ignore", "id", "--model", "typed.postil", "--learner", "pa", "--no-shuffle", "--set", "C=0.25", "--set", "variant=pa2"]
    folder = project(BASIC.replace('rules = "patients.rules"\n', "") + 'learner = "pa"\nno_shuffle = true\n[set]\nC = 0.25\nvariant = "pa2"\n')
    run("train", check=True)
    run("--config=none", *typed, check=True)
    assert (folder / "m.postil").read_bytes() == (folder / "typed.postil").read_bytes()


def test_what_is_typed_comes_first(project):
    project('data = "patients.csv"\nlabel = "id"\nmodel = "m.postil"\nlearner = "pa"\n[set]\nC = 0.25\nvariant = "pa2"\n')
    report = run_json("train", "--label", "outcome", "--set", "C=2", "--ignore", "id")
    assert report["params"]["C"] == 2 and report["params"]["variant"] == "pa2" and report["learner"] == "pa"
    assert run_json("inspect", "patients.csv", "--label", "outcome")["label"]["name"] == "outcome"


def test_another_file(project, tmp_path):
    folder = project(BASIC, "other.toml")
    os.mkdir("below")
    os.chdir("below")
    run("--config", "../other.toml", "train", check=True)
    assert (folder / "m.postil").exists()  # files are named from the folder of the file that names them
    assert "nothere.toml: cannot be read" in run("--config", "nothere.toml", "train").stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('labl = "outcome"\n', "postil.toml:1: no command has an option 'labl'; did you mean 'label'?"),
        ('label = "outcome\n', "postil.toml:1: "),
        ("[train]\nfolds = 3\n", "postil.toml:2: train has no option 'folds'"),
        ('label = "a"\nlabel = "b"\n', "postil.toml:2: "),
        ('data = ["a.csv", "b.csv"]\n', "postil.toml:1: 'data' is one file"),
        ("no_shuffle = 3\n", "postil.toml:1: 'no_shuffle' is true or false"),
        ("label = 2024-01-01\n", "postil.toml:1: 'label' must be a text, a number, true, false, or a list of these"),
        ("set = [[1]]\n", "postil.toml:1: 'set' must be a text"),
        ("\0", "postil.toml:1: "),
        ('label = "outcome"\nseed = 1.5\n', "postil.toml:2: --seed: '1.5' is not a whole number"),
        ("passes = -1\n", "postil.toml:1: --passes: '-1' is not a whole number"),
        ("data = 3\n", "postil.toml:1: 'data' is the name of a file, in quotes; found 3"),
        ("label = true\n", "postil.toml:1: 'label' is a text or a number; found true"),
        ('pca = "x"\n', "postil.toml:1: --pca: "),
        ("[train]\n\nweight = false\n", "postil.toml:3: 'weight' is a text or a number; found false"),
    ],
)
def test_mistakes_are_answered_with_their_line(project, text, message):
    project(text)
    done = run("train", "patients.csv")
    assert done.returncode == 1 and message in done.stderr, done.stderr


def test_help_and_wrong_commands_do_not_read_it(project):
    project("this is no TOML")
    assert run("train", "--help").returncode == 0 and run("--version").returncode == 0
    assert "there is no command 'trian'" in run("trian").stderr


def test_the_values_of_other_commands(project):
    project(BASIC + 'folds = "x"\nholdout = "much"\n')
    run("train", "--model", "m.postil", check=True)  # has no folds
    done = run("cv")
    assert done.returncode == 1 and "postil.toml:6: --folds: 'x' is not a whole number" in done.stderr
    project(BASIC + 'holdout = "much"\n')
    assert "postil.toml:6: Could not convert: --holdout" in run("tune").stderr


def test_what_is_typed_is_not_said_to_come_from_the_file(project):
    folder = project(BASIC)
    (folder / "other.csv").write_text(TABLE)
    assert "postil.toml gives ignore, label, model, rules\n" in run("train", "other.csv", check=True).stderr
    assert "postil.toml gives data, ignore, label, rules\n" in run("train", "--model", "n.postil", check=True).stderr
    assert "postil.toml gives label\n" in run("evaluate", "m.postil", "other.csv", check=True).stderr


def test_a_folder_is_no_file(project):
    project(BASIC)
    done = run("--config", ".", "train", "patients.csv")
    assert done.returncode == 1 and done.stderr == "postil: .: cannot be read: it is a directory\n"
