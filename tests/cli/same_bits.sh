# SPDX-License-Identifier: BSD-3-Clause
# The same bytes wherever members are: by default where members meet each row once, with
# --reproducible always; and one placement has one result.
. "$(dirname "$0")/lib.sh"

expect 0 generate mixed --n 2000 --degree 6 -o m.mtx
places='cpu:1 0=cpu:0,1=cpu:1 0=cpu:1,1=cpu:0 0=cpu:0+cpu:1,1=cpu:0
    0=cpu:1,1=cpu:0*0.3+cpu:1*0.7 auto'

# everywhere WORDS...: one device alone, then all places.
everywhere() {
    expect 0 run spmv m.mtx --devices cpu:2 --iters 1 --warmup 0 --place cpu:0 \
        --out one.mtx "$@"
    exists one.mtx
    for place in $places; do
        expect 0 run spmv m.mtx --devices cpu:2 --iters 1 --warmup 0 \
            --place "$place" --out two.mtx "$@"
        same one.mtx two.mtx
    done
}

for dtype in f32 f64; do
    for second in csr coo 'sell-sigma<4,64>' 'c2sr<8>'; do
        everywhere --dtype $dtype --format "hybrid<bdia<64>,$second,0.6>"
    done
    for second in csr csc 'csb<8,8>' 'serpens<4>'; do
        everywhere --dtype $dtype --format "hybrid<bdia<64>,$second,0.6>" \
            --reproducible
        everywhere --dtype $dtype --format "hybrid<bdia<64>,$second,0.6>" \
            --reproducible --transpose
    done
done

# Open places, again and again, with costs that are learned between runs.
environment="CAIRN_COST=learned CAIRN_COSTS=$folder/costs.json"
for second in csr csc 'csb<8,8>' 'serpens<4>'; do
    for way in --dtype=f32 --dtype=f64 --transpose; do
        rm -f one.mtx costs.json
        for k in 1 2 3 4; do
            expect 0 run spmv m.mtx --devices cpu:2 --iters 40 $way \
                --format "hybrid<bdia<64>,$second,0.6>" --out two.mtx
            [ -e one.mtx ] || cp two.mtx one.mtx
            same one.mtx two.mtx
        done
    done
done
for place in cpu:0+cpu:1 1=cpu:1 0=cpu:0+cpu:1; do
    rm -f one.mtx costs.json
    for k in 1 2 3; do
        expect 0 run spmv m.mtx --devices cpu:2 --iters 20 --place $place --transpose \
            --format 'hybrid<bdia<64>,csr,0.6>' --out two.mtx
        [ -e one.mtx ] || cp two.mtx one.mtx
        same one.mtx two.mtx
    done
done
environment=

# What it costs is told; a plan in a file takes and gives the same.
expect 0 run spmv m.mtx --format 'hybrid<bdia<64>,csc,0.6>' --devices cpu:2 \
    --place cpu:0 --reproducible --out one.mtx
says '^reproducible: 1 sum apart, over fixed cuts, in .* beside Y; .* more moved in a run$'
expect 0 run spmv m.mtx --reproducible
says '^reproducible: nothing had to be summed apart$'
expect 0 run spmv m.mtx --format 'hybrid<bdia<64>,csc,0.6>' --transpose \
    --devices cpu:2 --place cpu:0+cpu:1 --reproducible --json - --out one.mtx \
    --plan-out p.json
fields out reproducible apart apart_bytes
has out '"reproducible": true'
expect 0 run spmv m.mtx --devices cpu:2 --plan p.json --transpose --reproducible \
    --out two.mtx
same one.mtx two.mtx
expect 0 run spmv m.mtx --json -
has out '"reproducible": false'
finish
