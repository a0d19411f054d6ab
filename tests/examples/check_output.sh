#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fail unless every console block of a page shows what its commands print. "$ COMMAND"
# begins a command, which goes on behind a backslash and to the end of a <<'END'; the
# lines after it are its output, and "status N" where it failed. All commands of a page
# run in order in one folder of their own. In what a page shows "..." stands for anything
# within a line, and a line "..." for any lines: times, and what a lesson leaves out.
# Programs are looked for in FOLDER first.
# Usage: check_output.sh PAGE FOLDER
set -eu

page=$1
PATH=$(cd "$2" && pwd):$PATH
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/run"

# A command and what it should print, one pair of files each, numbered in order.
awk -v folder="$scratch" '
/^```console$/ { inside = 1; started = 0; next }
/^```/         { inside = goes_on = 0; next }
!inside        { next }
goes_on        { print > command; goes_on = there ? $0 != "END" : /\\$/; next }
/^\$ /         {
    n++
    close(command); close(want)
    command = sprintf("%s/%03d.command", folder, n)
    want    = sprintf("%s/%03d.want", folder, n)
    printf "" > want
    print substr($0, 3) > command
    there   = /<<.END.$/
    goes_on = there || /\\$/
    started = 1
    next
}
started        { print > want; next }
{
    printf "check_output: %s:%d: output of no command\n", FILENAME, FNR
    exit 1
}
' "$page"

# The first line that is not as wanted, if any: "wanted: ..." and "printed: ...".
compare() {
    awk '
    # Does a line have the pieces around "..." in their order, from end to end?
    function fits(line, pattern,    piece, n, k, at) {
        n = split(pattern, piece, /\.\.\./)
        if (n <= 1) return line == pattern
        if (index(line, piece[1]) != 1 && piece[1] != "") return 0
        line = substr(line, length(piece[1]) + 1)
        for (k = 2; k < n; k++) {
            at = index(line, piece[k])
            if (!at && piece[k] != "") return 0
            if (at) line = substr(line, at + length(piece[k]))
        }
        return length(line) >= length(piece[n]) &&
               substr(line, length(line) - length(piece[n]) + 1) == piece[n]
    }
    FILENAME == ARGV[1] { want[++wanted] = $0; next }
    FILENAME == ARGV[2] { got[++printed] = $0 }
    END {
        g = 1
        for (w = 1; w <= wanted; w++) {
            if (want[w] == "...") { any = 1; continue }
            while (any && g <= printed && !fits(got[g], want[w])) g++
            if (g > printed || !fits(got[g], want[w])) {
                print "wanted:  " want[w]
                print "printed: " (any || g > printed ? "(no such line)" : got[g])
                exit 1
            }
            any = 0
            g++
        }
        if (g <= printed && !any) { print "printed beside: " got[g]; exit 1 }
    }' "$1" "$2"
}

commands=0
failures=0
for command in "$scratch"/*.command; do
    [ -e "$command" ] || { echo "check_output: $page: no console block"; exit 1; }
    name=${command%.command}
    (cd "$scratch/run" && sh "$command" </dev/null) >"$name.got" 2>&1 ||
        echo "status $?" >>"$name.got"
    commands=$((commands + 1))
    compare "$name.want" "$name.got" >"$name.diff" && continue
    failures=$((failures + 1))
    echo "check_output: $page: $(cat "$command")"
    cat "$name.diff"
done
echo "check_output: $commands commands, $failures wrong"
[ "$failures" -eq 0 ]
