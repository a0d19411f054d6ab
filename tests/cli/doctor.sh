# SPDX-License-Identifier: BSD-3-Clause
# cairn doctor: each finding is provoked. Whether anything else on this machine needs
# attention is not known here, so that the status is looked at where it must be 1.
. "$(dirname "$0")/lib.sh"
topologies=$here/../topologies

# finds LEVEL WHAT TEXT SETTING... -- WORDS...: the object has such a finding.
finds() {
    level=$1
    what=$2
    text=$3
    shift 3
    environment="CAIRN_CACHE=$folder/cache"
    while [ "$1" != -- ]; do
        environment="$environment $1"
        shift
    done
    shift
    checks=$((checks + 1))
    last="$environment doctor $*"
    env $environment "$program" doctor --json out "$@" >printed 2>err </dev/null
    status=$?
    [ "$status" -le 1 ] || fail "status $status"
    [ "$level" != attention ] || [ "$status" -eq 1 ] || fail "status $status, not 1"
    [ "$status" -eq 0 ] || complains '^cairn: doctor: this machine: [0-9]* findings\{0,1\} needs\{0,1\} attention$'
    tr '{' '\n' <out | grep -q "\"what\": \"$what\", \"level\": \"$level\", .*$text" || fail "no $level of $what: $text"
}

environment="CAIRN_CACHE=$folder/cache"
run_as 0 env $environment "$program" doctor --help
says 'What would go wrong here'
expect 2 doctor more
expect 2 doctor --devices cpi
finds ok threads '' --
fields out findings
openmpi=$(grep -c '"what": "mpi", .*Open MPI' out)
[ "$openmpi" -eq 0 ] || finds ok mpi 'not started' --
for name in what level ranks why fix; do has out "\"$name\": "; done
finds ok threads '"why": "1 thread on ' -- --threads 1
finds ok devices 'cpu:0 cpu:1' -- --devices cpu:2
finds ok cache "$folder/cache: " --
absent cache/check-*
finds ok clock '' --

# Kernels.
finds attention compiler 'there is no such command' CAIRN_CC=cairn-no-compiler --
finds attention compiler 'it ended with 1' CAIRN_CC=false --
finds note compiler 'none is needed' CAIRN_CC=cairn-no-compiler CAIRN_KERNELS=reference --
echo file >file
finds attention cache 'Not a directory' "CAIRN_CACHE=$folder/file/cache" --
finds note cache 'CAIRN_CACHE=none' CAIRN_CACHE=none --
mkdir -m 700 strange
printf 'of another build' >strange/cairn_0123456789abcdef.so
finds note cache '1 of the kernels in .* other builds' "CAIRN_CACHE=$folder/strange" --
mkdir -m 777 open
chmod 777 open
finds attention cache 'others may write' "CAIRN_CACHE=$folder/open" --

# Threads, memory, settings.
many=$((4 * $(getconf _NPROCESSORS_ONLN)))
finds attention threads "$many threads on " -- --threads $many
if [ "$(nproc)" -gt 1 ] && command -v taskset >/dev/null; then
    cpu=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
    bare=$program
    printf '#!/bin/sh\nexec taskset -c %s "%s" "$@"\n' "$cpu" "$bare" >bound
    chmod +x bound
    program=$folder/bound
    finds attention binding 'bound to one core' --
    program=$bare
fi
finds attention memory 'are available' -- --memory 900T
finds note devices 'describes another machine' "CAIRN_TOPOLOGY=$topologies/domains.xml" --
if [ "$openmpi" -gt 0 ]; then
    [ -e /sys/class/infiniband ] ||
        finds attention transport 'nothing to send by' OMPI_MCA_pml=ucx --
fi

# Drivers, and cards without. The described machine is taken for this one.
described="HWLOC_XMLFILE=$topologies/accelerators.xml HWLOC_THISSYSTEM=1"
finds ok cuda 'driver for CUDA 12.4, 2 devices' $described "LD_LIBRARY_PATH=$DRIVERS" --
finds ok opencl '2 drivers, 1 device: Example platform 0' $described "LD_LIBRARY_PATH=$DRIVERS" --
finds note cards 'gpu 3 (Intel card 8086:0bd5, 0000:ca:00.0): no driver' $described --
finds note cards 'fpga 1 (Xilinx card 10ee:5001, 0000:af:00.0) is there' $described --
# A card that the driver has is near cores that the process has, or has not.
if command -v taskset >/dev/null && taskset -c 0 true 2>/dev/null; then
    sed 's/"0000:17:00.0"/"first"/; s/"0000:ae:00.0"/"0000:17:00.0"/; s/"first"/"0000:ae:00.0"/' \
        "$topologies/accelerators.xml" >far.xml
    bare=$program
    printf '#!/bin/sh\nexec taskset -c 0 "%s" "$@"\n' "$bare" >bound
    chmod +x bound
    program=$folder/bound
    finds note cards 'gpu . (.*, 0000:17:00.0) is near numa 1, where this process has no core' \
        "HWLOC_XMLFILE=$folder/far.xml" HWLOC_THISSYSTEM=1 "LD_LIBRARY_PATH=$DRIVERS" --
    finds ok cuda 'driver for CUDA 12.4, 2 devices' $described "LD_LIBRARY_PATH=$DRIVERS" --
    ! grep -q '0000:17:00.0) is near numa' out || fail "a card that is near is told of"
    program=$bare
fi
# What hides all cards is quoted, and why a driver does not start.
hidden="CUDA_VISIBLE_DEVICES=-1 LD_LIBRARY_PATH=$DRIVERS/cuda"
finds attention cuda "2 NVIDIA GPUs, but .*CUDA_ERROR_NO_DEVICE; CUDA_VISIBLE_DEVICES is '-1'" $described $hidden --
finds attention cuda 'does not start (error 802, CUDA_ERROR_SYSTEM_NOT_READY)' "LD_LIBRARY_PATH=$DRIVERS/cuda" FAKE_CUDA=fail=cuInit@1:802 --
mkdir empty
echo 'no library' >empty/libcuda.so.1
finds attention cuda '2 NVIDIA GPUs, but' $described "LD_LIBRARY_PATH=$folder/empty" --

# The same for people.
environment="CAIRN_CACHE=$folder/cache CAIRN_CC=cairn-no-compiler"
run_as 1 env $environment "$program" doctor
says '^attention  compiler   compile: cairn-no-compiler: '
says '^  *fix: install gcc or clang'
[ "$(wc -l <out)" -le 60 ] || fail "more than a page"
[ "$(wc -l <err)" -eq 1 ] || fail "not one line on standard error"
finish
