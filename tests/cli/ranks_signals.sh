# SPDX-License-Identifier: BSD-3-Clause
# Several ranks that a signal ends, as they write one file: rank 0's command removes it,
# whoever was sent the signal (drivers/stops.c holds all ranks in a call).
. "$(dirname "$0")/lib.sh"

ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
export ASAN_OPTIONS
mark=$folder/stopped
mkdir work
"$program" generate stencil5 --nx 40 --ny 40 -o m.mtx >/dev/null
cp m.mtx old.mtx
default='env --default-signal=INT,HUP,TERM'
$default true 2>/dev/null || default=env

# wait_until TEXT COMMAND...: some seconds at most.
wait_until() {
    text=$1
    shift
    turns=0
    until "$@"; do
        turns=$((turns + 1))
        [ $turns -lt 500 ] || { fail "$text" && return; }
        sleep 0.02
    done
}
all_stopped() {
    for rank in $(seq 0 $((ranks - 1))); do
        [ -n "$only" ] && [ "$only" -ne "$rank" ] || [ -e "$mark.$rank" ] || return 1
    done
}
ended() { ! kill -0 "$child" 2>/dev/null; }
clean() { [ "$(ls -A work | tr '\n' ' ')" = 'a.mtx ' ]; }

# stopped RANKS SIGNAL WHOM AT [ONLY]: RANKS ranks write a.mtx, which is there. When all, or
# rank ONLY alone, have stopped at the call AT, the signal is sent to WHOM, a rank or the
# launcher.
stopped() {
    ranks=$1 signal=$2 whom=$3 at=$4 only=${5:-}
    checks=$((checks + 1))
    last="$signal to $whom at $at on $ranks ranks${only:+, of rank $only}"
    : >out >err
    rm -f "$mark".*
    cp old.mtx work/a.mtx
    (cd work && exec $default "$MPIEXEC" -n "$ranks" env STOP_AT="$at" STOP_MARK="$mark" \
        ${only:+STOP_RANK=$only} LD_PRELOAD="$DRIVERS/stops.so" \
        "$program" convert ../m.mtx --to csr -o a.mtx </dev/null) >out 2>err &
    child=$!
    wait_until 'the ranks have not stopped' all_stopped
    ls work | grep -q '^a.mtx.part-' || fail 'there is no part to remove'
    if [ "$whom" = launcher ]; then
        kill -s "$signal" $child
    else
        kill -s "$signal" "$(cat "$mark.$whom")"
    fi
    wait $child
    [ $? -ne 0 ] || fail 'the launcher ends with success'
    wait_until "in work: $(ls -A work | tr '\n' ' ')" clean
    same old.mtx work/a.mtx
    rm -f "$mark".*
}

# Where the launcher, or a rank beside rank 0, is sent the signal, the launcher ends rank 0,
# and may be quicker than it is: then a part stays (docs/limits.md), in one of some dozens of
# jobs. So these are run when asked for.
if [ "${1:-}" = launcher ]; then
    stopped 2 TERM 1 pwrite:1
    stopped 2 KILL 1 pwrite:1
    stopped 3 HUP 2 pwrite:1
    stopped 2 TERM launcher pwrite:1
    stopped 2 HUP launcher pwrite:1
    stopped 2 TERM launcher fsync:1 0
    stopped 2 TERM launcher rename:1 0
    stopped 3 INT launcher pwrite:1
    finish
fi

for signal in TERM INT HUP; do
    stopped 2 $signal 0 pwrite:1
done
finish
