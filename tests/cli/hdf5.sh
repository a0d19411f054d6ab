#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Archives of arrays in HDF5 files, with h5py as the other side, and sparse matrices as
# MATLAB and PETSc have them there: read, written, refused.
. "$(dirname "$0")/lib.sh"

python=
for candidate in python3 /usr/bin/python3; do
    "$candidate" -c 'import h5py' 2>/dev/null && python=$candidate && break
done
[ -n "$python" ] || { echo "skipped: no python3 with h5py"; exit 77; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0
"$python" "$(dirname "$0")/hdf5.py" "$PROGRAM" "$folder" || status=$?
[ $status != 77 ] || echo "skipped: the command was built without HDF5, or its library is not here"
exit $status
