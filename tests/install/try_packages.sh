#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Build the packages, and try them in a fresh root of this release of Debian; skipped where
# one of these cannot be done.  try_packages.sh SOURCE FOLDER
set -eu
source=$1 folder=$2
skip() {
    echo "skipped: $1"
    exit 77
}
[ "$(id -u)" = 0 ] || skip "needs root"
for tool in debootstrap dpkg-buildpackage dh dpkg-checkbuilddeps; do
    command -v $tool >/dev/null || skip "no $tool here"
done
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
[ -e "/usr/share/debootstrap/scripts/$release" ] || skip "debootstrap knows no '$release'"
dpkg-checkbuilddeps "$source/deploy/debian/control" || skip "what the packages are built with is not here"

rm -rf "$folder"
"$source/deploy/package.sh" deb "$folder"
if command -v lintian >/dev/null; then
    lintian --fail-on error --suppress-tags initial-upload-closes-no-bugs "$folder"/*.changes
fi
# They run on other processors: unpacked here, where an emulator is.
if command -v qemu-x86_64 >/dev/null; then
    root=$(mktemp -d)
    trap 'rm -rf "$root"' EXIT
    for deb in "$folder"/libcairn0_*.deb "$folder"/cairn_*.deb "$folder"/python3-cairn_*.deb; do
        dpkg-deb -x "$deb" "$root"
    done
    LD_LIBRARY_PATH=$(dirname "$root"/usr/lib/*/libcairn.so.0) \
        sh "$source/tests/install/emulated.sh" "$root/usr/bin/cairn" "$root/usr/lib/python3/dist-packages"
fi

CAIRN_PACKAGES=$folder "$source/deploy/try-in-fresh-root.sh" "$release" \
    tests/install/packages.sh /src/packages
