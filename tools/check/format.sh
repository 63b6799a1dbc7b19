#!/usr/bin/env bash
# Checks that all sources are formatted by clang-format 14: format.sh ROOT
# The version is fixed because another version formats slightly differently with the same settings.
set -euo pipefail
cd "$1"
find src tests bench examples -name '*.cc' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' | sort |
  xargs -r clang-format-14 --dry-run -Werror 2>&1 | { grep -E 'error:' || true; } | cut -d: -f1 | sort | uniq -c |
  awk '{ print $2 ": " $1 " places are not formatted; run clang-format-14 -i " $2; found = 1 } END { exit found }' >&2
