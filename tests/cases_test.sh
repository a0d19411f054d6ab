#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# cases.sh, held to programs that count and that fail.
# Usage: cases_test.sh
set -eu

cases=$(cd "$(dirname "$0")" && pwd)/cases.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail()
{
    echo "cases_test: $*"
    exit 1
}

# Tries that are written down; fails at the clock that it is given.
cat >program <<'END'
echo "$SEED_CLOCK $SEED_CASES" >>tried
[ "$SEED_CLOCK" != "${BAD:-}" ] || { echo "it fails"; exit 1; }
echo "$1"
END
run()
{
    status=0
    : >tried
    env "$@" sh "$cases" 40 sh program "${last:-Tested: 1}" >out || status=$?
}

run CASES=100 SEEDS='1 7'
[ "$status" = 0 ] || fail "status $status: $(cat out)"
[ "$(awk '{n += $2} END {print n, NR}' tried)" = '200 6' ] || fail "tried: $(cat tried)"
[ "$(sort -u tried | wc -l)" = 6 ] || fail "the same cases twice: $(cat tried)"
[ "$(grep -c '^cases: seed [17]: 100 cases in' out)" = 2 ] || fail "said: $(cat out)"

run CASES=100 SEEDS='1 7' BAD=7000001
[ "$status" = 1 ] || fail "a failure: status $status"
grep -q '^it fails$' out || fail "no output of the failure: $(cat out)"
grep -q '^cases: SEED_CLOCK=7000001 SEED_CASES=40 .*: failed$' out || fail "said: $(cat out)"

last='Tested: 0' run CASES=40
[ "$status" = 1 ] || fail "no test: status $status"

run SEEDS=1
[ "$status" = 77 ] || fail "without CASES: status $status"
echo "cases_test: 4 runs"
