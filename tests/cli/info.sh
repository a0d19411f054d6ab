# SPDX-License-Identifier: BSD-3-Clause
# cairn info: structure and picture.
. "$(dirname "$0")/lib.sh"
figure a.mtx

expect 0 info a.mtx
says '5 x 4, 6 entries, real general'
says '^values     integers of 8 bits (i8)$'
expect 0 info a.mtx --json -
fields out rows cols nnz field symmetry diagonals max_row empty_rows \
    bandwidth_lower bandwidth_upper
for text in '"rows": 5' '"cols": 4' '"nnz": 6' '"field": "real"' '"diagonals": 3' \
    '"symmetry": "general"' '"values": "i8"' '"max_row": 3' '"empty_rows": 1' \
    '"bandwidth_lower": 1' '"bandwidth_upper": 1'; do has out "$text"; done

# The narrowest type that holds all values, exactly.
# values_are WORDS VALUE...
values_are() {
    words=$1
    shift
    {
        printf '%s\n' '%%MatrixMarket matrix coordinate real general' "9 1 $#"
        row=0
        for value; do row=$((row + 1)) && echo "$row 1 $value"; done
    } >values.mtx
    expect 0 info values.mtx
    says "^values     $words\$"
}
values_are 'all equal, 0.10000000000000001 (iso)' 0.1 0.1 0.1
values_are 'all equal, -0 (iso)' -0 -0
values_are 'exact in f32 (f32)' 0 -0
values_are 'integers of 8 bits (i8)' -128 127 0
values_are 'integers of 16 bits (i16)' 128 1
values_are 'integers of 16 bits (i16)' -32768 32767
values_are 'exact in f32 (f32)' 32768 1
values_are 'exact in f32 (f32)' 0.5 1
values_are 'need f64, or a dictionary (f64)' 0.1 1
values_are 'need f64, or a dictionary (f64)' 9007199254740993 1 0.1

# To a file, and then nothing to standard output; no other file is left.
expect 0 info a.mtx --json a.json
[ ! -s out ] || fail "words on standard output"
fields a.json rows cols nnz
for file in a.json.*; do absent "$file"; done

# Pictures: of nothing, of one long row, of more columns than pixels.
expect 0 info a.mtx --spy a.png
printf '%%%%MatrixMarket matrix coordinate real general\n0 0 0\n' >none.mtx
expect 0 info none.mtx --spy none.png --json -
has out '"rows": 0'
printf '%%%%MatrixMarket matrix coordinate real general\n1 5000 2\n1 1 1\n1 5000 2\n' >row.mtx
expect 0 info row.mtx --spy row.png
printf '%%%%MatrixMarket matrix coordinate pattern general\n3000000000 3000000000 1\n7 7\n' >wide.mtx
expect 0 info wide.mtx --spy wide.png --json -
has out '"field": "pattern"'
for picture in a none row wide; do
    exists $picture.png
    [ "$(head -c 4 $picture.png | tail -c 3)" = PNG ] || fail "$picture.png is no PNG"
done

# What fails here.
expect 1 info missing.mtx
complains 'missing.mtx'
expect 1 info . # a folder
mkfifo pipe
expect 1 info pipe # to which nobody writes: no waiting
expect 1 info a.mtx --json nowhere/a.json
complains 'nowhere/a.json'
expect 1 info a.mtx --spy nowhere/a.png
expect 1 info a.mtx --json /dev/full
[ -c /dev/full ] || fail "/dev/full was replaced"
checks=$((checks + 1))
"$program" info a.mtx --json - >/dev/full 2>err
[ $? -eq 1 ] || fail "a full device is no success"
expect 1 info a.mtx --memory 10
complains 'limit'

# What is wrong everywhere.
echo 'hello' >bad.mtx
expect 2 info bad.mtx
complains 'bad.mtx'
finish
