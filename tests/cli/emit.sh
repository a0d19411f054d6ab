# SPDX-License-Identifier: BSD-3-Clause
# cairn emit: kernels as text, which compiles, and kernels into the cache.
. "$(dirname "$0")/lib.sh"
figure a.mtx

# builds: what was printed compiles by itself, without a warning.
builds() {
    command -v cc >/dev/null || return 0
    cp out kernel.c
    run_as 0 cc -std=gnu11 -Wall -Wextra -Werror -Wno-psabi -O1 -fopenmp -c kernel.c -o kernel.o
}

# says_not PATTERN: nor is there such a line on standard output.
says_not() { if grep -q -e "$1" out; then fail "stdout has: $1"; fi; }

for spec in csr csc coo dia 'bdia<16>' ell 'sell<8>' 'bcsr<2,3>' 'c2sr<2>' lil \
    'hybrid<bdia<16>,csr,0.6>' 'sell-sigma<8,64>' 'csb<8,8>'; do
    for vector in 16 64; do
        expect 0 emit spmv --format "$spec" --vector $vector
        builds
    done
    expect 0 emit spmm --format "$spec" --vector 32 --dtype f32
    builds
    expect 0 emit spmv --format "$spec" --transpose --vector 32
    builds
    expect 0 emit spmv --format "$spec" --add --vector 32
    says '^ \* y(i) += A(i,j)\*x(j)$'
    says_not '^ \* y(i) = '
    builds
done
expect 0 emit spmv
says '^int64_t spmv(const cairn_kernel_part \*A, const cairn_product_args \*op)$'
says 'y(i) = A(i,j)\*x(j)'
expect 0 emit spmv --format 'hybrid<bdia<16>,csr,0.6>'
says '^int64_t spmv_0('
says '^int64_t spmv_1('
says 'y(i) += A(i,j)\*x(j)'

# The same text for the same question; widths follow extents, those given or a file's.
expect 0 emit spmv --vector 32
cp out once.c
expect 0 emit spmv --vector 32 --target c --format csr
same out once.c
says 'uint32_t \*restrict const A1_idx'
expect 0 emit spmv --vector 32 a.mtx
says 'uint8_t \*restrict const A1_idx'
expect 0 emit spmv --vector 32 --rows 10 --cols 50000
says 'uint16_t \*restrict const A1_idx'
expect 0 emit spmv --json out.json
fields out.json op format target text

# A kernel that sets y, and ones that add to it: of several columns, for devices, and of the
# transpose, whose sums are always added.
expect 0 emit spmv
says_not 'y(i) += '
for target in c opencl cuda; do
    expect 0 emit spmm --add --target $target
    says 'Y(i,c) += A(i,j)\*X(j,c)'
done
expect 0 emit spmv --transpose --vector 32
cp out once.c
expect 0 emit spmv --transpose --add --vector 32
same out once.c

# For cards: the same text on every machine, which says how it is compiled; as C it
# compiles with a header that says what CUDA's words are.
expect 0 emit spmv --format 'sell<32>' --target cuda --arch sm_90
says '^/\* nvrtc --gpu-architecture=sm_90 --std=c++17 --fmad=false '
says '^KERNEL(spmv)$'
expect 0 emit spmv --format 'hybrid<bdia<16>,ell>' --dtype f32 --target cuda
says '^/\* nvrtc --std=c++17 '
says '^KERNEL(spmv_0)$'
says '^KERNEL(spmv_1)$'
if command -v cc >/dev/null; then
    cp out kernel.cu
    run_as 0 cc -std=gnu11 -x c -Wall -Wextra -Werror -Wno-unknown-pragmas -O1 \
        -include "$here/../fake_cuda/on_cpu.h" -c kernel.cu -o kernel.o
