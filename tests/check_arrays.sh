#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fail unless every line of the pages' blocks of arrays, FORMAT and ARRAYS with two blanks
# or more between, is a case of the test that holds the arrays in memory to it.
# Usage: check_arrays.sh [FOLDER] (default: this source tree)
set -eu

cd "${1:-$(dirname "$0")/..}"
cases=$(mktemp)
trap 'rm -f "$cases"' EXIT

# One string a literal, one case a line.
tr '\n' ' ' <tests/unit/test_storage_figure.c | sed 's/" *"//g; s/{ *"/\n{"/g' |
    sed -n 's/^{"\([^"]*\)", *"\([^"]*\)".*/\1  \2/p' >"$cases"

awk -v cases="$cases" '
BEGIN     { while ((getline line < cases) > 0) known[line] = 1 }
/^```arrays$/ { inside = 1; next }
/^```/    { inside = 0 }
inside    {
    line = $0
    sub(/   */, "  ", line)
    lines++
    if (line in known) next
    printf "%s:%d: is no case of the test: %s\n", FILENAME, FNR, line
    wrong++
}
END {
    if (lines == 0) { print "check_arrays: no array found: nothing was checked"; exit 1 }
    printf "check_arrays: %d lines, %d wrong\n", lines, wrong
    exit wrong > 0
}' docs/formats.md
