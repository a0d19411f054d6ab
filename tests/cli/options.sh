# SPDX-License-Identifier: BSD-3-Clause
# Arguments that are wrong whatever the machine: status 2 and one line that says where.
. "$(dirname "$0")/lib.sh"
figure a.mtx

# Verbs.
expect 2 inof a.mtx
complains '^cairn: verb: inof: .*did you mean info?'
for verb in expr tune; do
    expect 2 "$verb" a.mtx
    complains "^cairn: verb: $verb: not in this version\$"
done
expect 2 --json - info a.mtx
complains -- '--json: not before the verb'

# Options.
expect 2 run spmv a.mtx --itres 3
complains 'option: --itres: .*did you mean --iters?'
expect 2 run spmv a.mtx --itres=3
complains 'option: --itres: .*did you mean --iters?'
expect 2 run spmv a.mtx --iter 3
complains 'did you mean --iters?'
expect 2 info a.mtx --nx 3
complains 'option: --nx: info does not take it; generate does$'
expect 2 info a.mtx -q
complains 'option: -q: '
expect 2 run spmv a.mtx --iters
complains 'option: --iters: needs a value'
expect 2 run spmv a.mtx --iters --verify
complains 'option: --iters: needs a value'
expect 2 run spmv a.mtx --verify=yes
complains 'option: --verify: takes no value'

# Numbers.
for number in abc 0 -3 1.5 3x '' ' 3' 99999999999999999999; do
    expect 2 run spmv a.mtx --iters "$number"
    complains '^cairn: option: --iters: '
done
expect 2 run spmv a.mtx --warmup -1
for number in 0 -5 x 10x 1.5G 99999999T; do
    expect 2 info a.mtx --memory "$number"
    complains '^cairn: option: --memory: '
done
processors=$(getconf _NPROCESSORS_ONLN)
for number in 0 -1 two $((4 * processors + 1)) 100000000 99999999999999999999; do
    expect 2 run spmv a.mtx --threads "$number"
    complains '^cairn: option: --threads: '
    environment=CAIRN_THREADS=$number
    expect 2 run spmv a.mtx
    complains '^cairn: option: CAIRN_THREADS: '
    environment=
done
expect 0 run spmv a.mtx --threads $((4 * processors)) --json -
has out "\"threads\": $((4 * processors))"
environment=OMP_NUM_THREADS=100000
expect 0 run spmv a.mtx --json -
has out "\"threads\": $((4 * processors))"
environment=
for number in 0 -1 1.5 1000000000000001 99999999999999999999; do
    environment=CAIRN_REPLAYS=$number
    expect 2 run spmv a.mtx
    complains '^cairn: option: CAIRN_REPLAYS: '
done
environment=CAIRN_REPLAYS=10000000
expect 0 run spmv a.mtx
environment=
for dtype in f16 f33 ''; do expect 2 run spmv a.mtx --dtype "$dtype"; done

# An empty value is none, of whatever option.
for option in --x --out --plan --plan-out --trace --json --place --devices --format --dtype \
    --distribute --iters --k --memory --threads; do
    for words in "$option=" "$option"; do
        if [ "$words" = "$option" ]; then
            expect 2 run spmm a.mtx $option ''
        else
            expect 2 run spmm a.mtx "$words"
        fi
        complains "^cairn: option: $option: needs a value, "
    done
done
for option in -o --output; do
    expect 2 convert a.mtx --to csr $option ''
    complains '^cairn: option: --output: needs a value, OUT'
done
expect 2 convert a.mtx --to '' -o b.mtx
expect 2 info a.mtx --spy ''
expect 2 format csr --path ''
expect 2 generate banded --n 5 --offsets '' -o b.mtx

# The same option twice: which did one mean?
for words in '--iters 3 --iters 3' '--iters=3 --warmup 1 --iters 4' '--verify --verify' \
    '--json - --json a.json' '--format csr --verify --format coo'; do
    expect 2 run spmv a.mtx $words
    complains "^cairn: option: ${words%%[ =]*}: given twice\$"
