#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A batch script for jobs that keep checkpoints: what is behind it is a command on ranks. A
# rank that dies is started again from the last checkpoint, at once; a job whose time is up
# keeps one, is put back into the queue, and goes on from there when it is its turn again.
# Usage: sbatch [-N HOSTS] [-n RANKS] [-t TIME] deploy/slurm/job.sh CHECKPOINTS COMMAND...
# e.g.   sbatch -N 2 -n 8 job.sh kept cairn solve cg a.mtx --every 60s --out x.mtx
#
# `scancel -b -s TERM JOB` ends it with a last checkpoint, and so that it stays ended. A job
# given later with the same CHECKPOINTS goes on from there, on any number of ranks.
#
# In the environment of sbatch: LAUNCH is the path of deploy/launch (else it is looked for in
# PATH and where sbatch was called), RANKS_BY what starts ranks: `mpirun` (unless set), or
# `srun --mpi=pmix --kill-on-bad-exit=1`. TRIES says how often ranks may die (5).
#SBATCH --job-name=cairn
#SBATCH --signal=B:USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append
set -u

[ $# -gt 1 ] || {
    echo 'usage: sbatch [OPTION...] deploy/slurm/job.sh CHECKPOINTS COMMAND...' >&2
    exit 2
}
checkpoints=$1
shift
launch=${LAUNCH:-$(command -v launch || echo "$SLURM_SUBMIT_DIR/deploy/launch")}

# The batch script alone gets SIGUSR1, two minutes before the end (B: and 120, above), and
# hands it to the launcher, which hands it to the ranks and waits for their checkpoint. The
# shell's `wait` returns at a signal, and waits again.
again=no
child=''
trap 'again=yes; [ -z "$child" ] || kill -s USR1 $child 2>/dev/null' USR1
trap '[ -z "$child" ] || kill -s TERM $child 2>/dev/null' TERM

# Leftovers on other hosts are killed by steps of this job, which need no ssh.
hosts=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | grep -vx "$(hostname -s)" | paste -sd , -)
# shellcheck disable=SC2086 # RANKS_BY is some words
"$launch" --times "${TRIES:-5}" --checkpoint "$checkpoints" --resume \
    --hosts "$hosts" --agent 'srun --overlap --nodes 1 --ntasks 1 --nodelist' -- \
    ${RANKS_BY:-mpirun} -n "$SLURM_NTASKS" "$@" &
child=$!
while :; do
    wait $child
    status=$?
    kill -0 $child 2>/dev/null || break
done

# Status 1 after the signal: not done, and kept. Whatever else it is would be again.
if [ $again = yes ] && [ $status -eq 1 ]; then
    echo "job.sh: $SLURM_JOB_ID goes back into the queue, with $checkpoints" >&2
    scontrol requeue "$SLURM_JOB_ID" && sleep 60 # which ends it meanwhile
fi
exit $status
