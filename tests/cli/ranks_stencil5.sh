# SPDX-License-Identifier: BSD-3-Clause
# The product of a stencil5 matrix has the same bytes on 1 to 4 ranks, for every format.
. "$(dirname "$0")/lib.sh"

expect 0 generate stencil5 --nx 12 --ny 11 -o m.mtx
for spec in csr csc 'csb<4,4>' ell 'bdia<4>' 'hybrid<bdia<4>,csr,0.6>' \
    'hybrid<bell<2>,coo,0.5,0.5>'; do
    expect 0 run spmv m.mtx --format "$spec" --iters 1 --verify --out alone.mtx
    exists alone.mtx
    for n in 1 2 3 4; do
        on $n 0 run spmv m.mtx --format "$spec" --iters 1 --verify --out y.mtx
        same y.mtx alone.mtx
    done
done
for how in rows nnz; do
    on 3 0 run spmv m.mtx --distribute $how --iters 1 --verify --out y.mtx
    expect 0 run spmv m.mtx --iters 1 --out alone.mtx
    same y.mtx alone.mtx
done
finish
