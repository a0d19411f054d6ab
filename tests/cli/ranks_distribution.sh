# SPDX-License-Identifier: BSD-3-Clause
# How rows go to ranks, as a format's text says it: in run, format and convert.
. "$(dirname "$0")/lib.sh"
figure a.mtx
expect 0 generate uniform --n 103 --degree 5 -o u.mtx

# Canonical, and read again.
expect 0 format 'csr@(d0/64 % ranks)'
says '}> @ (d0/64%ranks)$'
text=$(head -n 1 out)
cp out first
expect 0 format "$text"
same out first
expect 0 format 'hybrid<dia @ rows,csr> @ blocks<2,1+1>' --json -
has out '"distribution": "blocks<2,2>"'
has out '"distribution": "rows"'
expect 0 format csr --json -
has out '"distribution": null'

# The text of FILE:NAME begins before the first '<' or '@'.
echo '#mine<b> = #encoding<{ idx_map<(d0,d1)->(d0/b,d1,d0%b)>, mutation<merge(0), trim(1,1)> }>' >'f:1.formats'
expect 0 format 'f:1.formats:mine<2> @ nnz'
says '^#encoding<{ idx_map<(d0,d1)->(d0/2,d1,d0%2)>.*}> @ nnz$'
expect 2 format 'f:1.formats:mine @ nnz'
complains 'mine needs 1 argument'
echo '#mine = csr @ nnz' >g.formats
expect 2 format g.formats:mine
complains 'g.formats:1:13: a definition has no distribution'

# The same bytes on any number of ranks, and each rank's rows as they are asked for.
for said in rows nnz cost '(d0*ranks/103)' '(d0*0+ranks-1)'; do
    for format in 'bdia<4>' 'hybrid<bell<4>,csr,0.5>'; do
        for ranks in 1 3; do
            on $ranks 0 run spmv u.mtx --format "$format @ $said" --distribute rows \
                --verify --iters 1 --out y$ranks.mtx --json j.json
            has j.json "\"distribution\": \"$said\""
            same y1.mtx y$ranks.mtx
        done
    done
done
on 3 0 run spmv u.mtx --distribute rows --iters 1 --json j.json
has j.json '"distribution": "rows"'
on 2 0 format 'csr @ (d0/100)' u.mtx --json j.json
tr -d '\n' <j.json | grep -q '"rank": 1[^}]*"nnz": 15' || fail 'rank 1 has not 3 rows'

# --distribute cost is "@ cost" where the format says nothing: ranks have work as they have
# threads. A file keeps it; its rows are cut for as many ranks as read it.
expect 0 run spmv u.mtx --format csr --iters 1 --out y1.mtx
run_as 0 "$MPIEXEC" -n 3 sh -c 'export CAIRN_THREADS=$((1 + OMPI_COMM_WORLD_RANK)); exec "$@"' sh \
    "$program" run spmv u.mtx --format csr --distribute cost --verify --iters 1 \
    --out y3.mtx --json j.json
has j.json '"distribution": "cost"'
same y1.mtx y3.mtx
tr -d ' \n' <j.json >flat.json
for rows in 0:17 17:35 52:51; do
    grep -q "\"first_row\":${rows%:*},\"rows\":${rows#*:}}" flat.json ||
        fail "no rank has the ${rows#*:} rows from ${rows%:*} on"
done
on 3 0 run spmv u.mtx --format 'csr @ rows' --distribute cost --iters 1 --json j.json
has j.json '"distribution": "rows"'
on 3 0 convert u.mtx --to 'csr @ cost' -o c.cairn --json j.json
has j.json '"distribution": "cost"'
on 2 0 convert c.cairn --to 'bdia<4> @ cost' -o c2.cairn
on 3 0 convert c2.cairn --to 'csr @ (d0%ranks)' -o c3.cairn
on 2 0 convert c3.cairn --to 'csr @ cost' -o c.mtx
expect 0 convert u.mtx --to csr -o plain.mtx
same c.mtx plain.mtx

# Rows of a file go as its format says, where neither --format nor --distribute does.
on 3 0 convert u.mtx --to 'ell @ (d0/40)' -o f.cairn
expect 0 info f.cairn --json -
has out '"distribution": "(d0/40)"'
expect 0 info f.cairn
says '^ranks      @ (d0/40)$'
expect 0 info u.mtx --json -
has out '"distribution": null'
run_file() {
    on $1 0 run spmv f.cairn --verify --iters 1 --out y3.mtx --json j.json ${3-}
    has j.json "\"distribution\": \"$2\""
    same y1.mtx y3.mtx
}
run_file 3 '(d0/40)'
tr -d ' \n' <j.json >flat.json
for rows in 0:40 40:40 80:23; do
    grep -q "\"first_row\":${rows%:*},\"rows\":${rows#*:}}" flat.json ||
        fail "no rank has the ${rows#*:} rows from ${rows%:*} on"
done
run_file 3 rows '--distribute rows'
run_file 3 nnz '--distribute nnz'
run_file 3 cost '--distribute cost'
run_file 3 rows '--format csr@rows'
run_file 1 nnz
run_as 0 "$MPIEXEC" -n 2 "$program" run spmv f.cairn --iters 1 --out y3.mtx --json j.json
has j.json '"distribution": "nnz"'
same y1.mtx y3.mtx
grep -q 'warning: run: f.cairn: its rows cannot go as it says on 2 ranks, @ (d0/40): by nnz$' err ||
    fail 'no warning of rows that go to no rank'
