# SPDX-License-Identifier: BSD-3-Clause
# Plans in files, edited and wrong; bits and traces of two devices.
. "$(dirname "$0")/lib.sh"
hybrid='hybrid<bdia<64>,csr,0.6>'
two='--devices cpu:2 --place 0=cpu:0,1=cpu:1'

expect 0 generate mixed --n 2000 --degree 4 -o a.mtx

# The same bits wherever members are.
expect 0 run spmv a.mtx --format "$hybrid" --out one.mtx
expect 0 run spmv a.mtx --format "$hybrid" $two --verify --out two.mtx --plan-out p.json --trace t.json
says 'cpu:0$'
says 'cpu:1$'
says 'trace in t.json'
same one.mtx two.mtx

# A plan brings its format, and is for this run alone.
expect 0 run spmv a.mtx --plan p.json --devices cpu:2 --out two.mtx
says 'cpu:1$'
same one.mtx two.mtx
expect 1 run spmv a.mtx --plan p.json
complains 'cpu:1: this run has 1 cpu device; --devices'
expect 2 run spmv a.mtx --plan p.json --place cpu
expect 2 run spmv a.mtx --plan p.json --format csr --devices cpu:2
complains 'p.json:[0-9]*:[0-9]*: format: '
expect 2 run spmv a.mtx --plan p.json --dtype f32 --devices cpu:2
complains 'p.json:[0-9]*:[0-9]*: dtype: '
expect 2 run spmm a.mtx --plan p.json --devices cpu:2
complains 'p.json:[0-9]*:[0-9]*: columns: '
expect 2 run spmv a.mtx --plan p.json --transpose --devices cpu:2
complains 'p.json:[0-9]*:[0-9]*: transposed: '
expect 2 run spmv a.mtx --plan a.mtx

# edited STATUS SCRIPT: the plan as sed changes it.
edited() {
    sed "$2" p.json >q.json
    expect "$1" run spmv a.mtx --plan q.json --devices cpu:2
}
edited 0 's/cpu:1/cpu:0/'
edited 0 's/"parts": \[/"parts": [], "were": [/'
says '^  1 '
edited 1 's/cpu:1/cpu:7/'
edited 2 's/cpu:1/cqu:1/'
complains 'q.json:28:14: .*did you mean cpu?'
edited 2 's/"member": 1/"member": 0/'
complains 'q.json:27:14: member: it is placed twice'
edited 2 's/"member": 1/"member": 2/'
complains 'q.json:27:14: member: the format has fewer'
edited 2 's/"member": 1/"member": "1"/'
edited 2 's/"device": "cpu:1"/"devise": "cpu:1"/'
edited 2 's/"cairn_plan": 1/"cairn_plan": 2/'
edited 2 's/cairn_plan/plan/'
edited 2 '$d'

# Places that are wrong on any machine, and on this one.
for place in 2=cpu 0=cpu,0=cpu x=cpu -1=cpu 0=cpu, cqu; do
    expect 2 run spmv a.mtx --format "$hybrid" --place "$place"
    complains '^cairn: option: --place: '
done
expect 1 run spmv a.mtx --format "$hybrid" --place 0=cpu:3

# Nothing is left of what cannot be written.
expect 1 run spmv a.mtx --trace nowhere/t.json
expect 1 run spmv a.mtx --plan-out nowhere/p.json

# A trace: bars of a track in their order, none above another, ten runs of each task, and
# before them how the matrix was stored.
cat >bars.py <<'END'
import json, sys

bars = {}
for event in json.load(open(sys.argv[1]))["traceEvents"]:
    if event["ph"] == "X":
        bars.setdefault((event["pid"], event["tid"]), []).append(event)
for track in bars.values():
    for one, next in zip(track, track[1:]):
        assert one["ts"] + one["dur"] <= next["ts"] + 0.0021, (one, next)
count = {}
for event in sum(bars.values(), []):
    count[event["name"]] = count.get(event["name"], 0) + 1
wanted = {name: 10 for name in ["member 0 on cpu:0", "member 1 on cpu:1", "add member 1"]}
stored = ["deal"] + [f"{what} member {m}" for what in ("count", "fill") for m in (0, 1)]
assert count == {**wanted, **{name: 1 for name in stored}}, count
convert = [bar for bar in sum(bars.values(), []) if bar["cat"] == "convert"]
assert sorted(bar["name"] for bar in convert) == sorted(stored), convert
assert all(bar["args"]["bytes"] > 0 and bar["ts"] >= 0 for bar in convert), convert
last = max(bar["ts"] + bar["dur"] for bar in convert)
assert all(last <= bar["ts"] for bar in sum(bars.values(), []) if bar not in convert), last
END
run_as 0 python3 bars.py t.json

finish
