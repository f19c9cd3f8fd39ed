#!/usr/bin/env bash
# Learning from a folder of files with nothing but a shell: each file is a shard, and as many are read at once as there are CPUs.
#   examples/shards_folder.sh FOLDER MODEL [OPTIONS OF TRAIN...]
# Example:  examples/shards_folder.sh patients/ model.postil --label outcome --advice diabetes.rules
set -euo pipefail
folder=$1 model=$2
shift 2
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

mapfile -t files < <(find "$folder" -maxdepth 1 -type f | LC_ALL=C sort)
options=("$@")  # of the first round; later ones take --model
plan=$work/plan
while true; do
  for k in "${!files[@]}"; do printf '%s\0' "$k"; done | files="$(printf '%s\n' "${files[@]}")" work=$work xargs -0 -P "$(nproc)" -I{} bash -c '
    mapfile -t files <<< "$files"
    postil shard "${files[$1]}" --shard "$1" -o "$work/$1.state" "${@:2}"' shard {} "${options[@]}"
  postil mix "$work"/*.state -o "$work/all"
  next=$(postil finish "$work/all" --shards ${#files[@]} -o "$plan")
  echo "$next"
  [ "$next" != done ] || break
  options=(--model "$plan")
done
mv "$plan" "$model"
