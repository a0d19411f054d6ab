#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One name, one type: fail where two headers define a type of the same name.
# Usage: check_types.sh [FOLDER] (default: this source tree)
#
# A definition is a typedef of a struct, union or enum with its body, or the tag of one; a
# name that is only declared beforehand counts for nothing.
set -eu

cd "${1:-$(dirname "$0")/..}"

find . -path ./build -prune -o -path ./tests -prune -o -name '*.h' -print | sed 's|^\./||' |
    LC_ALL=C sort | xargs awk '
function define(name) {
    if (name == "") return
    types++
    if (name in where && where[name] != FILENAME) {
        printf "%s:%d: %s is a type of %s, too\n", FILENAME, FNR, name, where[name]
        failures++
    }
    where[name] = FILENAME
}

FNR == 1 { open = 0 }
/^(typedef )?(struct|union|enum)( [A-Za-z_0-9]+)? *\{/ {
    open = /^typedef/
    tag = $0
    sub(/^(typedef )?(struct|union|enum) */, "", tag)
    sub(/ *\{.*/, "", tag)
    if (/\}.*;/) open = 0
    # A typedef is told by its name below, mostly the same as the tag.
    if (!/^typedef/) define(tag)
}
/^\} *[A-Za-z_0-9]+;/ {
    name = $0
    sub(/^\} */, "", name)
    sub(/;.*/, "", name)
    if (open) define(name)
    open = 0
}
END {
    if (types == 0) { print "check_types: no type found: nothing was checked"; exit 1 }
    printf "check_types: %d types, %d twice\n", types, failures
    exit failures > 0
}'
