#!/usr/bin/env bash
# Creates build/amd64/sysroot: the libraries that Locus needs, for x86-64, on a Debian system of another architecture.
# Debian packages are downloaded and unpacked there. apt uses separate package lists, so this changes nothing on the
# system and needs no root. Libraries that Debian has only as shared ones are compiled from source, so that the programs
# can be linked statically.
set -euo pipefail
folder=$(dirname "$(readlink -f "$0")")/../build/amd64
sysroot=$folder/sysroot
[[ $sysroot/complete -nt $0 ]] && exit 0

rm -rf "$sysroot" "$folder/apt"
mkdir -p "$sysroot" "$folder/apt"/{sources,packages,state/lists/partial,cache/archives/partial}
cd "$folder/apt"
echo "amd64: fetching the libraries" >&2

# The system's own package sources, with the source packages added.
shopt -s nullglob
for list in /etc/apt/sources.list.d/*.sources; do
  sed 's/^Types:.*/Types: deb deb-src/' "$list" >"sources/$(basename "$list")"
done
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  [[ -f $list ]] && sed -n 's/^deb \(.*\)/deb \1\ndeb-src \1/p' "$list" >"sources/$(basename "$list")"
done
apt=(apt-get -qq -o APT::Architecture=amd64 -o APT::Architectures=amd64 -o Dir::State="$PWD/state"
  -o Dir::State::status=/dev/null -o Dir::Cache="$PWD/cache" -o Dir::Etc::SourceList=/dev/null
  -o Dir::Etc::SourceParts="$PWD/sources" -o APT::Sandbox::User="$(id -un)")
"${apt[@]}" update
(cd packages && "${apt[@]}" download libhwy-dev libfmt-dev libsimdjson-dev libcli11-dev libgtest-dev \
  librapidcheck-dev libtomlplusplus-dev libutf8proc-dev libpcre2-dev libboost1.74-dev)
for package in packages/*.deb; do dpkg-deb -x "$package" "$sysroot"; done
"${apt[@]}" source fmtlib simdjson >/dev/null

libraries=$sysroot/usr/lib/x86_64-linux-gnu
# static_library NAME INCLUDES SOURCE...
static_library() {
  local name=$1 includes=$2
  shift 2
  rm -f "$libraries/lib$name".so*
  (mkdir "$name" && cd "$name" && x86_64-linux-gnu-g++ -std=c++17 -O2 -I "$includes" -c "$@")
  x86_64-linux-gnu-ar rcs "$libraries/lib$name.a" "$name"/*.o
}
fmt=$(echo "$PWD"/fmtlib-*/) simdjson=$(echo "$PWD"/simdjson-*/)
static_library fmt "$fmt/include" "$fmt"/src/{format,os}.cc
static_library simdjson "$simdjson/singleheader" "$simdjson/singleheader/simdjson.cpp"
sed -i 's/libfmt\.so[.0-9]*/libfmt.a/' "$libraries"/cmake/fmt/fmt-targets-none.cmake
# The cross compiler's libm.a is a linker script with the paths of a native system.
sed 's|/usr/lib/x86_64-linux-gnu/|/usr/x86_64-linux-gnu/lib/|g' /usr/x86_64-linux-gnu/lib/libm.a >"$libraries/libm.a"
rm -rf "$folder/apt"
touch "$sysroot/complete"
