#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fail where code names a format: what is done with one follows from its layout alone, so
# that a user's format is as good as one of the catalogue. Three texts may: the catalogue,
# the candidates of `auto`, and the list of kernels that come with the library.
# Usage: check_names.sh [FOLDER] (default: this source tree)
#
# The names are those of src/format/catalogue.txt, but for two that are words of their
# own: levels are dense, and a hybrid is a kind of format. In lowering, printing and
# conversions comments are looked at too; elsewhere they may give examples.
#
# What may be named all the same is in tests/names_allowed.txt: a file and a pattern of
# its lines, with the reason. A row that allows nothing fails, too.
set -eu
export LC_ALL=C

cd "${1:-$(dirname "$0")/..}"

names=$(sed -n 's/^#\([a-z][a-z0-9-]*\).*/\1/p' src/format/catalogue.txt |
    grep -vxE 'dense|hybrid' | LC_ALL=C sort -u)
[ -n "$names" ] || { echo "check_names: no format found: nothing was checked"; exit 1; }

rooms=
for room in src sched devices comm include; do
    [ ! -d $room ] || rooms="$rooms $room"
done
# shellcheck disable=SC2086 # rooms are words
files=$(find $rooms \( -name '*.[ch]' -o -name '*.def' -o -name '*.txt' \) |
    grep -vxE 'src/format/catalogue.txt|src/auto/candidates.txt|src/kernels/prebuilt.txt' |
    LC_ALL=C sort)
[ -n "$files" ] || { echo "check_names: no file found: nothing was checked"; exit 1; }

# Lines with file and number; comments are blanked but in the rooms that make code.
# shellcheck disable=SC2086 # file names of this tree have no blanks
code=$(awk '
    FNR == 1 { inside = 0 }
    FILENAME !~ /^src\/(rules|ir|lower|emit|phases|convert|rows)\// {
        line = ""
        rest = $0
        while (rest != "") {
            if (inside) {
                at = index(rest, "*/")
                if (!at) { rest = ""; break }
                rest = substr(rest, at + 2)
                inside = 0
            }
            at = match(rest, /\/\*|\/\//)
            # What follows a colon is an address in a text.
            if (at && substr(rest, at, 2) == "//" && at > 1 && substr(rest, at - 1, 1) == ":") {
                line = line substr(rest, 1, at + 1)
                rest = substr(rest, at + 2)
                continue
            }
            if (!at) { line = line rest; break }
            line = line substr(rest, 1, at - 1)
            if (substr(rest, at, 2) == "//") break
            rest = substr(rest, at + 2)
            inside = 1
        }
        $0 = line
    }
    { print FILENAME ":" FNR ":" $0 }' $files)

# A name may stand in a longer word, not in one of several words: csr_rows is found.
pattern=$(echo "$names" | tr '\n' '|' | sed 's/|$//')
found=$(echo "$code" | sed 's/^\([^:]*:[0-9]*:\)/\1 /' |
    grep -aiE ":[0-9]+: (.*[^A-Za-z])?($pattern)([^A-Za-z]|\$)" || true)

# Rows: FILE PATTERN of extended regular expressions, then the reason.
useless=
if [ -f tests/names_allowed.txt ]; then
    while IFS='	' read -r file allowed reason; do
        case $file in '#'* | '') continue ;; esac
        [ -n "$reason" ] || { echo "check_names: tests/names_allowed.txt: $file: no reason"; exit 1; }
        rest=$(echo "$found" | grep -avE "^$file:[0-9]+:.*($allowed)" || true)
        [ "$rest" != "$found" ] || useless="$useless $file"
        found=$rest
    done <tests/names_allowed.txt
fi

[ -z "$found" ] || echo "$found" | sed 's/^/check_names: /'
[ -z "$useless" ] || echo "check_names: tests/names_allowed.txt: these rows allow nothing:$useless"
echo "check_names: $(echo "$names" | wc -l) names, $(echo "$files" | wc -l) files"
[ -z "$found" ] && [ -z "$useless" ]
