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

# Digits of digits, of bases that do not divide each other, give back their dimension.
for digits in 'd0/8,(d0%8)/6,((d0%8)%6)%3,((d0%8)%6)/3' 'd0/10,(d0%10)/4,((d0%10)%4)/2,d0%2' \
    'd0/12,(d0%12)/10,((d0%12)%10)/5,((d0%12)%10)%5'; do
    expect 0 convert m.mtx --to "#encoding<{ idx_map<(d0,d1)->($digits,d1)>, mutation<trim(0,4)> }>" -o t.cairn
    expect 0 convert t.cairn --to coo -o back.mtx
    same m.mtx back.mtx
done

# From the format that a .cairn file is stored in, rule by rule.
expect 0 convert a.mtx --to 'bdia<3>' -o b.cairn
expect 0 convert b.cairn --to csr -o c.cairn --json -
has out '"path": ["Split(0)", "Devectorize(2)", "Trim(0)", "TileUnion(0,2,3)", "Skew(0,1,1)", "Sort", "Fill(0)", "Merge(0)"]'
expect 0 convert a.mtx --to csr -o direct.cairn
same c.cairn direct.cairn
expect 0 convert b.cairn --to csr --dtype f32 -o c.cairn
expect 0 convert a.mtx --to csr --dtype f32 -o direct.cairn
same c.cairn direct.cairn
expect 2 convert b.cairn --to 'csf<3>' -o c.tns
absent c.tns

# Damage anywhere in a native file is seen, between its pieces too.
at=0
size=$(wc -c <b.cairn)
while [ $at -lt "$size" ]; do
    cp b.cairn broken.cairn
    byte=$(dd if=b.cairn bs=1 skip=$at count=1 2>/dev/null | od -An -tu1 | tr -d ' ')
    printf "\\$(printf %o $((byte ^ 85)))" | dd of=broken.cairn bs=1 seek=$at conv=notrunc 2>/dev/null
    expect 2 info broken.cairn
    at=$((at + 5))
done
{ cat b.cairn; printf x; } >broken.cairn
expect 2 info broken.cairn

# Zeros keep their sign; a value that f32 cannot hold is refused, not made infinite.
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 -0.0\n2 2 1e300\n' >z.mtx
for spec in coo dia; do
    expect 0 convert z.mtx --to $spec -o back.mtx
    [ "$(sed -n 3p back.mtx)" = "1 1 -0" ] || fail "the zero lost its sign"
done
expect 2 convert z.mtx --to coo --dtype f32 -o f.mtx
complains 'beyond its range'
absent f.mtx

# A matrix as .tns, and tensors of other orders there and back, zeros kept.
expect 0 convert a.mtx --to csr -o a.tns
printf '1 1 1\n2 2 2\n3 2 3\n3 3 4\n3 4 5\n5 4 6\n' >expected.tns
same a.tns expected.tns
expect 0 convert a.tns --to coo -o back.mtx
same a.mtx back.mtx
cat >t3.tns <<'END'
# a tensor
2 1 4 -1.5
1 1 1 1
2 3 1 0

1 2 3 0.1
END
printf '1 1 1 1\n1 2 3 0.10000000000000001\n2 1 4 -1.5\n2 3 1 0\n' >expected.tns
for spec in 'csf<3>' 'dense<3>' \
    '#encoding<{ idx_map<(d0,d1,d2)->(d2,d0/2,d0%2,d1)>, mutation<merge(0)> }>'; do
    expect 0 convert t3.tns --to "$spec" -o t3.cairn
    expect 0 convert t3.cairn --to 'csf<3>' -o back.tns
    expect 0 convert t3.tns --to "$spec" -o direct.tns
    same direct.tns expected.tns
done
expect 0 convert t3.tns --to 'csf<3>' -o t3.cairn
expect 0 convert t3.cairn --to 'csf<3>' -o back.tns
same back.tns expected.tns
expect 0 info t3.tns --json -
has out '"dims": [2, 3, 4], "nnz": 4, "field": "real", "symmetry": "general"'
has out '"bandwidth_lower": null, "bandwidth_upper": null'
expect 0 format 'csf<3>' t3.tns --arrays
expect 2 run spmv t3.tns --format 'csf<3>'
complains 'order is 3'
expect 2 info t3.tns --spy t3.png
absent t3.png
expect 2 run spmv a.mtx --x t3.tns
complains 'order 3'
expect 2 convert t3.tns --to 'csf<3>' -o n.mtx
complains '^cairn: write: n.mtx: .*\.tns'
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 0\n' >none.mtx
expect 2 convert none.mtx --to csr -o n.tns
complains '^cairn: write: n.tns: '

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

no_kernel='#encoding<{ idx_map<(d0,d1)->(d0/3,d1/2,d1%2,d0%3)>, mutation<merge(0,1), trim(1,1)> }>'

# No compiler: told where one would have been waited for, and right.
expect 0 generate uniform --n 50000 --degree 5 -o large.mtx
expect 0 convert large.mtx --to "$no_kernel" -o right.cairn
for no_cc in /nonexistent/cc false; do
    run_as 0 env CAIRN_CC=$no_cc CAIRN_CACHE=none "$program" convert large.mtx \
        --to "$no_kernel" -o slow.cairn
    [ "$(grep -c '^cairn: warning: convert: without compiled functions, slow: compile: ' err)" -eq 1 ] ||
        fail "no warning"
    same slow.cairn right.cairn
    run_as 0 env CAIRN_CC=$no_cc CAIRN_CACHE=none "$program" convert m.mtx \
        --to "$no_kernel" -o slow.cairn
    [ ! -s err ] || fail "a warning about what needs no compiler"
done

expect 2 convert a.mtx -o n.mtx
complains 'option: --to: missing'
expect 2 convert a.mtx --to csr
complains 'option: -o: missing'
for name in n.foo n n.mtx.gz; do expect 2 convert a.mtx --to csr -o $name; done
expect 2 convert a.mtx --to csx -o n.mtx
expect 2 convert a.mtx --to 'csf<3>' -o n.mtx
expect 1 convert a.mtx --to csr -o nowhere/n.mtx
expect 1 convert missing.mtx --to csr -o n.mtx
expect 1 convert m.mtx --to 'dense<2>' --memory 20k -o n.cairn
for name in n.mtx n.tns n.foo n n.mtx.gz n.cairn; do absent $name; done
finish
