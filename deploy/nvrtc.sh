#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Get CUDA's compiler of kernels from PyPI, for tests that compile kernels and need no
# card, into build/nvrtc/VERSION; nothing of the machine's is changed. One version: what
# registers it hands out is held to a file. Where it cannot be had a line says so, and the
# tests that want it are skipped.
set -eu

version=13.0.88
cd "$(dirname "$0")/.."
folder=$PWD/build/nvrtc
[ ! -e "$folder/$version/nvidia/cu13/lib/libnvrtc.so.13" ] || exit 0
fresh=$folder/$version.$$
trap 'rm -rf "$fresh"' EXIT
if python3 -m venv "$folder/venv" >/dev/null 2>&1 &&
    "$folder/venv/bin/python" -m pip --disable-pip-version-check --quiet install \
        --no-deps --target "$fresh" "nvidia-cuda-nvrtc==$version" >"$folder/log" 2>&1; then
    rm -rf "${folder:?}/$version"
    mv "$fresh" "$folder/$version"
else
    echo "nvrtc: nvidia-cuda-nvrtc $version cannot be had here; tests that want it are skipped" >&2
fi
