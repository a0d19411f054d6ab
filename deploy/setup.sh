#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Install from Debian what building Cairn and running it needs and this machine lacks;
# with `deploy/setup.sh tests` also what the tests need, with `deploy/setup.sh slow` also
# what the tests of that label alone do. Says nothing and changes nothing when all of it is
# there.
set -eu

# The build and the demonstration.
packages="gcc libc6-dev cmake ninja-build pkgconf zlib1g-dev libpng-dev
libjansson-dev libhwloc-dev libopenmpi-dev openmpi-bin opencl-headers"

# The tests: Criterion; clang with its sanitizers and its OpenMP, whose packages carry
# clang's own version (V) in their names; a linker that takes a third of the usual one's
# time, for hundreds of programs; readers of what the command writes; what gets
# packages from PyPI; the Python package's; Eigen; an OpenCL device; network namespaces
# as hosts; PETSc; PT-Scotch; what draws the plots of scaling studies, and what simulates
# them; other processors, emulated; HDF5, in C and in Python; ranks in Python; libraries
# that adaptors are for.
test_packages="libcriterion-dev clang libclang-rt-V-dev libomp-V-dev lld groff-base python3
python3-venv python3-pip python3-setuptools python3-wheel python3-numpy python3-scipy
libeigen3-dev gnuplot-nox ocl-icd-libopencl1 pocl-opencl-icd iproute2 libpetsc-real-dev
libptscotch-dev libsimgrid-dev qemu-user libhdf5-dev python3-h5py python3-mpi4py
libhypre-dev libsundials-dev"

# Slurm, for jobs on these hosts: its services find no settings, and do not start. Valgrind,
# over programs of PETSc. Trilinos, 85 MB.
slow_packages="slurmctld slurmd slurm-client munge valgrind libtrilinos-tpetra-dev
libtrilinos-belos-dev libtrilinos-kokkos-dev libtrilinos-kokkos-kernels-dev
libtrilinos-teuchos-dev"

fail() {
    echo "setup: $1" >&2
    exit 1
}

case "$*" in
'') ;;
tests) packages="$packages $test_packages" ;;
slow) packages="$packages $test_packages $slow_packages" ;;
*) fail "$*: what may be asked for is \`tests\`, \`slow\`, or nothing" ;;
esac

# The version of clang that `clang` stands for, installed or to be installed: "clang-19"
# is what it depends on. Nothing is printed where that is not known (yet).
clang_version() {
    {
        dpkg-query -W -f 'Depends: ${Depends}\n' clang 2>/dev/null || true
        apt-cache show --no-all-versions clang 2>/dev/null || true
    } | sed -n 's/^Depends: *\(.*, \)*clang-\([0-9][0-9]*\)\([ ,:].*\)*$/\2/p' | head -n 1
}

# The packages of the list that are not installed.
missing() {
    version=$(clang_version)
    for package in $packages; do
        case $package in
        *-V-*) package=${package%-V-*}-${version:-V}-${package##*-V-} ;;
        esac
        state=$(dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null || true)
        echo "$state" | grep -qx installed || printf '%s ' "$package"
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

apt update || fail "the package lists could not be fetched (is the network there?)"
lacking=$(missing) # which version of clang there is was perhaps not known before
case $lacking in
*-V-*) fail "the package clang does not say its version here; install the sanitizers and OpenMP that belong to it: $lacking" ;;
esac
echo "setup: installing $lacking"
# shellcheck disable=SC2086 # one word a package
apt install -y --no-install-recommends $lacking >/dev/null ||
    fail "apt-get could not install: $lacking"

lacking=$(missing)
[ -z "$lacking" ] || fail "still missing: $lacking"
