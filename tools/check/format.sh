#!/usr/bin/env bash
# clang-format 14 decides the layout: format.sh ROOT
# The version is named: another one lays out the same settings a little differently.
set -euo pipefail
cd "$1"
find src tests bench examples -name '*.cc' -o -name '*.h' | sort |
  xargs -r clang-format-14 --dry-run -Werror 2>&1 | { grep -E 'error:' || true; } | cut -d: -f1 | sort | uniq -c |
  awk '{ print $2 ": " $1 " places differ; clang-format-14 -i " $2; found = 1 } END { exit found }' >&2
