#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Harwell-Boeing files that the command writes, read by a script and by SciPy where it is.
. "$(dirname "$0")/lib.sh"

python=python3
for candidate in python3 /usr/bin/python3; do
    "$candidate" -c 'import scipy.io' 2>/dev/null && python=$candidate && break
done
"$python" -c 'import struct' 2>/dev/null || skip "no python3"
"$python" "$(dirname "$0")/hb_file.py" "$PROGRAM" "$folder" "${MPIEXEC:-}"
