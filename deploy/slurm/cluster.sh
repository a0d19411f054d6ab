#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run a command on a cluster with Slurm that is made for it: on the hosts of
# deploy/hosts/run.sh, each with its slurmd, the first one with slurmctld, too. All daemons
# are ended, by their ids, and all that they have written is removed, when the command ends.
# Usage: deploy/hosts/run.sh [-n HOSTS] deploy/slurm/cluster.sh [--limit SECONDS] COMMAND [ARGUMENT...]
# Needs Debian's slurmctld, slurmd, slurm-client and munge. Status: the command's; 77 where
# they are missing, 1 where the hosts do not come up in time, 124 where the command has not
# ended after SECONDS (900).
set -eu

limit=900
if [ "${1:-}" = --limit ]; then
    limit=$2
    shift 2
fi
case $limit in *[!0-9]* | '') set -- ;; esac
if [ $# = 0 ] || [ -z "${HOSTS_SET:-}" ]; then
    echo "usage: deploy/hosts/run.sh [-n HOSTS] deploy/slurm/cluster.sh [--limit SECONDS] COMMAND [ARGUMENT...]" >&2
    exit 2
fi
enter=$(cd "$(dirname "$0")/../hosts" && pwd)/enter.sh
PATH=$PATH:/usr/sbin:/sbin
for tool in slurmctld slurmd srun sbatch munged setpriv; do
    command -v "$tool" >/dev/null || {
        echo "deploy/slurm/cluster.sh: no $tool here" >&2
        exit 77
    }
done
id munge >/dev/null 2>&1 || {
    echo "deploy/slurm/cluster.sh: no user munge here" >&2
    exit 77
}

folder=/run/$HOSTS_SET/slurm # which run.sh removes, whatever becomes of this script
hosts=$(sed 's/ .*//' "/run/$HOSTS_SET/hostfile")
mkdir -p "$folder"

# Daemons stay in the foreground, so that what is started is what is ended. What jobs have
# left is below a slurmd, in its namespace, and ends with the hosts.
daemons=''
end() {
    # shellcheck disable=SC2086 # one word a process
    [ -z "$daemons" ] || kill $daemons 2>/dev/null || true
    turns=0
    for daemon in $daemons; do
        while kill -0 "$daemon" 2>/dev/null && [ $turns -lt 100 ]; do
            turns=$((turns + 1))
            sleep 0.1
        done
        kill -9 "$daemon" 2>/dev/null || true
    done
    rm -rf "$folder"
}
trap end EXIT
trap 'exit 130' INT TERM HUP
# daemon HOST WORD...
daemon() {
    "$enter" "$@" </dev/null >>"$folder/daemons.log" 2>&1 &
    daemons="$! $daemons"
}

# Who may ask: munge's socket, which all hosts have in their common file system, and its key.
# munged refuses folders that others may write into.
install -d -o munge -g munge -m 755 "$folder/munge"
(umask 077 && head -c 1024 /dev/urandom >"$folder/munge/key")
chown munge:munge "$folder/munge/key"
daemon h0 setpriv --reuid munge --regid munge --clear-groups munged --foreground \
    --socket "$folder/munge/socket" --key-file "$folder/munge/key" \
    --pid-file "$folder/munge/pid" --seed-file "$folder/munge/seed" \
    --log-file "$folder/munge/log"

# One slurmd a host, known by its host name: paths that %n keeps apart. No control groups,
# which are the machine's and not these hosts'. The hosts have as many processors as jobs ask
# for (config_overrides): all of them are the cores of this machine. A job that is put back
# into the queue starts as soon as its old credentials have run out, here after 10 seconds.
{
    cat <<CONF
ClusterName=cairn
SlurmctldHost=h0
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$folder/munge/socket,cred_expire=10
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
KillWait=30
SlurmctldTimeout=300
SlurmdTimeout=300
MessageTimeout=60
SlurmdParameters=config_overrides
SlurmctldPidFile=$folder/slurmctld.pid
StateSaveLocation=$folder/state
SlurmctldLogFile=$folder/slurmctld.log
SlurmdPidFile=$folder/slurmd.%n.pid
SlurmdSpoolDir=$folder/slurmd.%n
SlurmdLogFile=$folder/slurmd.%n.log
TmpFS=$folder/tmp.%n
CONF
    for host in $hosts; do
        echo "NodeName=$host CPUs=8 State=UNKNOWN"
    done
    echo 'PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP'
} >"$folder/slurm.conf"
# (Debian 12's slurmd asks which control groups there are, and ends where /sys has none.)
echo 'CgroupPlugin=cgroup/v1' >"$folder/cgroup.conf"
mkdir -p "$folder/state"
export SLURM_CONF="$folder/slurm.conf"
turns=0
until [ -S "$folder/munge/socket" ] || [ $turns -ge 300 ]; do
    turns=$((turns + 1))
    sleep 0.1
done
daemon h0 slurmctld -D
for host in $hosts; do
    mkdir -p "$folder/slurmd.$host" "$folder/tmp.$host"
    daemon "$host" slurmd -D
done
count=$(echo "$hosts" | wc -l)
deadline=$(($(date +%s) + 120))
until [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | wc -l)" -eq "$count" ]; do
    # shellcheck disable=SC2086
    if [ "$(date +%s)" -ge $deadline ] || ! kill -0 $daemons 2>/dev/null; then
        echo "deploy/slurm/cluster.sh: the hosts have not come up:" >&2
        tail -n 5 "$folder"/*.log >&2
        exit 1
    fi
    sleep 0.5
done

# Slurm says where ranks go, not what deploy/hosts tells a bare mpirun.
unset OMPI_MCA_plm_rsh_agent PRTE_MCA_plm_ssh_agent
unset OMPI_MCA_orte_default_hostfile PRTE_MCA_prte_default_hostfile
unset OMPI_MCA_rmaps_base_mapping_policy PRTE_MCA_rmaps_default_mapping_policy
status=0
timeout --foreground -k 30 "$limit" "$@" || status=$?
scancel --full --signal=KILL --user=root 2>/dev/null || true
exit $status
