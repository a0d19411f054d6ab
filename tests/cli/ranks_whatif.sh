# SPDX-License-Identifier: BSD-3-Clause
# Predictions on machines that are made up so that each has one right value: it follows from
# the grid by hand, from the arrays that a run reports, and from the rates of the file.
. "$(dirname "$0")/lib.sh"

python3 -c '' 2>/dev/null || skip 'no Python to read JSON with'
export CAIRN_COSTS="$folder/costs.json" CAIRN_COST=learned

# holds FILE WORDS: of the object in a file, a, and its ranks, r.
holds() {
    python3 -c '
import json, math, sys
a = json.load(open(sys.argv[1])); r = a["rank"]
near = lambda a, b: math.isclose(a, b, rel_tol=1e-9)
exec(sys.argv[2])
' "$1" "$2" >problem 2>&1 || fail "$1: $(tail -n 1 problem)"
}
machine() { printf '{"name": "made up", "devices": [%s]%s}\n' "$1" "${2:-}" >m.json; }

# One device: bytes, entries and starts by themselves.
expect 0 generate stencil5 --nx 30 --ny 40 -o g.mtx
machine '{"name": "d", "bandwidth": 1e9}'
expect 0 whatif spmv g.mtx --machine m.json --json a.json
# CSR of 1200 rows and 5860 entries: ptr of 32 bits, idx of 16, val of 8; x and y of 64.
holds a.json '
assert a["nnz"] == 5860 and r[0]["entries"] == 5860
assert r[0]["bytes"] == 4*1201 + 2*5860 + 5860 + 2*8*1200, r[0]["bytes"]
assert near(a["seconds"], r[0]["bytes"]/1e9) and near(r[0]["seconds_work"], a["seconds"])
assert a["clock"] == "predicted" and a["ranks"] == 1 and a["machine"] == "made up"
assert a["seconds_low"] is None and a["seconds_high"] is None and a["error"] is None and a["held_out"] == 0'
expect 0 whatif spmv g.mtx --machine m.json
says '^predicted '
says '^error     not known: nothing to hold out was measured'
machine '{"name": "d", "bandwidth": 1e15, "entries": 1e6}'
expect 0 whatif spmv g.mtx --machine m.json --json a.json
holds a.json 'assert near(a["seconds"], 5860/1e6 + r[0]["bytes"]/1e15)'
machine '{"name": "d", "bandwidth": 1e15, "start": 0.5}'
expect 0 whatif spmv g.mtx --format 'hybrid<bdia<8>,csr,0.6>' --machine m.json --json a.json
holds a.json 'assert near(a["seconds"], 2*0.5 + r[0]["bytes"]/1e15)' # a start for each member
machine '{"name": "d", "bandwidth": 1e9}'
expect 0 whatif spmm g.mtx --k 4 --machine m.json --json a.json
holds a.json 'assert r[0]["bytes"] == 4*1201 + 3*5860 + 4*2*8*1200'

# Four ranks, two hosts of two: a line of the grid travels each way. Rank 0 has the fast
# device, so that another one is the slowest.
cat >four.json <<'JSON'
{"name": "four", "host": 2,
 "devices": [{"name": "fast", "bandwidth": 4e9}, {"name": "slow", "count": 3, "bandwidth": 1e9, "start": 1e-6}],
 "near": {"latency": 2e-6, "bandwidth": 1e9}, "far": {"latency": 3e-5, "bandwidth": 1e8}}
JSON
on 4 0 run spmv g.mtx --iters 1 --json run.json
on 4 0 whatif spmv g.mtx --machine four.json --json a.json
cat >four.py <<'END_OF_PYTHON'
parts = json.load(open("run.json"))["parts"]
assert len(r) == len(parts) == 4 and sum(q["entries"] for q in r) == 5860
hops = [[2e-6], [2e-6, 3e-5], [3e-5, 2e-6], [2e-6]]
rate = {2e-6: 1e9, 3e-5: 1e8}
products = []
for k, (q, p) in enumerate(zip(r, parts)):
    n = len(hops[k])
    assert q["entries"] == p["nnz"] and q["messages"] == n and q["halo_bytes"] == 30*8*n
    assert q["bytes"] == p["bytes"] + 8*(p["rows"] + 30*n) + 8*p["rows"], (q["bytes"], p)
    assert near(q["inside"], 1 - 30*n/p["rows"])
    stored = q["bytes"]/(4e9 if k == 0 else 1e9)
    exchange = sum(h + 240/rate[h] for h in hops[k])
    start = 0 if k == 0 else 1e-6
    products.append(start + max(stored*q["inside"], exchange) + stored*(1 - q["inside"]))
    if a["op"] == "spmv":
        assert near(q["seconds_exchange"], exchange) and near(q["seconds_work"], start + stored)
        assert near(q["seconds"], products[k])
