#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The table of the door, on tiny matrices: its command runs, all its rows are there, and
# their ratios are numbers. What they are is not looked at.
# Usage: door_test.sh PROGRAM
set -eu
export LC_ALL=C

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/matrices"

# Two real matrices under the names of larger ones: one has one value, one has two.
for name in cnr-2000 memplus; do
    {
        echo "%%MatrixMarket matrix coordinate real general"
        echo "40 40 79"
        for i in $(seq 1 40); do
            echo "$i $i 3"
            [ "$i" = 40 ] || [ $name = cnr-2000 ] || echo "$i $((i + 1)) 5"
            [ "$i" = 40 ] || [ $name = memplus ] || echo "$i $((i + 1)) 3"
        done
    } | gzip >"$folder/matrices/$name.mtx.gz"
done

"$1" --table door --tiny --rounds 2 --peers MKL,Eigen,CXSparse --data "$folder" \
    >"$folder/table"

# A row: NAME | AIM | MEAN WORST MATRIX | MEAN WORST MATRIX | LACK LACK | met | words.
awk -F '|' '
    /^the door/ { inside = 1; next }
    !inside { next }
    {
        rows++
        name = $1
        sub(/ +$/, "", name)
        # Readers are libraries, none of which need be installed.
        if ($3 ~ /not measured/ && name ~ /reading/) next
        n = split($4, caller, " ")
        split($5, lack, " ")
        if (NF < 7 || $2 !~ /[0-9]\.[0-9]/ || n != 3 || $6 !~ /^ (yes|no) *$/) bad = 1
        for (k = 1; k <= 2; k++)
            if (caller[k] !~ /^[0-9]+\.[0-9]+$/ || lack[k] !~ /^[0-9]+\.[0-9]+$/) bad = 1
        if (caller[1] + 0 <= 0 || caller[2] + 0 > caller[1] + 0.01) bad = 1
        if (bad) { print "door_test: this is no row: " $0; exit }
        seen[name]++
    }
    END {
        if (bad) exit 1
        if (rows != 18) { print "door_test: " rows + 0 " rows, not 18"; exit 1 }
    }
' "$folder/table" || {
    cat "$folder/table"
    exit 1
}
# What leaves rows in no order is no peer of coordinates in any order, and is named apart.
grep '  COO (any order) to CSR f64; ' "$folder/table" >"$folder/any" \
    && ! grep -v '; rows in no order [0-9]' "$folder/any" \
    && ! grep -E 'f64; (CXSparse( native)? cs_compress|plain C counting);' "$folder/any" || {
    echo "door_test: peers whose rows are in no order:"
    cat "$folder/any"
    exit 1
}
for row in 'SpMV f64, generated, full values, 1 thread, auto' \
    'SpMV f64, generated, small values, 2 threads, auto' \
    'patterns and one value among them, 2 threads' 'beyond caches, full values, 2 threads' \
    'our CSR, best CSR of anybody, 2 threads' 'SpMM f64, 64 columns, auto' \
    'conversions, 2 threads' 'Matrix Market reading'; do
    grep -q "$row.* | " "$folder/table" || {
        echo "door_test: no row '$row'"
        exit 1
    }
done
