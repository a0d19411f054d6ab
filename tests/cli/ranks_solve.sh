# SPDX-License-Identifier: BSD-3-Clause
# cairn solve on ranks: histories with the same bits, the same x, one line of failure.
. "$(dirname "$0")/lib.sh"
expect 0 generate stencil5 --nx 40 --ny 30 -o grid.mtx

for method in cg pipelined-cg bicgstab gmres:20 chebyshev; do
    for n in 1 2 3; do
        on $n 0 solve $method grid.mtx --reproducible \
            --threads $n --precondition block-jacobi:16 --format 'bdia<64>' --out x$n.mtx \
            --json s$n.json
        sed 's/.*"history": //; s/].*/]/' s$n.json >h$n
        [ $n -eq 1 ] || same h1 h$n
        [ $n -eq 1 ] || same x1.mtx x$n.mtx
    done
    [ "$(wc -c <h1)" -gt 60 ] || fail "no history"
done

# Blocks that do not divide 64: ranks begin at multiples of both.
for n in 1 2; do
    on $n 0 solve cg grid.mtx --reproducible \
        --precondition block-jacobi:24 --out x$n.mtx --json -
done
same x1.mtx x2.mtx

run_as 1 "$MPIEXEC" -n 2 "$program" solve cg grid.mtx --max-iterations 1
[ "$(grep -c '^cairn: solve: cg: not converged after 1 iteration: ' err)" -eq 1 ] ||
    fail "not one line"
expect 0 generate tridiag --n 100 -o small.mtx
on 3 2 solve cg small.mtx --reproducible
[ "$(grep -c 'ranks have to begin at multiples of 64' err)" -eq 1 ] || fail "not one line"
on 3 0 solve cg small.mtx

finish
