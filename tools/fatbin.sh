#!/usr/bin/env bash
# Compiles device code and keeps the report of the assembler, registers and spills: fatbin.sh NVCC REPORT ARGUMENT...
set -euo pipefail
nvcc=$1 report=$2
shift 2
if ! "$nvcc" -Xptxas -v "$@" 2>"$report"; then
  cat "$report" >&2
  rm "$report"
  exit 1
fi
"$nvcc" --version | sed -n 's/.*, V/nvcc /p' >>"$report"
grep -v -e '^ptxas info' -e '^nvcc ' -e '^ *[0-9]* bytes' "$report" >&2 || true  # warnings
