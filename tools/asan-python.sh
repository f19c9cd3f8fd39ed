#!/usr/bin/env bash
# The Python tests that are hardest on the module, with the module under address and undefined-behaviour sanitizers (GCC's).
# Needs: build/venv, as tools/test.sh makes it.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/python-asan package=$build/package
export PATH="$PWD/build/venv/bin:$PATH"
cmake -S . -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=g++ -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS_RELEASE="-O1 -g1 -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=undefined -fno-omit-frame-pointer" \
  -DPOSTIL_BUILD_PYTHON=ON -DPOSTIL_BUILD_CLI=OFF -DPython_EXECUTABLE="$PWD/build/venv/bin/python" > /dev/null
cmake --build "$build" --target _postil
rm -rf "$package" && mkdir -p "$package"
cp -r python/postil "$package/"
cp "$build"/python/_postil*.so "$package/postil/"
LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libubsan.so) $(g++ -print-file-name=libstdc++.so)" ASAN_OPTIONS=detect_leaks=0 \
  PYTHONMALLOC=malloc PYTHONPATH="$PWD/$package" python -m pytest -q -p no:cacheprovider tests/python/test_odd_uses.py tests/python/test_rows.py tests/python/test_river.py
