#!/usr/bin/env bash
# Checks that the targets of relative links in the documentation exist: links.sh ROOT
set -euo pipefail
cd "$1"
find . \( -name build -o -name .git -o -name models -o -name out \) -prune -o -name '*.md' -print | sort |
  xargs -r awk '
    FNR == 1 { fenced = 0 }
    /^ *```/ { fenced = !fenced; next }
    fenced { next }
    {
      rest = $0
      while (match(rest, /\]\([^) ]+\)/)) {
        target = substr(rest, RSTART + 2, RLENGTH - 3)
        rest = substr(rest, RSTART + RLENGTH)
        sub(/#.*/, "", target)
        if (target != "" && target !~ /^[a-z]+:/) print FILENAME "\t" FNR "\t" target
      }
    }' | {
  found=0
  while IFS=$'\t' read -r file line target; do
    if [[ ! -e $(dirname "$file")/$target ]]; then
      echo "${file#./}:$line: '$target' does not exist" >&2
      found=1
    fi
  done
  exit $found
}
