#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hold check_names.sh to trees with and without names of formats.
set -eu

check=$(cd "$(dirname "$0")" && pwd)/check_names.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/src/format" "$tree/src/lower" "$tree/src/emit" "$tree/src/convert"
printf '// Rows.\n#csr = x\n#dia-variant<n> = x\n#dense<n> = x\n#hybrid<f,g> = x\n' \
    >"$tree/src/format/catalogue.txt"

# verdict right|wrong LINE...: what the check says of a file with these lines.
verdict() {
    want=$1
    shift
    printf '%s\n' "$@" >"$tree/src/lower/a.c"
    if "$check" "$tree" >/dev/null; then got=right; else got=wrong; fi
    [ "$got" = "$want" ] || { echo "said $got, not $want: $*"; exit 1; }
}

verdict right 'int dense; /* a hybrid */' 'int csrs; int dia;'
verdict wrong 'int csr;'
verdict wrong 'int fill_csr_rows(void);'
verdict wrong '#define CSR 1'
verdict wrong '/* As csr has it. */'
verdict wrong 'if (strcmp(name, "dia-variant") == 0) return;'

printf 'int x;\n' >"$tree/src/lower/a.c"
printf 'int coo, csr;\n' >"$tree/src/format/a.c"
"$check" "$tree" >/dev/null || { echo "refused, but another room may"; exit 1; }

printf 'int csr;\n' >"$tree/src/emit/a.h"
! "$check" "$tree" >/dev/null || { echo "passed, but a header names one"; exit 1; }

rm "$tree/src/emit/a.h" "$tree/src/lower/a.c"
! "$check" "$tree" >/dev/null || { echo "passed, but nothing was checked"; exit 1; }
printf 'int x;\n' >"$tree/src/lower/a.c"
printf '// none\n' >"$tree/src/format/catalogue.txt"
! "$check" "$tree" >/dev/null || { echo "passed, but there were no names"; exit 1; }
