#!/usr/bin/env bash
# Downloads the compiler for GPU kernels from PyPI into build/cuda-toolkit (250 MB): cuda_toolkit.sh ROOT
# Debian has no nvcc that knows Hopper. The next configuration of a build finds it there.
set -euo pipefail
folder=$1/build/cuda-toolkit
version=13.0.88
if [[ -x $folder/nvidia/cu13/bin/nvcc ]]; then
  echo "cuda-toolkit: already in $folder"
  exit
fi
partial=$folder.partial
rm -rf "$partial"
"${LOCUS_PYTHON-python3}" -m pip install --quiet --disable-pip-version-check --no-deps --target "$partial" \
  nvidia-cuda-nvcc==$version nvidia-nvvm==$version nvidia-cuda-crt==$version nvidia-cuda-runtime==$version
rm -rf "$folder"
mv "$partial" "$folder"
rm -f "$1"/build/*/configured  # so that builds look for nvcc again
echo "cuda-toolkit: $("$folder/nvidia/cu13/bin/nvcc" --version | sed -n 's/.*, V/nvcc /p') in $folder"
