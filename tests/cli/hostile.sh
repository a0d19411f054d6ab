# SPDX-License-Identifier: BSD-3-Clause
# An environment that is against the command: streams that are closed or full, files that
# are no files, lines without end, names that would break a line, limits. It ends soon,
# with the right status and one line, and leaves nothing.
. "$(dirname "$0")/lib.sh"
figure a.mtx

# alone STATUS TEXT: a shell runs TEXT, $C being the command; what it prints is kept.
C=$program
export C
alone() {
    wanted=$1
    run_as "$1" timeout 250 sh -c "$2"
}

# small KILOBYTES: the last command needed no more memory than that. (GNU time, where it
# is installed, wrote the number as the last line of `used`.)
if command time -f %M true 2>/dev/null; then measure='command time -o used -f %M'; else measure=; fi
small() {
    [ -z "$measure" ] || [ "$(tail -n 1 used)" -le "$1" ] ||
        fail "$(tail -n 1 used) kB of memory, more than $1"
}

# one_line: a failure is one line, whatever was in it.
one_line() {
    [ "$(wc -l <err)" -eq 1 ] || fail "$(wc -l <err) lines on standard error"
    grep -q '^cairn: ' err || fail "not the command's line"
    ! LC_ALL=C grep -q '[[:cntrl:]]' err || fail "control characters in the line"
}

# Standard output closed, or without room: a report that nobody has is a failure.
for words in 'info a.mtx' 'info a.mtx --json -' '--help' '--options' 'format csr a.mtx' \
    'devices' 'run spmv a.mtx --iters 1'; do
    alone 1 "\$C $words >&-"
    one_line
    complains 'standard output: Bad file descriptor'
    if [ -c /dev/full ]; then
        alone 1 "\$C $words >/dev/full"
        one_line
        complains 'standard output: No space left on device'
    fi
done

# What is printed never goes into a file that got the number of a closed stream.
alone 1 '$C convert a.mtx --to csr -o b.mtx >&-'
alone 1 '$C convert a.mtx --to csr -o c.mtx <&- >&- 2>&-'
alone 0 '$C convert a.mtx --to csr -o d.mtx 2>&-'
alone 1 '$C run spmv a.mtx --iters 1 --out y.mtx >&-'
for file in b c d; do
    [ ! -e $file.mtx ] || same a.mtx $file.mtx
done
[ ! -e y.mtx ] || [ "$(wc -l <y.mtx)" -eq 7 ] || fail "more in y.mtx than numbers"
alone 1 '$C info missing.mtx 2>&-'
alone 2 '$C nosuch <&- >&- 2>&-'

# A reader that has gone.
alone 0 '$C format csr a.mtx --arrays | head -n 1'
says '^#encoding'
alone 0 '$C generate tridiag --n 20000 -o t.mtx && { $C format csr t.mtx --arrays --json -; echo $? >code; } | head -c 10'
[ "$(cat code)" -eq 1 ] || fail "status $(cat code), not 1, for a pipe without a reader"
rm -f t.mtx

# No files: neither waited for nor read.
mkfifo pipe
for name in . pipe /dev/zero /dev/urandom /dev/null /dev/tty; do
    [ -e "$name" ] || continue
    for words in "info $name" "run spmv $name" "convert $name --to csr -o n.mtx" \
        "format csr $name" "run spmv a.mtx --x $name" "format $name:csr"; do
        alone 1 "\$C $words"
        one_line
    done
done
absent n.mtx
alone 1 'cat a.mtx | $C info /dev/stdin'
one_line

# Nor written over.
mkdir folder
for name in folder /dev/null pipe; do
    alone 1 "\$C run spmv a.mtx --iters 1 --out $name"
    one_line
done
mkdir n.mtx
alone 1 '$C convert a.mtx --to csr -o n.mtx'
one_line
rmdir n.mtx folder
alone 0 '$C info a.mtx --json /dev/null'
[ -c /dev/null ] || fail "/dev/null was replaced"
if [ -c /dev/full ]; then
    alone 1 '$C info a.mtx --json /dev/full'
    one_line
    alone 1 '$C info a.mtx --spy /dev/full'
    one_line
    complains '^cairn: write: /dev/full: No space left on device$'
fi
rm pipe

