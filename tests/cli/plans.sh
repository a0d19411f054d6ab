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

# One member divided: shares are listed, traced, kept and read back, with the same bits.
expect 0 run spmv m.mtx --devices cpu:2 --out whole.mtx
expect 0 run spmv m.mtx --devices cpu:2 --place 'cpu:0*0.4+cpu:1*0.6' --verify \
    --out shares.mtx --trace t.json --plan-out p.json
says '^  0\.0     0     .*  cpu:0$'
says '^  0\.1     0     .*  cpu:1$'
same whole.mtx shares.mtx
has t.json '"member 0.1 on cpu:1"'
has p.json '"first_row": 0'
expect 0 run spmv m.mtx --devices cpu:2 --plan p.json --out shares.mtx --json -
same whole.mtx shares.mtx
has out '"share": 1'
expect 0 run spmm m.mtx --k 3 --devices cpu:2 --place cpu:0+cpu:1 --transpose --verify
expect 0 run spmv m.mtx --devices cpu:2 --verify
edited() {
    sed "$1" p.json >wrong.json
    expect 2 run spmv m.mtx --devices cpu:2 --plan wrong.json
    complains "^cairn: plan: wrong.json:[0-9]*:[0-9]*: $2"
}
edited 's/"share": 1/"share": 2/' 'share: shares of a member are numbered from 0'
edited 's/"first_row": 0/"first_row": 1/' 'first_row: shares follow each other'
edited 's/"first_row": 0/"first": 0/' 'a share has a first_row and rows'
edited 's/"first_row": 0/"first_row": "0"/' 'first_row: it is no whole number'
edited 's/"share": 0/"shape": 0/' 'a share has a first_row and rows'
sed 's/"rows": 1[0-9][0-9]/"rows": 5/' p.json >wrong.json
expect 2 run spmv m.mtx --devices cpu:2 --plan wrong.json
for place in cpu:0+ +cpu:0 cpu:0+cpu:0 'cpu:0*0.5+cpu:1' 'cpu:0*0.5+cpu:1*0.2' \
    'cpu:0*2+cpu:1*0.5' 'cpu:0*x+cpu:1*0.5' 'cpu:0*+cpu:1' 0=cpu:0+cqu:1; do
    expect 2 run spmv m.mtx --devices cpu:2 --place "$place"
    complains '^cairn: option: --place: '
done
expect 1 run spmv m.mtx --devices cpu:2 --place cpu:0+cpu:7
complains 'cpu:7: this run has 2 cpu devices'

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
