# SPDX-License-Identifier: BSD-3-Clause
# cairn run spmv, on one process.
. "$(dirname "$0")/lib.sh"
figure a.mtx
expect 0 generate rmat --scale 7 --edges 600 -o r.mtx

expect 0 run spmv a.mtx --verify --json - --out y.mtx
fields out op matrix rows cols nnz dtype format ranks threads iters clock \
    seconds_median seconds_min seconds_measured seconds_simulated gflops bytes_per_run \
    read_seconds convert_seconds plan_seconds route parts verify
for text in '"op": "spmv"' '"matrix": "a.mtx"' '"nnz": 6' '"dtype": "f64"' '"ranks": 1' \
    '"clock": "measured"' '"seconds_simulated": 0.0' \
    '"ok": true' '"member": 0, "rank": 0, "share": 0' '"iters": 10'; do has out "$text"; done

# Figure 1a times 1, 10, 100, 1000, and times 1.
printf '%%%%MatrixMarket matrix array real general\n4 1\n1\n10\n100\n1000\n' >x.mtx
printf '%%%%MatrixMarket matrix array real general\n5 1\n1\n20\n5430\n0\n6000\n' >good.mtx
printf '%%%%MatrixMarket matrix array real general\n5 1\n1\n2\n12\n0\n6\n' >sums.mtx
for spec in csr csc coo dia 'bdia<3>' 'csb<2,2>' ell 'sell<2>' 'sell-sigma<2,4>' 'bell<2>' \
    'c2sr<2>' 'cisr<2>' 'cisr-plus<2>' 'serpens<2,4,2>' dok lil 'dense<2>' \
    'hybrid<bdia<3>,csr,0.5>' 'hybrid<bell<2>,coo,0.5,0.5>'; do
    expect 0 run spmv a.mtx --format "$spec" --x x.mtx --out y.mtx --verify
    same y.mtx good.mtx
    expect 0 run spmv a.mtx --format "$spec" --x ones --out y.mtx --iters 1 --dtype f32
    same y.mtx sums.mtx
    expect 0 run spmv r.mtx --format "$spec" --verify --iters 2
    says '^verified'
done

expect 0 run spmv a.mtx --format 'hybrid<bdia<3>,csr,0.5>' --json -
has out '"member": 1, "rank": 0'

# How the values of each part are stored: those of a file as narrow as they are.
sed "s/ 6$/ 0.1/; 2s/.*/5 4 6/" a.mtx >tenth.mtx
for matrix in a tenth; do
    expect 0 run spmv $matrix.mtx --json run.json
    expect 0 convert $matrix.mtx --to csr -o t.cairn --json convert.json
    expect 0 format csr $matrix.mtx --json format.json
    [ $matrix = a ] && values=i8 || values=f64
    for file in run convert format; do has $file.json "\"values\": \"$values\""; done
done
has convert.json '"parts": [{"member": 0, "rank": 0, "share": 0, "bank": null, "nnz": 6, '
expect 0 run spmv a.mtx --format 'c2sr<2>' --json - # banks are one part
has out '"share": 0, "format": "#encoding<{ idx_map<(d0,d1)->(d0%2,d0/2,d1)>, mutation<merge(0,1), trim(2,2)>, layout<partition(0)> }>", "nnz": 6'

# Several columns: the ramp's, and a file's; the transpose.
expect 0 run spmm a.mtx --k 3 --verify --json -
for text in '"op": "spmm"' '"ok": true' '"rows": 5'; do has out "$text"; done
expect 0 run spmm r.mtx --verify --iters 2 --dtype f32
printf '%%%%MatrixMarket matrix array real general\n4 2\n1\n10\n100\n1000\n1\n1\n1\n1\n' >x2.mtx
printf '%%%%MatrixMarket matrix array real general\n5 2\n1\n20\n5430\n0\n6000\n1\n2\n12\n0\n6\n' >good2.mtx
printf '%%%%MatrixMarket matrix array real general\n5 1\n1\n10\n100\n1000\n10000\n' >xt.mtx
printf '%%%%MatrixMarket matrix array real general\n4 1\n1\n320\n400\n60500\n' >goodt.mtx
for spec in csr csc 'bdia<3>' 'sell-sigma<2,4>' 'hybrid<bdia<3>,csr,0.5>'; do
    expect 0 run spmm a.mtx --k 2 --format "$spec" --x x2.mtx --out y.mtx --verify
    same y.mtx good2.mtx
    expect 0 run spmv a.mtx --transpose --format "$spec" --x xt.mtx --out y.mtx --verify
    same y.mtx goodt.mtx
    expect 0 run spmm r.mtx --transpose --k 7 --format "$spec" --verify --iters 1
done
expect 2 run spmm a.mtx --k 3 --x x2.mtx
complains 'x2.mtx: it is 4 x 2, but x is 4 x 3'
expect 2 run spmv a.mtx --transpose --x x.mtx
complains 'x.mtx: it is 4 x 1, but x is 5 x 1'

