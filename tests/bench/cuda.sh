#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What is to be known from a card, in the few minutes that one has it: what it is (facts),
# that it has the processor's bits (bits), that nothing is read or written beside arrays
# (sanitizer), and what products take beside cuSPARSE (spmv); then with several columns
# (spmm), with vectors that are the host's (hybrid), what conversions take (convert), and by
# what hints (tune). Each line is written as soon as it is known, and each section has a
# limit, so that what ran out of time is worth what it came to; one that fails takes no other
# with it. The status is 1 if anything was unequal, unverified, or not clean.
# Usage: cuda.sh [--bundle DIR] [--part all|0|1|2] [--only LIST] [--budget S] [--out DIR] [--dry]
#   --bundle  what cuda-bundle.sh made, or a build (default: beside this script, else
#             build/cuda-bundle)
#   --part    0: what a table is wanted of first, in little time: products of six matrices by
#             the hints that are chosen now, hybrids, conversions, hints beside others.
#             1: facts, bits, sanitizer, spmv. 2: spmm, hybrid, convert, tune.
#             all: all eight, for who has one chance: spmv of eight matrices
#   --only    sections with commas
#   --budget  seconds in all (300; of part 0 230, of all 480)
#   --out     where the report goes (default: $OUT, else report)
#   --dry     tiny matrices, on a driver that pretends; DRIVERS names the folder of it
# Needs a driver, NVRTC and, for what the processor computes, cc. cuSPARSE and
# compute-sanitizer are left out where they are not, and the report says so.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
bundle= part=1 only= budget= out=${OUT:-report} dry=
begin=$(date +%s)

fail() {
    echo "cuda.sh: $*" >&2
    exit 2
}

while [ $# -gt 0 ]; do
    case $1 in
    --dry) dry=--tiny; shift; continue ;;
    --bundle | --part | --only | --budget | --out) [ $# -gt 1 ] || fail "$1 wants a value" ;;
    *) fail "unknown option $1" ;;
    esac
    case $1 in
    --bundle) bundle=$2 ;;
    --part) part=$2 ;;
    --only) only=$2 ;;
    --budget) budget=$2 ;;
    --out) out=$2 ;;
    esac
    shift 2
done
few=
case $part in
0)
    sections="facts spmv hybrid convert tune"
    few=s7_200,s27_120,band15_3m,fem3_800k,rmat21,pruned_4k
    ;;
1) sections="facts bits sanitizer spmv" ;;
2) sections="spmm hybrid convert tune" ;;
all)
    sections="facts bits spmv hybrid spmm convert sanitizer tune"
    few=s7_200,fem3_800k,rmat21,band15_3m,pruned_4k,s27_120,rand16_2m,mixed_4m
    ;;
*) fail "there are parts 0, 1, 2 and all" ;;
esac
whole=300 usual=300
case $part in
0) usual=230 ;;
all) whole=480 usual=480 ;;
esac
[ -n "$budget" ] || budget=$usual

# Where the programs are.
if [ -z "$bundle" ]; then
    bundle=$here
    [ -x "$bundle/bin/bench_cuda" ] || bundle=$here/../../build/cuda-bundle
fi
bench=$bundle/bin/bench_cuda
[ -x "$bench" ] || bench=$bundle/bench/bench_cuda
[ -x "$bench" ] || fail "no bench_cuda in $bundle: cuda-bundle.sh makes it"
data=$bundle
[ -d "$data/matrices" ] || data=

targets=$here/cuda-targets.awk
[ -f "$targets" ] || fail "no $targets"
mkdir -p "$out"
work=$(mktemp -d)
log=$out/log.txt
csv=$out/cuda.csv
failed=$work/failed
: >"$log"

say() {
    echo "$(($(date +%s) - begin)) s: $*" | tee -a "$log"
}

wrong() {
    say "$*"
    echo "$*" >>"$failed"
}

left() {
    echo $((budget - $(date +%s) + begin))
}

# So many of a part's 300 seconds, of all's 480, of the budget; no more than is left.
share() {
    want=$((budget * $1 / whole)) now=$(left)
    [ "$want" -le "$now" ] || want=$now
    [ "$want" -ge 1 ] || want=1
    echo "$want"
}

wants() {
    [ -n "$only" ] || return 0
    case ,$only, in
    *,"$1",*) true ;;
    *) false ;;
    esac
}

# Compiled code of this run alone.
export CAIRN_CACHE="$work/cache"
mkdir -p "$CAIRN_CACHE"

