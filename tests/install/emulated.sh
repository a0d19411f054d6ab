#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What was built here runs on other processors, emulated: without AVX-512, without AVX, and
# without anything beyond the first of its kind. They share a folder of kernels with each
# other and with this processor, and the result has the same bits on all.
# emulated.sh CAIRN [FOLDER]: the command, and the folder in which Python finds the module.
set -eu
cairn=$1 package=${2:-}
command -v qemu-x86_64 >/dev/null || { echo "skipped: no qemu-x86_64 (package qemu-user)"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "skipped: this is no x86-64"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export XDG_CACHE_HOME="$folder/cache" CAIRN_KERNELS=compiled
own='#encoding<{ idx_map<(d0,d1)->(d0/7,d1-d0,d0%7)>, mutation<merge(0), trim(1,1)> }>'

fail() {
    echo "$1"
    [ ! -e out ] || cat out
    exit 1
}

# on PROCESSOR COMMAND...
on() {
    processor=$1
    shift
    case $processor in
    here) "$@" ;;
    *) qemu-x86_64 -cpu "$processor" "$@" ;;
    esac
}

# multiply PROCESSOR FORMAT: y is right, and has the bits that it had before.
multiply() {
    rm -f y
    on "$1" "$cairn" run spmv grid.mtx --format "$2" --x ramp --verify --out y > out 2>&1 ||
        fail "$1, $2: failed"
    grep -q '^verified' out || fail "$1, $2: not verified"
    key=$(printf %s "$2" | cksum | tr -d ' ')
    [ -e "y.$key" ] || cp y "y.$key"
    cmp -s y "y.$key" || fail "$1, $2: y has other bits than before"
}

kernels() {
    find "$XDG_CACHE_HOME" -name 'cairn_*' -type f | wc -l
}

all="here Haswell Nehalem qemu64"
"$cairn" generate stencil5 --nx 60 --ny 60 -o grid.mtx > out

# Kernels that came along: nothing can be compiled, and nothing is in the folder.
for processor in $all; do
    for format in csr 'bdia<64>' ell; do
        CAIRN_CC="$folder/none" multiply "$processor" "$format"
    done
done
[ "$(kernels)" = 0 ] || fail "kernels in the folder, without a compiler"

# Kernels that are compiled, by a compiler that runs on this processor, whatever the
# program runs on; each processor adds its own to the folder.
before=0
for processor in $all; do
    multiply "$processor" "$own"
    now=$(kernels)
    [ "$now" -gt "$before" ] || fail "$processor: took another processor's kernels"
    before=$now
done

# Kernels of the folder, where there is no compiler.
mkdir bin
for processor in $all; do
    emulator=$(command -v qemu-x86_64)
    ln -sf "$emulator" bin/qemu-x86_64
    for tool in grep cksum tr cp cmp rm find wc cat; do ln -sf "$(command -v $tool)" bin/; done
    PATH=$folder/bin multiply "$processor" "$own"
done
[ "$(kernels)" = "$before" ] || fail "kernels were compiled again"

# The module for Python, in the same way.
[ -n "$package" ] || exit 0
python=$(command -v python3) || exit 0
"$python" -c 'import numpy' 2>/dev/null || exit 0
cat > module.py <<'END'
import sys
import numpy as np
import cairn

rng = np.random.default_rng(7)
dense = np.where(rng.random((200, 200)) < 0.05, rng.random((200, 200)), 0.0)
x = rng.random(200)
for spec in ("auto", "csr", "bdia<64>", sys.argv[1]):
    A = cairn.tensor(dense, spec)
    assert np.allclose(A @ x, dense @ x) and np.allclose(A.T @ x, dense.T @ x), spec
END
for processor in $all; do
    PYTHONPATH=$package on "$processor" "$python" -W error module.py "$own" > out 2>&1 ||
        fail "$processor: the module failed"
done
