"""Manual pages: one for each command, well-formed."""

import re
import shutil
import subprocess

import pytest
from conftest import run
from test_commands import VERBS


def test_every_command_has_a_page(tmp_path):
    run("man", "--output", tmp_path, check=True)
    pages = {path.name for path in tmp_path.iterdir()}
    assert {f"postil-{verb.replace(' ', '-')}.1" for verb in VERBS} | {"postil.1"} <= pages
    for path in tmp_path.iterdir():
        text = path.read_text()
        verb = [word for word in path.stem.split("-")[1:]]
        assert all(section in text for section in (".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS", ".SH EXIT STATUS"))
        if verb != ["experiment"]:
            named = set(re.findall(r"^ +(?:-\w,)?(--[\w-]+)", run(*verb, "--help").stdout, re.MULTILINE)) - {"--version"}
            assert all(rf"\fB{name}\fR".replace("-", r"\-") in text for name in named), path.name


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_pages_are_well_formed(tmp_path):
    run("man", "--output", tmp_path, check=True)
    for path in tmp_path.iterdir():
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", path], capture_output=True, text=True)
        assert done.stderr == "" and "--help" in re.sub(r"\x1b\[[\d;]*m|.\x08", "", done.stdout).replace("‐", "-"), path.name


def test_one_page_is_printed():
    assert '.TH "postil\\-rules\\-check" 1' in run("man", "rules", "check", check=True).stdout
    assert "there is no command 'trian'" in run("man", "trian").stderr
