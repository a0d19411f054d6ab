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
                                 const char   **text, int k, cairn_way way);
typedef enum { CAIRN_UP, CAIRN_DOWN } cairn_way;
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

all='ALLOWS(cairn_version, , x) SILENT(cairn_put, context, NULL, f, t, 1, CAIRN_UP)
REFUSES(cairn_put, told, c, NULL, t, 1, CAIRN_UP)
FAILS(cairn_put,
      text, c, f, NULL, 1, CAIRN_UP) ALLOWS(cairn_put, way, is(cairn_put(c, f, t, 1, (cairn_way)odd[k])))'
right "$all REFUSES(cairn_put, k, c, f, t, -1, CAIRN_UP)"
right "$all REFUSES(cairn_put, k, c, f, t, wrong[0], CAIRN_UP)"
wrong "$all"
wrong "$all REFUSES(cairn_get, k, c, f, t, -1, CAIRN_UP)"
wrong "$all cairn_put(k)"
# By its kind: a number that is not negative, a pointer that is none, an enumeration in range.
wrong "$all REFUSES(cairn_put, k, c, f, t, 7, CAIRN_UP)"
wrong "$all REFUSES(cairn_put, k, NULL, f, \"a, -1\", 7, CAIRN_UP)"
all="$all REFUSES(cairn_put, k, c, f, t, -1, CAIRN_UP)"
wrong "$(echo "$all" | sed 's/text, c, f, NULL/text, NULL, f, t/')"
wrong "$(echo "$all" | sed 's/told, c, NULL/told, c, f/')"
wrong "$(echo "$all" | sed 's/(cairn_way)odd.k./CAIRN_UP/')"
