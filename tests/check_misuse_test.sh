#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hold check_misuse.sh to a tree in which every argument is misused, and to others.
set -eu

check=$(cd "$(dirname "$0")" && pwd)/check_misuse.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/include/cairn" "$tree/tests/unit"
cat >"$tree/include/cairn/a.h" <<'END'
CAIRN_API const char *cairn_version(void);
CAIRN_API cairn_status cairn_put(cairn_context *context,
                                 void (*told)(void *user, int n),
                                 const char   **text, int k);
END

# right TEXT, wrong TEXT: a test of this text.
right() {
    printf '%s\n' "$1" >"$tree/tests/unit/test_api_misuse.c"
    sh "$check" "$tree" >"$tree/out" && return
    echo "refused, but right: $1"
    cat "$tree/out"
    exit 1
}
wrong() {
    printf '%s\n' "$1" >"$tree/tests/unit/test_api_misuse.c"
    ! sh "$check" "$tree" >"$tree/out" || { echo "passed, but wrong: $1"; exit 1; }
}

all='ALLOWS(cairn_version, , x) SILENT(cairn_put, context, NULL)
REFUSES(cairn_put, told, 1)
FAILS(cairn_put,
      text, 1)'
right "$all REFUSES(cairn_put, k, 1)"
wrong "$all"
wrong "$all REFUSES(cairn_get, k, 1)"
wrong "$all cairn_put(k)"
