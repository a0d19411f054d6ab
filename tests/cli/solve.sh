# SPDX-License-Identifier: BSD-3-Clause
# cairn solve, on one process.
. "$(dirname "$0")/lib.sh"
expect 0 generate stencil5 --nx 30 --ny 20 -o grid.mtx

# A x = b, by the product of the same command.
for spec in csr 'bdia<64>' 'hybrid<bdia<64>,csr,0.6>'; do
    for method in cg pipelined-cg bicgstab gmres:40 chebyshev; do
        expect 0 solve $method grid.mtx --format "$spec" --tol 1e-12 \
            --precondition jacobi --out x.mtx --json s.json
        fields s.json op matrix rows cols nnz dtype format ranks threads iters clock \
            seconds_median seconds_min gflops bytes_per_run parts method precondition \
            outcome tolerance iterations residual true_residual why lower upper products \
            reductions seconds_solve seconds_products seconds_precondition history
        has s.json '"outcome": "converged"'
        has s.json "\"method\": \"$method\""
        expect 0 run spmv grid.mtx --x x.mtx --out b.mtx --iters 1
        awk 'NR > 2 && ($1 < 1 - 1e-9 || $1 > 1 + 1e-9) { bad = 1 }
             END { exit bad || NR != 602 }' b.mtx || fail "A x is not 1"
    done
done

# A right-hand side of one's own; the history begins with 1 and has an entry a step.
printf '%%%%MatrixMarket matrix array real general\n600 1\n' >rhs.mtx
awk 'BEGIN { for (k = 0; k < 600; k++) print k % 7 - 3 }' >>rhs.mtx
expect 0 solve cg grid.mtx --rhs rhs.mtx --tol 1e-13 --out x.mtx --json s.json
expect 0 run spmv grid.mtx --x x.mtx --out b.mtx --iters 1
paste rhs.mtx b.mtx | awk 'NR > 2 && ($1 - $2 > 1e-9 || $2 - $1 > 1e-9) { bad = 1 }
                           END { exit bad }' || fail "A x is not b"
awk '{ sub(/.*"history": \[/, ""); sub(/\].*/, ""); n = split($0, h, ", ") }
     END { exit !(n > 10 && h[1] == 1 && h[n] <= 1e-13 && h[n - 1] > 1e-13) }' s.json ||
    fail "the history is another"
has s.json "\"iterations\": $(($(sed 's/.*"history": //; s/\].*//' s.json | tr -cd , | wc -c)))"

expect 0 solve cg grid.mtx --picture h.svg
grep -q '^<svg ' h.svg && grep -q '^</svg>' h.svg || fail "no picture"
[ "$(sed -n '/<polyline/,$p' h.svg | grep -o '[0-9.]*,[0-9.]*' | wc -l)" -eq \
    "$(sed -n 's/^converged after \([0-9]*\) .*/\1 + 1/p' out | xargs expr)" ] ||
    fail "other points than iterations"
says '^converged after [0-9]* iterations: residual'
says '^  0          1.000e+00'

# One member divided among two devices, members on two: the bits of one.
for spec in csr 'hybrid<bdia<64>,csr,0.6>'; do
    for place in cpu:0 cpu:0+cpu:1; do
        expect 0 solve cg grid.mtx --reproducible --format "$spec" --devices cpu:2 \
            --place $place --json s.json
        sed 's/.*"history": //; s/].*/]/' s.json >"h$place"
    done
    same hcpu:0 hcpu:0+cpu:1
done