# Chains: every run begins with the same x; A^3 x by three runs of the command.
for spec in csc 'hybrid<bdia<3>,csr,0.5>' csr; do
    expect 0 run spmv r.mtx --format "$spec" --iters 1 --out y.mtx
    expect 0 run spmv r.mtx --format "$spec" --iters 1 --x y.mtx --out y2.mtx
    expect 0 run spmv r.mtx --format "$spec" --iters 1 --x y2.mtx --out y3.mtx
    expect 0 run spmv r.mtx --format "$spec" --chain 3 --out chain.mtx --verify --json -
    same chain.mtx y3.mtx
    for text in '"chain": 3' '"seconds_chain": ' '"ok": true'; do has out "$text"; done
done
expect 0 run spmv r.mtx --chain 2 --devices cpu:2 --place cpu:0+cpu:1 --out chain.mtx
same chain.mtx y2.mtx
says '^a run is a chain of 2 products'
expect 2 run spmv a.mtx --chain 2
complains 'option: --chain: a.mtx is 5 x 4'
expect 2 run spmv r.mtx --chain 2 --transpose
complains 'option: --chain: not with --transpose'
expect 2 run spmv r.mtx --chain 0

# The ways of kernels: compiled or prebuilt; asked not to; no compiler, told and right.
expect 0 run spmv a.mtx --json -
grep -q '"route": "\(compiled\|prebuilt\)"' out || fail "not compiled"
environment=CAIRN_KERNELS=reference
expect 0 run spmv a.mtx --json - --verify
has out '"route": "reference"'
no_compiler='#encoding<{ idx_map<(d0,d1)->(d0/3,d1/2,d1%2,d0%3)>, mutation<merge(0,1), trim(1,1)> }>'
environment='CAIRN_CC=/nonexistent/cc CAIRN_CACHE=none'
run_as 0 env $environment "$program" run spmv a.mtx --format "$no_compiler" --json - --verify
has out '"route": "reference"'
has out '"ok": true'
[ "$(grep -c '^cairn: warning: run: the reference way, slow: ' err)" -eq 1 ] || fail "no warning"
environment='CAIRN_CC=/nonexistent/cc CAIRN_CACHE=none CAIRN_KERNELS=compiled'
run_as 1 env $environment "$program" run spmv a.mtx --format "$no_compiler"
environment=

# Bound to one core of several: told, unless it was meant.
if command -v taskset >/dev/null && [ "$(nproc)" -gt 1 ]; then
    core=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
    run_as 0 taskset -c "$core" "$program" run spmv a.mtx --verify
    complains '^cairn: warning: run: bound to one core of '
    run_as 0 taskset -c "$core" "$program" run spmv a.mtx --threads 1
    [ ! -s err ] || fail "a warning about what was asked for"
fi

# A format that is chosen: told why, and right.
expect 0 generate stencil5 --nx 80 --ny 70 -o s.mtx
expect 0 run spmv s.mtx --format auto --verify
says '^chosen    '
says 'a product where csr takes'
says '; values in i8, '
says '^verified'
expect 0 run spmv s.mtx --format auto --json - --verify
fields out auto
for text in '"why": [' '"values": "i8"' '"candidates": [' '"predicted": ' '"kernel_seconds": ' '"ok": true'; do
    has out "$text"
done
# As many products as the run makes, where it says so: for few, nothing is looked at.
for count in '--iters 1' '--iters 1 --warmup 2 --chain 1' '--chain 1 --iters 3 --warmup 0'; do
    expect 0 run spmv s.mtx --format auto $count --json - --verify
    has out '"share": 0.0'
    has out 'could gain in 3 products does not pay'
    has out '"format": "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>", "distribution"'
done
expect 0 run spmv s.mtx --format auto --chain 1000 --iters 1 --verify
says ' a product where csr takes'
expect 0 run spmv s.mtx --format auto --warmup 0 --verify
says ' a product where csr takes'
expect 0 run spmm r.mtx --format auto --k 3 --dtype f32 --verify
expect 0 run spmv r.mtx --format auto --transpose --verify
expect 2 run spmv a.mtx --format auto --place moon
expect 2 run spmv a.mtx --format auto --place 1=cpu
complains '--place: 1=cpu: --format auto has no members yet'
expect 2 format auto a.mtx
complains 'there is no format called auto; it stands alone'
for pair in '--out a.mtx' '--trace t.json --plan-out t.json' '--json t --out t'; do
    expect 2 run spmv a.mtx $pair
    complains 'is the file of another operand or option'
