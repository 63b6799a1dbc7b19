#!/usr/bin/env bash
# Trains every preset of configs/ and holds it to its promise: tools/presets.sh LOCUS FOLDER
# A line for each; fails when a promise is missed. FOLDER, which is emptied first, keeps the runs.
set -euo pipefail
locus=$1 folder=$2
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
limit=300  # seconds, on two cores that do nothing else

rm -rf "$folder"
mkdir -p "$folder"

# number FILE NAME: a number of what `locus eval --json` printed.
number() { sed -n "s/^  \"$2\": \([0-9.e+-]*\),*$/\1/p" "$1"; }

# preset NAME DATA MEASURE OPERATOR WANTED: wanted is a number, or +MARGIN over the majority's accuracy.
missed=0
preset() {
  local name=$1 data=$2 measure=$3 operator=$4 wanted=$5 value seconds verdict=kept
  # By the time all threads took: a busy machine changes nothing.
  seconds=$({ TIMEFORMAT='%U %S' && time "$locus" train "$root/configs/$name.toml" --out "$folder/$name" \
    >"$folder/$name.log" 2>&1; } 2>&1 | awk '{ print ($1 + $2) / 2 }') || { cat "$folder/$name.log" >&2 && exit 1; }
  "$locus" eval "$folder/$name" "$data" --json >"$folder/$name.json"
  value=$(number "$folder/$name.json" "$measure")
  [[ $wanted != +* ]] ||
    wanted=$(awk -v a="$(number "$folder/$name.json" majority)" -v b="$wanted" 'BEGIN { print a + b }')
  awk "BEGIN { exit !($value $operator $wanted && $seconds < $limit) }" || { verdict=MISSED && missed=1; }
  printf '%-18s %-12s %7.4f   %-2s %-7.4g %6.0f s   %s\n' \
    "$name" "$measure" "$value" "$operator" "$wanted" "$seconds" "$verdict"
}

verdict=$root/../shared/data/the-verdict.txt
[[ -f $verdict ]] || verdict=${LOCUS_DATA:-}/the-verdict.txt

printf '%-18s %-12s %7s   %-10s %8s\n' preset measure reached wanted 'CPU / 2'
if [[ -f $verdict ]]; then
  preset causal-verdict "$verdict" loss '<' 0.5
else
  echo "causal-verdict     skipped: no the-verdict.txt; LOCUS_DATA can name the folder it is in"
fi
preset masked "$root/configs/data/sentences.test.txt" accuracy '>=' +0.5
preset translate-reverse "$root/configs/data/reverse.test.tsv" exact_match '>=' 0.99
preset classify "$root/configs/data/chase.test.tsv" accuracy '>=' +0.5
exit "$missed"
