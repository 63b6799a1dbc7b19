#!/usr/bin/env bash
# Installs the rival libraries into a separate virtual environment, once, and starts compare.py: run.sh ROOT ARGUMENT...
# Locus itself needs none of them.
set -euo pipefail
root=$1
here=$(dirname "$(readlink -f "$0")")
scratch=$root/build/rivals
say() { echo "run: $*" >&2; }

venv=$scratch/venv
if [[ ! -f $venv/complete || $here/requirements.txt -nt $venv/complete ]]; then
  python3 -m venv --help >/dev/null 2>&1 || { say "python3-venv is missing: apt-get install python3-venv"; exit 2; }
  say "installing the rival libraries into $venv"
  mkdir -p "$scratch"
  python3 -m venv "$venv"
  if ! "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt" >"$scratch/pip.log" 2>&1; then
    tail -n 3 "$scratch/pip.log" >&2
    say "could not install the rival libraries; check the network connection and $scratch/pip.log"
    exit 4
  fi
  touch "$venv/complete"
fi
# Some workloads compare the Python package: ./run wheel
for wheel in "$root"/build/wheels/*-"$("$venv/bin/python" -c 'import sys; print("cp311-cp311" if sys.version_info[1] == 11 else "cp312-abi3")')"-*.whl; do
  [[ ! -e $wheel || ( -e $venv/wheel && ! $wheel -nt $venv/wheel ) ]] && continue
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheel"
  touch "$venv/wheel"
done
[[ -e $root/models/all-MiniLM-L6-v2 ]] || "$root/run" fetch minilm
[[ -e $root/models/gpt2.tiktoken ]] || "$root/run" fetch gpt2-vocabulary
exec "$venv/bin/python" "$here/compare.py" --programs "$root/build/release" --models "$root/models" \
  --scratch "$scratch" "${@:2}"
