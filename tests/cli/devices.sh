# SPDX-License-Identifier: BSD-3-Clause
# cairn devices.
. "$(dirname "$0")/lib.sh"
topologies=$here/../topologies

expect 0 devices
says 'cpu:0'
expect 0 devices --json -
fields out devices machine
for name in rank id kind name clock memory_bytes cores bandwidth sharing; do has out "\"$name\": "; done
has out '"rank": 0, "id": "cpu:0", "kind": "cpu"'
has out '"sharing": 1'
has out '{"kind": "machine", "depth": 0'
expect 0 devices --numbers
says '^cpu: '
expect 0 devices --numbers --json -
fields out numbers

# Cost models: nothing was measured yet; what was; what is no file; switched off.
environment="CAIRN_COST=learned CAIRN_COSTS=$PWD/costs.json"
expect 0 devices --models
says 'what is not measured'
expect 0 devices --models --json -
fields out models file note
for name in device family clock launch per_byte per_entry count spread age; do has out "\"$name\": "; done
has out '"family": null'
has out '"note": null'
echo garbage >costs.json
expect 0 devices --models
says 'left as it is'
[ "$(cat costs.json)" = garbage ] || fail "a file of something else was replaced"
environment="CAIRN_COST=learned CAIRN_COSTS=none"
expect 0 devices --models
says 'kept in no file'
environment=
expect 2 devices more

# Described machines are shown as they were reviewed.
for name in accelerators domains; do
    environment=CAIRN_TOPOLOGY=$topologies/$name.xml
    expect 0 devices
    same out "$topologies/$name.txt"
done

# What a file says of its processors may be anything: the same list, or one line.
mutate() { # MESSAGE (empty: none) EXPRESSION of sed
    sed "$2" "$topologies/domains.xml" >mutated.xml
    cmp -s mutated.xml "$topologies/domains.xml" && fail "nothing is changed by $2"
    environment=CAIRN_TOPOLOGY=mutated.xml
    if [ "$1" ]; then
        expect 2 devices
        complains "^cairn: topology: mutated.xml: $1"
    else
        expect 0 devices
        same out "$topologies/domains.txt"
        expect 0 devices --devices cpu:3
    fi
}
mutate '' 's/\(type="PU" os_index="\)\([0-9]*\)"/\1100\2"/'
mutate '' 's/\(type="PU" os_index="\)\([0-9]*\)"/\1400000000\2"/'
mutate '' 's/\(type="PU" os_index="\)\([0-9]*\)"/\10"/'
mutate '' 's/\(type="PU"\) os_index="[0-9]*"/\1/'
mutate '' 's/cpuset="\(0x[0-9a-f]*\)"/cpuset="\1,0x0,0x0"/g'
mutate 'it lists no hardware thread' 's/type="PU"/type="Group"/'
mutate 'it lists no hardware thread' '/type="Machine"/s/cpuset="0x[0-9a-f]*"/cpuset="0xff0000"/g'
mutate '.*hwloc' 's/type="NUMANode"/type="Misc"/'
mutate 'hwloc cannot load it' 's/ [a-z_]*nodeset="[^"]*"//g'

environment=CAIRN_TOPOLOGY=$topologies/accelerators.xml
expect 0 devices --json -
has out '"kind": "fpga", "depth": 2, "index": 1, "level": 0, "name": "Xilinx card 10ee:5001", "cores": 0, "bytes": 0, "domain": 1, "pci": "0000:af:00.0"'
environment='CAIRN_TOPOLOGY=pack:2 numa:1 core:2 pu:1'
run_as 0 env "$environment" "$program" devices
says 'numa 1, .* 2 cores'

# What drivers offer stands under its card. The described machine is taken for this one.
environment="HWLOC_XMLFILE=$topologies/accelerators.xml HWLOC_THISSYSTEM=1 LD_LIBRARY_PATH=$DRIVERS"
expect 0 devices
grep -A1 'gpu 1: ' out >under
grep -q '^      cuda 1: Example GPU 1, 0000:31:00.0, 80 GB, 132 units$' under || fail "no CUDA device under its card"
grep -A1 'gpu 2: ' out >under
grep -q '^      opencl 0: Example GPU (Example platform 0), 0000:ae:00.0, 48 GB, 64 units$' under || fail "no OpenCL device under its card"

# Files and lists.
environment=
expect 0 devices --devices cpu:2
says 'cpu:1'
echo '{"kind": "cpu", "count": 2, "name": "one half"}' >two.json
expect 0 devices --devices cpu,two.json
says 'cpu:2  one half'
environment=CAIRN_DEVICES=two.json
expect 0 devices
says 'cpu:2  one half'
environment=
printf '{"kind": "cpu",\n "cuont": 2}' >wrong.json
expect 2 devices --devices wrong.json
complains "^cairn: devices: wrong.json:2:2: cpu has no numbers"
expect 1 devices --devices none.json
complains '^cairn: devices: none.json: cannot be opened'
finish