mv c3.cairn f.cairn
on 2 0 run spmv f.cairn --verify --iters 1 --json j.json
has j.json '"distribution": "(d0%ranks)"'

# Blocks of rows and columns, kept in a file; other ranks read it by nnz, and are warned.
on 2 0 convert u.mtx --to 'bdia<4> @ blocks<1,2>' -o g.cairn --json j.json
has j.json '"distribution": "blocks<1,2>"'
on 2 0 run spmv g.cairn --verify --iters 1 --json j.json
has j.json '"distribution": "blocks<1,2>"'
on 2 0 run spmv u.mtx --distribute 2d --verify --iters 1 --json j.json
has j.json '"distribution": "blocks<2,1>"'
on 2 0 convert g.cairn --to 'csr @ rows' -o g.mtx
same g.mtx plain.mtx
expect 0 info g.cairn --json -
has out '"rows": 103, "cols": 103, "nnz": 515'
run_as 0 "$MPIEXEC" -n 3 "$program" convert g.cairn --to csr -o g.mtx
same g.mtx plain.mtx
complains 'warning: read: g.cairn: its rows, @ blocks<1,2>, are not for 3 ranks: by nnz$'
on 2 0 format 'csr @ blocks<1,2>' u.mtx
says '^rows are renumbered: '

# --distribute graph is "@ graph" where the format says nothing; never another distribution.
graph=1
"$MPIEXEC" -n 3 "$program" run spmv u.mtx --format 'csr @ graph' >graph.txt 2>&1 && graph=0
on 3 $graph run spmv u.mtx --format 'bdia<4> @ graph' --iters 1 --out y1.mtx
[ $graph = 0 ] || complains 'PT-Scotch cannot be used here'
on 3 $graph run spmv u.mtx --format 'bdia<4>' --distribute graph --verify --iters 1 \
    --out y3.mtx --json j.json
if [ $graph = 0 ]; then
    has j.json '"distribution": "graph"'
    same y1.mtx y3.mtx
else
    complains 'PT-Scotch cannot be used here'
fi
on 3 0 run spmv u.mtx --format 'csr @ rows' --distribute graph --iters 1 --json j.json
has j.json '"distribution": "rows"'

# Refused by all, once.
on 3 2 run spmv u.mtx --format 'csr @ (d0/10)'
complains 'format: distribution: row 102 goes to rank 10, but there are only ranks 0..2'
on 3 1 run spmv u.mtx --format 'csr @ blocks<2,1>'
complains '@ blocks<2,1> is for 2 times 1 ranks, and there are 3$'
expect 1 run spmv u.mtx --format 'csr @ blocks<2,1>'
on 2 2 run spmv u.mtx --transpose --format 'csr @ blocks<1,2>'
complains 'plan: transposed: tensor: its rows are in parts, @ blocks<1,2>: not in this version$'
on 2 0 run spmv u.mtx --format 'hybrid<bdia<4> @ rows,csr>' --verify
expect 0 convert u.mtx --to csr -o w.mtx
on 2 0 convert u.mtx --to 'hybrid<bdia<4> @ rows,csr>' -o x.mtx
same w.mtx x.mtx
on 2 0 convert u.mtx --to 'hybrid<bdia<4> @ rows,csr>' -o x.cairn
for n in 1 3; do
    on $n 0 convert x.cairn --to csr -o x.mtx
    same w.mtx x.mtx
done

# Scattered rows: Y and files of entries are in the user's order, whatever the arrays are.
expect 0 convert u.mtx --to csr -o w.mtx
on 3 0 convert u.mtx --to 'csr @ (d0%ranks)' -o v.mtx
same w.mtx v.mtx
on 3 0 run spmv u.mtx --format 'bdia<4> @ (d0/5%ranks)' --verify --iters 2 --out s.mtx
says '^verified'
on 3 0 run spmm u.mtx --k 2 --format 'csr @ (d0%ranks)' --transpose --verify --iters 1
says '^verified'
on 3 0 format 'csr @ (d0%ranks)' u.mtx
says '^rows are renumbered: '
expect 0 format 'csr @ (d0%ranks)' u.mtx
grep -q renumbered out && fail 'one rank has no places'

# A file keeps it; what changes its rank is sent, and told.
on 2 0 convert u.mtx --to 'csr @ (d0/60)' -o u.cairn --json j.json
has j.json '"distribution": "(d0/60)"'
on 2 0 convert u.cairn --to 'csr @ (d0/80)' -o v.cairn
says '^store: 100 entries went to other ranks, [0-9]* bytes in 1 message$'
on 2 0 convert u.cairn --to 'bcsr<2,2> @ (d0/60)' -o w.cairn
grep -q 'went to other ranks' out && fail 'rows went that need not'
on 3 0 convert v.cairn --to 'bdia<8> @ rows' -o w.cairn
on 1 0 convert w.cairn --to 'coo @ nnz' -o back.mtx
expect 0 convert u.mtx --to coo -o plain.mtx
same back.mtx plain.mtx
finish
