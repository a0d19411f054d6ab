#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Debian's packages are installed where nothing is, tried as their own tests say, removed
# and purged: nothing is left. Changes the system that it runs in: for a fresh root alone
# (deploy/try-in-fresh-root.sh).  packages.sh FOLDER
set -eu
cd "$(dirname "$0")/../.."
packages=$(cd "$1" && pwd)
# The command refuses CAIRN_* variables that it does not know.
unset CAIRN_TEST_DATA
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_CACHE_HOME="$folder/cache"

apt() {
    apt-get -qq -o Dpkg::Use-Pty=0 "$@" </dev/null >>"$folder/log" 2>&1 ||
        { tail -n 20 "$folder/log"; exit 1; }
}

# What is there, but for what packages' tools write about their own work.
list() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /src \
        -o -path /run -o -path '/etc/*-' \
        -o -path /var/lib/apt -o -path /var/lib/dpkg -o -path /var/cache -o -path /var/log \) \
        -prune -o -print | sort >"$1"
    dpkg-query -W -f '${Package} ${db:Status-Status}\n' >>"$1"
}

# What the tests use beside the packages comes first, and stays.
apt update
apt install --no-install-recommends gcc libc6-dev make cmake pkgconf python3-scipy
list "$folder/before"

apt install --no-install-recommends "$packages"/*.deb
names=$(for deb in "$packages"/*.deb; do dpkg-deb -f "$deb" Package; done | tr '\n' ' ')
for test in command library python; do
    "deploy/debian/tests/$test" >"$folder/out" 2>&1 || { cat "$folder/out"; exit 1; }
done
for file in man/man1/cairn.1.gz man/man7/cairn-formats.7.gz bash-completion/completions/cairn \
    zsh/vendor-completions/_cairn fish/vendor_completions.d/cairn.fish; do
    [ -s "/usr/share/$file" ] || { echo "/usr/share/$file is missing"; exit 1; }
done
# What a plug-in needs is installed with it.
for plugin in /usr/lib/*/cairn/libcairnpetsc.so; do
    [ ! -e "$plugin" ] || python3 -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$plugin"
done

# shellcheck disable=SC2086 # words
apt remove $names
apt autoremove
apt purge '~c' # what these and the packages that came with them left
# shellcheck disable=SC2086 # words
if dpkg-query -W $names >"$folder/out" 2>/dev/null; then cat "$folder/out"; exit 1; fi
list "$folder/after"
diff "$folder/before" "$folder/after" >"$folder/left" || { echo "left, or lost:"; cat "$folder/left"; exit 1; }
echo "installed, tried, removed, purged: nothing is left of $names"
