#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fail unless every console block of a page shows what its command prints. A block's
# first line is "$ COMMAND"; programs are looked for in FOLDER first.
# Usage: check_output.sh PAGE FOLDER
set -eu

page=$1
PATH=$2:$PATH
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

awk -v folder="$scratch" '
/^```console$/ { inside = 1; n++; next }
/^```/         { inside = 0; next }
inside == 1    { sub(/^\$ /, ""); print > (folder "/" n ".command"); inside = 2; next }
inside         { print > (folder "/" n ".want") }
' "$page"

blocks=0
failures=0
for command in "$scratch"/*.command; do
    [ -e "$command" ] || { echo "check_output: $page: no console block"; exit 1; }
    name=${command%.command}
    touch "$name.want"
    sh "$command" >"$name.got" 2>&1 </dev/null || echo "status $?" >>"$name.got"
    blocks=$((blocks + 1))
    diff "$name.want" "$name.got" >"$name.diff" && continue
    failures=$((failures + 1))
    echo "check_output: $page: $(cat "$command")"
    cat "$name.diff"
done
echo "check_output: $blocks blocks, $failures wrong"
[ "$failures" -eq 0 ]
