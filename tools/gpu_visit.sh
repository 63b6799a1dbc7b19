#!/usr/bin/env bash
# Checks everything on a machine with an NVIDIA GPU: gpu_visit.sh BUNDLE LOGS [SECONDS [PART...]]
# BUNDLE is the archive of `./run gpu-bundle`, or the folder it was unpacked to. Nothing is built and nothing is
# downloaded. The parts run one after another, the most important first, until SECONDS (570) are over. A part that fails
# or runs out of its time does not stop the others. LOGS gets a log of each part, and table.txt: one line for each. The
# parts are machine, kernels, models, golden, losses, kills, bench, memcheck, racecheck, presets and compare.
set -euo pipefail
(($# >= 2)) || { sed -n '2,7s/^# //p' "$0" >&2; exit 2; }
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
bundle=$(readlink -f "$1") logs=$2 deadline=${3-570}
chosen=("${@:4}")
mkdir -p "$logs"
logs=$(readlink -f "$logs")
work=$(mktemp -d)
export root bundle logs work
# A program that was told to stop may still save its last step.
trap 'rm -rf "$work" 2>/dev/null || { sleep 3; rm -rf "$work"; }' EXIT

if [[ -f $bundle ]]; then
  mkdir "$work/bundle"
  tar -xzf "$bundle" -C "$work/bundle"
  bundle=$work/bundle
fi
# The tests open their files where they were compiled.
compiled=$(<"$bundle/root")
if [[ ! -e $compiled ]]; then
  mkdir -p "$(dirname "$compiled")"
  ln -s "$root" "$compiled"
fi
# What a machine may have of CUDA beside the driver: cuBLAS, for the limit of products, and the checker of memory.
first_of() {
  local file
  for file; do
    if [[ -e $file ]]; then
      echo "$file"
      return
    fi
  done
}
packages=$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
libraries=$(first_of /usr/local/cuda*/lib64/libcublas.so.13 "$packages"/nvidia/{cu13,cublas}/lib/libcublas.so.13)
sanitizer=$(command -v compute-sanitizer || first_of /usr/local/cuda*/{bin,compute-sanitizer}/compute-sanitizer)
export libraries sanitizer

# tests SHARDS FILTER [COMMAND...]: runs tests on the GPU, in several processes. The last line has the counts.
tests() {
  local shards=$1 filter=$2 shard status=0 running=()
  shift 2
  trap 'print_tests "$shards"; exit 1' TERM  # at the end of the time: what there is
  for ((shard = 0; shard < shards; ++shard)); do
    LOCUS_TEST_DEVICE=cuda LOCUS_THREADS=2 GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard \
      "$@" "$bundle/bin/locus_tests" --gtest_filter="$filter" --gtest_brief=0 >"$work/$part.$shard" 2>&1 &
    running+=($!)
  done
  for shard in "${!running[@]}"; do wait "${running[shard]}" || status=1; done
  print_tests "$shards"
  return "$status"
}
print_tests() {
  cat "$work/$part".*
  awk '/^\[       OK \]/ { passed += 1 }
    /^\[  FAILED  \].* \([0-9]+ ms\)$/ { failed += 1 }
    /^\[  SKIPPED \].* \([0-9]+ ms\)$/ { skipped += 1 }
    /^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { ended += 1 }
    /ERROR SUMMARY: / { errors += $(NF - 1) }
    /RACECHECK SUMMARY: / { errors += $4 }
    END {
      printf "%d passed, %d failed, %d skipped; %d of %d processes ended; %d errors of memory or races\n",
        passed, failed, skipped, ended, shards, errors
    }' shards="$1" "$work/$part".*
}

part_machine() {
  nvidia-smi
  "$bundle/bin/locus" doctor
  "$bundle/bin/locus" doctor | grep '^GPU' | cut -c 11-
  "$bundle/bin/locus" doctor --json | grep -q '"problem": null'
}
part_kernels() {
  tests 12 'Gpu.*:*MmaAttention*:Activation.*:*Attention/*:Convert.*:DistanceDecay.*:PairQuotient.*:Dropout.*:Elementwise.*:Embed.*:CrossEntropy.*:Matmul*.*:Norm.*:Optimize.*:Reduce.*:Room.*:Rotate.*:Rows.*'
}
part_models() {
  tests 12 'Op*.*:*Bf16*:*Devices.*:*OnADevice*:*FamilyGolden.DecodesWithACache*:GoldenScores.*'
}
part_golden() { python3 "$root/tools/gpu_checks.py" golden "$bundle/bin/locus" "$root/tests/golden/family" cuda; }

# set_training DEVICE STEPS NAME: sets `training`, the command that trains the preset of masked letters.
set_training() {
  training=("$bundle/bin/locus" train "$root/configs/masked.toml" --out "$work/$3"
    --set train.device="$1" --set train.steps="$2" --set train.save_every=10)
}
part_losses() {
  local device
  for device in cuda cpu; do
    set_training "$device" 100 "of-$device"
    "${training[@]}" >"$work/train.log" 2>&1 || { cat "$work/train.log"; return 1; }
  done
  python3 "$root/tools/gpu_checks.py" losses "$work/of-cpu" "$work/of-cuda" 1e-3
}
# Kills a run at random moments, then lets it end: weights and moments are those of a run that nobody killed.
part_kills() {
  local began=$SECONDS took tries kills=0
  set_training cuda 2000 whole
  "${training[@]}" >"$work/train.log" 2>&1 || { cat "$work/train.log"; return 1; }
  took=$((SECONDS - began + 1))
  set_training cuda 2000 killed
  for ((tries = 0; tries < 8 && kills < 4; ++tries)); do
    "${training[@]}" >"$work/train.log" 2>&1 &
    local process=$!
    sleep "$(awk -v r=$RANDOM -v took="$took" 'BEGIN { print 0.5 + took * 0.6 * r / 32768 }')"
    kill -9 "$process" 2>/dev/null || true
    local status=0
    wait "$process" 2>/dev/null || status=$?
    ((status != 137)) || kills=$((kills + 1))
    echo "status $status; the last checkpoint is $(readlink "$work/killed/last" || echo none)"
  done
  "${training[@]}" >"$work/train.log" 2>&1 || { cat "$work/train.log"; return 1; }
  python3 "$root/tools/gpu_checks.py" weights "$work/whole" "$work/killed" | sed "s/^/$kills kills; /"
  ((kills > 0))
}
part_bench() {
  local path=${LD_LIBRARY_PATH-}
  [[ -z $libraries ]] || path=$(dirname "$libraries")${path:+:$path}
  LD_LIBRARY_PATH=$path "$bundle/bin/locus_gpu_bench"
}
# The default study on two cores began at the start of the visit. Eight processes share the GPU, because a model this
# small leaves most of it idle: NVIDIA's MPS lets them compute at the same time.
part_compare() {
  local of_cpu=$work/cpu-study.seconds rank
  export CUDA_MPS_PIPE_DIRECTORY=$work/mps CUDA_MPS_LOG_DIRECTORY=$work/mps
  if command -v nvidia-cuda-mps-control >/dev/null; then
    nvidia-cuda-mps-control -d
    trap 'echo quit | nvidia-cuda-mps-control' EXIT
  fi
  local began=$SECONDS
  for rank in {0..7}; do
    LOCUS_THREADS=1 "$bundle/bin/locus" compare --device cuda --out "$work/study-cuda" --rank "$rank" --ranks 8 \
      --master 127.0.0.1:29517 >"$work/findings.$rank" &
  done
  wait
  local took=$((SECONDS - began))
  echo "cuda $took s"
  cp "$work/study-cuda/report.html" "$logs/study-cuda.html"
  for ((; ; )); do
    [[ ! -s $of_cpu ]] || break
    sleep 1
  done
  cat "$work/findings.cpu"
  diff "$work/findings.cpu" "$work/findings.0" || true
  echo "cuda $took s, two cores $(<"$of_cpu") s; the findings are above"
}
part_memcheck() {
  [[ -n $sanitizer ]] || { echo 'compute-sanitizer was not found'; return 1; }
  tests 6 'Gpu.A*AttentionHas*:Gpu.ConvertsEveryFormat:Gpu.LongSums:Gpu.ScatterAddsInOrder:*RoomAttention/*:*MmaAttention*:DistanceDecay.*:PairQuotient.*:Embed.*:CrossEntropy.*:Norm.*:Room.*:Rotate.*:Rows.*:OpAttention.*:OpLinear.*:TrainingOnADevice.HasTheResultsOfTheCpu:DecoderOnADevice.*' \
    "$sanitizer" --tool memcheck --leak-check no --error-exitcode 9
}
part_racecheck() {
  [[ -n $sanitizer ]] || { echo 'compute-sanitizer was not found'; return 1; }
  tests 6 'Norm.*:CrossEntropy.*:Reduce.*:Rows.*:OpAttention.Gradients:OpLinear.*:OpEmbed.*:DecoderOnADevice.*' \
    "$sanitizer" --tool racecheck --error-exitcode 9
}
part_presets() {
  [[ ! -d $bundle/data ]] || { mkdir -p "$root/data" && cp -n "$bundle"/data/* "$root/data/"; }
  "$root/tools/presets.sh" "$bundle/bin/locus" "$work/presets" cuda
}

export -f tests print_tests set_training
while read -r name; do export -f "${name?}"; done < <(compgen -A function part_)

# run_part NAME SECONDS: adds a line to the table.
run_part() {
  local part=$1 limit=$2 status=0 began=$SECONDS result
  ((${#chosen[@]} == 0)) || [[ " ${chosen[*]} " == *" $part "* ]] || return 0
  ((limit <= deadline - SECONDS)) || limit=$((deadline - SECONDS))
  if ((limit < 5)); then
    result='no time left'
  else
    export part
    timeout --kill-after=5 "$limit" bash -c "set -euo pipefail; part_$part" >"$logs/$part.log" 2>&1 || status=$?
    case $status in
      0) result=fine ;;
      124 | 137) result="ended after $limit s" ;;
      *) result="FAILED ($status)" ;;
    esac
    result+=": $(tail -n 1 "$logs/$part.log" | cut -c 1-110)"
  fi
  printf '%-10s %4d s  %s\n' "$part" $((SECONDS - began)) "$result" | tee -a "$logs/table.txt" >&2
}

: >"$logs/table.txt"
study=
if ((${#chosen[@]} == 0)) || [[ " ${chosen[*]} " == *' compare '* ]]; then
  (
    began=$SECONDS
    LOCUS_THREADS=2 "$bundle/bin/locus" compare --out "$work/study-cpu" >"$work/findings.cpu" 2>"$logs/study-cpu.log" &
    trap 'kill $!' TERM
    wait $!
    echo $((SECONDS - began)) >"$work/cpu-study.seconds"
  ) &
  study=$!
fi
run_part machine 30
run_part kernels 90
run_part models 90
run_part golden 60
run_part losses 30
run_part kills 60
run_part bench 110
run_part memcheck 90
run_part racecheck 100
run_part presets 60
run_part compare 280
[[ -z $study ]] || kill "$study" 2>/dev/null || true
echo "visit: $SECONDS s; logs in $logs"
cat "$logs/table.txt"
! grep -qv '  fine: ' "$logs/table.txt"
