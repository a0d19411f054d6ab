# SPDX-License-Identifier: BSD-3-Clause
# cairn format --path: the rules, and what they make of a file, for every pair of formats.
. "$(dirname "$0")/lib.sh"
figure a.mtx

# tells TEXT: stdout has it, wherever its lines end.
tells() { tr -s ' \n' ' ' <out | grep -q -e "$1" || fail "stdout does not tell: $1"; }

# leads TO FROM RULES: the rules on the first line, and in the JSON.
leads() {
    expect 0 format "$1" --path "$2"
    [ "$(head -n 1 out)" = "$3" ] || fail "not: $3"
    expect 0 format "$1" --path "$2" --json -
    list=$(echo "$3" | sed 's/ /", "/g')
    has out "\"path\": [\"$list\"]"
}

leads 'bdia<3>' coo 'Skew(0,1,-1) TileSplit(0,3) Sort Fill(0) Merge(0)'
leads csr coo 'Fill(0) Merge(0)'
leads coo csr 'Split(0) Trim(0)'
leads 'csc' csr 'Split(0) Trim(0) Swap(0,1) Sort Fill(0) Merge(0)'
leads 'c2sr<2>' csr 'Split(0) Trim(0) TileSplit(0,2) Swap(0,2) Swap(1,2) Sort Devectorize(2) Fill(0) Fill(1) Merge(0) Merge(1) Partition(0)'
leads 'hybrid<bdia<2>,csr,0.5>' coo 'Decompose Member(0) Skew(0,1,-1) TileSplit(0,2) Sort Fill(0) Merge(0) Member(1) Fill(0) Merge(0)'

expect 0 format csr --path csr
says '^(nothing changes)$'
expect 0 format csr --path csr --json -
has out '"path": []'
expect 0 format dia --path dia-variant
tells 'It is the best of 2 routes'

# With a file the rules are executed: the arrays are those that the file gives directly.
for from in coo lil csc 'bdia<3>' 'c2sr<2>' ell 'sell-sigma<2,4>' 'bell<2>' 'cisr-plus<2>' \
    'serpens<2,4,2>' 'hybrid<bell<2>,coo,0.25,0.5>'; do
    for to in dok dcsr 'bcsr<2,2>' dia 'sell<2>' 'cisr<2>' 'hybrid<bdia<3>,csr,0.5>'; do
        expect 0 format "$to" a.mtx --arrays --json direct.json
        expect 0 format "$to" a.mtx --path "$from" --arrays --json executed.json
        grep -q '"path": \["' executed.json || fail "no path in the JSON"
        sed 's/"path": .*"parts"/"parts"/' executed.json >executed
        sed 's/"path": .*"parts"/"parts"/' direct.json >direct
        same executed direct
    done
done

expect 2 format csr --path 'csf<3>'
complains 'order'
expect 2 format csr --path bdia
complains 'needs 1 argument'
expect 2 format bdia --path csr
complains 'needs 1 argument'
finish
