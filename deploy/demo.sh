#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Set up, build, and run the main job: a matrix whose dense diagonals go to one format
# and the rest to another, multiplied by a vector on two ranks, the result verified.
set -eu

cd "$(dirname "$0")/.."
# The command refuses CAIRN_* variables that it does not know.
unset CAIRN_TEST_DATA

deploy/setup.sh
. deploy/mpi-env.sh

log=$(mktemp)
matrix=$(mktemp -d)/mixed.mtx
trap 'rm -rf "$log" "$(dirname "$matrix")"' EXIT

echo "== Building (build/release)"
{ cmake --preset release && cmake --build --preset release --target cairn_cli; } >"$log" 2>&1 ||
    { cat "$log" >&2; exit 1; }
cairn=build/release/bin/cairn

# Show a command, then run it.
show() {
    echo
    printf '$'
    printf " %s" "$@" | sed "s|$matrix|mixed.mtx|; s|\(hybrid<[^ ]*\)|'\1'|"
    echo
    "$@"
}

show "$cairn" generate mixed --n 200000 --degree 4 -o "$matrix"
show "$cairn" info "$matrix"
show mpirun -n 2 "$cairn" run spmv "$matrix" --format 'hybrid<bdia<64>,csr,0.6>' --verify