# CUDA's libraries, where no link of the system's names them: a toolkit's, or Python's.
find_cuda() {
    for folder in /usr/local/nvidia/lib64 /usr/local/cuda/lib64 /usr/local/cuda/lib \
        /usr/local/cuda/targets/x86_64-linux/lib \
        $(python3 -c 'import nvidia, os
for base in nvidia.__path__:
    for name in sorted(os.listdir(base)): print(os.path.join(base, name, "lib"))' 2>/dev/null); do
        [ ! -d "$folder" ] || LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folder
    done
    export LD_LIBRARY_PATH
    PATH=$PATH:/usr/local/nvidia/bin:/usr/local/cuda/bin
}

if [ -n "$dry" ]; then
    [ -n "${DRIVERS:-}" ] || fail "--dry wants DRIVERS"
    export LD_LIBRARY_PATH="$DRIVERS/cuda"
else
    find_cuda
fi

# run NAME SECONDS FILE COMMAND...: with a limit; what it says goes to the file as it comes.
# Whoever ends this script need not wait for it.
run() {
    name=$1 limit=$2 file=$3
    shift 3
    status=0
    timeout -k 5 "$limit" "$@" >>"$file" 2>>"$log" </dev/null &
    child=$!
    wait "$child" || status=$?
    child=
    case $status in
    0) say "$name: done" ;;
    124 | 137) say "$name: cut after $limit s" ;;
    *) wrong "$name: FAILED with $status: $(tail -n 1 "$log")" ;;
    esac
}

# What the card's clocks are while it works: a look some seconds after a section began.
clocks() {
    (
        sleep 8
        [ -d "$work" ] && timeout 10 nvidia-smi --format=csv,noheader \
            --query-gpu=clocks.sm,clocks.mem,power.draw,temperature.gpu,pstate >"$work/clocks" &&
            sed "s/^/clocks, $1: /" "$work/clocks" >>"$out/machine.txt"
    ) </dev/null >/dev/null 2>&1 &
}

facts() {
    limit=$(share 25)
    [ "$part" != 0 ] || limit=$(share 12)
    {
        date -u
        [ ! -f "$bundle/commit" ] || echo "commit $(cat "$bundle/commit")"
        sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1
        echo "$(nproc) processors; cc: $(cc --version 2>&1 | head -n 1)"
    } >>"$out/machine.txt"
    timeout 10 nvidia-smi >"$work/smi" 2>&1 </dev/null &
    smi=$!
    run doctor "$limit" "$out/machine.txt" "$bench" doctor
    run facts "$limit" "$csv" "$bench" facts $dry --seconds "$limit"
    # A card that has come to a product can do more, whatever failed then.
    case $status in
    0 | 124 | 137) ;;
    *) grep -q '^facts,a kernel behind others,' "$csv" || hopeless=yes ;;
    esac
    wait "$smi" || true
    head -n 25 "$work/smi" >>"$out/machine.txt"
}

# One process for each share of the cases, all of them appending lines to one file.
bits() {
    limit=$(share 90) shares=$(nproc) pids=
    [ "$part" != all ] || limit=$(share 75)
    [ "$shares" -le 8 ] || shares=8
    of=$shares
    if [ -n "$dry" ]; then shares=1 of=60; fi
    k=0
    while [ "$k" -lt "$shares" ]; do
        timeout -k 5 "$((limit + 5))" "$bench" bits $dry --seconds "$limit" --share "$k/$of" \
            --threads 2 >>"$csv" 2>>"$log" </dev/null &
        pids="$pids $!"
        k=$((k + 1))
    done
    for pid in $pids; do
        status=0
        wait "$pid" || status=$?
        pids=${pids#" $pid"}
        case $status in
        0) ;;
        124 | 137) say "bits: a share was cut after $limit s" ;;
        *) wrong "bits: a share FAILED with $status: $(tail -n 1 "$log")" ;;
        esac
    done
    say "bits: $(grep -c '^bits,.*,same$' "$csv") same, $(grep -c '^bits,.*DIFFERENT' "$csv") different"
    run "a planted trap" 20 "$csv" "$bench" trap
}

# A tool that the machine refuses has found nothing, neither good nor bad.
judge() {
    if ! grep -q 'SUMMARY' "$2" || grep -qi 'not supported\|failed to init' "$2"; then
        say "$1: could not run: $(grep -v '^ *$' "$2" | tail -n 1)"
    elif grep -q 'SUMMARY: 0 ' "$2"; then
        say "$1: clean"
    else
        wrong "$1: NOT CLEAN: $(grep SUMMARY "$2" | head -n 1)"
    fi
}

sanitizer() {
    tool=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
    if [ -n "$dry" ] || [ ! -x "$tool" ]; then
        why="no compute-sanitizer"
        [ -z "$dry" ] || why="the driver pretends"
        say "sanitizer: could not run: $why"
        return
    fi
    for kind in memcheck racecheck; do
        limit=$(share 40)
        [ "$part" != all ] || limit=$(share 30)
        status=0
        timeout -k 5 "$limit" "$tool" --tool "$kind" "$bench" small --tiny \
            --seconds $((limit * 3 / 4)) >"$work/$kind" 2>&1 </dev/null || status=$?
        judge "$kind" "$work/$kind"
        { echo "## $kind, status $status"; tail -n 200 "$work/$kind"; } >>"$out/sanitizer.txt"
    done
}

