#!/usr/bin/env bash
# What a release consists of, made from the last commit and tried: source archive, Debian packages, Python wheels, SHA256SUMS, in dist/.
# PYTHONS="python3.11 python3.12" makes a wheel for each of these; by default for python3.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh build python deb
changed=$(git status --porcelain)
if [ -n "$changed" ]; then
  {
    echo "make dist packs the last commit, but these files differ from it:"
    echo "$changed"
    echo "Commit them, or set them aside with 'git stash -u', and run it again."
  } >&2
  exit 1
fi
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
rm -rf dist
tools/source.sh
tools/deb.sh
for python in ${PYTHONS:-python3}; do PYTHON=$python tools/wheel.sh > /dev/null; done
tools/try_packages.sh
(cd dist && sha256sum -- * > ../build/SHA256SUMS && mv ../build/SHA256SUMS .)
cat dist/SHA256SUMS
