#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Try the scripts where nothing is installed: make the smallest Debian or Ubuntu in a
# folder, put the last commit into it, and run the demonstration and the tests there, as
# root.
# Usage: deploy/try-in-fresh-root.sh [RELEASE [COMMAND...]]   (COMMAND in place of both
# scripts; RELEASE is bookworm unless named: bookworm, trixie, noble, or what debootstrap
# knows)
# Needs root, debootstrap and some 5 GB of disk; removes the folder at the end.
# CAIRN_TEST_DATA=FOLDER and CAIRN_PACKAGES=FOLDER, if set, are copied along, to /src/data
# and /src/packages.
set -eu

cd "$(dirname "$0")/.."
fail() {
    echo "try-in-fresh-root: $1" >&2
    exit 1
}

[ "$(id -u)" = 0 ] || fail "needs root"
command -v debootstrap >/dev/null || fail "needs debootstrap"
release=${1:-bookworm}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- sh -c 'deploy/demo.sh && deploy/test.sh'

# Ubuntu is made by one script for all releases, which a debootstrap that is older than a
# release does not have under its name; and Criterion is in universe there.
scripts=/usr/share/debootstrap/scripts
from= components=main
case $release in
noble)
    from="http://archive.ubuntu.com/ubuntu $scripts/gutsy" components=main,universe
    [ -e /usr/share/keyrings/ubuntu-archive-keyring.gpg ] ||
        echo "try-in-fresh-root: no keys of Ubuntu's here: its archive is taken on trust" >&2
    ;;
*) [ -e "$scripts/$release" ] || fail "debootstrap knows no release $release" ;;
esac

root=$(mktemp -d)
chmod 755 "$root" # apt downloads as a user of its own
trap 'rm -rf --one-file-system "$root"' EXIT
# shellcheck disable=SC2086 # mirror and script, or nothing
debootstrap --variant=minbase --include=ca-certificates --components=$components \
    "$release" "$root" $from >"$root/debootstrap.log" ||
    fail "no $release to be had: $(tail -n 1 "$root/debootstrap.log")"

# The network as this machine reaches it: names, proxies.
cp /etc/resolv.conf /etc/hosts "$root/etc/"
apt-config dump | grep '^Acquire::\(http\|https\|Check-\)' >"$root/etc/apt/apt.conf.d/90host" || true

mkdir -p "$root/src/cairn" "$root/src/data" "$root/src/packages"
git archive HEAD | tar -x -C "$root/src/cairn"
if [ -n "${CAIRN_TEST_DATA:-}" ]; then cp -r "$CAIRN_TEST_DATA/." "$root/src/data/"; fi

if [ -n "${CAIRN_PACKAGES:-}" ]; then cp -r "$CAIRN_PACKAGES/." "$root/src/packages/"; fi

# A mount namespace of its own, so that no mount survives, whatever happens inside; and a
# root that is a mount itself, without which hosts as network namespaces cannot be entered.
root=$root unshare --mount --propagation private sh -eu -c '
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount -t sysfs -o ro sysfs "$root/sys"
    mount --rbind /dev "$root/dev"
    exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        CAIRN_TEST_DATA=/src/data sh -c "cd /src/cairn && exec \"\$@\"" sh "$@"' sh "$@"
