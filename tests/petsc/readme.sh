#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the README says of PETSc is run as it stands there, with a program that knows PETSc
# alone: products are a copy's.  readme.sh README PLUGIN PROGRAM
set -eu
readme=$1 plugin=$2 program=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

awk '/^## /{ at = $0 == "## From PETSc" } /^```$/{ inside = 0 } at && inside; at && /^```sh$/{ inside = 1 }' \
    "$readme" >block
grep -q '^\./program' block || { echo "no program is run under '## From PETSc'"; exit 1; }
grep -q 'PREFIX/lib/libcairnpetsc.so' block || { echo "no plug-in is loaded there"; exit 1; }
sed -i "s|PREFIX/lib/libcairnpetsc.so|$plugin|" block
# A clock decides between the copy and AIJ. The copy's product takes a third of AIJ's on one
# thread; on two each waits for the other, which other work on the machine may keep from its
# core in every turn of the two. One thread is seldom taken from its core in all of them.
cat >program <<END
#!/bin/sh
CAIRN_THREADS=1 exec "$program" -n 129 -rows jacobi -mat_cairn_expected 100000 "\$@"
END
chmod +x program
products=0
for _ in 1 2 3 4 5; do
    sh -e block >out 2>&1 || { cat out; exit 1; }
    products=$(awk '$1 == "CairnMult" { print $2 }' out)
    [ "${products:-0}" -le 100 ] || exit 0
done
cat out
echo "${products:-no} products by a copy"
exit 1
