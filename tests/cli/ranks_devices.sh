# SPDX-License-Identifier: BSD-3-Clause
# Devices on several ranks: which of them share one, and members that every rank divides.
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

# Each rank divides its rows; a plan has all shares, and the bits are those of one.
expect 0 generate mixed --n 300 --degree 4 -o m.mtx
expect 0 run spmv m.mtx --out one.mtx
on 2 0 run spmv m.mtx --devices cpu:2 --place 'cpu:0*0.3+cpu:1*0.7' --verify \
    --out two.mtx --plan-out p.json
says '^  0\.0     0 .*  cpu:0$'
says '^  0\.1     1 .*  cpu:1$'
same one.mtx two.mtx
[ "$(grep -c first_row p.json)" -eq 4 ] || fail "a plan of two ranks has not four shares"
on 2 0 run spmv m.mtx --devices cpu:2 --plan p.json --out two.mtx
same one.mtx two.mtx
on 2 2 run spmv m.mtx --devices cpu:2 --place 'cpu:0*0.3+cpu:1*0.8'
complains 'add up to 1.1, not to 1'

# Ranks that are bound apart share nothing.
if [ "$(nproc)" -gt 1 ] && command -v taskset >/dev/null; then
    cpus=$(taskset -cp $$ | sed 's/.*: *//; s/-/,/')
    first=${cpus%%,*}
    second=${cpus##*,}
    apart 2 0 "taskset -c $first \"\$program\" devices --json -" \
        "taskset -c $second \"\$program\" devices --json -"
    check_line
    [ "$(grep -o '"sharing": 1' out | wc -l)" -eq 2 ] || fail "ranks on processors of their own share them"
fi
finish
