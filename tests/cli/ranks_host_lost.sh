# SPDX-License-Identifier: BSD-3-Clause
# A whole host is lost while its ranks iterate: link and processes, without a word. It is
# told in bounded time, and the job goes on from its checkpoint on the hosts that are left,
# to the bits of a job that was not disturbed.
. "$(dirname "$0")/lib.sh"
. "$here/lose_hosts.sh"

need_hosts
lose_hosts 64 h1
# Where mpirun has not heard of the loss yet, what is left of the job is killed.
complains '^launch: host h1 was lost; \([0-9]* processes were left, and are killed; \)\{0,1\}started again (1 of 2) from kept'

finish
