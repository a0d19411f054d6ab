# SPDX-License-Identifier: BSD-3-Clause
# Scaling studies: points and what they say, what is run again and what is not, what fails,
# what a signal leaves, plots with and without gnuplot.
. "$(dirname "$0")/lib.sh"

if ! python3 -c '' 2>/dev/null; then skip 'no Python to read JSON with'; fi

# A launcher that notes every start, and does what a test has asked for: $folder/do.N is a
# line of shell for a start of N ranks; without it N ranks start.
mkdir bin
cat >bin/launch <<'END'
#!/bin/sh
shift_n() { shift 2; exec "$@"; } # the program alone
echo "$2" >>"$FOLDER/starts"
[ ! -e "$FOLDER/do.$2" ] || . "$FOLDER/do.$2"
exec "$MPIEXEC" "$@"
END
printf '#!/bin/sh\nexit 0\n' >bin/gnuplot
chmod +x bin/launch bin/gnuplot
export MPIEXEC FOLDER="$folder"
plain=$PATH
PATH=$folder/bin:$PATH
problem=stencil5:nx=12,ny=10

# starts WANTED: the numbers of ranks that were started since the last look.
starts() {
    [ "$(echo $(cat starts 2>/dev/null))" = "$1" ] || fail "started: $(echo $(cat starts 2>/dev/null)), not: $1"
    rm -f starts
}

# holds FILE LINES: what a study's JSON must have, in Python: s the study, p its points.
holds() {
    python3 -c '
import json, math, sys
s = json.load(open(sys.argv[1])); p = s["points"]
near = lambda a, b: math.isclose(a, b, rel_tol=1e-9)
exec(sys.argv[2])
' "$1" "$2" >problem 2>&1 || fail "$1: $(tail -n 1 problem)"
}

study() { expect "$1" scale spmv $problem --launcher launch --iters 2 --warmup 1 --repeat 2 "$2" "$3" $4; }

# A weak study on 1 and 2 ranks, in turns: exact sizes and halos, numbers that agree.
study 0 --ranks 1,2 --weak
starts '1 2 1 2'
says '^spmv stencil5:nx=12,ny=10: weak scaling, 2 runs of each point, 4 made now$'
says '^1 x 1 '
says '^in scale: '
holds scale/points.json '
assert s["op"] == "spmv" and s["scaling"] == "weak" and s["runs_made"] == 4 and s["runs_kept"] == 0
assert [q["ranks"] for q in p] == [1, 2] and all(q["failed"] is None and q["runs"] == 2 for q in p)
assert [q["matrix"] for q in p] == ["stencil5:nx=12,ny=10", "stencil5:nx=12,ny=20"]
assert [q["rows"] for q in p] == [120, 240] and [q["nnz"] for q in p] == [5*120-44, 5*240-64]
assert [q["halo"] for q in p] == [0, 24] and [q["halo_bytes"] for q in p] == [0, 192]
b = p[0]
assert b["speedup"] == 1 and b["efficiency"] == 1
for q in p:
    assert near(q["seconds_median"], sum(q["seconds"])/2) and 0 < q["seconds_min"] <= min(q["seconds"])
    assert near(q["speedup"], q["nnz"]/q["seconds_median"]/(b["nnz"]/b["seconds_median"]))
    assert near(q["efficiency"], q["speedup"]/q["ranks"])
    parts = [q["seconds_" + n] for n in ("work", "memory", "imbalance", "exchange", "start")]
    assert all(x >= 0 for x in parts) and sum(parts) >= q["seconds_median"]*(1-1e-9)
    assert near(sum(parts[:3]), (parts[0]+parts[1])*q["imbalance"])
    assert q["limit"] in ("product", "memory", "processors", "imbalance", "exchange", "start") and q["why"]
assert p[0]["imbalance"] == 1 and p[0]["seconds_exchange"] == 0
'

# The rows of the CSV are those numbers.
python3 - >problem 2>&1 <<'END' || fail "points.csv: $(tail -n 1 problem)"
import csv, json
points = json.load(open("scale/points.json"))["points"]
rows = list(csv.DictReader(open("scale/points.csv")))
assert len(rows) == len(points) == 2
for row, point in zip(rows, points):
    assert None not in row and row["clock"] == "measured"
    for name in row:
        if name in ("clock", "devices"): continue
        value = point[name]
        if value is None:
            assert row[name] == "" and name in ("simulator", "error"), name
            continue
        assert row[name] == value if isinstance(value, str) else float(row[name]) == value, name
END

