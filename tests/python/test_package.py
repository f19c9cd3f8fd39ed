"""The installed package serves a stranger's program, by CMake and by pkg-config, static and shared; and gives the same bits everywhere."""

import os
import subprocess

import pytest

from conftest import ROOT, run

CONSUMER = r"""
#include <cstdio>
#include <postil/postil.hpp>
int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    postil::Model model = postil::train(argv[1], {.passes = 2});
    model.save(argv[2]);
    std::printf("%llu examples, error %.4f\n", static_cast<unsigned long long>(model.counters().examples), model.counters().progressive_error());
  } catch (const postil::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
"""

CMAKE = """
cmake_minimum_required(VERSION 3.20)
project(Consumer LANGUAGES CXX)
find_package(Postil 0.1 REQUIRED)
foreach(kind static shared)
  add_executable(by_${kind} main.cpp)
  target_link_libraries(by_${kind} PRIVATE Postil::postil_${kind})
endforeach()
"""


def call(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def consumer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("consumer")
    call("cmake", "--install", ROOT / "build", "--prefix", folder / "prefix")
    (folder / "main.cpp").write_text(CONSUMER)
    (folder / "CMakeLists.txt").write_text(CMAKE)
    run("make", "synthetic", "--rows", 200, "-o", folder / "points.csv", check=True)
    return folder


def check_program(folder, program, **options):
    assert call(program, folder / "points.csv", folder / "m", **options).startswith("400 examples, error 0.")
    expected = folder / "expected"
    run("train", folder / "points.csv", "--passes", 2, "--quiet", "--model", expected, check=True)
    assert (folder / "m").read_bytes() == expected.read_bytes()


def test_by_cmake(consumer):
    call("cmake", "-S", consumer, "-B", consumer / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={consumer / 'prefix'}")
    call("cmake", "--build", consumer / "build")
    for kind in ("static", "shared"):
        check_program(consumer, consumer / "build" / f"by_{kind}")


def test_by_pkg_config(consumer):
    config = next((consumer / "prefix").glob("lib*/**/pkgconfig"))
    flags = call("pkg-config", "--cflags", "--libs", "postil", env={**os.environ, "PKG_CONFIG_PATH": str(config)}).split()
    # A consumer for another instruction set must get along with the library as it is.
    call("g++", "-O2", "-march=native", consumer / "main.cpp", *flags, "-o", consumer / "by_pkg_config")
    check_program(consumer, consumer / "by_pkg_config", env={**os.environ, "LD_LIBRARY_PATH": str(config.parent)})


BITS = r"""
#include <cstdio>
#include <vector>
#include <bit>
#include "core/kernels.hpp"
#include "postil/random.hpp"
int main() {
  postil::Random random(1);
  unsigned long long hash = 0;
  for (unsigned n = 0; n < 300; ++n) {
    std::vector<double> x(n), w(n);
    for (double& v : x) v = random.normal();
    for (double& v : w) v = random.normal();
    const postil::Row row{.values = x.data(), .count = n};
    for (double r : {postil::dot(row, w.data()), postil::squared_norm(row)}) hash = hash * 31 + std::bit_cast<unsigned long long>(r);
    postil::axpy(0.1, row, w.data());
    for (double v : w) hash = hash * 31 + std::bit_cast<unsigned long long>(v);
  }
  std::printf("%llx\n", hash);
}
"""


def test_the_same_bits_for_every_instruction_set(tmp_path):
    flags = open("/proc/cpuinfo").read()
    sets = [[], ["-DPOSTIL_NO_DISPATCH"]]
    sets += [["-DPOSTIL_NO_DISPATCH", f"-m{name}"] for name in ("avx2", "avx512f") if name in flags]
    sets += [["-DPOSTIL_NO_DISPATCH", "-mavx2", "-mfma"]] if "fma" in flags else []
    (tmp_path / "bits.cpp").write_text(BITS)
    answers = set()
    for compiler in ("g++", "clang++"):
        for k, options in enumerate(sets):
            program = tmp_path / f"bits-{compiler}-{k}"
            sources = [ROOT / "src/core" / name for name in ("kernels.cpp", "random.cpp", "math.cpp")]
            call(compiler, "-std=c++20", "-O3", "-ffp-contract=off", *options, f"-I{ROOT / 'include'}", f"-I{ROOT / 'src'}", tmp_path / "bits.cpp", *sources, "-o", program)
            answers.add(call(program))
    assert len(answers) == 1


def test_the_program_asks_for_no_special_instructions():
    commands = open(ROOT / "build" / "compile_commands.json").read()
    assert "-march" not in commands and "-mavx" not in commands and "fast-math" not in commands
    assert commands.count("-ffp-contract=off") == commands.count('"command"')
