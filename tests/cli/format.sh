# SPDX-License-Identifier: BSD-3-Clause
# cairn format: texts, levels, and the arrays of figure 1a.
. "$(dirname "$0")/lib.sh"
figure a.mtx

# tells TEXT: stdout has it, wherever its lines end.
tells() { tr -s ' \n' ' ' <out | grep -q -e "$1" || fail "stdout does not tell: $1"; }

expect 0 format csr
says '^#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>$'
expect 0 format csr --json -
fields out format members
has out '"format": "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>"'
has out '"level": 1, "expr": "d1", "kind": "compressed", "lo": null, "size": null, "nodes": null, "merged": false, "trimmed": true'

# What is printed can be read again.
expect 0 format 'hybrid<bdia<3>,csr,0.6>' --json -
says '"members": \[{.*}, {.*}\]'
expect 0 format 'bdia<3>'
text=$(head -n 1 out)
cp out first
expect 0 format "$text"
same out first

# A bare name that needs arguments: its definition; with a file there is nothing to do.
expect 0 format bdia
says '^#bdia<b> = '
expect 0 format '#bdia' --json -
has out '"members": []'
expect 2 format bdia a.mtx
complains "bdia needs 1 argument: b, as in 'bdia<2>'"

# A file is no format; one of its names is.
echo '#mine = csr' >my.formats
expect 0 format my.formats:mine
expect 2 format my.formats
complains 'format: my.formats: it is a file; FILE:NAME is'
expect 2 format ./my.formats
complains 'FILE:NAME'
expect 2 format my.formats:mien
complains 'there is no format called mien in my.formats; did you mean mine?'

# The worked arrays.
expect 0 format 'bdia<3>' a.mtx --arrays --json -
fields out format members parts
for text in '"level": 1, "kind": "ptr", "bits": 32, "length": 3, "bytes": 12, "values": [0, 3, 4]' \
    '"values": [-1, 0, 1, -1]' '"values": [0, 0, 3, 1, 2, 4, 0, 0, 5, 0, 6, 0]' \
    '"level": -1, "kind": "val", "bits": 8' '"bank": null' '"nnz": 6' \
    '"lo": -4, "size": 8, "nodes": 4'; do has out "$text"; done
expect 0 format dok a.mtx --arrays --json -
has out '"kind": "tuples", "bits": 128, "length": 6'
has out '"values": [[0, 0, 1], [1, 1, 2], [2, 1, 3], [2, 2, 4], [2, 3, 5], [4, 3, 6]]'
expect 0 format lil a.mtx --arrays --json -
has out '"values": [[[0, 1]], [[1, 2]], [[1, 3], [2, 4], [3, 5]], [], [[3, 6]]]'
expect 0 format 'c2sr<2>' a.mtx --arrays --json -
has out '"bank": 0, "nnz": 5'
has out '"bank": 1, "nnz": 1'
expect 0 format 'hybrid<bdia<3>,csr,0.5>' a.mtx --arrays
says '\[1,2,4\]'
says '\[3,5,6\]'
expect 0 format csr a.mtx --dtype f32 --json -
has out '"kind": "val", "bits": 8'
has out '"length": 6, "bytes": 6, "val": "i8"'

