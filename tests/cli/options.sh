# SPDX-License-Identifier: BSD-3-Clause
# Arguments that are wrong whatever the machine: status 2 and one line that says where.
. "$(dirname "$0")/lib.sh"
figure a.mtx

# Verbs.
expect 2 inof a.mtx
complains '^cairn: verb: inof: .*did you mean info?'
for verb in expr solve tune scale; do
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
complains 'option: --nx: info does not take it'
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
for number in 0 -1 two; do expect 2 run spmv a.mtx --threads "$number"; done
for dtype in f16 f33 ''; do expect 2 run spmv a.mtx --dtype "$dtype"; done

# Operands.
expect 2 info
complains 'usage: cairn info FILE'
expect 2 info a.mtx b.mtx
complains 'operand: b.mtx: one too many'
expect 2 run spmv
expect 2 run spmv a.mtx a.mtx

# What is accepted: values after an equals sign, the last of several, options first, a
# file whose name begins with a dash, every option of every verb that reads.
expect 0 run --iters=3 --iters 4 spmv --json - a.mtx
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
