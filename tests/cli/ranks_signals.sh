# SPDX-License-Identifier: BSD-3-Clause
# Several ranks that a signal ends, as they write one file: nothing of it is left
# (drivers/stops.c holds all ranks in a call).
. "$(dirname "$0")/lib.sh"

ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
export ASAN_OPTIONS
mark=$folder/stopped
mkdir work
"$program" generate stencil5 --nx 40 --ny 40 -o m.mtx >/dev/null
cp m.mtx old.mtx
default='env --default-signal=INT,HUP,TERM'
$default true 2>/dev/null || default=env

# wait_until COMMAND...: two minutes at most.
wait_until() {
    turns=0
    until "$@"; do
        turns=$((turns + 1))
        [ $turns -lt 6000 ] || return 1
        sleep 0.02
    done
}
all_stopped() {
    for rank in $(seq 0 $((ranks - 1))); do
        [ -n "$only" ] && [ "$only" -ne "$rank" ] || [ -e "$mark.$rank" ] || return 1
    done
}
clean() { [ "$(ls -A work | tr '\n' ' ')" = 'a.mtx ' ]; }

# only_parts: nothing beside a.mtx but what had a name when rank 0 was killed.
only_parts() { [ -z "$(ls -A work | grep -v '^a\.mtx$' | grep -v '^a\.mtx\.part-')" ]; }

# stopped RANKS SIGNAL WHOM AT [ONLY]: RANKS ranks, with $settings, write a.mtx, which is
# there. When all, or rank ONLY alone, have stopped at the call AT, the signal is sent to
# WHOM, a rank or the launcher. Until then there is a part if $part says so; in the end
# what $after says holds.
stopped() {
    ranks=$1 signal=$2 whom=$3 at=$4 only=${5:-}
    checks=$((checks + 1))
    last="$signal to $whom at $at on $ranks ranks${only:+, of rank $only}${settings:+, $settings}"
    : >out >err
    rm -f "$mark".* work/*
    cp old.mtx work/a.mtx
    (cd work && exec $default "$MPIEXEC" -n "$ranks" env $settings STOP_AT="$at" \
        STOP_MARK="$mark" ${only:+STOP_RANK=$only} LD_PRELOAD="$DRIVERS/stops.so" \
        "$program" convert ../m.mtx --to csr -o a.mtx </dev/null) >out 2>err &
    child=$!
    wait_until all_stopped || fail 'the ranks have not stopped'
    have=no
    ls work | grep -q '^a.mtx.part-' && have=yes
    [ $have = $part ] || fail "is there a part? $have, not $part"
    if [ "$whom" = launcher ]; then
        kill -s "$signal" $child
    else
        kill -s "$signal" "$(cat "$mark.$whom")" || kill $child
    fi
    wait $child
    [ $? -ne 0 ] || fail 'the launcher ends with success'
    wait_until $after || fail "in work: $(ls -A work | tr '\n' ' ')"
    cmp -s old.mtx work/a.mtx || fail 'a.mtx is not what it was'
    rm -f "$mark".*
}

# Where the launcher, or a rank beside rank 0, is sent the signal, the launcher ends the
# ranks, and may be quicker with SIGKILL than they are (docs/limits.md). What has a name may
# then stay; nothing else does, and what was there is as it was.
if [ "${1:-}" = launcher ]; then
    after=only_parts
    part=yes
    settings=NO_UNNAMED=1
    stopped 2 TERM 1 pwrite:1
    stopped 2 KILL 1 pwrite:1
    stopped 3 HUP 2 pwrite:1
    stopped 2 TERM launcher pwrite:1
    stopped 2 HUP launcher pwrite:1
    stopped 2 TERM launcher fsync:1 0
    stopped 3 INT launcher pwrite:1
    settings=
    stopped 2 TERM launcher rename:1 0
    finish
fi

# On one machine the file has no name until it is complete: nothing is left, whatever ends
# the job.
after=clean
part=no
settings=
for signal in TERM INT HUP KILL; do
    stopped 2 $signal 0 pwrite:1
done
stopped 3 KILL 1 pwrite:1
stopped 2 TERM launcher pwrite:1
stopped 2 KILL 0 fsync:1 0
stopped 3 KILL 0 linkat:1 0

# Where files have names, or ranks cannot reach each other's, rank 0's command removes it.
part=yes
for settings in NO_UNNAMED=1 NO_REACH=1; do
    for signal in TERM INT HUP; do
        stopped 2 $signal 0 pwrite:1
    done
done

# They write the same bytes.
for settings in '' NO_UNNAMED=1 NO_REACH=1; do
    rm -f work/*
    run_as 0 "$MPIEXEC" -n 3 env $settings STOP_MARK="$mark" LD_PRELOAD="$DRIVERS/stops.so" \
        "$program" convert m.mtx --to csr -o work/a.mtx
    clean || fail "in work: $(ls -A work | tr '\n' ' ')"
    same old.mtx work/a.mtx
done
finish
