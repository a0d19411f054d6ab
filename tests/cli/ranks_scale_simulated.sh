# SPDX-License-Identifier: BSD-3-Clause
# Studies with points on SimGrid's ranks: sizes of the plan, times of the platform, marks.
. "$(dirname "$0")/lib.sh"

command -v smpirun >/dev/null || skip 'no SimGrid'
[ -x "$(dirname "$program")/cairn-smpi" ] || skip 'the build had no smpicc'
python3 -c '' 2>/dev/null || skip 'no Python to read JSON with'

# A platform of hosts with the speeds SPEED..., the link between any two of LATENCY.
platform() {
    latency=$1
    shift
    echo '<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
    echo '<platform version="4.1"><zone id="z" routing="Full">'
    n=0
    for speed; do
        echo "<host id='h$n' speed='$speed'/>"
        n=$((n + 1))
    done
    echo "<link id='l' bandwidth='100GBps' latency='$latency'/>"
    for a in $(seq 0 $((n - 1))); do
        for b in $(seq $((a + 1)) $((n - 1))); do
            echo "<route src='h$a' dst='h$b'><link_ctn id='l'/></route>"
        done
    done
    echo '</zone></platform>'
}
platform 1ns 1Gf 1Gf 1Gf 1Gf >near.xml
platform 10ms 1Gf 1Gf 1Gf 1Gf >far.xml
platform 1ns 1Gf 500Mf >unlike.xml

holds() {
    python3 -c '
import json, math, sys
s = json.load(open(sys.argv[1])); p = s["points"]
m = {q["ranks"]: q for q in p if not q["simulator"]}; v = {q["ranks"]: q for q in p if q["simulator"]}
near = lambda a, b, e=1e-9: math.isclose(a, b, rel_tol=e)
exec(sys.argv[2])
' "$1" "$2" >problem 2>&1 || fail "$1: $(tail -n 1 problem)"
}
study() {
    run_as 0 "$program" scale spmv stencil5:nx=60,ny=200 --weak --ranks 1,2 --repeat 1 \
        --iters 3 --simulate "$@"
    [ "$(grep -vc 'no gnuplot in PATH' err)" -eq 0 ] || fail 'words on standard error'
}

# The messages are the plan's, the work is the base's, and all of it is marked.
study near.xml --simulated-ranks 1,2,4
says '^      4~  '
says '^2 x 1 simulated ([+-][0-9.]* % beside the measured time) '
says '^4 x 1 simulated [a-z]*: '
says '^~ simulated by SimGrid, by near.xml$'
holds scale/points.json '
assert sorted(m) == [1, 2] and sorted(v) == [1, 2, 4]
assert all(q["clock"] == "simulated" and q["simulator"] == "simgrid" for q in v.values())
assert all(q["clock"] == "measured" and q["error"] is None for q in m.values())
for r, q in v.items():
    assert q["rows"] == 12000*r and q["halo"] == 120*(r-1) and q["halo_bytes"] == 960*(r-1)
work = (m[1]["seconds_work"] + m[1]["seconds_memory"])/m[1]["nnz"]
assert near(v[1]["seconds_median"], work*m[1]["nnz"], 1e-3)
for r in (2, 4):
    assert near(v[r]["seconds_work"] + v[r]["seconds_memory"], work*v[r]["nnz"]/r, 1e-3)
    assert v[r]["seconds_median"] >= max(work*v[r]["nnz"]/r, v[r]["seconds_work"])
    assert v[r]["seconds_start"] == 0
    assert v[r]["error"] is None if r == 4 else near(v[r]["error"], v[r]["seconds_median"]/m[r]["seconds_median"]-1)
'
grep -q '^simulated,4,1,.*,simgrid,$' scale/points.csv || fail 'points.csv does not say simulated'
grep -q '^simulated,2,1,.*,simgrid,-*[0-9.]' scale/points.csv || fail 'points.csv has no error'
grep -q 'simulated (SimGrid), up to [+-]' scale/plots.gp || fail 'the plots do not say simulated'

