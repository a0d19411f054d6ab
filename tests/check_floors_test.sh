#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hold check_floors.sh to small trees: one that is right, and one fault at a time, each of
# which it must find for the reason given.
set -eu

check=$(cd "$(dirname "$0")" && pwd)/check_floors.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# A room of ten files on three floors, and a folder in it that is not looked into.
plant() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree/tests" "$tree/src/room/deep" "$tree/devices/card"
    cat >"$tree/src/room/README.md" <<'PAGE'
# src/room

Read first: `base/env.h`, then `room.h` (its first).

| files | hold |
|---|---|
| `room.h` | what all know |
| `low.* side_*.c` | the ground floor: [a `link`](x) |
| `high.h high.c deep/` | the top |

May include: `base`.

| other | tables |
|---|---|
| `nothing.c` | do not count |
PAGE
    for file in room.h low.h high.h side_a.c side_b.c deep/b.c notes.txt; do
        echo '#include <stdio.h>' >"$tree/src/room/$file"
    done
    rm "$tree/src/room/notes.txt"
    echo '#include "room/low.h"' >"$tree/src/room/low.c"
    printf '#include "high.h"\n  #  include "room/low.h"\n' >"$tree/src/room/high.c"
    printf '#include "room/high.h"\n#include "room/deep/b.c"\n' >"$tree/src/room/deep/a.c"
    printf '# card\n\n| files | hold |\n|---|---|\n| `a.*` | all |\n' >"$tree/devices/card/README.md"
    printf '# devices\n\n| files | hold |\n|---|---|\n| `card/` | one |\n' >"$tree/devices/README.md"
    echo '#include "devices/card/a.h"' >"$tree/devices/card/a.c"
    echo 'int a;' >"$tree/devices/card/a.h"
}

# verdict NAME WHAT: the check passes (WHAT empty), or fails and says WHAT.
verdict() {
    if said=$(sh "$check" "$tree" 2>&1); then got=; else got=$said; fi
    case $2 in
    '') [ -z "$got" ] || { echo "refused, but right: $1: $said"; failures=$((failures + 1)); } ;;
    *)
        echo "$got" | grep -qF -- "$2" ||
            { echo "$1: '$2' is not what it says: $said"; failures=$((failures + 1)); }
        ;;
    esac
}
include() {
    plant
    echo "#include \"$2\"" >>"$tree/src/$1"
}

plant
verdict "as it is" ''
include room/high.c room/room.h
verdict "to the ground" ''
include room/side_a.c room/low.h
verdict "a pattern to the left" ''
include room/low.c base/env.h
verdict "another room" ''
include room/low.c room/high.h
verdict "up" 'src/room/low.c:2: src/room/high.h is not listed before it'
include room/low.h high.h
verdict "up, from the same folder" 'src/room/low.h:2: src/room/high.h is not listed before it'
include room/room.h room/low.h
verdict "the first header, up" 'src/room/room.h:2: src/room/low.h is not listed'
include room/side_a.c room/side_b.c
verdict "of the same pattern" 'src/room/side_a.c:2: src/room/side_b.c is not listed'
include room/low.c room/deep/b.c
verdict "into a folder, up" 'src/room/low.c:2: src/room/deep/b.c is not listed'
plant
sed -i 's/high.h high.c/high.c high.h/' "$tree/src/room/README.md"
verdict "a body before its header" 'src/room/high.c:1: src/room/high.h is not listed before it'

# Every file once.
for row in 'low.c' 'deep/a.c' 'side_*.c'; do
    plant
    sed -i "s|\`room.h\`|\`room.h $row\`|" "$tree/src/room/README.md"
    verdict "twice: $row" 'is listed twice'
done
plant
touch "$tree/src/room/new.def"
verdict "a new file" 'src/room/new.def is not listed'
plant
touch "$tree/devices/card/new.c"
verdict "a new file of a folder" 'devices/card/new.c is not listed'
plant
sed -i 's/`room.h`/`room.h gone_*.c`/' "$tree/src/room/README.md"
verdict "a file that is gone" 'gone_*.c: there is no such file'
plant
rm "$tree/src/room/README.md"
verdict "no page" 'src/room: no README.md'
plant
sed -i 's/| files/| items/' "$tree/src/room/README.md"
verdict "no table" 'no table of files'
plant
yes '' | head -n 40 >>"$tree/src/room/README.md"
verdict "a long page" 'more than a screen'

# A third of nine files are three.
spread() {
    plant
    for file in side_a.c side_b.c deep/a.c; do
        echo "#include \"room/$1\"" >>"$tree/src/room/$file"
    done
}
spread room.h
verdict "the first header everywhere" ''
spread low.h
verdict "another header everywhere" 'src/room/low.h: 4 of 9 files include it'

# What is allowed.
include room/low.c room/high.h
printf '# Rows.\nsrc/room/low.c\tsrc/room/high.h\tas it was\n' >"$tree/tests/floors_allowed.txt"
verdict "allowed" ''
plant
printf 'src/room/low.c\tsrc/room/high.h\tas it was\n' >"$tree/tests/floors_allowed.txt"
verdict "a row too many" 'allows nothing: src/room/low.c src/room/high.h'
include room/low.c room/high.h
printf 'src/room/low.c\tsrc/room/high.h\n' >"$tree/tests/floors_allowed.txt"
verdict "no reason" 'two names and a reason'
spread low.h
printf 'src/room/low.h\tthird\tas it was\n' >"$tree/tests/floors_allowed.txt"
verdict "a third, allowed" ''
plant
for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
    printf 'x%s\tthird\tmore\n' "$n" >>"$tree/tests/floors_allowed.txt"
done
verdict "a list that grows" 'the list only shrinks'

rm -rf "${tree:?}"/*
verdict "nothing" 'nothing was checked'

echo "check_floors_test: $failures wrong answers"
[ "$failures" -eq 0 ]
