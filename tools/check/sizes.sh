#!/usr/bin/env bash
# Reports long files and functions: sizes.sh ROOT
# Lists files of more than 300 lines and functions of more than 60. Fails for a file of more than 500 lines, unless
# ARCHITECTURE.md has a line "- `path`: reason".
set -euo pipefail
cd "$1"
# As formatted by clang-format, a function starts at column 1 (a member: column 3) and ends with a brace there.
find src tests bench examples \( -name '*.cc' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' \) | sort | xargs -r awk '
  function file_done() {
    if (lines <= 300) return
    excused = lines > 500 && index(reasons, "\n- `" file "`: ") > 0
    print "  " file ": " lines " lines" (excused ? ", exempted in ARCHITECTURE.md" : "")
    if (lines > 500 && !excused) found = 1
  }
  BEGIN { while ((getline text < "ARCHITECTURE.md") > 0) reasons = reasons "\n" text }
  FNR == 1 { if (NR > 1) file_done(); file = FILENAME; start = 0 }
  { lines = FNR }
  /^(  )?[A-Za-z_\[~].*[^;]$/ && !/^ *(namespace|struct|class|enum|union|public|private|protected)/ && /\(/ && !start {
    start = FNR; first = $0; margin = match($0, /[^ ]/) - 1
  }
  start && (/;$/ || /^ *};?$/ || /}$/) && match($0, /[^ ]/) - 1 == margin {
    if (FNR - start >= 60) print "  " file ":" start ": a function of " FNR - start + 1 " lines"
    start = 0
  }
  END { if (NR) file_done(); exit found }' >&2
