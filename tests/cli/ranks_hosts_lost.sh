# SPDX-License-Identifier: BSD-3-Clause
# Two of three hosts are lost at the same moment while their ranks iterate. Open MPI 4.1 names
# one of them; the other does not answer when the hosts are asked, and the job goes on from its
# checkpoint on the host that is left, to the bits of a job that was not disturbed.
. "$(dirname "$0")/lib.sh"
. "$here/lose_hosts.sh"

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

need_hosts
lose_hosts 48 h1 h2
# Where mpirun has named both nobody is asked.
complains '^launch: host.* h1.*started again (1 of 2) from kept'
complains '^launch: host.* h2.*started again (1 of 2) from kept\|^launch: hosts h1,h2 were lost.*started again (1 of 2) from kept'

finish
