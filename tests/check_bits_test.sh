#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hold check_bits.sh to a tree in which the sentence is the same everywhere, and to others.
set -eu

check=$(cd "$(dirname "$0")" && pwd)/check_bits.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/docs" "$tree/include/cairn" "$tree/src/cli/verbs" "$tree/src/lower/product"

# pages WORD: the sentence, with another word in one page.
pages() {
    printf '## Which bits\n\nBy default under `--reproducible`, the same.\n' >"$tree/docs/plans.md"
    printf 'So. By default under `--reproducible`, the same. And\n' >"$tree/docs/design.md"
    printf '/// By default under\n/// `reproducible`, the same.\n' >"$tree/include/cairn/plan.h"
    printf '    "By default under --reproducible, "\n    "the same.";\n' >"$tree/src/cli/verbs/verb_run.c"
    printf '/// Hence by default under\n/// `--reproducible`, the %s.\n' "$1" >"$tree/src/lower/product/product.h"
}

pages same
sh "$check" "$tree" || { echo "refused, but right"; exit 1; }
pages best
! sh "$check" "$tree" >"$tree/out" || { echo "passed, but another word"; exit 1; }
grep -q 'src/lower/product/product.h' "$tree/out"
pages same
printf 'Nothing of the kind\n' >"$tree/docs/design.md"
! sh "$check" "$tree" >"$tree/out" || { echo "passed, but a page without it"; exit 1; }
printf '# Plans\n' >"$tree/docs/plans.md"
! sh "$check" "$tree" >"$tree/out" || { echo "passed, but no sentence"; exit 1; }
