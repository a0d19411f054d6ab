# SPDX-License-Identifier: BSD-3-Clause
# Real files, if the build knows where they are ($DATA): each has the numbers of the
# manifest beside them, and products of some are verified.
. "$(dirname "$0")/lib.sh"

[ -f "${DATA:-}/matrices/manifest.tsv" ] || skip "no matrices/manifest.tsv in '${DATA:-}'"

# check_file ROWS COLS NNZ DIAGONALS MAX_ROW FIELD SYMMETRY FILE NOTES: ROWS has all
# extents of a tensor, 2x3x4.
check_file() {
    file=$DATA/matrices/$8
    if [ "$6" = complex ]; then
        expect 2 info "$file"
        complains "^cairn: read: $file: line [13]: .*complex values: not in this version\$"
        return
    fi
    expect 0 info "$file" --json -
    has out "\"nnz\": $3, \"field\": \"$6\", \"symmetry\": \"$7\""
    case $1 in
    *x*) has out "\"dims\": [$(echo "$1" | sed 's/x/, /g')]" ;;
    *)
        has out "\"rows\": $1, \"cols\": $2"
        has out "\"diagonals\": $4, \"max_row\": $5"
        has out "\"empty_rows\": $(echo "$9" | sed 's/.*empty rows \([0-9]*\).*/\1/')"
        ;;
    esac
}

files=0
tab=$(printf '\t')
while IFS=$tab read -r name kind rows cols stored nnz diagonals most field symmetry \
    repository licence sum file bytes path how notes; do
    [ "$name" = name ] && continue
    files=$((files + 1))
    check_file "$rows" "$cols" "$nnz" "$diagonals" "$most" "$field" "$symmetry" \
        "$file" "$notes"
done <"$DATA/matrices/manifest.tsv"
[ "$files" -gt 0 ] || { last=manifest.tsv && fail "it lists no files"; }

for name in 1138_bus.mtx lp_e226.mtx well1850.mtx orsirr_1.mtx jagmesh7.mtx mhda416.mtx \
    west0479.rua g20.rua bcsstk02.rsa; do
    for spec in csr csc 'bdia<16>' 'csb<16,16>' 'sell<8>' 'hybrid<bdia<16>,csr,0.6>'; do
        expect 0 run spmv "$DATA/matrices/$name.gz" --format "$spec" --iters 1 --verify
    done
done

# Tensors there and back: as many lines as entries, ascending, and again the same.
for name in splatt_med parti_3D_12031 taco_3tensor; do
    expect 0 convert "$DATA/matrices/$name.tns.gz" --to 'csf<3>' -o t.cairn
    expect 0 convert t.cairn --to 'csf<3>' -o t.tns
    sort -n -k 1,1 -k 2,2 -k 3,3 -c t.tns || fail "$name: the lines do not ascend"
    expect 0 convert t.tns --to 'csf<3>' -o again.tns
    same t.tns again.tns
    nnz=$(awk -F '\t' -v name=$name '$1 == name { print $6 }' "$DATA/matrices/manifest.tsv")
    [ "$(wc -l <t.tns)" -eq "$nnz" ] || fail "$name: not $nnz lines"
done
echo "$files files"
finish
