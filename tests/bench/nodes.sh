#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What several ranks take, as a table: each row beside what it is held against, with what is
# aimed at, whether that is met, and what bounds it. Ratios above 1 are a peer's time over
# ours where ">=" is aimed at; where "<=" is, ours over the other's. Times are of one machine
# that does nothing else; bytes, messages and memory are counted, and right on any. The status
# is 1 where rows that were asked for are not made.
#   nodes.sh BUILD [FOLDER of matrices]      BUILD has CAIRN_BENCH=ON; QUICK=1: little of it
# ROWS names those that are made (spmv halo exchange delay reading redistribution memory
# addresses), MATRICES those of the folder (NAME.mtx.gz). BENCH_PETSC: another libpetsc of the
# version and the integers that the build has found (one made with -O3 -march=native, say),
# which is a peer, too.
set -eu
build=$(cd "${1:?the folder of the build}" && pwd)
folder=${2:-}
rows=${ROWS:-spmv halo exchange delay reading redistribution memory addresses}
bench=$build/bench
here=$(cd "$(dirname "$0")" && pwd)
. "$here/other-petsc.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CAIRN_THREADS=1 OMP_NUM_THREADS=1 LC_ALL=C

# Threads of the processor for each of its cores: Open MPI starts a rank on a core.
of_core=$(lscpu 2>/dev/null | sed -n 's/^Thread(s) per core: *\([1-9][0-9]*\)$/\1/p')
cores=$(($(nproc) / ${of_core:-1}))

ranks() { # N COMMAND...
    number=$1
    shift
    if [ "$number" -gt "$cores" ]; then
        export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
    fi
    "${MPIEXEC:-mpirun}" -n "$number" "$@"
}

# row WHAT AGAINST OURS THEIRS RATIO AIM BOUND: AIM is ">= 1.5", "<= 1.05" or "= 1". What is
# measured is above 0: a remainder that noise has left below says nothing, and meets nothing.
row() {
    met=$(printf '%s\n' "$3" "$4" "$5 $6" | awk '
        NR < 3 && /^ *-/ { lacks = 1 }
        NR == 3 {
            if (lacks || $1 !~ /^[0-9.]+$/ || $1 <= 0) met = 0
            else if ($2 == ">=") met = $1 >= $3
            else if ($2 == "<=") met = $1 <= $3
            else met = $1 == $3
            print met ? "yes" : "no" }')
    echo "| $1 | $2 | $3 | $4 | $5 | $6 | $met | $7 |" | tee -a "$work/rows"
}

megabytes() {
    echo "$1" | awk '{ printf "%.1f", $1 / 1e6 }'
}

# ---- products beside PETSc's ----

unpack() { # NAME: into $work
    [ -e "$work/$1.mtx" ] || gzip -dc "$folder/$1.mtx.gz" >"$work/$1.mtx"
}

# multiply PEER MATRIX...: in the format that auto chooses, a matrix after the other.
multiply() {
    peer=$1
    shift
    ranks 2 --bind-to core "$bench/bench_ksp" --products --turns $turns --iterations $products "$@" >"$work/products"
    while IFS='|' read -r _ matrix _ theirs _ _ ours ratio bytes _; do
        matrix=$(basename "$(echo $matrix)" .mtx)
        case $matrix in
        stencil*) aim='>= 1.5' ;;
        *) aim='>= 1.2' ;;
        esac
        moved=$(echo "$bytes $ours" | awk '{printf "%.2f MB a run, %.1f GB/s", $1 / 1e6, $1 / $2 / 1e3}')
        row "SpMV of $matrix, 2 ranks" "$peer" "$(echo $ours) us" "$(echo $theirs) us" \
            "$(echo $ratio)" "$aim" "$moved"
    done <"$work/products"
}

