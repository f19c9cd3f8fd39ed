#!/usr/bin/env bash
# Runs every fuzzer of a build for some seconds, two at a time, starting from our corpora.
#   tools/fuzz.sh BUILD SECONDS
set -euo pipefail
cd "$(dirname "$0")/.."
export build=$1 seconds=$2

run() {
  local name=$1 work="$build/corpus/$1"
  mkdir -p "$work"
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
export -f run

ls tests/fuzz/corpus | xargs -P 2 -I{} bash -c 'run {}'
