#!/usr/bin/env bash
# Everything `make test` does, and CI too: installs what is missing, builds, runs all tests, and ends with "N passed, M failed".
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh build test python

python=build/venv/bin/python
if ! cmp -s tests/requirements.txt build/venv/requirements.txt; then
  echo "Making the Python environment build/venv"
  rm -rf build/venv
  /usr/bin/python3 -m venv build/venv
  build/venv/bin/pip install -q --disable-pip-version-check -r tests/requirements.txt
  cp tests/requirements.txt build/venv/requirements.txt
fi

for preset in release dev asan; do
  cmake --preset "$preset" > "build/configure-$preset.log" 2>&1 || { cat "build/configure-$preset.log"; exit 1; }
  echo "Building $preset"
  cmake --build --preset "$preset" > "build/build-$preset.log" 2>&1 || { grep -vE '^\[[0-9]+/[0-9]+\] (Building|Linking)' "build/build-$preset.log"; exit 1; }
done

echo "Installing the Python package"
export CXX=g++ CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_NOHASHDIR=1 SKBUILD_CMAKE_DEFINE=POSTIL_WERROR=ON  # as the presets, so that ccache knows them
CCACHE_BASEDIR=$PWD build/venv/bin/pip install -q --disable-pip-version-check --no-build-isolation --no-deps . > build/install-python.log 2>&1 || { cat build/install-python.log; exit 1; }

exec "$python" tools/run_tests.py
