#!/usr/bin/env bash
# Installs the Debian packages that are missing for the given purposes, and only those. Without the right to install, lists them.
#   tools/setup.sh build|demo|test|bench|lint|python|deb ...
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build

declare -A packages=(
  [build]="g++ cmake ninja-build ccache libfast-float-dev libfmt-dev libcli11-dev nlohmann-json3-dev zlib1g-dev libzstd-dev liblzma-dev libbz2-dev libsimdjson-dev coinor-libclp-dev libeigen3-dev libopenblas-pthread-dev libtomlplusplus-dev"
  [test]="clang libclang-rt-14-dev libgtest-dev librapidcheck-dev libsvm-dev libbenchmark-dev pkg-config python3-venv git qemu-user openjdk-17-jre-headless"
  [bench]="liblinear-tools liblinear-dev"
  [lint]="clang-format clang-tidy python3-venv"
  [demo]="python3"
  [python]="python3-dev python3-venv"
  [deb]="dpkg-dev file lintian debootstrap git"
)

wanted=()
for purpose in "$@"; do
  # shellcheck disable=SC2206  # a list of words
  wanted+=(${packages[$purpose]})
done

if ! command -v dpkg-query > /dev/null; then
  echo "This is not Debian; please see to it that the equivalents of these are installed: ${wanted[*]}" >&2
  exit 0
fi

missing=()
installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' | awk '$2 == "installed" { print $1 }')
for package in "${wanted[@]}"; do
  grep -qx "$package" <<< "$installed" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -eq 0 ]; then
  as_root=()
elif sudo -n true 2> /dev/null || { [ -t 0 ] && command -v sudo > /dev/null; }; then
  as_root=(sudo)
else
  {
    echo "Postil needs these Debian packages, and you have no right to install them here:"
    echo "  ${missing[*]}"
    echo "Ask someone who has to run:  apt-get install ${missing[*]}"
  } >&2
  exit 1
fi

echo "Installing: ${missing[*]}"
install() { DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}"; }
install > build/setup.log 2>&1 || { "${as_root[@]}" apt-get update -q >> build/setup.log 2>&1 && install >> build/setup.log 2>&1; } || {
  tail -n 20 build/setup.log >&2
  exit 1
}
