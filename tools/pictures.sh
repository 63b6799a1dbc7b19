#!/usr/bin/env bash
# Makes the pictures in docs/ with Locus: pictures.sh [LOCUS [STUDY]]
# STUDY is the folder of a finished comparison. Its length.svg becomes docs/pictures/length.svg.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
locus=${1:-$root/build/release/locus} study=${2-} pictures=$root/docs/pictures
mkdir -p "$pictures"

for scheme in $("$locus" schemes --json | sed -n 's/^  {"name": "\([a-z0-9_]*\)".*/\1/p'); do
  # For queries before its threshold, fire depends on the distance only: a small threshold shows the difference.
  set=()
  [[ $scheme != fire ]] || set=(--set threshold=8)
  "$locus" show "$scheme" "${set[@]}" --heads 3 --length 48 --out "$pictures/$scheme.svg"
done

if [[ -n $study ]]; then
  cp "$study/length.svg" "$pictures/length.svg"
  echo "$pictures/length.svg: from $study"
fi
