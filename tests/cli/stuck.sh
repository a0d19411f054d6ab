# SPDX-License-Identifier: BSD-3-Clause
# A device whose queue never ends: it is told of, given up where that was asked for, and
# what it should have computed is computed by the processor.
. "$(dirname "$0")/lib.sh"

# A device that is given up keeps what it may still write to.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS
figure a.mtx
environment="LD_LIBRARY_PATH=$DRIVERS/stuck CAIRN_WAIT_WARN=1"

wanted=0
run_as 0 timeout 250 env $environment "$program" run spmv a.mtx --devices cpu,opencl \
    --place opencl --give-up 4 --verify --json out.json
complains '^cairn: warning: device: opencl:0: waited for 1 s: its queue has not come to its end'
complains 'device: opencl:0: its queue: waited for in vain, and given up; computed again on cpu:0'
has out.json '"ok": true'
[ "$(grep -c 'waited for [12] s' err)" -eq 2 ] || fail 'not told after 1 and 2 s'

# The variable says the same; without either it is waited for.
environment="$environment CAIRN_GIVE_UP=0.5"
run_as 0 timeout 250 env $environment "$program" run spmv a.mtx --devices cpu,opencl \
    --place opencl --verify
complains 'given up; computed again on cpu:0'
environment="LD_LIBRARY_PATH=$DRIVERS/stuck CAIRN_WAIT_WARN=0.4"
checks=$((checks + 1))
last='a queue that is waited for'
env $environment "$program" run spmv a.mtx --devices cpu,opencl --place opencl \
    >out 2>err </dev/null &
child=$!
for turn in $(seq 1200); do
    grep -q 'waited for [136].[246] s: its queue has not come to its end' err && break
    sleep 0.1
done
complains 'waited for [136].[246] s: its queue has not come to its end'
kill -KILL $child || fail 'it has ended'
wait $child

# What is no time is refused.
environment=CAIRN_GIVE_UP=soon
expect 2 info a.mtx
complains "CAIRN_GIVE_UP: 'soon' is not a value"
environment=CAIRN_WAIT_WARN=-1
expect 2 info a.mtx
environment=
expect 2 info a.mtx --give-up soon
expect 2 info a.mtx --give-up -1
complains 'less than 0 seconds'
expect 0 info a.mtx --give-up 0.5
finish
