# SPDX-License-Identifier: BSD-3-Clause
# cairn generate: every kind, the same bytes each time, and what it refuses.
. "$(dirname "$0")/lib.sh"

# kind OPTIONS...: make it twice.
kind() {
    expect 0 generate "$@" -o one.mtx --json one.json
    fields one.json rows cols nnz
    expect 0 generate "$@" -o two.mtx
    same one.mtx two.mtx
    exists one.mtx
}
kind stencil5 --nx 4 --ny 5
has one.json '"rows": 20'
has one.json '"nnz": 82'
kind stencil7 --nx 3 --ny 4 --nz 2
kind stencil27 --nx 3 --ny 4 --nz 2
kind banded --n 20 --offsets -3,0,7
has one.json '"nnz": 50'
kind fem3 --n 30 --degree 4
kind rmat --scale 6 --edges 200 --seed 7
kind uniform --n 20 --degree 3
has one.json '"nnz": 60'
kind tridiag --n 10
has one.json '"nnz": 28'
kind pruned --rows 10 --cols 20 --density 0.25
has one.json '"nnz": 50'
kind mixed --n 20 --degree 2

# Files of entries of every kind, as convert writes them.
expect 0 generate fem3 --n 30 --degree 4 -o one.mtx
for ending in tns petsc petsc64 hb rua rsa; do
    expect 0 generate fem3 --n 30 --degree 4 -o one.$ending
    expect 0 convert one.mtx --to csr -o two.$ending
    same one.$ending two.$ending
    expect 0 convert one.$ending --to csr -o two.mtx
    same one.mtx two.mtx
done
expect 2 generate mixed --n 20 --degree 2 -o three.rsa
complains 'is not its mirror image to the bit'
absent three.rsa

# Another seed, another matrix; a file is replaced as a whole.
expect 0 generate uniform --n 20 --degree 3 --seed 1 -o one.mtx
expect 0 generate uniform --n 20 --degree 3 -o two.mtx
same one.mtx two.mtx
expect 0 generate uniform --n 20 --degree 3 --seed 2 -o two.mtx
cmp -s one.mtx two.mtx && fail "two seeds give one matrix"

expect 2 generate stencil6 --nx 3 --ny 3 -o three.mtx
complains 'stencil6: .*did you mean stencil5?'
expect 2 generate stencil5 --nx 3 -o three.mtx
complains 'option: --ny: missing'
expect 2 generate stencil5 --nx 3 --ny 3 --nz 3 -o three.mtx
complains 'option: --nz: stencil5 does not take it'
expect 2 generate stencil5 --nx 3 --ny 3
complains 'option: -o: missing'
expect 2 generate stencil5 --nx 3 --ny 3 -o three.cairn
complains 'three.cairn: generate writes .mtx .tns .petsc'
expect 2 generate stencil5 --nx 3 --ny 3 -o three.pet
expect 2 generate stencil5 --nx 3 --ny 3 -o three.petsc6
expect 2 generate stencil5 --nx 0 --ny 3 -o three.mtx
expect 2 generate uniform --n 20 --degree 21 -o three.mtx
expect 2 generate pruned --rows 3 --cols 3 --density 1.5 -o three.mtx
expect 2 generate pruned --rows 3 --cols 3 --density nan -o three.mtx
expect 2 generate banded --n 9 --offsets 1,,2 -o three.mtx
expect 2 generate banded --n 9 --offsets 1,1 -o three.mtx
for offset in 9 -9 0,5 -5,1 1000000000000; do
    expect 2 generate banded --n 5 --offsets=$offset -o three.mtx
    complains 'is outside a matrix of 5 rows and columns'
done
expect 0 generate banded --n 5 --offsets=-4,4 -o one.mtx --json one.json
has one.json '"nnz": 2'
expect 2 generate mixed --n 5 --degree 6 -o three.mtx
expect 2 generate tridiag --n 9 --seed -1 -o three.mtx
expect 1 generate tridiag --n 1000000 --memory 1k -o three.mtx
absent three.mtx
expect 1 generate tridiag --n 9 -o nowhere/three.mtx
finish
