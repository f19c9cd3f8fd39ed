"""The completion scripts, in the shells they are for; those that are not installed are skipped."""

import shutil
import subprocess

import pytest
from conftest import POSTIL, run


def completed(words, tmp_path):
    """What bash offers for the last of the words."""
    script = tmp_path / "postil.bash"
    script.write_text(run("completion", "bash", check=True).stdout)
    quoted = " ".join(f"'{word}'" for word in words)
    ask = f"source {script}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _postil; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "--norc", "-c", ask], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["postil", "tr"], ["train"]),
        (["postil", "rules", "c"], ["check", "convert"]),
        (["postil", "train", "d.csv", "--adv"], ["--advice"]),
        (["postil", "rules", "check", "--str"], ["--strict"]),
        (["postil", "train", "--learner", "adv"], ["adviceptron", "advice-only", "advised"]),
        (["postil", "predict", "m", "d.csv", "--decide", "l"], ["likely"]),
        (["postil", "train", ""], []),  # files, by the shell itself
        (["postil", "explain", "--inner"], []),
    ],
)
def test_bash(words, offered, tmp_path):
    assert sorted(completed(words, tmp_path)) == sorted(offered)


def test_every_option_is_offered(tmp_path):
    import re

    for verb in ("train", "stream", "curve", "evaluate"):
        named = set(re.findall(r"^ +(?:-\w,)?(--[\w-]+)", run(verb, "--help").stdout, re.MULTILINE))
        assert set(completed(["postil", verb, "--"], tmp_path)) == named


@pytest.mark.parametrize(("shell", "check"), [("zsh", ["-n"]), ("fish", ["--no-execute"])])
def test_other_shells_take_their_scripts(shell, check, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "script"
    script.write_text(run("completion", shell, check=True).stdout)
    assert subprocess.run([shell, *check, script], capture_output=True, text=True).stderr == ""


def test_fish_completes(tmp_path):
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed")
    (tmp_path / "postil.fish").write_text(run("completion", "fish", check=True).stdout)

    def offered(line):
        done = subprocess.run(["fish", "--no-config", "-c", f"set -x PATH {POSTIL.parent} $PATH; source {tmp_path}/postil.fish; complete -C '{line}'"], capture_output=True, text=True, check=True)
        assert done.stderr == ""
        return [entry.split("\t")[0] for entry in done.stdout.splitlines()]

    assert offered("postil tr") == ["train"]
    assert offered("postil rules che") == ["check"]
    assert offered("postil train --adv") == ["--advice"] and "--strict" in offered("postil rules check --str")
    assert sorted(offered("postil train --learner adv")) == ["advice-only", "adviceptron", "advised"]


def test_unknown_shells():
    assert "choose bash, zsh or fish" in run("completion", "tcsh").stderr
