#!/usr/bin/env bash
# The story of Postil on data it makes itself: an expert's rules about tuberculosis, what they are worth before and after examples, what became of each.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build/demo
mkdir -p "$folder"
say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() {
  echo "$ build/$*"
  "build/$1" "${@:2}"
}

say "Simulated tuberculosis isolates: 43 spacers, present or absent, and a repeat count; six lineages"
run postil make tuberculosis --rows 4000 --seed 1 -o "$folder/isolates.csv"

say "What those who type bacteria know, and one thing that is not so"
cat > "$folder/lineages.rules" << 'END'
domain spacer_1..spacer_43 in [0, 1]
integer miru24
beijing:   absent(spacer_1..spacer_34) => east_asian
not_bj:    any(spacer_1..spacer_34) => not east_asian
cas:       absent(spacer_4..spacer_7, spacer_23..spacer_24, spacer_29..spacer_32) and any(spacer_1..spacer_22) and miru24 <= 1 => east_african_indian
modern:    any(spacer_1..spacer_32) and absent(spacer_33..spacer_36) and miru24 <= 1 => euro_american
not_euro:  any(spacer_33..spacer_36) => not euro_american
manila:    absent(spacer_29..spacer_32, spacer_34) and any(spacer_3, spacer_9, spacer_16, spacer_39..spacer_43) and miru24 > 1 => indo_oceanic
not_io:    any(spacer_29..spacer_32) => not indo_oceanic
africa:    absent(spacer_8, spacer_9, spacer_39) and any(spacer_3, spacer_16, spacer_40..spacer_43) and miru24 > 1 => africanum
cattle:    absent(spacer_3, spacer_9, spacer_16, spacer_39..spacer_43) and present(spacer_38) and miru24 > 1 => bovis
myth:      present(spacer_35) => euro_american
END
cat "$folder/lineages.rules"

say "Do the rules contradict each other? How often are they right?"
run postil rules check "$folder/lineages.rules" --data "$folder/isolates.csv"

say "Test error after so many labelled isolates, without the rules and with them (mean of ten random orders)"
echo "$ build/postil curve $folder/isolates.csv --advice $folder/lineages.rules --learner arow --learner advised --train 300 --runs 10 --json | tools/draw_curve.py --svg $folder/curve.svg"
build/postil curve "$folder/isolates.csv" --advice "$folder/lineages.rules" --learner arow --learner advised --train 300 --runs 10 \
  --checkpoints 0,1,2,5,10,20,50,100,300 --json > "$folder/curve.json"
tools/draw_curve.py --svg "$folder/curve.svg" --names "examples alone,with the rules" --title "labelled isolates" < "$folder/curve.json"
echo "The picture: $folder/curve.svg"

say "One model of rules and 300 isolates, and the ledger: what became of each rule"
head -n 301 "$folder/isolates.csv" > "$folder/some.csv"
{ head -n 1 "$folder/isolates.csv"; tail -n +302 "$folder/isolates.csv"; } > "$folder/others.csv"
run postil train "$folder/some.csv" --advice "$folder/lineages.rules" --model "$folder/lineage.postil"

say "Why is this isolate what it is said to be?"
run postil explain "$folder/lineage.postil" --row 7 --data "$folder/others.csv" --top 5

say "How good is it on isolates it has not seen?"
run postil evaluate "$folder/lineage.postil" "$folder/others.csv"
