# SPDX-License-Identifier: BSD-3-Clause
# The limit holds for all that storing takes, what queries work with included, on one rank
# and on two: what needs more is refused with both numbers, leaves nothing behind, and was
# never in memory.
. "$(dirname "$0")/lib.sh"

# Kilobytes that a process may have beside its limit: 8 MiB, and slack of the allocator,
# the threads and MPI. What the program itself takes is measured.
beside=24000
if env time -f %M true 2>/dev/null; then measure='env time -a -o used -f %M'; else measure=; fi
kilobytes() { sort -n used | tail -n 1; }

# measured RANKS STATUS WORDS...: cairn WORDS, the largest process of which is told.
measured() {
    ranks=$1
    wanted=$2
    shift 2
    rm -f used
    if [ "$ranks" -eq 1 ]; then
        run_as "$wanted" timeout 250 $measure "$program" "$@"
    else
        run_as "$wanted" timeout 250 "$MPIEXEC" -n "$ranks" sh -c "exec $measure \"\$@\"" - "$program" "$@"
    fi
    grep -v 'non-zero status' used >kept 2>/dev/null && mv kept used
    check_line
}

# held RANKS MEGABYTES: no process was larger than the program and so much.
held() {
    [ -z "$measure" ] && return
    eval "program_takes=\$takes$1"
    [ "$(kilobytes)" -le $((program_takes + $2 * 977 + beside)) ] ||
        fail "$(kilobytes) kB under a limit of $2 MB, and $program_takes of the program"
}

# stored TRAVERSE, grouped GROUP KEY: formats whose padding, or numbers, ask for positions
# that are not stored.
stored() {
    echo "#encoding<{ idx_map<(d0,d1)->(indirect(d1),d0,d1)>, mutation<merge(0), trim(0,0)>, indirect<{ sum(value) groupBy (d0,d1)->(d0); enum(value) groupBy (d0,d1)->(d0) traverseBy (d0,d1)->($1) with value eq 0 -> sumVal | otherwise -> 0 }> }>"
}
grouped() {
    echo "#encoding<{ idx_map<(d0,d1)->(s,d0,d1)>, mutation<merge(0), trim(0,0)>, indirect<{ c = sum(value) groupBy (d0,d1)->($1) with value ne 0 -> 1 | otherwise -> 0; s = enum(value) groupBy (d0,d1)->($1) traverseBy (d0,d1)->($2) with value eq 0 -> c | otherwise -> 0 }> }>"
}

run_as 0 "$program" generate rmat --scale 12 --edges 20000 -o large.mtx
run_as 0 "$program" generate rmat --scale 8 --edges 1000 -o small.mtx
for ranks in 1 2; do
    measured $ranks 0 convert small.mtx --to csr -o out.cairn
    [ -z "$measure" ] || eval "takes$ranks=$(kilobytes)"
    rm -f out.cairn
done

# check FORMAT MEGABYTES...: what fits is stored; what does not is refused, and never was
# there.
check() {
    format=$1
    shift
    for ranks in 1 2; do
        measured $ranks 0 convert small.mtx --to "$format" --memory 20M -o out.cairn
        held $ranks 20
        exists out.cairn
        rm -f out.cairn
        for limit; do
            measured $ranks 1 convert large.mtx --to "$format" --memory ${limit}M -o out.cairn
            complains "memory: .*needs [0-9]* bytes, but the limit is ${limit}000000 "
            held $ranks $limit
            [ -z "$(ls | grep '^out\.')" ] || fail "something was left: $(ls)"
        done
    done
}
check "$(stored '2*d1')" 20 60
check "$(stored 'd1%3,d1')" 20
check "$(grouped 'd0/2' '2*d1,d0')" 20
finish
