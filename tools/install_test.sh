#!/usr/bin/env bash
# Tests the installation: install_test.sh ROOT BUILD
# Installs Locus as a static and as a shared library, builds a project with each (find_package and pkg-config), creates
# the Debian packages and the tarball, and checks their contents. Both libraries use the objects that BUILD already has, so this takes
# seconds.
set -euo pipefail
root=$1 build=$2
stage=$(mktemp -d)
trap 'cmake "$build" -DBUILD_SHARED_LIBS=OFF >/dev/null; rm -rf "$stage"' EXIT

say() { echo "install_test: $*" >&2; }
expect() {  # expect TEXT COMMAND...: the output contains TEXT
  local text=$1 output
  shift
  output=$("$@" 2>&1) || { say "$* failed: $output"; exit 1; }
  [[ $output == *"$text"* ]] || { say "$*: expected '$text' in: $output"; exit 1; }
}
quietly() { "$@" >"$stage/log" 2>&1 || { say "$* failed:"; cat "$stage/log" >&2; exit 1; }; }

# check_headers INCLUDE: the headers there are exactly those that locus.h and fast.h include, and need fmt only.
check_headers() {
  local seen installed
  printf '#include "locus/%s.h"\n' locus fast >"$stage/faces.cc"
  seen=$(g++ -std=c++20 -M -I "$1" "$stage/faces.cc" | tr -s ' \\' '\n')
  installed=$(find "$1" -name '*.h' | sort)
  if [[ $(grep "^$1/" <<<"$seen" | sort -u) != "$installed" ]]; then
    say "installed headers that locus.h and fast.h do not include: $(grep -vxF "$seen" <<<"$installed")"
    exit 1
  fi
  if grep -E 'simdjson|toml[+][+]|CLI|hwy|pcre2|utf8proc' <<<"$seen" >&2; then
    say "public headers include these headers of other libraries, expected fmt only"
    exit 1
  fi
  say "$(wc -l <<<"$installed") headers installed"
}

for kind in static shared; do
  prefix=$stage/$kind
  quietly cmake "$build" -DBUILD_SHARED_LIBS=$([[ $kind == shared ]] && echo ON || echo OFF)
  quietly ninja -C "$build" ${LOCUS_BUILD_JOBS:+-j "$LOCUS_BUILD_JOBS"} installable
  quietly cmake --install "$build" --prefix "$prefix"
  expect 'locus 0.1.0' "$prefix/bin/locus" --version
  expect 'complete -o default' cat "$prefix/share/bash-completion/completions/locus"
  expect '.SS compare' zcat "$prefix/share/man/man1/locus.1.gz"
  expect "$stage/run-$kind" "$prefix/bin/locus" train "$prefix/share/locus/configs/classify.toml" \
    --out "$stage/run-$kind" --set train.steps=1
  expect '"step": 1,' cat "$stage/run-$kind/metrics.jsonl"

  # The installation still works after moving it: no file contains its path.
  mv "$prefix" "$prefix-moved" && prefix=$prefix-moved
  quietly cmake -S "$root/tests/consumer" -B "$stage/consumer-$kind" -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
  quietly ninja -C "$stage/consumer-$kind"
  expect 'locus 0.1.0, 12 schemes, [5, 32]' "$stage/consumer-$kind/consumer"
  expect 'rotated [0.54, 0.84]' "$stage/consumer-$kind/consumer"
  check_headers "$prefix/include"

  export PKG_CONFIG_PATH
  PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name locus.pc)")
  # shellcheck disable=SC2046  # word splitting is intended
  quietly g++ -std=c++20 $(pkg-config --cflags locus) "$root"/tests/consumer/*.cc -o "$stage/by-pkg-config" \
    $(pkg-config --libs locus)
  LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH") expect 'locus 0.1.0' "$stage/by-pkg-config"
  say "$kind: installed, moved, and used with find_package and with pkg-config"
done

quietly cmake "$build" -DBUILD_SHARED_LIBS=OFF
rm -rf "$build/packages"
quietly cpack --config "$build/CPackConfig.cmake" -B "$build/packages"
program=("$build"/packages/locus_*.deb) library=("$build"/packages/liblocus-dev_*.deb)
expect libfmt dpkg-deb --field "${program[0]}" Depends
expect libsimdjson-dev dpkg-deb --field "${library[0]}" Depends
expect ./usr/bin/locus dpkg-deb --contents "${program[0]}"
expect ./usr/lib/systemd/system/locus@.service dpkg-deb --contents "${program[0]}"
expect ./usr/share/zsh/vendor-completions/_locus dpkg-deb --contents "${program[0]}"
expect ./usr/include/locus/locus.h dpkg-deb --contents "${library[0]}"
if [[ -f $build/liblocus-mpi.so ]]; then  # an MPI library is installed
  plugin=("$build"/packages/locus-mpi_*.deb)
  expect ./usr/lib/locus/liblocus-mpi.so dpkg-deb --contents "${plugin[0]}"
  expect 'locus (= 0.1.0)' dpkg-deb --field "${plugin[0]}" Depends
  expect mpi dpkg-deb --field "${plugin[0]}" Depends
  say "package: $(basename "${plugin[0]}")"
fi
quietly dpkg-deb --extract "${program[0]}" "$stage/package"
expect 'locus 0.1.0' "$stage/package/usr/bin/locus" --version

# The tarball: only glibc comes from outside, and the program runs with an empty environment.
quietly "$root/tools/tarball.sh" "$build" "$build/packages"
tarball=("$build"/packages/locus-*-linux-*.tar.gz)
quietly tar -C "$stage" -xzf "${tarball[0]}"
unpacked=$stage/$(basename "${tarball[0]}" .tar.gz)
expect 'locus 0.1.0' env -i "$unpacked/bin/locus" --version
expect 'attention scores' env -i "$unpacked/bin/locus" schemes alibi
expect '.SS compare' zcat "$unpacked/share/man/man1/locus.1.gz"
expect 'Apache License' cat "$unpacked/LICENSE"
outside=$(ldd "$unpacked/bin/locus" | awk -v inside="$unpacked" '$2 == "=>" && index($3, inside) != 1 { print $1 }' |
  grep -vE '^(libc|libm|libdl|librt|libpthread)\.so' || true)
[[ -z $outside ]] || { say "the tarball needs libraries of the system besides glibc: $outside"; exit 1; }
say "packages: $(basename "${tarball[0]}"), $(basename "${program[0]}"), $(basename "${library[0]}")"
