#!/usr/bin/env bash
# How fast several processes train GPT-2 124M on this machine, against one process with the same number of threads:
# cluster_speed.sh PROGRAM|BUNDLE [RANKS] [THREADS] [STEPS] [BATCH] [CONTEXT]
# PROGRAM is the program locus, BUNDLE the archive of `./run gpu-bundle`. RANKS (4) processes with THREADS (4) threads each
# are connected over TCP. All runs train STEPS (8) steps of BATCH (4) x CONTEXT (256) tokens in RANKS shards, so they do the
# same work and end with the same bytes. Weights are random, and speeds are medians without the first two steps. Needs
# 3 GiB of memory and 2 GiB of /dev/shm for each process.
set -euo pipefail
program=$(readlink -f "$1") ranks=${2-4} threads=${3-4} steps=${4-8} batch=${5-4} context=${6-256}
work=$(mktemp -d -p /dev/shm)
trap 'rm -rf "$work"' EXIT
if [[ $program == *.tar.gz ]]; then
  tar -C "$work" -xzf "$program" ./bin/locus ./lib
  program=$work/bin/locus
fi
cd "$work"

seq 1 100000 >text.txt
cat >gpt2.toml <<TOML
[model]
kind = 'decoder'
vocabulary = 50257
width = 768
layers = 12
heads = 12
max_length = 1024
[model.scheme]
name = 'learned'
[data]
train = '$work/text.txt'
context = $context
batch_size = $batch
[train]
steps = $steps
shards = $ranks
learning_rate = 1e-4
TOML

# Tokens a second, from the seconds of each step in metrics.jsonl.
speed() {
  sed -n 's/.*"seconds": \([0-9.e+-]*\).*/\1/p' "$1/metrics.jsonl" | tail -n +3 | sort -g |
    awk -v tokens=$((batch * context)) '{ all[NR] = $1 } END { printf "%.1f", tokens / all[int((NR + 1) / 2)] }'
}

# Several processes, each on its own processors if there are enough.
train_together() {
  local rank pin running=() status=0
  for ((rank = 0; rank < ranks; ++rank)); do
    pin=()
    if (($(nproc) >= ranks * threads)) && command -v taskset >/dev/null; then
      pin=(taskset -c "$((rank * threads))-$((rank * threads + threads - 1))")
    fi
    RANK=$rank WORLD_SIZE=$ranks MASTER_ADDR=127.0.0.1 MASTER_PORT=29533 LOCUS_THREADS=$threads \
      "${pin[@]}" "$program" train gpt2.toml --out together --verbose >"out.$rank" 2>"err.$rank" &
    running+=($!)
  done
  for rank in "${running[@]}"; do wait "$rank" || status=$?; done
  ((status == 0)) || { cat err.* >&2; exit "$status"; }
}

LOCUS_THREADS=$((ranks * threads)) "$program" train gpt2.toml --out one >out 2>err || { cat err >&2; exit 1; }
one=$(speed one)
sha256sum <one/last/model.safetensors >one.sum
rm -rf one/steps
train_together
many=$(speed together)
sha256sum <together/last/model.safetensors >many.sum
cmp one.sum many.sum || { echo "cluster-speed: other bytes than those of one process" >&2; exit 1; }
printf 'GPT-2 124M, %s x %s tokens in %s shards, steps of f32 on %s\n' "$batch" "$context" "$ranks" \
  "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
printf '1 process of %s threads     %8s tokens/s\n' $((ranks * threads)) "$one"
printf '%s processes of %s threads   %8s tokens/s, %s of one process, the same bytes\n' "$ranks" "$threads" "$many" \
  "$(awk -v a="$many" -v b="$one" 'BEGIN { printf "%.2f", a / b }')"
grep -h 'rank . of' err.0 | sed 's/^locus: //'
