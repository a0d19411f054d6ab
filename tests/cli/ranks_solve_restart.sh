# SPDX-License-Identifier: BSD-3-Clause
# cairn solve, whose jobs end half-way and go on from checkpoints, on other ranks.
# ranks_solve_restart.sh [DEATHS]: so many jobs are killed, 4 unless it is given.
. "$(dirname "$0")/lib.sh"
deaths=${1:-4}
launch=$here/../../deploy/launch

# same_tail WHOLE REST: from its first iteration on REST has WHOLE's residuals, bit for bit.
same_tail() {
    for side in "$1" "$2"; do
        sed 's/.*"history": \[//; s/\].*//' "$side" | tr -s ', ' '\n' >"$side.history"
    done
    first=$(sed 's/.*"first": \([0-9]*\).*/\1/' "$2")
    [ "$first" -gt 0 ] || fail "it did not go on from a checkpoint"
    tail -n "+$((first + 1))" "$1.history" | cmp -s - "$2.history" || fail "other residuals"
}

expect 0 generate stencil5 --nx 60 --ny 50 -o g.mtx
for method in cg pipelined-cg bicgstab gmres:7 chebyshev; do
    set -- solve $method g.mtx --reproducible --precondition block-jacobi:16 --tol 1e-10
    expect 0 "$@" --out whole.mtx --json whole.json
    rm -rf kept
    run_as 1 "$program" "$@" --checkpoint kept --every 5 --max-iterations 23
    complains "the residual is .*; go on with --restart kept\$"
    says '^kept  *[1-9][0-9]* checkpoints\{0,1\} in kept'
    on 3 0 "$@" --checkpoint kept --every 5 --restart kept --out x.mtx --json x.json
    same whole.mtx x.mtx
    same_tail whole.json x.json
done
[ "$(ls kept | grep -c manifest)" = 2 ] || fail "there are not two generations"

# Another format goes on as well: other bits, the same solution.
rm -rf kept
run_as 1 "$program" solve cg g.mtx --checkpoint kept --max-iterations 30
on 2 0 solve cg g.mtx --format 'bdia<64>' --restart kept --json x.json
has x.json '"first": 30'

# What is not this system's: refused in one line, on all ranks.
other() {
    words=$1
    shift
    on 2 2 solve "$@" --restart kept
    has err "$words"
}
expect 0 generate stencil5 --nx 50 --ny 60 -o other.mtx
other 'is of another matrix' cg other.mtx
other 'is of the method cg with none, and not bicgstab with none' bicgstab g.mtx
other 'is of the method cg with none, and not cg with jacobi' cg g.mtx --precondition jacobi
printf '%%%%MatrixMarket matrix array real general\n3000 1\n' >rhs.mtx
awk 'BEGIN { for (k = 0; k < 3000; k++) print k % 7 }' >>rhs.mtx
other 'restart: kept: it is of another right-hand side' cg g.mtx --rhs rhs.mtx
expect 1 solve cg g.mtx --restart nowhere
expect 2 solve cg g.mtx --every 5
expect 2 solve cg g.mtx --checkpoint kept --every 5x
expect 2 solve cg g.mtx --checkpoint kept --every 0

# A share that is cut or has a bit turned: the older generation is used, and it is said.
rm -rf kept
run_as 1 "$program" solve cg g.mtx --checkpoint kept --every 10 --max-iterations 45 --json x.json
newest=$(ls kept | sed -n 's/\(.*\)\.manifest$/\1/p' | tail -n 1)
cp -r kept flipped
truncate -s -1 "kept/$newest.share-0"
printf '\377' | dd of="flipped/$newest.share-0" bs=1 seek=4000 conv=notrunc 2>err
for folder_of in kept flipped; do
    run_as 0 "$program" solve cg g.mtx --restart $folder_of --json x.json
    has err "$newest.share-0"
    first=$(sed 's/.*"first": \([0-9]*\).*/\1/' x.json)
    [ "$first" -ge 10 ] && [ "$first" -lt 45 ] || fail "it began with iteration $first"
done

