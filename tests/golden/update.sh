#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Print the kernels of list.txt anew into kernels/, for their diff to be reviewed.
# Usage: update.sh COMMAND [FOLDER]
set -eu

command=$1
here=$(cd "$(dirname "$0")" && pwd)
folder=${2:-$here/kernels}

mkdir -p "$folder"
rm -f "$folder"/*.c "$folder"/*.cl "$folder"/*.cu
grep -v '^#' "$here/list.txt" | while read -r name words; do
    case $words in
    *opencl*) vector= end=cl ;;
    *cuda*) vector= end=cu ;;
    *) vector='--vector 64' end=c ;;
    esac
    set -f
    # shellcheck disable=SC2086 # words are words
    "$command" emit $words $vector --rows 1000000 --cols 1000000 >"$folder/$name.$end"
    set +f
done
