#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fail unless every struct of the public headers begins with `size_t size`, has an
# initialiser macro of its name in capitals, and stands in tests/unit/test_api_sizes.c; and
# where a flag is an int ("Not 0:"). What is not between a program and a library of another
# version is listed here.
# Usage: check_sizes.sh [FOLDER] (default: this tree)
set -eu

cd "${1:-$(dirname "$0")/..}"
awk -v test=tests/unit/test_api_sizes.c '
BEGIN {
    allow["cairn_kernel_level"]   # as kernels see it: it stays as it is
    allow["cairn_kernel_part"]    # its size has 64 bits for every compiler
    allow["cairn_auto_candidate"] # of an array in cairn_auto_info: it stays as it is
    allow["cairn_whatif_seconds"] # of the last field of cairn_whatif: it stays as it is
    allow["cairn_device_seconds"] # of a field of cairn_plan_part: it stays as it is
    allow["cairn_halo_ways"]      # likewise of cairn_plan_info
    allow["cairn_solve_operator"] # two words: they stay as they are,
    allow["cairn_solve_vector"]   # and so do elements of arrays in cairn_solve_state
    allow["cairn_solve_scalar"]
    allow["cairn_simulator_message"] # messages and segments have a version
    allow["cairn_simulator_part"]
    allow["cairn_simulator_segment"]
    while ((getline line < test) > 0) tested = tested " " line
}
function fail(what) {
    printf "%s:%d: %s\n", FILENAME, FNR, what
    failures++
}
/^typedef struct [a-z_]+ \{/ {
    name = $3
    structs++
    if (getline <= 0) next
    if (name in allow) { allow[name] = 1; next }
    if (!/^ *size_t +size;/) fail(name " does not begin with its size")
    sized[name] = FILENAME
    if (!match(tested, "[^a-z_]" name "[^a-z_]")) fail(name " is not in " test)
}
/^#define +CAIRN_/ { macro[$2] = 1 }
/\/\/\/.*Not 0:/ { fail("a flag is a bool") }
END {
    for (name in sized)
        if (!(toupper(name) in macro)) {
            printf "%s: %s has no initialiser %s\n", sized[name], name, toupper(name)
            failures++
        }
    if (structs == 0) { print "check_sizes: no struct found: nothing was checked"; exit 1 }
    printf "check_sizes: %d structs, %d wrong\n", structs, failures
    exit failures > 0
}' include/cairn/*.h
