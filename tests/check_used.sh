#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fail where the product declares what only tests use, or nobody does: functions, types,
# macros and constants of the rooms' headers.
# Usage: check_used.sh [FOLDER] (default: this source tree)
#
# A name is used where it stands in the code of a room, the command or a public header
# beyond its declaration and its definition; in comments and in tests it is not. Names that
# ## makes are used if their first part is. What is in tests/used_allowed.txt need not be:
# a name and a reason. The list only shrinks: a row that allows nothing fails, and so does
# more than there were.
set -eu
export LC_ALL=C

code_of=$(cat "$(dirname "$0")/c_code.awk")
cd "${1:-$(dirname "$0")/..}"

list=$(mktemp)
trap 'rm -f "$list"' EXIT
for room in src sched devices comm include; do
    [ ! -d "$room" ] || find "$room" \( -name '*.[ch]' -o -name '*.def' \) -print
done | grep -vE '^devices/(template|external/example)/' | sort >"$list"

awk -v most=6 "$code_of"'
# @p times a name stands in what says what it is.
function declare(name, times) {
    if (path ~ /^include\// || name in free) return
    free[name] = times
    where[name] = path ":" FNR
}

# A function, by its declaration: a name and a bracket at the begin, or behind a type.
function find_function(code,   name) {
    if (code !~ /^[A-Za-z_][A-Za-z_0-9 *]*\(/ || code ~ /^(typedef|return|else|enum|struct .*\{)/)
        return
    name = code
    sub(/\(.*/, "", name)
    sub(/.*[ *]/, "", name)
    if (name ~ /^[a-z_]+_[a-z_0-9]+$/) declare(name, before code ~ /static inline/ ? 1 : 2)
}

function find_declaration(code,   name) {
    if (code ~ /^#[ ]*define [A-Za-z]/) {
        name = code
        sub(/^#[ ]*define /, "", name)
        sub(/[^A-Za-z_0-9].*/, "", name)
        if (name ~ /^CAIRN_/ && name !~ /_H$/) declare(name, 1)
    } else if (code ~ /^typedef .*;/) {
        name = code
        sub(/;.*/, "", name)
        if (name ~ /\(\*/) { sub(/.*\(\*/, "", name); sub(/\).*/, "", name) }
        else sub(/.*[ *]/, "", name)
        forward[name] += 2
    } else if (code ~ /^\} [a-z_0-9]+;/) {
        name = code
        sub(/^\} /, "", name)
        sub(/;.*/, "", name)
        # The name of an enumeration documents what its numbers are.
        if (!enumerated) declare(name, tagged == name ? 2 : 1)
    } else find_function(code)
    if (match(code, /^(typedef )?(struct|union|enum) [a-z_0-9]+ *\{/)) {
        tagged = code
        sub(/^(typedef )?(struct|union|enum) /, "", tagged)
        sub(/ *\{.*/, "", tagged)
        if (code !~ /^typedef/) declare(tagged, 1)
    } else if (code ~ /\{/) tagged = ""
    if (code ~ /^(typedef )?enum/) enumerates = 1
    while (enumerates && match(code, /(^|[{,])[ ]*CAIRN_[A-Z_0-9]+/)) {
        name = substr(code, RSTART, RLENGTH)
        code = substr(code, RSTART + RLENGTH)
        sub(/^[{, ]*/, "", name)
        declare(name, 1)
    }
    if (code ~ /\{/) enumerated = enumerates
    if (code ~ /\}/) enumerates = 0
}

FNR == 1 { inside = 0; enumerates = 0; before = ""; tagged = ""; path = FILENAME }
{
    code = code_of($0)
    if (path ~ /[.]h$/) find_declaration(code)
    # A function whose type stands on the line before.
    before = code ~ /^static inline [^(]*$/ ? code : ""
    while (match(code, /[A-Za-z_][A-Za-z_0-9]*([ ]*##)?/)) {
        word = substr(code, RSTART, RLENGTH)
        code = substr(code, RSTART + RLENGTH)
        if (word ~ /##$/) { sub(/[ ]*##$/, "", word); made[word] = 1 }
        else times[word]++
    }
}

END {
    while ((getline line < "tests/used_allowed.txt") > 0) {
        if (line ~ /^#/ || line == "") continue
        n = split(line, field, "\t")
        if (n != 2 || field[2] == "") { print "check_used: no reason: " line; failures++ }
        allowed[field[1]] = 1
        if (++rows > most) { print "check_used: more is allowed than there was: " line; failures++ }
    }
    for (name in free) {
        names++
        if (times[name] > free[name] + forward[name]) continue
        found = 0
        for (part in made) if (index(name, part) == 1) found = 1
        if (found) continue
        if (name in allowed) { needed[name] = 1; continue }
        printf "check_used: %s: %s is used by no room\n", where[name], name
        failures++
    }
    for (name in allowed)
        if (!(name in needed)) { print "check_used: tests/used_allowed.txt allows nothing: " name; failures++ }
    if (!names) { print "check_used: no name found: nothing was checked"; exit 1 }
    printf "check_used: %d names, %d wrong\n", names, failures
    exit failures > 0
}' $(cat "$list")