# Why: kinds, arrays, the way back; from the layout, so that a text without a name says
# what its name says.
expect 0 format csr
tells 'level 0: d0, the row. Dense: above trim(1,1)'
tells 'level 1: d1, the column. Compressed: trim(1,1) covers it'
tells 'idx1 holds their indices. ptr1, because level 0 above is merged, one node for each e0: under its node p are nodes ptr1\[p\] to ptr1\[p+1\]-1'
tells 'Every value is an entry.s: no padding'
tells 'back: d0 = e0, d1 = e1'
cp out named
expect 0 format '#encoding<{ idx_map<(i,j)->(i,j)>, mutation<trim(1,1), merge(0)> }>'
same out named
expect 0 format 'bdia<3>'
tells 'the group of 3 rows'
tells 'the diagonal'
tells 'd0 = 3\*e0+e2, d1 = 3\*e0+e1+e2'
tells 'overhang'
expect 0 format ell
tells 'Ragged: trim(0,0) covers it'
tells 'No idx: a node.s place is its number. No ptr: the topmost'
tells 'Singleton: the levels above tell which it is. idx2'
tells 'query 1: numbers the elements of each group: enum(value)'
expect 0 format 'cisr<2>'
tells 'a number that query 1 gives. Partition: each index is a bank'
tells 'hands groups to buckets'
expect 0 format coo
tells 'not merged, it has as many nodes as level 1'
tells 'No ptr, because level 0 is not merged'
expect 0 format dok
says '  0      d0     compressed  -      yes   tuples0'
tells 'the last field of tuples0'
expect 0 format lil
tells 'tuples0, of which each node of level 0 has a list'
expect 0 format 'csf<3>'
tells 'ptr2, because level 1'
tells 'd0 = e0, d1 = e1, d2 = e2'
expect 0 format 'dense<3>'
tells 'without a trim all indices exist'
expect 0 format 'hybrid<bdia<3>,csr,0.5>'
says '^groups: positions alike in (d0/3, d1-d0)$'
tells 'entries at more than 0.5 of their positions'
tells 'all that no member before takes'
expect 0 format 'serpens<2,4,2>'
tells 'Numbers that nothing has keep their places'
tells 'At holes they are 0'
expect 0 format '#encoding<{ idx_map<(d0,d1)->(d0/2,d1,d0%2)>, mutation<merge(0), trim(1,1)> }>'
tells 'd0 = 2\*e0+e2, d1 = e1'

# What it costs.
expect 0 format 'bdia<3>' a.mtx
says '^  ptr1        32              3     12 bytes   43 %  positions stay below 2^32$'
says '^  idx1         8              4      4 bytes   14 %  indices -4 to 3, signed$'
says '^  total    28 bytes for 6 entries, 4.67 bytes each; 0.78 of CSR.s 36 bytes$'
says '^  values   12, 50 % of them padding, since stored diagonals are whole$'
says '^  verdict  this format suits matrices with few diagonals'
expect 0 format csr a.mtx
says '1.00 of CSR.s 36 bytes$'
says '^  verdict  as compact as CSR$'
expect 0 format csr a.mtx --dtype f32
says '1.00 of CSR.s 36 bytes$'
expect 0 format 'sell<2>' a.mtx
says '^  idx3         8             10     10 bytes   .*  indices 0 to 3, hole 4$'
says '^  values   10, 40 % of them padding, since all rows of a slot'
expect 0 format 'bcsr<2,2>' a.mtx
says '^  values   16, 62 % of them padding, since stored blocks are whole$'
expect 0 format 'cisr<2>' a.mtx
says '^part  member 0, rank 0, bank 1: 2 entries, 18 bytes$'
expect 0 format 'c2sr<30>' a.mtx
says '^parts  30, of 0 to 3 entries'
expect 0 format 'hybrid<bdia<3>,csr,0.5>' a.mtx
says '^  total    46 bytes for 6 entries'
expect 0 format csr a.mtx --json -
fields out nnz values bytes baseline
has out '"nnz": 6, "values": 6, "bytes": 36, "baseline": {"format": "CSR", "bytes": 36}'
expect 0 format '#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)>, bits<idx = 32> }>' a.mtx
says 'by bits<...>$'

# CSR's bytes are what storing it takes, on a larger matrix too; and no entries at all.
expect 0 generate uniform --n 300 --degree 7 -o u.mtx
expect 0 format csr u.mtx --json -
has out '"bytes": 13804, "baseline": {"format": "CSR", "bytes": 13804}'
expect 0 format 'bcsr<8,8>' u.mtx --json -
has out '"baseline": {"format": "CSR", "bytes": 13804}'
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '4 5 0' >none.mtx
expect 0 format ell none.mtx
says 'verdict  no entries'

# Lines fit a terminal, but for the canonical text and formats' own words.
for spec in csr 'bdia<3>' 'sell-sigma<2,4>' 'serpens<2,4,2>' dok; do
    expect 0 format "$spec" a.mtx
    [ "$(tail -n +2 out | awk 'length > 88' | wc -l)" -eq 0 ] || fail "$spec: long lines"
done

