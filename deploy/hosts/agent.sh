#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What mpirun starts its daemons with on the hosts of run.sh, in place of ssh: as there, the
# words behind the host are one line for a shell.
# Usage: agent.sh HOST WORD...   (HOSTS_SET names the set of hosts)
set -eu

host=$1
shift
exec "$(dirname "$0")/enter.sh" "$host" sh -c "$*"
