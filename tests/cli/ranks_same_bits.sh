# SPDX-License-Identifier: BSD-3-Clause
# The same bytes wherever members are, on several ranks too.
. "$(dirname "$0")/lib.sh"

expect 0 generate mixed --n 600 --degree 6 -o m.mtx
for dtype in f32 f64; do
    for second in csr csc 'csb<8,8>'; do
        for n in 1 2 3; do
            for place in cpu:0 0=cpu:0,1=cpu:1 '0=cpu:0*0.3+cpu:1*0.7,1=cpu:0'; do
                on $n 0 run spmv m.mtx --dtype $dtype --devices cpu:2 --iters 1 \
                    --format "hybrid<bdia<4>,$second,0.6>" --place "$place" \
                    --reproducible --out two.mtx
                [ "$n" -gt 1 ] || [ "$place" != cpu:0 ] || cp two.mtx one.mtx
                same one.mtx two.mtx
            done
        done
    done
    for n in 1 2; do
        for place in cpu:1 0=cpu:1,1=cpu:0 auto; do
            on $n 0 run spmm m.mtx --k 3 --dtype $dtype --devices cpu:2 --iters 1 \
                --format 'hybrid<bdia<4>,csr,0.6>' --place "$place" --out two.mtx
            [ "$n$place" != 1cpu:1 ] || cp two.mtx one.mtx
            same one.mtx two.mtx
        done
    done
done
# Transposed, one placement has one result on as many ranks.
for k in 1 2 3; do
    on 2 0 run spmv m.mtx --transpose --devices cpu:2 --iters 40 \
        --format 'hybrid<bdia<4>,csr,0.6>' --out two.mtx
    [ $k -gt 1 ] || cp two.mtx one.mtx
    same one.mtx two.mtx
done
# But for those that are to be reproducible: these are the same on any number.
for second in csr csc; do
    for n in 1 2 3 4; do
        for place in cpu:0 0=cpu:0,1=cpu:1 '0=cpu:0*0.3+cpu:1*0.7,1=cpu:0'; do
            on $n 0 run spmv m.mtx --transpose --reproducible --devices cpu:2 --iters 1 \
                --format "hybrid<bdia<4>,$second,0.6>" --place "$place" --verify \
                --threads 2 --out two.mtx
            says '^reproducible: [0-9]* sums apart, over fixed cuts, in '
            [ "$n" -gt 1 ] || [ "$place" != cpu:0 ] || cp two.mtx one.mtx
            same one.mtx two.mtx
        done
    done
done
finish