fi
expect 0 emit spmv --format 'cisr-plus<16>' --target cuda
says '^KERNEL(spmv)$'
expect 0 emit spmm --format csr --k 32 --target cuda
says '^KERNEL(spmm_join)$'
# Every format of the catalogue has kernels for cards, one member or several, both types, of
# the matrix and of its transpose, for a vector and for columns; one text of each compiles.
catalogue=$here/../../src/format/catalogue.txt
formats=$(sed -n 's/^#\([^ =]*\).*/\1/p' "$catalogue" | grep -v '^hybrid')
[ "$(echo "$formats" | wc -l)" -ge 25 ] || fail "few formats in $catalogue"
turn=0
for spec in $formats 'hybrid<bdia<4>,csr>' 'hybrid<bell<4>,coo>'; do
    case $spec in
    hybrid*) ;;
    sell-sigma*) spec='sell-sigma<4,8>' ;;
    dense* | csf*) spec=${spec%%<*}'<2>' ;;
    coo*) spec=coo ;;
    *'<'?,?*) spec=${spec%%<*}'<4,4>' ;;
    *'<'*) spec=${spec%%<*}'<4>' ;;
    esac
    for dtype in f64 f32; do
        for way in 'spmv' 'spmv --transpose' 'spmv --add' 'spmm --k 3' 'spmm --k 32 --transpose'; do
            expect 0 emit $way --format "$spec" --dtype $dtype --target cuda --arch sm_90
            says '^KERNEL(spm[vm][_a-z0-9]*)$'
            turn=$((turn + 1))
            [ $((turn % 7)) = 0 ] && command -v cc >/dev/null || continue
            cp out kernel.cu
            run_as 0 cc -std=gnu11 -x c -Wall -Wextra -Werror -Wno-unknown-pragmas -fsyntax-only \
                -include "$here/../fake_cuda/on_cpu.h" kernel.cu
        done
    done
done

