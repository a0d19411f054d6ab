#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Archives of arrays, with numpy as the other side: what it writes is read, what is written
# it reads, and what is damaged or of another kind is refused.
. "$(dirname "$0")/lib.sh"

python=
for candidate in python3 /usr/bin/python3; do
    "$candidate" -c 'import numpy' 2>/dev/null && python=$candidate && break
done
[ -n "$python" ] || { echo "skipped: no python3 with numpy"; exit 77; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" "$(dirname "$0")/npz.py" "$PROGRAM" "$folder"
