#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hold check_types.sh to two headers that define different types, and to such as do not.
set -eu

check=$(cd "$(dirname "$0")" && pwd)/check_types.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/src"
failures=0

# verdict WANTED A B: of two headers with these texts.
verdict() {
    printf '%b\n' "$2" >"$tree/src/a.h"
    printf '%b\n' "$3" >"$tree/src/b.h"
    found=right
    sh "$check" "$tree" >"$tree/out" 2>&1 || found=wrong
    [ "$found" = "$1" ] && return
    echo "$found, not $1: $2 and $3"
    failures=$((failures + 1))
}

one='typedef struct one {\n    int x;\n} one;'
verdict right "$one" 'typedef struct two {\n    int x;\n} two;'
verdict right "$one" 'struct one;\ntypedef struct two {\n    struct one *x;\n} two;'
verdict right "$one" 'typedef struct one one;\ntypedef enum { A } two;'
verdict wrong "$one" "$one"
verdict wrong "$one" 'typedef enum {\n    A,\n} one;'
verdict wrong 'struct one {\n    int x;\n};' 'struct one {\n    int y;\n};'
verdict wrong '' '/* nothing */'
echo "check_types_test: $failures wrong answers"
[ "$failures" -eq 0 ]
