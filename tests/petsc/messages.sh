#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the plug-in says and how it fails: its product in -log_view, -mat_cairn_view, an
# option that is wrong, too little memory, and a PETSc that it was not built for.
#   messages.sh PLUGIN SOURCE SOLVE TYPES 'COMPILER...' 'FLAGS...'
set -eu
plugin=$1 source=$2 solve=$3 types=$4 compiler=$5 flags=$6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
load="-dll_append $plugin -mat_type aijcairn"

fail() {
    echo "told: $1"
    cat "$work/out"
    exit 1
}

# run OPTIONS PROGRAM ARGUMENT...: what it prints is in the file; its status is kept.
run() {
    options=$1
    shift
    status=0
    PETSC_OPTIONS=$options "$@" >"$work/out" 2>&1 || status=$?
}

# The product that runs is ours, and each is an event.
run "$load -mat_cairn_format csr -log_view" "$solve" -rows jacobi
[ $status = 0 ] || fail "the solver failed"
awk '$1 == "MatMult" { all = $2 } $1 == "CairnMult" { ours = $2 } $1 == "CairnConvert" { copies = $2 }
     END { exit !(all > 10 && ours >= 0.9 * all && copies == 1) }' "$work/out" ||
    fail "-log_view does not show our products"

# A copy that cannot pay is not made, and AIJ's products are counted as AIJ's.
run "$load -mat_cairn_expected 1 -log_view -mat_cairn_view" "$solve" -rows jacobi
awk '$1 == "CairnConvert" || $1 == "CairnMult" { ours += $2 } $1 == "CairnAIJMult" { theirs = $2 }
     END { exit !(ours == 0 && theirs > 10) }' "$work/out" ||
    fail "a copy was made for one product"
grep -q "would not pay" "$work/out" || fail "-mat_cairn_view does not say that it would not pay"

run "$load -mat_cairn_format csr -mat_cairn_view" "$solve" -rows jacobi
grep -q "AIJ has [1-9][0-9]* bytes, the copy [1-9]" "$work/out" || fail "-mat_cairn_view has no bytes"

# Options without a prefix hold for a matrix that has one, too; its own come first.
for format in "csr" "bdia<64>"; do
    own=
    [ "$format" = csr ] || own="-own_mat_cairn_format $format"
    run "-dll_append $plugin -own_mat_type aijcairn -mat_cairn_format csr -mat_cairn_view $own" \
        "$solve" -prefix own_ -rows jacobi
    grep -q "^cairn: .*: $format\$" "$work/out" || fail "a matrix with a prefix is not stored in $format"
done

# Each option is in -help once, and with a matrix's prefix once more.
run "-dll_append $plugin -own_mat_type aijcairn -mat_cairn_format csr -help" "$solve" -prefix own_ -rows jacobi
for option in format place expected ranks strict view; do
    for prefix in "" own_; do
        [ "$(grep -c "^ *-${prefix}mat_cairn_$option[ :]" "$work/out")" = 1 ] ||
            fail "-help has -${prefix}mat_cairn_$option not once"
    done
done

# A block preconditioner gives the matrix its own prefix before the first product.
run "$load -mat_cairn_format bdia<64> -mat_cairn_view" "$solve" -rows ilu
grep -q "^cairn: .*: bdia<64>\$" "$work/out" || fail "the matrix's options were lost to -pc_type bjacobi"

# Wrong on any machine: an error of PETSc's that says what is wrong (62: wrong argument).
run "$load -mat_cairn_format nonesuch" "$types" -refused
[ $status = 0 ] && grep -q "ended with 62" "$work/out" || fail "no format is called nonesuch"

# Too little memory: AIJ goes on; an error where that was asked for (55: memory).
CAIRN_MEMORY=4096
export CAIRN_MEMORY
run "$load -mat_cairn_format csr -info" "$types" -refused
[ $status = 0 ] && grep -q "ended with 0" "$work/out" && grep -q "AIJ's product goes on" "$work/out" ||
    fail "AIJ's product did not go on without memory"
run "$load -mat_cairn_format csr -mat_cairn_strict" "$types" -refused
[ $status = 0 ] && grep -q "ended with 55" "$work/out" || fail "-mat_cairn_strict went on without memory"
unset CAIRN_MEMORY

# Another minor version, and indices of another width: refused in one line when loaded.
for other in version width; do
    mkdir "$work/$other"
    define=
    if [ $other = version ]; then
        for folder in $(printf '%s\n' $flags | sed -n 's/^-I//p'); do
            [ ! -f "$folder/petscversion.h" ] ||
                sed 's/\(define PETSC_VERSION_MINOR *\).*/\1 7/' "$folder/petscversion.h" >"$work/$other/petscversion.h"
        done
        [ -s "$work/$other/petscversion.h" ] || fail "petscversion.h was not found"
        says="built for PETSc 3.7 .* cannot serve PETSc"
    else
        define=-DPETSC_USE_64BIT_INDICES=1
        says="indices of 64 bits, and cannot serve .* indices of 32 bits"
    fi
    # shellcheck disable=SC2086 # words
    $compiler -shared -fPIC -fvisibility=hidden -w $define -I"$work/$other" -I"$source/include" $flags \
        "$source"/petsc/*.c -o "$work/$other/libcairnpetsc.so"
    run "-dll_append $work/$other/libcairnpetsc.so" "$types" -refused
    [ $status != 0 ] && [ "$(grep -c "$says" "$work/out")" = 1 ] || fail "another $other was not refused"
done
