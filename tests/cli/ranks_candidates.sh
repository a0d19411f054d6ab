#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Formats to choose among, from a file that rank 0 reads: all ranks choose the same, and
# all of them learn what is wrong with it.
. "$(dirname "$0")/lib.sh"

printf '%s\n' '#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>' \
    '#encoding<{ idx_map<(d0,d1)->(d0/3,d1/3,d0%3,d1%3)>, mutation<merge(0,1), trim(1,1)> }>' >own
expect 0 generate fem3 --n 900 --degree 9 -o f.mtx
for n in 2 3; do
    on $n 0 run spmv f.mtx --format auto --candidates own --verify
    says '(d0/3,d1/3,d0%3,d1%3)'
    says '^verified'
    on $n 0 convert f.mtx --to auto --candidates own -o f.cairn
    printf 'csr\nbdia<' >bad
    on $n 2 run spmv f.mtx --format auto --candidates bad
    complains '^cairn: candidates: bad:2:6: '
    on $n 1 run spmv f.mtx --format auto --candidates nowhere
    complains 'candidates: nowhere: cannot be read'
    on $n 2 convert f.mtx --to auto --candidates bad -o o.cairn
    absent o.cairn
done

finish
