# SPDX-License-Identifier: BSD-3-Clause
# cairn solve --reproducible on devices: residuals and x have the bits of one thread of the
# processor, on 1 to 4 ranks, 1 and 2 threads, a processor that is cut in two, OpenCL, and a
# CUDA driver that pretends.
. "$(dirname "$0")/lib.sh"
expect 0 generate stencil5 --nx 40 --ny 30 -o grid.mtx
"$program" devices --devices opencl >out 2>err && opencl=yes || opencl=
[ "$opencl" ] || echo "this machine has no opencl device: the rest is tried"

# as_one WHAT RANKS WORDS...: the same history and x as of one rank and thread.
as_one() {
    what=$1
    n=$2
    shift 2
    on "$n" 0 solve "$method" grid.mtx --reproducible --format "$format" \
        --precondition jacobi --out x.mtx --json s.json "$@"
    sed 's/.*"history": //; s/].*/]/' s.json >h
    [ "$what" = one ] || { has s.json "\"device\": \"$what"; same h1 h && same x1.mtx x.mtx; }
}

# all_devices RANKS CPU-RANKS: one rank and thread, and then the others, on so many ranks each.
all_devices() {
    as_one one 1 --threads 1
    mv h h1
    mv x.mtx x1.mtx
    [ "$(wc -c <h1)" -gt 60 ] || fail "no history"
    for n in $2; do
        as_one cpu:0 "$n" --threads 2
        as_one cpu:0 "$n" --threads 2 --devices cpu:2 --place cpu:0+cpu:1
    done
    for n in $1; do
        [ "$opencl" ] && as_one opencl:0 "$n" --threads 1 --place opencl
        environment="LD_LIBRARY_PATH=$DRIVERS/cuda"
        as_one cuda:0 "$n" --threads 1 --place cuda
        environment=
    done
}

format=csr method=cg
all_devices '1 2 3 4' '1 4'
format='bdia<64>'
all_devices 2 2
format=csr method=gmres:20
all_devices 2 2

finish
