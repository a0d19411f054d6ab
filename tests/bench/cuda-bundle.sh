#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Put together what cuda.sh needs on a machine that has a card and nothing else of ours:
# the command, the program of the timings, the libraries that they need beside them, and
# three small matrices. Made for machines of this architecture with this system's C library or
# a later one.
# Usage: cuda-bundle.sh [DIR] [--build DIR] [--data DIR]
#   DIR      where it goes (default: build/cuda-bundle)
#   --build  folder of the build (default: build/cuda-release; configured where it is new)
#   --data   folder with matrices/ (default: that of the build)
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
bundle=$root/build/cuda-bundle
build=$root/build/cuda-release
data=
most=45 # MB

fail() {
    echo "cuda-bundle: $*" >&2
    exit 1
}

while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift ;;
    --data) data=$2; shift ;;
    -*) fail "unknown option $1" ;;
    *) bundle=$1 ;;
    esac
    shift
done

# Libraries that every system has, or that belong to the card's.
is_system() {
    case $1 in
    libc.so* | libm.so* | libdl.so* | libpthread.so* | librt.so* | ld-linux*) true ;;
    libstdc++.so* | libgcc_s.so* | libcuda.so* | linux-vdso* | libresolv.so*) true ;;
    *) false ;;
    esac
}

# `--disable-new-dtags`: libraries of libraries are looked for there, too.
if [ ! -f "$build/build.ninja" ]; then
    cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCAIRN_WITH_MPI=OFF \
        -DCMAKE_BUILD_RPATH='$ORIGIN/../lib' \
        -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags ${data:+-DCAIRN_TEST_DATA="$data"}
fi
ninja -C "$build" cairn_cli bench_cuda

rm -rf "$bundle"
mkdir -p "$bundle/bin" "$bundle/lib" "$bundle/matrices"
for program in bin/cairn bench/bench_cuda; do
    strip -o "$bundle/bin/${program##*/}" "$build/$program"
    ldd "$build/$program" | awk '$2 == "=>" { print $1, $3 }' |
        while read -r name path; do
            is_system "$name" || cp -L "$path" "$bundle/lib/$name"
        done
done
cp "$root/tests/bench/cuda.sh" "$bundle"
git -C "$root" describe --always --dirty >"$bundle/commit" 2>/dev/null || echo unknown >"$bundle/commit"
data=${data:-$(sed -n 's/^CAIRN_TEST_DATA:[A-Z]*=//p' "$build/CMakeCache.txt")}
for matrix in wiki-Vote email-Eu-core p2p-Gnutella31; do
    [ ! -f "$data/matrices/$matrix.mtx.gz" ] || cp "$data/matrices/$matrix.mtx.gz" "$bundle/matrices"
done

# Nothing but the system's is found anywhere else, and it begins in an empty environment.
for program in cairn bench_cuda; do
    env -i ldd "$bundle/bin/$program" | awk '$2 == "=>" { print $1, $3 }' |
        while read -r name path; do
            is_system "$name" && continue
            case $path in
            "$bundle"/*) ;;
            *) fail "$program takes $name from $path" ;;
            esac
        done
done
env -i "$bundle/bin/cairn" --version >/dev/null || fail "cairn does not begin"
size=$(du -sm "$bundle" | cut -f 1)
[ "$size" -le "$most" ] || fail "it has $size MB, and may have $most"
echo "$bundle: $size MB, commit $(cat "$bundle/commit")"
