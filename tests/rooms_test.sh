#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hold cairn_room() of deploy/cmake/CairnRooms.cmake to the folders of a room: all that
# have sources are listed, or the build is refused.
set -eu

rooms=$(cd "$(dirname "$0")/.." && pwd)/deploy/cmake/CairnRooms.cmake
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/src/room/low" "$tree/src/room/tables" "$tree/src/room/notes"
echo 'int cairn_a;' >"$tree/src/room/a.c"
echo 'int cairn_b;' >"$tree/src/room/low/b.c"
echo 'int main(void) { return 0; }' >"$tree/src/room/tables/program.c"
echo 'No source.' >"$tree/src/room/notes/README.md"
cat >"$tree/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.18)
project(rooms C)
include($rooms)
cairn_room(room DIR src/room FOLDERS low)
EOF

# configure: CMake's exit status, what it says in $tree/out.
configure() {
    cmake -S "$tree" -B "$tree/build" >"$tree/out" 2>&1
}
configure || { echo "refused, but all folders are listed"; cat "$tree/out"; exit 1; }
mkdir "$tree/src/room/new"
echo 'int cairn_c;' >"$tree/src/room/new/c.c"
! configure || { echo "passed, but new/c.c would be left out"; exit 1; }
tr '\n' ' ' <"$tree/out" | tr -s ' ' | grep -q 'src/room/new/c.c would not be compiled: new is not among the FOLDERS of room room' ||
    { echo "refused, but in other words"; cat "$tree/out"; exit 1; }
sed -i 's/FOLDERS low/FOLDERS low new/' "$tree/CMakeLists.txt"
configure || { echo "refused, but the new folder is listed"; cat "$tree/out"; exit 1; }
