# SPDX-License-Identifier: BSD-3-Clause
# A rank that is stopped: the others say who is waited for, go on when it goes on, and end
# where they were told to. Only processes that this script has started are stopped. A disk
# that stops (drivers/stops.c) tells how far a rank is, so that nothing here depends on how
# fast the machine is; the times are long for a busy one, on which any rank may be late.
. "$(dirname "$0")/lib.sh"
"$program" generate stencil5 --nx 300 --ny 300 -o grid.mtx >/dev/null
mark=$folder/stopped

# until_it COMMAND...: wait until it succeeds, two minutes at most.
until_it() {
    for look in $(seq 1200); do
        "$@" 2>/dev/null && return 0
        sleep 0.1
    done
    return 1
}

# ended PID: it is gone, but for who should reap it.
ended() { [ ! -e "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status"; }

# since TEXT: what was said since the rank was stopped has it (a basic pattern). How often.
since() { tail -n "+$((before + 1))" err | grep -q -e "$1"; }
often() { tail -n "+$((before + 1))" err | grep -c -e "$1"; }

# start RANKS RANK CALL WORDS...: start a job, and wait until a rank is held in that call.
start() {
    ranks=$1
    stopped=$2
    call=$3
    shift 3
    checks=$((checks + 1))
    last="rank $stopped of $ranks stopped: $*"
    rm -f "$mark".*
    env CAIRN_WAIT_WARN=2 "$MPIEXEC" -n "$ranks" \
        sh -c 'echo $$ >"pid.$OMPI_COMM_WORLD_RANK" && exec "$@"' sh \
        env STOP_AT="$call" STOP_MARK="$mark" STOP_RANK="$stopped" \
        LD_PRELOAD="$DRIVERS/stops.so" "$program" "$@" >out 2>err </dev/null &
    launcher=$!
    until_it [ -e "$mark.$stopped" ] || fail "it has not come to $call"
    pid=$(cat "$mark.$stopped")
}

# stop RANKS RANK WORDS...: start a job that runs for long, and stop a rank of it when it
# has begun to read, or is beyond that.
stop() {
    ranks=$1
    stopped=$2
    shift 2
    start "$ranks" "$stopped" pread:1 "$@"
    rm -f "$mark".*
    sleep 1
    before=$(wc -l <err)
    kill -STOP "$pid"
}

# names RANK: a list of ranks, others may be in it, has this one (a basic pattern).
names() {
    echo "ranks\{0,1\} \([0-9, and]* \)\{0,1\}$1\([, ][0-9, and more]*\)\{0,1\} ha[sv]e\{0,1\} not come to: [a-z]"
}

# told RANK: someone has said that this rank is waited for, and in what, and again after
# twice the time. Was it named alone, and that said once? Ranks that a busy machine gives
# no processor are late, too, and may be named beside it, or before it.
told() {
    until_it since 'waited for 4 s' || fail 'not told, or not again'
    why="no rank says that it waits for rank $1"
    since "^cairn: warning: MPI: waited for [24] s: $(names "$1")" || return 1
    why="rank $1 is not named alone"
    since "^cairn: warning: MPI: waited for 2 s: rank $1 has not come to: [a-z]" ||
        return 1
    why='told more than once'
    [ "$(often 'waited for 2 s')" -eq 1 ]
}

# once FUNCTION WORDS...: it holds, of three turns in one. Ranks of a busy machine may not
# hear of each other in time, and both speak, or are late themselves: not three times.
once() {
    for turn in 1 2 3; do
        "$@" && return
    done
    fail "$why, three times"
}

runs='run spmv grid.mtx --iters 100000000'

waited_for() {
    stop "$1" "$2" $runs
    told "$2"
    said_once=$?
    kill -CONT "$pid"
    kill "$launcher"
    wait "$launcher"
    return $said_once
}
# The first rank may be the one.
once waited_for 2 1
once waited_for 3 2
once waited_for 3 0

# A rank that goes on is nothing but late.
goes_on() {
    start 2 1 pwrite:1 run spmv grid.mtx --iters 3 --verify --out y.mtx
    before=0
    kill -STOP "$pid"
    rm -f "$mark".*
    told 1
    said_once=$?
    kill -CONT "$pid"
    wait "$launcher"
    status=$?
    [ "$status" -eq 0 ] || fail "status $status, not 0"
    exists y.mtx
    return $said_once
}
once goes_on

# Who was stopped himself has not waited.
start 2 0 pwrite:1 run spmv grid.mtx --iters 3 --out y.mtx --give-up 8
sleep 1
kill -STOP "$(cat pid.1)"
sleep 9
kill -CONT "$(cat pid.1)"
sleep 1
rm -f "$mark".*
wait "$launcher"
status=$?
[ "$status" -eq 0 ] || fail "status $status, not 0"

# Giving up: one line that says who, on whichever ranks are left, and the job ends.
given_up() {
    stop "$1" "$2" $runs --give-up 8
    until_it grep -q '^cairn: MPI: given up' err || fail 'no rank has given up'
    complains "^cairn: MPI: given up after 8 s: $(names "$2")"
    wait "$launcher"
    status=$?
    [ "$status" -eq 1 ] || fail "status $status, not 1"
    until_it ended "$pid" || fail 'the stopped rank is left'
    kill -KILL "$pid" 2>/dev/null
    why="rank $2 is not named alone, or that is said more than once"
    grep -q "^cairn: MPI: given up after 8 s: rank $2 has not come to: [a-z]" err &&
        [ "$(grep -c '^cairn: MPI: given up' err)" -eq 1 ]
}
once given_up 2 1
once given_up 3 0
finish
