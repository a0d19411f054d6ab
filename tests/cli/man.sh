# SPDX-License-Identifier: BSD-3-Clause
# Manual pages: one for every verb, with every option of its help, and nothing in them
# that the formatter complains about.
. "$(dirname "$0")/lib.sh"

# What a reader of a page's source sees: escapes of hyphens and quotes undone.
plain() { sed -e 's/\\-/-/g' -e "s/\\\\(aq/'/g" -e 's/\\f[BIR]//g' "$1"; }

command -v groff >/dev/null || echo "SKIPPED: no groff (package groff-base): pages are not rendered"

# renders PAGE: the formatter, where there is one, has nothing to say.
renders() {
    command -v groff >/dev/null || return 0
    run_as 0 groff -man -ww -z -Tascii "$1"
    [ ! -s err ] || fail "groff complains about $1"
}

expect 0 --help
verbs=$(sed -n '/^verbs:/,/^$/s/^  \([a-z][a-z]*\).*/\1/p' out)
[ "$(echo "$verbs" | wc -l)" -ge 6 ] || fail "no verbs in the help"

for verb in $verbs; do
    expect 0 "$verb" --help
    options=$(sed -n '/^options/,/^$/s/^  \(--[a-z-]*\).*/\1/p' out)
    [ -n "$options" ] || fail "no options of $verb"
    expect 0 --man "$verb"
    cp out "$verb.1"
    plain "$verb.1" >page
    for option in $options; do
        grep -q -e "^$option\b" page || fail "cairn-$verb(1) lacks $option"
    done
    for section in NAME SYNOPSIS DESCRIPTION OPTIONS JSON EXAMPLES "EXIT STATUS" \
        ENVIRONMENT "SEE ALSO"; do
        grep -q -x ".SH \"$section\"" page || fail "cairn-$verb(1) lacks $section"
    done
    case $verb in
    info | format | convert | run)
        grep -q -x '.SH "FILES"' page || fail "cairn-$verb(1) lacks FILES"
        grep -q 'Rutherford-Boeing' page || fail "cairn-$verb(1) lacks a kind"
        grep -q 'gzip' page || fail "cairn-$verb(1) lacks gzip"
        ;;
    esac
    grep -q "^cairn $verb" page || fail "cairn-$verb(1) has no example"
    renders "$verb.1"
done

# The main page has the verbs and the variables; without a name it is meant.
expect 0 --man
cp out cairn.1
expect 0 --man cairn
same out cairn.1
plain cairn.1 >page
for verb in $verbs; do grep -q "^$verb\b" page || fail "cairn(1) lacks $verb"; done
expect 0 --options
for name in $(sed 's/ .*//' out); do
    grep -q "^$name" page || fail "cairn(1) lacks $name"
done
renders cairn.1

# The catalogue, whole.
expect 0 --man formats
cp out formats.7
plain formats.7 | tr '\n' ' ' >page
grep -q 'Diagonals within bands of b rows' page || fail "no note of bdia"
grep -q '#csr = #encoding<{ idx_map<(d0,d1)->(d0,d1)>, ' page || fail "no csr"
grep -q '#hybrid<f,g,t=0.5,cap=1> = ' page || fail "no hybrid"
renders formats.7

expect 2 --man formts
complains 'did you mean formats?'

# What the build wrote, and is installed, is this.
share=$(dirname "$program")/../share
if [ -d "$share" ]; then
    for verb in $verbs; do same "$share/man/man1/cairn-$verb.1" "$verb.1"; done
    same "$share/man/man1/cairn.1" cairn.1
    same "$share/man/man7/cairn-formats.7" formats.7
fi
finish
