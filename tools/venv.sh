#!/usr/bin/env bash
# The Python environment build/venv: what tests and experiments need, and the package built from these sources.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cmp -s tests/requirements.txt build/venv/requirements.txt; then
  echo "Making the Python environment build/venv"
  rm -rf build/venv
  /usr/bin/python3 -m venv build/venv
  build/venv/bin/pip install -q --disable-pip-version-check --use-pep517 -r tests/requirements.txt
  cp tests/requirements.txt build/venv/requirements.txt
fi

echo "Installing the Python package"
export CXX=g++ CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_NOHASHDIR=1 SKBUILD_CMAKE_DEFINE=POSTIL_WERROR=ON  # as the presets, so that ccache knows them
CCACHE_BASEDIR=$PWD build/venv/bin/pip install -q --disable-pip-version-check --no-build-isolation --no-deps . > build/install-python.log 2>&1 || { cat build/install-python.log; exit 1; }
