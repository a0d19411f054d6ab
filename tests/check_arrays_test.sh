#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hold check_arrays.sh to a page with a case of the test and to pages without.
set -eu

check=$(cd "$(dirname "$0")" && pwd)/check_arrays.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/docs" "$tree/tests/unit"
printf '        {"coo", "idx0=[0] "\n                "val=[1]"},\n' \
    >"$tree/tests/unit/test_storage_figure.c"

printf '```arrays\ncoo    idx0=[0] val=[1]\n```\n' >"$tree/docs/formats.md"
"$check" "$tree" >/dev/null || { echo "refused, but right"; exit 1; }

printf '```arrays\ncoo    idx0=[0] val=[2]\n```\n' >"$tree/docs/formats.md"
! "$check" "$tree" >/dev/null || { echo "passed, but no case has it"; exit 1; }

printf 'A page.\n' >"$tree/docs/formats.md"
! "$check" "$tree" >/dev/null || { echo "passed, but nothing was checked"; exit 1; }
