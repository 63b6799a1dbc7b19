#!/usr/bin/env bash
# fuzz_seeds.sh ROOT NAME FOLDER: copies the seeds of a fuzz target: the files of tests/golden and configs that its line
# `// Seeds:` names, and those of tests/fuzz/seeds/NAME.
set -euo pipefail

root=$1 name=$2 folder=$3
pattern=$(sed -n 's|^// Seeds: ||p' "$root/tests/fuzz/${name}_fuzz.cc")
{
  [[ -z $pattern ]] || find "$root/tests/golden" "$root/configs" -name "$pattern" -size -16k
  [[ ! -d $root/tests/fuzz/seeds/$name ]] || find "$root/tests/fuzz/seeds/$name" -type f
} | while read -r file; do cp "$file" "$folder/$(sha1sum "$file" | cut -c1-16)"; done
