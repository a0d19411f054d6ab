// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arrays in and out: the arrays of a stored tensor as they lie in memory, and a tensor
/// made around arrays that a caller filled, in any format; lists of coordinates in, and
/// entries out into a caller's lists and compressed rows. Which arrays a format has, and
/// what they hold, is docs/formats.md; docs/arrays.md has the calls with examples.
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
      {{0, 0, 0, NULL, 0, NULL, 0, 0, 0, 0, 0, 0, 0}}, NULL, 0, 0, 0, 0, 0, NULL }
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
    void   *user;                 ///< Handed to it.
    int64_t replays;              ///< CAIRN_COPY: as in cairn_store_options.
} cairn_parts_options;

/// All rows on this rank; arrays are copied.
#define CAIRN_PARTS_OPTIONS                                           \
    {                                                                 \
        sizeof(cairn_parts_options), 0, -1, CAIRN_COPY, NULL, NULL, 0 \
    }

/// Make a tensor around arrays, which are looked at first.
///
/// Collective. Every rank gives one part for each member of the format, or for each bank
/// of it (cairn_kernel_part.bank, in row-major order of the partitioned levels), of its own
/// rows; empty ones, too. Of a part's struct `size`, `order` and `levels` must be set, of a
/// level in the trimmed range `nodes`, and the pointers to arrays that have elements. All
/// else may be 0, for what follows from the format (`lo`, `size`, lengths, strides, widths,
/// `hole`, `kind`); what is not 0 must be right. Widths of `ptr` and `idx` that the format's
/// text does not have become a `bits` clause of the tensor's format. Values are FLOAT of
/// @p dtype's width, or of the kind and bits that `val(TYPE)` in the text names, or, where
/// it names none, of any that is no wider than @p dtype; all parts of a member are alike.
/// Of CODE every word of the dictionary is a value of @p dtype. Fields of tuples lie as
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

/* ---- a caller's coordinates, in ---- */

/// Entries as coordinates and values, in arrays of their own or side by side in a struct.
typedef struct cairn_coords {
    size_t      size;                ///< sizeof(cairn_coords); CAIRN_COORDS sets it.
    int         order;               ///< Modes, 1..CAIRN_ORDER.
    int64_t     extent[CAIRN_ORDER]; ///< [order] global, the same on all ranks.
    int64_t     first_row; ///< All entries are of rows first_row .. first_row+rows-1,
    int64_t     rows;      ///< this rank's; -1: of any rows, and ranks divide them.
    int64_t     entries;
    const void *idx[CAIRN_ORDER]; ///< [order] the first entry's index of each mode,
    int64_t     idx_stride;       ///< the next one's so many bytes on; 0: idx_bits / 8.
    int         idx_bits;         ///< 32 or 64, signed.
    int         base;             ///< 0 or 1: what the first index of a mode is called.
    const void *val;              ///< The first value, of dtype; NULL: all are 1.
    int64_t     val_stride;       ///< Likewise; 0: the width of dtype.
    cairn_dtype dtype;            ///< Of the tensor, too.
    int64_t     replays;          ///< With a format: as in cairn_store_options.
    bool updates; ///< cairn_tensor_update() will bring new values, entry for entry.
} cairn_coords;

/// No entries of a matrix; 64-bit indices from 0 on, f64 values.
// clang-format off
#define CAIRN_COORDS                                                                \
    {                                                                               \
        sizeof(cairn_coords), 2, {0}, 0, -1, 0, {NULL}, 0, 64, 0, NULL, 0, CAIRN_F64, 0, \
            false                                                                   \
    }
// clang-format on

/// Make a tensor of a caller's coordinates.
///
/// Collective. They are looked at once (where the first entries alone ascend, twice), about
/// as fast as they could be copied: are they in range, and in what order? Those that ascend,
/// by rows and within them by columns, none twice, are the source of a conversion where they
/// lie, without a copy; others are sorted, and repeats added in the order in which they stand
/// (those of lower ranks first).
/// So are fewer than 200,000 that lie otherwise than as arrays of indices from 0 on.
///
/// With @p format NULL and CAIRN_BORROW nothing is copied: the tensor is a list of
/// coordinates over the caller's arrays, whose values may be changed in place at any time
/// (cairn_tensor_update() with the same `val` tells copies). Entries must then ascend, and
/// lie as arrays of their own, or as the fields of one struct, at multiples of their widths;
/// on several ranks `rows` says whose they are. Else the arrays are of no more use when the
/// call returns.
///
/// Where `rows` is -1 several ranks divide the rows so that each has about as many entries,
/// and entries move to their owners, by way of a copy.
///
/// With `updates`, and a copy, it is found where each entry is stored, so that
/// cairn_tensor_update() takes new values in the order of these, repeats added as they are
/// here: about the time of two conversions, and no more than 8 bytes an entry that stay (16
/// from 2^32 entries on). On several ranks `rows` must then say whose they are.
///
/// @param[in]  format  NULL: a list of coordinates, by rows.
/// @param[out] tensor  Destroy with cairn_tensor_destroy(). Unchanged on failure.
/// @retval CAIRN_BAD_COORD     An index is out of range; the message has the first such.
/// @retval CAIRN_BAD_SHAPE     No tensor has such an order, or an extent is negative; the
///                             ranks' rows do not follow each other; the format is for
///                             another order.
/// @retval CAIRN_BAD_ARGUMENT  A pointer is NULL; no such width, base, number, type or mode,
///                             or CAIRN_TAKE; arrays that cannot be borrowed as they are; or
///                             @p format, the type, the mode, extents or whether `rows` is
///                             given is not the same on all ranks.
/// @retval CAIRN_NO_MEMORY, CAIRN_OVERFLOW, CAIRN_BAD_QUERY, CAIRN_NO_KERNEL  As
///                             cairn_tensor_create().
CAIRN_API cairn_status cairn_tensor_from_coords(cairn_context      *context,
                                                const cairn_coords *coords,
                                                cairn_copy_mode     mode,
                                                const cairn_format *format,
                                                cairn_tensor      **tensor);

