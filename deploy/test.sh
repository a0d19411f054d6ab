#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Set up, build and test. Usage: deploy/test.sh [PRESET [build]] (dev, release, asan, tsan,
# fuzz, slow: what dev leaves out, or asan-slow: what asan leaves out; dev). With the word
# `build` nothing is tested; a tree that another run builds is waited for. With
# CAIRN_TEST_DATA=FOLDER the tests that need large or real files run too;
# CAIRN_FUZZ_SECONDS=N is how long each fuzzer searches, CAIRN_FUZZ_SEED=N where it begins
# (elsewhere every time). CAIRN_CASES=N has `slow` run random tests alone, each with N cases
# from each of the seeds CAIRN_SEEDS="1 2 3"; those that CAIRN_PROGRAMS=REGEX names.
set -eu

cd "$(dirname "$0")/.."
preset=${1:-dev}
case $preset in
slow) build=dev ;;
*) build=${preset%-slow} ;;
esac
data=
if [ -n "${CAIRN_TEST_DATA:-}" ]; then
    data=$(cd "$CAIRN_TEST_DATA" && pwd)
fi
seconds=${CAIRN_FUZZ_SECONDS:-60} seed=${CAIRN_FUZZ_SEED:-0}
tests=$preset programs=
if [ "$preset" = slow ] && [ -n "${CAIRN_CASES:-}" ]; then
    tests=cases programs=${CAIRN_PROGRAMS:-} CASES=$CAIRN_CASES SEEDS=${CAIRN_SEEDS:-1 2 3}
    export CASES SEEDS
fi
# The command refuses CAIRN_* variables that it does not know.
unset CAIRN_TEST_DATA CAIRN_FUZZ_SECONDS CAIRN_FUZZ_SEED CAIRN_CASES CAIRN_SEEDS \
    CAIRN_PROGRAMS

# Kernels that tests compile without the library's cache serve the other tests of this run.
if [ -z "${TEST_KERNELS:-}" ]; then
    TEST_KERNELS=$(mktemp -d)
    export TEST_KERNELS
    trap 'rm -rf "$TEST_KERNELS"' EXIT
fi

case $preset in
slow) deploy/setup.sh slow ;;
*) deploy/setup.sh tests ;;
esac
# Builds beside another run leave what that one may be fetching alone.
if [ ! -e build/nvrtc ] || [ "${2:-}" != build ]; then deploy/nvrtc.sh; fi
. deploy/mpi-env.sh

mkdir -p build
(
    # Two at work in one tree would spoil it. What a compiler leaves running keeps no lock.
    flock -n 9 || {
        echo "test.sh: build/$build is being built by another run: waiting"
        flock 9
    }
    cmake --preset "$build" -DCAIRN_TEST_DATA="$data" -DCAIRN_FUZZ_SECONDS="$seconds" \
        -DCAIRN_FUZZ_SEED="$seed" -DCAIRN_TEST_CACHE="$PWD/build/cache" 9>&-
    # A shell becomes what it runs last, and would let go of the lock with its descriptor.
    cmake --build --preset "$build" 9>&- || exit
) 9>"build/$build.lock"
[ "${2:-}" != build ] || exit 0
# Some tests wait rather than work, so there is one more than cores; fuzzers all work.
jobs=$(nproc)
[ "$preset" = fuzz ] || jobs=$((jobs + 1))
ctest --preset "$tests" --parallel "$jobs" --no-tests=error \
    ${programs:+--tests-regex "$programs"}
