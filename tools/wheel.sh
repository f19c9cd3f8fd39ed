#!/usr/bin/env bash
# The source distribution and, built from it, a wheel with the libraries it needs inside: dist/.
# PYTHON=... takes another Python than python3; one of 3.12 or later makes the wheel (abi3) that serves all of these.
# OpenBLAS is that of scipy-openblas32 from PyPI: smaller than Debian's and made for older systems.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh build python
python=${PYTHON:-python3}
made_of=$(cat tools/wheel-requirements.txt && "$python" -VV)
if [ "$made_of" != "$(cat build/wheel-venv/made-of 2> /dev/null)" ]; then
  rm -rf build/wheel-venv
  "$python" -m venv build/wheel-venv
  build/wheel-venv/bin/pip install -q --disable-pip-version-check -r tools/wheel-requirements.txt
  echo "$made_of" > build/wheel-venv/made-of
fi
export PATH="$PWD/build/wheel-venv/bin:$PATH"
work=build/wheel
rm -rf "$work" && mkdir -p "$work" dist
python -m build --sdist --no-isolation --outdir "$work" . > "$work/sdist.log" 2>&1 || { tail -n 30 "$work/sdist.log"; exit 1; }
tar -xzf "$work"/postil-*.tar.gz -C "$work"
source=$(echo "$PWD/$work"/postil-*/)
export CXX=g++ CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1 SKBUILD_CMAKE_DEFINE=POSTIL_WERROR=ON  # as the presets, so that ccache knows them
blas=$(python -c "import scipy_openblas32 as blas; print(blas.get_lib_dir())")
cc -O2 -shared -fPIC -Wl,-soname,liblapack.so.3 -o "$work/liblapack.so.3" tools/lapack_for_clp.c "$blas/libscipy_openblas.so"
export LD_LIBRARY_PATH="$PWD/$work:$blas${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
python -m build --wheel --no-isolation -Ccmake.define.OPENBLAS_LIBRARY="$blas/libscipy_openblas.so" --outdir "$work" "$source" > "$work/wheel.log" 2>&1 || { tail -n 30 "$work/wheel.log"; exit 1; }
auditwheel repair -w "$work/repaired" "$work"/*.whl > "$work/repair.log" 2>&1 || { tail -n 30 "$work/repair.log"; exit 1; }
python tools/bundled_licences.py "$work"/repaired/*.whl
name=$(basename "$work"/repaired/*.whl)
rm -f dist/"${name%-*}"-*.whl  # of the same version for the same Python
cp "$work"/repaired/*.whl dist/
cp "$work"/postil-*.tar.gz dist/
ls -l dist
