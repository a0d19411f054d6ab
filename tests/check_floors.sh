#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Arrows inside rooms: a room's README lists every file once, floor by floor from the
# ground up, and an include goes to what is listed before. No header but the room's first
# (the first one after "Read first:") is included by more than a third of the room's files.
# Usage: check_floors.sh [FOLDER] (default: this source tree)
#
# A floor is a row of the table with the heading "files"; its patterns are read from left
# to right. A pattern names one file, or several with `*` (none of which is in another
# folder), or with a `/` at its end all of a folder. What one pattern names may not include
# each other, but x.c includes x.h, and a folder is not looked into: if it has a table of
# its own, it is checked as a room is. A page is one screen.
#
# What is allowed all the same is in tests/floors_allowed.txt, with the reason: FILE and
# what it includes, HEADER and "third", or ROOM and "later". The list only shrinks: a row that allows nothing
# fails, and so does more than there were.
set -eu
export LC_ALL=C

cd "${1:-$(dirname "$0")/..}"

list=$(mktemp)
trap 'rm -f "$list"' EXIT

# Room and file, for every room and every folder with a table of its own.
for room in src/* sched devices comm; do
    [ -d "$room" ] || continue
    echo "$room"
    grep -l '^| files |' "$room"/*/README.md 2>/dev/null | sed 's|/README.md$||' || true
done | while read -r room; do
    find "$room" -type f ! -name README.md | sort | sed "s|^|$room |"
done >"$list"

awk -v most=1 '
function wrong(where, why) {
    printf "check_floors: %s: %s\n", where, why
    failures++
}

function allowed(from, what) {
    if (!((from, what) in exception)) return 0
    used[from, what] = 1
    return 1
}

# What is allowed: two words and a reason, with tabs between them.
function read_exceptions(   line, field, n) {
    while ((getline line < "tests/floors_allowed.txt") > 0) {
        if (line ~ /^#/ || line == "") continue
        n = split(line, field, "\t")
        if (n != 3 || field[3] == "") wrong("tests/floors_allowed.txt", "two names and a reason: " line)
        exception[field[1], field[2]] = 1
        exceptions++
    }
    if (exceptions > most)
        wrong("tests/floors_allowed.txt", exceptions " rows, and there were " most ": the list only shrinks")
}

function pattern_of(token,   text) {
    text = token
    gsub(/[.]/, "[.]", text)
    gsub(/[*]/, "[^/]*", text)
    return "^" text (token ~ /\/$/ ? ".*" : "") "$"
}

# Give each of the files of the room the number of the pattern that names it.
function read_page(room, files, n,   page, line, lines, cell, part, parts, word, k, inside, f, found, name) {
    page = room "/README.md"
    tokens = 0; first = ""
    while ((getline line < page) > 0) {
        lines++
        if (first == "" && line ~ /^Read first:/ && match(line, /`[^`\/]*[.]h`/))
            first = room "/" substr(line, RSTART + 1, RLENGTH - 2)
        if (line ~ /^\| files \|/) { inside = 1; continue }
        if (line !~ /^\|/) { inside = 0; continue }
        if (!inside || line ~ /^\|[-:]/) continue
        split(line, cell, "|")
        parts = split(cell[2], part, "`")
        for (k = 2; k <= parts; k += 2) {
            f = split(part[k], word, " ")
            for (found = 1; found <= f; found++) token[++tokens] = word[found]
        }
    }
    close(page)
    if (!lines) { wrong(room, "no README.md"); return 0 }
    if (lines > 50) wrong(page, lines " lines: more than a screen")
    if (!tokens) { wrong(page, "no table of files"); return 0 }
    for (k = 1; k <= tokens; k++) {
        found = 0
        for (f = 1; f <= n; f++) {
            name = substr(files[f], length(room) + 2)
            if (name !~ pattern_of(token[k])) continue
            found++
            if (files[f] in floor) wrong(page, name " is listed twice")
            floor[files[f]] = k
        }
        if (!found) wrong(page, token[k] ": there is no such file")
    }
    for (f = 1; f <= n; f++)
        if (!(files[f] in floor)) wrong(page, files[f] " is not listed")
    return 1
}

function stem(name) { sub(/[.][a-z]+$/, "", name); return name }

# Are both in one folder of the room? Its own page counts them.
function is_together(room, a, b) {
    sub(/[^\/]*$/, "", a)
    sub(/[^\/]*$/, "", b)
    return a == b && a != room "/"
}

function check_include(room, from, line, to) {
    if (!(to in floor) || to == from || !(from in floor)) return
    includes++
    if (!((to, from) in counted) && stem(to) != stem(from) && !is_together(room, to, from)) { counted[to, from] = 1; users[to]++ }
    if (floor[to] < floor[from]) return
    if (floor[to] == floor[from] && (token[floor[to]] ~ /\/$/ || stem(to) == stem(from))) return
    if (allowed(from, to)) return
    wrong(from ":" line, to " is not listed before it")
}

function check_file(room, path,   line, text, to, folder) {
    folder = path
    sub(/[^\/]*$/, "", folder)
    while ((getline text < path) > 0) {
        line++
        if (text !~ /^[ \t]*#[ \t]*include[ \t]*"/) continue
        to = text
        sub(/^[^"]*"/, "", to)
        sub(/".*/, "", to)
        if (to !~ /\//) to = folder to
        else if (path ~ /^src\//) to = "src/" to
        check_include(room, path, line, to)
    }
    close(path)
}

function check_room(room, files, n,   f, code) {
    split("", floor); split("", users); split("", counted); split("", token)
    if (allowed(room, "later")) return
    rooms++
    if (!read_page(room, files, n)) return
    for (f = 1; f <= n; f++)
        if (files[f] ~ /[.]([ch]|def)$/) { code++; check_file(room, files[f]) }
    for (f in users)
        if (users[f] * 3 > code && f != first && !allowed(f, "third"))
            wrong(f, users[f] " of " code " files include it, and it is not the room'"'"'s first (" first ")")
}

BEGIN { read_exceptions() }
$1 != room { if (room != "") check_room(room, files, n); room = $1; n = 0; split("", files) }
{ files[++n] = $2 }
END {
    if (room != "") check_room(room, files, n)
    for (e in exception)
        if (!(e in used)) { sub(SUBSEP, " ", e); wrong("tests/floors_allowed.txt", "allows nothing: " e) }
    if (!includes) { print "check_floors: no include inside a room: nothing was checked"; exit 1 }
    printf "check_floors: %d rooms, %d includes inside them, %d wrong\n", rooms, includes, failures
    exit failures > 0
}' "$list"