# A batch system's signal: a last checkpoint, and status 1.
expect 0 generate stencil7 --nx 35 --ny 35 --nz 35 -o cube.mtx
set -- solve cg cube.mtx --reproducible --tol 0
for signal in TERM USR1 auto; do
    rm -rf kept
    begin="$*"
    if [ $signal = auto ]; then # at once, while another format is stored beside it
        signal=TERM
        begin='solve cg cube.mtx --tol 0 --format auto'
    fi
    # shellcheck disable=SC2086 # many words
    "$program" $begin --max-iterations 1000000000 --checkpoint kept >out 2>err </dev/null &
    last="solve, ended by SIG$signal"
    for turn in $(seq 200); do
        grep -q SigCgt "/proc/$!/status" && [ -d kept ] && break
        sleep 0.05
    done
    kill -$signal $!
    wait $!
    [ $? = 1 ] || fail "not status 1"
    complains 'stopped after [0-9]* iterations\{0,1\}: .*; go on with --restart kept$'
    run_as 1 "$program" "$@" --max-iterations 1 --restart kept --json x.json
    [ "$(sed 's/.*"first": \([0-9]*\).*/\1/' x.json)" -gt 0 ] || fail "nothing was kept"
done

# goes_on WORDS...: from what is kept to the answer of a job that was not disturbed, some
# iterations further on.
goes_on() {
    run_as 1 "$program" "$@" --max-iterations 0 --restart kept --json x.json
    most=$(($(sed 's/.*"first": \([0-9]*\).*/\1/' x.json) + 30))
    run_as 1 "$program" "$@" --max-iterations $most --out whole.mtx
    run_as 1 "$MPIEXEC" -n 2 "$program" "$@" --max-iterations $most --checkpoint kept \
        --restart kept --out x.mtx
    same whole.mtx x.mtx
}

# Ranks that die at any moment: the undisturbed answer, on other numbers of ranks each. The
# rank that dies, each in turn, waits for a new generation, or one more, and for a moment of
# its own; it says that it was there to be killed.
wait_and_die='
    for generation in $(seq "$0"); do
        had=$(ls kept/*.manifest 2>&1 | tail -n 1)
        while kill -0 $1 && [ "$(ls kept/*.manifest 2>&1 | tail -n 1)" = "$had" ]; do
            sleep 0.01
        done
    done
    kill -9 $1 && echo "$0" >>died'
rm -rf kept
ranks=2
for death in $(seq "$deaths"); do
    ranks=$((ranks % 3 + 1))
    victim=$((death / 3 % ranks))
    restart=
    ls kept/*.manifest >out 2>err && restart='--restart kept'
    # shellcheck disable=SC2086 # two words, or none
    timeout 250 "$MPIEXEC" -n $ranks sh -c '
        if [ "${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:?}}}" = "$2" ]; then
            timeout 240 sh -c "$1" "$0" $$ >/dev/null 2>&1 &
        fi
        shift 2
        exec "$@"' $((death % 2 + 1)) "$wait_and_die" $victim "$program" "$@" \
        --max-iterations 1500 --checkpoint kept --every 10 $restart >out 2>err </dev/null
done
last="jobs that die"
[ "$(wc -l <died)" = "$deaths" ] || fail "$(wc -l <died) of $deaths were killed"
goes_on "$@"

# A rank that is stopped, not killed: the other one names it, ends in bounded time, and what
# was kept is there.
rm -rf kept
timeout 240 "$MPIEXEC" -n 2 sh -c '
    echo $$ >"pid.${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:?}}}"
    exec "$@"' sh "$program" "$@" --max-iterations 1000000000 --checkpoint kept --every 10 \
    --give-up 8 >out 2>err </dev/null &
launcher=$!
last="a rank that is stopped"
for turn in $(seq 1200); do
    ls kept/*.manifest >list 2>&1 && break
    sleep 0.1
done
kill -STOP "$(cat pid.1)" || fail "it was not there to be stopped"
stopped=$(date +%s)
wait $launcher
status=$?
[ $status = 1 ] || fail "status $status, not 1"
[ $(($(date +%s) - stopped)) -le 120 ] || fail "it took more than two minutes"
complains '^cairn: MPI: given up after 8 s: rank 1 has not come to: [a-z]'
kill -KILL "$(cat pid.1)" 2>/dev/null
goes_on "$@"

# The same by the launcher, which starts the job again.
set -- solve cg cube.mtx --reproducible --tol 1e-11
expect 0 "$@" --out whole.mtx
rm -rf kept x.mtx
printf 'once\n' >armed
run_as 0 "$launch" --checkpoint kept -- "$MPIEXEC" -n 2 sh -c '
    if [ "${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:?}}}" = 1 ] && rm armed 2>/dev/null; then
        timeout 240 sh -c "$0" 1 $$ >/dev/null 2>&1 &
    fi
    exec "$@"' "$wait_and_die" "$program" "$@" --every 5 --out x.mtx
has err 'launch: rank 1'
same whole.mtx x.mtx

finish
