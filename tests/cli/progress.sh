# SPDX-License-Identifier: BSD-3-Clause
# What long work shows: on a terminal after two seconds, gone before the report; nothing
# of short work, and nothing elsewhere.
. "$(dirname "$0")/lib.sh"
figure a.mtx
python3 -c 'import pty' 2>/dev/null || { echo "SKIPPED: there is no python3 to make a terminal"; exit 0; }

# Runs its arguments on a terminal and copies what they show.
cat >terminal.py <<'END'
import os, pty, signal, sys
signal.alarm(600)
child, terminal = pty.fork()
if child == 0:
    os.execv(sys.argv[1], sys.argv[1:])
while True:
    try:
        shown = os.read(terminal, 65536)
    except OSError:
        break
    if not shown:
        break
    sys.stdout.buffer.write(shown)
sys.exit(os.WEXITSTATUS(os.waitpid(child, 0)[1]))
END

# on_terminal FILE WORDS...: cairn WORDS on a terminal, what it shows in FILE.
on_terminal() {
    file=$1
    shift
    run_as 0 python3 terminal.py "$program" "$@"
    cp out "$file"
}

# Repeat with more runs until it takes long enough to be seen.
iters=100000
while :; do
    on_terminal long run spmv a.mtx --threads 1 --iters $iters
    tr '\r' '\n' <long | grep -q '^.\[Krun [0-9]* s' && break
    iters=$((4 * iters))
    [ $iters -lt 1000000000 ] || break
done
tr '\r' '\n' <long >lines
grep -q '^.\[Krun [0-9]* s' lines || fail "no progress of $iters runs"
grep -q '^.\[Kspmv a.mtx: 5 x 4' lines || fail "the report does not begin on a clear line"

begin=$(date +%s)
on_terminal short run spmv a.mtx
[ $(($(date +%s) - begin)) -gt 1 ] || ! grep -q '\[K' short || fail "progress of short work"
expect 0 run spmv a.mtx --threads 1 --iters $iters
finish
