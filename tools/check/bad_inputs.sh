#!/usr/bin/env bash
# Counts the tests of bad input for every row of the table in docs/security.md, and fails if there are fewer than the
# row states: bad_inputs.sh ROOT. A row has the number, and patterns of test files below tests/. A test counts if it
# expects an error.
set -euo pipefail
cd "$1"

# The number of tests in these files that expect an error.
count() {
  awk '
    function end_test() { total += open && found; open = found = 0 }
    FNR == 1 { end_test() }
    /^(TEST|TEST_F|TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\(/ { end_test(); open = 1 }
    /expect_error|expect_bad_data|expect_program_fault|expect_refused|expect_in_use|refused\(|EXPECT_THROW/ { found = 1 }
    END { end_test(); print total + 0 }' "$@" </dev/null
}

failed=0
while IFS='|' read -r _ input stated patterns _; do
  files=()
  for pattern in $(grep -o '`[^`]*`' <<<"$patterns" | tr -d '`'); do
    for file in tests/${pattern}_test.cc; do [[ ! -f $file ]] || files+=("$file"); done
  done
  ((${#files[@]} > 0)) && found=$(count "${files[@]}") || found=0
  if ((found < stated)); then
    echo "docs/security.md: $((stated)) tests of bad input for $(xargs <<<"$input"), but tests/ has $found"
    failed=1
  fi
done < <(sed -n '/^| input | tests /,/^$/p' docs/security.md 2>/dev/null | tail -n +3 | grep '^|' || true)
exit "$failed"
