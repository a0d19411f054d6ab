#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Make packages of this source tree. Usage: deploy/package.sh deb|wheel [FOLDER]
# FOLDER (build/packages) gets the files: libcairn0, libcairn-dev, cairn, python3-cairn
# and, where PETSc's headers are, cairn-petsc as .deb; or the wheel for Python.
# PACKAGE_SETTINGS='-DNAME=VALUE ...', if set, are further settings of CMake's for .debs.
set -eu

cd "$(dirname "$0")/.."
source=$PWD
fail() {
    echo "package: $1" >&2
    exit 1
}

kind=${1:-}
mkdir -p "${2:-build/packages}"
to=$(cd "${2:-build/packages}" && pwd)

# The files of the source tree, as a package of sources has them.
list_files() {
    git ls-files 2>/dev/null || find . -type f -not -path './.git/*' -not -path './build/*' -not -path './.cache/*'
}

# Debian's own builder, on a copy of the sources with the recipe where it is looked for.
# The folder's name is the same each time: compilers' caches find their way.
make_debs() {
    for tool in dpkg-buildpackage dh; do
        command -v $tool >/dev/null || fail "needs $tool (of the packages dpkg-dev and debhelper)"
    done
    version=$(sed -n 's/^project(cairn VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
    work=$source/build/deb
    copy=$work/cairn-$version
    rm -rf "$work"
    mkdir -p "$copy"
    list_files | tar -c -T - | tar -x -C "$copy"
    tar -c --sort=name --owner=0 --group=0 -C "$work" -z -f "$work/cairn_$version.orig.tar.gz" "cairn-$version"
    cp -R "$source/deploy/debian" "$copy/debian"
    grep -q "^cairn ($version-" "$copy/debian/changelog" ||
        fail "deploy/debian/changelog is of another version than CMakeLists.txt, $version"
    profiles=
    pkg-config --exists PETSc || profiles=-Ppkg.cairn.nopetsc
    # shellcheck disable=SC2086 # one word or none
    (cd "$copy" && dpkg-buildpackage -us -uc -b $profiles)
    cp "$work"/*.deb "$work"/*.changes "$work"/*.buildinfo "$to"
    rm -rf "$work"
}

case $kind in
deb) make_debs ;;
wheel) python3 -m pip wheel --no-deps --no-index -w "$to" . ;;
*) fail "deb or wheel?" ;;
esac
