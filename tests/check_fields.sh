#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fail where a struct of the product has more than 16 fields: it wants to be two.
# Usage: check_fields.sh [FOLDER] (default: this source tree)
#
# A field is a name between the braces of a struct that is defined at the begin of a line;
# those of a union or a struct inside count as well. What may have more is in
# tests/fields_allowed.txt: a struct, how many it may have, a reason. The list only
# shrinks: a row that is not needed fails, and so do a larger number and a row too many.
set -eu
export LC_ALL=C

code_of=$(cat "$(dirname "$0")/c_code.awk")
cd "${1:-$(dirname "$0")/..}"

list=$(mktemp)
trap 'rm -f "$list"' EXIT
for room in src sched devices comm include; do
    [ ! -d "$room" ] || find "$room" -name '*.[ch]' -print
done | sort >"$list"

awk -v most=6 -v sum=123 "$code_of"'
# Fields of a declaration: one, and one more for every comma that is in no brackets.
function count(text,   k, c, depth, n) {
    if (text !~ /[A-Za-z_]/) return 0
    n = 1
    for (k = 1; k <= length(text); k++) {
        c = substr(text, k, 1)
        if (c ~ /[(\[]/) depth++
        else if (c ~ /[)\]]/) depth--
        else if (c == "," && !depth) n++
    }
    return n
}

function finish(line,   name, fields, n, k, part) {
    name = line
    sub(/^\} */, "", name)
    sub(/ *;.*/, "", name)
    if (name == "") name = tag
    # What stands before a brace inside is no field; what follows the closing one is.
    gsub(/(struct|union)[^;{}]*\{/, "", body)
    gsub(/enum[^;{}]*\{[^}]*\}/, "int", body)
    gsub(/\}/, "int", body)
    n = split(body, part, ";")
    fields = 0
    for (k = 1; k <= n; k++) fields += count(part[k])
    structs++
    if (fields <= 16) return
    if (name in may) {
        needed[name] = 1
        if (fields <= may[name]) return
    }
    printf "check_fields: %s:%d: %s has %d fields\n", FILENAME, FNR, name, fields
    failures++
}

BEGIN {
    while ((getline line < "tests/fields_allowed.txt") > 0) {
        if (line ~ /^#/ || line == "") continue
        if (split(line, field, "\t") != 3 || field[3] == "") { print "check_fields: no reason: " line; failures++ }
        may[field[1]] = field[2] + 0
        total += field[2]
        if (++rows > most || total > sum) { print "check_fields: more is allowed than there was: " line; failures++ }
    }
}
FNR == 1 { inside = 0; within = 0 }
{
    code = code_of($0)
    if (code ~ /^#/) next
    if (!within && code ~ /^(typedef )?struct( [A-Za-z_0-9]+)? *\{ *$/) {
        within = 1
        body = ""
        tag = code
        sub(/^(typedef )?struct */, "", tag)
        sub(/ *\{.*/, "", tag)
    } else if (within && code ~ /^\}/) {
        within = 0
        finish(code)
    } else if (within) body = body " " code
}
END {
    for (name in may)
        if (!(name in needed)) { print "check_fields: tests/fields_allowed.txt: not needed: " name; failures++ }
    if (!structs) { print "check_fields: no struct found: nothing was checked"; exit 1 }
    printf "check_fields: %d structs, %d wrong, %d allowed with %d fields\n", structs, failures, rows, total
    exit failures > 0
}' $(cat "$list")
