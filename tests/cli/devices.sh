# SPDX-License-Identifier: BSD-3-Clause
# cairn devices.
. "$(dirname "$0")/lib.sh"

expect 0 devices
says 'cpu:0'
expect 0 devices --json -
fields out devices
for name in rank id kind name clock memory_bytes cores bandwidth; do has out "\"$name\": "; done
has out '"rank": 0, "id": "cpu:0", "kind": "cpu"'
expect 2 devices --models
complains 'not in this version'
expect 2 devices more
finish
