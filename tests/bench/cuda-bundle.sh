#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Put together what cuda.sh needs on a machine that has a card and nothing else of ours:
# the program of the timings, the libraries that it needs beside it, and three small matrices.
# Made for machines of this architecture with this system's C library or a later one. The
# library stands in the program, with the kernels that come with it, and no second time.
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
ninja -C "$build" bench_cuda

program=bench/bench_cuda
rm -rf "$bundle"
mkdir -p "$bundle/bin" "$bundle/lib" "$bundle/matrices"
strip -o "$bundle/bin/bench_cuda" "$build/$program"
ldd "$build/$program" | awk '$2 == "=>" { print $1, $3 }' |
    while read -r name path; do
        is_system "$name" || cp -L "$path" "$bundle/lib/$name"
    done
cp "$root/tests/bench/cuda.sh" "$root/tests/bench/cuda-targets.awk" "$bundle"
git -C "$root" describe --always --dirty >"$bundle/commit" 2>/dev/null || echo unknown >"$bundle/commit"
data=${data:-$(sed -n 's/^CAIRN_TEST_DATA:[A-Z]*=//p' "$build/CMakeCache.txt")}
for matrix in wiki-Vote email-Eu-core p2p-Gnutella31; do
    [ ! -f "$data/matrices/$matrix.mtx.gz" ] || cp "$data/matrices/$matrix.mtx.gz" "$bundle/matrices"
done

# Nothing but the system's is found anywhere else, and it begins in an empty environment:
# without a card, too, it can say what is wrong.
env -i ldd "$bundle/bin/bench_cuda" | awk '$2 == "=>" { print $1, $3 }' |
    while read -r name path; do
        is_system "$name" && continue
        case $path in
        "$bundle"/*) ;;
        *) fail "bench_cuda takes $name from $path" ;;
        esac
    done
env -i "$bundle/bin/bench_cuda" doctor >/dev/null || fail "bench_cuda does not begin"
size=$(du -sm "$bundle" | cut -f 1)
[ "$size" -le "$most" ] || fail "it has $size MB, and may have $most"
echo "$bundle: $size MB, commit $(cat "$bundle/commit")"
