#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Set up, build and test. Usage: deploy/test.sh [PRESET] (dev, release or asan; dev)
# With CAIRN_TEST_DATA=FOLDER the tests that need large or real files run too.
set -eu

cd "$(dirname "$0")/.."
preset=${1:-dev}
data=
if [ -n "${CAIRN_TEST_DATA:-}" ]; then
    data=$(cd "$CAIRN_TEST_DATA" && pwd)
fi
# The command refuses CAIRN_* variables that it does not know.
unset CAIRN_TEST_DATA

deploy/setup.sh
. deploy/mpi-env.sh

cmake --preset "$preset" -DCAIRN_TEST_DATA="$data"
cmake --build --preset "$preset"
ctest --preset "$preset" --parallel "$(nproc)" --no-tests=error
