#!/usr/bin/env bash
# fuzz_seeds.sh ROOT NAME FOLDER: copies the seeds of a fuzz target: the files of tests/golden and configs that its line
# `// Seeds:` names, and those of tests/fuzz/seeds/NAME. `// Seeds of folders: text` makes one seed of each folder in
# tests/golden/text: for every file a line with its name and size, then its bytes.
set -euo pipefail

root=$1 name=$2 folder=$3
pattern=$(sed -n 's|^// Seeds: ||p' "$root/tests/fuzz/${name}_fuzz.cc")
{
  [[ -z $pattern ]] || find "$root/tests/golden" "$root/configs" -name "$pattern" -size -16k
  [[ ! -d $root/tests/fuzz/seeds/$name ]] || find "$root/tests/fuzz/seeds/$name" -type f
} | while read -r file; do cp "$file" "$folder/$(sha1sum "$file" | cut -c1-16)"; done
folders=$(sed -n 's|^// Seeds of folders: ||p' "$root/tests/fuzz/${name}_fuzz.cc")
if [[ -n $folders ]]; then
  for place in "$root/tests/golden/$folders"/*/; do
    for file in "$place"*; do
      printf '%s %s\n' "${file##*/}" "$(stat -c %s "$file")"
      cat "$file"
    done >"$folder/$(basename "$place")"
  done
fi
