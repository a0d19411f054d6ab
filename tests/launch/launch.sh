#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# deploy/launch: which rank died, what it left, and how the job goes on.
# Usage: launch.sh LAUNCH WORKER; $MPIEXEC starts ranks.
set -u

launch=$1 worker=$2
folder=$(mktemp -d)
cd "$folder" || exit 1
bystander=''
cleanup() {
    [ -z "$bystander" ] || kill "$bystander" 2>/dev/null
    cd / && rm -rf "$folder"
}
trap cleanup EXIT
failed=0
fail() {
    echo "FAILED: $case: $*"
    tail -n 20 out err | sed 's/^/    /'
    failed=1
}

# wait_for WORDS N: until standard output has them in N lines; two minutes at most.
wait_for() {
    turns=0
    until [ "$(grep -c "$1" out)" -ge "$2" ]; do
        turns=$((turns + 1))
        [ $turns -lt 2400 ] || { fail "no '$1'"; return 1; }
        sleep 0.05
    done
}
# says N WORDS: N lines of standard error are the launcher's, and the first has them.
says() {
    [ "$(grep -c '^launch: ' err)" -eq "$1" ] || fail "not $1 lines of the launcher's"
    grep '^launch: ' err | head -n 1 | grep -q "$2" || fail "no '$2'"
}
# in_background MICROSECONDS OPTION...: the launcher, with a worker of 2 ranks, each of whose
# iterations takes so long.
in_background() {
    : >out
    pause=$1
    shift
    "$launch" "$@" -- "$MPIEXEC" -n 2 "$worker" 500 120 "$pause" --every 3 >out 2>err &
    launcher=$!
}
ends_with() {
    wait $launcher
    status=$?
    [ $status -eq "$1" ] || fail "it ended with $status, and not $1"
}

case='undisturbed'
in_background 0 --checkpoint kept
ends_with 0
says_nothing=$(grep -c '^launch: ' err)
[ "$says_nothing" -eq 0 ] || fail 'it says something'
sum=$(sed -n 's/^done 120 //p' out)
[ -n "$sum" ] || fail 'no sum'
rm -rf kept

# Ranks are killed, one after the other; the job is in the end what it is undisturbed.
case='killed ranks'
in_background 20000 --times 4 --checkpoint kept
for kill in 1 2; do
    wait_for '^written' "$(($(grep -c '^written' out) + 2))" || break
    kill -KILL "$(grep "^pid $((kill - 1)) " out | tail -n 1 | cut -d ' ' -f 3)"
    wait_for '^restarted' $kill || break
done
ends_with 0
says 2 'rank 0 on .* was ended by signal 9 (Killed); started again (1 of 4) from kept$'
grep '^launch: ' err | tail -n 1 | grep -q 'rank 1 on .* (2 of 4)' || fail 'not rank 1'
grep -q "^done 120 $sum\$" out || fail "another sum than $sum"
rm -rf kept

# Signals that end a job: a checkpoint, status 1, and no other start; then it goes on.
for signal in TERM USR1; do
    case="SIG$signal"
    in_background 50000 --checkpoint kept
    wait_for '^written' 1
    kill -s $signal $launcher
    ends_with 1
    says 1 "ended with status 1, after SIG$signal\$"
    at=$(sed -n 's/^ended //p' out)
    [ -n "$at" ] || fail 'it has written no checkpoint at its end'
    in_background 0 --checkpoint kept --resume
    ends_with 0
    grep -q "^restarted $at\$" out || fail "it has not gone on from $at"
    grep -q "^done 120 $sum\$" out || fail "another sum than $sum"
    rm -rf kept
done

# A rank that leaves a process behind; one of another job stays.
case='leftovers'
cat >leaves.sh <<'END'
setsid sleep 987 </dev/null >/dev/null 2>&1 &
echo $! >"left.$PPID.$$"
sleep 1
[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 1 ] || exit 9
sleep 100
END
sleep 987 &
bystander=$!
: >out
"$launch" --times 1 -- "$MPIEXEC" -n 2 sh leaves.sh >out 2>err &
launcher=$!
ends_with 9
says 2 'rank 1 has ended with status 9; .* started again (1 of 1) from the beginning$'
grep -q 'were left, and are killed; it was started 2 times$' err || fail 'the last line'
# (What is dead and waits for the first process to ask after it has ended.)
for left in left.*; do
    kill -0 "$(cat "$left")" 2>/dev/null || continue
    grep -q '^State:.*Z' "/proc/$(cat "$left")/status" 2>/dev/null ||
        fail "$(cat "$left") is still there"
done
[ "$(ls left.* | wc -l)" -eq 4 ] || fail 'it was not started twice on two ranks'
kill -0 $bystander || fail 'the bystander was killed'

case='wrong on any machine'
: >out
"$launch" -- "$MPIEXEC" -n 2 "$worker" >out 2>err &
launcher=$!
ends_with 2
says 1 'ended with status 2$'

