#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fail when clang-format would change a C file. Only version 14 is asked, since others
# lay the same settings out differently; without it the check says so and passes.
set -eu

cd "$(dirname "$0")/.."
format=$(command -v clang-format-14 || command -v clang-format || true)
if [ -z "$format" ] || ! "$format" --version | grep -q 'version 14\.'; then
    echo "check_format: no clang-format 14 here: not checked"
    exit 0
fi
{ git ls-files '*.c' '*.h' 2>/dev/null || find include src devices comm sched tests docs -name '*.[ch]'; } | grep -vE '^tests/golden/(kernels|conversions)/' |
    xargs "$format" --dry-run --Werror --ferror-limit=5
