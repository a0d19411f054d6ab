#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Try the scripts where nothing is installed: make the smallest Debian in a folder, put
# the last commit into it, and run the demonstration and the tests there, as root.
# Usage: deploy/try-in-fresh-root.sh [COMMAND...]   (in place of both scripts)
# Needs root, debootstrap and some 2 GB of disk; removes the folder at the end.
# CAIRN_TEST_DATA=FOLDER, if set, is copied along.
set -eu

cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "try-in-fresh-root: needs root" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "try-in-fresh-root: needs debootstrap" >&2; exit 1; }
[ $# -gt 0 ] || set -- sh -c 'deploy/demo.sh && deploy/test.sh'

root=$(mktemp -d)
chmod 755 "$root" # apt downloads as a user of its own
trap 'rm -rf --one-file-system "$root"' EXIT
debootstrap --variant=minbase --include=ca-certificates bookworm "$root" >/dev/null

# The network as this machine reaches it: names, proxies.
cp /etc/resolv.conf /etc/hosts "$root/etc/"
apt-config dump | grep '^Acquire::\(http\|https\|Check-\)' >"$root/etc/apt/apt.conf.d/90host" || true

mkdir -p "$root/src/cairn" "$root/src/data"
git archive HEAD | tar -x -C "$root/src/cairn"
if [ -n "${CAIRN_TEST_DATA:-}" ]; then cp -r "$CAIRN_TEST_DATA/." "$root/src/data/"; fi

# A mount namespace of its own, so that no mount survives, whatever happens inside.
root=$root unshare --mount --propagation private sh -eu -c '
    mount -t proc proc "$root/proc"
    mount -t sysfs -o ro sysfs "$root/sys"
    mount --rbind /dev "$root/dev"
    exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        CAIRN_TEST_DATA=/src/data sh -c "cd /src/cairn && exec \"\$@\"" sh "$@"' sh "$@"
