#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# page.py over what the programs print: each table has its rows, what has no results is left
# as it is and named, and a page is made anew as often as one likes.
# Usage: page_test.sh FOLDER   (of the programs)
set -eu
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
bench=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "page_test: $*"
    exit 1
}

# has TABLE PATTERN: a line between its marks.
has() {
    sed -n "/<!-- table $1 -->/,/<!-- end -->/p" "$folder/page.md" | grep -q -- "$2" \
        || fail "$1 has no '$2': $(cat "$folder/page.md")"
}

small="--tiny --rounds 1 --matrix fem3 --json"
# shellcheck disable=SC2086 # words
"$bench/bench_compare" --section spmv --dtype f64 $small >"$folder/spmv.json"
# shellcheck disable=SC2086
"$bench/bench_compare" --section convert --convert csr-csc,coo-csr $small >"$folder/convert.json"
"$bench/bench_read" --n 99 --rounds 1 --json >"$folder/read.json"
"$bench/bench_first" csr >"$folder/first.txt"
echo "some machine" >"$folder/machine.txt"
cat >"$folder/ksp.txt" <<'END'
| matrix | ranks | KSP, us | csr, us | ratio | auto, us | ratio | auto's format |
|---|---|---|---|---|---|---|---|
| /tmp/some/bcsstk16.mtx | 1 | 79.0 | 80.1 | 0.99 | 43.4 | 1.82 | `#encoding<{ }>` |
END
cat >"$folder/nodes.txt" <<'END'
| what | against | ours | theirs | ratio | aimed at | met | bounded by |
|---|---|---|---|---|---|---|---|
| SpMV of stencil5:200, 2 ranks | PETSc's MatMult, as found | 13.5 us | 46.8 us | 3.46 | >= 1.5 | yes | 2.26 MB a run, 167.3 GB/s |
END
: >"$folder/auto.txt" # a section that had nothing to do

for table in machine door spmv spmm convert read auto ksp nodes first; do
    printf '<!-- table %s -->\nold\n<!-- end -->\nbetween\n' "$table"
done >"$folder/page.md"
python3 "$here/page.py" "$folder" "$folder/page.md" >"$folder/said"
has machine 'some machine'
has spmv '^| fem3 | [1-9][0-9]* | .* | \*\*[0-9.]*\*\* |'
has spmv '^Geometric means: auto [0-9.]*, best format [0-9.]*\.$'
has convert '^| CSR to CSC | fem3 | .*\*\*[0-9.]*\*\*'
has convert '^| COO (any order) to CSR | fem3 | .*\*\*[0-9.]*\*\*'
has read '^| Cairn, 1 thread | [0-9.]* ([0-9.]*), 1\.00 |'
has first '^| `csr` | '
has ksp '^| bcsstk16 | 1 | 79.0 | .* | 1.82 |$'
has nodes '^| SpMV of stencil5:200, 2 ranks | .* | >= 1.5 | yes | 2.26 MB a run, 167.3 GB/s |$'
for table in door spmm auto; do
    has "$table" '^old$'
    grep -q "has no $table: left" "$folder/said" || fail "$table: $(cat "$folder/said")"
done
[ "$(grep -c '^between$' "$folder/page.md")" = 10 ] || fail "$(cat "$folder/page.md")"

cp "$folder/page.md" "$folder/once.md"
python3 "$here/page.py" "$folder" "$folder/page.md" >"$folder/said"
cmp "$folder/once.md" "$folder/page.md" || fail "twice is not once"
