#!/usr/bin/env bash
# Trains every preset in configs/ and checks that it reaches its target: tools/presets.sh LOCUS FOLDER [DEVICE]
# Prints one line per preset. Fails if a preset misses its target. The runs stay in FOLDER, which is emptied first.
set -euo pipefail
locus=$1 folder=$2 device=${3-cpu}
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
limit=300  # seconds, on two otherwise idle cores or with a GPU

rm -rf "$folder"
mkdir -p "$folder"

# number FILE NAME: a number in the output of `locus eval --json`.
number() { sed -n "s/^  \"$2\": \([0-9.e+-]*\),*$/\1/p" "$1"; }

# preset NAME DATA MEASURE OPERATOR TARGET: the target is a number, or +MARGIN above the majority-class accuracy.
missed=0
preset() {
  local name=$1 data=$2 measure=$3 operator=$4 target=$5 value seconds result=passed
  # CPU time of all threads, so that a busy machine does not change the result; with a GPU, the time that passes.
  seconds=$({ TIMEFORMAT='%U %S %R' && time "$locus" train "$root/configs/$name.toml" --out "$folder/$name" \
    --set train.device="$device" >"$folder/$name.log" 2>&1; } 2>&1 |
    awk -v device="$device" '{ print device == "cpu" ? ($1 + $2) / 2 : $3 }') || { cat "$folder/$name.log" >&2 && exit 1; }
  "$locus" eval "$folder/$name" "$data" --json >"$folder/$name.json"
  value=$(number "$folder/$name.json" "$measure")
  [[ $target != +* ]] ||
    target=$(awk -v a="$(number "$folder/$name.json" majority)" -v b="$target" 'BEGIN { print a + b }')
  awk "BEGIN { exit !($value $operator $target && $seconds < $limit) }" || { result=MISSED && missed=1; }
  printf '%-18s %-12s %7.4f   %-2s %-7.4g %6.0f s   %s\n' \
    "$name" "$measure" "$value" "$operator" "$target" "$seconds" "$result"
}

"$root/tools/fetch.sh" "$root" kjv

printf '%-18s %-12s %7s   %-10s %8s\n' preset measure reached target "$([[ $device != cpu ]] || echo 'CPU / 2')"
preset causal-kjv "$root/data/kjv.test.txt" loss '<' 1.4
preset masked "$root/configs/data/sentences.test.txt" accuracy '>=' +0.5
preset translate-reverse "$root/configs/data/reverse.test.tsv" exact_match '>=' 0.99
preset classify "$root/configs/data/chase.test.tsv" accuracy '>=' +0.5
exit "$missed"
