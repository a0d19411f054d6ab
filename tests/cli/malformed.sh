# SPDX-License-Identifier: BSD-3-Clause
# Malformed files and edge cases ($DATA/malformed): malformed.sh [RANKS]. Each is
# accepted or refused as docs/files.md says, in bounded time and memory; nothing is left
# behind. That the verdict is the same on any number of ranks is held for all of them in
# one launch (mpi/read); here several ranks are given a few of each kind.
. "$(dirname "$0")/lib.sh"

ranks=${1:-1}
[ -d "${DATA:-}/malformed" ] || skip "no malformed/ in '${DATA:-}'"

# FILE|EXTENTS, ENTRIES, FIELD SYMMETRY|entry;entry;... as convert writes them, or
# FILE|-|why it is refused.
table() {
    cat <<'END'
array_dense.mtx|2 x 3, 4 entries, real general|1 1 1;1 2 3;1 3 5;2 3 6
banner_missing_symmetry.mtx|-|line 1: the banner is not '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'
banner_typo.mtx|-|line 1: not a Matrix Market file: it does not begin with %%MatrixMarket
banner_unknown_field.mtx|-|line 1: field 'quaternion' is unknown
binary_after_header.mtx|-|line 4: row index '????????' is not an integer
binary_garbage.mtx|-|line 1: not a Matrix Market file: it does not begin with %%MatrixMarket
comment_only.mtx|-|line 4: the file ends without a size line
complex_one_part.mtx|-|line 1: complex values: not in this version
duplicates.mtx|3 x 3, 3 entries, real general|1 1 11;2 2 2;3 3 3
empty.mtx|-|line 1: the file is empty
gz_bad_crc.mtx.gz|-|gzip: the data are damaged: incorrect data check
gz_name_plain_content.mtx.gz|1 x 1, 1 entry, real general|1 1 1
gz_truncated.mtx.gz|-|gzip: the compressed data end early
gz_two_members.mtx.gz|2 x 2, 2 entries, real general|1 1 1;2 2 2
hb_bad_pointers.rua|-|line 5: column 11: column pointer 9 is beyond the 3 entries
hb_truncated.rua|-|line 6: the file ends early: 3 of 3 values are missing
hermitian_complex_diagonal.mtx|-|line 1: complex values: not in this version
hermitian_real_field.mtx|-|line 1: hermitian matrices are complex
index_col_too_large.mtx|-|line 4: column index 9 is outside 1..3
index_fractional.mtx|-|line 4: row index '2.5' is not an integer
index_negative.mtx|-|line 4: row index -1 is outside 1..3
index_over_int32.mtx|-|line 4: row index 4294967297 is outside 1..3
index_row_too_large.mtx|-|line 4: row index 4 is outside 1..3
index_zero_based.mtx|-|line 3: row index 0 is outside 1..3
integer_over_int64.mtx|-|line 4: value 9223372036854775808 is beyond 64 bits
integer_with_real_value.mtx|-|line 4: value '2.5' is not an integer
lfs_pointer.mtx|-|line 1: not a Matrix Market file: it does not begin with %%MatrixMarket
long_line.mtx|2 x 2, 1 entry, real general|1 1 1
nnz_exceeds_cells.mtx|2 x 2, 4 entries, real general|1 1 2;1 2 1;2 1 1;2 2 1
nnz_huge_small_file.mtx|-|end of file: the size line declares 4000000000000 entries, but the file has 1
nnz_size_overflow.mtx|-|end of file: the size line declares 1152921504606846976 entries, but the file has 1
ok_banner_case.mtx|2 x 2, 1 entry, real general|2 1 4
ok_blank_lines_spaces.mtx|3 x 3, 2 entries, real general|1 1 1;2 3 -0.25
ok_crlf.mtx|3 x 3, 3 entries, real general|1 1 1;2 2 2;3 1 3
ok_explicit_zeros.mtx|3 x 3, 3 entries, real general|1 1 0;2 2 2;3 3 -0
ok_fortran_exponent.mtx|2 x 2, 2 entries, real general|1 1 15;2 2 2
ok_no_trailing_newline.mtx|2 x 2, 2 entries, real general|1 1 1;2 2 2
ok_unsorted.mtx|3 x 3, 4 entries, real general|1 1 1;1 2 2;2 1 4;3 3 9
ok_zero_dims.mtx|0 x 0, 0 entries, real general|
ok_zero_nnz.mtx|3 x 4, 0 entries, real general|
pattern_with_values.mtx|-|line 3: '1.0' follows a complete entry
size_negative.mtx|-|line 2: number of columns '-3' is negative
size_nnz_negative.mtx|-|line 2: number of entries '-2' is negative
size_over_int32.mtx|3000000000 x 3000000000, 2 entries, real general|1 1 1;3000000000 3000000000 2
size_over_int64.mtx|-|line 2: number of rows '99999999999999999999' is beyond 64 bits
size_product_overflow.mtx|4294967296 x 4294967296, 1 entry, real general|1 1 1
size_two_numbers.mtx|-|line 2: the size line is three integers: rows, columns, entries
skew_with_diagonal.mtx|-|line 3: entry (1,1) is on the diagonal of a skew-symmetric matrix
symmetric_both_triangles.mtx|-|line 5: entry (1,2) is above the diagonal of a symmetric matrix
symmetric_not_square.mtx|-|line 2: a symmetric matrix is square, but this is 3 x 2
symmetric_upper.mtx|-|line 4: entry (1,2) is above the diagonal of a symmetric matrix
tns_crlf_no_newline.tns|2 x 2, 2 entries, real general|1 1 1;2 2 2
tns_dims_product_overflow.tns|4000000000 x 4000000000 x 4000000000, 2 entries, real general|1 1 1 2;4000000000 4000000000 4000000000 1
tns_duplicates.tns|1 x 1 x 1, 1 entry, real general|1 1 1 5
tns_empty.tns|-|line 1: the file has no entry, so the number of its modes is unknown
tns_header_dims.tns|-|line 1: one number is no entry: indices and a value are (the file has no header)
tns_index_over_int64.tns|-|line 2: index 1: 99999999999999999999 is beyond 64 bits
tns_mode_change.tns|-|line 2: 3 numbers, but the first entry has 4: 3 indices and a value
tns_negative.tns|-|line 2: index 2: -2 is below 1: indices count from 1
tns_not_numeric.tns|-|line 2: index 2: 'x' is not an integer
tns_ok.tns|2 x 3 x 4, 3 entries, real general|1 1 1 1;2 1 2 0.029999999999999999;2 3 4 -2.5
tns_value_only.tns|-|line 1: one number is no entry: indices and a value are (the file has no header)
tns_zero_based.tns|-|line 1: index 1: 0 is below 1: indices count from 1
token_not_numeric.mtx|-|line 4: column index 'two' is not an integer
too_many_entries.mtx|-|line 5: more entries than the 2 of the size line
truncated_entries.mtx|-|end of file: the size line declares 4 entries, but the file has 3
truncated_mid_line.mtx|-|line 6: the value is missing
value_extra_column.mtx|-|line 3: '7.0' follows a complete entry
value_missing.mtx|-|line 4: the value is missing
value_nan_inf.mtx|3 x 3, 4 entries, real general|1 1 nan;1 2 1;2 2 inf;3 3 -inf
value_not_numeric.mtx|-|line 4: value 'abc' is not a number
value_overflow_double.mtx|-|line 3: value 1e999 is beyond the range of a double
value_trailing_junk.mtx|-|line 4: value '2.0xyz' is not a number
END
}

