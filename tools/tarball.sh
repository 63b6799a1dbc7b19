#!/usr/bin/env bash
# Packs the program for any Linux with a recent glibc: tarball.sh BUILD FOLDER
# FOLDER/locus-VERSION-linux-MACHINE.tar.gz has the program, the libraries it needs besides glibc, the manual page,
# completions, presets, README and LICENSE.
set -euo pipefail
build=$1 folder=$2
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
program=$build/portable/locus
name=locus-$("$program" --version | awk '{ print $2 }')-linux-$(uname -m)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

cmake --install "$build" --prefix "$stage/$name" --component program >/dev/null
install -s -m 755 "$program" "$stage/$name/bin/locus"
install -d "$stage/$name/lib/locus"
# glibc stays outside: its parts must fit the kernel and each other.
ldd "$program" | awk '$2 == "=>" && $3 ~ /^\// && $1 !~ /^(libc|libm|libdl|librt|libpthread)\.so/ { print $3 }' |
  while read -r library; do install -m 644 "$library" "$stage/$name/lib/locus/"; done
cp "$root/README.md" "$root/LICENSE" "$stage/$name/"
mkdir -p "$folder"
tar -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner -czf "$folder/$name.tar.gz" "$name"
echo "tarball: $folder/$name.tar.gz, needs glibc $(objdump -T "$program" "$stage/$name"/lib/locus/* |
  grep -o 'GLIBC_[0-9.]*' | sort -V | tail -n 1 | cut -d_ -f2) or later"