make_spmv() {
    if ! [ -x "$bench/bench_ksp" ]; then
        echo "nodes.sh: spmv: the build has found no PETSc" >&2
        wanted=0
        return 0
    fi
    if [ "${QUICK:-}" ]; then
        turns=5 products=100
        set -- stencil5:200 stencil7:60
    else
        turns=9 products=200
        set -- stencil5:300 stencil5:1000 stencil7:60 stencil7:100
    fi
    if [ "$folder" ]; then
        for name in ${MATRICES:-bcsstk16 delaunay_n15 epb0 memplus faer_n15960}; do
            unpack "$name"
            set -- "$@" "$work/$name.mtx"
        done
    fi
    wanted=$#
    multiply "PETSc's MatMult, as found" "$@"
    [ "${BENCH_PETSC:-}" ] || return 0
    wanted=$((2 * $#))
    (
        LD_LIBRARY_PATH=$(other_petsc "$bench/bench_ksp" "$BENCH_PETSC" "$work/petsc")
        export LD_LIBRARY_PATH
        multiply "PETSc's MatMult, $(basename "$BENCH_PETSC")" "$@"
    )
}

# ---- what is sent, beside the least ----

# sent FORMAT RANKS NAME FILE: counted in MPI, and from the file by a program of its own.
sent() {
    ranks "$2" "$bench/bench_nodes" halo "$1" "$4" >"$work/sent"
    # shellcheck disable=SC2046 # a cut a word
    least=$(python3 "$here/nodes.py" "$4" $(awk '{print $1} END {print $2}' "$work/sent"))
    ours=$(awk '{m += $3; b += $4} END {print m, b}' "$work/sent")
    worse=$(echo "$ours $least" | awk '
        function share(a, b) { return b > 0 ? a / b : 1 + a }
        { m = share($1, $3); b = share($2, $4); printf "%.4f", (m == 1 ? b : m) }')
    row "halo of $3, \`$1\`, $2 ranks: messages, bytes" "the least, from the file" \
        "$(echo $ours | sed 's/ /, /')" "$(echo $least | sed 's/ /, /')" "$worse" '= 1' "rows that ranks lack"
}

make_halo() {
    "$build/bin/cairn" generate rmat --scale 12 --edges 40000 -o "$work/rmat.mtx" >"$work/said"
    "$build/bin/cairn" generate stencil5 --nx 90 --ny 70 -o "$work/stencil5.mtx" >"$work/said"
    for name in ${folder:+bcsstk16 delaunay_n15}; do unpack "$name"; done
    wanted=4
    sent csr 2 stencil5 "$work/stencil5.mtx"
    sent 'bdia<64>' 3 stencil5 "$work/stencil5.mtx"
    sent csr 4 rmat "$work/rmat.mtx"
    sent 'sell<8>' 3 rmat "$work/rmat.mtx"
    [ "$folder" ] || return 0
    wanted=6
    sent 'bcsr<3,3>' 4 bcsstk16 "$work/bcsstk16.mtx"
    sent csr 8 delaunay_n15 "$work/delaunay_n15.mtx"
}

# ---- what a halo takes, and a late one ----

# What bench_halo prints, once for both.
halos() {
    [ -e "$work/halos" ] ||
        ranks 2 --bind-to core "$bench/bench_halo" --rounds "$([ "${QUICK:-}" ] && echo 300 || echo 1000)" >"$work/halos"
}

make_exchange() {
    halos
    wanted=2
    # Ratios of remainders may also be nan and inf.
    sed -n "s/^tridiagonal, .*, \(mean\|p99\), us: \([-0-9.]*\) beside the kernel's \([0-9.]*\);\
.* after a kernel \([-0-9.]*\), by itself \([0-9.]*\): \([-0-9.a-z]*\), \([-0-9.a-z]*\)\$/\1 \2 \3 \4 \5 \6 \7/p" "$work/halos" |
        while read -r which ours kernel theirs bare ratio bare_ratio; do
            row "a run with one row each way, tridiagonal, n = 2,000, 2 ranks, the kernel's time taken off: $which" \
                "MPI_Neighbor_alltoallv of 8 bytes each way, after a kernel" "$ours us" "$theirs us" \
                "$ratio" '<= 1.2' "the kernel takes $kernel us; by itself the call takes $bare us, $bare_ratio"
        done
}

make_delay() {
    halos
    wanted=2
    sed -n 's/^5-point stencil, .* messages \([0-9.]*\) ms late: \([0-9.]*\) ms, \([0-9.]*\) times.* meanwhile \([0-9.]*\) ms$/\1 \2 \3 \4/p' \
        "$work/halos" >"$work/late"
    without=$(awk '$1 == 0 { print $2 }' "$work/late")
    awk '$1 > 0' "$work/late" | while read -r late ours ratio waiting; do
        row "a run of a stencil5 of 1,000 x 1,000, 2 ranks, messages seen $late ms late" "without" \
            "$ours ms" "$without ms" "$ratio" '<= 1.05' "with nothing computed meanwhile it would be $waiting ms"
    done
}

# ---- storing, and storing elsewhere ----

make_reading() {
    wanted=1
    n=248001 turns=5
    [ -z "${QUICK:-}" ] || n=24999 turns=3
    "$build/bin/cairn" generate fem3 --n $n --degree 27 -o "$work/fem3.mtx" >"$work/said"
    entries=$(sed 's/.*, \([0-9]*\) entries.*/\1/' "$work/said")
    for _ in $(seq $turns); do
        seconds=$(ranks 2 --bind-to core "$bench/bench_nodes" store csr "$work/fem3.mtx")
        echo "ranks $seconds"
        seconds=$(CAIRN_THREADS=2 OMP_NUM_THREADS=2 ranks 1 --bind-to none "$bench/bench_nodes" store csr "$work/fem3.mtx")
        echo "threads $seconds"
    done >"$work/stored"
    rm "$work/fem3.mtx"
    awk '{ if (!($1 in least) || $2 < least[$1]) least[$1] = $2 }
        END { printf "%.1f %.1f %.2f\n", 1e3 * least["ranks"], 1e3 * least["threads"], least["ranks"] / least["threads"] }' \
        "$work/stored" | {
        read -r ours theirs ratio
        row "reading, dividing and storing $entries entries of fem3 as \`csr\`, 2 ranks" "two threads of one process" \
            "$ours ms" "$theirs ms" "$ratio" '<= 1.3' "the least of $turns processes each"
    }
}

# Of fem3 hardly an entry is beside its diagonal's half of the columns, and goes; of uniform
# every second one does.
make_redistribution() {
    n=150000
    [ -z "${QUICK:-}" ] || n=60000
    wanted=2
    for kind in fem3 uniform; do
        ranks 2 --bind-to core "$bench/bench_nodes" redistribute 'csr @ blocks<1,2>' $kind $n 7 >"$work/moved"
        awk '{ printf "%.2f %.2f %.2f %.2f %.2f %d %d %.2f\n", 1e3 * $1, 1e3 * ($2 + $3), ($2 + $3) / $1,
            1e3 * $2, 1e3 * $3, $4, $5, 100 * $6 / $7 }' "$work/moved" | {
            read -r ours bound ratio by_mpi alone sent asked share
            row "redistribution of $kind with $n rows, \`csr\` to \`csr @ blocks<1,2>\`, 2 ranks" \
                "messages as long by MPI alone, and each rank's conversion alone" "$ours ms" "$bound ms" "$ratio" '>= 0.7' \
                "$share % of the entries went, $sent bytes in $by_mpi ms, $asked of questions; alone $alone ms"
        }
    done
}

