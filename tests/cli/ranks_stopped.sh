# SPDX-License-Identifier: BSD-3-Clause
# A rank that is stopped: the others say who is waited for, go on when it goes on, and end
# where they were told to. Only processes that this script has started are stopped.
. "$(dirname "$0")/lib.sh"
"$program" generate stencil5 --nx 20 --ny 20 -o grid.mtx >/dev/null

# rank_of LAUNCHER RANK: the process of a rank, once it has begun its runs.
rank_of() {
    for turn in $(seq 100); do
        for pid in $(ps -o pid= --ppid "$1"); do
            tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null |
                grep -qx "OMPI_COMM_WORLD_RANK=$2" && echo "$pid" && return
        done
        sleep 0.1
    done
}

# until_it COMMAND...: wait until it succeeds, 30 s at most.
until_it() {
    for turn in $(seq 300); do
        "$@" 2>/dev/null && return 0
        sleep 0.1
    done
    return 1
}

# stop RANKS RANK WORDS...: start a job that runs for long, and stop a rank of it when it
# has begun. Its output goes where run_as puts it.
stop() {
    ranks=$1
    stopped=$2
    shift 2
    checks=$((checks + 1))
    last="rank $stopped of $ranks stopped: $*"
    env CAIRN_WAIT_WARN=1 "$MPIEXEC" -n "$ranks" "$program" "$@" >out 2>err </dev/null &
    launcher=$!
    pid=$(rank_of "$launcher" "$stopped")
    [ -n "$pid" ] || fail 'no such rank'
    sleep 2
    kill -STOP "$pid" || fail 'it had ended'
}

runs='run spmv grid.mtx --iters 100000000'

# It is told of once, by one rank, with what is waited for; then again after twice the time.
for ranks in 2 3; do
    stop $ranks $((ranks - 1)) $runs
    until_it grep -q 'has not come to' err || fail 'nobody says who is waited for'
    complains "^cairn: warning: MPI: waited for 1 s: rank $((ranks - 1)) has not come to: a product"
    sleep 0.5
    [ "$(grep -c 'waited for' err)" -eq 1 ] || fail 'told more than once'
    until_it grep -q 'waited for 2 s' err || fail 'not told again'
    kill -CONT "$pid"
    kill "$launcher"
    wait "$launcher"
done

# The first rank may be the one.
stop 3 0 $runs
until_it grep -q 'has not come to' err || fail 'nobody says who is waited for'
complains 'waited for 1 s: rank 0 has not come to: a product'
[ "$(grep -c 'waited for' err)" -eq 1 ] || fail 'told more than once'
kill -CONT "$pid"
kill "$launcher"
wait "$launcher"

# A rank that goes on is nothing but late.
stop 2 1 run spmv grid.mtx --iters 300000 --verify
until_it grep -q 'has not come to' err || fail 'nobody says who is waited for'
kill -CONT "$pid"
wait "$launcher"
status=$?
[ "$status" -eq 0 ] || fail "status $status, not 0"

# Giving up: one line that says who, on whichever ranks are left, and the job ends.
for which in '2 1' '3 2' '3 0'; do
    set -- $which
    stop "$1" "$2" $runs --give-up 3
    until_it grep -q '^cairn: MPI: given up' err || fail 'nobody has given up'
    complains "^cairn: MPI: given up after 3 s: rank $2 has not come to: a product"
    wait "$launcher"
    status=$?
    [ "$status" -eq 1 ] || fail "status $status, not 1"
    [ "$(grep -c '^cairn: MPI: given up' err)" -eq 1 ] || fail 'told more than once'
    kill -0 "$pid" 2>/dev/null && kill -KILL "$pid" && fail 'the stopped rank is left'
done
finish
