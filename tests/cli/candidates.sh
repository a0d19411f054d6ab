#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Formats to choose among, from a file: what is read, what is refused, and where.
. "$(dirname "$0")/lib.sh"

blocks='#encoding<{ idx_map<(d0,d1)->(d0/3,d1/3,d0%3,d1%3)>, mutation<merge(0,1), trim(1,1)> }>'
rows='#encoding<{ idx_map<(i,j)->(i,j)>, mutation<merge(0), trim(1,1)> }>'
lanes='#encoding<{ idx_map<(d0,d1)->(d0/6,d1,d0%6)>, mutation<merge(0,1), trim(1,1)> }>'

expect 0 generate fem3 --n 900 --degree 9 -o f.mtx

# One format a line, as users write it; the first is what others are compared with.
printf '# mine\n\n%s\n  %s : one transposed\n\t%s\r\n#\nbdia<7>\n' "$rows" "$lanes" "$blocks" >own
expect 0 run spmv f.mtx --format auto --candidates own --verify
says '^format    #encoding<{ idx_map<(d0,d1)->(d0/3,d1/3,d0%3,d1%3)>'
says '^verified'
grep -qF "where $(echo "$rows" | cut -c1-60)" out || fail "it is not compared with the first"
expect 0 run spmv f.mtx --format auto --candidates own --json -
[ "$(grep -o '"predicted": ' out | wc -l)" -eq 4 ] || fail "not four candidates"
expect 0 run spmm f.mtx --k 4 --format auto --candidates own --json - --verify
[ "$(grep -o '"predicted": ' out | wc -l)" -eq 3 ] || fail "one is offered for one column alone"
expect 0 run spmv f.mtx --transpose --format auto --candidates own --verify
expect 0 convert f.mtx --to auto --candidates own -o f.cairn
says '(d0/3,d1/3,d0%3,d1%3)'
expect 0 run spmv f.cairn --verify

# Whatever is the only one is taken.
echo "$lanes" >one
expect 0 run spmv f.mtx --format auto --candidates one --verify
says '^format    #encoding<{ idx_map<(d0,d1)->(d0/6,d1,d0%6)>'
environment='CAIRN_REPLAYS=1' # as a tensor is, it would stay
expect 0 convert f.cairn --to auto --candidates one -o g.cairn
says '^format    #encoding<{ idx_map<(d0,d1)->(d0/6,d1,d0%6)>'
environment=

# With shipped rates nothing that ever ran has a part in it, and nothing is kept.
environment='CAIRN_COST=shipped CAIRN_COSTS=kept.json'
expect 0 run spmv f.mtx --format auto --candidates own --verify
absent kept.json
environment="CAIRN_COST=learned CAIRN_COSTS=$PWD/kept.json"
expect 0 run spmv f.mtx --format auto --candidates own --verify
has kept.json '"memory": ['
grep -v '"memory"' kept.json >other.json
sed 's/"memory": \[[^,]*/"memory": [1/' kept.json >wrong.json
chmod 600 other.json wrong.json
for name in other wrong; do
    environment="CAIRN_COST=learned CAIRN_COSTS=$PWD/$name.json"
    expect 0 run spmv f.mtx --format auto --candidates own --verify
    has $name.json '"memory": ['
    grep -q '"memory": \[1,' $name.json && fail "what no machine can be was believed"
done
environment='CAIRN_COST=measured'
expect 2 run spmv f.mtx --format auto
complains 'CAIRN_COST'
environment=

# What is wrong has its line and column, on one line, before the matrix is read.
# wrong STATUS TEXT WORDS...
wrong() {
    printf "$2" >bad
    expect "$1" run spmv nowhere.mtx --format auto --candidates bad
    complains "^cairn: candidates: bad:$3"
    expect "$1" convert nowhere.mtx --to auto --candidates bad -o o.cairn
    complains "^cairn: candidates: bad:$3"
    absent o.cairn
}
wrong 2 'csr\n\n   bdia<' '3:9: expected a number or a format, found the end$'
wrong 2 'csr\nbcsr<2>\n' '2:1: bcsr needs 2 arguments'
wrong 2 'csr\n  nosuch\n' '2:3: there is no format called nosuch$'
wrong 2 '#encoding<{ idx_map<(d0,d1)->(d0)> }>\n' '1:1: the index map does not give back d1'
wrong 2 'csr : two\n' "1:7: 'two' is no product"
wrong 2 'csr :\n' '1:6: expected a product'
wrong 2 'csr\ncsf<3>\n' '2:1: it is for tensors of order 3'
wrong 2 '' '1:1: there is no format$'
wrong 2 '# nothing\n\n' '3:1: there is no format$'
wrong 2 'csr\n\0\n' '2:1: a byte of 0: this is no text$'
wrong 2 'csr\n\377\376\n' "2:1: expected a format, found '.xff'"
printf 'csr\n%05000d\n' 0 >bad
expect 2 run spmv f.mtx --format auto --candidates bad
complains 'bad:2:1: the format has 5000 letters; at most 1023 are read$'
yes csr | head -n 31 >bad
expect 2 run spmv f.mtx --format auto --candidates bad
complains 'bad:31:1: one format too many'
head -c 4000 /dev/urandom >bad
expect 2 run spmv f.mtx --format auto --candidates bad
complains '^cairn: candidates: bad:[0-9]*:[0-9]*: '
echo 'csr : transposed' >bad
expect 2 run spmv f.mtx --format auto --candidates bad
complains 'bad:2:1: no format is offered for this product$'

# Not there, no file; only where a format is chosen; not overwritten.
expect 1 run spmv f.mtx --format auto --candidates nowhere
complains '^cairn: candidates: nowhere: cannot be read: No such file'
expect 1 run spmv f.mtx --format auto --candidates .
complains 'it is not a regular file$'
mkfifo pipe
expect 1 run spmv f.mtx --format auto --candidates pipe
expect 2 run spmv f.mtx --candidates own
complains 'option: --candidates: only with --format auto is a format chosen$'
expect 2 convert f.mtx --to csr --candidates own -o o.cairn
complains 'only with --to auto'
expect 2 run spmv f.mtx --format auto --candidates own --out own
complains 'is the file of another operand or option'
expect 2 run spmv f.mtx --format auto --candidates ''

finish
