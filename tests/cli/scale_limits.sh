# SPDX-License-Identifier: BSD-3-Clause
# What a study says of times that are known: a launcher writes the reports of runs, so that
# every share, limit and sentence has one right value.
. "$(dirname "$0")/lib.sh"

python3 -c '' 2>/dev/null || skip 'no Python to write JSON with'

# The launcher: $FOLDER/times has a line for each number of ranks, "RANKS NNZ SECONDS" and
# for every part RANK:DEVICE:SECONDS, or ALL:DEVICE:SECONDS.
mkdir bin
cat >bin/made <<'END'
#!/usr/bin/env python3
import json, os, sys
ranks = int(sys.argv[2])
path = [w[7:] for w in sys.argv if w.startswith("--json=")][0]
line = [l.split() for l in open(os.environ["FOLDER"] + "/times") if int(l.split()[0]) == ranks][0]
parts = []
for word in line[3:]:
    rank, device, seconds = word.split("/")
    for r in range(ranks) if rank == "all" else [int(rank)]:
        parts.append({"rank": r, "device": device, "seconds": float(seconds)})
json.dump({"ranks": ranks, "rows": 10, "cols": 10, "nnz": int(line[1]), "clock": "measured",
           "seconds_median": float(line[2]), "seconds_min": float(line[2]) / 2, "gflops": 1,
           "halo": 3, "halo_bytes": 2048, "bytes_per_run": 10**9, "parts": parts}, open(path, "w"))
END
printf '#!/bin/sh\nexit 0\n' >bin/gnuplot
chmod +x bin/made bin/gnuplot
ln -s made bin/mpirun
export FOLDER="$folder"
PATH=$folder/bin:$PATH

# study TIMES OPTIONS...: a study of these times, in a folder of its own.
study() {
    echo "$1" >times
    shift
    rm -rf scale
    expect 0 scale spmv m.mtx --repeat 1 "$@"
}

# is RANKS LIMIT WORK MEMORY IMBALANCE EXCHANGE START SPEEDUP EFFICIENCY
is() {
    python3 - "$@" >problem 2>&1 <<'END' || fail "$1 ranks: $(tail -n 1 problem)"
import json, math, sys
ranks, limit, want = int(sys.argv[1]), sys.argv[2], [float(w) for w in sys.argv[3:]]
p = [q for q in json.load(open("scale/points.json"))["points"] if q["ranks"] == ranks][0]
got = [p["seconds_" + n] for n in ("work", "memory", "imbalance", "exchange", "start")]
got += [p["speedup"], p["efficiency"]]
assert p["limit"] == limit and len(got) == len(want), p["limit"]
assert all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) for a, b in zip(got, want)), (got, want)
END
}

base='1 1000 1.02 0/cpu:0/1'

# On more ranks each share in turn is the largest.
study "$base
2 1000 0.51 all/cpu:0/0.5
3 1000 0.62 all/cpu:0/0.6
4 1000 0.71 0/cpu:0/0.1 1/cpu:0/0.1 2/cpu:0/0.1 3/cpu:0/0.7
5 1000 0.90 all/cpu:0/0.2
8 1000 0.15 all/cpu:0/0.1" --launcher made --ranks 1,2,3,4,5,8
is 1 product 1 0 0 0 0.02 1 1
is 2 product 0.5 0 0 0 0.01 2 1
is 3 memory 0.333333333333333333 0.266666666666666667 0 0 0.02 1.64516129032258065 0.548387096774193548
is 4 imbalance 0.25 0 0.45 0 0.01 1.43661971830985915 0.359154929577464789
is 5 exchange 0.2 0 0 0.68 0.02 1.13333333333333333 0.226666666666666667
is 8 exchange 0.1 0 0 0.03 0.02 6.8 0.85
says '^3 x 1 memory: an entry takes 1.80 times as long as on 1 rank: 43 % of a run$'
says '^4 x 1 imbalance: the slowest rank works 2.80 times the mean: 63 % of a run$'
says '^5 x 1 exchange: waits for 2048 bytes of other ranks: 76 % of a run$'

# A weak study's base has fewer entries; a rank's devices work at the same time, parts on one
# in turn; noise that makes the work longer than the run leaves no wait.
study '1 1000 2 0/cpu:0/0.5 0/cpu:0/0.5 0/cuda:0/0.9
2 2000 1.0 all/cpu:0/1.1' --launcher made --ranks 1,2
is 1 start 1 0 0 0 1 1 1
is 2 memory 1 0.1 0 0 0 4 2
says '^1 x 1 start: around the work, threads and barriers: 50 % of a run$'

# Where the base has several ranks, nothing tells its start from its messages.
study '2 1000 1.2 all/cpu:0/1
4 1000 0.8 all/cpu:0/0.5' --launcher made --ranks 2,4
is 2 exchange 1 0 0 0.2 0 1 1
is 4 exchange 0.5 0 0 0.3 0 1.5 0.75

# More threads than processors: neither memory nor messages can be told from the crowd.
study "$base
2000 1000 1 all/cpu:0/0.5" --ranks 1,2000
is 2000 processors 0.0005 0.4995 0 0.48 0.02 1.02 0.00051
says '^   2000\* '
says '^2000 x 1 processors: 2000 threads on [0-9]* processors, and messages: 98 % of a run$'

# Medians and least times are those of all runs of a point.
for seconds in 3 1 2; do echo "1 1000 $seconds 0/cpu:0/$seconds" >times$seconds; done
rm -rf scale
for run in 1 2 3; do
    cp times$((4 - run)) times
    expect 0 scale spmv m.mtx --repeat $run --launcher made --ranks 1
done
python3 -c '
import json
p = json.load(open("scale/points.json"))["points"][0]
assert p["seconds"] == [3, 2, 1] and p["seconds_median"] == 2 and p["seconds_min"] == 0.5 and p["runs"] == 3, p' >problem 2>&1 ||
    fail "$(tail -n 1 problem)"
finish
