# SPDX-License-Identifier: BSD-3-Clause
# A rank that is stopped: the others say who is waited for, go on when it goes on, and end
# where they were told to. Only processes that this script has started are stopped.
. "$(dirname "$0")/lib.sh"
"$program" generate stencil5 --nx 300 --ny 300 -o grid.mtx >/dev/null

# rank_of LAUNCHER RANK: the process of a rank.
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

# ended PID: it is gone, but for who should reap it.
ended() { ! ps -o stat= -p "$1" | grep -q '^[^Z]'; }

# waits_or_ended: someone says that the stopped rank is waited for, or its work is printed.
waits_or_ended() { grep -q 'has not come to' err || grep -q '^before' out; }

# stop RANKS RANK WORDS...: start a job that runs for long, and stop a rank of it when it
# has begun to read, or is beyond that. Its output goes where run_as puts it.
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
    kill -STOP "$pid" 2>/dev/null
}

runs='run spmv grid.mtx --iters 100000000'

# told RANK: one rank has said once that this one is waited for, and in what.
told() {
    until_it grep -q 'waited for 2 s' err || fail 'not told, or not again'
    complains "^cairn: warning: MPI: waited for 1 s: rank $1 has not come to: [a-z]"
    [ "$(grep -c 'waited for 1 s' err)" -eq 1 ] || fail 'told more than once'
}

# One rank tells, and again after twice the time. The first rank may be the one.
for which in '2 1' '3 2' '3 0'; do
    set -- $which
    stop "$1" "$2" $runs
    told "$2"
    kill -CONT "$pid"
    kill "$launcher"
    wait "$launcher"
done

# A rank that goes on is nothing but late. How long a run takes is the machine's to say: a job
# that had done its work before its rank was stopped is asked for more.
late=
for iters in 20000 100000 500000; do
    stop 2 1 run spmv grid.mtx --iters $iters --verify
    until_it waits_or_ended
    grep -q 'has not come to' err && late=yes
    kill -CONT "$pid" 2>/dev/null
    wait "$launcher"
    status=$?
    [ "$status" -eq 0 ] || fail "status $status, not 0"
    [ -z "$late" ] || break
done
[ -n "$late" ] || fail 'nobody says who is waited for'

# Giving up: one line that says who, on whichever ranks are left, and the job ends.
for which in '2 1' '3 0'; do
    set -- $which
    stop "$1" "$2" $runs --give-up 3
    until_it grep -q '^cairn: MPI: given up' err || fail 'nobody has given up'
    complains "^cairn: MPI: given up after 3 s: rank $2 has not come to: [a-z]"
    wait "$launcher"
    status=$?
    [ "$status" -eq 1 ] || fail "status $status, not 1"
    [ "$(grep -c '^cairn: MPI: given up' err)" -eq 1 ] || fail 'told more than once'
    until_it ended "$pid" || fail 'the stopped rank is left'
    kill -KILL "$pid" 2>/dev/null
done
finish