# ---- memory ----

# held RANKS BYTES WORD...: the command with so many bytes of addresses a rank (0: any), in
# $status how the worst rank ended, in $resident what the largest had.
held() {
    number=$1 addresses=$2
    shift 2
    ranks "$number" "$bench/bench_nodes" held "$addresses" "$build/bin/cairn" "$@" \
        >"$work/held" 2>"$work/said" || true
    status=$(awk '{ if ($1 > most) most = $1 } END { print (NR == '"$number"' ? most + 0 : 1) }' "$work/held")
    resident=$(awk '{ if ($2 > most) most = $2 } END { print most + 0 }' "$work/held")
    [ "$status" = 0 ] || sed 's/^/nodes.sh: memory: /' "$work/said" >&2
}

# within NAME FILE ENTRIES FORMAT: products of a file on 1 to 8 ranks, each with the addresses of a
# rank that only starts MPI, and 64 MB, and one and a half times its share of the entries.
within() {
    ran= failed= done=0
    for n in 1 2 4 8; do
        held $n $((bare + 64000000 + $3 * 24 / n * 3 / 2)) run spmv "$2" --format "$4" --iters 3
        if [ "$status" = 0 ]; then ran="$ran, $n" done=$((done + 1)); else failed="$failed, $n"; fi
    done
    row "$3 entries of $1, \`$4\`, 1, 2, 4, 8 ranks" \
        "as many addresses as MPI_Init takes, 64 MB, and 1.5 of a rank's share, 24 bytes an entry" \
        "runs on ${ran#, }${failed:+, not on ${failed#, }}" "" "$(echo $done | awk '{ printf "%.2f", $1 / 4 }')" \
        '= 1' "entries and arrays at once"
}

