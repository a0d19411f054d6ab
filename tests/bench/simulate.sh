#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Steps of CG on 1 and 2 ranks of this machine, measured and simulated: SimGrid is given a
# cluster like the machine, two hosts alike, as far apart as messages between two processes
# are measured to be by a run of their own (bench_transport). Prints measured, simulated, error.
#
# simulate.sh BUILD [FOLDER [MATRIX]]   (FOLDER: simulated; stencil7:nx=16,ny=16,nz=512)
# BUILD has CAIRN_BENCH=ON; mpirun, smpirun and python3 are in PATH. Nothing else may run: else
# it takes minutes, ends well all the same, and what it prints says little. Each run is a new
# one: a study that FOLDER has goes.
set -eu

build=$(cd "${1:?the folder of the build}" && pwd)
folder=${2:-simulated}
matrix=${3:-stencil7:nx=16,ny=16,nz=512}
for needed in "$build/bench/bench_transport" "$build/bin/cairn" "$build/bin/cairn-smpi"; do
    [ -x "$needed" ] || { echo "simulate.sh: $needed is missing" >&2 && exit 1; }
done
for needed in mpirun smpirun python3; do
    command -v $needed >/dev/null || { echo "simulate.sh: no $needed in PATH" >&2 && exit 1; }
done
mkdir -p "$folder"
cd "$folder"
rm -rf study

# Both ways at once, as a halo's go: the least is taken, as of a machine without other work.
echo 'simulate.sh: messages between two processes' >&2
mpirun -n 2 "$build/bench/bench_transport" 200 >transport
told=0
awk '
    $1 == "message" && $2 == 8 { short = $3 }
    $1 == "message" && $2 > most { most = $2; long = $3 }
    END {
        if (short <= 0 || long <= short) exit 3
        print "<?xml version=\"1.0\"?>"
        print "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"
        # The link is what was measured between processes: no factors of a network besides.
        print "<platform version=\"4.1\"><config>"
        print "<prop id=\"smpi/lat-factor\" value=\"0:1\"/><prop id=\"smpi/bw-factor\" value=\"0:1\"/>"
        print "<prop id=\"network/latency-factor\" value=\"1\"/>"
        print "<prop id=\"network/bandwidth-factor\" value=\"1\"/></config>"
        print "<zone id=\"machine\" routing=\"Full\">"
        print "<host id=\"h0\" speed=\"10Gf\"/><host id=\"h1\" speed=\"10Gf\"/>"
        printf "<link id=\"memory\" bandwidth=\"%.0fBps\" latency=\"%.4gus\"", most / (long - short) * 1e6, short
        print " sharing_policy=\"SPLITDUPLEX\"/>"
        print "<route src=\"h0\" dst=\"h1\"><link_ctn id=\"memory\" direction=\"UP\"/></route>"
        print "</zone></platform>"
    }' transport >machine.xml || told=$?
case $told in
    0) ;;
    3) echo "simulate.sh: $folder/transport: long messages take no longer than short ones" >&2 && exit 1 ;;
    *) echo "simulate.sh: $folder/machine.xml: not written, see above" >&2 && exit 1 ;;
esac
echo 'simulate.sh: steps of CG' >&2
"$build/bin/cairn" scale solve cg "$matrix" --ranks 1,2 --repeat 5 --tol 0 --max-iterations 200 \
    --simulate machine.xml --simulated-ranks 1,2 --folder study >study.txt || {
    cat study.txt >&2
    exit 1
}
grep '<link ' machine.xml
python3 - study/points.json <<'END'
import json, sys

points = json.load(open(sys.argv[1]))["points"]


def point(ranks, simulated):
    for p in points:
        if p["ranks"] == ranks and bool(p["simulator"]) == simulated and p["seconds_median"]:
            return p
    sys.exit("simulate.sh: study/points.json: no %s point of %d ranks"
             % ("simulated" if simulated else "measured", ranks))


print("ranks  measured us (least)  simulated us  error, of the median")
for ranks in (1, 2):
    real, told = point(ranks, False), point(ranks, True)
    if told["halo_bytes"] != real["halo_bytes"]:
        sys.exit("simulate.sh: other bytes are simulated")
    print("%5d  %8.1f (%.1f)  %12.1f  %+.1f %%"
          % (ranks, 1e6*real["seconds_median"], 1e6*real["seconds_min"],
             1e6*told["seconds_median"], 100*told["error"]))
END
