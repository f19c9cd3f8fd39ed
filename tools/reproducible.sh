#!/usr/bin/env bash
# Builds the last commit twice, in two folders, at two times, with another umask and time zone, and compares every byte:
# the command, both libraries, source archive, Debian packages, source distribution and wheel. None may name the folder it was built in.
# ccache would give the second build the objects of the first, and hide a compiler that is not deterministic. So the second build
# compiles src/core for itself; CCACHE_DISABLE=1 compiles everything twice.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh build python deb
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
work=$PWD/build/reproducible
first=$work/first second=$work/the/second/one/has-a-longer-name
rm -rf "$work"

make_all() {
  tools/source.sh
  tools/deb.sh > build/deb.log 2>&1 || { cat build/deb.log; exit 1; }
  tools/wheel.sh > build/wheel.log 2>&1 || { cat build/wheel.log; exit 1; }
}
echo "Building in $first"
git clone -q . "$first"
(cd "$first" && umask 022 && TZ=UTC make_all)
echo "Building in $second"
git clone -q . "$second"
(
  cd "$second" && umask 077
  export TZ=Asia/Kathmandu
  mkdir build
  cmake --preset release > build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
  ninja -C build -t targets all | sed -nE 's/^(.*src\/core\/.*\.o): .*/\1/p' | CCACHE_DISABLE=1 xargs ninja -C build > build/build-core.log 2>&1 || { cat build/build-core.log; exit 1; }
  make_all
)

failed=0
for file in build/postil build/libpostil.a build/libpostil.so.?.?.? $(cd "$first" && ls dist/*); do
  name=${file#build/}
  if cmp -s "$first/$file" "$second/$file"; then echo "same      ${name#dist/}"; else
    echo "DIFFERENT $first/$file"
    failed=1
  fi
done
[ "$(cd "$first/dist" && ls)" = "$(cd "$second/dist" && ls)" ] || { echo "DIFFERENT the lists of files in dist/"; failed=1; }

# What is inside: no path of a folder it was built in (ccache may have brought an object from another clone), none of a source file but the system's.
inside=$work/inside
mkdir "$inside"
cp "$second/build/postil" "$second/build/libpostil.a" "$second"/build/libpostil.so.?.?.? "$inside"
for package in "$second"/dist/*.deb; do dpkg-deb -R "$package" "$inside/$(basename "$package")"; done
for wheel in "$second"/dist/*.whl; do python3 -m zipfile -e "$wheel" "$inside/$(basename "$wheel")"; done
if grep -raoE -e "${work}[[:print:]]*" -e '/[[:alnum:]_./-]+/(src|cli|include|python)/[[:alnum:]_/]+\.[ch]pp\b' "$inside" | grep -v ':/usr/include/'; then
  echo "The files above name folders of the machine they were built on."
  failed=1
fi
if [ "$failed" -ne 0 ]; then
  echo "Not reproducible. diffoscope shows what differs in two files: diffoscope FIRST SECOND."
  exit 1
fi
echo "reproducible: the same bytes twice, no path of a build folder in them"
