# SPDX-License-Identifier: BSD-3-Clause
# Jobs of Slurm: products by srun and by mpirun, jobs that are cancelled, whose time is up or
# whose ranks die, and what goes on from their checkpoints. The hosts are network namespaces,
# their daemons are Slurm's (deploy/slurm/cluster.sh).  ranks_slurm.sh [inside]
deploy=$(cd "$(dirname "$0")/../../deploy" && pwd)

if [ "${1:-}" != inside ]; then
    set_name=$(mktemp)
    trap 'rm -f "$set_name"' EXIT
    SET_NAME=$set_name "$deploy/hosts/run.sh" -n 3 "$deploy/slurm/cluster.sh" --limit 780 \
        sh "$0" inside
    status=$?
    hosts=$(cat "$set_name")
    if [ -n "$hosts" ]; then
        left=$(grep -lszx "HOSTS_SET=$hosts" /proc/[0-9]*/environ)
        [ -z "$left" ] || echo "FAILED: processes are left: $left"
        [ ! -e "/run/$hosts" ] || echo "FAILED: /run/$hosts is left"
        [ -z "$left" ] && [ ! -e "/run/$hosts" ] || exit 1
    fi
    exit $status
fi
. "$(dirname "$0")/lib.sh"
echo "$HOSTS_SET" >"$SET_NAME"
export LAUNCH="$deploy/launch"

# wait_until COMMAND...: three minutes at most.
wait_until() {
    deadline=$(($(date +%s) + 180))
    until "$@"; do
        [ "$(date +%s)" -lt $deadline ] || { fail "never: $*"; return 1; }
        sleep 0.2
    done
}
# submit RANKS OPTION... -- WORDS...: a batch job on a host a rank, whose number is $job.
submit() {
    ranks=$1 options=''
    shift
    while [ "$1" != -- ]; do options="$options $1" && shift; done
    shift
    rm -f log
    # shellcheck disable=SC2086 # some words
    run_as 0 sbatch --parsable -N "$ranks" -n "$ranks" -o log $options "$deploy/slurm/job.sh" \
        kept "$program" "$@"
    job=$(cat out)
}
field() { scontrol show job "$job" | tr -s ' ' '\n' | sed -n "s/^$1=//p"; }
ended() { case $(field JobState) in COMPLETED | FAILED | CANCELLED | TIMEOUT) ;; *) false ;; esac; }
generation() { ls kept/generation-*.manifest 2>/dev/null | tail -n 1; }
newer() { [ "$(generation)" != "$had" ]; }
# has_kept: the job has written a checkpoint since the last look.
has_kept() {
    had=$(generation)
    wait_until newer
}
# ends_with STATUS: the job's, with its text where commands' errors are.
ends_with() {
    last="job $job"
    wait_until ended
    [ "$(field ExitCode)" = "$1:0" ] || fail "ended with $(field ExitCode), not $1"
    cp log err
}
# goes_on RANKS: a job on so many ranks goes on from what is kept, 30 iterations more, to the
# bits of one rank that was never disturbed.
goes_on() {
    run_as 1 "$program" "$@" --max-iterations 0 --restart kept --json first.json
    first=$(sed 's/.*"first": \([0-9]*\).*/\1/' first.json)
    [ "$first" -gt 0 ] || fail 'nothing was kept'
    most=$((first + 30))
    run_as 1 "$program" "$@" --max-iterations $most --out whole.mtx
    rm -f x.mtx
    TRIES=0 submit $ranks -- "$@" --max-iterations $most --out x.mtx --json x.json
    ends_with 1
    same whole.mtx x.mtx
    has x.json "\"ranks\": $ranks"
    has x.json "\"first\": $first,"
}

# Ranks on hosts of their own have the bytes of one rank.
run_as 0 srun -N 3 -n 3 hostname
[ "$(sort out | tr '\n' ' ')" = 'h0 h1 h2 ' ] || fail 'not a rank on each host'
expect 0 generate stencil5 --nx 40 --ny 40 -o s.mtx
for format in csr 'hybrid<bdia<8>,csr,0.6>'; do
    expect 0 run spmv s.mtx --format "$format" --out one.mtx
    run_as 0 srun --mpi=pmix -N 3 -n 3 "$program" run spmv s.mtx --format "$format" \
        --out y.mtx --verify --json y.json
    check_line
    has y.json '"ranks": 3'
    same one.mtx y.mtx
    run_as 0 salloc -N 2 -n 4 mpirun "$program" run spmv s.mtx --format "$format" \
        --out z.mtx --verify --json z.json
    check_line
    has z.json '"ranks": 4'
    same one.mtx z.mtx
done
run_as 2 srun --mpi=pmix -N 3 -n 3 "$program" run spmv s.mtx --format csx
check_line

# A job that is ended keeps a checkpoint, and is not queued again; another goes on.
expect 0 generate stencil7 --nx 35 --ny 35 --nz 35 -o cube.mtx
set -- solve cg cube.mtx --reproducible --tol 0
endless='--max-iterations 1000000000 --every 20'
# cancelled WORDS: by scancel with these.
cancelled() {
    rm -rf kept
    # shellcheck disable=SC2086
    submit 2 -- solve cg cube.mtx --reproducible --tol 0 $endless
    has_kept
    # shellcheck disable=SC2086
    run_as 0 scancel $1 "$job"
}
export RANKS_BY=mpirun
cancelled '-b -s TERM'
ends_with 1
complains 'stopped after [0-9]* iterations\{0,1\}: .*; go on with --restart kept$'
complains '^launch: .*, after SIGTERM$'
ranks=3
goes_on "$@"
export RANKS_BY='srun --mpi=pmix --kill-on-bad-exit=1'
cancelled ''
wait_until ended
[ "$(field JobState)" = CANCELLED ] || fail "$(field JobState), not cancelled"
ranks=1
goes_on "$@"

# A rank that dies is started again, in the same job.
rm -rf kept
# shellcheck disable=SC2086
submit 2 -- "$@" $endless
has_kept
for process in $(ip netns pids "$HOSTS_SET-h1"); do
    [ "$(cat "/proc/$process/comm")" != cairn ] || kill -9 "$process"
done
wait_until grep -q '^launch: rank 1 on h1.*: Killed; started again (1 of 5) from kept$' log
has_kept
run_as 0 scancel -b -s TERM "$job"
ends_with 1
ranks=2
goes_on "$@"

# A job whose time is up goes back into the queue by itself, and on from there.
rm -rf kept
# shellcheck disable=SC2086
submit 2 --time=1 --signal=B:USR1@45 -- "$@" $endless
wait_until grep -q "^job.sh: $job goes back into the queue, with kept\$" log
back() { [ "$(field Restarts)" = 1 ] && [ "$(field JobState)" = RUNNING ]; }
wait_until back
has_kept
run_as 0 scancel -b -s TERM "$job"
ends_with 1
began=$(sed '1,/goes back into the queue/d' log | awk '/^  iteration  residual/ { getline; print $1; exit }')
[ "${began:-0}" -gt 0 ] || fail "its second time began with iteration ${began:-unknown}"
ranks=3
goes_on "$@"

finish
