#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run the tests of passes, of conversions and of what kernels take of cards in a build
# folder and take what they print as expected, for the diff to be reviewed.
# Usage: accept.sh BUILD
set -eu

build=$(cd "${1:?usage: accept.sh BUILD}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cd "$scratch"
# take PROGRAM FOLDER: what differs from the files of the folder.
take() {
    "$build/bin/$1" >/dev/null 2>&1 || true
    for file in *.actual; do
        [ -e "$file" ] || continue
        mkdir -p "$here/$2"
        mv "$file" "$here/$2/$(basename "$file" .actual)"
        echo "$2/$(basename "$file" .actual)"
    done
}
take test_passes passes
take test_golden_conversions conversions
take test_cuda_resources .
