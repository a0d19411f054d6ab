#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hold check_output.sh to pages that show what their commands print, and to pages that
# do not.
set -eu

check=$(cd "$(dirname "$0")" && pwd)/check_output.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fence='```'

# page LINES...: a page of one console block.
page() {
    { echo "${fence}console"; printf '%s\n' "$@"; echo "$fence"; } >"$folder/page.md"
}
right() {
    page "$@"
    sh "$check" "$folder/page.md" "$folder" >"$folder/out" && return
    echo "refused, but right: $*"
    cat "$folder/out"
    exit 1
}
wrong() {
    page "$@"
    ! sh "$check" "$folder/page.md" "$folder" >"$folder/out" ||
        { echo "passed, but wrong: $*"; exit 1; }
}

right '$ echo a' a '$ echo b' b
right '$ true'
right '$ seq 1 5' 1 ... 4 5
right '$ seq 1 5' ... 3 ...
right '$ seq 1 5' ...
right '$ echo took 12 ms, 3 bytes' 'took ... ms, 3 bytes'
right '$ echo took 12 ms, 3 bytes' '...3 bytes'
right '$ echo took 12 ms, 3 bytes' 'took...'
right '$ false' 'status 1'
right '$ echo one \' '  two' 'one two'
right "\$ cat <<'END'" x END x '$ echo y' y
right '$ echo a' a "$fence" text "${fence}console" '$ echo b' b
right '$ echo kept >file' '$ cat file' kept

wrong '$ echo a' b
wrong '$ echo a'
wrong '$ true' a
wrong '$ seq 1 5' 1 ... 4
wrong '$ seq 1 5' 1 ... 7 ...
wrong '$ seq 1 5' 2 ...
wrong '$ seq 1 5' 1 3 4 5
wrong '$ seq 1 5' 1 ... 4 3 ...
wrong '$ echo took 12 ms, 3 bytes' 'took ... s, 3 bytes'
wrong '$ echo took 12 ms, 3 bytes' 'took ... ms, 4 bytes'
wrong '$ echo abc' 'abc...bc'
wrong '$ echo abc' 'ab...bc'
wrong '$ false'
wrong 'no command'
wrong '$ echo a' a "$fence" "${fence}console" b
