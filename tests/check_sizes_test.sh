#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hold check_sizes.sh to a header that is right, and to others.
set -eu

check=$(cd "$(dirname "$0")" && pwd)/check_sizes.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/include/cairn" "$tree/tests/unit"
echo 'hold(cairn_some_info, 1); hold(cairn_other, 2);' >"$tree/tests/unit/test_api_sizes.c"

# right TEXT, wrong TEXT: a header of this text.
right() {
    printf '%s\n' "$1" >"$tree/include/cairn/a.h"
    sh "$check" "$tree" >"$tree/out" && return
    echo "refused, but right: $1"
    cat "$tree/out"
    exit 1
}
wrong() {
    printf '%s\n' "$1" >"$tree/include/cairn/a.h"
    ! sh "$check" "$tree" >"$tree/out" || { echo "passed, but wrong: $1"; exit 1; }
}

right 'typedef struct cairn_some_info {
    size_t  size; ///< sizeof
    int64_t nnz;
} cairn_some_info;
#define CAIRN_SOME_INFO { sizeof(cairn_some_info), 0 }'
wrong 'typedef struct cairn_some_info {
    int64_t nnz;
    size_t  size;
} cairn_some_info;
#define CAIRN_SOME_INFO { 0, sizeof(cairn_some_info) }'
wrong 'typedef struct cairn_some_info {
    size_t  size;
} cairn_some_info;'
wrong 'typedef struct cairn_new_info {
    size_t  size;
} cairn_new_info;
#define CAIRN_NEW_INFO { sizeof(cairn_new_info) }'
wrong 'typedef struct cairn_some_info {
    size_t  size;
    int     flag; ///< Not 0: it is so.
} cairn_some_info;
#define CAIRN_SOME_INFO { sizeof(cairn_some_info), 0 }'
wrong ''
