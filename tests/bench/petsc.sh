#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# MatMult of PETSc's types beside Cairn's, as a table: microseconds, the least of turns in
# one process, on one thread unless CAIRN_THREADS says otherwise. On a quiet machine.
# MATRICES names those of the folder (NAME.mtx.gz) that are taken. BENCH_PETSC: another
# libpetsc of the version and the integers that the build has found runs instead.
#   petsc.sh BUILD [FOLDER of matrices] [OPTION of tests/petsc/bench.c...], such as -refill
set -eu
. "$(dirname "$0")/other-petsc.sh"
build=$1
folder=${2:-}
[ $# -lt 2 ] || shift
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ "${BENCH_PETSC:-}" ]; then
    LD_LIBRARY_PATH=$(other_petsc "$build/bin/petsc_bench" "$BENCH_PETSC" "$work/petsc")
    export LD_LIBRARY_PATH
fi
CAIRN_THREADS=${CAIRN_THREADS:-1}
export CAIRN_THREADS
PETSC_OPTIONS="-dll_append $build/libcairnpetsc.so -mat_cairn_expected 10000 -rows_mat_cairn_format csr"
export PETSC_OPTIONS

bench() {
    "$build/bin/petsc_bench" "$@"
}

echo "| matrix | aij | sell | baij | aijcairn | aijcairn, csr |"
echo "|---|---|---|---|---|---|"
bench -name "5 points, 300 x 300" -n 300 -points 5 "$@"
bench -name "5 points, 1000 x 1000" -n 1000 -points 5 -turns 5 "$@"
bench -name "7 points, 60 cubed" -n 60 -points 7 "$@"
[ -n "$folder" ] || exit 0
for name in ${MATRICES:-bcsstk16 cavity14 cora delaunay_n15 email-Enron epb0 memplus faer_n15960}; do
    gzip -dc "$folder/$name.mtx.gz" >"$work/matrix.mtx"
    bench -name "$name" -file "$work/matrix.mtx" "$@"
done
