#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hold check_used.sh to small trees: names that are used, and names that are not.
set -eu

check=$(cd "$(dirname "$0")" && pwd)/check_used.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# A room whose header declares $1, whose code has $2, and whose test has $3.
plant() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree/src/room" "$tree/tests" "$tree/include/cairn"
    printf '#ifndef CAIRN_ROOM_H\n#define CAIRN_ROOM_H\n%b\nint cairn_kept(void);\n#endif\n' "$1" >"$tree/src/room/room.h"
    printf '%b\nint cairn_kept(void)\n{\n    return 1;\n}\nstatic int k(void)\n{\n    return cairn_kept();\n}\n' "$2" >"$tree/src/room/room.c"
    printf '%b\n' "$3" >"$tree/tests/test.c"
}

# verdict WHAT: the check passes (WHAT empty), or fails and says WHAT.
verdict() {
    if said=$(sh "$check" "$tree" 2>&1); then got=; else got=$said; fi
    if [ -z "$1" ] && [ -n "$got" ]; then
        echo "refused, but right: $said"
        failures=$((failures + 1))
    elif [ -n "$1" ] && ! echo "$got" | grep -qF -- "$1"; then
        echo "'$1' is not what it says: $said"
        failures=$((failures + 1))
    fi
}

right() {
    plant "$1" "$2" "$3"
    verdict ''
}

wrong() {
    plant "$1" "$2" "$3"
    verdict "src/room/room.h:3: $4 is used by no room"
}

right 'int cairn_f(int a);' 'int cairn_f(int a)\n{\n}\nint b = cairn_f(1);' ''
wrong 'int cairn_f(int a);' 'int cairn_f(int a)\n{\n}' 'cairn_f(1);' cairn_f
wrong 'int cairn_f(int a);' 'int cairn_f(int a)\n{\n}\n/* cairn_f(1) */ // cairn_f' '' cairn_f
wrong 'int cairn_f(int a);' 'int cairn_f(int a)\n{\n}\n/* long\n cairn_f(1) */' '' cairn_f
wrong 'int cairn_f(int a);' 'int cairn_f(int a)\n{\n}\nx("/* \\" cairn_f");' '' cairn_f
wrong 'const struct x *cairn_f(int a);' 'const struct x *cairn_f(int a)\n{\n}' '' cairn_f
wrong 'static inline int cairn_f(int a)\n{\n    return a;\n}' '' 'cairn_f(1);' cairn_f
right 'static inline int cairn_f(int a)\n{\n    return a;\n}' 'int b = cairn_f(2);' ''
plant 'static inline const char *\ncairn_f(int a)\n{\n    return a;\n}' 'int b = cairn_f(2);' ''
verdict ''
plant 'static inline const char *\ncairn_f(int a)\n{\n    return a;\n}' '' ''
verdict 'src/room/room.h:4: cairn_f is used by no room'
wrong '#define CAIRN_MOST 3' '' 'CAIRN_MOST' CAIRN_MOST
right '#define CAIRN_MOST 3' 'int b = CAIRN_MOST;' ''
right '#define CAIRN_MOST 3' '#define M(x) CAIRN_##x' ''
wrong '#define CAIRN_MOST 3' '#define M(x) CAIRN_LE##x' '' CAIRN_MOST
right 'enum { CAIRN_A, CAIRN_B };' 'int b = CAIRN_A + CAIRN_B;' ''
wrong 'enum { CAIRN_A, CAIRN_B };' 'int b = CAIRN_A;' '' CAIRN_B
plant 'typedef enum {\n    CAIRN_A,\n    CAIRN_B, ///< x\n} cairn_e;' 'int b = CAIRN_A;' ''
verdict 'src/room/room.h:5: CAIRN_B is used by no room'
plant 'typedef struct cairn_s {\n    int a;\n} cairn_s;' '' 'cairn_s s;'
verdict 'src/room/room.h:5: cairn_s is used by no room'
right 'typedef struct cairn_s {\n    int a;\n} cairn_s;' 'cairn_s s;' ''
right 'typedef struct cairn_s cairn_s;' 'cairn_s *s;' ''

# What is allowed.
plant 'int cairn_f(int a);' 'int cairn_f(int a)\n{\n}' ''
printf '# Rows.\ncairn_f\tfor tests\n' >"$tree/tests/used_allowed.txt"
verdict ''
plant 'int cairn_f(int a);' 'int cairn_f(int a)\n{\n}\nint b = cairn_f(1);' ''
printf 'cairn_f\tfor tests\n' >"$tree/tests/used_allowed.txt"
verdict 'allows nothing: cairn_f'
plant 'int cairn_f(int a);' 'int cairn_f(int a)\n{\n}' ''
printf 'cairn_f\n' >"$tree/tests/used_allowed.txt"
verdict 'no reason: cairn_f'
plant '' '' ''
for n in 1 2 3 4 5 6 7 8; do printf 'cairn_%s\tmore\n' "$n" >>"$tree/tests/used_allowed.txt"; done
verdict 'more is allowed than there was'

rm -rf "${tree:?}"/*
mkdir "$tree/src"
verdict 'nothing was checked'

echo "check_used_test: $failures wrong answers"
[ "$failures" -eq 0 ]