# A record's messages go both ways, and interior rows come before the first wait.
python3 - >problem 2>&1 <<'END' || fail "the record: $(tail -n 1 problem)"
ranks = {}
for line in open("scale/runs/ranks4-threads1-record.smpi").read().splitlines()[1:]:
    word = line.split()
    if word[0] == "rank": steps = ranks.setdefault(int(word[1]), [])
    else: steps.append(word)
assert sorted(ranks) == [0, 1, 2, 3]
got = {(int(w[1]), r): int(w[2]) for r, steps in ranks.items() for w in steps if w[0] == "receive"}
assert got == {(a, b): 480 for a in range(4) for b in range(4) if abs(a - b) == 1}, got
for steps in ranks.values():
    kinds = [w[0] for w in steps]
    assert kinds.index("start") < kinds.index("receive") and "compute" in kinds[kinds.index("start"):kinds.index("receive")]
END

# A far network is seen, and nothing is measured or recorded again; so are unlike hosts.
study far.xml --simulated-ranks 2,4
says '1 run of each point, 0 made now$'
holds scale/points.json '
assert s["runs_made"] == 0 and s["runs_kept"] == 4
assert all(0.01 <= q["seconds_median"] < 1 and q["limit"] == "exchange" for q in v.values())'
study near.xml --simulated-ranks 2
cp scale/points.json alike.json
study unlike.xml --simulated-ranks 2
holds scale/points.json '
alike = [q for q in json.load(open("alike.json"))["points"] if q["simulator"]][0]
assert near(v[2]["seconds_median"], 2*alike["seconds_median"], 0.05), (v[2]["seconds_median"], alike["seconds_median"])'

# What cannot be replayed is told, and is no number.
run_as 1 "$program" scale spmv stencil5:nx=9,ny=20 --transpose --ranks 1 --repeat 1 --iters 2 \
    --simulate near.xml --simulated-ranks 2 --folder t
complains 'ranks 2, threads 1: its steps have 0 bytes of messages, the plan has 144: not simulated$'
holds t/points.json 'assert v[2]["failed"] and v[2]["runs"] == 0 and "seconds_median" not in v[2]'
echo '<platform' >broken.xml
run_as 1 "$program" scale spmv stencil5:nx=60,ny=200 --weak --ranks 1,2 --repeat 1 --iters 3 \
    --simulate broken.xml --simulated-ranks 2
complains 'ranks 2, threads 1: smpirun failed: scale/runs/ranks2-threads1-record.log says why'
exists scale/runs/ranks2-threads1-record.log

# A step of CG is counted, not recorded: the messages and the entries of each rank are those
# that plans on as many real ranks have.
solved() {
    run_as 0 "$program" scale solve cg stencil5:nx=60,ny=200 --ranks 1,2 --repeat 1 --max-iterations 20 \
        --folder solve --simulate "$@"
}
solved near.xml --simulated-ranks 1,2,4
says '^      4~  '
printf '{"name": "m", "devices": [{"name": "d", "count": 4, "bandwidth": 1e9}],
    "near": {"latency": 1e-6, "bandwidth": 1e9}}' >m.json
on 4 0 whatif solve cg stencil5:nx=60,ny=200 --machine m.json --json counted.json
cat >steps.py <<'END'
ranks = {}
for line in open("solve/runs/ranks4-threads1-record.smpi").read().splitlines()[1:]:
    word = line.split()
    if word[0] == "rank": steps = ranks.setdefault(int(word[1]), [])
    else: steps.append(word)
