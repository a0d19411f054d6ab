#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hold check_quotes.sh to a page that quotes its example and to one that does not.
set -eu

check=$(cd "$(dirname "$0")" && pwd)/check_quotes.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/docs/examples"
printf 'int x;\nint y;\nint z;\n' >"$tree/docs/examples/01.c"

printf 'A page.\n```c\nint y;\nint z;\n```\n' >"$tree/README.md"
"$check" "$tree" >/dev/null || { echo "refused, but right"; exit 1; }

printf 'A page.\n```c\nint y;\nint x;\n```\n' >"$tree/README.md"
! "$check" "$tree" >/dev/null || { echo "passed, but no example has it"; exit 1; }

printf 'A page.\n' >"$tree/README.md"
! "$check" "$tree" >/dev/null || { echo "passed, but nothing was checked"; exit 1; }
