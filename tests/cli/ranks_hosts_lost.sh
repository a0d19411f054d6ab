# SPDX-License-Identifier: BSD-3-Clause
# Two of three hosts are lost at the same moment while their ranks iterate. Open MPI 4.1 names
# one of them; the other does not answer when the hosts are asked, and the job goes on from its
# checkpoint on the host that is left, to the bits of a job that was not disturbed.
. "$(dirname "$0")/lib.sh"
deploy=$here/../../deploy

# Without a host that is lost none is asked, and one that is not reached is left alone.
cat >fake <<'END_OF_SCRIPT'
#!/bin/sh
echo asked >>asked
exit 1
END_OF_SCRIPT
chmod +x fake
echo elsewhere >hostfile
export OMPI_MCA_orte_default_hostfile=hostfile OMPI_MCA_plm_rsh_agent=$PWD/fake
run_as 1 "$deploy/launch" --times 0 -- sh -c 'echo of no host >&2; exit 1'
[ ! -e asked ] || fail "hosts were asked though none was lost"
run_as 1 "$deploy/launch" --times 1 --reach 5 -- \
    sh -c 'cat "$OMPI_MCA_orte_default_hostfile" >>left; echo unable to reliably start >&2; exit 1'
complains 'host elsewhere does not answer; started again (1 of 1)'
[ "$(cat asked)" = asked ] || fail "a host was asked again that had been left out"
[ "$(cat left)" = elsewhere ] || fail "the second start still had the host"
run_as 2 "$deploy/launch" --reach soon -- true
complains 'launch: --reach soon: is no number of seconds'

unset OMPI_MCA_orte_default_hostfile OMPI_MCA_plm_rsh_agent

"$deploy/hosts/run.sh" -n 1 true 2>err
if [ $? = 77 ]; then
    cat err
    [ $failures = 0 ] || finish
    exit 77
fi

"$program" generate stencil7 --nx 48 --ny 48 --nz 48 -o cube.mtx >out
expect 0 solve cg cube.mtx --reproducible --tol 1e-10 --out whole.mtx

# On the first host: begin, lose the others as soon as there is a checkpoint, wait.
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
"$deploy/hosts/lose.sh" h1 &
"$deploy/hosts/lose.sh" h2
date +%s >lost
wait $job
END_OF_SCRIPT
run_as 0 timeout 500 "$deploy/hosts/run.sh" sh lost.sh "$program" "$deploy"
# Where mpirun has named both nobody is asked.
complains '^launch: host.* h1.*started again (1 of 2) from kept'
complains '^launch: host.* h2.*started again (1 of 2) from kept\|^launch: hosts h1,h2 were lost.*started again (1 of 2) from kept'
[ "$(grep -c '^launch:' err)" = 1 ] || fail "it was started more than once again"
[ $(($(date +%s) - $(cat lost))) -le 300 ] || fail "it took more than five minutes"
same whole.mtx x.mtx

finish
