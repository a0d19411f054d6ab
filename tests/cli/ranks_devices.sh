# SPDX-License-Identifier: BSD-3-Clause
# cairn devices on several ranks: which of them share a device.
. "$(dirname "$0")/lib.sh"

on 3 0 devices --json -
fields out devices machine
[ "$(grep -o '"sharing": 3' out | wc -l)" -eq 3 ] || fail "three ranks on the same cores do not share them"
on 2 0 devices
says '^rank 1  cpu:0 .*, measured, shared by 2 ranks$'
on 2 0 devices --devices cpu:2 --json -
[ "$(grep -o '"sharing": 2' out | wc -l)" -eq 4 ] || fail "halves of shared processors are not shared"
on 2 2 devices --devices cpi
on 2 1 devices --devices none.json
complains 'none.json: cannot be opened'

# Ranks that are bound apart share nothing.
if [ "$(nproc)" -gt 1 ] && command -v taskset >/dev/null; then
    cpus=$(taskset -cp $$ | sed 's/.*: *//; s/-/,/')
    first=${cpus%%,*}
    second=${cpus##*,}
    checks=$((checks + 1))
    last="ranks on processors $first and $second"
    "$MPIEXEC" -n 1 taskset -c "$first" "$program" devices --json - : \
        -n 1 taskset -c "$second" "$program" devices --json - >out 2>err </dev/null ||
        fail "it failed"
    [ "$(grep -o '"sharing": 1' out | wc -l)" -eq 2 ] || fail "ranks on processors of their own share them"
fi
finish
