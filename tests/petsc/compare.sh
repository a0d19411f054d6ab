#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hold the solvers of solve.c on a matrix of Cairn's type to the same on AIJ: iterations
# equal where AIJ needs fewer than 50, else within 2 %; true residuals within a factor of 2
# (or both below 1e-12: a direct solver's). Nothing else may be printed: no leak by
# -malloc_dump, no error.
#   compare.sh 'LAUNCHER...' PROGRAM 'PETSC_OPTIONS of Cairn' ARGUMENT...
set -eu
launcher=$1 program=$2 options=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck disable=SC2086 # the launcher is words
$launcher "$program" "$@" >"$work/aij" 2>&1 || { cat "$work/aij"; exit 1; }
# shellcheck disable=SC2086
PETSC_OPTIONS="$options -malloc_dump" $launcher "$program" "$@" >"$work/cairn" 2>&1 || {
    cat "$work/cairn"
    exit 1
}
awk '
function far(a, b) { return a > 2 * b || b > 2 * a }
FNR == NR { its[$1] = $2; residual[$1] = $3; rows++; next }
NF != 3 || !($1 in its) { print "not a row: " $0; bad = 1; next }
{
    seen++
    off = $2 > its[$1] ? $2 - its[$1] : its[$1] - $2
    if (its[$1] < 50 ? off : off > 0.02 * its[$1]) {
        print $1 ": " $2 " iterations, with AIJ " its[$1]
        bad = 1
    }
    if (($3 > 1e-12 || residual[$1] > 1e-12) && far($3, residual[$1])) {
        print $1 ": residual " $3 ", with AIJ " residual[$1]
        bad = 1
    }
}
END {
    if (!rows || seen != rows) { print seen + 0 " rows of " rows + 0; bad = 1 }
    exit bad
}' "$work/aij" "$work/cairn"
