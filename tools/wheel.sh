#!/usr/bin/env bash
# The source distribution and, built from it, the wheel for this Python, with the libraries it needs inside: dist/.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh build python
python=${PYTHON:-python3}
if ! cmp -s tools/wheel-requirements.txt build/wheel-venv/requirements.txt; then
  rm -rf build/wheel-venv
  "$python" -m venv build/wheel-venv
  build/wheel-venv/bin/pip install -q --disable-pip-version-check -r tools/wheel-requirements.txt
  cp tools/wheel-requirements.txt build/wheel-venv/requirements.txt
fi
export PATH="$PWD/build/wheel-venv/bin:$PATH"
work=build/wheel
rm -rf "$work" && mkdir -p "$work" dist
python -m build --sdist --no-isolation --outdir "$work" . > "$work/sdist.log" 2>&1 || { tail -n 30 "$work/sdist.log"; exit 1; }
tar -xzf "$work"/postil-*.tar.gz -C "$work"
source=$(echo "$PWD/$work"/postil-*/)
export CXX=g++ CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR="${source%/}" CCACHE_NOHASHDIR=1
python -m build --wheel --no-isolation --outdir "$work" "$source" > "$work/wheel.log" 2>&1 || { tail -n 30 "$work/wheel.log"; exit 1; }
auditwheel repair -w "$work/repaired" "$work"/*.whl > "$work/repair.log" 2>&1 || { tail -n 30 "$work/repair.log"; exit 1; }
python tools/bundled_licences.py "$work"/repaired/*.whl
cp "$work"/repaired/*.whl dist/
cp "$work"/postil-*.tar.gz dist/
ls -l dist
