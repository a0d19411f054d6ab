# SPDX-License-Identifier: BSD-3-Clause
# cairn doctor on several ranks: findings are put together, and say whose they are.
. "$(dirname "$0")/lib.sh"

# A library before the sanitizers' own is not to their taste.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
export ASAN_OPTIONS
export CAIRN_CACHE="$folder/cache"
many=$((4 * $(getconf _NPROCESSORS_ONLN)))
few='CAIRN_THREADS=1 "$program" doctor --json -'
apart 3 1 "$few" "$few" "CAIRN_THREADS=$many \"\$program\" doctor --json -"
[ "$(grep -c '^cairn: ' err)" -eq 1 ] || fail "not one line"
grep '^{' out >object
tr '{' '\n' <object | grep -q '"what": "threads", "level": "attention", "ranks": "2", "why": "'$many' threads on ' ||
    fail "rank 2 is not named"
[ "$(grep -o '"what": "compiler"' object | wc -l)" -eq 1 ] || fail "not one finding about the compiler"
tr '{' '\n' <object | grep -q '"what": "compiler", "level": "[a-z]*", "ranks": "",' ||
    fail "what a node has is not everybody's"
tr '{' '\n' <object | grep -q '"what": "mpi", "level": "ok", "ranks": "", .*ranks: 3' || fail "nothing about MPI"

# What MPI says of cards' memory, asked of a function that an MPI may lack; and of one that has
# it.
tr '{' '\n' <object | grep -q '"what": "transport", "level": "[a-z]*", "ranks": "", .*MPIX_Query_cuda_support' ||
    fail "nothing about cards' memory"
cat >takes.c <<'TEXT'
int MPIX_Query_cuda_support(void);
int MPIX_Query_cuda_support(void) { return 1; }
TEXT
cc -shared -fPIC -o takes.so takes.c
taking='LD_PRELOAD="$PWD/takes.so${LD_PRELOAD:+:$LD_PRELOAD}" "$program" doctor --json -'
apart 2 0 "$taking" "$taking"
grep '^{' out | tr '{' '\n' | grep -q '"level": "note".*says that this MPI takes cards. memory' ||
    fail "an MPI that takes cards' memory is not told"
finish
