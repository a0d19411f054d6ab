# SPDX-License-Identifier: BSD-3-Clause
# Under a launcher: the same bytes on any number of ranks, every report once.
. "$(dirname "$0")/lib.sh"
figure a.mtx

# Failures are told once, and every status is the same.
on 3 2 inof a.mtx
complains 'did you mean info?'
on 3 2 run spmv a.mtx --itres 3
on 3 2
on 3 1 info missing.mtx
on 3 2 format csx
on 3 1 info a.mtx --json nowhere/a.json
on 3 1 run spmv a.mtx --out nowhere/y.mtx
on 3 2 generate stencil5 --nx 3 -o n.mtx
environment=CAIRN_NONSENSE=1
on 2 2 info a.mtx
environment=

# What is missing on one rank only fails on all, and nobody waits for the others.
echo '#mine = #encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>' >f
for words in 'format FILE:mine a.mtx' 'run spmv a.mtx --format FILE:mine' \
    'convert a.mtx --to FILE:mine -o c.cairn'; do
    words="\"\$program\" $words"
    apart 2 1 "$(echo "$words" | sed 's/FILE/f/')" "$(echo "$words" | sed 's/FILE/missing/')"
    check_line
    complains 'rank 1: .*missing'
done

# A test problem in one word has the same bytes on any number of ranks, its own halo, and
# stands in the place of the file on all ranks.
for ranks in 1 3; do
    on $ranks 0 run spmv stencil5:nx=9,ny=12 --verify --distribute rows --out y$ranks.mtx --json h$ranks.json
done
same y1.mtx y3.mtx
has h1.json '"halo": 0, "halo_bytes": 0,'
has h3.json '"halo": 36, "halo_bytes": 288,'
has h3.json '"distribution": "rows"'
has h1.json '"halo_ways": null,'
has h3.json '"halo_ways": {"now": "'
apart 2 2 '"$program" run spmv stencil5:nx=3,ny=3' '"$program" run spmv a.mtx'
complains 'a test problem on some ranks'
apart 2 2 '"$program" run spmv stencil5:nx=3,ny=3' '"$program" run spmv stencil5:nx=3,ny=4'
check_line

# Ranks that were given other arguments do not wait for each other.
differ() {
    apart 3 2 "\"\$program\" $1" "\"\$program\" $2"
    check_line
    complains "$3"
}
differ 'run spmv a.mtx --iters 3' 'run spmv a.mtx --iters 4' '--iters: not the same'
differ 'run spmv a.mtx' 'run spmv a.mtx --transpose' '--transpose: not the same'
differ 'run spmv a.mtx' 'info a.mtx' 'the verb: not the same'
differ 'run spmv a.mtx --itres 3' 'run spmv a.mtx' 'whether they are right: not the same'
# What each rank has its own values of, and one of them is none: nobody waits, whichever it
# is, and the option is named.
for own in '--memory 5x 5M' '--give-up -1 5' '--threads x 1'; do
    set -- $own
    apart 3 2 "\"\$program\" run spmv a.mtx $1 $2" "\"\$program\" run spmv a.mtx $1 $3"
    check_line
    complains "^cairn: option: $1: '$2' is "
    apart 3 2 "\"\$program\" run spmv a.mtx $1 $3" "\"\$program\" run spmv a.mtx $1 $2" \
        "\"\$program\" run spmv a.mtx $1 $3"
    check_line
    complains "^cairn: option: $1: is wrong on rank 1$"
done
# Texts are compared, too: else ranks would wait for each other, or make a result of both.
printf '%%%%MatrixMarket matrix array real general\n4 1\n1\n2\n3\n4\n' >x.mtx
cp x.mtx x1.mtx
differ 'run spmv a.mtx --x ones' 'run spmv a.mtx --x ramp' '--x: not the same'
differ 'run spmv a.mtx --x x.mtx' 'run spmv a.mtx --x ramp' '--x: not the same'
differ 'run spmv a.mtx --x ramp' 'run spmv a.mtx --x x.mtx' '--x: not the same'
differ 'run spmv a.mtx --format csr' 'run spmv a.mtx --format auto' '--format: not the same'
differ 'run spmv a.mtx --dtype f32' 'run spmv a.mtx --dtype f64' '--dtype: not the same'
differ 'run spmv a.mtx --distribute rows' 'run spmv a.mtx --distribute nnz' \
    '--distribute: not the same'
