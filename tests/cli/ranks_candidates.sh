#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Formats to choose among, from a file that rank 0 reads: all ranks choose the same, and
# all of them learn what is wrong with it.
. "$(dirname "$0")/lib.sh"

printf '%s\n' '#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>' \
    '#encoding<{ idx_map<(d0,d1)->(d0/3,d1/3,d0%3,d1%3)>, mutation<merge(0,1), trim(1,1)> }>' >own
expect 0 generate fem3 --n 900 --degree 9 -o f.mtx
expect 0 convert f.mtx --to csr -o whole.cairn
head -c 400 whole.cairn >bad.cairn
for n in 2 3; do
    on $n 0 run spmv f.mtx --format auto --candidates own --verify
    says '(d0/3,d1/3,d0%3,d1%3)'
    says '^verified'
    on $n 0 convert f.mtx --to auto --candidates own -o f.cairn
    environment='CAIRN_REPLAYS=1'
    on $n 0 convert f.cairn --to auto -o g.cairn
    says '(d0/3,d1/3,d0%3,d1%3)'
    environment=
    on $n 0 convert f.cairn --to auto -o g.cairn
    says '^chosen '
    on $n 0 run spmv g.cairn --format auto --iters 1 --verify
    says 'could gain in 3 products'
    on 1 0 run spmv g.cairn --format auto --iters 1 --verify
    on $n 0 run spmv g.cairn --format auto --verify --json -
    has out '"distribution": "file"'
    on $n 0 run spmv g.cairn --format auto --distribute nnz --dtype f32 --verify --json -
    has out '"distribution": "nnz"'
    on $n 2 run spmv bad.cairn --format auto
    complains '^cairn: read: bad.cairn: '
    printf 'csr\nbdia<' >bad
    on $n 2 run spmv f.mtx --format auto --candidates bad
    complains '^cairn: candidates: bad:2:6: '
    on $n 1 run spmv f.mtx --format auto --candidates nowhere
    complains 'candidates: nowhere: cannot be read'
    on $n 2 convert f.mtx --to auto --candidates bad -o o.cairn
    absent o.cairn
done

# What ran before is each rank's own, and so is its file; one rank decides for all.
for rank in 0 1; do
    environment="CAIRN_COST=learned CAIRN_COSTS=$PWD/costs$rank.json"
    expect 0 run spmv f.mtx --format csr --iters 20
    expect 0 run spmv f.mtx --format auto --iters 20
done
sed 's/\(\[[0-9.]*, [0-9.]*, \)[0-9.e-]*, /\10.5, /' costs1.json >other.json
chmod 600 other.json
mv other.json costs1.json
environment=CAIRN_COST=learned
job='exec "$program" run spmv f.mtx --format auto --verify'
apart 2 0 "CAIRN_COSTS=costs0.json $job" "CAIRN_COSTS=costs1.json $job"
says '^verified'
apart 2 0 "CAIRN_COSTS=costs1.json $job" "CAIRN_COSTS=costs0.json $job"
says '^verified'

finish
