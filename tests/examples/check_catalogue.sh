#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fail unless every format that the pages name is one: the command parses it, or it is
# the head of a definition in the catalogue ("bdia<b>"). And unless one of the pages
# names every head. A format is what stands first in a line of an arrays block, and a
# `name` or `name<...>` of the text whose name is the catalogue's or is used like one.
# Usage: check_catalogue.sh COMMAND CATALOGUE PAGE...
set -eu

command=$1
catalogue=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

sed -n 's/^#\([^ ]*\) .*/\1/p' "$catalogue" | LC_ALL=C sort >"$folder/heads"
[ -s "$folder/heads" ] || { echo "check_catalogue: $catalogue: no definition"; exit 1; }

awk -v heads="$folder/heads" '
BEGIN {
    while ((getline line < heads) > 0) { sub(/<.*/, "", line); known[line] = 1 }
    n = split("idx_map mutation indirect layout bits", word, " ")
    for (k = 1; k <= n; k++) field[word[k]] = 1
}
FNR == 1     { inside = 0 }
/^```arrays/ { inside = 1; next }
/^```/       { inside = inside ? 0 : 2; next }
inside == 1  { sub(/   *.*/, ""); print; next }
inside       { next }
{
    n = split($0, span, "`")
    for (k = 2; k <= n; k += 2) {
        name = span[k]
        gsub(/^\047|\047$/, "", name) # quoted for a shell
        head = name
        sub(/<.*/, "", head)
        if (head in field || name !~ /^[a-z][a-z0-9-]*(<.*>)?$/) continue
        if (head in known || head != name) print name
    }
}' "$@" | LC_ALL=C sort -u >"$folder/named"

checked=0
wrong=0
while read -r format; do
    checked=$((checked + 1))
    grep -qxF -e "$format" "$folder/heads" && continue
    "$command" format "$format" >/dev/null 2>"$folder/why" </dev/null && continue
    echo "check_catalogue: $format: $(cat "$folder/why")"
    wrong=$((wrong + 1))
done <"$folder/named"
while read -r head; do
    grep -qxF -e "$head" "$folder/named" && continue
    echo "check_catalogue: no page names $head"
    wrong=$((wrong + 1))
done <"$folder/heads"
echo "check_catalogue: $checked formats, $wrong wrong"
[ "$checked" -gt 0 ] && [ "$wrong" -eq 0 ]
