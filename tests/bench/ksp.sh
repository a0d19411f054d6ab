#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# CG with Jacobi beside PETSc's KSP as a table, on 1 rank and on 2: microseconds of an
# iteration, the least of all in some turns of one process, a thread a rank: one that nothing
# came between, also beside other work. In a build with CAIRN_BENCH whose PETSc was found.
# BENCH_PETSC: another libpetsc of the version and the integers that the build has found runs
# instead. QUICK=1 takes small matrices and few turns. MATRICES names those of the folder
# (NAME.mtx.gz) that are taken: symmetric and positive definite.
#   ksp.sh BUILD [FOLDER of matrices]
set -eu
. "$(dirname "$0")/other-petsc.sh"
build=$1
folder=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
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
    for name in ${MATRICES:-bcsstk16}; do
        gzip -dc "$folder/$name.mtx.gz" >"$work/$name.mtx"
        set -- "$@" "$work/$name.mtx"
    done
fi
if [ "${BENCH_PETSC:-}" ]; then
    LD_LIBRARY_PATH=$(other_petsc "$build/bench/bench_ksp" "$BENCH_PETSC" "$work/petsc")
    export LD_LIBRARY_PATH
fi
echo "| matrix | ranks | KSP, us | csr, us | ratio | auto, us | ratio | auto's format |"
echo "|---|---|---|---|---|---|---|---|"
for n in 1 2; do
    "${MPIEXEC:-mpirun}" -n $n --bind-to core "$build/bench/bench_ksp" "$@"
done