# Through a link: the link stays.
mkdir there
for words in 'convert a.mtx --to coo -o link' 'run spmv a.mtx --iters 1 --out link' \
    'info a.mtx --json link' 'info a.mtx --spy link'; do
    rm -f link* there/*
    words=$(echo "$words" | sed 's/link/link.mtx/')
    echo old >there/file
    ln -s there/file link.mtx
    alone 0 "\$C $words"
    [ -L link.mtx ] || fail "the link was replaced by a file"
    [ "$(ls there)" = file ] || fail "something beside the file: $(ls there)"
    ! grep -q old there/file || fail "the file is the old one"
done

# Links to links, and to what is not there yet; the file keeps its permissions.
for words in 'convert a.mtx --to coo -o link' 'run spmv a.mtx --iters 1 --out link' \
    'info a.mtx --json link' 'info a.mtx --spy link' 'generate tridiag --n 3 -o link' \
    'run spmv a.mtx --iters 1 --plan-out link' 'run spmv a.mtx --iters 1 --trace link'; do
    rm -f link* next there/*
    words=$(echo "$words" | sed 's/link/link.mtx/')
    ln -s next link.mtx
    ln -s "$folder/there/new" next
    alone 0 "\$C $words"
    [ -L link.mtx ] && [ -L next ] || fail "a link was replaced by a file"
    [ "$(ls there)" = new ] || fail "in the folder: $(ls there)"
    chmod 640 there/new
    cp there/new old
    : >there/new
    alone 0 "\$C $words"
    [ -s there/new ] || fail "the file is as it was"
    case $(ls -l there/new) in -rw-r-----*) ;; *) fail "permissions: $(ls -l there)" ;; esac
    rm old
done
rm -rf link.mtx next there
ln -s circle.mtx circle.mtx
alone 1 '$C convert a.mtx --to coo -o circle.mtx'
one_line
complains '^cairn: create: circle.mtx: '
rm circle.mtx

# No right to read or to write (root has all).
if [ "$(id -u)" -ne 0 ]; then
    cp a.mtx secret.mtx
    chmod 0 secret.mtx
    expect 1 info secret.mtx
    complains 'Permission denied'
    mkdir shut
    chmod 555 shut
    expect 1 convert a.mtx --to csr -o shut/n.mtx
    complains 'Permission denied'
    chmod 755 shut
    rmdir shut
    rm -f secret.mtx
fi

# A file may not be so long: the failure is told, and nothing is left.
expect 0 generate tridiag --n 20000 -o t.mtx
for words in 'convert t.mtx --to csr -o n.mtx' 'convert t.mtx --to csr -o n.cairn' \
    'convert t.mtx --to coo -o n.tns' 'generate tridiag --n 20000 -o n.mtx' \
    'run spmv t.mtx --iters 1 --out n.mtx' 'format csr t.mtx --arrays --json n.mtx'; do
    alone 1 "ulimit -f 8; \$C $words"
    one_line
    complains 'File too large'
    [ "$(echo n.*)" = 'n.*' ] || fail "left: $(echo n.*)"
done
rm -f t.mtx

# Lines without end take memory as they are read, and no more than the limit.
head='%%MatrixMarket matrix coordinate real general'
truncate -s 1G zeros.mtx
alone 2 "$measure \$C info zeros.mtx"
small 100000
{
    printf '%s\n1 1 1\n1 1 ' "$head"
    truncate -s 100M digits
    tr '\0' 1 <digits
} >long.mtx
rm -f digits
alone 1 "$measure \$C info long.mtx --memory 20M"
complains 'memory: '
small 100000
alone 2 '$C info long.mtx'
complains 'beyond the range'
one_line
{
    printf '%s\n1 1 1\n1 1 5\n' "$head"
    cat zeros.mtx
} | gzip -1 >zeros.mtx.gz
rm -f zeros.mtx long.mtx
alone 1 "$measure \$C info zeros.mtx.gz --memory 20M"
small 100000
rm -f zeros.mtx.gz

# Elements of arrays go to a file as they are printed: no object of each is held beside.
# (Sanitizers keep what is freed.)
expect 0 generate tridiag --n 100000 -o t.mtx
run_as 0 $measure "$program" format csr t.mtx --arrays --json t.json --memory 40M
[ -n "${ASAN_OPTIONS:-}" ] || small 55000
[ "$(tr -cd , <t.json | wc -c)" -gt 600000 ] || fail "elements are missing"
rm -f t.mtx t.json

# What a header says is not believed: nothing is allocated for it.
for size in '9000000000000000000 9000000000000000000 9000000000000000000' \
    '2000000000 2000000000 4000000000000000000' '3 3 1000000000000'; do
    printf '%s\n%s\n1 1 1\n' "$head" "$size" >huge.mtx
    run_as 2 $measure "$program" info huge.mtx
    small 100000
done
printf '%%%%MatrixMarket matrix array real general\n2000000000 2000000000\n1\n' >huge.mtx
run_as 2 $measure "$program" info huge.mtx
small 100000
printf '%%%%MatrixMarket matrix coordinate real general\n%%\n' >huge.mtx
printf '%s\n2000000000000 2000000000000 1\n1 1 1\n' "$head" >huge.mtx
expect 1 run spmv huge.mtx --memory 100M
complains 'the limit is 100000000'
rm -f huge.mtx

# Names: one line, nothing that a terminal would obey.
bad=$(printf 'no\nsuch\t\033[31m\177.mtx')
expect 1 info "$bad"
one_line
expect 2 convert a.mtx --to csr -o "$(printf 'x\033[31m\n')."
one_line
expect 2 run spmv a.mtx --format "$(printf 'c\nsr\033[31m')"
one_line
expect 2 "$(printf 'v\nb\033[31m')"
one_line
expect 2 info a.mtx "$(printf -- '--a\nb\033[31m')"
one_line
expect 1 info "$(printf '%05000d' 1)"
one_line
cp a.mtx "$bad"
expect 0 info "$bad" --json j
fields j nnz
printf '%%%%MatrixMarket matrix coordinate real general\n1 1 1\n1 \033[31m\001 5\n' >"$bad"
expect 2 info "$bad"
one_line
rm -f "$bad"

# Settings.
for value in 0 -1 '' x 1.5 1e9 99999999999999999999 0x10 ' 1' 1GG; do
    alone 2 "CAIRN_MEMORY='$value' \$C info a.mtx"
    one_line
    complains 'option: CAIRN_MEMORY: '
done
for value in 0 -1 '' x 1.5 99999999999999999999; do
    alone 2 "CAIRN_THREADS='$value' \$C info a.mtx"
    one_line
done
alone 1 'CAIRN_MEMORY=1 $C info a.mtx'
one_line
complains 'the limit is 1 '

# What a query would have to list does not fit: told once, not tried again for each of the
# 65,537 paddings.
printf '%s\n65537 1 2\n1 1 1131\n65501 1 5\n' "$head" >tall.mtx
tall='#encoding<{ idx_map<(d0,d1)->(slot,d1,d1,-3*(d0)-4)>, indirect<{ count = sum(value) groupBy (d0,d1)->(); slot = enum(value) groupBy (d0,d1)->() traverseBy (d0,d1)->(-d0) with value eq 0 -> count | otherwise -> 0 }> }>'
export tall
alone 1 'CAIRN_MEMORY=1M $C convert tall.mtx --to "$tall" -o tall.cairn'
one_line
complains 'elements of a group: needs'
[ ! -e tall.cairn ] || fail 'half a file is left'
alone 0 '$C convert tall.mtx --to "$tall" -o tall.cairn'
alone 0 'TMPDIR=/nosuch $C run spmv a.mtx --iters 1 --verify --out y.mtx'
alone 0 'env -i "$C" info a.mtx'
alone 0 'ulimit -s 256; $C run spmv a.mtx --iters 1 --verify'

# Numbers have points, whatever the language. (Where it is installed.)
for language in de_DE.UTF-8 de_DE.utf8 fr_FR.UTF-8 fr_FR.utf8; do
    locale -a 2>/dev/null | grep -q -x "$language" || continue
    printf '%s\n1 1 1\n1 1 1.5000000000000000000000001e-3\n' "$head" >point.mtx
    alone 0 "LC_ALL=$language \$C convert point.mtx --to csr -o n.mtx"
    grep -q '^1 1 0\.0015' n.mtx || fail "$(tail -n 1 n.mtx) in $language"
    alone 0 "LC_ALL=$language \$C info point.mtx --json j"
    fields j nnz
done
finish
