#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run the test of the passes in a build folder and take what it prints as expected, for
# the diff of passes/ to be reviewed. Usage: accept.sh BUILD
set -eu

build=$(cd "${1:?usage: accept.sh BUILD}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cd "$scratch"
"$build/bin/test_passes" >/dev/null 2>&1 || true
for file in *.actual; do
    [ -e "$file" ] || continue
    cp "$file" "$here/passes/$(basename "$file" .actual)"
    echo "passes/$(basename "$file" .actual)"
done
