# SPDX-License-Identifier: BSD-3-Clause
# Native files of version 1 (tests/golden/native): levels whose expression is one value
# had an idx of one element, or were packed into a tuple. They are read, and what is
# written again is what a text of the same entries becomes.
. "$(dirname "$0")/lib.sh"

cat >figure.mtx <<'END'
%%MatrixMarket matrix coordinate real general
5 4 6
1 1 1
2 2 2
3 2 3
3 3 4
3 4 5
5 4 6
END

# reads NAME FORMAT
reads() {
    old=$here/../golden/native/version1-$1.cairn
    exists "$old"
    expect 0 convert "$old" --to "$2" -o again.cairn
    expect 0 convert figure.mtx --to "$2" -o new.cairn
    same again.cairn new.cairn
    [ "$(wc -c <new.cairn)" -le "$(wc -c <"$old")" ] || fail "it is larger than $old"
    expect 0 run spmv "$old" --format csr --verify
}

reads bcsr13 'bcsr<1,3>'
reads bell1 'bell<1>'
reads serpens142 'serpens<1,4,2>'
reads packed '#encoding<{ idx_map<(d0,d1)->(d0,d1,d0%1,d1%1)>, mutation<merge(0), trim(1,1)>, layout<pack(2,3)> }>'

# What version 1 stored and this one does not must be there.
head -c 700 "$here/../golden/native/version1-bcsr13.cairn" >short.cairn
expect 2 info short.cairn
finish