done
for words in '-o b.mtx -o c.mtx' '-o b.mtx --output c.mtx' '--output=b.mtx -oc.mtx'; do
    expect 2 convert a.mtx --to csr $words
    complains '^cairn: option: --output: given twice$'
done
absent b.mtx
absent c.mtx

# A file to be written that is read, or written twice, by whatever name.
cp a.mtx kept
mkdir -p sub
ln -s ../a.mtx sub/link.mtx
ln a.mtx hard.mtx
ln -s new.json dangling.json
for out in a.mtx ./a.mtx sub/../a.mtx "$folder/a.mtx" sub/link.mtx hard.mtx; do
    for words in "convert a.mtx --to csr -o $out" "run spmv a.mtx --out $out" \
        "run spmv a.mtx --json $out" "run spmv a.mtx --trace $out" \
        "run spmv a.mtx --plan-out $out" "info a.mtx --json $out" "info a.mtx --spy $out" \
        "format csr a.mtx --json $out" "emit spmv a.mtx --format csr --json $out"; do
        case $words in emit*json*) "$program" emit --help | grep -q -- --json || continue ;; esac
        expect 2 $words
        complains "$out: is the file of another operand or option\$"
        same a.mtx kept
    done
done
for words in '--out y.mtx --json y.mtx' '--out y.mtx --json ./y.mtx' \
    '--json new.json --trace dangling.json' '--trace sub/t --plan-out sub/../sub/t' \
    '--out sub/link.mtx --json hard.mtx'; do
    expect 2 run spmv "$folder/kept" $words
    complains 'is the file of another operand or option$'
done
printf '%%%%MatrixMarket matrix array real general\n4 1\n1\n1\n1\n1\n' >x.mtx
expect 2 run spmv a.mtx --x x.mtx --out ./x.mtx
expect 0 run spmv a.mtx --plan-out p.json
expect 2 run spmv a.mtx --plan p.json --trace ./p.json
echo '{"kind": "pim"}' >sim.json
expect 2 run spmv a.mtx --devices cpu,sim.json --json sim.json
expect 2 generate tridiag --n 3 -o g.mtx --json ./g.mtx
expect 2 convert a.mtx --to csr -o g.mtx --json g.mtx
absent y.mtx
absent new.json
absent sub/t
absent g.mtx
same a.mtx kept
expect 0 run spmv a.mtx --out y.mtx --json y.json --trace t.json
expect 0 info a.mtx --json /dev/null --spy /dev/null
expect 0 format csr --json csr
rm -rf sub hard.mtx dangling.json y.mtx *.json csr

# Operands.
expect 2 info
complains 'usage: cairn info FILE'
expect 2 info a.mtx b.mtx
complains 'operand: b.mtx: one too many'
expect 2 info ''
complains 'operand: FILE: is empty; usage: cairn info FILE'
expect 2 run spmv ''
complains 'operand: FILE: is empty; usage: cairn run OP FILE'
expect 2 format '' a.mtx
complains 'operand: SPEC: is empty'
expect 2 run spmv
expect 2 run spmv a.mtx a.mtx

# What is accepted: values after an equals sign, options first, a file whose name begins
# with a dash, every option of every verb that reads.
expect 0 run --iters=4 --warmup 1 spmv --json - a.mtx
has out '"iters": 4'
cp a.mtx ./-a.mtx
expect 0 info -- -a.mtx
expect 0 info a.mtx --memory 64M --threads 2 --dtype f32
expect 0 info a.mtx --memory 1Gi
expect 0 run spmv a.mtx --warmup 0 --iters 1 --threads 2 --reproducible --json -
has out '"threads": 2'

# The environment.
environment=CAIRN_MEMRY=1
expect 2 info a.mtx
complains 'CAIRN_MEMRY: .*did you mean CAIRN_MEMORY?'
environment=CAIRN_MEMORY=lots
expect 2 info a.mtx
complains 'CAIRN_MEMORY'
environment=

# A name that would break the line.
expect 1 info "$(printf 'no\nsuch\033[31m.mtx')"
finish
