#!/usr/bin/env bash
# Runs every fuzzer of a build for some seconds, two at a time, starting from our corpora: inputs that we wrote
# (tests/fuzz/corpus) and those that earlier runs have found, as few as cover the same (tests/fuzz/found).
#   tools/fuzz.sh BUILD SECONDS
# Afterwards, to keep what was found:
#   tools/fuzz.sh BUILD keep
set -euo pipefail
cd "$(dirname "$0")/.."
export build=$1 seconds=$2

keep() {
  local name=$1 least
  least=$(mktemp -d)
  "$build/tests/fuzz/fuzz_$name" -set_cover_merge=1 "$least" "tests/fuzz/corpus/$name" "$build/corpus/$name" > /dev/null 2>&1
  tar -C "$least" --sort=name --owner=0 --group=0 --mtime=@0 -cf - . | gzip -9n > "tests/fuzz/found/$name.tar.gz"
  echo "kept $(find "$least" -type f | wc -l) inputs for fuzz $name"
  rm -r "$least"
}

run() {
  local name=$1 work="$build/corpus/$1" found="tests/fuzz/found/$1.tar.gz"
  mkdir -p "$work"
  if [ -f "$found" ]; then tar -C "$work" -xzf "$found"; fi
  if "$build/tests/fuzz/fuzz_$name" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=20 -print_final_stats=1 \
      -artifact_prefix="$work-" "$work" "tests/fuzz/corpus/$name" > "$work.log" 2>&1; then
    awk -v name="$name" '/number_of_executed_units/ { n = $2 } /average_exec_per_sec/ { rate = $2 }
      END { printf "ok fuzz %s: %d inputs, %d a second\n", name, n, rate }' "$work.log"
  else
    echo "FAILED fuzz $name:"
    tail -n 40 "$work.log"
    return 1
  fi
}
export -f run keep

ls tests/fuzz/corpus | xargs -P 2 -I{} bash -c "$([ "$seconds" = keep ] && echo keep || echo run) {}"
