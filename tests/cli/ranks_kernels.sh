# SPDX-License-Identifier: BSD-3-Clause
# CAIRN_KERNELS=compiled is a promise that nothing is interpreted: a query that has no
# compiled function is refused, with its member and the reason. Without it the route tells.
. "$(dirname "$0")/lib.sh"
figure a.mtx
CAIRN_CACHE=$folder/cache
export CAIRN_CACHE

# Numbered with a distance between numbers, which no function does: in groups that ranks
# share, and of columns.
key='#encoding<{ idx_map<(d0,d1)->(s,d0,d1)>, mutation<merge(0), trim(0,2)>, indirect<{ s = enum(value) groupBy (d0,d1)->(d0%3) traverseBy (d0,d1)->(d1%2,-(d0)) with value ne 0 -> 0 | otherwise -> none distance 2 by (d0,d1)->(d1) }> }>'
apart='#encoding<{ idx_map<(d0,d1)->(d1/2,indirect(d1),d0,d1%2)>, mutation<merge(0), trim(1,1)>, indirect<{ enum(value) groupBy (d0,d1)->(d1/2) traverseBy (d0,d1)->(d1,d0) with value ne 0 -> 0 | otherwise -> none distance 2 by (d0,d1)->(d0) }> }>'

# refused RANKS FORMAT TEXT
refused() {
    if [ "$1" -eq 1 ]; then expect 1 convert a.mtx --to "$2" -o out.cairn; else on "$1" 1 convert a.mtx --to "$2" -o out.cairn; fi
    complains "^cairn: convert: $3"
    complains 'CAIRN_KERNELS=compiled'
    absent out.cairn
}

environment=CAIRN_KERNELS=compiled
for format in csr ell 'bell<2>' 'hybrid<bell<2>,csr,0.5>'; do
    expect 0 convert a.mtx --to "$format" -o out.cairn --json out.json
    grep -q '"route": "\(compiled\|prebuilt\)"' out.json || fail "$(grep route out.json)"
    has out.json '"why": null'
    rm -f out.cairn
done
refused 1 "$key" 'member 0: query s: no compiled function answers it'
refused 1 "$apart" 'member 0: query 1: no compiled function answers it'
refused 1 "hybrid<csr,$(echo "$apart" | sed 's/^#//;s/^/#/'),0.9>" 'member [01]: query 1: '
refused 2 "$key" 'member 0: query s: no compiled function answers it on several ranks'
refused 2 "$apart" 'member 0: query 1: no compiled function answers it on several ranks'
expect 1 run spmv a.mtx --format "$key"
for format in csr ell 'sell<2>' 'sell-sigma<2,4>' 'cisr<2>' 'cisr-plus<2>' 'hybrid<dia,csr,0.5>' 'hybrid<ell,csr,0.5,0.5>'; do
    on 2 0 convert a.mtx --to "$format" -o out.cairn --json out.json
    grep -q '"route": "\(compiled\|prebuilt\)"' out.json || fail "$(grep route out.json)"
    has out.json '"why": null'
    rm -f out.cairn
done

# Without the promise it is done, and told.
environment=
expect 0 generate uniform --n 50000 --degree 4 --seed 3 -o large.mtx
expect 0 convert large.mtx --to "$apart" -o out.cairn --json out.json
has out.json '"route": "reference"'
has out.json '"why": "member 0: query 1 was interpreted: no compiled function answers it"'
expect 0 run spmv large.mtx --format "$apart" --iters 1 --json run.json
has run.json '"convert_route": "reference"'
has run.json '"convert_why": "member 0: query 1 was interpreted: no compiled function answers it"'
expect 0 run spmv large.mtx --format ell --iters 1 --json run.json
grep -q '"convert_route": "\(compiled\|prebuilt\)"' run.json || fail "$(grep convert_route run.json)"
has run.json '"convert_why": null'
environment=CAIRN_KERNELS=reference
expect 0 convert a.mtx --to "$apart" -o out.cairn --json out.json
has out.json '"route": "reference"'
has out.json '"why": null'
finish
