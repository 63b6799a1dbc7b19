#!/usr/bin/env bash
# Checks registers and spills of the GPU's kernels: kernels.sh ROOT
# Compares what the last build of build/release reported with kernels.txt beside this script: a kernel may use no more
# than its line says, for every target. Skipped if nothing was compiled, or by another nvcc.
set -euo pipefail
list=$(dirname "$(readlink -f "$0")")/kernels.txt
shopt -s nullglob
reports=("$1"/build/release/fatbins/*.txt)
if ((${#reports[@]} == 0)); then
  echo "kernels: skipped, build/release has no GPU kernels"
  exit
fi
awk '
  FNR == NR {
    if ($1 == "nvcc") version = $2
    else if ($0 !~ /^#/ && NF) { most[$1] = $2; most_spilled[$1] = $3 + 0 }
    next
  }
  $1 == "nvcc" && $2 != version {
    print "kernels: skipped, compiled by nvcc " $2 " and the list is for " version
    other = 1
    exit
  }
  /Compiling entry function/ { split($0, part, "\047"); name = part[2]; target = part[4]; spilled = 0 }
  # The last line about a kernel itself is that of its registers; lines about functions that it calls follow.
  /bytes spill stores/ { match($0, /[0-9]+ bytes spill stores/); spilled += substr($0, RSTART) + 0 }
  /Used [0-9]+ registers/ && name != "" {
    match($0, /[0-9]+ registers/)
    used = substr($0, RSTART) + 0
    if (!(name in most)) text = "is not in tools/check/kernels.txt"
    else if (used > most[name]) text = "the list has " most[name]
    else if (spilled > most_spilled[name]) text = "the list has " most_spilled[name] " bytes"
    else text = ""
    if (text != "") {
      print name " for " target ": " used " registers, " spilled " bytes spilled; " text
      found = 1
    }
    name = ""
  }
  END { exit found && !other }' "$list" "${reports[@]}" >&2
