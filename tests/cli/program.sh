# SPDX-License-Identifier: BSD-3-Clause
# The program of a conversion: `format --path` prints the passes that ran, CAIRN_CONVERT
# forces a method, and what it makes is the same byte for byte.
. "$(dirname "$0")/lib.sh"

expect 0 generate uniform --n 3000 --degree 5 --seed 3 -o m.mtx

# ran TO FROM METHOD: FROM becomes TO by METHOD's passes.
ran() {
    expect 0 format "$1" --path "$2" m.mtx
    says "^  0 *$3 "
    [ "$(sed -n 1p out)" != "$(grep -m 1 member out)" ] || fail "the rules do not come first"
}

# forced METHOD TO FROM: it applies, it is what runs, and the arrays are the reference's.
forced() {
    environment=CAIRN_CONVERT=reference
    expect 0 format "$2" --path "$3" m.mtx --arrays
    says '^  0 *reference *Rules .*(interpreted)'
    sed -n '/^part/,$p' out >reference
    environment=CAIRN_CONVERT=$1
    expect 0 format "$2" --path "$3" m.mtx --arrays
    says "^  0 *$1 "
    sed -n '/^part/,$p' out >arrays
    environment=
    same arrays reference
}

# refused METHOD TO FROM: status 2, member and reason.
refused() {
    environment=CAIRN_CONVERT=$1
    expect 2 format "$2" --path "$3" m.mtx
    complains "CAIRN_CONVERT: $1 does not apply to member 0: "
    environment=
}

# chosen RATES WORDS...: text and JSON say whose rates chose the program.
chosen() {
    rates=$1
    shift
    expect 0 "$@"
    case $rates in
    learned) says '^Chosen by rates measured on this machine (learned' ;;
    shipped) says '^Chosen by shipped rates[,:]' ;;
    null) ! grep -q '^Chosen by' out || fail 'nothing was chosen' ;;
    esac
    [ "$rates" = null ] || rates="\"$rates\""
    expect 0 "$@" --json -
    has out "\"rates\": $rates"
}

# Without a file, and for few entries, the program is chosen by shipped rates, whatever was
# learned; for many by those that were measured on this machine, once there are any.
environment="CAIRN_COST=learned CAIRN_COSTS=$PWD/costs.json CAIRN_KERNELS=compiled"
expect 0 generate stencil5 --nx 450 --ny 450 -o large.mtx
chosen shipped format csc --path csr m.mtx
expect 0 format csc --path csr large.mtx
says '^Chosen by shipped rates:' # nothing was measured yet
chosen learned format csc --path csr large.mtx
expect 0 convert large.mtx --to csr -o large.cairn --json -
has out '"rates": "learned"'
chosen shipped format csc --path csr
chosen shipped format csc --path csr m.mtx
environment="CAIRN_COST=shipped CAIRN_COSTS=$PWD/costs.json CAIRN_KERNELS=compiled"
expect 0 format csc --path csr large.mtx --json -
has out '"rates": "shipped"'
environment=CAIRN_CONVERT=scatter
chosen null format csc --path csr m.mtx
chosen null format csc --path csr
environment=CAIRN_KERNELS=reference
chosen null format csc --path csr m.mtx
environment=
chosen shipped format ell --path csr m.mtx
rm large.mtx large.cairn

environment=CAIRN_KERNELS=compiled
ran csr coo share
ran csc csr scatter
ran csc csr 'scatter *Move *entry'
ran ell csr 'row-slots *Number *run *rank'
ran 'bcsr<2,2>' csr groups
ran 'bcsr<2,2>' csr 'groups *Count *entry'
ran ell csc row-slots
says '^  to 1 *scatter *Move' # by way of rows
# A pattern that is symmetric is mirrored; the program says what would go on otherwise.
expect 0 generate stencil5 --nx 60 --ny 60 -o symmetric.mtx
expect 0 format csc --path csr symmetric.mtx --threads 1
says '^  0 *mirror *Move *entry '
says '^  Move: if the pattern is symmetric; otherwise scatter Count, Offsets, Move$'
expect 0 format csc --path csr symmetric.mtx --threads 1 --json -
has out '"assumes": "the pattern is symmetric", "otherwise": "scatter Count, Offsets, Move"'
# Nothing is mirrored, and groups lie far apart: what was tried first is not what ran.
expect 0 generate uniform --n 20000 --degree 5 --seed 3 -o far.mtx
expect 0 format csc --path csr far.mtx
says '^  0 *scatter *Move *entry .* bucketed '
expect 0 format 'hybrid<bdia<64>,csr>' --path csr m.mtx --json program.json
fields program.json path program
environment=

# Without FILE the program is planned, and names what else would do; the text says the same.
planned() {
    expect 0 format "$1" --path "$2"
    says "^  0 *$3 "
    says "^  [a-z-]*: [0-9]* bytes an entry; other methods:.* $4 [0-9]* ("
    expect 0 format "$1" --path "$2" --json plan.json
    fields plan.json program
    grep -q '"alternatives"' plan.json || fail 'no alternatives in JSON'
}
planned csc csr scatter sort
planned csr coo share append
planned csr coo share rows
planned 'bcsr<2,2>' csr groups sort
# What is too large to be planned for so many entries has its rules all the same.
expect 0 format ell --path csr --memory 1M
says '^Split(0) '
printf '%%%%MatrixMarket matrix coordinate real general\n4000000000 4000000000 1\n7 9 1\n' >far.mtx
expect 0 format dcsr --path coo far.mtx
environment=CAIRN_CONVERT=append
expect 2 format csc --path csr
complains 'CAIRN_CONVERT: append does not apply to member 0: '
environment=

forced append csr coo
forced share csr coo
forced rows csr coo
forced sort csr coo
forced scatter csc csr
forced sort csc csr
forced row-slots ell csr
forced groups ell csr
forced sort ell csr
forced groups 'bcsr<2,2>' csr
forced sort 'bcsr<2,2>' csr

refused append csc csr
refused scatter ell csr
refused row-slots csc csr
refused share csc csr
refused rows 'bcsr<2,2>' csr
refused partitioned csr coo
refused card csr csc
complains 'does not apply to member 0: no card is listed'

# What asks for compiled functions and for none is asked for wrongly.
environment='CAIRN_CONVERT=append CAIRN_KERNELS=reference'
expect 2 format csr --path coo m.mtx
complains 'CAIRN_CONVERT: append: compiled functions do it'
environment='CAIRN_CONVERT=reference CAIRN_KERNELS=reference'
expect 0 format csr --path coo m.mtx

environment=CAIRN_CONVERT=rowslots
expect 2 info m.mtx
complains 'CAIRN_CONVERT: rowslots is no method; did you mean row-slots?'
finish
