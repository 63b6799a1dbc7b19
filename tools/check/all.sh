#!/usr/bin/env bash
# Every check of the source tree: all.sh ROOT. Runs all of them, then fails if one did.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
failed=()
for check in format layers names sizes links selftest; do
  if "$here/$check.sh" "$1"; then echo "$check: fine"; else failed+=("$check"); fi
done
if ((${#failed[@]} > 0)); then
  echo "check failed: ${failed[*]}" >&2
  exit 1
fi
