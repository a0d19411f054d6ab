#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A .cairn file that is run by --format auto: as it is stored, unless another format pays
# for storing it once more, or something is asked that it cannot stay as it is for.
. "$(dirname "$0")/lib.sh"

rows='#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>'
lists='#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<trim(0,1)> }>'
blocks='#encoding<{ idx_map<(d0,d1)->(d0/3,d1/3,d0%3,d1%3)>, mutation<merge(0,1), trim(1,1)> }>'
expect 0 generate fem3 --n 900 --degree 9 -o f.mtx
expect 0 convert f.mtx --to csr -o rows.cairn
expect 0 convert f.mtx --to coo -o lists.cairn
expect 0 convert f.mtx --to 'bcsr<3,3>' -o blocks.cairn

# Few products: it is run as it is, whatever that is, and nothing is stored.
expect 0 run spmv f.mtx --iters 1 --out wanted.mtx
for kind in rows lists blocks; do
    eval "text=\$$kind"
    expect 0 run spmv $kind.cairn --format auto --iters 1 --verify --json - --out y.mtx
    has out "\"format\": \"$text\", \"distribution\": \"file\""
    has out '"convert_seconds": 0.0'
    has out '"share": 0.0'
    has out '"nnz": 22482'
    has out '"rows": 900'
    has out '"ok": true'
    [ $kind = blocks ] || same y.mtx wanted.mtx
    # The same without --verify, which alone takes its entries back.
    expect 0 run spmv $kind.cairn --format auto --iters 1 --json -
    has out "\"format\": \"$text\", \"distribution\": \"file\""
    has out '"nnz": 22482'
done

# Many: what pays is stored, and what pays is not stored twice.
environment='CAIRN_COST=shipped'
for kind in rows lists blocks; do
    expect 0 run spmv $kind.cairn --format auto --chain 100000 --iters 1 --warmup 0 --json - --verify
    has out "\"format\": \"$blocks\", \"distribution\": \"file\""
    has out '"ok": true'
    [ $kind != blocks ] || has out '"convert_seconds": 0.0'
    [ $kind = blocks ] || ! grep -q '"convert_seconds": 0.0$' out || fail "nothing was stored"
done
environment=
expect 0 run spmm rows.cairn --k 3 --format auto --verify
expect 0 run spmv lists.cairn --transpose --format auto --verify

# What it cannot stay as it is for is a file's entries stored anew: other values, rows,
# formats to choose among.
for said in '--dtype f32' '--distribute rows' "--candidates own"; do
    printf '%s\n' "$rows" "$blocks" >own
    expect 0 run spmv lists.cairn --format auto $said --iters 1 --json - --verify
    has out "\"format\": \"$rows\""
    has out '"ok": true'
    ! grep -q '"convert_seconds": 0.0,*$' out || fail "nothing was stored"
done
expect 0 run spmv lists.cairn --verify
says '^format    #encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>'

# What cannot be run is said in a line, before anything is chosen.
printf '1 1 1 1\n1 2 3 0.1\n2 1 4 -1.5\n' >three.tns
expect 0 convert three.tns --to 'csf<3>' -o three.cairn
expect 2 run spmv three.cairn --format auto
complains 'order'
head -c 300 rows.cairn >cut.cairn
expect 2 run spmv cut.cairn --format auto
complains 'read: cut.cairn: '
expect 1 run spmv nowhere.cairn --format auto
expect 2 run spmv rows.cairn --format auto --place 0=cpu
complains 'has no members yet'
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '2 3 1' '1 3 4' >wide.mtx
expect 0 convert wide.mtx --to coo -o wide.cairn
expect 2 run spmv wide.cairn --format auto --chain 2
complains 'wide.cairn is 2 x 3: only a square matrix'
expect 1 run spmv rows.cairn --format auto --memory 1000
finish
