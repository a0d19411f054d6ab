#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# verified.sh PROGRAM LAUNCHER OPTION [FLAG...]: test_mpi_verified on 1 to 8 ranks (RANKS),
# and in the last line what was verified on all of them. Threads that wait sleep: products
# are small, and there are more threads than cores.
program=$1 launcher=$2 option=$3
shift 3
export OMP_WAIT_POLICY=passive
out=$(mktemp)
trap 'rm -f "$out"' EXIT
for n in ${RANKS:-1 2 3 4 5 6 7 8}; do
    "$launcher" "$option" "$n" "$@" "$program" >>"$out" 2>&1 || {
        cat "$out"
        echo "failed on $n ranks"
        exit 1
    }
    if grep -q 'no test data' "$out"; then
        cat "$out"
        exit 0
    fi
    grep 'products of' "$out" | tail -n 1
done
awk '/ products of / { products += $1; ranks++; memory += $10; other += $14 }
     END { printf "%d products verified on %d numbers of ranks; %d refused for memory, %d otherwise\n",
                  products, ranks, memory, other }' "$out"
