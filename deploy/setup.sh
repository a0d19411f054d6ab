#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Install from Debian what building and testing Cairn needs and this machine lacks.
# Says nothing and changes nothing when all of it is there.
set -eu

packages="gcc libc6-dev cmake ninja-build pkg-config zlib1g-dev libpng-dev
libjansson-dev libhwloc-dev libopenmpi-dev openmpi-bin libcriterion-dev
clang libclang-rt-14-dev libomp-14-dev groff-base python3
opencl-headers ocl-icd-libopencl1 pocl-opencl-icd"

fail() {
    echo "setup: $1" >&2
    exit 1
}

# The packages of the list that are not installed.
missing() {
    for package in $packages; do
        state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
        [ "$state" = installed ] || printf '%s ' "$package"
    done
}

command -v dpkg-query >/dev/null || fail "this is no Debian; it needs what these packages hold: $(echo $packages)"

lacking=$(missing)
[ -n "$lacking" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null; then
    as_root=sudo
else
    fail "not root, and no sudo here; let somebody who may install: $lacking"
fi

# sudo passes no variables on: env sets them on its far side.
apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" </dev/null
}

echo "setup: installing $lacking"
apt update || fail "the package lists could not be fetched (is the network there?)"
# shellcheck disable=SC2086 # one word a package
apt install -y --no-install-recommends $lacking >/dev/null ||
    fail "apt-get could not install: $lacking"

lacking=$(missing)
[ -z "$lacking" ] || fail "still missing: $lacking"
