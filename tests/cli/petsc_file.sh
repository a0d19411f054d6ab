#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Binary files of PETSc, made and read by a script that knows what is in them and no more.
. "$(dirname "$0")/lib.sh"

python3 -c 'import struct' 2>/dev/null || skip "no python3"
python3 "$(dirname "$0")/petsc_file.py" "$PROGRAM" "$folder" "${MPIEXEC:-}"
