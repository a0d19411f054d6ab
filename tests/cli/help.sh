# SPDX-License-Identifier: BSD-3-Clause
# What the command says of itself needs neither a context nor a valid environment.
. "$(dirname "$0")/lib.sh"

expect 0 --version
says '^cairn [0-9]*\.[0-9]*\.[0-9]*$'

expect 0 --help
for verb in info generate format convert run solve emit devices doctor scale; do says "^  $verb "; done
says 'a worked example'

expect 0 --options
says '^CAIRN_MEMORY'

for verb in info generate format convert run solve emit devices doctor scale; do
    expect 0 "$verb" --help
    says "^usage: cairn $verb"
    says '^  --json FILE'
    says '^JSON: '
    says '^example'
done

# Before anything else: whatever else is wrong.
expect 0 run --bogus --iters abc --help
says '^usage: cairn run'
environment=CAIRN_NONSENSE=1
expect 0 --help
environment=

# No arguments: a line, and no success.
expect 2
complains 'cairn --help'

# Nowhere to write.
for words in --help --version "run --help"; do
    checks=$((checks + 1))
    last="$words >/dev/full"
    : >out
    # The words are to be split.
    # shellcheck disable=SC2086
    "$program" $words >/dev/full 2>err
    [ $? -eq 1 ] || fail "status is not 1"
done
expect 2 help
complains 'ask cairn --help'
finish
