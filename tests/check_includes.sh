#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Read the #include lines of all rooms and fail on an arrow that points up.
# Usage: check_includes.sh [FOLDER] (default: this source tree)
#
# A room includes from itself, from rooms above it and from include/cairn; a back end
# never another; an outside library in its home only; the environment is read by the
# table of options, and by the command that looks for its launcher. The rules are the
# tables at the top of the program.
set -eu

cd "${1:-$(dirname "$0")/..}"

list=$(mktemp)
trap 'rm -f "$list"' EXIT
find . -path ./build -prune -o \( -name '*.[ch]' -o -name '*.def' \) -print |
    sed 's|^\./||' | LC_ALL=C sort >"$list"

awk '
BEGIN {
    # Top down. A room may include from those before it.
    n = split("base sched entries format tensor share io query groups rules expr ir lower " \
              "emit devices cost phases convert rows kernels comm checkpoint solve place plan guard auto api", \
              order, " ")
    for (k = 1; k <= n; k++) rank[order[k]] = k

    # Outside libraries: header, then the folders or files that may name it.
    home["hwloc.h"]   = "devices/"
    home["mpi.h"]     = "comm/mpi/ include/cairn/mpi.h"
    home["jansson.h"] = "src/base/ src/cli/ src/cost/cost_text.c src/io/archive/binsparse.c src/io/archive/binsparse_write.c src/io/archive/npz_own.c"
    home["zlib.h"]    = "src/base/ src/io/ src/emit/"
    home["png.h"]     = "src/cli/"
    home["criterion"] = "-" # the tests alone

    # Headers of a back end that another room may include, because it chooses.
    chooser["comm/mpi/mpi.h"] = chooser["comm/mpi/world.h"] = "api"

    reader["src/base/options.c"] = reader["src/cli/ranks/launcher.c"] = 1
    environment = "(^|[^A-Za-z0-9_])(secure_getenv|getenv|environ)([^A-Za-z0-9_]|$)"
}

function wrong(why) {
    printf "%s:%d: %s\n", path, line, why
    failures++
}

# The room of a path; what is above all rooms (tests, examples) is "outside".
function room_of(name,   part) {
    split(name, part, "/")
    if (part[1] == "include") return "include"
    if (part[1] == "src") return part[2]
    if (part[1] in rank) return part[1]
    return "outside"
}

# "cpu" for devices/cpu/x.h; empty for files of the room itself and for other rooms.
function back_end(name,   part, n) {
    n = split(name, part, "/")
    return n > 2 && (part[1] == "devices" || part[1] == "comm") ? part[2] : ""
}

function check_home(header,   key, folder, k, m) {
    key = header ~ /^criterion/ ? "criterion" : header ~ /^hwloc/ ? "hwloc.h" : header
    if (!(key in home) || room == "outside") return
    m = split(home[key], folder, " ")
    for (k = 1; k <= m; k++) if (index(path, folder[k]) == 1) return
    wrong("<" header "> has its home elsewhere: " home[key])
}

function check_back_end(target,   theirs) {
    theirs = back_end(target)
    if (theirs == "" || room == "outside") return
    if (room_of(target) == room && theirs == mine) return
    if (target in chooser && chooser[target] == room) return
    wrong("\"" target "\" is the inside of the back end " theirs)
}

function check_arrow(target,   theirs) {
    theirs = room_of(target)
    if (target !~ /\// || room == "outside") return
    if (room == "include") { wrong("\"" target "\": public headers include <cairn/...> alone"); return }
    if (target ~ /^cairn\//) { wrong("\"" target "\": public headers are <cairn/...>"); return }
    if (theirs == "outside") { theirs = target; sub(/\/.*/, "", theirs) }
    if (theirs == room) return
    if (room == "cli") { wrong("\"" target "\": the command uses public headers alone"); return }
    if (!(theirs in rank)) { wrong("\"" target "\" is in no room that may be included"); return }
    if (!(room in rank)) { wrong("the folder " room " is no room"); return }
    if (rank[theirs] > rank[room])
        wrong("\"" target "\": the room " room " is above " theirs " and must not know it")
}

{
    path = $0; room = room_of(path); mine = back_end(path); line = 0
    while ((getline text < path) > 0) {
        line++
        code = text
        sub(/\/\/.*/, "", code)
        gsub(/\/\*[^*]*\*\//, "", code)
        gsub(/"[^"]*"/, "", code)
        if (code ~ environment && !(path in reader) && room != "outside" \
            && code !~ /^[ ]*(\/?\*)/)
            wrong("the environment is read in src/base/options.c")
        if (text !~ /^[ \t]*#[ \t]*include[ \t]*[<"]/) continue
        target = text
        sub(/^[^<"]*[<"]/, "", target)
        sub(/[>"].*/, "", target)
        includes++
        if (text ~ /</) check_home(target)
        else { check_back_end(target); check_arrow(target) }
    }
    close(path)
}

END {
    if (includes == 0) { print "check_includes: no include line found: nothing was checked"; exit 1 }
    printf "check_includes: %d include lines, %d wrong\n", includes, failures
    exit failures > 0
}' "$list"
