#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# nodes.sh: all rows that are asked for, what is counted as aimed at; and, with a stand-in for
# the launcher, that a remainder below 0 meets nothing, that words which are not understood are
# no table, and what ranks are started with.
# Usage: nodes_test.sh BUILD   (MPIEXEC: the launcher)
set -eu
export LC_ALL=C QUICK=1

here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "nodes_test: $*" >&2
    cat "$folder/table" "$folder/log" >&2
    exit 1
}

# expect STATUS BUILD ROW...: of nodes.sh for these rows.
expect() {
    want=$1 build=$2 status=0
    shift 2
    ROWS="$*" "$here/nodes.sh" "$build" >"$folder/table" 2>"$folder/log" || status=$?
    [ "$status" = "$want" ] || fail "$*: status $status, not $want"
}

# has N PATTERN: so many rows of the table.
has() {
    n=$(grep -c -- "$2" "$folder/table") || true
    [ "$n" = "$1" ] || fail "$n rows, not $1, like '$2'"
}

# ---- true ones: what is counted is the same on any machine, and so whether it is met ----

expect 0 "$1" halo exchange delay redistribution memory
has 4 ' ranks: messages, bytes .* | 1\.0000 | = 1 | yes | '
has 2 '^| a run with one row each way, .* | -*[0-9.]* us | -*[0-9.]* us | .* | <= 1\.2 | '
has 2 '^| a run of a stencil5 .* late | without | [0-9.]* ms | [0-9.]* ms | [0-9.]* | <= 1\.05 | '
has 1 '^| redistribution of fem3 .* | >= 0\.7 | .* | 0\.[0-9]* % of the entries went, [1-9][0-9]* bytes in '
has 1 '^| redistribution of uniform .* | >= 0\.7 | .* | \(49\|50\)\.[0-9]* % of the entries went, [1-9][0-9]* bytes in '
has 1 '^| resident at most: .* | [0-9.]* MB | [0-9.]* MB | [0-9.]* | <= 1 | yes | '
has 13 '^|'

# ---- a launcher that says what it is told ----

mkdir -p "$folder/build/bench" "$folder/bin"
cat >"$folder/launch" <<END
#!/bin/sh
case \$* in
*bench_ksp*) file=ksp ;;
*bench_halo*) file=halos ;;
*' bare') file=bare ;;
*) file=held ;;
esac
echo "\$2 \$file \${OMPI_MCA_rmaps_base_oversubscribe-none} \${LD_LIBRARY_PATH-none}" >>"$folder/started"
cat "$folder/\$file"
END
printf '#!/bin/sh\necho 4\n' >"$folder/bin/nproc"
printf '#!/bin/sh\necho "Thread(s) per core:  2"\n' >"$folder/bin/lscpu"
: >"$folder/build/bench/bench_ksp"
chmod +x "$folder/launch" "$folder/build/bench/bench_ksp" "$folder/bin/nproc" "$folder/bin/lscpu"
unset OMPI_MCA_rmaps_base_oversubscribe PRTE_MCA_rmaps_default_mapping_policy
export MPIEXEC="$folder/launch" PATH="$folder/bin:$PATH"

# say OURS THEIRS RATIO: of both lines about one row each way.
say() {
    for which in mean p99; do
        echo "tridiagonal, 2000 rows, 2 ranks, $which, us: $1 beside the kernel's 4.00; MPI_Neighbor_alltoallv after a kernel $2, by itself 1.00: $3, 1.00"
    done >"$folder/halos"
}

say 1.10 1.00 1.10
expect 0 "$folder/build" exchange
has 2 '| 1\.10 us | 1\.00 us | 1\.10 | <= 1\.2 | yes | '
for told in '1.30 1.00 1.30' '1.00 -1.00 -1.00' '-1.00 1.00 -1.00' '-1.00 -2.00 0.50' '1.00 0.00 inf' \
    '0.00 0.00 -nan' '0.00 1.00 0.00'; do
    # shellcheck disable=SC2086 # words
    say $told
    expect 0 "$folder/build" exchange
    has 2 '| <= 1\.2 | no | '
done

# Other words.
sed -i 's/after a kernel/behind a kernel/' "$folder/halos"
expect 1 "$folder/build" exchange
grep -q '^nodes.sh: exchange: 0 rows, not 2: ' "$folder/log" || fail "exchange: not told"
expect 1 "$folder/build" delay
grep -q '^nodes.sh: delay: 0 rows, not 2: ' "$folder/log" || fail "delay: not told"
echo '| stencil5:200 | 2 | 30.0 | 20.0 | 1.50 | 15.0 | 2.00 | 2260000 | `csr` |' >"$folder/ksp"
expect 1 "$folder/build" spmv
grep -q '^nodes.sh: spmv: 1 rows, not 2: ' "$folder/log" || fail "spmv: not told"

# Another PETSc is that of its own rows alone.
echo '| stencil7:60 | 2 | 30.0 | 20.0 | 1.50 | 15.0 | 2.00 | 2260000 | `csr` |' >>"$folder/ksp"
say 1.10 1.00 1.10
: >"$folder/started"
BENCH_PETSC="$folder/libpetsc.so" LD_LIBRARY_PATH=/caller/lib expect 0 "$folder/build" spmv exchange
has 4 '^| SpMV of stencil.* | 15\.0 us | 30\.0 us | 2\.00 | >= 1\.5 | yes | 2\.26 MB a run, 150\.7 GB/s |$'
sed 's/\/.*\/petsc:/OTHER:/' "$folder/started" >"$folder/paths"
printf '2 %s none %s\n' ksp /caller/lib ksp OTHER:/caller/lib halos /caller/lib | cmp - "$folder/paths" ||
    fail "LD_LIBRARY_PATH: $(cat "$folder/started")"

# More ranks than cores are allowed where they are; and megabytes are no ratio.
echo '20000000 90000000' >"$folder/bare"
for _ in 1 2 3 4 5 6 7 8; do echo '0 52000000'; done >"$folder/held"
: >"$folder/started"
expect 0 "$folder/build" memory exchange
has 1 '| 52\.0 MB | 20\.0 MB | 0\.50 | <= 1 | yes | '
grep -q '^8 held 1 ' "$folder/started" || fail "8 ranks on 2 cores: $(cat "$folder/started")"
expect 0 "$folder/build" exchange
tail -n 1 "$folder/started" | grep -q '^2 halos none ' || fail "2 ranks on 2 cores: $(cat "$folder/started")"
sed -i 's/^0/1/' "$folder/held"
expect 0 "$folder/build" memory
has 1 '| status 1 | <= 1 | no | '
