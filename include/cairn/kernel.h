// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The part as kernels see it: one plain struct of sizes and arrays, the same for
/// generated C, CUDA and OpenCL and for users who wrap arrays of their own. Which arrays
/// exist follows from the encoding and the sizes, never from the data (docs/formats.md).
///
/// A part is a tree of levels, one per expression of the index map. Node p of level L-1
/// has as children in level L: all indices lo..lo+size-1 for a dense level (node
/// p*size + k); nodes ptr[p] .. ptr[p+1]-1 for a compressed or ragged level; node p
/// itself for a singleton. At a level of the trimmed range idx[p] is the index; a
/// ragged level has none. At the top, ptr = [0, nodes] is implied.
///
/// The struct of a part begins with its size, so that fields can be added at its end: who
/// reads one looks at no field beyond it. That of a level stays as it is.

#ifndef CAIRN_KERNEL_H
#define CAIRN_KERNEL_H

#include <stdint.h>

#define CAIRN_KERNEL_LEVELS 16

/// One level of a part.
typedef struct cairn_kernel_level {
    int64_t     lo;         ///< Smallest index (global, may be negative).
    int64_t     size;       ///< Number of indices of the range.
    int64_t     nodes;      ///< Stored nodes; 0 for a level without arrays.
    const void *ptr;        ///< [parents + 1] unsigned, ptr_bits wide; or NULL.
    int64_t     ptr_length; ///< Its entries; 0 without.
    const void *idx; ///< [idx_length], idx_bits wide, idx_stride bytes apart; or NULL.
    int64_t     idx_length;
    int64_t     idx_stride; ///< More than the width when the index is a tuple's field.
    int64_t     hole;       ///< A determined level's idx where there is no element.
    uint8_t     ptr_bits;   ///< 8, 16, 32, 64; 0 without ptr.
    uint8_t     idx_bits;   ///< 8, 16, 32, 64; 0 without idx.
    uint8_t     idx_signed; ///< 1: two's complement.
    uint8_t     kind;       ///< 0 dense, 1 compressed, 2 singleton, 3 ragged.
} cairn_kernel_level;

/// How the values of a part are stored. Whatever it is, a value is what the tensor's type
/// holds, bit for bit, unless the format's text asks for a type that rounds.
typedef enum cairn_value_kind {
    CAIRN_VALUE_FLOAT,   ///< IEEE 754, val_bits 16, 32 or 64.
    CAIRN_VALUE_INTEGER, ///< Two's complement, val_bits 8 or 16.
    CAIRN_VALUE_ONE,     ///< All are equal: val points to one, val_bits 32 or 64.
    CAIRN_VALUE_CODE,    ///< Unsigned, val_bits 8 or 16: its place in the dictionary.
    CAIRN_VALUE_BFLOAT,  ///< bf16, the upper half of an IEEE 754 f32; val_bits 16.
} cairn_value_kind;

/// One part. Value v (position in the tree below the last level) is at
/// val + (v / val_block) * val_stride + (v % val_block) * val_bits/8 bytes. Of values that
/// are all equal, val_stride is 0, and val has one element however many there are. Where
/// values are fields of a tuple (docs/formats.md) they are FLOAT, as wide as the tensor's.
typedef struct cairn_kernel_part {
    int64_t size; ///< Bytes of this struct: sizeof(cairn_kernel_part).
    int32_t order, levels;
    int32_t first, last; ///< The trimmed levels; first = levels, last = -1: none.
    int64_t bank;        ///< Number of the bank; 0 without partition.
    cairn_kernel_level level[CAIRN_KERNEL_LEVELS];
    void              *val;
    int64_t            values;     ///< How many.
    int64_t            val_block;  ///< Values that stand together in one tuple; else 1.
    int64_t            val_stride; ///< Bytes between blocks.
    int32_t            val_bits;   ///< Of one as it is stored: 8, 16, 32 or 64.
    int32_t            val_kind;   ///< A cairn_value_kind.
    const void        *dictionary; ///< [2^val_bits] f64, for CODE; else NULL.
} cairn_kernel_part;

#endif
