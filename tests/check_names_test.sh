#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hold check_names.sh to trees with and without names of formats.
set -eu

check=$(cd "$(dirname "$0")" && pwd)/check_names.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/src/format" "$tree/src/lower" "$tree/src/kernels" "$tree/src/auto" "$tree/sched" \
    "$tree/devices/card" "$tree/comm" "$tree/include" "$tree/tests"
printf '// Rows.\n#csr = x\n#dia-variant<n> = x\n#dense<n> = x\n#hybrid<f,g> = x\n' \
    >"$tree/src/format/catalogue.txt"
printf 'csr : one\n' >"$tree/src/auto/candidates.txt"
printf 'spmv : csr\n' >"$tree/src/kernels/prebuilt.txt"

# verdict right|wrong FILE LINE...: what the check says of a tree with this file.
verdict() {
    want=$1
    at=$tree/$2
    shift 2
    printf '%s\n' "$@" >"$at"
    if "$check" "$tree" >/dev/null; then got=right; else got=wrong; fi
    rm "$at"
    [ "$got" = "$want" ] || { echo "said $got, not $want: $at: $*"; exit 1; }
}

printf 'int x;\n' >"$tree/src/lower/b.c"
verdict right src/lower/a.c 'int dense; /* a hybrid */' 'int csrs; int dia;'
verdict wrong src/lower/a.c 'int csr;'
verdict wrong src/lower/a.c 'int fill_csr_rows(void);'
verdict wrong src/lower/a.c '#define CSR 1'
verdict wrong src/lower/a.c '/* As csr has it. */'
verdict wrong src/lower/a.c 'if (strcmp(name, "dia-variant") == 0) return;'

# Every room and every kind of text; comments are free but where code is made.
for file in src/format/a.c sched/a.def sched/list.txt devices/card/a.h comm/a.c include/a.h; do
    verdict wrong "$file" 'x("csr")'
    verdict wrong "$file" '/* so */ x("csr")'
    verdict wrong "$file" '/* long' 'comment */ x("csr") /* and' 'another */'
    verdict wrong "$file" 'x("http://a"); y("csr");'
    verdict right "$file" '// as csr' 'int x; /* or' 'dia-variant' '*/ int y; // csr'
done

# Exceptions have a file, a pattern and a reason, and something that they except.
printf 'comm/a[.]c\tfrom_csr\tnamed by callers\n' >"$tree/tests/names_allowed.txt"
verdict right comm/a.c 'int from_csr(void);'
verdict wrong comm/a.c 'int from_csr(void);' 'x("csr");'
verdict wrong comm/b.c 'int from_csr(void);'
verdict wrong comm/a.c 'int x;'
printf 'comm/a[.]c\tfrom_csr\n' >"$tree/tests/names_allowed.txt"
verdict wrong comm/a.c 'int from_csr(void);'
rm "$tree/tests/names_allowed.txt"

rm "$tree/src/lower/b.c"
! "$check" "$tree" >/dev/null || { echo "passed, but nothing was checked"; exit 1; }
printf 'int x;\n' >"$tree/src/lower/a.c"
printf '// none\n' >"$tree/src/format/catalogue.txt"
! "$check" "$tree" >/dev/null || { echo "passed, but there were no names"; exit 1; }
