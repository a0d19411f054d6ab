#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fail unless every argument of every public function is misused by a test: each parameter
# that a header declares stands in tests/unit/test_api_misuse.c as the first two words of
# a REFUSES, FAILS, SILENT or ALLOWS (tests/support/misuse.h).
# Usage: check_misuse.sh [FOLDER] (default: this tree)
set -eu

cd "${1:-$(dirname "$0")/..}"
test=tests/unit/test_api_misuse.c
wanted=$(mktemp)
found=$(mktemp)
trap 'rm -f "$wanted" "$found"' EXIT

# FUNCTION PARAMETER of every declaration; "void" has none, a pointer to a function is
# called by its own name.
cat include/cairn/*.h | awk '
    /^CAIRN_API/ { text = ""; inside = 1 }
    inside       { text = text " " $0 }
    inside && /;/ {
        inside = 0
        gsub(/[ \t]+/, " ", text)
        match(text, /cairn_[a-z0-9_]+\(/)
        name = substr(text, RSTART, RLENGTH - 1)
        rest = substr(text, RSTART + RLENGTH)
        while (match(rest, /\(\*[a-z_]+\)\([^)]*\)/)) {
            pointer = substr(rest, RSTART + 2, RLENGTH - 2)
            sub(/\).*/, "", pointer)
            rest = substr(rest, 1, RSTART - 1) "*" pointer substr(rest, RSTART + RLENGTH)
        }
        sub(/\) *;.*/, "", rest)
        n = split(rest, parameter, ",")
        for (k = 1; k <= n; k++) {
            sub(/.*[ *]/, "", parameter[k])
            # A list is asked for by an inline function, which gives the size alone.
            caller = name
            if (parameter[k] != "size") sub(/_sized$/, "", caller)
            print caller, parameter[k] == "void" ? "" : parameter[k]
        }
    }' | sed 's/ $//' | LC_ALL=C sort -u >"$wanted"
[ -s "$wanted" ] || { echo "check_misuse: no public function found"; exit 1; }

tr -s ' \n' ' ' <"$test" |
    grep -oE '(REFUSES|FAILS|SILENT|ALLOWS)\( ?cairn_[a-z0-9_]+, ?[a-z0-9_]*' |
    sed -E 's/^[A-Z]+\( ?//; s/, ?/ /; s/ $//' | LC_ALL=C sort -u >"$found"

missing=$(LC_ALL=C comm -23 "$wanted" "$found")
[ -z "$missing" ] && exit 0
echo "$test: not misused:"
echo "$missing"
exit 1
