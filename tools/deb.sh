#!/usr/bin/env bash
# The Debian packages postil, libpostilX.Y and libpostil-dev, with what lintian says about them: dist/.
# DEBFULLNAME and DEBEMAIL, as for Debian's own tools, name who builds them; without them the packages name no address.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh build deb
cmake --preset release > build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
cmake --build --preset release > build/build-release.log 2>&1 || { cat build/build-release.log; exit 1; }
work=build/packages
rm -rf "$work" && mkdir -p dist
(cd build && cpack -G DEB -B packages > packages.log 2>&1) || { cat build/packages.log; exit 1; }
# Not told again: CPack calls ldconfig in a script besides the trigger; the folder for pkg-config is the same on all machines.
known=maintscript-calls-ldconfig,pkg-config-unavailable-for-cross-compilation
[ -n "${DEBEMAIL:-}" ] || known+=,malformed-contact,bogus-mail-host-in-debian-changelog
lintian --fail-on error --allow-root --suppress-tags "$known" "$work"/*.deb
rm -f dist/*.deb
cp "$work"/*.deb dist/