# Into the cache: compiled once, then there; a file's plan finds what was compiled for it.
environment="CAIRN_CACHE=$folder/kernels"
odd='#encoding<{ idx_map<(d0,d1)->(d0/3,d1/2,d1%2,d0%3)>, mutation<merge(0,1), trim(1,1)> }>'
if command -v cc >/dev/null; then
    expect 0 emit spmv --format "$odd" --warm --json -
    fields out op format prebuilt cached compiled
    grep -q '"compiled": [1-9]' out || fail "nothing was compiled"
    expect 0 emit spmv --format "$odd" --warm --json -
    has out '"compiled": 0'
    expect 0 emit spmv --format "$odd" --add --warm --json -
    grep -q '"compiled": [1-9]' out || fail "no kernel that adds was compiled"
    expect 0 emit spmv --format "$odd" --add --warm --json -
    has out '"compiled": 0'
    expect 0 emit spmv --format "$odd" --warm --rows 1000000 --cols 1000000 --json -
    has out '"compiled": 0'
    # A sample that would take much memory is left out, whatever it is that takes it.
    for extents in '1000000000 1000000000' '4000000000 10'; do
        expect 0 emit spmv --warm --rows ${extents% *} --cols ${extents#* }
    done
    for extents in '0 8' '8 0' '3 100000000'; do
        expect 0 emit spmv --warm --rows ${extents% *} --cols ${extents#* }
    done
    # Conversions too: from coordinates, and from what is stored as them or as rows.
    expect 0 emit spmv --format "$odd" --warm --rows 5 --cols 4
    for stored in csr coo; do
        expect 0 convert a.mtx --to $stored -o $stored.cairn
        for source in a.mtx $stored.cairn; do
            run_as 0 /usr/bin/env "CAIRN_CACHE=$folder/kernels" PATH=/nonexistent \
                CAIRN_KERNELS=compiled "$program" convert $source --to "$odd" -o odd.cairn
            expect 0 convert odd.cairn --to coo -o back.mtx
            same a.mtx back.mtx
        done
    done
    expect 0 emit spmm --k 3 --format "$odd" a.mtx --warm
    ls -I "costs-*" kernels >before
    expect 0 run spmm a.mtx --k 3 --format "$odd" --json -
    has out '"route": "compiled"'
    ls -I "costs-*" kernels >after
    same before after
    # Values of a file are as narrow as they are stored, others as the format names them.
    expect 0 emit spmv --format "$odd" a.mtx --warm
    expect 0 run spmv a.mtx --format "$odd" --json -
    has out '"values": "i8"'
    has out '"note": ""'
    short=$(echo "$odd" | sed 's/ }>$/, layout<val(i16)> }>/')
    expect 0 emit spmv --format "$short"
    grep -q int16_t out || fail "the kernel does not read what is stored"
    expect 0 emit spmv --format "$short" --warm --rows 5 --cols 4
    run_as 0 /usr/bin/env "CAIRN_CACHE=$folder/kernels" PATH=/nonexistent \
        CAIRN_KERNELS=compiled "$program" run spmv a.mtx --format "$short" --json -
    has out '"values": "i16"'
    has out '"note": ""'
    # What a login node compiled serves where there is no compiler.
    environment="CAIRN_CACHE=$folder/kernels PATH=/nonexistent"
    run_as 0 /usr/bin/env $environment "$program" run spmm a.mtx --k 3 --format "$odd" --json -
    has out '"route": "compiled"'
fi
environment="CAIRN_CACHE=$folder/other CAIRN_CC=/nonexistent/cc"
expect 1 emit spmv --format "$odd" --warm
complains 'there is no such command'
environment=

# For cards, by CUDA's compiler; neither a card nor its driver is needed.
if command -v cc >/dev/null; then
    mkdir compiler
    ln -s "$DRIVERS/cuda/libnvrtc.so.13" compiler/
    environment="CAIRN_CACHE=$folder/cards LD_LIBRARY_PATH=$folder/compiler"
    expect 0 emit spmv a.mtx --format dia --target cuda --arch sm_90 --warm
    says '^spmv .*: 0 kernels of the library, 0 of the cache, [1-9][0-9]* compiled$'
    expect 0 emit spmv a.mtx --format dia --target cuda --arch sm_90 --warm --json -
    fields out op format prebuilt cached compiled
    has out '"compiled": 0'
    expect 1 emit spmv a.mtx --format dia --target cuda --warm
    complains '^cairn: device: no generation of cards is named, and none is here: no libcuda.so.1$'
    # A card without a compiler finds them.
    environment="CAIRN_CACHE=$folder/cards LD_LIBRARY_PATH=$DRIVERS/cuda CAIRN_NVRTC=none"
    expect 0 run spmv a.mtx --format dia --place cuda --verify --json -
    has out '"route": "compiled"'
    environment="CAIRN_CACHE=$folder/cards CAIRN_NVRTC=/no/nvrtc.so"
    expect 1 emit spmv --target cuda --arch sm_90 --warm
    complains '^cairn: compile: sm_90: no /no/nvrtc.so$'
    environment=
fi

# What is wrong.
expect 2 emit spmv --target cuda --vector 32
complains '^cairn: option: --vector: '
expect 2 emit spmv --arch sm_90
complains '^cairn: option: --arch: it goes with --target cuda$'
for arch in sm_60 90 sm_ sm_90x sm_4294967386 ' sm_90' 'sm_ 90' sm_-90; do
    expect 2 emit spmv --target cuda --arch "$arch"
    complains "^cairn: option: --arch: $arch is no generation of cards, sm_70 or newer\$"
done
expect 2 emit spmv --target opencl --warm
complains '^cairn: option: --warm: '
expect 2 emit spmv --target opencl --vector 32
complains '^cairn: option: --vector: '
expect 2 emit spmv --target fortran
expect 2 emit spvm
expect 2 emit sddmm
complains 'not in this version'
expect 2 emit
expect 2 emit spmv --vector 24
complains '24 is none of 16, 32, 64'
expect 2 emit spmv --k 3
expect 2 emit spmv --rows 3
complains 'option: --cols: missing beside --rows'
expect 2 emit spmv --rows 0 --cols 0
complains 'option: --rows: 0 by 0'
expect 2 emit spmv --rows -1 --cols 3
expect 0 emit spmv --rows 0 --cols 70000
grep -q 'uint32_t \*restrict const A1_idx' out || fail "not indices of 70000 columns"
expect 0 emit spmv --rows 70000 --cols 0
grep -q 'uint8_t \*restrict const A1_idx' out || fail "not indices of no column"
expect 2 emit spmv a.mtx --rows 3 --cols 3
expect 1 emit spmv missing.mtx
expect 2 emit spmv --format 'csf<3>'
complains 'needs a matrix, and the order is 3'
finish
