# SPDX-License-Identifier: BSD-3-Clause
# To be sourced after lib.sh: hosts that are lost, link and processes, without a word.
deploy=$here/../../deploy

# need_hosts: pretended hosts can be made here, or this script is skipped; what has failed
# before is told instead.
need_hosts() {
    "$deploy/hosts/run.sh" -n 1 true 2>err
    [ $? = 77 ] || return 0
    cat err
    [ "$failures" = 0 ] || finish
    exit 77
}

# lose_hosts SIDE HOST...: solve a system of a cube of SIDE points on three hosts, and lose
# those of `h1 h2` that are named, at the same moment, as soon as there is a checkpoint. What
# the launcher said is in `err`; the job was started again once, in bounded time, and came to
# the bits of one that was not disturbed.
lose_hosts() {
    "$program" generate stencil7 --nx "$1" --ny "$1" --nz "$1" -o cube.mtx >out
    shift
    expect 0 solve cg cube.mtx --reproducible --tol 1e-10 --out whole.mtx

    # On the first host: begin, lose others, wait.
    cat >lost.sh <<'END_OF_SCRIPT'
program=$1 deploy=$2
shift 2
"$deploy/launch" --times 2 --hosts h1,h2 --agent "$deploy/hosts/agent.sh" -- \
    mpirun -n 3 "$program" solve cg cube.mtx --reproducible --tol 1e-10 --threads 1 \
    --checkpoint kept --every 5 --out x.mtx &
job=$!
until ls kept/*.manifest >/dev/null 2>&1; do
    kill -0 $job || exit 99
    sleep 0.1
done
kill -0 $job || exit 98
losing=
for host; do
    "$deploy/hosts/lose.sh" "$host" &
    losing="$losing $!"
done
for pid in $losing; do wait "$pid" || exit 97; done
date +%s >lost
wait $job
END_OF_SCRIPT
    run_as 0 timeout 500 "$deploy/hosts/run.sh" sh lost.sh "$program" "$deploy" "$@"
    [ "$(grep -c '^launch:' err)" = 1 ] || fail "it was started more than once again"
    [ $(($(date +%s) - $(cat lost))) -le 300 ] || fail "it took more than five minutes"
    same whole.mtx x.mtx
}
