#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Set up, build, and run the main job: a matrix whose dense diagonals go to one format
# and the rest to another, multiplied by a vector on two ranks, the result verified.
# Usage: deploy/demo.sh [ARGUMENT OF CMAKE...]
set -eu

cd "$(dirname "$0")/.."
# The command refuses CAIRN_* variables that it does not know.
unset CAIRN_TEST_DATA

deploy/setup.sh
. deploy/mpi-env.sh

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

echo "== Building (build/release)"
{ cmake --preset release "$@" && cmake --build --preset release --target cairn_cli; } >"$folder/log" 2>&1 ||
    { cat "$folder/log" >&2; exit 1; }

PATH=$PWD/build/release/bin:$PATH
cd "$folder"

# Show a command, then run it.
show() {
    echo
    printf '$'
    printf ' %s' "$@" | sed "s|hybrid<[^ ]*|'&'|"
    echo
    "$@"
}

show cairn generate mixed --n 200000 --degree 4 -o mixed.mtx
show cairn info mixed.mtx
show mpirun -n 2 cairn run spmv mixed.mtx --format 'hybrid<bdia<64>,csr,0.6>' --verify
