#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# all.sh with CAIRN_TEST_DATA set, a name that the library itself refuses: programs get the
# folder as an option and not the variable. A section that fails says why, and all.sh fails.
# Usage: all_test.sh BENCH_QUERIES
set -eu
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "all_test: $*"
    exit 1
}

# A comparison that says what it was given, and the true bench_queries.
mkdir -p "$folder/build/bench"
cat >"$folder/build/bench/bench_compare" <<'END'
#!/bin/sh
echo "${CAIRN_TEST_DATA-unset} $*"
END
chmod +x "$folder/build/bench/bench_compare"
ln -s "$1" "$folder/build/bench/bench_queries"

export BUILD="$folder/build" QUICK=1
CAIRN_TEST_DATA=/some/folder "$here/all.sh" "$folder" door >"$folder/said" || fail "status $?"
grep -qx 'unset --table door --quick --data /some/folder' "$folder/door.txt" \
    || fail "the comparison was given: $(cat "$folder/door.txt")"

if CAIRN_NO_SUCH=1 "$here/all.sh" "$folder" queries >"$folder/said"; then
    fail 'status 0 where a section failed'
fi
grep -q 'queries: status 1: .*CAIRN_NO_SUCH' "$folder/said" \
    || fail "the variable is not named: $(cat "$folder/said")"

# The table of several ranks: rows whose programs were not built are left out, and told; one
# that fails ends it, and no table is made of the rest.
ROWS=spmv "$here/all.sh" "$folder" nodes >"$folder/said" || fail "nodes: status $?"
grep -q '^| what | against | ours | ' "$folder/nodes.txt" || fail "nodes: $(cat "$folder/nodes.txt")"
grep -q 'spmv: the build has found no PETSc' "$folder/nodes.log" || fail "nodes: $(cat "$folder/nodes.log")"
if ROWS='spmv memory' MPIEXEC=false "$here/all.sh" "$folder" nodes >"$folder/said"; then
    fail 'nodes: status 0 where ranks do not start'
fi
grep -q '^nodes: status 1' "$folder/said" || fail "nodes: $(cat "$folder/said")"
[ -e "$folder/nodes.failed" ] && [ ! -e "$folder/nodes.txt" ] || fail "nodes: $(ls "$folder")"
