#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Recipes of other package managers, which cannot be run here, name options, folders and
# scripts that this project has.  recipes.sh SOURCE BUILD
set -eu
source=$1 build=$2
wrong=0
wrong() {
    echo "$1"
    wrong=1
}

for option in $(grep -oh '\bCAIRN_[A-Z_]*' "$source/deploy/spack/package.py" \
    "$source/deploy/debian/rules" | sort -u); do
    grep -q "^$option:" "$build/CMakeCache.txt" || wrong "$option is no option of CMake's here"
done
for path in $(grep -oh '\(deploy\|python\|tests\)/[A-Za-z_./]*[a-z]' "$source/deploy/spack/package.py" \
    "$source/deploy/Containerfile" "$source/deploy/cairn.def" | sort -u); do
    [ -e "$source/$path" ] || wrong "$path is named and is not there"
done
if command -v python3 >/dev/null; then
    python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$source/deploy/spack/package.py" ||
        wrong "deploy/spack/package.py is no Python"
fi
# Versions that are written in more than one place.
version=$(sed -n 's/^project(cairn VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
grep -q "^cairn ($version-" "$source/deploy/debian/changelog" || wrong "deploy/debian/changelog is of another version"
major=${version%%.*}
grep -q "^Package: libcairn$major\$" "$source/deploy/debian/control" || wrong "deploy/debian/control: the soname is of version $major"
exit $wrong
