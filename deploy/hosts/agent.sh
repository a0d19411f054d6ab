#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What mpirun starts its daemons with on the hosts of run.sh, in place of ssh: as there, the
# words behind the host are one line for a shell. Of a host that is lost (lose.sh) it learns
# as little as ssh does: a command that was running seems to go on, a new one fails after
# some time.
# Usage: agent.sh HOST WORD...   (HOSTS_SET names the set of hosts)
set -u

host=$1
lost=/run/$HOSTS_SET/lost-$host
shift
if [ -e "$lost" ]; then
    sleep 3
    echo "agent.sh: $host: no route to host" >&2
    exit 255
fi
"$(dirname "$0")/enter.sh" "$host" sh -c "$*"
status=$?
while [ -e "$lost" ]; do
    sleep 1
done
exit $status
