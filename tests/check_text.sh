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

code=$(grep -E '(\.([ch]|def|sh|cmake|awk|py)|CMakeLists\.txt|^\.ci/run)$' "$files" || true)
[ -n "$code" ] || { echo "check_text: no file of code found: nothing was checked"; exit 1; }

# One program reads the first lines of all of them; an empty file has none.
echo "$code" | sed 's|^|./|' | tr '\n' '\0' | xargs -0 awk '
FNR <= 3 && /SPDX-License-Identifier: BSD-3-Clause/ { licensed[FILENAME] = 1 }
FNR <= 8 && /^\/\/\/ @file/ { described[FILENAME] = 1 }
FNR > 8 { nextfile }
END {
    for (k = 1; k < ARGC; k++) {
        name = substr(ARGV[k], 3)
        if (!(ARGV[k] in licensed)) print name ":1: no SPDX line among the first three"
        if (name ~ /\.[ch]$/ && !(ARGV[k] in described)) print name ":1: no @file paragraph at the top"
    }
}' >>"$failures"

# The formatter leaves comments as they are. Tables have lines as long as they need.
grep -E '\.([ch]|cpp|hpp)$' "$files" | sed 's|^|./|' | tr '\n' '\0' | xargs -0 awk '
length($0) > 96 && (/^[ \t]*\/\/\/? *[^ |\/]/ || /\/\/\/</) {
    print substr(FILENAME, 3) ":" FNR ": a comment beyond column 96"
}' >>"$failures"

# Brackets keep the patterns from finding themselves.
words='(TOD[O]|FIXM[E])([^A-Za-z]|$)'
words="$words|(^|[^A-Za-z_/])([Ss]essio[n]s?|[Hh]elpe[r]s?)([^A-Za-z_]|\$)"
words="$words|(^|[^A-Za-z0-9_.}])/(wor[k]|hom[e]|roo[t])/"
tr '\n' '\0' <"$files" | xargs -0 grep -nIE -- "$words" >>"$failures" || true

sed 's/^/check_text: /' "$failures"
echo "check_text: $(wc -l <"$files") files, $(wc -l <"$failures") findings"
[ ! -s "$failures" ]
