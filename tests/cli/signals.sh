# SPDX-License-Identifier: BSD-3-Clause
# A command that a signal ends: it ends by that signal, leaves nothing behind, and what
# it was to replace is as it was. A disk that stops (drivers/stops.c) holds it at every
# call that makes, fills or names a file.
. "$(dirname "$0")/lib.sh"

# A library before the sanitizers' own is not to their taste.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
export ASAN_OPTIONS
mark=$folder/stopped
ulimit -c 0 # some signals leave the memory of the process in a file
mkdir work tmp
TMPDIR=$folder/tmp
export TMPDIR
XDG_CACHE_HOME=$folder/cache
export XDG_CACHE_HOME
"$program" generate stencil5 --nx 40 --ny 40 -o m.mtx >/dev/null
"$program" run spmv m.mtx --iters 1 >/dev/null # its kernel is in the cache now
cp m.mtx old.mtx

# A script's `&` makes programs ignore SIGINT and SIGQUIT: not these.
default='env --default-signal=INT,HUP,TERM,QUIT'
$default true 2>/dev/null || default=env

# stopped SIGNAL SETTINGS... -- WORDS...: cairn WORDS, with the settings, in work/; when
# the disk stops the signal is sent.
stopped() {
    signal=$1
    shift
    settings=
    while [ "$1" != -- ]; do settings="$settings $1" && shift; done
    shift
    checks=$((checks + 1))
    last="$signal at$settings: $*"
    : >err >out
    rm -f "$mark.0"
    (cd work && exec $default $settings STOP_MARK="$mark" LD_PRELOAD="$DRIVERS/stops.so" \
        "$program" "$@" </dev/null) >out 2>err &
    child=$!
    turns=0
    while [ ! -e "$mark.0" ] && kill -0 $child 2>/dev/null && [ $turns -lt 6000 ]; do
        sleep 0.02 && turns=$((turns + 1))
    done
    [ -e "$mark.0" ] || fail 'the disk was not stopped'
    kill -s "$signal" $child
    wait $child 2>/dev/null
    status=$?
    [ "$(kill -l $status)" = "$signal" ] || fail "status $status, not that of $signal"
    rm -f "$mark.0"
}

# left FOLDER NAMES...: these files are in it, and no others.
left() {
    place=$1
    shift
    found=$(ls -A "$place" | tr '\n' ' ')
    [ "$found" = "${*:+$* }" ] || fail "in $place: $found, not: $*"
}

# One writer: nothing, or nothing but the old file, at any moment.
for signal in TERM INT HUP; do
    for at in open:1 open:1+ pwrite:1 pwrite:1+ fsync:1 linkat:1; do
        stopped $signal STOP_AT=$at -- convert ../m.mtx --to csr -o a.mtx
        left work
    done
    for at in open:1 pwrite:1 fsync:1+ linkat:1 linkat:2 linkat:2+ rename:1; do
        cp old.mtx work/a.mtx
        stopped $signal STOP_AT=$at -- convert ../m.mtx --to csr -o a.mtx
        left work a.mtx
        same old.mtx work/a.mtx
        rm work/a.mtx
    done
done

# Where every file has a name from the beginning.
for signal in TERM INT HUP; do
    for at in open:2 open:2+ pwrite:1 fsync:1 rename:1; do
        cp old.mtx work/a.mtx
        stopped $signal NO_UNNAMED=1 STOP_AT=$at -- convert ../m.mtx --to csr -o a.mtx
        left work a.mtx
        same old.mtx work/a.mtx
        rm work/a.mtx
    done
done

# What batch systems and terminals send beside these.
for signal in QUIT XCPU USR1 USR2; do
    cp old.mtx work/a.mtx
    stopped $signal NO_UNNAMED=1 STOP_AT=pwrite:1 -- convert ../m.mtx --to csr -o a.mtx
    left work a.mtx
    same old.mtx work/a.mtx
    rm work/a.mtx
done

# Not even SIGKILL leaves a file that had no name.
stopped KILL STOP_AT=fsync:1 -- convert ../m.mtx --to csr -o a.mtx
left work

