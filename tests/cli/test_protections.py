"""The command is built with the protections that the compiler has."""

import platform
import subprocess

import pytest

from conftest import POSTIL


@pytest.fixture(scope="module")
def elf():
    return {option: subprocess.run(["readelf", "-W", option, POSTIL], capture_output=True, text=True, check=True).stdout for option in ["-h", "-l", "-d", "--dyn-syms"]}


def test_position_independent(elf):
    assert "DYN (Position-Independent Executable file)" in elf["-h"]


def test_full_relro(elf):
    assert "GNU_RELRO" in elf["-l"]
    assert "BIND_NOW" in elf["-d"] or "NOW" in elf["-d"].split("FLAGS_1", 1)[-1]


def test_the_stack_is_not_executable(elf):
    line = next(line for line in elf["-l"].splitlines() if "GNU_STACK" in line)
    assert "RWE" not in line and " RW " in line


def test_stack_protector_and_fortified_functions(elf):
    assert "__stack_chk_fail" in elf["--dyn-syms"]
    assert "_chk@" in elf["--dyn-syms"].replace("__stack_chk_fail", "")


@pytest.mark.skipif(platform.machine() != "x86_64", reason="CET is of x86")
def test_control_flow_protection():
    # The note in the file is left out where the C library's start-up code has none, as Debian's; the instructions are there.
    assert POSTIL.read_bytes().count(b"\xf3\x0f\x1e\xfa") > 1000  # endbr64
