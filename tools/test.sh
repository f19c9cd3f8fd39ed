#!/usr/bin/env bash
# Everything `make test` does, and CI too: installs what is missing, builds, runs all tests, and ends with "N passed, M failed".
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh build test python

for preset in release dev asan; do
  cmake --preset "$preset" > "build/configure-$preset.log" 2>&1 || { cat "build/configure-$preset.log"; exit 1; }
  echo "Building $preset"
  cmake --build --preset "$preset" > "build/build-$preset.log" 2>&1 || { grep -vE '^\[[0-9]+/[0-9]+\] (Building|Linking)' "build/build-$preset.log"; exit 1; }
done

tools/venv.sh
exec build/venv/bin/python tools/run_tests.py
