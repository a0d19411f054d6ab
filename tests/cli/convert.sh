# SPDX-License-Identifier: BSD-3-Clause
# cairn convert: there and back again.
. "$(dirname "$0")/lib.sh"
figure a.mtx
expect 0 generate mixed --n 60 --degree 3 -o m.mtx

# Every format of the catalogue: the file is written by one process and read by others.
for spec in 'dense<2>' coo 'csf<2>' dok csr lil csc dcsr dcsc dia dia-variant 'bcsr<2,3>' \
    'bcsc<3,2>' 'bcoo<4,4>' 'bdcsr<2,2>' 'csb<4,4>' 'bdia<4>' 'c2sr<3>' ell 'sell<4>' \
    'sell-sigma<4,8>' 'bell<2>' 'cisr<2>' 'cisr-plus<3>' 'serpens<2,16,4>' \
    'hybrid<bdia<4>,csr,0.6>' 'hybrid<bell<2>,coo,0.5,0.5>'; do
    for matrix in a m; do
        expect 0 convert $matrix.mtx --to "$spec" -o t.cairn --json t.json
        fields t.json seconds phases bytes
        has t.json '"phases": {"read": '
        has t.json "\"bytes\": $(wc -c <t.cairn)"
        expect 0 info t.cairn --json -
        has out '"field": "f64", "symmetry": "general"'
        expect 0 convert t.cairn --to coo -o back.mtx
        same $matrix.mtx back.mtx
        expect 0 convert $matrix.mtx --to "$spec" -o direct.mtx
        same $matrix.mtx direct.mtx
    done
done

# A .cairn that is not what it was.
expect 0 convert m.mtx --to csr -o t.cairn
size=$(wc -c <t.cairn)
head -c $((size - 9)) t.cairn >short.cairn
expect 2 info short.cairn
{
    head -c $((size - 40)) t.cairn
    printf 'X'
    tail -c 39 t.cairn
} >wrong.cairn
cmp -s t.cairn wrong.cairn || expect 2 info wrong.cairn

expect 2 convert a.mtx -o n.mtx
complains 'option: --to: missing'
expect 2 convert a.mtx --to csr
complains 'option: -o: missing'
expect 2 convert a.mtx --to csr -o n.tns
complains 'not in this version'
for name in n.foo n n.mtx.gz; do expect 2 convert a.mtx --to csr -o $name; done
expect 2 convert a.mtx --to csx -o n.mtx
expect 2 convert a.mtx --to 'csf<3>' -o n.mtx
expect 1 convert a.mtx --to csr -o nowhere/n.mtx
expect 1 convert missing.mtx --to csr -o n.mtx
expect 1 convert m.mtx --to 'dense<2>' --memory 20k -o n.cairn
for name in n.mtx n.tns n.foo n n.mtx.gz n.cairn; do absent $name; done
finish
