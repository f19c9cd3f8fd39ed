#!/usr/bin/env bash
# Installs dist/*.deb in a clean Debian, uses the command, builds a program with the library, and removes everything again.
# The clean Debian is build/debian, made by debootstrap; that needs root. Remove the folder for a fresh one.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "$(id -u)" -ne 0 ]; then
  echo "The Debian packages were not tried: only root can make a clean Debian to install them in (sudo tools/try_packages.sh)."
  exit 0
fi
tools/setup.sh deb
root=$PWD/build/debian
# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
inside() { DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 HOME=/root chroot "$root" "$@" >> build/try_packages.log 2>&1 || { tail -n 30 build/try_packages.log; exit 1; }; }
: > build/try_packages.log
if [ ! -e "$root/ready" ]; then
  echo "Making a clean Debian: build/debian"
  rm -rf "$root"
  debootstrap --variant=minbase "$suite" "$root" >> build/try_packages.log 2>&1 || { tail -n 30 build/try_packages.log; exit 1; }
  inside apt-get install -y -q --no-install-recommends g++ cmake make pkg-config
  touch "$root/ready"
fi

# All files and when they were changed, but for the books of the package manager.
files() {
  (cd "$root" && find . \( -path ./tmp -o -path ./var/cache -o -path ./var/log -o -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./etc/ld.so.cache \) -prune \
    -o -type d -printf '%p\n' -o -printf '%p %s %T@ %l\n' | sort)
}
packages=$(for file in dist/*.deb; do dpkg-deb -f "$file" Package; done)
depends=$(for file in dist/*.deb; do dpkg-deb -f "$file" Depends; done | tr ',' '\n' | sed -E 's/\|.*//; s/\(.*//; s/ //g' | sort -u | grep -v '^libpostil')
# shellcheck disable=SC2086  # lists of words
inside apt-get install -y -q --no-install-recommends $depends
files > build/files-before

rm -rf "$root/tmp/postil" && mkdir "$root/tmp/postil"
cp dist/*.deb "$root/tmp/postil/"
inside sh -c 'dpkg -i /tmp/postil/*.deb'
echo "installed: ${packages//$'\n'/ }"
cat > "$root/tmp/postil/main.cpp" << 'END'
#include <cstdio>
#include <postil/postil.hpp>
int main(int, char** argv) {
  postil::Model model = postil::train(argv[1], {.passes = 2});
  std::printf("%llu examples\n", static_cast<unsigned long long>(model.counters().examples));
}
END
cat > "$root/tmp/postil/CMakeLists.txt" << 'END'
cmake_minimum_required(VERSION 3.20)
project(Consumer LANGUAGES CXX)
find_package(Postil REQUIRED)
foreach(kind static shared)
  add_executable(by_${kind} main.cpp)
  target_link_libraries(by_${kind} PRIVATE Postil::postil_${kind})
endforeach()
END
# shellcheck disable=SC2016  # for the shell inside
inside sh -euxc 'cd /tmp/postil
postil make synthetic --rows 200 -o points.csv
postil train points.csv --model points.postil
postil predict points.postil points.csv -o predictions.csv
test "$(wc -l < predictions.csv)" -eq 201
cmake -S . -B build && cmake --build build
./build/by_static points.csv | grep "^400 examples$"
./build/by_shared points.csv | grep "^400 examples$"
g++ main.cpp $(pkg-config --cflags --libs postil) -o by_pkg_config
./by_pkg_config points.csv | grep "^400 examples$"'
echo "the command works; programs build by CMake (static and shared) and by pkg-config"

# shellcheck disable=SC2086
inside dpkg --purge $packages
rm -rf "$root/tmp/postil"
files > build/files-after
diff build/files-before build/files-after || { echo "The packages leave these files behind, or have changed them."; exit 1; }
echo "removed; nothing is left"
