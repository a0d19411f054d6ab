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
finish