plan = json.load(open("counted.json"))["rank"]
assert sorted(ranks) == [0, 1, 2, 3] == list(range(len(plan)))
rates = []
for k, steps in ranks.items():
    assert [w[0] for w in steps if w[0] != "receive"] == ["start", "compute", "compute", "sum", "compute", "sum", "compute"]
    got = {int(w[1]): int(w[2]) for w in steps if w[0] == "receive"}
    assert got == {b: 480 for b in (k - 1, k + 1) if 0 <= b < 4}, got
    assert sum(got.values()) == plan[k]["halo_bytes"] and len(got) == plan[k]["messages"]
    inside, outside, middle, last = [float(w[1]) for w in steps if w[0] == "compute"]
    assert near(last*3, middle*5, 1e-6)
    rates.append((inside + outside - middle*2/3)/plan[k]["entries"])
assert all(near(rate, rates[0], 1e-6) for rate in rates), rates
END
holds solve/points.json '
exec(open("steps.py").read())
assert sorted(m) == [1, 2] and sorted(v) == [1, 2, 4]
assert all(q["clock"] == "simulated" for q in v.values())
assert v[2]["halo_bytes"] == m[2]["halo_bytes"] == 960 and v[4]["halo_bytes"] == 6*480
assert near(v[1]["seconds_median"], m[1]["seconds_median"], 1e-3) and abs(v[1]["error"]) < 1e-3
assert 0.98 <= 4*v[4]["seconds_median"]/v[1]["seconds_median"] <= 1.2, (v[4], v[1])'
cp solve/points.json near.json
# Two sums and the rows of a neighbour, one after the other.
solved far.xml --simulated-ranks 2
says ' 0 made now$'
holds solve/points.json 'assert 0.03 <= v[2]["seconds_median"] <= 0.2 and v[2]["limit"] == "exchange"'
solved unlike.xml --simulated-ranks 2
holds solve/points.json '
alike = [q for q in json.load(open("near.json"))["points"] if q["simulator"] and q["ranks"] == 2][0]
assert near(v[2]["seconds_median"], 2*alike["seconds_median"], 0.05), (v[2], alike)'
for words in bicgstab 'cg --reproducible' 'cg --format coo' 'cg --precondition block-jacobi'; do
    # shellcheck disable=SC2086 # some words
    set -- $words
    method=$1
    shift
    run_as 1 "$program" scale solve "$method" stencil5:nx=9,ny=20 "$@" --ranks 1 --repeat 1 \
        --max-iterations 3 --folder "$(echo "f$words" | tr -d " -")" --simulate near.xml --simulated-ranks 2
    complains 'ranks 2, threads 1: .* simulated'
done

# What a rank needs of others is counted in the time of its neighbours, not of all ranks: a
# million are a second of work, where each going through all others is 10^12 steps.
mkdir none
printf '#!/bin/sh\nexit 1\n' >none/smpirun
chmod +x none/smpirun
begin=$(date +%s)
run_as 1 env PATH="$folder/none:$PATH" "$program" scale solve cg stencil5:nx=9,ny=20 --ranks 1 \
    --repeat 1 --max-iterations 3 --folder million --simulate near.xml --simulated-ranks 1000000
complains 'ranks 1000000, threads 1: smpirun failed'
[ $(($(date +%s) - begin)) -lt 300 ] || fail 'it took minutes to count'
[ "$(grep -c '^rank ' million/runs/ranks1000000-threads1-record.smpi)" = 1000000 ] ||
    fail 'not all ranks were counted'

expect 2 scale spmv stencil5:nx=9,ny=9 --simulated-ranks 4
complains 'only with --simulate$'
expect 1 scale spmv stencil5:nx=9,ny=9 --simulate missing.xml
mkdir few
for tool in mpirun orted; do ln -s "$(command -v $tool)" few/$tool; done
run_as 1 env PATH="$folder/few" "$program" scale spmv stencil5:nx=60,ny=200 --weak --ranks 1,2 --repeat 1 \
    --iters 3 --simulate near.xml --simulated-ranks 2
complains '^cairn: simulate: smpirun: not in PATH'
finish
