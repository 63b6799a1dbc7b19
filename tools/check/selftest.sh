#!/usr/bin/env bash
# Tests the checks: each must pass on a small valid tree, and find every fault planted in it.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

sound_tree() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree"/{src/locus/{base,tensor,kernel,op,text,serve,cli,python},tests,bench,examples,docs}
  cp "$here/../../.clang-format" "$tree/"
  echo 'int one() { return 1; }' >"$tree/src/locus/base/one.h"
  printf '// Rotation and Phi(x), learned.\n#include "hwy/highway.h"\n#include "locus/base/one.h"\n' \
    >"$tree/src/locus/kernel/turn.cc"
  echo '#include "locus/kernel/turn.h"' >"$tree/src/locus/cli/main.cc"
  printf '[there](docs/there.md#part) [web](https://example.org)\n```\n[code](nowhere)\n```\n' >"$tree/README.md"
  echo 'Nothing.' >"$tree/docs/there.md"
  echo '# Reasons' >"$tree/ARCHITECTURE.md"
}

lines() { seq "$1" | sed "s|.*|$2|"; }
long_file() { lines "$1" '// A line.' >"$tree/src/locus/base/long.cc"; }

# expect finds|passes CHECK [TEXT]: the check finds a fault or passes, and its output contains TEXT
expect() {
  local output verdict=passes
  output=$("$here/$2.sh" "$tree" 2>&1) || verdict=finds
  if [[ $verdict != "$1" || $output != *"${3-}"* ]]; then
    echo "selftest: $2 $verdict, expected that it $1 '${3-}'. Output: $output" >&2
    exit 1
  fi
  sound_tree
}

sound_tree
for check in format layers names words sizes links bad_inputs; do expect passes "$check"; done

printf '| input | tests | files |\n|---|---|---|\n| locks | 2 | `lock*` |\n\n' >"$tree/docs/security.md"
printf 'TEST(Lock, A) {\n  expect_error(1);\n}\nTEST(Lock, B) {\n}\n' >"$tree/tests/lock_test.cc"
expect finds bad_inputs '2 tests of bad input for locks, but tests/ has 1'

echo 'int  two( ){return 2;}' >"$tree/tests/two_test.cc"
expect finds format tests/two_test.cc

echo '#include "locus/op/add.h"' >>"$tree/src/locus/kernel/turn.cc"
expect finds layers 'src/locus/kernel/turn.cc:4: kernel may not include locus/op/add.h'
echo '#include "locus/tensor/tensor.h"' >"$tree/src/locus/text/words.h"
expect finds layers 'text may not include'
echo '#include "locus/locus.h"' >"$tree/src/locus/op/add.h"
expect finds layers 'op may not include locus/locus.h'
echo '#include "../op/add.h"' >"$tree/src/locus/base/two.h"
expect finds layers 'write the path from src/'
printf '#include "locus/fast.h"\n#include "locus/scheme/scheme.h"\n' >"$tree/src/locus/fast.cc"
expect passes layers
echo '#include "locus/nn/model.h"' >"$tree/src/locus/fast.cc"
expect finds layers 'fast may not include locus/nn/model.h'
echo '#include "locus/fast.h"' >"$tree/src/locus/op/add.h"
expect finds layers 'op may not include locus/fast.h'
printf '#include "locus/report/page.h"\n#include "locus/locus.h"\n' >"$tree/src/locus/python/module.cc"
expect passes layers
echo '#include "locus/cli/command.h"' >"$tree/src/locus/python/module.cc"
expect finds layers 'python may not include locus/cli/command.h'
echo '#include "locus/python/bindings.h"' >"$tree/src/locus/serve/http.h"
expect finds layers 'serve may not include locus/python/bindings.h'
mkdir "$tree/src/locus/utils" && echo >"$tree/src/locus/utils/two.h"
expect finds layers 'utils has no place'

for text in 'void rotary();' 'void apply_rope(int);' 'struct RotaryTable;' '// As in ALiBi.' 'int T5Bias;' 'int x[GPT2];'; do
  echo "$text" >>"$tree/src/locus/kernel/turn.cc"
  expect finds names 'src/locus/kernel/turn.cc:4'
done
echo '// Empty.' >"$tree/src/locus/op/alibi_bias.cc"
expect finds names 'alibi'
echo 'void rotary();' >"$tree/src/locus/text/rotary.h"
expect passes names

echo 'The folder is read anew.' >"$tree/docs/there.md"
expect finds words 'docs/there.md:1: "anew": write again'
printf 'int a;\n// Read anew.\nauto text = "a folder of the hub";\n' >"$tree/src/locus/cli/main.cc"
expect finds words 'src/locus/cli/main.cc:3: "of the hub"'
printf 'auto text =\n    "a list, separated "\n    "by commas";\n' >"$tree/src/locus/op/add.h"
expect finds words 'src/locus/op/add.h:3: "by commas"'
printf '// Read anew. "anew"\nint a;  // "anew"\nauto text = "// slashes";\nchar quote = %s;\n' "'\"'" >"$tree/src/locus/op/add.h"
expect passes words

long_file 301
expect passes sizes 'src/locus/base/long.cc: 301 lines'
long_file 501
expect finds sizes 'src/locus/base/long.cc: 501 lines'
long_file 501
echo '- `src/locus/base/long.cc`: a table.' >>"$tree/ARCHITECTURE.md"
expect passes sizes 'exempted'
{ echo 'int long_one() {'; lines 60 '  work();'; echo '}'; } >"$tree/src/locus/base/two.cc"
expect passes sizes 'src/locus/base/two.cc:1: a function of 62 lines'
{ echo 'class A {'; echo '  int long_one() {'; lines 60 '    work();'; printf '  }\n};\n'; } >"$tree/tests/a.h"
expect passes sizes 'tests/a.h:2: a function of 62 lines'

echo '[gone](docs/gone.md)' >>"$tree/README.md"
expect finds links "README.md:5: 'docs/gone.md' does not exist"
