# SPDX-License-Identifier: BSD-3-Clause
# cairn format: texts, levels, and the arrays of figure 1a.
. "$(dirname "$0")/lib.sh"
figure a.mtx

expect 0 format csr
says '^#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>$'
expect 0 format csr --json -
fields out format members
has out '"format": "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>"'
has out '"level": 1, "expr": "d1", "kind": "compressed", "lo": null, "size": null, "nodes": null, "merged": false, "trimmed": true'

# What is printed can be read again.
expect 0 format 'hybrid<bdia<3>,csr,0.6>' --json -
says '"members": \[{.*}, {.*}\]'
expect 0 format 'bdia<3>'
text=$(head -n 1 out)
cp out first
expect 0 format "$text"
same out first

# A bare name that needs arguments: its definition; with a file there is nothing to do.
expect 0 format bdia
says '^#bdia<b> = '
expect 0 format '#bdia' --json -
has out '"members": []'
expect 2 format bdia a.mtx
complains 'bdia needs 1 argument: b'

# The worked arrays.
expect 0 format 'bdia<3>' a.mtx --arrays --json -
fields out format members parts
for text in '"level": 1, "kind": "ptr", "bits": 32, "length": 3, "bytes": 12, "values": [0, 3, 4]' \
    '"values": [-1, 0, 1, -1]' '"values": [0, 0, 3, 1, 2, 4, 0, 0, 5, 0, 6, 0]' \
    '"level": -1, "kind": "val", "bits": 64' '"bank": null' '"nnz": 6' \
    '"lo": -4, "size": 8, "nodes": 4'; do has out "$text"; done
expect 0 format dok a.mtx --arrays --json -
has out '"kind": "tuples", "bits": 128, "length": 6'
has out '"values": [[0, 0, 1], [1, 1, 2], [2, 1, 3], [2, 2, 4], [2, 3, 5], [4, 3, 6]]'
expect 0 format lil a.mtx --arrays --json -
has out '"values": [[[0, 1]], [[1, 2]], [[1, 3], [2, 4], [3, 5]], [], [[3, 6]]]'
expect 0 format 'c2sr<2>' a.mtx --arrays --json -
has out '"bank": 0, "nnz": 5'
has out '"bank": 1, "nnz": 1'
expect 0 format 'hybrid<bdia<3>,csr,0.5>' a.mtx --arrays
says '\[1,2,4\]'
says '\[3,5,6\]'
expect 0 format csr a.mtx --dtype f32 --json -
has out '"kind": "val", "bits": 32'
has out '"length": 6, "bytes": 24'

expect 2 format csx
complains 'did you mean'
expect 2 format '#encoding<{ idx_map<(d0,d1)->(d0)> }>'
expect 2 format 'csr<'
expect 2 format 'csf<3>' a.mtx
expect 2 format csr --arrays
expect 2 format csr --path coo
complains 'not in this version'
expect 1 format csr missing.mtx
expect 1 format nofile:mine
finish
