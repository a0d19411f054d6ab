# SPDX-License-Identifier: BSD-3-Clause
# The halo between ranks of simulated devices takes time in their clock. Of a tridiagonal
# matrix every rank but the first and the last shares a row of X with two others: 2 messages
# for two ranks and 8 bytes each way, 4 for the one in the middle of three, and 16 bytes.
. "$(dirname "$0")/lib.sh"

expect 0 generate tridiag --n 96 -o t.mtx

# exchange RANKS SECONDS WORDS...: so long is the exchange, and so much of the whole, on
# devices of kind $kind.
exchange() {
    ranks=$1
    wanted_seconds=$2
    shift 2
    echo '{"kind": "'$kind'", "halo_latency": 0, "halo_rate": 1e15}' >sim.json
    on "$ranks" 0 run "$@" --devices ./sim.json --place "$kind" --iters 1 --json free.json
    echo '{"kind": "'$kind'", "halo_latency": 1, "halo_rate": 8}' >sim.json
    on "$ranks" 0 run "$@" --devices ./sim.json --place "$kind" --iters 1 --json slow.json
    field() { sed -n "s/.*\"$1\": \([0-9.e+-]*\).*/\1/p" "$2"; }
    awk "BEGIN { e = $(field seconds_exchange slow.json)
                 d = $(field seconds_simulated slow.json) - $(field seconds_simulated free.json)
                 w = $wanted_seconds
                 exit !(e > w - 1e-9 && e < w + 1e-9 && d > w - 1e-6 && d < w + 1e-6) }" ||
        fail "the exchange is $(field seconds_exchange slow.json) s, not $wanted_seconds"
}

kind=pim
exchange 1 0 spmv t.mtx --format 'c2sr<4>'
exchange 2 3 spmv t.mtx --format 'c2sr<4>'
exchange 3 6 spmv t.mtx --format 'c2sr<4>'
exchange 2 2.5 spmv t.mtx --format 'c2sr<4>' --dtype f32
exchange 2 6 spmm t.mtx --k 4 --format 'c2sr<4>'
kind=fpga
exchange 1 0 spmv t.mtx --format "serpens<128>" --dtype f32
exchange 2 2.5 spmv t.mtx --format "serpens<128>" --dtype f32
exchange 3 5 spmv t.mtx --format "serpens<128>" --dtype f32

# A measured device's clock has none of it.
on 2 0 run spmv t.mtx --iters 1 --json out.json
grep -q '"seconds_exchange": 0' out.json || fail 'an exchange of measured devices'
finish
