#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Arrays of every format in archives, read by a short reader and by SciPy where it is.
. "$(dirname "$0")/lib.sh"

python=
for wanted in numpy,scipy.sparse numpy; do
    for candidate in python3 /usr/bin/python3; do
        [ -n "$python" ] || ! "$candidate" -c "import $wanted" 2>/dev/null || python=$candidate
    done
done
[ -n "$python" ] || { echo "skipped: no python3 with numpy"; exit 77; }

"$python" "$here/npz_formats.py" "$PROGRAM" "$folder" \
    "$here/../../docs/examples/python_read_npz.py"
