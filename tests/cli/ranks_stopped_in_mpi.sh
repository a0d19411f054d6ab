# SPDX-License-Identifier: BSD-3-Clause
# A rank that is stopped right before a call of MPI that ranks make together: where a context
# begins, and where what messages of a halo need is made. The others give up, and say whom
# they waited for. No wait may be inside of MPI, where --give-up is not looked at.
. "$(dirname "$0")/lib.sh"
"$program" generate stencil5 --nx 40 --ny 40 -o grid.mtx >/dev/null
stops=$DRIVERS/stops_mpi.so
seconds=4

# job RANKS SETTINGS...: products by a collective call, in the background or not.
job() {
    ranks=$1
    shift
    env CAIRN_HALO=collective "$MPIEXEC" -n "$ranks" env "$@" LD_PRELOAD="$stops" \
        "$program" run spmv grid.mtx --iters 3 --give-up "$seconds" >out 2>err </dev/null
}

# ends PID: it has ended two minutes from now.
ends() {
    for look in $(seq 1200); do
        [ ! -e "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null && return 0
        sleep 0.1
    done
    return 1
}

# stopped RANKS RANK CALL: that rank stops before its call of that number.
stopped() {
    checks=$((checks + 1))
    last="rank $2 of $1 stopped before call $3, $(sed -n "$3p" "calls.$2")"
    rm -f mark
    job "$1" STOP_CALL="$3" STOP_RANK="$2" STOP_MARK="$folder/mark" &
    launcher=$!
    if ends "$launcher"; then
        wait "$launcher"
        status=$?
        [ "$status" -eq 1 ] || fail "status $status, not 1"
    else
        fail 'the others wait on'
    fi
    [ -e mark ] || fail 'the rank has not stopped'
    kill -KILL $(cat mark) 2>/dev/null
    wait "$launcher" 2>/dev/null
    who="ranks\{0,1\} [0-9, and]*$2 ha[sv]e\{0,1\} not come to"
    [ "$3" -gt "$unnamed" ] || who='some rank has not come to'
    grep -q "^cairn: MPI: given up after $seconds s: $who: [a-z]" err ||
        fail "no line says: $who"
}

# each RANKS RANK: at all calls by which a context begins, and around those that make
# communicators. Until there is the first, no rank can be named.
each() {
    rm -f calls.*
    job "$1" STOP_LIST="$folder/calls" || fail 'nobody stops, and it fails'
    unnamed=$(grep -n -m 1 '^Comm_idup' "calls.$2" | cut -d : -f 1)
    for call in $(awk '/^Comm_|^Dist_graph/ { for (k = NR - 1; k <= NR + 1; k++) print k }
                       NR <= 5 || /^Ialltoallw/ && !many++ { print NR }' "calls.$2" |
        sort -nu); do
        stopped "$1" "$2" "$call"
    done
}

each "${1:-2}" "${2:-1}"
finish
