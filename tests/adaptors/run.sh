#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compile programs in C++ or Fortran over the library's headers, as users do, and run them.
# Where a compiler or another library is missing that is said, and the test skipped.
#   run.sh eigen|fortran LIBRARY SOURCE [FLAGS]
#   run.sh tpetra LIBRARY SOURCE FLAGS 'HEADERS' 'LAUNCHER ...' (up to the number of ranks)
set -eu
kind=$1 library=$(dirname "$2") source=$3 flags=${4:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export LD_LIBRARY_PATH="$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
skip() { echo "skipped: $1"; exit 77; }

# compile NAME WORDS...
compile() {
    name=$1
    shift
    # shellcheck disable=SC2086 # flags are words
    "$@" -o "$work/$name" -L"$library" -lcairn $libraries || { echo "FAILED: $*"; exit 1; }
}

# build NAME WORDS...: compile a program and run it.
build() {
    compile "$@"
    "$work/$name" || { echo "FAILED: $name"; exit 1; }
}

libraries=
case $kind in
tpetra)
    command -v mpicxx >/dev/null || skip "no C++ compiler for MPI"
    headers=${5:-}
    [ -f "$headers/Tpetra_CrsMatrix.hpp" ] || skip "no Tpetra"
    [ -f "$headers/BelosTpetraAdapter.hpp" ] || skip "no Belos"
    for one in tpetra belos kokkoscore teuchoscore teuchoscomm teuchosnumerics teuchosparameterlist; do
        libraries="$libraries -ltrilinos_$one"
    done
    # shellcheck disable=SC2086 # flags are words
    for program in tests/adaptors/tpetra docs/examples/tpetra_cg; do
        compile "$(basename $program)" mpicxx -DOMPI_SKIP_MPICXX -std=c++17 -O0 -Wall -Wextra -Werror $flags \
            -I"$source/include" -isystem "$headers" "$source/$program.cpp"
        for ranks in 1 2 3; do
            $6 $ranks "$work/$(basename $program)" || { echo "FAILED: $program on $ranks ranks"; exit 1; }
        done
    done
    ;;
eigen)
    command -v c++ >/dev/null || skip "no C++ compiler"
    eigen=$(pkg-config --cflags eigen3 2>/dev/null) || skip "no Eigen"
    # shellcheck disable=SC2086 # flags are words
    for program in tests/adaptors/eigen docs/examples/eigen_cg; do
        build "$(basename $program)" c++ -std=c++17 -O0 -Wall -Wextra -Werror $flags \
            -I"$source/include" $eigen "$source/$program.cpp"
    done
    ;;
fortran)
    command -v gfortran >/dev/null || skip "no gfortran"
    # shellcheck disable=SC2086
    for program in tests/adaptors/fortran docs/examples/fortran_cg; do
        build "$(basename $program)" gfortran -std=f2018 -ffree-line-length-none -Wall -Wextra -Werror $flags \
            -J"$work" "$source/include/cairn/cairn.f90" "$source/$program.f90"
    done
    ;;
esac
