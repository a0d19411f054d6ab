#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Messages and halos over UCX beside Open MPI's own ob1, as a table: microseconds on two
# ranks of this machine, the least of all turns and the median of their medians. The two take
# turns, each a job of its own. The load is printed, for on a machine that does something
# else the medians are about that.
# TCP=1 has both send over TCP of the loopback device, in place of memory.
#   ucx.sh PROGRAM [TURNS [ROUNDS]]     PROGRAM: build/bench/bench/bench_transport
set -eu
program=$1
turns=${2:-9}
rounds=${3:-200}
out=$(mktemp)
trap 'rm -f "$out"' EXIT
export CAIRN_HALO="${CAIRN_HALO:-persistent}" OMP_NUM_THREADS=1
export OMPI_MCA_mpi_yield_when_idle=0 # or what is measured is how long others had the core
way=memory
btl=self,vader
if [ "${TCP:-}" ]; then
    way='TCP over loopback'
    btl=self,tcp
    export UCX_TLS=self,tcp UCX_NET_DEVICES=lo OMPI_MCA_btl_tcp_if_include=lo
fi
before=$(cut -d' ' -f1 /proc/loadavg)
turn=0
while [ $turn -lt "$turns" ]; do
    "${MPIEXEC:-mpirun}" -n 2 --mca pml ob1 --mca btl $btl \
        "$program" "$rounds" | sed 's/^/ob1 /' >>"$out"
    "${MPIEXEC:-mpirun}" -n 2 --mca pml ucx --mca pml_ucx_tls any --mca pml_ucx_devices any \
        "$program" "$rounds" | sed 's/^/ucx /' >>"$out"
    turn=$((turn + 1))
done
echo "by $way: $turns turns of $rounds rounds, CAIRN_HALO=$CAIRN_HALO," \
    "load $before to $(cut -d' ' -f1 /proc/loadavg), $(nproc --all) processors"
echo
echo "| what | bytes each way | ob1, least, us | UCX, least, us | ob1, median, us | UCX, median, us | UCX's least over ob1's |"
echo "|---|---|---|---|---|---|---|"
sort -k2,2 -k3,3n -k1,1 -k5,5n "$out" | awk '
    function row() {
        split(middle["ob1"], o, " "); split(middle["ucx"], u, " ")
        printf "| %s | %d | %.2f | %.2f | %.2f | %.2f | %.2f |\n", what, bytes, least["ob1"],
            least["ucx"], o[int((n["ob1"] + 1) / 2)], u[int((n["ucx"] + 1) / 2)],
            least["ucx"] / least["ob1"]
    }
    $2 != what || $3 != bytes {
        if (what != "") row()
        what = $2; bytes = $3; split("", least); split("", middle); split("", n)
    }
    { if (!($1 in least) || $4 < least[$1]) least[$1] = $4
      middle[$1] = middle[$1] " " $5; n[$1]++ }
    END { row() }'