END_OF_PYTHON
holds a.json 'exec(open("four.py").read()); assert near(a["seconds"], max(products))'
# The exchange of the middle ranks, 34.64 us, is longer than their work inside.
holds a.json 'exec(open("four.py").read()); assert r[1]["seconds_exchange"] > r[1]["seconds_work"]'

# A step of CG: 10 vectors, 2 sums over both hosts; the pipelined one's sum is hidden behind
# the product if that is longer.
on 4 0 whatif solve cg g.mtx --machine four.json --json a.json
holds a.json '
exec(open("four.py").read())
for k, (q, p) in enumerate(zip(r, parts)):
    vectors = 10*8*p["rows"]/(4e9 if k == 0 else 1e9)
    assert near(q["seconds_vectors"], vectors) and near(q["seconds_sums"], 2*(2e-6 + 3e-5))
    assert near(q["seconds"], products[k] + vectors + 2*(2e-6 + 3e-5))
assert near(a["seconds"], max(q["seconds"] for q in r)) and a["method"] == "cg"'
on 4 0 whatif solve pipelined-cg g.mtx --machine four.json --precondition jacobi --json a.json
holds a.json '
exec(open("four.py").read())
for k, (q, p) in enumerate(zip(r, parts)):
    vectors = 21*8*p["rows"]/(4e9 if k == 0 else 1e9)
    assert near(q["seconds"], max(products[k], 3.2e-5) + vectors), (q, products[k], vectors)'
on 4 0 whatif solve bicgstab g.mtx --machine four.json --json a.json
holds a.json '
exec(open("four.py").read())
for k, (q, p) in enumerate(zip(r, parts)):
    vectors = 23*8*p["rows"]/(4e9 if k == 0 else 1e9)
    assert near(q["seconds"], 2*products[k] + vectors + 3*3.2e-5)'
on 4 0 whatif solve cg g.mtx --machine four.json
says '^predicted .* a step$'
says '^  rank .* vectors .* sums '

# The error is that of what was measured here and held out: families whose products take a
# microsecond and 0.1 ns a byte, and one that takes three times as long.
rm -f costs.json
for format in csr coo ell; do expect 0 run spmv g.mtx --format $format --iters 9; done
python3 - >problem 2>&1 <<'END' || fail "costs.json: $(tail -n 1 problem)"
import json
costs = json.load(open("costs.json"))
models = [m for m in costs["models"] if m["family"].startswith("product")]
assert len(models) == 3, len(models)
for k, m in enumerate(models):
    when = m["samples"][0][3]
    m["samples"] = [[1e4*4**j, 1e3*4**j, (3 if k == 2 else 1)*(1e-6 + 1e-10*1e4*4**j), when] for j in range(8)]
    m["prior"] = [1e-6, 1e-10, 0]
costs["models"] = models
json.dump(costs, open("costs.json", "w"))
END
machine '{"name": "d", "bandwidth": 1e9}'
expect 0 whatif spmv g.mtx --machine m.json --json a.json
holds a.json '
assert a["held_out"] == 24 and a["families"] == 3
low, middle, high = a["error"]
assert low < middle <= high and abs(high - 3) < 0.2 and low <= 1.01, a["error"]
assert near(a["seconds"], r[0]["bytes"]/1e9)
assert near(a["seconds_low"], low*a["seconds"]) and near(a["seconds_high"], high*a["seconds"])'
expect 0 whatif spmv g.mtx --machine m.json
says '^error     .* to .*, if products are as far from such rates as here$'
says 'of 24 held-out products of 3 families'

# What is wrong is told in one line, on all ranks.
expect 2 whatif spmv g.mtx
complains '--machine: is missing'
expect 1 whatif spmv g.mtx --machine nowhere.json
expect 2 whatif spmv g.mtx --machine g.mtx
on 4 1 whatif spmv g.mtx --machine m.json
complains 'machine: made up has 1 devices, and there are 4 ranks$'
machine '{"name": "d", "bandwith": 1e9}'
on 2 2 whatif spmv g.mtx --machine m.json
complains '^cairn: machine: m.json:1:47: bandwith: no such field; did you mean bandwidth?$'
machine '{"name": "d", "bandwidth": 1e9, "count": 2}'
expect 2 whatif spmv g.mtx --machine m.json
complains 'near: is missing: ranks that it lies between$'
machine '{"name": "d", "bandwidth": 1e9}'
expect 2 whatif solve gmres:5 g.mtx --machine m.json
complains 'steps of gmres with none are not counted in this version$'
expect 2 whatif solve cg g.mtx --precondition block-jacobi --machine m.json
expect 2 whatif solve cg --machine m.json
expect 2 whatif spmv g.mtx --precondition jacobi --machine m.json
expect 2 whatif solve cg g.mtx --k 3 --machine m.json
expect 2 whatif spmx g.mtx --machine m.json
expect 0 generate uniform --n 20 --degree 2 -o u.mtx
sed 's/"count": 3/"count": 9/' four.json >m.json
on 2 2 whatif spmv u.mtx --format 'csr @ (d0 % ranks)' --machine m.json
finish
