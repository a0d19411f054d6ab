# SPDX-License-Identifier: BSD-3-Clause
# Simulated devices by the command: named, described by a file, refused.
. "$(dirname "$0")/lib.sh"

expect 0 generate stencil5 --nx 30 --ny 20 -o grid.mtx
expect 0 run spmv grid.mtx --format 'cisr<64>' --devices pim --place pim --verify
says 'pim:0 (simulated)'
says '64 banks on 2048 cores'
says 'verified'

# Both results are the processor's.
expect 0 run spmv grid.mtx --format 'c2sr<64>' --devices cpu --place cpu --out cpu.mtx
expect 0 run spmv grid.mtx --format 'c2sr<64>' --devices cpu,pim --place pim --out pim.mtx
same cpu.mtx pim.mtx
expect 0 run spmv grid.mtx --format 'serpens<128>' --dtype f32 --place cpu --out cpu.mtx
expect 0 run spmv grid.mtx --format 'serpens<128>' --dtype f32 --devices fpga --place fpga --out fpga.mtx
same cpu.mtx fpga.mtx

# Two members, two clocks.
expect 0 run spmv grid.mtx --format 'hybrid<bdia<8>,cisr<8>,0.6>' --devices cpu,pim \
    --place 0=cpu,1=pim --verify --json -
has out '"clock": "mixed"'
has out '"clock": "simulated"'
has out '"clock": "measured"'

# A device of a file, and rounds.
echo '{"kind": "pim", "model": "bank-cores", "cores": 5}' >sim.json
expect 0 run spmv grid.mtx --format 'c2sr<16>' --devices ./sim.json --place pim
says '16 banks on 5 cores in 4 rounds'
echo '{"kind": "fpga", "channels": 1, "window": 64}' >sim.json
expect 0 run spmv grid.mtx --format 'serpens<8,64>' --dtype f32 --devices cpu,sim.json --place fpga
says '8 engines'
echo '{"kind": "pim", "memory": 2000}' >sim.json
expect 1 run spmv grid.mtx --format 'c2sr<4>' --devices ./sim.json --place pim
complains 'limit 2000'
echo '{"kind": "fpga", "rows": 599}' >sim.json
expect 2 run spmv grid.mtx --format 'serpens<128>' --dtype f32 --devices ./sim.json --place fpga
complains '^cairn: device: fpga:0: member 0: 600 rows: it keeps Y on the chip, which holds 599$'
echo '{"kind": "pim", "corse": 5}' >sim.json
expect 2 run spmv grid.mtx --format 'c2sr<4>' --devices ./sim.json --place pim
complains 'did you mean cores'

# Banks of columns share rows, whose partial Ys the host adds. The figure's row 3 has entries
# in columns 2, 3 and 4: two banks have it, or three of four, and 3 or 4 rows of Y of 8 bytes
# are read and written; on several columns as many times; nothing where banks have rows of
# their own.
figure a.mtx
columns() {
    echo "#encoding<{ idx_map<(d0,d1)->(d1%$1,d1/$1,d0)>, mutation<merge(0,1), trim(2,2)>, layout<partition(0)> }>"
}
echo '{"kind": "pim", "merge": 24}' >sim.json
expect 0 run spmv a.mtx --format "$(columns 2)" --devices ./sim.json --place pim --verify --json out.json
has out.json 'merge 1 s; upload'
expect 0 run spmv a.mtx --format "$(columns 4)" --devices ./sim.json --place pim --verify --json out.json
has out.json 'merge 1.33 s; upload'
expect 0 run spmm a.mtx --k 4 --format "$(columns 2)" --devices ./sim.json --place pim --json out.json
has out.json 'merge 4 s; upload'
expect 0 run spmv a.mtx --format "$(columns 2)" --devices ./sim.json --place pim --dtype f32 --json out.json
has out.json 'merge 500 ms; upload'
# The whole is a second longer than what a host that adds for nothing needs.
expect 0 run spmv a.mtx --format "$(columns 2)" --devices ./sim.json --place pim --json slow.json
echo '{"kind": "pim", "merge": 1e15}' >sim.json
expect 0 run spmv a.mtx --format "$(columns 2)" --devices ./sim.json --place pim --json fast.json
seconds() { sed -n 's/.*"seconds_median": \([0-9.e+-]*\).*/\1/p' "$1"; }
awk "BEGIN { d = $(seconds slow.json) - $(seconds fast.json); exit !(d > 0.999 && d < 1.001) }" ||
    fail 'the sum is not in the time'
echo '{"kind": "pim", "merge": 1}' >sim.json
expect 0 run spmv a.mtx --format 'c2sr<4>' --devices ./sim.json --place pim --json out.json
! grep -q ', merge .*upload' out.json || fail 'banks with rows of their own are merged'

expect 2 run spmv grid.mtx --devices pim --place pim
complains 'pim:0: member 0 has no banks to give to cores; formats with layout<partition(...)> have, into [0-9]* here'
expect 2 run spmv grid.mtx --format 'c2sr<4>' --devices fpga --place fpga
complains 'fpga:0: member 0: it runs schedules alone'
# A program that is not there, whatever stands beside it in PATH, and one that may not run.
mkdir -p beside/no-simulator
: >plain
for name in no-simulator ./no-simulator; do
    echo "{\"kind\": \"external\", \"command\": [\"$name\"]}" >sim.json
    environment="PATH=$folder/beside:$PATH"
    expect 1 run spmv grid.mtx --devices ./sim.json --place external
    environment=
    complains "$name cannot be started: No such file or directory"
done
echo '{"kind": "external", "command": ["./plain"]}' >sim.json
expect 1 run spmv grid.mtx --devices ./sim.json --place external
complains './plain cannot be started: it is no program that may be executed'

# A program's words may be in any encoding, and it need not tell seconds.
echo "{\"kind\": \"external\", \"command\": [\"$WICKED\", \"bytes\", \"2\"]}" >sim.json
expect 0 run spmv grid.mtx --devices ./sim.json --place external --json out.json
has out.json '"note": "?? quick'
expect 0 run spmv grid.mtx --devices ./sim.json --place external
says '^a run     takes no time by what its simulators say$'
finish
