# SPDX-License-Identifier: BSD-3-Clause
# Threads: what several do together, reading slices of a file, inflating ahead, a product
# in every format, gives the bits that one gives. The thread sanitizer's preset runs this.
. "$(dirname "$0")/lib.sh"

# Long enough for more than one slice of the text.
expect 0 generate mixed --n 20000 --degree 6 -o m.mtx
[ "$(wc -c <m.mtx)" -gt 2000000 ] || fail "$(wc -c <m.mtx) bytes are too few to be cut"
gzip -k m.mtx
expect 0 convert m.mtx --to csr -o one.mtx --threads 1
for name in m.mtx m.mtx.gz; do
    for threads in 2 5; do
        expect 0 convert $name --to csr -o many.mtx --threads $threads
        same one.mtx many.mtx
    done
done
expect 0 convert m.mtx --to csr -o m.cairn --threads 3
expect 0 info m.cairn --threads 3

# A line in one slice that is wrong, and lines in two.
sed '60000s/.*/1 x 1/' m.mtx >wrong.mtx
sed -e '90000s/.*/1 1/' -e '60000s/.*/1 x 1/' m.mtx >two.mtx
for name in wrong two; do
    for threads in 1 4; do
        expect 2 info $name.mtx --threads $threads
        complains "^cairn: read: $name.mtx: line 60000: "
    done
done

# Members that are filled side by side, by one thread each or by shares.
expect 0 generate mixed --n 80000 --degree 2 -o h.mtx
environment=CAIRN_KERNELS=compiled
for spec in 'hybrid<bdia<64>,csr,0.6>' 'hybrid<csc,coo,0.6>'; do
    for threads in 1 2 4; do
        expect 0 convert h.mtx --to "$spec" -o h$threads.cairn --threads $threads
        same h1.cairn h$threads.cairn
    done
done
environment=

# Large enough for several threads to have work, in rows and in columns.
expect 0 generate pruned --rows 900 --cols 800 --density 0.03 -o p.mtx
for spec in coo csr csc dia 'bcsr<2,3>' 'bdia<4>' 'c2sr<3>' ell 'sell-sigma<4,8>' 'bell<2>' \
    'cisr-plus<3>' 'serpens<2,16,4>' 'hybrid<bdia<4>,csr,0.6>' 'dense<2>'; do
    expect 0 run spmv p.mtx --format "$spec" --threads 1 --iters 1 --out one.mtx
    expect 0 run spmv p.mtx --format "$spec" --threads 4 --iters 3 --verify --out many.mtx
    same one.mtx many.mtx
    expect 0 run spmm p.mtx --k 3 --format "$spec" --threads 1 --iters 1 --out one.mtx
    expect 0 run spmm p.mtx --k 3 --format "$spec" --threads 3 --iters 2 --verify --out many.mtx
    same one.mtx many.mtx
    expect 0 run spmv p.mtx --transpose --format "$spec" --threads 1 --iters 1 --out one.mtx
    expect 0 run spmv p.mtx --transpose --format "$spec" --threads 4 --iters 1 --verify --out many.mtx
    same one.mtx many.mtx
done

# In pieces that threads take over from each other.
for spec in csr coo 'sell<8>' 'bdia<4>' 'hybrid<bdia<4>,csr,0.6>'; do
    for dtype in f64 f32; do
        expect 0 run spmv p.mtx --format "$spec" --dtype $dtype --threads 1 --iters 1 --out one.mtx
        environment=CAIRN_TEAM=pieces
        expect 0 run spmv p.mtx --format "$spec" --dtype $dtype --threads 4 --iters 50 --verify --out many.mtx
        environment=
        same one.mtx many.mtx
    done
done

# One row with half of the entries: it is cut, and threads share the cuts.
awk 'BEGIN { n = 20000; print "%%MatrixMarket matrix coordinate real general"
    print n, n, 2 * n - 1
    for (j = 1; j <= n; j++) print 1, j, j % 7 + 0.1
    for (i = 2; i <= n; i++) print i, i, i % 5 + 0.3 }' >long.mtx
for spec in csr coo dcsr; do
    for op in spmv 'spmm --k 3'; do
        set -f
        # shellcheck disable=SC2086 # words are words
        expect 0 run $op long.mtx --format $spec --threads 1 --iters 1 --out one.mtx
        for threads in 2 3 5; do
            # shellcheck disable=SC2086
            expect 0 run $op long.mtx --format $spec --threads $threads --iters 2 \
                --verify --out many.mtx
            same one.mtx many.mtx
        done
        set +f
    done
done
expect 0 devices --json -
finish
