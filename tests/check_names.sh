#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fail where code generation names a format: lowering, printing and conversions follow
# from layouts alone, so that a user's format is as good as one of the catalogue.
# Usage: check_names.sh [FOLDER] (default: this source tree)
#
# The names are those of src/format/catalogue.txt, but for two that are words of their
# own: levels are dense, and a hybrid is a kind of format.
set -eu

cd "${1:-$(dirname "$0")/..}"

names=$(sed -n 's/^#\([a-z][a-z0-9-]*\).*/\1/p' src/format/catalogue.txt |
    grep -vxE 'dense|hybrid' | LC_ALL=C sort -u)
[ -n "$names" ] || { echo "check_names: no format found: nothing was checked"; exit 1; }

files=$(find src/lower src/emit src/convert -name '*.[ch]' | LC_ALL=C sort)
[ -n "$files" ] || { echo "check_names: no file found: nothing was checked"; exit 1; }

# A name may stand in a longer word, not in one of several words: csr_rows is found.
pattern=$(echo "$names" | tr '\n' '|' | sed 's/|$//')
# shellcheck disable=SC2086 # file names of this tree have no blanks
found=$(grep -niE "(^|[^A-Za-z])($pattern)([^A-Za-z]|\$)" $files || true)

[ -z "$found" ] || echo "$found" | sed 's/^/check_names: /'
echo "check_names: $(echo "$names" | wc -l) names, $(echo "$files" | wc -l) files"
[ -z "$found" ]
