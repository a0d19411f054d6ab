# SPDX-License-Identifier: BSD-3-Clause
# The product has the same bytes on several ranks, for formats of every kind (mpi/api has
# more of them, on 1 to 4 ranks).
#   product.sh KIND OPTION...   the test problem to generate
. "$(dirname "$0")/lib.sh"

expect 0 generate "$@" -o m.mtx
for spec in csr csc 'csb<4,4>' ell 'bdia<4>' 'hybrid<bdia<4>,csr,0.6>' \
    'hybrid<bell<2>,coo,0.5,0.5>'; do
    expect 0 run spmv m.mtx --format "$spec" --iters 1 --verify --out alone.mtx
    exists alone.mtx
    [ "$spec" = csr ] && some='1 2 3 4' || some='2 3'
    for n in $some; do
        on $n 0 run spmv m.mtx --format "$spec" --iters 1 --verify --out y.mtx
        same y.mtx alone.mtx
    done
done
for spec in csr 'bdia<4>' 'hybrid<bell<2>,coo,0.5,0.5>'; do
    expect 0 run spmm m.mtx --k 5 --format "$spec" --iters 1 --verify --out alone.mtx
    for n in 2 3; do
        on $n 0 run spmm m.mtx --k 5 --format "$spec" --iters 1 --verify --out y.mtx
        same y.mtx alone.mtx
        on $n 0 run spmm m.mtx --k 2 --transpose --format "$spec" --iters 1 --verify
    done
done
expect 0 run spmv m.mtx --transpose --reproducible --iters 1 --out alone.mtx
on 2 0 run spmv m.mtx --transpose --reproducible --iters 1 --verify --out y.mtx
same y.mtx alone.mtx
for how in rows nnz cost; do
    on 3 0 run spmv m.mtx --distribute $how --iters 1 --verify --out y.mtx
    expect 0 run spmv m.mtx --iters 1 --out alone.mtx
    same y.mtx alone.mtx
done
finish
