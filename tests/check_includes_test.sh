#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hold check_includes.sh to small trees: one that is right, and one wrong line at a
# time, each of which it must refuse for the reason given.
set -eu

check=$(cd "$(dirname "$0")" && pwd)/check_includes.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# Write line $2 into file $1 of a fresh tree.
write() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree/$(dirname "$1")"
    printf '%s\n' '#include <stdio.h>' "$2" >"$tree/$1"
}

right() {
    write "$1" "$2"
    if ! said=$("$check" "$tree" 2>&1); then
        echo "refused, but right: $1: $2: $said"
        failures=$((failures + 1))
    fi
}

wrong() {
    write "$1" "$2"
    if said=$("$check" "$tree" 2>&1); then
        echo "passed, but wrong: $1: $2"
        failures=$((failures + 1))
    elif ! echo "$said" | grep -q "^$1:2: .*$3"; then
        echo "refused for another reason than '$3': $1: $2: $said"
        failures=$((failures + 1))
    fi
}

right src/base/a.c '#include "base/env.h"'
right src/tensor/a.c '#include "format/encoding.h"'
right src/tensor/a.c '#include <cairn/status.h>'
right src/plan/a.c '#include "devices/device.h"'
right src/plan/a.c '#include "sched/engine.h"'
right comm/mpi/a.c '#include <mpi.h>'
right comm/mpi/a.c '#include "comm/mpi/state.h"'
right comm/mpi/a.c '#include "comm/comm.h"'
right src/api/a.c '#include "comm/mpi/mpi.h"'
right include/cairn/mpi.h '#include <mpi.h>'
right devices/discover.c '#include <hwloc.h>'
right devices/cpu/a.c '#  include "devices/device.h"'
right src/cli/a.c '#include "cli/arguments/verbs.h"'
right src/cli/a.c '#include <png.h>'
right src/base/options.c 'const char *v = getenv("X");'
right src/cli/ranks/launcher.c 'const char *v = getenv("X");'
right src/base/a.c '/* getenv is not for this file */'
right src/base/a.c 'int my_environ_count;'
right tests/unit/a.c '#include "src/base/env.h"'
right tests/unit/a.c '#include <criterion/criterion.h>'
right docs/examples/a.c '#include <mpi.h>'

wrong src/base/a.c '#include "format/encoding.h"' 'base is above format'
wrong src/format/a.c '#include "tensor/local.h"' 'format is above tensor'
wrong src/query/a.c '#include "convert/plan.h"' 'query is above convert'
wrong devices/a.c '#include "convert/build.h"' 'devices is above convert'
wrong devices/a.c '#include "comm/comm.h"' 'devices is above comm'
wrong comm/a.c '#include "plan/replay.h"' 'comm is above plan'
wrong sched/a.c '#include "devices/device.h"' 'sched is above devices'
wrong src/convert/a.c '#include "place/policy.h"' 'convert is above place'
wrong src/phases/a.c '#include "convert/build.h"' 'phases is above convert'
wrong src/convert/a.c '#include "rows/row_share.h"' 'convert is above rows'
wrong src/rules/a.c '#include "convert/build.h"' 'rules is above convert'
wrong src/plan/a.c '#include "auto/choose.h"' 'plan is above auto'
wrong sched/a.c '#include "cli/arguments/verbs.h"' 'no room'
wrong src/tensor/a.c '#include "nowhere/x.h"' 'no room'
wrong src/nowhere/a.c '#include "base/env.h"' 'nowhere is no room'
wrong src/cli/a.c '#include "base/env.h"' 'public headers alone'
wrong src/cli/a.c '#include "cairn/status.h"' 'public headers are'
wrong include/cairn/a.h '#include "base/env.h"' '<cairn/'
wrong include/cairn/context.h '#include <mpi.h>' 'its home'
wrong devices/cuda/a.c '#include "devices/cpu/cpu.h"' 'back end cpu'
wrong src/plan/a.c '#include "devices/cpu/cpu.h"' 'back end cpu'
wrong comm/self/a.c '#include "comm/mpi/state.h"' 'back end mpi'
wrong src/api/a.c '#include "comm/mpi/state.h"' 'back end mpi'
wrong sched/a.c '#include <hwloc.h>' 'its home'
wrong sched/a.c '#include <hwloc/bitmap.h>' 'its home'
wrong comm/a.c '#include <mpi.h>' 'its home'
wrong src/tensor/a.c '#include <jansson.h>' 'its home'
wrong src/query/a.c '#include <zlib.h>' 'its home'
wrong src/api/a.c '#include <png.h>' 'its home'
wrong src/base/a.c '#include <criterion/criterion.h>' 'its home'
wrong src/api/a.c 'return getenv("HOME") != NULL;' 'environment'
wrong src/base/env.c 'extern char **environ;' 'environment'
wrong src/plan/a.c '  #  include "auto/choose.h"' 'plan is above auto'

rm -rf "${tree:?}"/*
if "$check" "$tree" >/dev/null 2>&1; then
    echo "passed, but there was nothing to check"
    failures=$((failures + 1))
fi

echo "check_includes_test: $failures wrong answers"
[ "$failures" -eq 0 ]
