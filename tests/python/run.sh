#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run one file of tests, or say what is missing and end as a skipped test does.
# run.sh PYTHON FILE [ARGUMENT...]; by LAUNCH="mpiexec -n 2" on several ranks
set -eu
command -v "$1" >/dev/null || { echo "skipped: no Python here"; exit 77; }
for module in numpy scipy; do
    "$1" -c "import $module" 2>/dev/null || { echo "skipped: no $module here"; exit 77; }
done
python=$1
shift
# shellcheck disable=SC2086 # words
exec ${LAUNCH:-} "$python" -W error "$@"
