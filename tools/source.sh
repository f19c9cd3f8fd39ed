#!/usr/bin/env bash
# The source archive of the last commit, the same bytes wherever and whenever it is made: dist/postil-VERSION-source.tar.gz.
set -euo pipefail
cd "$(dirname "$0")/.."
name=postil-$(sed -nE 's/^project\(Postil VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
work=build/source
rm -rf "$work" && mkdir -p "$work" dist
git archive --prefix="$name/" HEAD | tar -xf - -C "$work"
tar --format=gnu --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -C "$work" -cf - "$name" | gzip -9n > "dist/$name-source.tar.gz"
