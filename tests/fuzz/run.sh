#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Let a fuzzer search. Usage: run.sh PROGRAM SECONDS SEED FOLDER INPUTS...
# The search begins as SEED says, as it likes with 0.
# What it learns stays in FOLDER/corpus-NAME for the next time. A crash, a leak, an input
# that takes seconds and a block of more than 64 MB end it; the input is kept.
set -u

program=$1 seconds=$2 seed=$3 folder=$4
shift 4
name=$(basename "$program" | sed 's/^fuzz_//')
here=$(cd "$(dirname "$0")" && pwd)
found=$folder/found-$name-
corpus=$folder/corpus-$name
mkdir -p "$corpus"
words=
[ ! -f "$here/$name.dict" ] || words=-dict=$here/$name.dict

# A small quarantine: otherwise what was freed counts as memory in use.
export ASAN_OPTIONS=quarantine_size_mb=8:detect_leaks=1:allocator_may_return_null=1
export UBSAN_OPTIONS=print_stacktrace=1
"$program" -max_total_time="$seconds" -seed="$seed" -max_len=2000 -timeout=60 -malloc_limit_mb=64 -rss_limit_mb=1024 \
    -print_final_stats=1 -verbosity=1 -artifact_prefix="$found" $words \
    "$corpus" "$@" 2>"$folder/log-$name"
status=$?
grep -E '^stat::(number_of_executed_units|average_exec_per_sec|peak_rss_mb)|DONE' \
    "$folder/log-$name"
[ "$status" -ne 0 ] || exit 0

grep -v -E '^#[0-9]+[[:space:]]+(NEW|REDUCE|RELOAD|pulse)' "$folder/log-$name" | tail -n 60
echo
echo "fuzz: $name found an input that ends it; again: $program $found..."
echo "fuzz: smaller: $program -minimize_crash=1 -runs=100000 FILE"
echo "fuzz: with the fix, keep it as $here/corpus/$name/WHAT-IT-WAS: every build replays it"
ls -l "$found"* 2>/dev/null
exit 1
