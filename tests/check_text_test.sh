#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hold check_text.sh to one file at a time: right ones, and wrong ones by each rule.
set -eu

check=$(cd "$(dirname "$0")" && pwd)/check_text.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0
spdx='// SPDX-License-Identifier: BSD-3-Clause'

# verdict EXPECTED FILE LINE...
verdict() {
    expected=$1 file=$2
    shift 2
    rm -rf "${tree:?}"/*
    mkdir -p "$tree/$(dirname "$file")"
    printf '# SPDX-License-Identifier: BSD-3-Clause\n' >"$tree/CMakeLists.txt"
    printf '%s\n' "$@" >"$tree/$file"
    if "$check" "$tree" >/dev/null 2>&1; then found=right; else found=wrong; fi
    [ "$found" = "$expected" ] && return
    echo "$file is $expected, but was found $found: $*"
    failures=$((failures + 1))
}

verdict right src/a.c "$spdx" '/// @file' '/// All there.'
verdict right README.md 'A page needs no licence line.'
verdict right deploy/a.sh '#!/bin/sh' '# SPDX-License-Identifier: BSD-3-Clause'
verdict right src/a.c "$spdx" '/// @file' '/* obsession, ${root}/work, and mastodons */'

long=$(printf '%097d' 0)
verdict right src/a.c "$spdx" '/// @file' "/// | $long |" "f($long);"
verdict wrong src/a.c "$spdx" '/// @file' "/// $long"
verdict wrong src/a.c "$spdx" '/// @file' "    int a; ///< $long"

verdict wrong src/a.c '/// @file' '/// No licence.'
verdict wrong src/a.c "$spdx" '/// No file paragraph.'
verdict wrong deploy/a.sh '#!/bin/sh' 'echo no licence'
verdict wrong src/a.c "$spdx" '/// @file' '/* TOD''O: later */'
verdict wrong README.md 'FIXM''E'
verdict wrong README.md 'Written in the last sess''ion.'
verdict wrong README.md 'See /wor''k/notes.'
verdict wrong deploy/a.sh '# SPDX-License-Identifier: BSD-3-Clause' 'cd /hom''e/somebody'

rm -rf "${tree:?}"/*
if "$check" "$tree" >/dev/null 2>&1; then
    echo "passed, but there was nothing to check"
    failures=$((failures + 1))
fi

echo "check_text_test: $failures wrong answers"
[ "$failures" -eq 0 ]
