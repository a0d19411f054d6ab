# SPDX-License-Identifier: BSD-3-Clause
# cairn format on several ranks: totals are those of all of them.
. "$(dirname "$0")/lib.sh"

expect 0 generate uniform --n 60 --degree 5 -o u.mtx
for ranks in 1 2 3; do
    on $ranks 0 format 'bdia<4>' u.mtx
    says "^  total .* for 300 entries, "
    on $ranks 0 format csr u.mtx --json csr.json
    [ "$(grep -c '"nnz": 300, "values": 300' csr.json)" -eq 1 ] || fail "not all entries"
    # Each rank's ptr has one element more than it has rows; the values are f32.
    bytes=$((4 * (60 + ranks) + 300 + 4 * 300))
    has csr.json "\"bytes\": $bytes, \"baseline\": {\"format\": \"CSR\", \"bytes\": $bytes}"
done
on 2 0 format csr u.mtx
says '^part  member 0, rank 1: '

# The rules are executed on every rank.
on 2 0 format 'bcsr<2,2>' u.mtx --path 'hybrid<bdia<2>,csr,0.5>'
says '^Member(0) Split(0)'
# A plan of another format in one rank's folder is seen by all.
expect 0 generate stencil5 --nx 20 --ny 20 -o grid.mtx
mkdir one two
run_as 0 env $environment "$MPIEXEC" -n 2 "$program" run spmv grid.mtx --plan-out one/p.json
sed 's/"format": "[^"]*"/"format": "dia"/' one/p.json >two/p.json
apart 2 2 'cd one && "$program" run spmv ../grid.mtx --plan p.json' \
    'cd two && "$program" run spmv ../grid.mtx --plan p.json'
check_line
complains 'format: ranks disagree: .* on rank 0, .* on rank 1'
finish
