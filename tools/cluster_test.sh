#!/usr/bin/env bash
# cluster_test.sh ROOT BUILD [KILLS] [SEED]: jobs of several processes on this machine, over Open MPI, MPICH and TCP.
# - For 1, 2, 3, 4 and 8 processes, training, studies and embeddings end with the bytes of one process.
# - KILLS times (30 by default) a random process is killed with SIGKILL at a random moment. The job ends, and the same
#   command, with another number of processes, ends with the expected bytes. Over TCP all others name the process.
# - Four network namespaces with limited bandwidth: the same bytes, the traffic, and the time it takes. Needs root, and a
#   kernel with namespaces, veth and tbf.
set -euo pipefail

root=$1 build=$2 kills=${3-30}
RANDOM=${4-1}
work=$(mktemp -d)
spaces=()
cleanup() {
  for space in "${spaces[@]}"; do ip netns del "$space" 2>/dev/null || true; done
  ip link del locus-br 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT
cd "$work"

say() { echo "cluster-test: $*" >&2; }
fail() { say "$@"; exit 1; }
milliseconds() { echo $(($(date +%s%N) / 1000000)); }

# A copy of the program for each engine finds the plug-in beside it.
engines=(tcp)
mkdir tcp && cp "$build/locus" tcp/
for library in openmpi mpich; do
  compiler=$(command -v "mpicxx.$library") || { say "no $library: its jobs are left out"; continue; }
  mkdir "$library" && cp "$build/locus" "$library/"
  "$compiler" -std=c++20 -O2 -fPIC -shared -I "$root/src" "$root/src/locus/dist/mpi/plugin.cc" \
    -o "$library/liblocus-mpi.so"
  engines+=("$library")
done

# One thread each: MPI waits by looking again and again, and would take the processors from the computing ranks. Open
# By default, MPI refuses to run as root and to start more processes than cores.
export LOCUS_THREADS=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
# No machine but this one.
export OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1 OMPI_MCA_plm=isolated
port=$((21000 + $$ % 4000))

# ranks ENGINE N ARGUMENT...: runs the command as N processes; their errors are in err.0, err.1, ... or in err.
# The exit code is that of the launcher, or the highest one over TCP.
ranks() {
  local engine=$1 size=$2 rank status=0 own processes=()
  shift 2
  rm -f err err.*
  case $engine in
    openmpi) timeout 120 mpirun.openmpi --bind-to none -n "$size" openmpi/locus "$@" >out.txt 2>err || status=$? ;;
    mpich) timeout 120 mpirun.mpich -n "$size" mpich/locus "$@" >out.txt 2>err || status=$? ;;
    tcp)
      port=$((port + 1))
      for ((rank = 0; rank < size; ++rank)); do
        RANK=$rank WORLD_SIZE=$size MASTER_ADDR=127.0.0.1 MASTER_PORT=$port timeout 120 tcp/locus "$@" >"out.$rank" 2>"err.$rank" &
        processes+=($!)
      done
      for own in "${processes[@]}"; do
        rank=0
        wait "$own" || rank=$?
        ((rank <= status)) || status=$rank
      done
      ;;
  esac
  return "$status"
}

for _ in {1..60}; do printf abcdefgh; done >text.txt
for _ in {1..15}; do cat "$root/configs/data/sentences.txt"; done >sentences.txt
cat >run.toml <<'TOML'
[model]
width = 16
layers = 1
heads = 2
dropout = 0.1
[model.scheme]
name = 'learned'
[data]
train = 'text.txt'
validation_split = 0.2
context = 16
batch_size = 16
[train]
steps = 60
clip = 1
eval_every = 20
save_every = 5
shards = 8
TOML

