#!/usr/bin/env bash
# Runs all checks of the source tree, then fails if any of them failed: all.sh ROOT
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
failed=()
for check in format layers names words sizes links kernels bad_inputs selftest; do
  if "$here/$check.sh" "$1"; then echo "$check: fine"; else failed+=("$check"); fi
done
if ((${#failed[@]} > 0)); then
  echo "check failed: ${failed[*]}" >&2
  exit 1
fi
