#!/usr/bin/env bash
# kills.sh ROOT LOCUS COUNT [SEED]: runs commands that write files, kills each with SIGKILL at a random moment, COUNT
# times over all commands. After a kill, the output must be absent or complete. After one to three kills, the same
# command must end with the bytes of an undisturbed run, and leave no temporary file.
set -euo pipefail

root=$1 locus=$(realpath "$2") count=$3
RANDOM=${4-1}
export LOCUS_THREADS=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

for _ in {1..60}; do printf abcdefgh; done >text.txt
for i in {1..20}; do printf 'good dog %s\tyes\nbad cat %s\tno\n' "$i" "$i"; done >mood.tsv
head -n 200 "$root/configs/data/sentences.txt" >sentences.txt
cat >run.toml <<'TOML'
[model]
width = 16
layers = 1
heads = 2
[model.scheme]
name = 'learned'
[data]
train = 'text.txt'
validation_split = 0.2
context = 16
[train]
steps = 40
eval_every = 10
save_every = 3
TOML
cat >tune.toml <<TOML
[model]
from = '$root/tests/golden/apply/classify'
head = 'sequence_class'
[data]
train = 'mood.tsv'
validation_split = 0.2
context = 16
truncate = true
[train]
steps = 8
save_every = 2
TOML

# Sets `words`, the command of a name that writes to a place.
set_words() {
  local shared=$root/tests/golden
  case $1 in
    train) words=(train run.toml --out "$2") ;;
    tune) words=(train tune.toml --out "$2") ;;
    compare) words=(compare --schemes 'none,learned' --tasks back --seeds 1 --steps 4 --length 16 --lengths 24 --out "$2") ;;
    embed) words=(embed "$shared/apply/embed" --file sentences.txt --out "$2/v.npy") ;;
    stretch) words=(stretch "$shared/family/gpt2" --length 64 --how interpolate --out "$2") ;;
    export) words=(export trained "$2") ;;
  esac
}

run_whole() {
  set_words "$1" "$2"
  [[ $1 != embed ]] || mkdir -p "$2"
  "$locus" "${words[@]}" >/dev/null 2>log || { cat log >&2; echo "kills: $1 fails" >&2; exit 1; }
}

# What of an output must be the same in every run: no times, no lock, and no pages that show times. state.toml has the
# size of the metrics, which are times, too, and the manifest has its checksum.
compared() {
  case $1 in
    train | tune) (cd "$2" && readlink last best &&
      find . \( -path './steps/*' -o -path './hub/*' \) -type f ! -name state.toml ! -name manifest | sort | xargs sha256sum) ;;
    compare) sed -E '/"step_(seconds|bytes)"/d' "$2"/cells/*.json ;;
    *) (cd "$2" && find . -type f | sort | xargs -r sha256sum) ;;
  esac
}

# Fails if the output that a killed command left is neither absent nor complete.
check_killed() {
  local folder=$2 step cell file
  [[ -e $folder ]] || return 0
  case $1 in
    train | tune)
      for step in "$folder"/steps/*; do
        [[ $step == *.part || ! -e $step ]] || "$locus" inspect "$step" >/dev/null
      done
      ;;
    compare)
      for cell in "$folder"/cells/*.json; do
        [[ ! -e $cell ]] || cmp <(sed -E '/"step_(seconds|bytes)"/d' "$cell") \
          <(sed -E '/"step_(seconds|bytes)"/d' "expected-compare/cells/${cell##*/}")
      done
      ;;
    embed)
      for file in "$folder"/v.npy "$folder"/v.npy.jsonl; do
        [[ ! -e $file ]] || cmp "$file" "expected-embed/${file##*/}"
      done
      ;;
    *) diff -r "expected-$1" "$folder" ;;
  esac
}

milliseconds() { echo $(($(date +%s%N) / 1000000)); }

# Starts a command and kills it after at most `limit` milliseconds. Returns whether the signal ended it.
killed_once() {
  local limit=$3 status=0 process
  set_words "$1" "$2"
  [[ $1 != embed ]] || mkdir -p "$2"
  "$locus" "${words[@]}" >/dev/null 2>&1 &
  process=$!
  sleep "$(awk -v ms=$((RANDOM * 32768 + RANDOM)) -v limit="$limit" 'BEGIN { print ms % (limit + 1) / 1000 }')"
  kill -9 "$process" 2>/dev/null || true
  wait "$process" 2>/dev/null || status=$?
  ((status == 137))
}

commands=(train tune compare embed stretch export)
run_whole train trained
for index in "${!commands[@]}"; do
  name=${commands[index]}
  began=$(milliseconds)
  run_whole "$name" "expected-$name"
  took=$(($(milliseconds) - began))
  compared "$name" "expected-$name" >"sums-$name"
  wanted=$((count * (index + 1) / ${#commands[@]} - count * index / ${#commands[@]})) killed=0 missed=0 reruns=0
  while ((killed < wanted)); do
    rm -rf out
    for ((tries = RANDOM % 3 + 1; tries > 0 && killed < wanted; --tries)); do
      # Adjusts to a machine that is busier or quieter than before.
      if killed_once "$name" out "$took"; then
        killed=$((killed + 1)) took=$((took + took / 20 + 1))
      else
        missed=$((missed + 1)) took=$((took - took / 5))
      fi
      check_killed "$name" out || { echo "kills: $name left a partial output" >&2; exit 1; }
    done
    if [[ ! -e out || ($name != stretch && $name != export) ]]; then run_whole "$name" out; fi  # they replace nothing
    cmp <(compared "$name" out) "sums-$name" || { echo "kills: $name ends with other bytes" >&2; exit 1; }
    [[ -z $(find . -name '*.part*') ]] || { find . -name '*.part*' >&2; echo "kills: $name leaves debris" >&2; exit 1; }
    reruns=$((reruns + 1))
  done
  printf '%-8s %4d kills, %4d ended before their kill, %4d reruns with the expected bytes\n' \
    "$name" "$killed" "$missed" "$reruns"
done