# --format auto: iterations begin in csr, and it is told what became of another format.
expect 0 solve cg grid.mtx --format auto --tol 1e-10 --json s.json
fields s.json other history
has s.json '"why": "'
has s.json "\"format\": \"$(sed -n 's/.*"format": "\(#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>\)".*/\1/p' s.json | head -n 1)\""
expect 0 solve cg grid.mtx --json s.json
has s.json '"other": null'
printf 'csr\nbdia<64>\n' >formats.txt
expect 0 solve chebyshev:0.001,8 grid.mtx --format auto --candidates formats.txt --tol 1e-3 --max-iterations 100000
says '^beside    '
expect 0 convert grid.mtx --to 'bdia<64>' -o grid.cairn
expect 0 solve cg grid.cairn --format auto --tol 1e-10 --json s.json
has s.json '"format": "#encoding<{ idx_map<(d0,d1)->(d0/64,d1-d0,d0%64)>'
expect 2 solve cg grid.mtx --format auto --reproducible

# --switch-to: iterations begin as --format says, and the other is tried where it is there
# in time, which the other thread may not have on a machine with much other work.
expect 0 solve chebyshev:0.001,8 grid.mtx --switch-to 'bdia<64>' --tol 0 --max-iterations 20000 --json s.json
has s.json '"dtype": "f64", "format": "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>"'
in_time() { ! grep -q 'iterations ended before it was there' "$1"; }
! in_time s.json || has s.json '"other": {"format": "#encoding<{ idx_map<(d0,d1)->(d0/64,d1-d0,d0%64)>'
expect 0 solve chebyshev:0.001,8 grid.mtx --format ell --switch-to csr --tol 0 --max-iterations 20000
! in_time out || says '^beside    #encoding<{ idx_map<(d0,d1)->(d0,d1)>, .*: it was named; it took'
run_as 1 "$program" solve cg grid.mtx --checkpoint begun --max-iterations 3
expect 0 solve cg grid.mtx --restart begun --switch-to 'bdia<64>' --json s.json
has s.json '"dtype": "f64", "format": "#encoding<{ idx_map<(d0,d1)->(d0/64,d1-d0,d0%64)>'
has s.json '"other": null'

# A --place that names members is of those of --format: also where a job that was ended
# begins again, with the same words, in the other format.
hybrid='hybrid<bell<2>,csr>'
run_as 1 "$program" solve cg grid.mtx --format "$hybrid" --switch-to csr \
    --place 0=cpu:0,1=cpu:0 --checkpoint placed --max-iterations 3
expect 0 solve cg grid.mtx --format "$hybrid" --switch-to csr \
    --place 0=cpu:0,1=cpu:0 --restart placed --json s.json
has s.json '"dtype": "f64", "format": "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>"'
run_as 2 "$program" solve cg grid.mtx --format csr --place 0=cpu:0,1=cpu:0 --restart placed
complains 'place'

# --guard: all products are checked, and nothing is found.
expect 0 solve cg grid.mtx --guard --json s.json
fields s.json guard
has s.json '"found": 0'
has s.json "\"checked\": $(sed -n 's/.*"products": \([0-9]*\).*/\1/p' s.json)"
expect 0 solve bicgstab grid.mtx --format 'hybrid<bdia<64>,csr,0.6>' --guard
says '^guard     [1-9][0-9]* checks of products, 0 not made'
expect 0 run spmv grid.mtx --guard --iters 3 --warmup 1
says '^guard     4 checks of products, 0 not made (x is not finite); 0 found wrong'
expect 2 run spmm grid.mtx --guard
expect 2 run spmv grid.mtx --guard --chain 3

# What is told of one that does not converge, and the line.
run_as 1 "$program" solve cg grid.mtx --max-iterations 2 --out x.mtx
says '^NOT converged after 2 iterations'
complains '^cairn: solve: cg: not converged after 2 iterations: the residual is '
[ -s x.mtx ] || fail "the last x is missing"
run_as 1 "$program" solve cg grid.mtx --max-iterations 0 --json s.json
has s.json '"outcome": "limit"'
has s.json '"seconds_median": null'
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 -4\n' >minus.mtx
run_as 1 "$program" solve cg minus.mtx --json s.json
has s.json '"outcome": "breakdown"'
has err "iteration 1: p'Ap is -3: the matrix is not positive definite"

# Where the bounds are not found no residual was carried along yet: that of x = 0 is told.
run_as 1 "$program" solve chebyshev minus.mtx --json s.json
has s.json '"residual": 1.0, "true_residual": 1.0'

# Numbers that are none, or beyond f64, are told from a matrix that is not for the method.
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 nan\n2 2 1\n' >nan.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1e200\n2 2 1e-200\n' >apart.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1e308\n2 2 1e308\n' >huge.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1e-308\n2 2 1e-308\n' >tiny.mtx
out_of_range() {
    words=$1
    shift
    run_as 1 "$program" solve "$@"
    complains "iteration [12]: $words: numbers are out of range"
}
out_of_range "p'Ap is nan" chebyshev nan.mtx
out_of_range "p'Ap is inf" cg huge.mtx
out_of_range "p'Ap is inf" pipelined-cg huge.mtx
out_of_range "|A v|^2 is inf" gmres apart.mtx
out_of_range "r'z is inf" cg tiny.mtx --precondition jacobi
out_of_range "r'u is inf" pipelined-cg tiny.mtx --precondition jacobi

# What is wrong.
refuse() {
    words=$1
    shift
    expect 2 solve "$@"
    complains "$words"
}
refuse "'sor' is none: there are cg" sor grid.mtx
refuse 'gmres:M has M from 1 to 1000' gmres:0 grid.mtx
refuse '0 < LO < HI' chebyshev:3,1 grid.mtx
refuse "'ilu' is none" cg grid.mtx --precondition ilu
refuse 'blocks have 1 to 4096 rows' cg grid.mtx --precondition block-jacobi:0
refuse 'tol: -1 is less than 0' cg grid.mtx --tol -1
refuse 'max-iterations' cg grid.mtx --max-iterations -1
refuse 'end in .svg' cg grid.mtx --picture h.png
refuse 'end in .svg' cg grid.mtx --picture h.svg.png
refuse 'not in this version' cg grid.mtx --dtype f32
refuse 'not with --format auto' cg grid.mtx --format auto --reproducible
refuse 'not with --switch-to' cg grid.mtx --switch-to ell --reproducible
refuse '--format auto chooses' cg grid.mtx --switch-to ell --format auto
refuse 'nosuch' cg grid.mtx --switch-to nosuch
refuse 'FILE' cg
refuse 'one too many' cg grid.mtx grid.mtx
refuse 'is the file' cg grid.mtx --out grid.mtx
refuse 'is the file' cg grid.mtx --rhs rhs.mtx --out rhs.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 1\n2 2 4\n' >wide.mtx
refuse '2 x 3: as many equations as unknowns' cg wide.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n2 1 4\n' >holes.mtx
refuse 'row 0 (from 0) has 0 on the diagonal: its inverse is not finite' gmres holes.mtx --precondition jacobi
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n1 2 4\n' >flat.mtx
refuse 'block of rows 0 to 1 (from 0) is singular' gmres flat.mtx \
    --precondition block-jacobi
refuse 'row 0 (from 0) has nan in column 0' gmres nan.mtx --precondition block-jacobi
printf '%%%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1e-320\n' >least.mtx
refuse 'row 0 (from 0) has 9.99989e-321 on the diagonal: its inverse is not finite' \
    cg least.mtx --precondition jacobi
for blocks in block-jacobi:1 block-jacobi; do
    refuse 'block of rows 0 to 0 (from 0) is singular: a pivot is 0 or out of range' \
        gmres least.mtx --precondition $blocks
done
run_as 1 "$program" solve gmres least.mtx
complains 'the residual computed anew is inf: numbers are out of range$'
expect 1 solve cg missing.mtx
complains 'missing.mtx'

# A folder that is missing is told at once, also behind a link, and so is a folder where a
# file should be: these iterations would take minutes.
endless='solve cg grid.mtx --tol 0 --max-iterations 100000000'
mkdir folder.svg
ln -s nowhere/x.svg link.svg
for option in out json picture; do
    for name in nowhere/x.svg link.svg; do
        expect 1 $endless --$option $name
        complains '^cairn: create: nowhere/x.svg: No such file or directory$'
    done
    expect 1 $endless --$option folder.svg
    complains '^cairn: create: folder.svg: Is a directory$'
done
for option in out json trace; do
    expect 1 run spmv grid.mtx --$option .
    complains '^cairn: create: .: Is a directory$'
done
expect 1 $endless --out .
complains '^cairn: create: .: Is a directory$'

# No rows, and no entries.
printf '%%%%MatrixMarket matrix coordinate real general\n0 0 0\n' >none.mtx
expect 0 solve cg none.mtx --json s.json
has s.json '"iterations": 0'
run_as 1 "$program" solve cg none.mtx --rhs missing.mtx

finish
