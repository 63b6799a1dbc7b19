#!/usr/bin/env bash
# fuzz_coverage.sh ROOT: builds all fuzz targets with coverage counters, runs each once over its seeds and its corpus in
# build/fuzz, and prints the share of lines reached in every file that parses input.
set -euo pipefail

root=$1
build=$root/build/fuzz-coverage
flags='-fprofile-instr-generate -fcoverage-mapping'
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++-14 \
  -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG $flags" -DLOCUS_FUZZ=ON -DLOCUS_FUZZ_SANITIZE=OFF -DLOCUS_TOGETHER=ON \
  -DLOCUS_TESTS=OFF -DLOCUS_BENCH=OFF >&2
targets=("$root"/tests/fuzz/*_fuzz.cc)
targets=("${targets[@]##*/}")
targets=("${targets[@]%_fuzz.cc}")
ninja -C "$build" "${targets[@]/#/fuzz_}" >&2

rm -f "$build"/*.profraw
programs=()
for name in "${targets[@]}"; do
  program=$build/tests/fuzz/fuzz_$name
  programs+=(-object "$program")
  mkdir -p "$build/$name/seeds"
  "$root/tools/fuzz_seeds.sh" "$root" "$name" "$build/$name/seeds"
  places=("$build/$name/seeds")
  [[ ! -d $root/build/fuzz/$name/corpus ]] || places+=("$root/build/fuzz/$name/corpus")
  LLVM_PROFILE_FILE=$build/$name.profraw "$program" -runs=0 "${places[@]}" >"$build/$name.log" 2>&1 ||
    { tail -n 20 "$build/$name.log" >&2; exit 1; }
done
llvm-profdata-14 merge -o "$build/all.profdata" "$build"/*.profraw

base=$root/src/locus
files=("$base"/base/{json_document,json_part,toml,settings,fields,options,reader,parse}.cc
  "$base"/checkpoint/{safetensors,safetensors_header,safetensors_layout,npy,config,config_fields,rotary_config}.cc
  "$base"/run/{manifest,run_settings,saved_run}.cc "$base"/apply/text_object.cc "$base"/study/cell_{file,check}.cc
  "$base"/text/{task_file,rank_file,base64,vocabulary_file}.cc
  "$base"/text/pipeline/*.cc "$base"/checkpoint/family/*.cc "$base"/report/svg.cc)
existing=()
for file in "${files[@]}"; do [[ ! -f $file ]] || existing+=("$file"); done
llvm-cov-14 report "${programs[@]:1}" -instr-profile="$build/all.profdata" "${existing[@]}" |
  awk 'NF >= 10 && $1 !~ /^-/ { printf "%-60s %7s %7s %8s\n", $1, $8, $9, $10 }'
