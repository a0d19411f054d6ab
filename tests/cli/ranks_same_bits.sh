# SPDX-License-Identifier: BSD-3-Clause
# The same bytes wherever members are, on several ranks too: by the command, a few of those
# that mpi/places has.
. "$(dirname "$0")/lib.sh"

expect 0 generate mixed --n 600 --degree 6 -o m.mtx
# What every command has; ranks, type, operation and members follow.
words='m.mtx --devices cpu:2 --out two.mtx --iters'
spread='0=cpu:0*0.3+cpu:1*0.7,1=cpu:0'
expect 0 run spmv $words 1 --dtype f64 --format 'hybrid<bdia<4>,csb<8,8>,0.6>' \
    --place cpu:0 --reproducible
mv two.mtx one.mtx
on 3 0 run spmv $words 1 --dtype f64 --format 'hybrid<bdia<4>,csb<8,8>,0.6>' \
    --place "$spread" --reproducible
same one.mtx two.mtx
expect 0 run spmm $words 1 --k 3 --dtype f32 --format 'hybrid<bdia<4>,csr,0.6>' \
    --place cpu:1
mv two.mtx one.mtx
for place in 0=cpu:1,1=cpu:0 auto; do
    on 2 0 run spmm $words 1 --k 3 --dtype f32 --format 'hybrid<bdia<4>,csr,0.6>' \
        --place "$place"
    same one.mtx two.mtx
done
# Transposed, one placement has one result on as many ranks.
for k in 1 2 3; do
    on 2 0 run spmv $words 40 --transpose --format 'hybrid<bdia<4>,csr,0.6>'
    [ $k -gt 1 ] || cp two.mtx one.mtx
    same one.mtx two.mtx
done
# But for those that are to be reproducible: these are the same on any number.
for n in 1 2 4; do
    on $n 0 run spmv $words 1 --transpose --reproducible --format 'hybrid<bdia<4>,csc,0.6>' \
        --place "$spread" --verify --threads 2
    says '^reproducible: [0-9]* sums apart, over fixed cuts, in '
    [ "$n" -gt 1 ] || cp two.mtx one.mtx
    same one.mtx two.mtx
done
finish
