#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hold check_links.sh to a tree whose links lead somewhere, and to trees whose do not.
set -eu

check=$(cd "$(dirname "$0")" && pwd)/check_links.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/docs" "$tree/src"

printf '# Title\n\n## 2. Widths of `idx`, ([a](..))\n' >"$tree/docs/formats.md"
echo '/* Rules: docs/formats.md, docs/formats.md. */' >"$tree/src/a.c"
fence='```'

# right TEXT, wrong TEXT: a README of this text.
right() {
    printf '%s\n' "$1" >"$tree/README.md"
    sh "$check" "$tree" >"$tree/out" && return
    echo "refused, but right: $1"
    cat "$tree/out"
    exit 1
}
wrong() {
    printf '%s\n' "$1" >"$tree/README.md"
    ! sh "$check" "$tree" >"$tree/out" || { echo "passed, but wrong: $1"; exit 1; }
}

right '[a](docs/formats.md) and [b](docs), [c](https://example.org/nothing)'
right '[a](docs/formats.md#2-widths-of-idx-a)'
right '# Here
[a](#here)'
right "$fence
[a](nowhere.md)
$fence
and \`[a](nowhere.md)\`, [b](src/a.c)"

wrong '[a](docs/format.md)'
wrong '[a](docs/formats.md) and [b](doc)'
wrong '[a](docs/formats.md#widths)'
wrong '[a](#here)'
wrong 'See docs/format.md.'

# Sources that are named with a folder.
mkdir -p "$tree/src/low/deep" "$tree/include/cairn"
touch "$tree/src/low/a.h" "$tree/src/low/deep/b_one.c" "$tree/include/cairn/c.h"
right 'See low/a.h, src/low/a.h and cairn/c.h; low/deep/b_*.c. [a](docs)'
right 'See low/deep/b_one.c low/b_NAME.c, "low/b.h" and low/b.html. [a](docs)'
wrong 'See low/b.h. [a](docs)'
wrong 'See `low/b_one.c`. [a](docs)'
wrong '| `low/a.h low/b_one.c` | [a](docs) |'
wrong 'See low/deep/c_*.c. [a](docs)'
wrong 'See deep/b_one.c. [a](docs)'
right '[a](docs)'
echo '/* deep/b_one.c, docs/formats.md */' >"$tree/src/low/a.h"
sh "$check" "$tree" >/dev/null || { echo "refused, but a path from the room"; exit 1; }
echo '/* deep/b.c, docs/formats.md */' >"$tree/src/low/a.h"
! sh "$check" "$tree" >/dev/null || { echo "passed, but code names no source"; exit 1; }
rm -r "$tree/src/low"

printf 'No link.\n' >"$tree/README.md"
echo '/* Rules: docs/rules.md */' >"$tree/src/a.c"
! sh "$check" "$tree" >/dev/null || { echo "passed, but code names no page"; exit 1; }
rm "$tree/src/a.c" "$tree/docs/formats.md"
! sh "$check" "$tree" >/dev/null || { echo "passed, but nothing was checked"; exit 1; }