done
expect 2 run spmv a.mtx --trace ''
complains 'option: --trace: needs a value, FILE'
[ ! -e t.json ] && [ ! -e t ] || fail "something was written"
expect 0 convert s.mtx --to auto -o s.cairn
says '^format    #encoding'
says '^chosen    '
expect 2 convert s.cairn --to auto -o s.cairn
complains 'is the file of another operand or option'
expect 0 convert s.cairn --to auto -o again.cairn --json -
fields out seconds phases bytes format path auto
expect 0 run spmv again.cairn --verify
# A tensor stays as it is where too few products come to store it anew.
expect 0 convert s.mtx --to dia -o dia.cairn
environment='CAIRN_REPLAYS=1'
expect 0 convert dia.cairn --to auto -o again.cairn
says '^format    #encoding<{ idx_map<(d0,d1)->(d1-d0,d0)>'
says '^          storing anew takes as long as all that could be gained'
expect 0 convert dia.cairn --to auto -o again.mtx
cmp -s again.mtx s.mtx || fail "a tensor that stays as it is has other entries"
expect 0 convert dia.cairn --to auto --dtype f32 -o again.cairn
says '^format    #encoding<{ idx_map<(d0,d1)->(d0,d1)>'
environment=
expect 0 convert dia.cairn --to csr -o rows.cairn
expect 0 convert rows.cairn --to auto -o again.cairn
says ' a product where what it is in takes '
says '^rules: '
expect 0 run spmv again.cairn --verify
printf '%s\n' '1 1 1 2' >cube.tns
expect 2 run spmv cube.tns --format auto
expect 2 convert cube.tns --to auto -o cube.cairn

# What this version lacks, and what nothing has.
for op in spgemm spadd sddmm mttkrp ttm ttv; do
    expect 2 run $op a.mtx
    complains "^cairn: run: $op: not in this version\$"
done
expect 2 run spvm a.mtx
complains 'spvm: .*did you mean spm[vm]?'
expect 0 run spmv a.mtx --distribute 2d
expect 2 run spmv a.mtx --distribute row
complains 'did you mean rows?'
expect 0 run spmv a.mtx --distribute rows
expect 2 run spmv a.mtx --k 4
complains '^cairn: option: --k: spmv has one column; --k is for spmm$'
expect 2 run spmm a.mtx --k 0
mkdir none
echo 'no library' >none/libcuda.so.1
environment=LD_LIBRARY_PATH=$folder/none
expect 1 run spmv a.mtx --place cuda
complains '^cairn: device: --place: this machine has no cuda device: no libcuda.so.1$'
environment=
expect 2 run spmv a.mtx --place nonsense
expect 1 run spmv a.mtx --place cpu:99
expect 0 run spmv a.mtx --place cpu
expect 0 run spmv a.mtx --place 0=cpu:0 --devices cpu
expect 2 run spmv a.mtx --format csx

# A test problem in one word is what the file of the same problem is.
expect 0 generate banded --n 60 --offsets -7,-1,0,1,7 -o word.mtx
expect 0 run spmv word.mtx --out y1.mtx
expect 0 run spmv banded:n=60,offsets=-7,-1,0,1,7 --out y2.mtx --verify
same y1.mtx y2.mtx
expect 0 generate uniform --n 50 --degree 3 --seed 9 -o word.mtx
expect 0 run spmv word.mtx --out y1.mtx
expect 0 run spmv uniform:degree=3,seed=9,n=50 --out y2.mtx
same y1.mtx y2.mtx
expect 2 run spmv stencil7:nx=3,ny=3
complains '^cairn: matrix: stencil7:nx=3,ny=3: nz: missing; stencil7 needs it$'
expect 2 run spmv stencil5:nx=3,ny=3,nz=3
complains 'nz: stencil5 does not take it'
expect 2 run spmv stencil5:nx=3,ny=3,nx=4
complains 'nx: is given twice'
expect 2 run spmv stencil5:nx=3,ny=x
complains "ny: 'x' is no whole number"
expect 2 run spmv stencil5:3,ny=3
complains '3: is no NAME=VALUE'
expect 2 run spmv stencil5:
expect 2 run spmv stencil5:nx=3,ny=3,k=1
complains 'k: is no parameter'
expect 1 run spmv stencil:nx=3,ny=3
complains 'No such file'

# Files.
expect 1 run spmv missing.mtx
expect 1 run spmv a.mtx --x missing.mtx
expect 2 run spmv a.mtx --x good.mtx # 5 rows, not 4
expect 1 run spmv a.mtx --out nowhere/y.mtx
expect 1 run spmv a.mtx --json nowhere/y.json
expect 1 run spmv r.mtx --memory 100
complains 'limit'

# What differs from the sum over the entries is told, and written all the same: where
# nothing is stored, dense still computes 0 * inf.
printf '%%%%MatrixMarket matrix array real general\n4 1\n1\n1\n1\ninf\n' >inf.mtx
rm -f y.mtx
run_as 1 "$program" run spmv a.mtx --x inf.mtx --format 'dense<2>' --verify --out y.mtx --json -
[ "$(grep -c '^cairn: verify: a.mtx: ' err)" -eq 1 ] || fail "no line about it"
has out '"ok": false'
exists y.mtx

# A NaN verifies against a NaN.
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 nan\n2 2 inf\n' >nan.mtx
expect 0 run spmv nan.mtx --verify
# The operation wants a matrix, whatever the format stores.
printf '1 1 1 3\n2 2 2 1\n' >cube.tns
for format in csr 'csf<3>'; do
    expect 2 run spmv cube.tns --format "$format"
    complains '^cairn: spmv: .* needs a matrix, and the order is 3$'
done
finish
