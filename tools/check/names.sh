#!/usr/bin/env bash
# Checks that neither the layers below scheme/ nor nn/ mention a scheme or a model by name: names.sh ROOT
# Words end at every character that is not a letter or digit, and before a capital after a small letter: rotary_table,
# RotaryTable and "rotary" are all found. ALiBi is found because lines are also searched without this splitting.
# Excluded is base/synonyms.cc, which lists the names of settings in other libraries.
set -euo pipefail
names=$(dirname "$(readlink -f "$0")")/names.txt
cd "$1"
{ find src/locus/{base,tensor,autograd,kernel,op,nn} -name "*.cc" -o -name "*.h" -o -name "*.cu" -o -name "*.cuh" 2>/dev/null || true; } |
  grep -v '^src/locus/base/synonyms\.cc$' | sort |
  xargs -r awk '
    FNR == NR { if ($0 !~ /^#/ && NF) name[$1] = 1; next }
    function look(text,   n, i, word) {
      n = split(tolower(text), word, /[^a-z0-9]+/)
      for (i = 1; i <= n; ++i) {
        if (!(word[i] in name)) continue
        print FILENAME ":" FNR ": the name \"" word[i] "\""
        found = 1
        return 1
      }
      return 0
    }
    function split_capitals(text,   result, i, letter, last) {
      for (i = 1; i <= length(text); ++i) {
        letter = substr(text, i, 1)
        result = result (last ~ /[a-z0-9]/ && letter ~ /[A-Z]/ ? " " : "") letter
        last = letter
      }
      return result
    }
    { if (!look($0)) look(split_capitals($0)) }
    FNR == 1 { n = split(FILENAME, path, "/"); look_path = path[n]; sub(/\.[a-z]+$/, "", look_path); look(look_path) }
    END { exit found }' "$names" >&2
