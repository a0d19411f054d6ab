#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What most tables of docs/performance.md are made of (not those of simulated devices and of
# single changes), from one commit, in one run, on the machine at hand.
# Usage: tests/bench/all.sh OUT [SECTION...]   (all sections, in their order, unless named)
# What a section prints goes to OUT/SECTION.txt, or .json; OUT/machine.txt says where and
# when. page.py makes the page's tables of them.
# BUILD names the folder of the build (build/bench unless set: Release, CAIRN_BENCH=ON),
# BENCH_MKL MKL's libmkl_rt.so, CAIRN_TEST_DATA the folder that has matrices/ (that of the
# build unless set).
# About an hour where nothing else is done; half of that with QUICK=1.
set -eu

cd "$(dirname "$0")/../.."
[ $# -ge 1 ] || {
    echo "usage: tests/bench/all.sh OUT [SECTION...]" >&2
    exit 2
}
out=$1 bench=${BUILD:-build/bench}/bench
shift
[ $# -gt 0 ] || set -- door spmv spmm convert read auto queries rewrites ranks halo ksp nodes first graph company
mkdir -p "$out"
if [ -n "${QUICK:-}" ]; then rounds=3 quick=--quick; else rounds=7 quick=; fi
data=${CAIRN_TEST_DATA:-}
[ -n "$data" ] || [ ! -e "$bench/../CMakeCache.txt" ] \
    || data=$(sed -n 's/^CAIRN_TEST_DATA:[A-Z]*=//p' "$bench/../CMakeCache.txt")
matrices=${data:+$data/matrices}
# The library takes a variable of its name that it does not know for a mistake.
unset CAIRN_TEST_DATA

{
    git describe --always --dirty
    date -u '+%Y-%m-%d %H:%M UTC'
    lscpu | grep -E '^(Model name|CPU\(s\)|L1d|L2|L3)'
    grep -E '^(MemTotal|HugePages_Total)' /proc/meminfo
    cat /sys/kernel/mm/transparent_hugepage/enabled
    cc --version | head -n 1
    echo "load before: $(cut -d' ' -f1-3 /proc/loadavg)"
} >"$out/machine.txt"

# Of the matrices those of some thousand entries and more.
large() {
    find "$matrices" -name '*.mtx*' -size +20k | sort
}

run() {
    case $1 in
    door) "$bench/bench_compare" --table door $quick ${data:+--data "$data"} ;;
    spmv | spmm | convert)
        "$bench/bench_compare" --section "$1" --rounds $rounds --json ${data:+--data "$data"}
        ;;
    read) "$bench/bench_read" --rounds $rounds --json ;;
    auto)
        [ -n "$matrices" ] || return 0
        # shellcheck disable=SC2046 # one file a word
        "$bench/bench_auto" --regret --rounds $rounds $(large)
        ;;
    queries) "$bench/bench_queries" --rows 20000 --rounds $rounds ;;
    rewrites) "$bench/bench_rewrites" --rounds $rounds ;;
    ranks) mpirun -n 2 --bind-to core "$bench/bench_ranks" --rounds $rounds ;;
    halo) mpirun -n 2 --bind-to core "$bench/bench_halo" ;;
    ksp)
        [ -x "$bench/bench_ksp" ] || return 0 # PETSc was not found
        sh tests/bench/ksp.sh "${BUILD:-build/bench}" "$matrices"
        ;;
    nodes) sh tests/bench/nodes.sh "${BUILD:-build/bench}" "$matrices" ;;
    first | graph | company) "$bench/bench_$1" ;;
    *)
        echo "all.sh: there is no section $1" >&2
        exit 2
        ;;
    esac
}

failed=0
for section in "$@"; do
    echo "$section: from $(date '+%H:%M:%S'), load $(cut -d' ' -f1 /proc/loadavg)"
    case $section in
    spmv | spmm | convert | read) kind=json ;;
    *) kind=txt ;;
    esac
    run "$section" >"$out/$section.$kind" 2>"$out/$section.log" || {
        status=$? failed=1
        mv "$out/$section.$kind" "$out/$section.failed" # no table is made of it
        echo "$section: status $status: $(tail -n 1 "$out/$section.log")"
    }
done
exit $failed
