#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Read all text of the source tree: every file of code names its licence, every C file
# says what it is for, nothing is left for later, and nothing speaks of the people and
# the places it was written at. Usage: check_text.sh [FOLDER] (default: this tree)
set -eu

cd "${1:-$(dirname "$0")/..}"
failures=$(mktemp)
files=$(mktemp)
trap 'rm -f "$failures" "$files"' EXIT

# All files that have a licence line or could have a word too many.
find . \( -path ./.git -o -path ./build -o -path ./.cache -o -path ./tests/golden/kernels -o -path ./tests/golden/conversions \) -prune -o -type f -print |
    sed 's|^\./||' | LC_ALL=C sort >"$files"

code=$(grep -E '(\.([ch]|def|sh|cmake|awk)|CMakeLists\.txt|^\.ci/run)$' "$files" || true)
[ -n "$code" ] || { echo "check_text: no file of code found: nothing was checked"; exit 1; }

for file in $code; do
    head -n 3 "$file" | grep -q 'SPDX-License-Identifier: BSD-3-Clause' ||
        echo "$file:1: no SPDX line among the first three" >>"$failures"
done
for file in $(echo "$code" | grep -E '\.[ch]$' || true); do
    head -n 8 "$file" | grep -q '^/// @file' ||
        echo "$file:1: no @file paragraph at the top" >>"$failures"
done

# Brackets keep the patterns from finding themselves.
words='(TOD[O]|FIXM[E])([^A-Za-z]|$)'
words="$words|(^|[^A-Za-z_/])([Ss]essio[n]s?|[Hh]elpe[r]s?)([^A-Za-z_]|\$)"
words="$words|(^|[^A-Za-z0-9_.}])/(wor[k]|hom[e]|roo[t])/"
tr '\n' '\0' <"$files" | xargs -0 grep -nIE -- "$words" >>"$failures" || true

sed 's/^/check_text: /' "$failures"
echo "check_text: $(wc -l <"$files") files, $(wc -l <"$failures") findings"
[ ! -s "$failures" ]
