#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One sentence says which results have the same bits. Fail unless every page that says so
# has it word by word: that of docs/plans.md, in which it is the first paragraph under
# "Which bits". Line ends, quotes and comment marks are no words, nor are the dashes
# before an option, which the library has without.
# Usage: check_bits.sh [FOLDER] (default: this tree)
set -eu

cd "${1:-$(dirname "$0")/..}"

# words FILE: its text on one line.
words() {
    sed -E 's|^[[:space:]]*///||; s/\\n//g; s/[`"]//g; s/--reproducible/reproducible/g' "$1" |
        tr -s ' \t\n' ' '
}

sentence=$(mktemp)
trap 'rm -f "$sentence"' EXIT
awk '/^## Which bits/ { inside = 1; next } inside && NF { print; exit }' docs/plans.md >"$sentence"
sentence_words=$(words "$sentence" | sed 's/^ //; s/ $//')
[ -n "$sentence_words" ] || { echo "check_bits: docs/plans.md: no sentence"; exit 1; }

status=0
for page in docs/design.md include/cairn/plan.h src/cli/verbs/verb_run.c src/lower/product/product.h; do
    words "$page" | tr 'B' 'b' | grep -qF -e "$(echo "$sentence_words" | tr 'B' 'b')" && continue
    echo "check_bits: $page: not the sentence of docs/plans.md: $sentence_words"
    status=1
done
exit $status