# Once more: nothing is run, and the files are those that there were. More ranks, and more
# runs, are all that is added.
ls -l --time-style=full-iso scale/runs >before
study 0 --ranks 1,2 --weak
starts ''
says '2 runs of each point, 0 made now$'
ls -l --time-style=full-iso scale/runs >after
same before after
holds scale/points.json 'assert s["runs_made"] == 0 and s["runs_kept"] == 4 and all(q["runs"] == 2 for q in p)'
study 0 --ranks 1,2,3 --weak
starts '3 3'
holds scale/points.json 'assert [q["rows"] for q in p] == [120, 240, 360] and s["runs_kept"] == 4'

# A report that is cut short is none: that run alone is made again.
head -c 100 scale/runs/ranks2-threads1-1.json >cut
cp cut scale/runs/ranks2-threads1-1.json
study 0 --ranks 1,2 --weak
starts '2'

# Another study is not mixed with it.
expect 2 scale spmv $problem --launcher launch --iters 3 --warmup 1 --weak
complains '^cairn: option: --folder: scale: is another study.s: its options is {"iters":"2"'
expect 2 scale spmv $problem --launcher launch --iters 2 --warmup 1
complains 'its scaling is "weak"$'
starts ''

# A point that fails is told, and stops no other; it alone is tried again.
echo 'echo "cairn: memory: made up: too little" >&2; exit 1' >do.2
run_as 1 "$program" scale spmv $problem --launcher launch --folder failing --ranks 1,2,3 --repeat 2 --iters 2
starts '1 2 3 1 3'
complains '^cairn: scale: 1 of 3 points: failed, and the next command tries them again; ranks 2, threads 1: memory: made up: too little (status 1)$'
says '^2 x 1 failed: memory: made up: too little'
holds failing/points.json '
assert [q["runs"] for q in p] == [2, 0, 2] and "made up" in p[1]["failed"] and "nnz" not in p[1]'
grep -q '^measured,2,1,"","stencil5:nx=12,ny=10",,,,0,.*,failed,"memory: made up' failing/points.csv || fail 'no row of the failure'
rm do.2
expect 0 scale spmv $problem --launcher launch --folder failing --ranks 1,2,3 --repeat 2 --iters 2
starts '2 2'

# Late ones are ended; ranks that are no job, and wrong options, are told.
echo 'echo $$ >"$FOLDER/late.pid"; exec sleep 1000' >do.1
expect 1 scale spmv $problem --launcher launch --folder late --ranks 1 --within 1
complains 'ranks 1, threads 1: ended after 1 s, which --within allows it$'
kill -0 "$(cat late.pid)" 2>/dev/null && fail 'what was late still runs'
rm do.1
echo 'shift_n "$@"' >do.2
expect 1 scale spmv $problem --launcher launch --folder apart --ranks 2 --iters 2
complains 'its report is not one of 2 ranks in seconds$'
rm do.2
expect 2 scale spmv $problem --launcher launch --folder wrong --ranks 1 --format csx --iters 2
complains 'did you mean csf? (status 2)$'
rm starts

# A study that a signal ends goes on: the run that was at work ends with it, by its id, and
# those before it stay.
for signal in TERM INT; do
    rm -rf killed mark
    echo 'if [ "$(wc -l <"$FOLDER/starts")" -eq 3 ]; then echo $$ >"$FOLDER/mark"; exec sleep 1000; fi' >do.1
    checks=$((checks + 1))
    last="scale ended by $signal"
    # A shell has what it starts behind & ignore SIGINT.
    env --default-signal=INT "$program" scale spmv $problem --launcher launch --folder killed \
        --ranks 1,2 --repeat 2 --iters 2 >out 2>err </dev/null &
    child=$!
    turns=0
    until [ -s mark ] || [ $turns -ge 6000 ]; do
        turns=$((turns + 1))
        sleep 0.02
    done
    kill -s $signal $child
    wait $child
    [ $? -gt 128 ] || fail 'it did not end by the signal'
    kill -0 "$(cat mark)" 2>/dev/null && fail 'what it had started still runs'
    starts '1 2 1'
    rm do.1
    expect 0 scale spmv $problem --launcher launch --folder killed --ranks 1,2 --repeat 2 --iters 2
    starts '1 2'
    holds killed/points.json 'assert s["runs_made"] == 2 and s["runs_kept"] == 2'
done

# Two commands do not work in one folder.
flock killed/runs "$program" scale spmv $problem --launcher launch --folder killed --ranks 1 --iters 2 >out 2>err
checks=$((checks + 1))
last='a folder that is locked'
complains 'another command is at work there'

