# SPDX-License-Identifier: BSD-3-Clause
# Plans of several devices by the command: places, files of plans, traces, failures.
. "$(dirname "$0")/lib.sh"

expect 0 generate mixed --n 300 --degree 4 -o m.mtx
hybrid='hybrid<bdia<4>,csr,0.6>'

# Two devices at once; a trace that says so; a plan that is read back.
expect 0 run spmv m.mtx --format "$hybrid" --devices cpu:2 --place 0=cpu:0,1=cpu:1 \
    --verify --trace t.json --plan-out p.json --json -
has out '"device": "cpu:1"'
has out '"ok": true'
has t.json '"member 1 on cpu:1"'
has t.json '"add member 1"'
has p.json '"device": "cpu:1"'
expect 0 run spmv m.mtx --devices cpu:2 --plan p.json --verify --json -
has out '"device": "cpu:1"'
has out '"placement": "as named"'
expect 2 run spmv m.mtx --devices cpu:2 --plan p.json --place cpu
expect 2 run spmm m.mtx --devices cpu:2 --plan p.json
complains '^cairn: plan: p.json:4:13: columns: the plan is not for this run'
expect 1 run spmv m.mtx --devices cpu --plan p.json
complains 'cpu:1'
expect 1 run spmv m.mtx --plan none.json
echo '{"cairn_plan": 2}' >wrong.json
expect 2 run spmv m.mtx --plan wrong.json --format csr
complains '^cairn: plan: wrong.json:1:16: '
sed 's/"member": 1/"member": 9/' p.json >wrong.json
expect 2 run spmv m.mtx --devices cpu:2 --plan wrong.json
complains 'the format has fewer members'
sed 's/"cpu:1"/"gpu:1"/' p.json >wrong.json
expect 2 run spmv m.mtx --devices cpu:2 --plan wrong.json
sed 's/"rank": 0/"rank": "zero"/' p.json >wrong.json
expect 2 run spmv m.mtx --devices cpu:2 --plan wrong.json
expect 1 run spmv m.mtx --plan-out "$folder/missing/p.json"
expect 1 run spmv m.mtx --trace "$folder/missing/t.json"

# A device that is lost in its third run: the product is right, and it is told.
echo '[{"kind": "cpu"}, {"kind": "debug", "fail_run": 3}]' >lost.json
run_as 0 "$program" run spmv m.mtx --format "$hybrid" --devices ./lost.json \
    --place 0=cpu,1=debug --verify --json -
has out '"ok": true'
complains 'debug:0 failed and was retired: .*; computed again on cpu:0'
echo '[{"kind": "cpu"}, {"kind": "debug", "memory": 10}]' >small.json
expect 1 run spmv m.mtx --devices ./small.json --place debug
complains '^cairn: place: member 0: needs [0-9]* bytes, but the limit of debug:0 is 10$'

# Clocks are told apart and never added.
expect 0 run spmv m.mtx --format 'hybrid<bdia<4>,c2sr<8>,0.6>' --devices cpu,pim \
    --place 0=cpu,1=pim --verify --json -
has out '"clock": "mixed"'
has out '"seconds_median": null'
expect 0 run spmv m.mtx --format 'c2sr<8>' --devices cpu,pim --place pim --json -
has out '"clock": "simulated"'

finish
