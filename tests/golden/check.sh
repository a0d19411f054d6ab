#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fail if a kernel is printed otherwise than tests/golden/kernels has it, or if a format
# of the catalogue has no kernel there. update.sh prints them anew.
# Usage: check.sh COMMAND CATALOGUE
set -eu

command=$1
catalogue=$2
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

for name in $(sed -n 's/^#\([a-z0-9-]*\).*= .*/\1/p' "$catalogue"); do
    grep -q "^spmv-$name  *spmv --format $name\(<.*>\)\?\$" "$here/list.txt" || {
        echo "golden: no kernel of $name in list.txt"
        failed=1
    }
done
sh "$here/update.sh" "$command" "$folder"
diff -ru "$here/kernels" "$folder" || {
    echo "golden: kernels are printed otherwise; tests/golden/update.sh COMMAND, and review"
    failed=1
}
[ "$(find "$folder" -name '*.c' | wc -l)" -ge 30 ] || { echo "golden: too few"; failed=1; }
exit $failed
