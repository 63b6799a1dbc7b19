#!/usr/bin/env bash
# Packs what tools/gpu_visit.sh runs on a machine with a GPU, where nothing is built: gpu_bundle.sh BUILD TARGET
# TARGET.tar.gz has the program, the tests and the GPU's benchmarks, with the libraries they need besides glibc, and the
# King James Bible if it was fetched. The tests read files of a clone, which must be where they were compiled:
# gpu_visit.sh makes a link.
set -euo pipefail
build=$1 target=$2
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

mkdir -p "$stage/bin" "$stage/lib/locus" "$stage/data"
install -s -m 755 "$build/portable/locus" "$build/locus_tests" "$build/locus_gpu_bench" "$stage/bin"
ldd "$stage"/bin/* | awk '$2 == "=>" && $3 ~ /^\// && $1 !~ /^(libc|libm|libdl|librt|libpthread)\.so/ { print $3 }' |
  sort -u | while read -r library; do install -m 644 "$library" "$stage/lib/locus/"; done
for text in "$root"/data/kjv.{train,test}.txt; do [[ ! -e $text ]] || cp "$text" "$stage/data/"; done
echo "$root" >"$stage/root"
mkdir -p "$(dirname "$target")"
tar -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner -czf "$target.tar.gz" .
echo "gpu-bundle: $target.tar.gz, $(($(stat -c %s "$target.tar.gz") >> 20)) MiB, needs glibc $(objdump -T "$stage"/bin/* \
  "$stage"/lib/locus/* | grep -o 'GLIBC_[0-9.]*' | sort -V | tail -n 1 | cut -d_ -f2) or later"
