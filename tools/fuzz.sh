#!/usr/bin/env bash
# Runs every fuzzer of a build for some seconds, two at a time, starting from our corpora.
#   tools/fuzz.sh BUILD SECONDS
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 seconds=$2 failed=0

run() {
  local name=$1 work="$build/corpus/$1"
  mkdir -p "$work"
  if "$build/tests/fuzz/fuzz_$name" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=20 -print_final_stats=1 \
      -artifact_prefix="$work-" "$work" "tests/fuzz/corpus/$name" > "$work.log" 2>&1; then
    echo "ok fuzz $name: $(awk '/number_of_executed_units/ { print $2 }' "$work.log") inputs"
  else
    echo "FAILED fuzz $name:"
    tail -n 40 "$work.log"
    return 1
  fi
}

for pair in "libsvm csv" "model agree" "rules foreign"; do
  jobs=()
  for name in $pair; do
    run "$name" &
    jobs+=($!)
  done
  for job in "${jobs[@]}"; do wait "$job" || failed=1; done
done
exit "$failed"
