#!/usr/bin/env bash
# Postil's main job on data it makes itself: train, evaluate, rules, explain, predict.
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
say "An expert's rules, examined before they teach"
cat > "$folder/points.rules" << 'END'
# What an expert knows of the next data: two clouds below, one above; and one thing that is not so.
domain x1 in [-2, 10]
domain x2 in [-5, 9]
below: x2 <= 0 => positive
above: x2 >= 3 and x2 - 0.5*x1 >= 1 => not positive
myth: x1 >= 5 => not positive
END
cat "$folder/points.rules"
say "Two clouds against one in the plane, and the line that parts them"
run postil make synthetic --rows 500 --seed 1 -o "$folder/points.csv"
run postil rules check "$folder/points.rules" --data "$folder/points.csv"
say "Test error after few examples, without the rules and with them"
run postil curve "$folder/points.csv" --advice "$folder/points.rules" --learner arow --learner advised --train 100 --checkpoints 0,1,2,5,10,100
say "A model of points and rules, and the ledger: what became of each rule"
run postil train "$folder/points.csv" --advice "$folder/points.rules" --model "$folder/points.postil"
say "Its line, which conditions do the work, and whether it obeys the rules everywhere"
run postil explain "$folder/points.postil" --certify "$folder/points.rules"
say "Why one point is predicted as it is"
run postil explain "$folder/points.postil" --row x1=3,x2=1
echo '$ build/postil predict build/demo/points.postil build/demo/points.csv --scores | head -4'
build/postil predict "$folder/points.postil" "$folder/points.csv" --scores > "$folder/predictions.csv"
head -4 "$folder/predictions.csv"
