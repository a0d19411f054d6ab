#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fail unless every relative link of the pages leads to a file or folder of this tree,
# and its #part to a heading there; unless every page or lesson that code or a page
# names ("docs/formats.md") exists; and unless every source that they name with a folder
# ("lower/nest.h") does: from the top, below src or include, or from a folder around the
# file that names it. Names in capitals stand for others ("tests/unit/test_NAME.c").
# Usage: check_links.sh [FOLDER] (default: this tree)
set -eu

cd "${1:-$(dirname "$0")/..}"
pages=$(mktemp)
files=$(mktemp)
trap 'rm -f "$pages" "$files"' EXIT

find . \( -path ./.git -o -path ./build -o -path ./.cache \) -prune -o -type f -print |
    sed 's|^\./||' | LC_ALL=C sort >"$files"
grep '\.md$' "$files" >"$pages" || { echo "check_links: no page found"; exit 1; }

# FILE NUMBER TARGET of each link in the pages, blocks and code left out, and of each
# page named in any text.
links() {
    xargs awk '
    FNR == 1 { inside = 0 }
    /^```/   { inside = !inside; next }
    inside   { next }
    {
        line = $0
        gsub(/`[^`]*`/, "", line)
        while (match(line, /\]\([^)]*\)/)) {
            print FILENAME, FNR, substr(line, RSTART + 2, RLENGTH - 3)
            line = substr(line, RSTART + RLENGTH)
        }
    }' <"$pages"
    grep -E '\.([ch]|md)$' "$files" |
        xargs grep -noE '(^|[^A-Za-z0-9_./-])docs/[A-Za-z0-9_/-]+\.(md|c)([^A-Za-z0-9_]|$)' /dev/null |
        sed -E 's|^([^:]*):([0-9]+):[^d]?(docs/[A-Za-z0-9_/.-]*\.[a-z]+).*|/ \1 \2 \3|'
    grep -E '\.([ch]|md|def)$' "$files" | xargs awk "$sources" "$files"
}

# / FILE NUMBER PATH of each source that is named with a folder, PATH from the top if it is
# somewhere. What is within quotes or brackets is code: the compiler looks at includes.
sources='
function place(path,    count, k, part, folder, like) {
    if (path in there) return path
    if (("src/" path) in there) return "src/" path
    if (("include/" path) in there) return "include/" path
    count = split(FILENAME, part, "/")
    for (k = 1; k < count; k++) {
        folder = folder part[k] "/"
        if ((folder path) in there) return folder path
    }
    if (!index(path, "*")) return path
    like = path
    gsub(/[.]/, "[.]", like)
    gsub(/[*]/, "[^/]*", like)
    for (k in there)
        if (k ~ ("(^|/)" like "$")) return k
    return path
}
FNR == NR { there[$0]; next }
{
    count_words = split($0, word, /[^A-Za-z0-9_.\/*%$<>{}"-]+/)
    for (i = 1; i <= count_words; i++) {
        sub(/[.]+$/, "", word[i])
        if (word[i] ~ /^([A-Za-z0-9_*-]+\/)+[A-Za-z0-9_*-]+[.](c|h|def)$/ &&
            word[i] !~ /[A-Z][A-Z]/)
            print "/", FILENAME, FNR, place(word[i])
    }
}'

# What a heading is called in a link: small letters, digits, "_", and "-" for blanks;
# everything else is left out.
has_heading() {
    awk '
    /^```/ { inside = !inside; next }
    !inside && /^#+ / {
        name = tolower($0)
        sub(/^#+ +/, "", name)
        gsub(/\]\([^)]*\)/, "", name)
        gsub(/[^a-z0-9_ -]/, "", name)
        gsub(/ /, "-", name)
        if (name == part) found = 1
    }
    END { exit !found }' part="$2" "$1"
}

checked=0
wrong=0
complain() {
    echo "check_links: $1:$2: $3: $4"
    wrong=$((wrong + 1))
}
links >"$pages.links"
trap 'rm -f "$pages" "$files" "$pages.links"' EXIT
while read -r from number target rest; do
    if [ "$from" = / ]; then # a path from the top, named in a text
        from=$number number=$target target=/$rest
    fi
    case $target in
    *://* | mailto:*) continue ;;
    /*) path=${target#/} ;;
    '#'*) path=$from${target} ;;
    *) path=$(dirname "$from")/$target ;;
    esac
    checked=$((checked + 1))
    file=${path%%#*}
    if [ ! -e "$file" ]; then
        complain "$from" "$number" "$target" "there is no such file"
    elif [ "$file" != "$path" ] && ! has_heading "$file" "${path#*#}"; then
        complain "$from" "$number" "$target" "there is no such heading"
    fi
done <"$pages.links"
[ "$checked" -gt 0 ] || { echo "check_links: no link found: nothing was checked"; exit 1; }
echo "check_links: $checked links, $wrong wrong"
[ "$wrong" -eq 0 ]