differ 'run spmv a.mtx' 'run spmm a.mtx' 'OP: not the same'
differ 'format csr a.mtx' 'format csc a.mtx' 'SPEC: not the same'
differ 'format csr --path csr' 'format csr --path csc' '--path: not the same'
differ 'convert a.mtx --to csr -o c.cairn' 'convert a.mtx --to csr -o c.mtx' \
    '--output: not the same'
differ 'generate banded --n 9 --offsets 0,1 -o g.mtx' \
    'generate banded --n 9 --offsets 0,2 -o g.mtx' '--offsets: not the same'
differ 'generate pruned --rows 9 --cols 9 --density 0.5 -o g.mtx' \
    'generate pruned --rows 9 --cols 9 --density 0.25 -o g.mtx' '--density: not the same'
differ 'generate uniform --n 9 --degree 2 --seed 9007199254740992 -o g.mtx' \
    'generate uniform --n 9 --degree 2 --seed 9007199254740993 -o g.mtx' \
    '--seed: not the same'
differ 'generate tridiag --n 9 -o g.mtx' 'generate stencil5 --n 9 -o g.mtx' \
    'KIND: not the same'
absent g.mtx
# A rank's own: files that it reads, places, devices, memory.
apart 2 0 '"$program" run spmv a.mtx --x x.mtx --place cpu:0 --memory 1G' \
    '"$program" run spmv a.mtx --x x1.mtx --place cpu --memory 2G'
check_line
apart 2 0 '"$program" run spmv a.mtx --devices cpu:1' '"$program" run spmv a.mtx --devices cpu:2'
check_line
on 2 2 run spmv a.mtx --iters nan
complains "^cairn: option: --iters: 'nan' is no whole number"
apart 2 0 '"$program" run spmv a.mtx --threads 1' '"$program" run spmv a.mtx --threads 2'
check_line

# Reports are printed once.
on 3 0 --version
[ "$(wc -l <out)" -eq 1 ] || fail "the version, more than once"
on 3 0 info --help
[ "$(grep -c '^usage' out)" -eq 1 ] || fail "the help, more than once"
on 3 0 info a.mtx --json - --spy a.png
fields out rows cols nnz
exists a.png
on 3 0 devices --json -
has out '"rank": 2, "id": "cpu:0"'

# More ranks than rows; parts of all ranks.
on 4 0 run spmv a.mtx --verify --json -
has out '"ranks": 4'
has out '"member": 0, "rank": 3'
on 3 0 format csr a.mtx --json -
has out '"rank": 2'
has out '"nodes": 6'
[ "$(tr '{' '\n' <out | grep -c '"kind": "val"')" -eq 3 ] || fail "arrays of all ranks"
printf '%%%%MatrixMarket matrix coordinate real general\n0 0 0\n' >none.mtx
on 3 0 run spmv none.mtx --verify --out y.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n2 3 1\n1 2 5\n' >two.mtx
on 4 0 run spmv two.mtx --verify --out y.mtx
expect 0 run spmv two.mtx --out alone.mtx
same y.mtx alone.mtx

# One rank chooses for all.
expect 0 generate mixed --n 900 --degree 3 -o big.mtx
on 3 0 run spmv big.mtx --format auto --verify --json -
has out '"ok": true'
on 3 0 run spmv none.mtx --format auto --verify

# Written by some ranks, read by others.
expect 0 generate mixed --n 60 --degree 3 -o m.mtx
on 3 0 generate mixed --n 60 --degree 3 -o again.mtx
same m.mtx again.mtx
on 3 0 convert m.mtx --to 'bdia<4>' -o m.cairn --json -
fields out seconds phases bytes
for n in 1 2 4; do
    on $n 0 convert m.cairn --to csr -o back.mtx
    same m.mtx back.mtx
done

# OMP_NUM_THREADS is each rank's own.
environment=OMP_NUM_THREADS=3
on 2 0 run spmv a.mtx --json -
has out '"threads": 3'
environment=

# MPI without a launcher.
expect 0 --mpi info a.mtx
expect 0 info a.mtx --mpi
# The elements of all ranks' arrays.
on 3 0 format csr a.mtx --arrays --json -
for values in '[1, 2]' '[3, 4, 5]' '[6]'; do
    has out "\"values\": $values}"
done

finish