# 2 GB of address space, where that is enough for the program at all (sanitizers take
# more): what a header merely declares must not be allocated.
limit=2000000
sh -c 'ulimit -v '$limit' && "$0" --version' "$program" >/dev/null 2>&1 || limit=unlimited
launch=
[ "$ranks" -eq 1 ] || launch="$MPIEXEC -n $ranks"

# read_file STATUS VERB WORDS...: in bounded time and memory, on the ranks.
read_file() {
    wanted=$1
    shift
    run_as "$wanted" timeout 250 sh -c 'ulimit -v '$limit'; exec "$@"' cairn \
        $launch "$program" "$@"
    check_line
}

# accepted FILE WORDS ENTRIES
accepted() {
    read_file 0 info "$DATA/malformed/$1"
    says "^$DATA/malformed/$1: $2\$"
    case $1 in *.tns) output=out.tns ;; *) output=out.mtx ;; esac
    case $2 in *x*x*) format='csf<3>' ;; *) format=coo ;; esac
    read_file 0 convert "$DATA/malformed/$1" --to "$format" -o $output
    case $output in
    *.mtx) found=$(tail -n +3 out.mtx | tr '\n' ';') ;;
    *) found=$(tr '\n' ';' <out.tns) ;;
    esac
    [ "${found%;}" = "$3" ] || fail "$1 has the entries $found"
    rm -f $output
}

# refused FILE WHY
refused() {
    read_file 2 info "$DATA/malformed/$1" --json a.json
    grep -q -x -F -e "cairn: read: $DATA/malformed/$1: $2" err || fail "not: $2"
    absent a.json
    [ "$ranks" -eq 1 ] || return
    for output in out.mtx out.tns out.cairn; do
        read_file 2 convert "$DATA/malformed/$1" --to csr -o $output
        absent $output
    done
}

# Files for several ranks: accepted and refused, text and gzip, matrices and tensors, and
# what is told at the beginning, in the middle and at the end.
sample='duplicates.mtx gz_truncated.mtx.gz gz_two_members.mtx.gz hb_truncated.rua
nnz_huge_small_file.mtx tns_negative.tns value_nan_inf.mtx'

table >table
files=0
while IFS='|' read -r name words text; do
    files=$((files + 1))
    [ "$ranks" -eq 1 ] || [ "${sample#*"$name"}" != "$sample" ] || continue
    [ -f "$DATA/malformed/$name" ] || { last=$name && fail "it is not there"; continue; }
    case $words in
    -) refused "$name" "$text" ;;
    *) accepted "$name" "$words" "$text" ;;
    esac
done <table

# The table is whole, and nothing but what these commands printed is left.
there=$(ls "$DATA/malformed" | grep -c -v '^README')
[ "$files" -eq "$there" ] || { last=table && fail "$files files, but $there are there"; }
left=$(ls | grep -v -x -e out -e err -e table -e problem)
[ -z "$left" ] || { last=ls && fail "left behind: $left"; }
echo "$files files on $ranks ranks"
finish
