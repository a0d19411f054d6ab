#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run a command on one of the hosts of run.sh.
# Usage: enter.sh HOST COMMAND [ARGUMENT...]   (HOSTS_SET names the set of hosts)
set -eu

host=$1
shift
# shellcheck disable=SC2016 # expanded there
exec ip netns exec "$HOSTS_SET-$host" unshare --uts --ipc --mount sh -c \
    'hostname "$0" && mount -t tmpfs tmpfs /dev/shm && exec "$@"' "$host" "$@"
