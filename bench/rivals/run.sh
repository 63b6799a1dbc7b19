#!/usr/bin/env bash
# Installs the rival libraries into separate virtual environments, once, and starts compare.py, or serve/measure.py for
# the workload serve: run.sh ROOT ARGUMENT...
# Locus itself needs none of them.
set -euo pipefail
root=$1
here=$(dirname "$(readlink -f "$0")")
scratch=$root/build/rivals
say() { echo "run: $*" >&2; }

# install VENV FILE MARK: installs the packages of a file; VENV/MARK says that this is done
install() {
  local venv=$scratch/$1 file=$here/$2 mark=$scratch/$1/$3
  [[ ! -f $mark || $file -nt $mark ]] || return 0
  python3 -m venv --help >/dev/null 2>&1 || { say "python3-venv is missing: apt-get install python3-venv"; exit 2; }
  say "installing the packages of bench/rivals/$2 into $venv"
  mkdir -p "$scratch"
  python3 -m venv "$venv"
  if ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$file" >"$scratch/pip.log" 2>&1; then
    tail -n 3 "$scratch/pip.log" >&2
    say "could not install the packages; check the network connection and $scratch/pip.log"
    exit 4
  fi
  touch "$mark"
}

install venv requirements.txt complete
venv=$scratch/venv
[[ -e $root/models/all-MiniLM-L6-v2 ]] || "$root/run" fetch minilm
folders=(--programs "$root/build/release" --models "$root/models" --scratch "$scratch")
if [[ ${2-} == serve ]]; then
  install venv serve/requirements.txt complete-serve
  install infinity serve/infinity.txt complete
  exec "$venv/bin/python" "$here/serve/measure.py" "${folders[@]}" "${@:3}"
fi
# Some workloads compare the Python package: ./run wheel
for wheel in "$root"/build/wheels/*-"$("$venv/bin/python" -c 'import sys; print("cp311-cp311" if sys.version_info[1] == 11 else "cp312-abi3")')"-*.whl; do
  [[ ! -e $wheel || ( -e $venv/wheel && ! $wheel -nt $venv/wheel ) ]] && continue
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheel"
  touch "$venv/wheel"
done
[[ -e $root/models/gpt2.tiktoken ]] || "$root/run" fetch gpt2-vocabulary
exec "$venv/bin/python" "$here/compare.py" "${folders[@]}" "${@:2}"
