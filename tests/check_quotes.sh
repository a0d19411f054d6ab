#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fail unless every C block of the pages stands, word for word, in one of the example
# programs or in the device that is made to be copied, which are built and run: what a
# page shows is what works.
# Usage: check_quotes.sh [FOLDER] (default: this source tree)
set -eu

cd "${1:-$(dirname "$0")/..}"
find . -path ./build -prune -o -name '*.md' -print | LC_ALL=C sort |
    xargs awk -v examples="$(echo docs/examples/*.c devices/template/*.[ch])" '
BEGIN {
    n = split(examples, file, " ")
    for (k = 1; k <= n; k++)
        while ((getline line < file[k]) > 0) program[k] = program[k] line "\n"
}

/^```c$/   { inside = 1; block = ""; start = FNR; next }
/^```/ && inside {
    inside = found = 0; blocks++
    for (k = 1; k <= n; k++) if (index(program[k], block)) found = 1
    if (!found) { printf "%s:%d: is in no example\n", FILENAME, start; wrong++ }
    next
}
inside     { block = block $0 "\n" }

END {
    if (blocks == 0) { print "check_quotes: no C block found: nothing was checked"; exit 1 }
    printf "check_quotes: %d blocks, %d wrong\n", blocks, wrong
    exit wrong > 0
}'