# Without gnuplot, one line, and all numbers; with it, pictures.
mkdir few
ln -s "$folder/bin/launch" few/launch
rm killed/plots.*
for tool in sh dirname cat wc; do ln -s "$(command -v $tool)" few/$tool; done
run_as 0 env PATH="$folder/few" "$program" scale spmv $problem --launcher launch --folder killed --ranks 1,2 --repeat 2 --iters 2
[ "$(cat err)" = 'cairn: warning: scale: killed/plots.gp: no gnuplot in PATH to draw it' ] || fail 'not the one line'
says '^1 x 1 '
exists killed/plots.gp
absent killed/plots.svg
if PATH=$plain command -v gnuplot >/dev/null; then
    rm bin/gnuplot
    expect 0 scale spmv $problem --launcher launch --folder killed --ranks 1,2 --repeat 2 --iters 2
    exists killed/plots.png
    [ "$(head -c 4 killed/plots.png | tail -c 3)" = PNG ] || fail 'plots.png is no PNG'
    for text in 'seconds of a product' 'efficiency, %' 'other ranks' 'slowest rank' exchange; do
        grep -q "$text" killed/plots.svg || fail "plots.svg does not have: $text"
    done
    python3 -c 'import sys, xml.dom.minidom as x; x.parse("killed/plots.svg")' 2>problem || fail 'plots.svg is no XML'
    absent killed/plots.log
fi
printf '#!/bin/sh\necho no display >&2\nexit 3\n' >bin/gnuplot
chmod +x bin/gnuplot
run_as 0 "$program" scale spmv $problem --launcher launch --folder killed --ranks 1 --iters 2 --json -
complains '^cairn: warning: scale: killed/plots.gp: gnuplot could not draw it: killed/plots.log says why$'
holds out 'assert len(p) == 1 and p[0]["runs"] == 3 and s["runs_made"] == 1 and s["runs_kept"] == 2'
grep -q 'no display' killed/plots.log || fail 'plots.log does not say why'

# A solver, that converges or does all iterations it is given; and one that does neither.
printf '#!/bin/sh\nexit 0\n' >bin/gnuplot
expect 0 scale solve cg $problem --launcher launch --folder solved --ranks 1,2 --repeat 1 --precondition jacobi --json s.json
holds s.json 'assert [q["ranks"] for q in p] == [1, 2] and s["runs_made"] == 2'
grep -q '"outcome": "converged"' solved/runs/ranks2-threads1-1.json || fail 'it did not solve'
expect 0 scale solve cg $problem --launcher launch --folder limited --ranks 1 --repeat 1 --max-iterations 3 --json s.json
holds s.json 'assert p[0]["runs"] == 1'
grep -q '"outcome": "limit"' limited/runs/ranks1-threads1-1.json || fail 'it did not end at the limit'
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 -4\n' >minus.mtx
run_as 1 "$program" scale solve cg minus.mtx --launcher launch --folder minus --ranks 1 --repeat 1
complains 'not positive definite'
absent minus/runs/ranks1-threads1-1.json
rm -f starts

# What cannot be a study.
expect 2 scale spmv
expect 2 scale spmm a.mtx b.mtx
complains 'b.mtx: one too many\|a.mtx: one too many'
expect 2 scale smpv $problem
complains 'did you mean spmv?'
expect 2 scale spmv a.mtx --weak
complains 'a.mtx is no test problem that could grow'
expect 2 scale spmv $problem --weak --strong
expect 2 scale spmv $problem --ranks 2,1
complains '1 behind 2: they do not ascend'
expect 2 scale spmv $problem --ranks 0,1
expect 2 scale cgs $problem
complains 'no such operation (spmv, spmm, solve)$'
expect 2 scale spmv $problem --threads 1,x
expect 2 scale spmv $problem --devices 'cpu;'
expect 2 scale spmv $problem --repeat 100
expect 2 scale spmv $problem --within -1
expect 2 scale spmv stencil5:nx=3 --folder none
expect 2 scale spmv rmat:scale=4,edges=9 --weak --ranks 1,3 --folder none
complains 'grows with powers of two, not 3 times'
expect 2 scale spmv tridiag:n=9000000000000000000 --weak --ranks 1,2 --folder none
complains 'beyond 64 bits'
expect 1 scale spmv $problem --launcher ./nowhere --folder none
complains '^cairn: launcher: ./nowhere: not in PATH'
expect 1 scale spmv $problem --folder nowhere/none
run_as 2 "$MPIEXEC" -n 2 "$program" scale spmv $problem --folder none
complains '^cairn: scale: spmv: is not to be started by a launcher'
finish
