# SPDX-License-Identifier: BSD-3-Clause
# To be sourced by the scripts beside it: run the command, hold what it says against
# what it should. $PROGRAM is the command; everything happens in an empty folder.
set -u

here=$(cd "$(dirname "$0")" && pwd)
program=${PROGRAM:?the path of the command}
: "${XDG_CACHE_HOME:?where compiled kernels are kept}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
environment=
checks=0
failures=0

# fail TEXT: say what went wrong with the last command, and go on.
fail() {
    failures=$((failures + 1))
    echo "FAILED: $last"
    echo "    $1"
    sed 's/^/    stderr: /' err
    head -n 5 out | sed 's/^/    stdout: /'
}

# run_as STATUS WORDS...: run any program, keep stdout in `out` and stderr in `err`.
run_as() {
    wanted=$1
    shift
    checks=$((checks + 1))
    last=$*
    "$@" >out 2>err </dev/null
    status=$?
    # The address sanitizer's word on contexts, which the driver of cards uses.
    sed -i '/^==[0-9]*==WARNING: ASan doesn.t fully support makecontext/d' err
    [ "$status" -eq "$wanted" ] || fail "status $status, not $wanted"
}

# One line about a failure, "cairn: WHAT: WHERE: WHY"; none about a success. A launcher
# adds lines of its own.
check_line() {
    lines=$(grep -c '^cairn: ' err)
    if [ "$wanted" -eq 0 ]; then
        [ "$lines" -eq 0 ] || fail "a line about a success"
    else
        [ "$lines" -eq 1 ] || fail "$lines lines about the failure, not one"
        [ ! -s out ] || fail "a failure with something on standard output"
    fi
}

# expect STATUS WORDS...: cairn WORDS ends with STATUS, and says what it must. A setting
# in $environment, if any, is set for it.
expect() {
    wanted=$1
    shift
    run_as "$wanted" env $environment "$program" "$@"
    check_line
    [ "$wanted" -eq 0 ] || [ "$(wc -l <err)" -eq 1 ] || fail "more than one line"
    [ "$wanted" -ne 0 ] || [ ! -s err ] || fail "words on standard error"
}

# on N STATUS WORDS...: the same on N ranks.
on() {
    ranks=$1
    wanted=$2
    shift 2
    run_as "$wanted" env $environment "$MPIEXEC" -n "$ranks" "$program" "$@"
    check_line
}

# apart N STATUS WORDS...: N ranks with words of their own: rank 0 is given the first of
# WORDS, rank 1 the second, and the last are everybody's who has none. A shell reads them, in
# which $program is the command. (A launcher that is given several programs is not asked:
# there are some that crash.)
apart() {
    ranks=$1
    wanted=$2
    shift 2
    run_as "$wanted" env $environment timeout 250 "$MPIEXEC" -n "$ranks" sh -c '
        program=$1
        rank=${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:?}}}
        shift
        while [ "$rank" -gt 0 ] && [ $# -gt 1 ]; do
            shift
            rank=$((rank - 1))
        done
        eval "$1"' sh "$program" "$@"
}

# says TEXT, complains TEXT: what the last command wrote has it (a basic pattern).
says() { grep -q -e "$1" out || fail "stdout does not have: $1"; }
complains() { grep -q -e "$1" err || fail "stderr does not have: $1"; }

# same FILE FILE; exists FILE; absent FILE
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }
exists() { [ -s "$1" ] || fail "$1 is missing or empty"; }
absent() { [ ! -e "$1" ] || fail "$1 was left behind"; }

# fields FILE NAME...: the file is one JSON object with these fields at its top. Without
# Python only the names are looked for.
fields() {
    json=$1
    shift
    if python3 -c '' 2>/dev/null; then
        python3 -c '
import json, sys
with open(sys.argv[1]) as file:
    have = json.load(file)
lacking = [name for name in sys.argv[2:] if name not in have]
if lacking: sys.exit("lacking: " + " ".join(lacking))
' "$json" "$@" >problem 2>&1 || fail "$json: $(tail -n 1 problem)"
    else
        for name; do grep -q "\"$name\": " "$json" || fail "$json lacks $name"; done
    fi
}

# has FILE TEXT: the JSON of a file has it, as the command prints it.
has() { grep -q -F -e "$2" "$1" || fail "$1 does not have: $2"; }

# Figure 1a of the UniSparse paper, the matrix of the format pages.
figure() {
    cat >"$1" <<'END'
%%MatrixMarket matrix coordinate real general
5 4 6
1 1 1
2 2 2
3 2 3
3 3 4
3 4 5
5 4 6
END
}

# skip TEXT: what this script needs is not there; CTest says that it was skipped.
skip() {
    echo "skipped: $1"
    exit 77
}

# finish: the verdict.
finish() {
    echo "$checks commands, $failures failures"
    [ "$checks" -gt 0 ] && [ "$failures" -eq 0 ]
    exit $?
}
