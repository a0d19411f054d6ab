# SPDX-License-Identifier: BSD-3-Clause
# Real and malformed files, if the build knows where they are ($DATA).
. "$(dirname "$0")/lib.sh"

expect 0 --version
[ -d "${DATA:-}/malformed" ] || { echo "no data"; finish; }

# A bad file is refused with one line; those named ok_ are fine.
for file in "$DATA"/malformed/*; do
    case $file in
    */ok_*) expect 0 run spmv "$file" --verify --iters 1 ;;
    *)
        checks=$((checks + 1))
        last="info $file"
        "$program" info "$file" >out 2>err
        status=$?
        [ $status -eq 0 ] || [ $status -eq 2 ] || fail "status $status"
        [ $status -eq 0 ] || [ "$(grep -c '^cairn: ' err)" -eq 1 ] || fail "no line"
        ;;
    esac
done

for name in 1138_bus lp_e226 well1850 orsirr_1 jagmesh7 mhda416; do
    for spec in csr csc 'bdia<16>' 'csb<16,16>' 'sell<8>' 'hybrid<bdia<16>,csr,0.6>'; do
        expect 0 run spmv "$DATA/matrices/$name.mtx.gz" --format "$spec" --iters 1 --verify
    done
done
finish
