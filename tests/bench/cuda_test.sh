#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# cuda.sh on the driver that pretends: it ends well, writes all that it is to write, and
# says whose times these are; and where bits differ, or a run fails, it ends with 1.
# Usage: cuda_test.sh BUILD
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export DRIVERS="$build/drivers"

fail() {
    echo "cuda_test: $*" >&2
    cat "$folder"/*/log.txt >&2
    exit 1
}

expect() {
    status=0
    want=$1
    shift
    "$here/cuda.sh" --bundle "$build" --dry --budget 1000 "$@" >"$folder/said" 2>&1 || status=$?
    [ "$status" = "$want" ] || { cat "$folder/said" >&2; fail "$*: status $status, not $want"; }
}

has() {
    grep -q "$2" "$1" || fail "$1 has no '$2'"
}

# end_when BEGUN: $ended, a cuda.sh that runs beside, when it has begun.
end_when() {
    until "$1"; do
        kill -0 "$ended" 2>/dev/null || fail "$1: cuda.sh has ended by itself"
        sleep 0.2
    done
    sleep 0.5
    kill "$ended" || fail "$1: cuda.sh had ended"
    status=0
    wait "$ended" || status=$?
    [ "$status" = 1 ] || fail "ended: status $status"
}

expect 0 --out "$folder/all"
has "$folder/all/machine.txt" ' cuda: cuda:0'
has "$folder/all/cuda.csv" '^facts,card,Fake card 0'
has "$folder/all/cuda.csv" '^facts,pinned both ways in sum,[0-9]'
has "$folder/all/cuda.csv" ',same$'
has "$folder/all/cuda.csv" '^trap,could not run: the driver pretends'
has "$folder/all/log.txt" 'sanitizer: could not run: the driver pretends'
has "$folder/all/cuda.csv" '^# the driver pretends'
has "$folder/all/cuda.csv" '^spmv,s7_200,f64,1,Cairn,"csr",.*,yes,'
has "$folder/all/cuda.md" 'no time here says anything'
has "$folder/all/cuda.md" '^| fem3_800k | f32 | Cairn | `bcsr<3,3>` | .* | yes |'
! grep -q 'DIFFERENT\|,NO,' "$folder/all/cuda.csv" || fail "something differs"
[ "$(find "$folder/all" -type f | wc -l)" -le 8 ] || fail "more than 8 files"
has "$folder/all/cuda.csv" '^spmv,.*,Cairn,"auto: '
has "$folder/all/cuda.md" '^| a kernel behind others, us | at most 6 | [0-9.e+]* | \(met\|NOT MET\) |'

# What was wanted beside what came: means, the least of each, what is not counted, what
# did not run, and targets some of whose matrices did not.
cat >"$folder/targets.csv" <<'LINES'
facts,a kernel behind others,4.5,us
facts,first use of a format,600,ms
spmv,s7_200,f64,1,Cairn,"csr",400,390,1,0.8,0.5,yes,40,1,
spmv,s7_200,f64,1,Cairn,"dia",100,90,1,0.9,2,yes,30,1,
spmv,s7_200,f64,1,Cairn,"bdia<64>",10,9,1,0.9,2,NO,30,1,
spmv,s7_200,f64,1,cuSPARSE,"sell<32>",200,190,1,0.9,1,yes,40,1,
spmv,s7_200,f64,1,cuSPARSE,"csr alg1",300,290,1,0.9,1,yes,40,1,
spmv,s27_120,f64,1,Cairn,"dia",100,90,1,0.8,1,yes,10,1,
spmv,s27_120,f64,1,cuSPARSE,"sell<32>",100,90,1,0.9,1,yes,40,1,
label,rmat17,f32,1000,Cairn,"csr",50,1,1,1,yes,1,100,
label,rmat17,f32,1000,cuSPARSE,"csr alg1",50,1,1,1,yes,1,160,
label,rmat17,f32,1000,cuSPARSE,"coo",50,1,1,1,yes,1,10,
hybrid,s7_200,f64,1,Cairn,"processor alone, dia",400,1,1,yes,same,1,
hybrid,s7_200,f64,1,Cairn,"card alone, dia",400,1,1,yes,same,1,
hybrid,s7_200,f64,1,Cairn,"divided, dia",250,1,1,yes,same,1,
hybrid,s7_200,f64,1,cuSPARSE,"pinned copies, csr",640,1,,yes,own,1,
LINES
# The same with other matrices too, which have the numbers of those.
while read -r name other; do
    sed -n "s/^\([a-z]*\),$name,/\1,$other,/p" "$folder/targets.csv"
done <<'LINES' | cat "$folder/targets.csv" - >"$folder/whole.csv"
s7_200 band15_3m
s7_200 mixed_4m
s7_200 rand16_2m
s27_120 s5_3000
rmat17 block16
rmat17 wiki-Vote
rmat17 email-Eu-core
rmat17 p2p-Gnutella31
LINES
awk -F '"' -f "$here/cuda-targets.awk" "$folder/whole.csv" >"$folder/whole.md"
has "$folder/whole.md" 'structured: .* geometric mean | at least 1.25 | 1.41 | met |'
has "$folder/whole.md" 'the same, each | at least 1.05 | 1 | NOT MET |'
has "$folder/whole.md" 'lanes: .* | at least 0.85 | 0.8 | NOT MET |'
has "$folder/whole.md" '1000 columns | at least 1.5 | 1.6 | met |'
has "$folder/whole.md" 'with pinned copies .* | at least 1.5 | 1.6 | met |'
has "$folder/whole.md" 'divided: .* | at least 0.85 | 0.8 | NOT MET |'
awk -F '"' -f "$here/cuda-targets.awk" "$folder/targets.csv" >"$folder/targets.md"
has "$folder/targets.md" 'geometric mean | at least 1.25 | 1.41 | 2 of 4 measured |'
has "$folder/targets.md" 'the same, each | at least 1.05 | 1 | 2 of 4 measured |'
has "$folder/targets.md" 'irregular, geometric mean | at least 1.1 | not measured |'
has "$folder/targets.md" 'compressed rows: .* | at least 1 | 0.75 | 1 of 9 measured |'
has "$folder/targets.md" 'lanes: .* | at least 0.85 | 0.8 | 2 of 4 measured |'
has "$folder/targets.md" '1000 columns | at least 1.5 | 1.6 | 1 of 5 measured |'
has "$folder/targets.md" 'with pinned copies .* | at least 1.5 | 1.6 | 1 of 2 measured |'
has "$folder/targets.md" 'divided: .* | at least 0.85 | 0.8 | 1 of 4 measured |'
has "$folder/targets.md" 'in products, .* | at most 250 | 300 | 2 of 4 measured |'
has "$folder/targets.md" 'behind others, us | at most 6 | 4.5 | met |'
has "$folder/targets.md" 'first use of a format, ms | at most 500 | 600 | NOT MET |'

# A card that fails is no success.
FAKE_CUDA=fail=cuLaunchKernel@9:719 expect 1 --out "$folder/lost" --only spmv
has "$folder/lost/log.txt" 'spmv: FAILED'
FAKE_CUDA=fail=cuLaunchKernel@9:719 expect 1 --out "$folder/lost_too" --part 2 --only tune
FAKE_CUDA=fail=cuLaunchKernel@9:719 expect 1 --out "$folder/lost_more" --part 2 --only convert
has "$folder/lost_more/cuda.csv" 'NOT ON THE CARD: .*cuda:0'
expect 2 --out "$folder/three" --part 3
# What fails takes nothing with it: the table has the sections before it and behind.
mkdir -p "$folder/broken/bin"
cat >"$folder/broken/bin/bench_cuda" <<END
#!/bin/sh
case \$1 in
hybrid) echo 'hybrid,s7_200,begun' ; kill -SEGV \$\$ ;;
*) exec "$build/bench/bench_cuda" "\$@" ;;
esac
END
chmod +x "$folder/broken/bin/bench_cuda"
status=0
"$here/cuda.sh" --bundle "$folder/broken" --dry --budget 4000 --part all --out "$folder/broken/out" \
    >"$folder/said" 2>&1 || status=$?
[ "$status" = 1 ] || fail "a section that fails: status $status"
has "$folder/broken/out/log.txt" 'hybrid: FAILED with 139'
for section in bits spmv spmm label convert tune; do
    has "$folder/broken/out/cuda.csv" "^$section,"
done
for section in spmm label convert tune; do
    has "$folder/broken/out/cuda.md" "^| $section |"
done
# No time goes into sections that cannot work; and whoever ends it has tables.
FAKE_CUDA=fail=cuLaunchKernel@1:719 expect 1 --out "$folder/hopeless"
has "$folder/hopeless/log.txt" 'facts: FAILED'
has "$folder/hopeless/log.txt" 'nothing more is tried'
"$here/cuda.sh" --bundle "$build" --dry --out "$folder/ended" --only spmv >/dev/null 2>&1 &
ended=$!
begun() { grep -q 'spmv begins' "$folder/ended/log.txt" 2>/dev/null; }
end_when begun
has "$folder/ended/cuda.md" '^# Timings on a card'

# Nothing of a section with several programs goes on, either.
mkdir -p "$folder/bundle/bin"
cat >"$folder/bundle/bin/bench_cuda" <<END
#!/bin/sh
echo \$\$ >"$folder/share.new"
mv "$folder/share.new" "$folder/share"
exec sleep 60
END
chmod +x "$folder/bundle/bin/bench_cuda"
"$here/cuda.sh" --bundle "$folder/bundle" --dry --out "$folder/ended_bits" --only bits >/dev/null 2>&1 &
ended=$!
begun() { [ -e "$folder/share" ]; }
end_when begun
tries=0
while kill -0 "$(cat "$folder/share")" 2>/dev/null; do
    tries=$((tries + 1))
    [ "$tries" -le 50 ] || fail "a share of bits goes on where cuda.sh has ended"
    sleep 0.2
done

# What is wanted first: no section that takes all of the time is before another.
expect 0 --out "$folder/zero" --part 0
has "$folder/zero/cuda.csv" '^facts,card,Fake card 0'
has "$folder/zero/cuda.csv" '^spmv,s7_200,f32,1,Cairn,"csr",.*,yes,.*; batch [48];'
has "$folder/zero/cuda.csv" '^hybrid,s7_200,'
has "$folder/zero/cuda.csv" ',same$'
has "$folder/zero/cuda.csv" '"chosen, batch'
has "$folder/zero/cuda.md" '^| hybrid | s7_200 '
# One that is cut keeps what it wrote, and those behind it have their turn.
expect 0 --out "$folder/short" --part 0 --budget 6
grep -q ' spmv: cut after ' "$folder/short/log.txt" || has "$folder/short/cuda.csv" '^spmv,s7_200,'
has "$folder/short/cuda.csv" '^# spmv$'
has "$folder/short/log.txt" 'tune begins'

expect 0 --out "$folder/two" --part 2
has "$folder/two/cuda.csv" '^spmm,rand16_200k,f64,128,Cairn,"csr",.*,yes,'
has "$folder/two/cuda.csv" '^label,block16,f32,64,Cairn,"bcsr<16,16>",.*,yes,'
has "$folder/two/cuda.csv" '^label,block16,f32,64,Cairn,"hybrid<bell<16>,coo>",.*,yes,.* entries .*; .* entries '
has "$folder/two/cuda.csv" '^hybrid,s7_200,f64,1,Cairn,"card alone, bdia<64>",.*,yes,same,'
has "$folder/two/cuda.csv" '^hybrid,s7_200,f64,1,Cairn,"divided, bdia<64>",.*,yes,same,.*cpu:0 .*cuda:0 '
has "$folder/two/cuda.csv" '"bdia on cpu, csr on cuda, hybrid.*,yes,.*cpu:0 .*cuda:0 '
has "$folder/two/cuda.csv" '^tune,s7_200,f64,1,csr,"asked for, batch 4, staged 8, pieces 4, starts",.*,yes$'
has "$folder/two/cuda.csv" '^tune,s7_200,f64,1,csr,"chosen, batch [48], .*,yes$'
has "$folder/two/cuda.csv" '^convert,fem3_100k,f64,card,"csr to csc",.*,same$'
has "$folder/two/cuda.csv" '^convert,fem3_100k,f64,processor,"bcsr<.*> to csr",.*,same$'
has "$folder/two/cuda.md" '^| convert | fem3_100k | f64 | card | `csr to csc` |'
has "$folder/two/cuda.csv" '^convert,fem3_100k,f64,card,"csr to csc to coo to csr",.*,same$'
has "$folder/two/cuda.csv" '^convert,fem3_100k,f64,card,"csr to serpens<4>",.*,same$'
has "$folder/two/cuda.csv" '^hybrid,s7_200,f64,1,Cairn,"divided, a caller.s X, Y, bdia<64>",.*,yes,same,.*cpu:0 .*cuda:0 '
! grep -q 'DIFFERENT' "$folder/two/cuda.csv" || fail "something differs"
has "$folder/two/cuda.md" '^| spmm | rand16_200k | f64 | 128 | Cairn | `csr`'
has "$folder/two/cuda.md" '^| tune | s7_200 '
! grep -q ',NO' "$folder/two/cuda.csv" || fail "something differs"
[ "$(find "$folder/two" -type f | wc -l)" -le 8 ] || fail "more than 8 files"
