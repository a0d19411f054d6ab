#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Files between PETSc and the command: PETSc loads what the command wrote and has the same
# entries, and the command reads what PETSc wrote, on different numbers of ranks.
#   files.sh 'LAUNCHER...' CAIRN PROGRAM
set -eu
launcher=$1 cairn=$2 program=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# say WORDS...: run, and show what was said if it fails.
say() { "$@" >said 2>&1 || { echo "FAILED: $*"; cat said; exit 1; }; }
same() { cmp "$1" "$2" || { echo "$1 and $2 differ, $3"; exit 1; }; }

"$cairn" generate mixed --n 300 --degree 5 -o square.mtx >said
"$cairn" generate pruned --rows 131 --cols 71 --density 0.07 -o wide.mtx >said
# written MATRIX N M: by N ranks, loaded and written again by PETSc on M.
written() {
    rm -f theirs.petsc*
    # shellcheck disable=SC2086 # the launcher is words
    say $launcher $2 "$cairn" convert $1.mtx --to csr -o ours.petsc
    # shellcheck disable=SC2086
    say $launcher $3 "$program" ours.petsc theirs.mtx theirs.petsc
    same $1.mtx theirs.mtx "$1 written on $2 ranks, loaded on $3"
    same ours.petsc theirs.petsc "$1 written on $2 ranks, by PETSc on $3"
}

# read_back MATRIX OPTIONS...: what PETSc writes so, read on two ranks.
read_back() {
    rm -f theirs.petsc*
    matrix=$1
    shift
    say "$program" ours.petsc theirs.mtx theirs.petsc "$@"
    # shellcheck disable=SC2086
    say $launcher 2 "$cairn" convert theirs.petsc --to coo -o back.mtx
    for file in theirs back; do # dense matrices have no zeros that are stored
        awk -v all="$*" 'NR > 2 && (all != "-dense" || $3 != 0)' $file.mtx >$file.entries
    done
    same theirs.entries back.entries "$matrix $*"
}

written square 1 2
written square 3 1
read_back square -dense
# A block is stored with its zeros, and printed so.
read_back square -mat_type baij -matload_block_size 10
written wide 2 1
read_back wide -vector

# The options of what was there before do not become this matrix's.
echo '-matload_block_size 10' >ours.petsc.info
say "$cairn" convert wide.mtx --to csr -o ours.petsc
say "$program" ours.petsc theirs.mtx theirs.petsc -mat_type baij
same wide.mtx theirs.mtx "over a file with a block size"
echo ok