make_addresses() {
    wanted=3
    side=2000 rows_of=2000000
    [ -z "${QUICK:-}" ] || side=632 rows_of=200000
    ranks 8 "$bench/bench_nodes" bare >"$work/bare"
    bare=$(cut -d' ' -f2 "$work/bare")
    "$build/bin/cairn" generate stencil5 --nx $side --ny $side -o "$work/large.mtx" >"$work/said"
    entries=$((5 * side * side - 4 * side))
    within stencil5 "$work/large.mtx" $entries csr
    within stencil5 "$work/large.mtx" $entries 'bdia<64>'
    "$build/bin/cairn" generate uniform --n $rows_of --degree 10 -o "$work/large.mtx" >"$work/said"
    within uniform "$work/large.mtx" $((10 * rows_of)) csr
    rm "$work/large.mtx"
}

make_memory() {
    wanted=1
    awk 'BEGIN {
        srand(1); n = 20000000
        print "%%MatrixMarket matrix coordinate real general"; print n, n, 400000
        for (k = 0; k < 400000; k++) print int(n * rand()) + 1, int(n * rand()) + 1, 1 + rand()
    }' >"$work/thin.mtx"
    ranks 8 "$bench/bench_nodes" bare >"$work/bare"
    bare=$(cut -d' ' -f1 "$work/bare")
    held 8 0 run spmv "$work/thin.mtx" --format dcsr --memory 64M --iters 3
    row 'resident at most: `dcsr` of 2e7 rows and 400,000 entries, 8 ranks, `--memory 64M`' \
        'a rank that only does MPI_Init; ratio: what is above it, over 64 MB' \
        "$(megabytes "$resident") MB" "$(megabytes "$bare") MB" \
        "$([ "$status" = 0 ] && echo $((resident - bare)) | awk '{ printf "%.2f", $1 / 64e6 }' || echo "status $status")" \
        '<= 1' 'a share of x and y is 40 MB'
    rm "$work/thin.mtx"
}

echo "| what | against | ours | theirs | ratio | aimed at | met | bounded by |"
echo "|---|---|---|---|---|---|---|---|"
for which in $rows; do
    : >"$work/rows"
    "make_$which"
    made=$(wc -l <"$work/rows")
    [ "$made" -eq "$wanted" ] || {
        echo "nodes.sh: $which: $made rows, not $wanted: what its program prints is not understood" >&2
        exit 1
    }
done
