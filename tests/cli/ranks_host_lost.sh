# SPDX-License-Identifier: BSD-3-Clause
# A whole host is lost while its ranks iterate: link and processes, without a word. It is
# told in bounded time, and the job goes on from its checkpoint on the hosts that are left,
# to the bits of a job that was not disturbed.
. "$(dirname "$0")/lib.sh"
deploy=$here/../../deploy

"$deploy/hosts/run.sh" -n 1 true 2>err
if [ $? = 77 ]; then
    cat err
    exit 77
fi

"$program" generate stencil7 --nx 64 --ny 64 --nz 64 -o cube.mtx >out
expect 0 solve cg cube.mtx --reproducible --tol 1e-10 --out whole.mtx

# On the first host: begin, lose another one as soon as there is a checkpoint, wait.
cat >lost.sh <<'END_OF_SCRIPT'
program=$1 deploy=$2
"$deploy/launch" --times 2 --hosts h1,h2 --agent "$deploy/hosts/agent.sh" -- \
    mpirun -n 3 "$program" solve cg cube.mtx --reproducible --tol 1e-10 --threads 1 \
    --checkpoint kept --every 5 --out x.mtx &
job=$!
until ls kept/*.manifest >/dev/null 2>&1; do
    kill -0 $job || exit 99
    sleep 0.1
done
kill -0 $job || exit 98
"$deploy/hosts/lose.sh" h1
date +%s >lost
wait $job
END_OF_SCRIPT
run_as 0 timeout 500 "$deploy/hosts/run.sh" sh lost.sh "$program" "$deploy"
# Where mpirun has not heard of the loss yet, what is left of the job is killed.
complains '^launch: host h1 was lost; \([0-9]* processes were left, and are killed; \)\{0,1\}started again (1 of 2) from kept'
[ "$(grep -c '^launch:' err)" = 1 ] || fail "it was started more than once again"
[ $(($(date +%s) - $(cat lost))) -le 300 ] || fail "it took more than five minutes"
same whole.mtx x.mtx

finish