# Every other file that is written.
for names in '' NO_UNNAMED=1; do
    for at in pwrite:1 fsync:1; do
        stopped TERM $names STOP_AT=$at -- convert ../m.mtx --to csr -o a.cairn
        left work
        stopped TERM $names STOP_AT=$at -- run spmv ../m.mtx --iters 1 --out y.mtx
        left work
        stopped TERM $names STOP_AT=$at -- run spmv ../m.mtx --iters 1 --plan-out p.json
        left work
        stopped TERM $names STOP_AT=$at -- run spmv ../m.mtx --iters 1 --trace t.json
        left work
        stopped TERM $names STOP_AT=$at -- info ../m.mtx --json i.json
        left work
        stopped TERM $names STOP_AT=$at -- info ../m.mtx --spy s.png
        left work
        stopped TERM $names STOP_AT=$at -- generate tridiag --n 9 -o g.mtx
        left work
    done
done

# Complete is complete: what follows the last call keeps the file.
stopped TERM STOP_AT=linkat:1+ -- convert ../m.mtx --to csr -o a.mtx
left work a.mtx
same old.mtx work/a.mtx
rm work/a.mtx

# A compiler at work: its folder goes, and it goes, with what it has started.
cat >slow-cc <<END
#!/bin/sh
: >"\$TMPDIR/of-the-compiler"
rm -f "$folder/beats"
(trap '' TERM INT HUP; while :; do echo >>"$folder/beats"; : >>"\$TMPDIR/of-its-child"; sleep 0.01; done) &
while [ ! -s "$folder/beats" ]; do sleep 0.01; done
: >"$mark.0"
while :; do sleep 0.1; done
END
chmod +x slow-cc
for signal in TERM INT HUP; do
    stopped $signal CAIRN_CC=$folder/slow-cc -- run spmv ../m.mtx --format 'bdia<7>' --iters 1
    left tmp
    [ -z "$(ls -AR cache | grep part-)" ] || fail 'a part is left in the cache'
    cp beats then
    sleep 0.2
    same beats then
    left tmp
done

# A simulator at work goes, though it never looks at what it is sent.
cat >slow-simulator <<END
#!/bin/sh
echo \$\$ >"$folder/simulator"
: >"$mark.0"
while :; do sleep 0.1; done
END
chmod +x slow-simulator
echo '{"kind": "external", "command": ["../slow-simulator"], "limit": 600}' >slow.json
for signal in TERM INT HUP; do
    stopped $signal -- run spmv ../m.mtx --devices ../slow.json --place external --iters 1
    pid=$(cat simulator)
    turns=0
    while [ -e "/proc/$pid" ] && ! grep -q '^State:.Z' "/proc/$pid/status" && [ $turns -lt 250 ]; do
        sleep 0.02 && turns=$((turns + 1))
    done
    [ $turns -lt 250 ] || { fail 'the simulator is left' && kill -s KILL "$pid"; }
done

# The folder of a compiler, and a kernel on its way into the cache.
for at in mkdtemp:1 mkdtemp:1+ renameat:1; do
    stopped TERM STOP_AT=$at -- run spmv ../m.mtx --format 'bdia<7>' --iters 1
    left tmp
    [ -z "$(ls -AR cache | grep part-)" ] || fail 'a part is left in the cache'
done

# Who was told to ignore a signal (nohup) does.
checks=$((checks + 1))
last='nohup cairn'
rm -f "$mark.0"
(trap '' HUP && cd work && exec env STOP_AT=fsync:1 STOP_MARK="$mark" \
    LD_PRELOAD="$DRIVERS/stops.so" "$program" convert ../m.mtx --to csr -o a.mtx) \
    >out 2>err </dev/null &
child=$!
turns=0
while [ ! -e "$mark.0" ] && [ $turns -lt 6000 ]; do
    sleep 0.02 && turns=$((turns + 1))
done
kill -s HUP $child
rm -f "$mark.0"
wait $child || fail "status $?, although the signal is ignored"
same old.mtx work/a.mtx

finish
