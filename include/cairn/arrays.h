// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arrays in and out: the arrays of a stored tensor as they lie in memory, and a tensor
/// made around arrays that a caller filled, in any format. Which arrays a format has,
/// and what they hold, is docs/formats.md; docs/arrays.md has both calls with examples.
///
/// A *view* is a part's struct (kernel.h), which points to the tensor's own arrays: nothing
/// is copied, nothing may be written. What cairn_tensor_part_get() shows,
/// cairn_tensor_from_parts() takes.

#ifndef CAIRN_ARRAYS_H
#define CAIRN_ARRAYS_H

#include <cairn/kernel.h>
#include <cairn/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The arrays of one part: of a member on this rank, or of one of its banks.
typedef struct cairn_part_view {
    size_t  size;   ///< sizeof(cairn_part_view); CAIRN_PART_VIEW sets it.
    int     member; ///< Of the format.
    bool    given; ///< As cairn_part_info says; not read of a part that is handed over.
    int64_t nnz; ///< Entries stored, padding not counted. Of a part that is handed over
                 ///< -1: they are counted (where the format pads, values not 0).
    int queries; ///< Of the member's encoding, as in its text: rows of `span`.
    const int64_t *span; ///< [queries][2] smallest and largest number that each gave on
                         ///< this rank. NULL in a part that is handed over: they follow
                         ///< from `lo` and `size` of its levels.
    const cairn_kernel_part *arrays;
} cairn_part_view;

/// No part.
#define CAIRN_PART_VIEW                                  \
    {                                                    \
        sizeof(cairn_part_view), 0, 0, -1, 0, NULL, NULL \
    }

/// No arrays; its size is set.
// clang-format off
#define CAIRN_KERNEL_PART                                                           \
    { (int64_t)sizeof(cairn_kernel_part), 0, 0, 0, 0, 0,                            \
      {{0, 0, 0, NULL, 0, NULL, 0, 0, 0, 0, 0, 0, 0}}, NULL, 0, 0, 0, 0 }
// clang-format on

/// Look at the arrays of a part of this rank, until cairn_tensor_part_restore(). Meanwhile
/// calls that would change or free them refuse: cairn_tensor_update() fails, and
/// cairn_tensor_destroy() does nothing. Plans run on, conversions go on.
///
/// Local.
///
/// @param[in]     part  A number of cairn_tensor_parts() (`local`), from 0 on.
/// @param[in,out] view  Its size is set (CAIRN_PART_VIEW); gets the rest. Unchanged on
///                      failure.
/// @retval CAIRN_BAD_ARGUMENT  There is no such part here, a pointer is NULL, or the size
///                             of @p view is wrong.
///
/// Cost: constant. Threads: as all calls of a context.
CAIRN_API cairn_status cairn_tensor_part_get(cairn_tensor    *tensor,
                                             int64_t          part,
                                             cairn_part_view *view);

/// End a view. Its pointers are NULL then.
///
/// Local.
///
/// @retval CAIRN_BAD_ARGUMENT  It is none of this tensor's, or has ended.
CAIRN_API cairn_status cairn_tensor_part_restore(cairn_tensor    *tensor,
                                                 cairn_part_view *view);

/// Whose the arrays are, and which rows they hold.
typedef struct cairn_parts_options {
    size_t          size; ///< sizeof(cairn_parts_options); CAIRN_PARTS_OPTIONS sets it.
    int64_t         first_row; ///< This rank has rows first_row .. first_row+rows-1.
    int64_t         rows;      ///< -1: all from first_row on.
    cairn_copy_mode mode;
    void (*release)(void *user,
                    void *array); ///< CAIRN_TAKE: called once for each array
                                  ///< when the tensor is destroyed.
    void *user;                   ///< Handed to it.
} cairn_parts_options;

/// All rows on this rank; arrays are copied.
#define CAIRN_PARTS_OPTIONS                                        \
    {                                                              \
        sizeof(cairn_parts_options), 0, -1, CAIRN_COPY, NULL, NULL \
    }

/// Make a tensor around arrays, which are looked at first.
///
/// Collective. Every rank gives one part for each member of the format, or for each bank
/// of it (cairn_kernel_part.bank, in row-major order of the partitioned levels), of its own
/// rows; empty ones, too. Of a part's struct `size`, `order` and `levels` must be set, of a
/// level in the trimmed range `nodes`, and the pointers to arrays that have elements. All
/// else may be 0, for what follows from the format (`lo`, `size`, lengths, strides, widths,
/// `hole`, `kind`); what is not 0 must be right. Widths of `ptr` and `idx` that the format's
/// text does not have become a `bits` clause of the tensor's format. Fields of tuples lie as
/// in the C struct of docs/formats.md.
///
/// The arrays must hold what docs/formats.md says: every ptr rises from 0 to its level's
/// nodes; indices are in range, and ascend under each parent, each path once; every entry
/// has coordinates in this rank's rows, and is stored once, by one member; all other values
/// are 0. Numbers that a query gave (slots, places, buckets, the choice of a hybrid's
/// member) need not be those that it would give: then, and where a listed node has no
/// children, the part is marked `given`. Nothing trusts the order of such a part, and a
/// conversion to its own format stores its entries anew. Whether numbers are the query's is
/// found by storing the entries once more: formats that have no query cost two walks,
/// others a sort and a conversion beside, and twice the memory for that time. Where that
/// fails parts are marked.
///
/// With CAIRN_BORROW and CAIRN_TAKE nothing is copied, and no code may write to the arrays
/// before the tensor is destroyed.
///
/// @param[in]  extent   [order of the format] global, the same on all ranks.
/// @param[in]  part     [parts] in any order. Each begins part[0].size bytes after the one
///                      before. NULL for none.
/// @param[in]  options  NULL: CAIRN_PARTS_OPTIONS.
/// @param[out] tensor   Destroy with cairn_tensor_destroy(). Unchanged on failure; then the
///                      arrays are still the caller's.
/// @retval CAIRN_BAD_ARGUMENT  A pointer is NULL, a size or mode is none; or arrays do not
///                             hold what they must: the message has member, level, position
///                             and why. Or @p format with its widths, @p dtype, @p extent or
///                             the mode is not the same on all ranks.
/// @retval CAIRN_BAD_SHAPE     An extent is negative; the ranks' rows do not follow each
///                             other.
/// @retval CAIRN_OVERFLOW      A width is too small for its level.
/// @retval CAIRN_NO_MEMORY
CAIRN_API cairn_status cairn_tensor_from_parts(cairn_context             *context,
                                               const cairn_format        *format,
                                               const int64_t             *extent,
                                               cairn_dtype                dtype,
                                               const cairn_part_view     *part,
                                               int64_t                    parts,
                                               const cairn_parts_options *options,
                                               cairn_tensor             **tensor);

#ifdef __cplusplus
}
#endif

#endif