# A command's own --checkpoint and --restart.
case='words'
cat >words.sh <<'END'
echo "$*"
[ $# -lt 3 ] && exit 4
mkdir -p kept && : >kept/generation-000001.manifest
[ -e again ] && exit 0
: >again
exit 4
END
sh "$launch" --times 1 -- sh words.sh --restart 'an old' --checkpoint kept >out 2>err ||
    fail "it ended with $?"
printf '%s\n' '--restart an old --checkpoint kept' '--restart kept --checkpoint kept' |
    cmp -s - out || fail 'other words'
rm -rf kept again
sh "$launch" --checkpoint kept -- sh words.sh one >out 2>err || fail "it ended with $?"
printf '%s\n' 'one --checkpoint kept' 'one --checkpoint kept --restart kept' |
    cmp -s - out || fail 'other words'

case='words of srun'
sh "$launch" --times 0 -- sh -c 'echo "srun: error: h1: task 3: Killed" >&2; exit 137' >out 2>err
[ $? -eq 137 ] || fail 'another status than 137'
says 1 '^launch: rank 3 on h1: Killed; it was started 1 times$'

# What a loss of hosts is told by, by words in place of mpirun's, at the first of two starts.
# The second keeps the file of hosts that it is given as "second"; hosts that are asked for
# leftovers after it are in "asked".
cat >lost.sh <<'END'
if [ -e begun ]; then
    cp "$OMPI_MCA_orte_default_hostfile" second
    : >asked
    exit 9
fi
: >begun
for host in $1; do
    case $host in
    abort) echo 'MPI_ABORT was invoked on rank 2 in communicator MPI_COMM_WORLD with errorcode 9.' ;;
    *)
        echo 'ORTE has lost communication with a remote daemon.'
        echo "  HNP daemon   : [[1,0],0] on node h0"
        echo "  Remote daemon: [[1,0],1] on node $host"
        ;;
    esac
done >&2
[ $# -gt 1 ] || exit 9
# The last line is cut off, and has its end, if any, from a process that is not the job's.
printf '  Remote daemon: [[1,0],2] on node %s' "$2" >&2
env -u DEPLOY_LAUNCH_JOB sh -c ': >cut; sleep 1; [ -z "$0" ] || echo "$0" >&2' "${3:-}" &
until [ -e cut ]; do sleep 0.1; done
sleep 0.3
exit 9
END
cat >agent.sh <<'END'
echo "$1" >>asked
echo 0
END
# loses HOSTS FILE-OF-HOSTS WORD...: under the launcher, with a list and a file of hosts, all
# of which answer but n3.
cat >starter.sh <<'END'
[ "$1" != n3 ]
END
loses() {
    rm -f begun cut second asked
    list=$1
    echo "$2" | tr ',' '\n' >hostfile
    shift 2
    OMPI_MCA_orte_default_hostfile=$folder/hostfile PRTE_MCA_prte_default_hostfile='' \
        OMPI_MCA_plm_rsh_agent=${starter:-none-such : sh starter.sh} \
        sh "$launch" --times 1 --hosts "$list" --agent 'sh agent.sh' -- \
        sh lost.sh "$@" >out 2>err
    [ $? -eq 9 ] || fail 'another status than 9'
}
# left FILE WORDS: the lines of a file, with commas between them.
left() { [ "$(paste -sd, "$1")" = "$2" ] || fail "$1 has '$(paste -sd, "$1")', and not '$2'"; }
again='started again (1 of 1) from the beginning$'

case='a host that is told of late'
loses n17,n1.7,n1.7,n12 'n17 slots=2,n1.7 slots=2,n12' 'abort n1.7'
says 2 "^launch: host n1.7 was lost; $again"
left second 'n17 slots=2,n12'
left asked 'n17,n12'

case='two hosts'
loses n1,n7,n12 'n1,n7 slots=2,n12:2,n120:2' 'n7 n12 n7'
says 2 "^launch: hosts n12,n7 were lost; $again"
left second 'n1,n120:2'
left asked n1

case='a host that does not answer'
loses n1,n3,n7 'n1,n3,n7 slots=2' n7
says 2 "^launch: host n7 was lost; host n3 does not answer; $again"
left second n1
left asked n1

case='a host that does not answer, and none was lost'
loses n1,n3 'n1,n3' abort
grep -q 'does not answer' err && fail 'it was asked'
left second 'n1,n3'

case='nothing to ask hosts with'
starter=none-such
loses n1,n3,n7 'n1,n3,n7' n7
says 2 "^launch: host n7 was lost; $again"
left second 'n1,n3'
starter=''

case='names that mpirun cuts'
loses me@n7.there,n70.there,7.7.7.7 'n7.there:2,you@n7.there slots=2,n70.there,7.7.7.7' n7
says 2 "^launch: host n7 was lost; $again"
left second 'n70.there,7.7.7.7'
left asked 'n70.there,7.7.7.7'

case='a line without its end'
loses n1,n12 'n1,n12' '' n1
says 2 "^launch: the job has ended with status 9; $again"
left second 'n1,n12'
left asked 'n1,n12'

case='a line whose end comes later'
loses n1,n12 'n1,n12' '' n1 2
says 2 "^launch: host n12 was lost; $again"
left second n1
left asked n1

case='a host of no file'
loses n7,n1 'n1,n70' n7
says 2 "^launch: host n7 was lost; n7 is not left out: no file of hosts in the environment has it; $again"
left second 'n1,n70'
left asked n1

case='options'
for words in '' '--times' '--times x -- true' '--none -- true' '--times 3'; do
    : >out
    # shellcheck disable=SC2086
    sh "$launch" $words >out 2>err
    [ $? -eq 2 ] || fail "'$words' is not refused"
    says 1 .
done
[ $failed -eq 0 ] && echo 'launch: all is as it should be'
exit $failed
