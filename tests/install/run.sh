#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Install into a folder of its own, then use the package the two ways programs do, and
# the command from where it was put.  run.sh BUILD SOURCE GENERATOR [CFLAGS]
set -eu
build=$1 source=$2 generator=$3
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

cmake --install "$build" --prefix "$root/prefix" > "$root/log"
cmake -G "$generator" -S "$source/tests/install" -B "$root/consumer" -DCMAKE_PREFIX_PATH="$root/prefix" \
    -DCMAKE_C_FLAGS="${4:-}" >> "$root/log"
cmake --build "$root/consumer" >> "$root/log"
"$root/consumer/consumer"

pc=$(dirname "$(find "$root/prefix" -name cairn.pc)")
flags=$(PKG_CONFIG_PATH=$pc pkg-config --define-variable=prefix="$root/prefix" \
    --define-variable=libdir="$(dirname "$pc")" \
    --define-variable=includedir="$root/prefix/include" --cflags --libs cairn)
# shellcheck disable=SC2086
cc ${4:-} "$source/tests/install/consumer.c" $flags -o "$root/by_pkg_config"
LD_LIBRARY_PATH=$(dirname "$pc") "$root/by_pkg_config"

"$root/prefix/bin/cairn" --version

# With all its prebuilt kernels the library loads less than 40 MB.
library=$(find "$root/prefix" -name 'libcairn.so*' -type f)
if [ -n "$library" ] && command -v size >/dev/null; then
    bytes=$(size "$library" | awk 'NR == 2 { print $1 + $2 }')
    [ "$bytes" -lt 40000000 ] || { echo "$library: $bytes bytes of code and data"; exit 1; }
fi
