#!/usr/bin/env bash
# What runs in threads, under the thread sanitizer (preset tsan): the C++ tests of readers, evaluation and kernels, and the command.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/tsan work=build/tsan/work
mkdir -p "$work"
export TSAN_OPTIONS="halt_on_error=1 exitcode=66 ${TSAN_OPTIONS:-}" OPENBLAS_NUM_THREADS=1  # OpenBLAS is not built for it
"$build/tests/test_unit" --gtest_brief=1 --gtest_filter='*Reader*:*Parallel*:*Evaluate*:*Curve*:*Kernel*:*Gram*:*Lent*:*Train*'
"$build/postil" make text --rows 20000 -o "$work/text.svm.gz" > /dev/null
"$build/postil" make synthetic --rows 20000 -o "$work/points.csv" > /dev/null
"$build/postil" make synthetic --rows 300 -o "$work/few.csv" > /dev/null
"$build/postil" train "$work/text.svm.gz" --threads 4 --model "$work/m" --quiet > /dev/null
"$build/postil" predict "$work/m" "$work/text.svm.gz" --threads 4 -o "$work/out" > /dev/null
"$build/postil" train "$work/points.csv" --threads 4 --order file --quiet > /dev/null
"$build/postil" cv "$work/few.csv" --folds 4 --jobs 4 > /dev/null
"$build/postil" curve "$work/few.csv" --jobs 4 --learner arow --learner pa > /dev/null
"$build/postil" cv "$work/few.csv" --learner svm --set kernel=rbf --folds 4 --jobs 4 > /dev/null
"$build/postil" cv "$work/few.csv" --learner bayes-point --set tol=0.2 --folds 2 --jobs 2 > /dev/null
echo "no data race"