# Elements to be read.
expect 0 format 'bcsr<2,2>' a.mtx --arrays
says '^    ptr1   \[0,1,3,4\]$'
says '^    val    \[1,0,0,2,0,3,0,0,4,5,0,0,0,6,0,0\]$'
expect 0 format csr u.mtx --arrays
[ "$(tail -n +2 out | awk 'length > 88' | wc -l)" -eq 0 ] || fail "long lines of elements"

# Values in another type: what is stored, and what it is.
narrow='#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)>, layout<val(TYPE)> }>'
expect 0 format "$(echo "$narrow" | sed s/TYPE/exact/)" a.mtx --arrays --json -
has out '"kind": "val", "bits": 8, "length": 6, "bytes": 6, "val": "i8", "values": [1, 2, 3, 4, 5, 6]'
expect 0 format "$(echo "$narrow" | sed s/TYPE/dict8/)" a.mtx --json -
has out '"bits": 8, "length": 6, "bytes": 6, "val": "dict8"}, {"level": -1, "kind": "dict", "bits": 64, "length": 256, "bytes": 2048}'

# Without a word of the text values of a file take what holds them all, but no dictionary;
# with one, what it says. The text is the one that was given.
expect 0 format csr a.mtx --arrays --json -
has out '"kind": "val", "bits": 8, "length": 6, "bytes": 6, "val": "i8", "values": [1, 2, 3, 4, 5, 6]'
has out '"format": "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>"'
expect 0 format "$(echo "$narrow" | sed s/TYPE/f64/)" a.mtx --json -
has out '"kind": "val", "bits": 64, "length": 6, "bytes": 48, "val": "f64"}'
printf '%s\n' '%%MatrixMarket matrix coordinate pattern general' '2 3 3' '1 1' '1 3' '2 2' >ones.mtx
expect 0 format csr ones.mtx --arrays --json -
has out '"kind": "val", "bits": 64, "length": 1, "bytes": 8, "val": "iso", "values": [1, 1, 1]'
expect 0 format 'bcsr<2,2>' ones.mtx --json -
has out '"val": "i8"}'
expect 0 generate uniform --n 300 --degree 40 --seed 3 -o full.mtx
awk 'NR > 2 && !/^%/ { $3 = ($1 % 7) / 10 + 0.1 } { print }' full.mtx >few.mtx
expect 0 info few.mtx
says 'need f64, or a dictionary'
expect 0 format csr few.mtx --json -
has out '"val": "f64"}'
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '2 2 2' '1 1 0.1' '2 2 3' >tenth.mtx
expect 0 format "$(echo "$narrow" | sed s/TYPE/f32/)" tenth.mtx
says 'all are stored as f32, rounded by up to 1.5e-08 of it'
expect 0 format "$(echo "$narrow" | sed s/TYPE/f32/)" tenth.mtx --json -
has out '"val": "f32", "val_error": 1.49'
expect 0 format "$(echo "$narrow" | sed s/TYPE/f32/)" a.mtx --json -
grep -q val_error out && fail "an error of values that are not rounded"
expect 2 format "$(echo "$narrow" | sed s/TYPE/iso/)" a.mtx
complains 'val(iso): member 0 has a value that it does not hold'
expect 0 format "$(echo "$narrow" | sed s/TYPE/bf16/)" tenth.mtx
says 'all are stored as bf16, rounded by up to'
expect 0 format csr --path "$(echo "$narrow" | sed s/TYPE/i8/)"
says '^Val$'
expect 0 format "$(echo "$narrow" | sed s/TYPE/i8/)" --path csr
says '^Val(i8)$'
expect 0 convert a.mtx --to "$(echo "$narrow" | sed s/TYPE/exact/)" -o narrow.cairn
expect 0 run spmv narrow.cairn --format csr --verify
expect 0 convert narrow.cairn --to csr -o wide.mtx
expect 0 convert a.mtx --to csr -o plain.mtx
same wide.mtx plain.mtx

expect 2 format csx
complains 'did you mean'
expect 2 format '#encoding<{ idx_map<(d0,d1)->(d0)> }>'
expect 2 format 'csr<'
expect 2 format 'csf<3>' a.mtx
expect 2 format csr --arrays
expect 2 format csr --path cso
complains 'did you mean'
expect 1 format csr missing.mtx
expect 1 format nofile:mine
finish