spmv() {
    limit=$(left)
    case $part in
    0) limit=$(share 130) ;;
    all) limit=$(share 140) ;;
    esac
    matrices=${few:+"--matrix $few --rounds 5"}
    [ -z "$dry" ] || matrices="--matrix s7_200,fem3_800k --rounds 1"
    run spmv "$limit" "$csv" "$bench" spmv $dry $matrices --seconds $((limit * 4 / 5)) \
        ${data:+--data "$data"}
}

spmm() {
    limit=$(share 100)
    matrices=
    [ "$part" != all ] || limit=$(share 70) matrices="--rounds 5"
    [ -z "$dry" ] || matrices="--matrix rand16_200k,block16 --rounds 1"
    run spmm "$limit" "$csv" "$bench" spmm $dry $matrices --seconds $((limit * 4 / 5)) \
        ${data:+--data "$data"}
}

hybrid() {
    limit=$(share 90)
    matrices=
    [ "$part" != all ] || limit=$(share 65) matrices="--rounds 5"
    [ -z "$dry" ] || matrices="--matrix s7_200 --rounds 1"
    run hybrid "$limit" "$csv" "$bench" hybrid $dry $matrices --seconds $((limit * 4 / 5))
}

convert() {
    limit=$(share 60)
    [ "$part" != all ] || limit=$(share 40)
    [ -z "$dry" ] || conversions="--matrix fem3_100k --rounds 1"
    run convert "$limit" "$csv" "$bench" convert $dry ${conversions:-} \
        --seconds $((limit * 4 / 5))
}

tune() {
    limit=$(left)
    matrices=
    [ -z "$dry" ] || matrices="--matrix s7_200 --rounds 1"
    run tune "$limit" "$csv" "$bench" tune $dry $matrices --seconds $((limit * 4 / 5))
}

# Lines of a section as a table, whose columns are named by the line before the first: texts
# in quotes have commas of their own.
table() {
    awk -F '"' -v name="$1" '
        $0 ~ "^section,"  { head = $0 }
        $0 ~ "^" name "," { if (head != "") {
                                gsub(/,/, " | ", head); print "| " head " |"
                                gsub(/[^|]+/, "---", head); print "|" head "|" }
                            head = ""
                            gsub(/,/, " | ", $1); gsub(/,/, " | ", $3)
                            print "| " $1 "`" $2 "`" $3 " |" }' "$csv"
    echo
}

# Tables of what is there by now.
report() {
    [ -f "$csv" ] || : >"$csv"
    {
        echo "# Timings on a card"
        echo
        [ -z "$dry" ] || echo "**A driver that pretends: no time here says anything.**"
        sed 's/^/    /' "$out/machine.txt" 2>/dev/null || true
        echo
        echo "| fact | value | |"
        echo "|---|---|---|"
        sed -n 's/^facts,\([^,]*\),\([^,]*\),\(.*\)$/| \1 | \2 | \3 |/p' "$csv"
        echo
        sed -n 's/^[0-9]* s: \(bits\|a planted trap\|memcheck\|racecheck\|sanitizer\)/- \1/p' "$log"
        grep '^trap,' "$csv" | sed 's/^/- /' || true
        echo
        echo "Targets, of an H100; not measured: not in this report."
        echo
        awk -F '"' -f "$targets" "$csv"
        echo
        echo "| matrix | type | who | way | median, us | least, us | GB/s | of the copy | best peer's time over it | verified | prepared in ms | host to host, us | |"
        echo "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
        awk -F '"' '/^spmv,/ {
            split($1, a, ","); rest = $3; sub(/^,/, "", rest); gsub(/,/, " | ", rest)
            printf "| %s | %s | %s | `%s` | %s |\n", a[2], a[3], a[5], $2, rest
        }' "$csv"
        echo
        table '(spmm|label)'
        table hybrid
        table convert
        table tune
    } >"$out/cuda.md" 2>>"$log" || echo "cuda.sh: no tables could be made of $csv" >>"$log"
}

trap 'report; rm -rf "$work"' EXIT
# What still runs of a section that is ended, one program or several.
child= pids= hopeless=
trap '[ -z "$child$pids" ] || kill $child $pids 2>/dev/null; exit 1' INT TERM
for section in $sections; do
    wants "$section" || continue
    say "$section begins"
    echo "# $section" >>"$csv"
    clocks "$section"
    "$section"
    report
    # What a card cannot do here, no section behind it can.
    [ -z "$hopeless" ] || { say "nothing more is tried"; break; }
done
if [ -s "$failed" ]; then
    say "something is wrong:"
    tee -a "$log" <"$failed"
    exit 1
fi
say "all was equal, verified and clean, as far as it ran"
