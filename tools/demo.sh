#!/usr/bin/env bash
# Postil's main job on data it makes itself: train, evaluate, explain, predict.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build/demo
mkdir -p "$folder"
say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() {
  echo "$ build/$*"
  "build/$1" "${@:2}"
}

say "Simulated tuberculosis isolates: 43 spacers and one repeat count each, from six lineages"
run postil make tuberculosis --rows 2000 --seed 1 -o "$folder/train.csv"
run postil make tuberculosis --rows 5000 --seed 2 -o "$folder/test.csv"
say "Learn to tell the lineages apart, one against the rest each"
run postil train "$folder/train.csv" --learner perceptron --passes 3 --model "$folder/lineage.postil"
say "How well does it do on isolates it has not seen?"
run postil evaluate "$folder/lineage.postil" "$folder/test.csv"
say "Two clouds against one in the plane, and the line that parts them"
run postil make synthetic --rows 500 --seed 1 -o "$folder/points.csv"
run postil train "$folder/points.csv" --passes 5 --model "$folder/points.postil"
run postil explain "$folder/points.postil"
echo '$ build/postil predict build/demo/points.postil build/demo/points.csv --scores | head -4'
build/postil predict "$folder/points.postil" "$folder/points.csv" --scores > "$folder/predictions.csv"
head -4 "$folder/predictions.csv"
