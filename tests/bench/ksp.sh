#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# CG with Jacobi beside PETSc's KSP as a table, on 1 rank and on 2: microseconds of an
# iteration, the least of all in some turns of one process, a thread a rank: one that nothing
# came between, also beside other work. In a build with CAIRN_BENCH whose PETSc was found. QUICK=1 takes small matrices and few turns.
# MATRICES names those of the folder (NAME.mtx.gz) that are taken: symmetric and positive
# definite.
#   ksp.sh BUILD [FOLDER of matrices]
set -eu
build=$1
folder=${2:-}
large='stencil5:300 stencil5:1000 stencil7:60 stencil7:100'
turns=9
iterations=100
if [ "${QUICK:-}" ]; then
    large='stencil5:200 stencil7:30'
    turns=3
    iterations=30
fi
set -- --turns "$turns" --iterations "$iterations"
for matrix in $large; do set -- "$@" "$matrix"; done
if [ "$folder" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    for name in ${MATRICES:-bcsstk16}; do
        gzip -dc "$folder/$name.mtx.gz" >"$work/$name.mtx"
        set -- "$@" "$work/$name.mtx"
    done
fi
echo "| matrix | ranks | KSP, us | csr, us | ratio | auto, us | ratio | auto's format |"
echo "|---|---|---|---|---|---|---|---|"
for n in 1 2; do
    "${MPIEXEC:-mpirun}" -n $n --bind-to core "$build/bench/bench_ksp" "$@"
done
