#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run a command on the first of several hosts that are made for it on this machine: network
# namespaces h0, h1, ... with an address, a host name, shared memory and a list of hosts of
# their own, joined by a bridge. `mpirun -n N` starts ranks on all of them there, over TCP,
# as over the machines of a cluster, in turns. All is removed at the end.
# Usage: deploy/hosts/run.sh [-n HOSTS] COMMAND [ARGUMENT...]   (3 hosts unless said)
# Needs root and Debian's iproute2. Status: the command's; 77 where such namespaces are not
# to be had. Traffic stays on addresses 10.77.0.0/24 that no other namespace sees.
set -eu

hosts=3
if [ "${1:-}" = -n ]; then
    hosts=$2
    shift 2
fi
if [ $# = 0 ] || ! [ "$hosts" -ge 1 ] || [ "$hosts" -gt 200 ]; then
    echo "usage: deploy/hosts/run.sh [-n HOSTS] COMMAND [ARGUMENT...]   (at most 200)" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
name=cairn-hosts-$$

# What a process of this script left that did not live to remove it.
remove() {
    for space in $(ip netns list | sed -n "s/^\($1-[a-z0-9]*\)\( .*\)*$/\1/p"); do
        ip netns pids "$space" | xargs -r kill -9 2>/dev/null || true
        ip netns del "$space" || true
        rm -rf "/etc/netns/$space"
    done
    rm -rf "/run/$1"
}
for dead in $(ip netns list 2>/dev/null | sed -n 's/^cairn-hosts-\([0-9]*\)-.*$/\1/p' | sort -u); do
    [ -d "/proc/$dead" ] || remove "cairn-hosts-$dead"
done

trap 'remove "$name"' EXIT
trap 'exit 130' INT TERM HUP

# (In a root that is no mount of its own a namespace can be made and not entered.)
if ! ip netns add "$name-switch" 2>/dev/null || ! ip netns exec "$name-switch" true 2>/dev/null; then
    echo "deploy/hosts/run.sh: no network namespaces here: they need root, iproute2, and / to be a mount" >&2
    exit 77
fi
mkdir -p "/run/$name"
ip -n "$name-switch" link add br0 type bridge
ip -n "$name-switch" link set br0 up
for h in $(seq 0 $((hosts - 1))); do
    ip netns add "$name-h$h"
    mkdir -p "/etc/netns/$name-h$h"
    { echo "127.0.0.1 localhost"; for k in $(seq 0 $((hosts - 1))); do
        echo "10.77.0.$((k + 1)) h$k"
    done; } >"/etc/netns/$name-h$h/hosts"
    ip -n "$name-h$h" link set lo up
    ip link add "v$h" netns "$name-switch" type veth peer name eth0 netns "$name-h$h"
    ip -n "$name-switch" link set "v$h" master br0 up
    ip -n "$name-h$h" addr add "10.77.0.$((h + 1))/24" dev eth0
    ip -n "$name-h$h" link set eth0 up
    echo "h$h slots=64" >>"/run/$name/hostfile"
done

# Ranks go from host to host. All hosts are the same cores: none may bind to them, or spin.
# Open MPI's own settings first, then PRRTE's, which starts ranks from version 5 on.
export HOSTS_SET=$name
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=^ofi,openib,uct OMPI_MCA_btl_tcp_if_include=eth0
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_oob_tcp_if_include=eth0
export OMPI_MCA_plm_rsh_agent="$here/agent.sh" PRTE_MCA_plm_ssh_agent="$here/agent.sh"
export OMPI_MCA_orte_default_hostfile="/run/$name/hostfile"
export PRTE_MCA_prte_default_hostfile="/run/$name/hostfile"
export OMPI_MCA_rmaps_base_mapping_policy=node OMPI_MCA_hwloc_base_binding_policy=none
export PRTE_MCA_rmaps_default_mapping_policy=node PRTE_MCA_hwloc_default_binding_policy=none
status=0
"$here/enter.sh" h0 "$@" || status=$?
exit $status
