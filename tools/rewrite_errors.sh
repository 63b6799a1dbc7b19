#!/usr/bin/env bash
# Records the error texts of all cases in tests/golden/errors, and shows which files changed. Read the diff before you
# commit it.
set -euo pipefail
cd "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"
LOCUS_REWRITE=1 ./run test ErrorTexts
git diff --stat tests/golden/errors
