# SPDX-License-Identifier: BSD-3-Clause
# Ranks on several hosts, which are network namespaces: what one host's ranks compute and
# write, over TCP; and what is left of a job that ends half-way.
. "$(dirname "$0")/lib.sh"
hosts=$here/../../deploy/hosts/run.sh

"$hosts" -n 1 true 2>err
if [ $? = 77 ]; then
    cat err
    exit 77
fi

# over N STATUS WORDS...: N ranks of the command, a host each.
over() {
    ranks=$1
    wanted=$2
    shift 2
    run_as "$wanted" timeout 250 "$hosts" -n "$ranks" mpirun -n "$ranks" "$program" "$@"
    check_line
}

# The ranks are where they should be, and one's shared memory is not the others'.
run_as 0 "$hosts" mpirun -n 3 sh -c 'touch /dev/shm/$(hostname); sleep 1; ls /dev/shm'
[ "$(sort out | tr '\n' ' ')" = 'h0 h1 h2 ' ] || fail "not a rank on each host"

"$program" generate rmat --scale 9 --edges 5000 -o a.mtx >out
"$program" generate stencil5 --nx 40 --ny 40 -o s.mtx >out
gzip -k s.mtx
for format in csr 'bdia<8>' 'sell-sigma<4,16>' 'hybrid<bdia<8>,csr,0.6>'; do
    for file in a.mtx s.mtx.gz; do
        expect 0 run spmv "$file" --format "$format" --out one.mtx
        over 3 0 run spmv "$file" --format "$format" --out y.mtx --json y.json --verify
        same one.mtx y.mtx
        has y.json '"ranks": 3'
        absent y.mtx.part-*
    done
done

# Rows that change their ranks, and files that several hosts write into.
on 3 0 convert a.mtx --to 'sell<2>' -o here.cairn
over 3 0 convert a.mtx --to 'sell<2>' -o there.cairn
same here.cairn there.cairn
over 2 0 convert there.cairn --to csc -o back.mtx
expect 0 convert a.mtx --to csc -o wanted.mtx
same back.mtx wanted.mtx

# What is wrong is told once, and nothing half-written is left.
over 3 2 run spmv a.mtx --format csx
over 3 1 run spmv a.mtx --out nowhere/y.mtx
over 3 1 convert a.mtx --to csr -o a.mtx/b.cairn
[ "$(ls | grep -c part-)" = 0 ] || fail "$(ls | grep part-) left behind"

# A rank that dies ends the job in bounded time.
"$program" generate stencil7 --nx 60 --ny 60 --nz 60 -o large.mtx >out
run_as 137 timeout 100 "$hosts" mpirun -n 3 sh -c '
    if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then (sleep 1; kill -9 $$) & fi
    exec "$0" run spmv large.mtx --iters 1000000 --out never.mtx' "$program"
absent never.mtx
[ "$(ls | grep -c part-)" = 0 ] || fail "$(ls | grep part-) left behind"

# Nothing of the hosts is left.
for space in $(ip netns list | sed -n 's/^cairn-hosts-\([0-9]*\)-.*$/\1/p' | sort -u); do
    [ -d "/proc/$space" ] || fail "namespaces of $space were left"
done

finish
