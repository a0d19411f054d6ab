#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Lose one of the hosts of run.sh, as when its power fails: its link is down before its
# processes are killed, so that nobody is told, and what would reach it by agent.sh from now
# on gets no answer.
# Usage: lose.sh HOST   (HOSTS_SET names the set of hosts; not the first, which runs the job)
set -eu

host=$1
touch "/run/$HOSTS_SET/lost-$host"
ip -n "$HOSTS_SET-switch" link set "v${host#h}" down
ip netns pids "$HOSTS_SET-$host" | xargs -r kill -9 ||
    [ -z "$(ip netns pids "$HOSTS_SET-$host")" ] # one had ended by itself
