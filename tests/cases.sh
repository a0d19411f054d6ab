#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A random test with very many cases: a program is run again and again, each time with
# CHUNK cases from where none was tried, until there were CASES of them from each of SEEDS.
# (A test ends after an hour at most; so many take longer.)
# Usage: cases.sh CHUNK COMMAND [ARGUMENT...], with CASES=N and SEEDS="1 2 3" in the
# environment; without CASES it is skipped (77).
set -eu

[ -n "${CASES:-}" ] || exit 77
chunk=$1
shift
out=$(mktemp)
trap 'rm -f "$out"' EXIT
for seed in ${SEEDS:-1 2 3}; do
    begun=$(date +%s) done=0 turn=0
    while [ "$done" -lt "$CASES" ]; do
        next=$((CASES - done < chunk ? CASES - done : chunk))
        clock=$((seed * 1000000 + turn))
        SEED_CLOCK=$clock SEED_CASES=$next "$@" >"$out" 2>&1 || {
            cat "$out"
            echo "cases: SEED_CLOCK=$clock SEED_CASES=$next $*: failed"
            exit 1
        }
        ! grep -E 'Tested: 0|Assertion Failed' "$out" || exit 1
        done=$((done + next)) turn=$((turn + 1))
    done
    tail -n 1 "$out"
    echo "cases: seed $seed: $done cases in $(($(date +%s) - begun)) s: $*"
done
