#!/usr/bin/env bash
# Long files and functions, as a report: sizes.sh ROOT
# Files past 300 lines and functions past 60 are listed. A file past 500 lines fails, unless ARCHITECTURE.md names it
# in a line "- `path`: reason".
set -euo pipefail
cd "$1"
# In the layout of clang-format a function starts at the margin (a member: two blanks in) and ends with a brace there.
find src tests bench examples \( -name '*.cc' -o -name '*.h' \) | sort | xargs -r awk '
  function file_done() {
    if (lines <= 300) return
    excused = lines > 500 && index(reasons, "\n- `" file "`: ") > 0
    print "  " file ": " lines " lines" (excused ? ", for a reason in ARCHITECTURE.md" : "")
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