# Sets `words`, the command of a job that writes to a place.
set_words() {
  case $1 in
    train) words=(train run.toml --out "$2") ;;
    compare) words=(compare --schemes none,learned,t5 --tasks back --seeds 2 --steps 30 --length 16 --lengths 24 --out "$2") ;;
    embed) words=(embed "$root/tests/golden/apply/embed" --file sentences.txt --batch-tokens 64 --out "$2/v.npy") ;;
  esac
}
# What of an output must be the same in every run: no times, and nothing that depends on them.
compared() {
  case $1 in
    train) (cd "$2" && find . -path './steps/*' -type f ! -name state.toml ! -name manifest | sort | xargs sha256sum) ;;
    compare) sha256sum <"$2/results.csv" && sed -E '/"step_(seconds|bytes)"/d' "$2"/cells/*.json | sha256sum ;;
    embed) (cd "$2" && find . -type f | sort | xargs sha256sum) ;;
  esac
}
expect_bytes() {  # JOB FOLDER WHAT
  compared "$1" "$2" >got || fail "$3: no output"
  cmp got "expected-$1" || fail "$3: other bytes"
}
show_errors() { tail -n 5 err* >&2 || true; }

jobs=(train compare embed)
declare -A took
for job in "${jobs[@]}"; do
  [[ $job != embed ]] || mkdir one
  set_words "$job" one
  began=$(milliseconds)
  tcp/locus "${words[@]}" >/dev/null 2>err || { cat err >&2; fail "$job fails"; }
  took[$job]=$(($(milliseconds) - began))
  compared "$job" one >"expected-$job"
  rm -rf one
done

for engine in "${engines[@]}"; do
  for job in "${jobs[@]}"; do
    line=
    for size in 1 2 3 4 8; do
      rm -rf out && mkdir out
      set_words "$job" out
      began=$(milliseconds)
      ranks "$engine" "$size" "${words[@]}" || { show_errors; fail "$job on $size ranks over $engine fails"; }
      line+=" $size: $(($(milliseconds) - began)) ms"
      expect_bytes "$job" out "$job on $size ranks over $engine"
    done
    printf '%-8s %-8s same bytes on%s\n' "$job" "$engine" "$line"
  done
done

# The processes of the running job: "PID RANK" lines.
running() {
  local process rank
  for process in $(pgrep -x locus || true); do
    [[ $(readlink "/proc/$process/exe" 2>/dev/null) == "$work/"* ]] || continue
    rank=$(sed -znE 's/^(OMPI_COMM_WORLD_RANK|PMI_RANK|RANK)=([0-9]+)$/\2/p' "/proc/$process/environ" 2>/dev/null |
      tr '\0' '\n' | head -n 1) || true
    [[ -z $rank ]] || echo "$process $rank"
  done
}

done_kills=0 missed=0 named=0 over_tcp=0
began=$(milliseconds)
while ((done_kills < kills)); do
  job=${jobs[RANDOM % ${#jobs[@]}]} engine=${engines[RANDOM % ${#engines[@]}]} size=$((RANDOM % 3 + 2))
  rm -rf out && mkdir out
  set_words "$job" out
  for ((tries = RANDOM % 2 + 1; tries > 0 && done_kills < kills; --tries)); do
    port=$((port + 1))
    { ranks "$engine" "$size" "${words[@]}"; } 2>/dev/null &
    launcher=$!
    wait_ms=$((RANDOM % (${took[$job]} + 1)))
    sleep "$(printf '%d.%03d' $((wait_ms / 1000)) $((wait_ms % 1000)))"
    victim=$(running | shuf -n 1 --random-source=<(yes "$RANDOM")) rank=${victim#* }
    [[ -z $victim ]] || kill -9 "${victim% *}" 2>/dev/null || victim=
    status=0
    wait "$launcher" || status=$?
    # Adjusts to a machine that is busier or quieter than before.
    if ((status == 0)); then missed=$((missed + 1)) took[$job]=$((${took[$job]} * 4 / 5 + 1)); continue; fi
    took[$job]=$((${took[$job]} * 21 / 20 + 1))
    [[ -n $victim ]] || { show_errors; fail "$job on $size ranks over $engine fails without a kill"; }
    ((status != 124)) || fail "$job on $size ranks over $engine hangs after rank $rank was killed"
    done_kills=$((done_kills + 1))
    if [[ $engine == tcp ]]; then
      over_tcp=$((over_tcp + 1))
      for ((other = 0; other < size; ++other)); do
        ((other == rank)) || grep -q "rank $rank" "err.$other" || { show_errors; fail "rank $other does not name rank $rank"; }
      done
      named=$((named + 1))
    fi
  done
  again=$((RANDOM % 4 + 1)) engine=${engines[RANDOM % ${#engines[@]}]}
  ranks "$engine" "$again" "${words[@]}" || { show_errors; fail "$job does not resume on $again ranks over $engine"; }
  expect_bytes "$job" out "$job resumed on $again ranks over $engine after $size"
done
echo "$done_kills kills, $missed ended before; all resumed with the expected bytes; over TCP all other ranks named the" \
  "killed one $named of $over_tcp times; $((($(milliseconds) - began) / 1000)) s"

# Four machines on one switch: namespaces on a bridge, with a limit on what each of them sends.
network() {
  local rate=$1 i
  ip link add locus-br type bridge && ip link set locus-br up || return 1
  for i in 0 1 2 3; do
    ip netns add "locus-$$-$i" || return 1
    spaces+=("locus-$$-$i")
    ip link add "locus-v$i" type veth peer name eth0 netns "locus-$$-$i" || return 1
    ip link set "locus-v$i" master locus-br up || return 1
    ip -n "locus-$$-$i" addr add "10.213.7.$((i + 1))/24" dev eth0 || return 1
    ip -n "locus-$$-$i" link set eth0 up && ip -n "locus-$$-$i" link set lo up || return 1
    tc -n "locus-$$-$i" qdisc add dev eth0 root tbf rate "$rate" burst 64kb latency 200ms || return 1
  done
}
if ! network 100mbit 2>network.txt; then
  echo "no network namespaces: left out ($(tail -n 1 network.txt))"
  exit 0
fi
sent_by() { ip netns exec "locus-$$-$1" cat /sys/class/net/eth0/statistics/tx_bytes; }
for job in "${jobs[@]}"; do
  rm -rf out && mkdir out
  set_words "$job" out
  verbose=()
  [[ $job != train ]] || verbose=(--verbose)
  processes=() before=()
  port=$((port + 1))
  began=$(milliseconds)
  for i in 0 1 2 3; do
    before+=("$(sent_by "$i")")
    ip netns exec "locus-$$-$i" env RANK="$i" WORLD_SIZE=4 MASTER_ADDR=10.213.7.1 MASTER_PORT="$port" \
      timeout 120 tcp/locus "${words[@]}" "${verbose[@]}" >"out.$i" 2>"err.$i" &
    processes+=($!)
  done
  for own in "${processes[@]}"; do wait "$own" || { show_errors; fail "$job fails in four namespaces"; }; done
  line=
  for i in 0 1 2 3; do line+=" $((($(sent_by "$i") - before[i]) / 1024))"; done
  expect_bytes "$job" out "$job in four namespaces"
  echo "$job in four namespaces with 100 Mbit/s: same bytes, $(($(milliseconds) - began)) ms; KiB sent by each rank:$line"
  grep -hiE 'wait|sent' err.0 out.0 || true
done
