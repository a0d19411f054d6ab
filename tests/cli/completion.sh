# SPDX-License-Identifier: BSD-3-Clause
# Completion: what bash offers for the words of a line; that the scripts of the other
# shells are read, where these are there.
. "$(dirname "$0")/lib.sh"

for shell in bash zsh fish; do
    expect 0 --completion $shell
    cp out "cairn.$shell"
    if command -v $shell >/dev/null; then run_as 0 $shell -n "cairn.$shell"; fi
done
expect 2 --completion
complains 'which shell'
expect 2 --completion bsh
complains 'did you mean bash?'

command -v bash >/dev/null || finish
mkdir files
touch files/a.mtx files/b.mtx.gz files/c.png files/d.txt files/e.cairn

# offers WORDS... : WANTED...: bash, at the end of the line WORDS, offers WANTED, in
# any order. An empty last word is ''.
cat >offer <<'END'
. ./cairn.bash
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_cairn
printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' '
END
offer() { run_as 0 bash offer "$@"; }
offers() { [ "$(cat out)" = "$1 " ] || fail "offered: $(cat out), not: $1"; }
lists() { case " $(cat out)" in *" $1 "*) ;; *) fail "not offered: $1" ;; esac; }
lists_not() { case " $(cat out)" in *" $1 "*) fail "offered: $1" ;; esac; }

# Verbs, questions, pages.
offer cairn in
offers info
offer cairn ''
for verb in info generate format convert run emit devices doctor scale; do lists $verb; done
lists_not --help
offer cairn --v
offers --version
offer cairn --man for
offers 'format formats'
offer cairn --completion z
offers zsh

# Options of the verb, and no other's.
offer cairn run spmv a.mtx --it
offers --iters
offer cairn info --
lists --spy
lists_not --iters

# Words that a value may be.
offer cairn run spmv a.mtx --dtype ''
offers 'f32 f64'
offer cairn run spmv a.mtx --distribute = r
offers rows
kinds=$("$program" devices --numbers | sed -n 's/^\([a-z][a-z]*\): .*/\1/p')
offer cairn run --place ''
offers "$(printf '%s\n' auto $kinds | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')"
offer cairn run --x r
offers ramp

# Operands: a kind after options with values, an operation, files by their endings.
offer cairn generate --seed 3 sten
offers 'stencil27 stencil5 stencil7'
offer cairn run --iters 3 ''
offers 'spmm spmv'
offer cairn scale --ranks 1,2 ''
offers 'spmm spmv'
offer cairn scale spmv a.mtx --we
offers --weak
offer cairn info files/
offers 'files/a.mtx files/b.mtx.gz files/c.png files/d.txt files/e.cairn'
offer cairn run spmv files/d
offers files/d.txt
offer cairn run --format = csr spmv files/a
offers files/a.mtx
offer cairn info --spy files/
offers files/c.png
offer cairn info --json files/d
offers files/d.txt
offer cairn convert a.mtx -o files/
offers 'files/a.mtx files/e.cairn'
# What generate does not write is not offered.
offer cairn generate stencil5 -o files/
offers files/a.mtx
offer cairn generate stencil5 --output = files/
offers files/a.mtx

# Formats: what needs arguments is quoted, unless it is already; then it has two
# continuations. Files hold formats, too.
offer cairn format cs
offers "'csb< 'csf< csc csr"
offer cairn format "'bd"
offers 'bdcsr<...> bdcsr<r,c> bdia<...> bdia<b>'
offer cairn convert a.mtx --to co
offers coo
offer cairn run spmv a.mtx --format = "'hy"
offers 'hybrid<...> hybrid<f,g>'
offer cairn format files/d
offers files/d.txt
offer cairn convert a.mtx --to files/e
offers files/e.cairn

# Every option of every verb's help is offered.
for verb in info generate format convert run emit devices doctor; do
    expect 0 $verb --help
    options=$(sed -n '/^options/,/^$/s/^  \(--[a-z-]*\).*/\1/p' out)
    offer cairn $verb --
    for option in $options; do lists "$option"; done
done

# On a terminal, what is typed behind a completed < stays inside the quotes, so that a >
# redirects nothing.
python3 -c 'import pty' 2>/dev/null || finish
cat >type.py <<'END'
import os, pty, signal, sys

text = sys.argv[1].encode().decode("unicode_escape").encode()
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
signal.alarm(60)
typed = False
try:
    while os.read(terminal, 65536):  # the prompt, then what is echoed
        if not typed: os.write(terminal, text)
        typed = True
except OSError:
    pass  # the shell has ended
os.waitpid(child, 0)
END
cat >bashrc <<'END'
. ./cairn.bash
cairn() { printf '%s|' "$@" >words; }
END

# types TEXT WORDS: typed at bash, TAB as \t and return as \r, these are its arguments.
types() {
    echo safe >victim.mtx
    rm -f words
    run_as 0 env TERM=dumb INPUTRC=/dev/null HISTFILE= \
        python3 type.py "$1"'\rexit\r' bash --noprofile --rcfile bashrc -i
    [ "$(cat words 2>/dev/null)" = "$2" ] || fail "typed: $(cat words)"
    [ "$(cat victim.mtx)" = safe ] || fail 'a completed format has emptied a file'
}

types "cairn format 'bdi\\t64>' vic\\t" 'format|bdia<64>|victim.mtx|'
types "cairn format bdi\\t64>' vic\\t" 'format|bdia<64>|victim.mtx|'
types 'cairn format "bdi\t64>" vic\t' 'format|bdia<64>|victim.mtx|'
types "cairn run spmv --format=bdi\\t64>' vic" 'run|spmv|--format=bdia<64>|vic|'
types "cairn format 'bdi\\t64> victim.mtx'" 'format|bdia<64> victim.mtx|'
types "cairn format 'bdia<\\t64> victim.mtx'" 'format|bdia<64> victim.mtx|'
types 'cairn format files/d\t:mine' 'format|files/d.txt:mine|'
finish
