#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hold check_fields.sh to small trees: structs of 16 fields, and of more.
set -eu

check=$(cd "$(dirname "$0")" && pwd)/check_fields.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/src/room" "$tree/tests"
failures=0

# verdict WHAT BODY: the check passes a struct of BODY (WHAT empty), or says WHAT.
verdict() {
    printf '%b\n' "$2" >"$tree/src/room/a.h"
    if said=$(sh "$check" "$tree" 2>&1); then got=; else got=$said; fi
    if [ -z "$1" ] && [ -n "$got" ]; then
        echo "refused, but right: $2: $said"
        failures=$((failures + 1))
    elif [ -n "$1" ] && ! echo "$got" | grep -qF -- "$1"; then
        echo "'$1' is not what it says of $2: $said"
        failures=$((failures + 1))
    fi
}

eight='    int a, b, c, d;\n    int e, f, g, h;\n'
verdict '' "typedef struct s {\n$eight$eight} s;"
verdict 's has 17 fields' "typedef struct s {\n$eight$eight    int i;\n} s;"
verdict 's has 17 fields' "struct s {\n$eight$eight    int i; /* one, two; */\n};"
verdict '' "typedef struct s {\n$eight$eight    /* int i; */ // int j;\n} s;"
verdict '' "typedef struct {\n$eight    int i[A(1, 2)], j, k, l;\n    void (*m)(int a, int b);\n} s;\nint a, b, c, d, e;"
verdict 's has 17 fields' "typedef struct {\n$eight$eight    void (*m)(int a,\n              int b);\n} s;"
verdict 's has 19 fields' "typedef struct {\n$eight$eight    union {\n        int m, n;\n    } u;\n} s;"
verdict 's has 17 fields' "typedef struct {\n$eight$eight    enum { A, B, C } m;\n} s;"

wide="typedef struct s {\n$eight$eight    int i, j;\n} s;"
printf '# Rows.\ns\t18\twide\n' >"$tree/tests/fields_allowed.txt"
verdict '' "$wide"
verdict 'not needed: s' "typedef struct s {\n    int i;\n} s;"
printf 's\t17\twide\n' >"$tree/tests/fields_allowed.txt"
verdict 's has 18 fields' "$wide"
printf 's\t18\n' >"$tree/tests/fields_allowed.txt"
verdict 'no reason' "$wide"
printf 's\t18\twide\nt\t9999\tmore\n' >"$tree/tests/fields_allowed.txt"
verdict 'more is allowed than there was' "$wide"
rm "$tree/tests/fields_allowed.txt"
verdict 'nothing was checked' 'int a;'

echo "check_fields_test: $failures wrong answers"
[ "$failures" -eq 0 ]