/* ---- out again ---- */

/// Entries of this rank: how many elements arrays must have that take them. No fewer come
/// out of a format that does not pad; of one that does, those that are 0 now may stay away.
///
/// Local. @return 0 of NULL.
CAIRN_API int64_t cairn_tensor_entries(const cairn_tensor *tensor);

/// Compressed rows or columns of a caller's, which are to be filled.
typedef struct cairn_compressed {
    size_t  size;       ///< sizeof(cairn_compressed); CAIRN_COMPRESSED sets it.
    void   *ptr;        ///< Where each row (or column) begins, and the last one ends.
    int64_t ptr_length; ///< Its elements, at least as many as are written.
    int     ptr_bits;   ///< 32 or 64.
    int     idx_bits;   ///< 32 or 64.
    void   *idx;        ///< Global columns (or rows), ascending.
    void   *val;        ///< Of dtype.
    int64_t length; ///< Elements of idx, and of val: cairn_tensor_entries() or more.
    int     base; ///< 0 or 1: what ptr begins with, and what the first index is called.
    cairn_dtype dtype;   ///< The tensor's.
    int64_t     entries; ///< Gets how many there are.
} cairn_compressed;

/// No arrays; 64-bit numbers from 0 on, f64 values.
#define CAIRN_COMPRESSED                                                          \
    {                                                                             \
        sizeof(cairn_compressed), NULL, 0, 64, 64, NULL, NULL, 0, 0, CAIRN_F64, 0 \
    }

/// Write a matrix by rows into a caller's arrays: this rank's rows, columns ascending, each
/// entry once.
///
/// Collective. The tensor may have any format; the functions that convert it write into the
/// arrays themselves. What can be wrong with these is found, on all ranks, before anything
/// is written; after another failure (memory, say) what they hold is undefined.
///
/// @param[in,out] arrays  `ptr` has a row more than cairn_tensor_rows() says; `entries` is
///                        set. Arrays do not overlap each other or the tensor's.
/// @retval CAIRN_BAD_ARGUMENT  An array is NULL, too short or not at a multiple of its
///                             elements' width; no such width or base; another type than the
///                             tensor's; widths that are not the same on all ranks.
/// @retval CAIRN_OVERFLOW      Signed numbers of such a width do not hold the indices that
///                             there can be, or the number of entries.
/// @retval CAIRN_BAD_SHAPE     It is no matrix.
/// @retval CAIRN_NO_MEMORY     For what the conversion works with.
/// @retval CAIRN_NO_KERNEL     As cairn_tensor_create().
CAIRN_API cairn_status cairn_tensor_to_csr(const cairn_tensor *tensor,
                                           cairn_compressed   *arrays);

/// The same by columns: this rank's rows of every column, rows ascending; `ptr` has an
/// element more than the matrix has columns.
CAIRN_API cairn_status cairn_tensor_to_csc(const cairn_tensor *tensor,
                                           cairn_compressed   *arrays);

/// Coordinates of a caller's, which are to be filled.
typedef struct cairn_coords_out {
    size_t  size;             ///< sizeof(cairn_coords_out); CAIRN_COORDS_OUT sets it.
    void   *idx[CAIRN_ORDER]; ///< [order of the tensor] and so on as in cairn_coords;
    int64_t idx_stride;
    int     idx_bits;
    int     base;
    void   *val; ///< likewise.
    int64_t val_stride;
    cairn_dtype dtype;   ///< The tensor's.
    int64_t     length;  ///< Entries that there is room for.
    int64_t     entries; ///< Gets how many there are.
} cairn_coords_out;

/// No arrays; 64-bit indices from 0 on, f64 values.
#define CAIRN_COORDS_OUT                                                     \
    {                                                                        \
        sizeof(cairn_coords_out), {NULL}, 0, 64, 0, NULL, 0, CAIRN_F64, 0, 0 \
    }

/// Write a tensor's entries as coordinates into a caller's arrays: those of this rank, in
/// the order of (d0, d1, ...), each once, indices global.
///
/// Collective. As cairn_tensor_to_csr(). Where the fields of an entry lie otherwise than
/// in arrays of their own, or packed into one struct, they are made beside and copied
/// then.
///
/// @param[in,out] arrays  `entries` is set. `val` NULL: coordinates alone, which are made
///                        beside, too.
CAIRN_API cairn_status cairn_tensor_to_coords(const cairn_tensor *tensor,
                                              cairn_coords_out   *arrays);

#ifdef __cplusplus
}
#endif

#endif
