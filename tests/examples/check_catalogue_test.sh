#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hold check_catalogue.sh to a page that names formats, and to pages that name none.
# Usage: check_catalogue_test.sh COMMAND
set -eu

check=$(cd "$(dirname "$0")" && pwd)/check_catalogue.sh
command=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fence='```'
printf '// Two.\n#csr    = x\n#coo<n=2>  = y\n' >"$folder/catalogue"

# verdict LINES...: of a page with these lines.
verdict() {
    printf '%s\n' "$@" >"$folder/page.md"
    sh "$check" "$command" "$folder/catalogue" "$folder/page.md" >"$folder/out"
}
right() { verdict "$@" || { echo "refused, but right: $*"; cat "$folder/out"; exit 1; }; }
wrong() { ! verdict "$@" || { echo "passed, but wrong: $*"; exit 1; }; }

right '`csr`, `coo<n=2>`'
right '`csr`, `coo<n=2>`, `bdia<64>`, `layout<pack(0,1)>`, `idx_map<(d0)->(d0)>`, `cat`'
right '`csr`, `coo<n=2>`' "${fence}arrays" 'hybrid<bdia<3>,csr>   val=[1]' "$fence"

wrong '`csr` alone'
wrong '`csr`, `coo<n=2>`, `bdai<64>`'
wrong '`csr`, `coo<n=2>`, `bdia<b>`'
wrong '`csr`, `coo<n=2>`' "${fence}arrays" 'cssr   val=[1]' "$fence"
