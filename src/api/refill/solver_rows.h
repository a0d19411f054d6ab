// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A solver's arrays by compressed rows, or by compressed columns, and where new values of
/// theirs go. Internal to api.

#ifndef CAIRN_API_SOLVER_ROWS_H
#define CAIRN_API_SOLVER_ROWS_H

#include "api/refill/refill_plan.h"

/// Rows first_row .. first_row+rows-1 of a matrix, as a caller has them: line by line, lines
/// being these rows, or all columns.
typedef struct cairn_solver_rows {
    cairn_context *context;
    const char    *call;  ///< That brought them: cairn_tensor_from_ is left out.
    cairn_shape    shape; ///< Of the whole matrix.
    bool           by_columns;
    int64_t        first_row, rows;
    const void    *ptr, *idx, *val;
    int            ptr_bits, idx_bits;
    cairn_dtype    dtype;
    int     base;    ///< What the caller calls the first: messages have his numbers.
    int64_t replays; ///< As in cairn_store_options.
} cairn_solver_rows;

static inline int64_t cairn_rows_ptr(const cairn_solver_rows *a, int64_t k)
{
    return cairn_load_int(a->ptr, k, a->ptr_bits / 8, a->ptr_bits, true);
}

static inline int64_t cairn_rows_idx(const cairn_solver_rows *a, int64_t k)
{
    return cairn_load_int(a->idx, k, a->idx_bits / 8, a->idx_bits, true);
}

/// Lines, and the number of the first in the matrix.
static inline int64_t cairn_rows_lines(const cairn_solver_rows *a)
{
    return a->by_columns ? a->shape.extent[1] : a->rows;
}

static inline int64_t cairn_rows_first_line(const cairn_solver_rows *a)
{
    return a->by_columns ? 0 : a->first_row;
}

/// Entries in all.
static inline int64_t cairn_rows_entries(const cairn_solver_rows *a)
{
    return cairn_rows_ptr(a, cairn_rows_lines(a));
}

/// Row and column of entry @p k, which is in line @p line of these.
static inline void
cairn_rows_coord(const cairn_solver_rows *a, int64_t line, int64_t k, cairn_coord *d)
{
    d[a->by_columns]  = cairn_rows_first_line(a) + line;
    d[!a->by_columns] = cairn_rows_idx(a, k);
}

/// Its entries, sorted, duplicates added.
///
/// Local. Without values (`val` is NULL) all of them are 1.
///
/// @param[out] entries  Empty before, of order 2.
cairn_status cairn_solver_rows_entries(const cairn_solver_rows *a,
                                       cairn_entries           *entries);

/// Look at widths, extents and which rows they are.
///
/// Local.
///
/// @retval CAIRN_BAD_ARGUMENT, CAIRN_BAD_SHAPE  Something is wrong with them.
cairn_status cairn_solver_rows_check(const cairn_solver_rows *a);

/// Make a tensor of rows: a format's, or over the arrays.
///
/// Collective.
///
/// @param[in]  mine    This rank's status so far: a failure of one rank is returned on all.
/// @param[in]  mode    CAIRN_COPY or CAIRN_BORROW.
/// @param[in]  format  NULL: compressed rows.
/// @param[out] tensor  Unchanged on failure.
cairn_status cairn_solver_rows_take(const cairn_solver_rows *a,
                                    cairn_status             mine,
                                    cairn_copy_mode          mode,
                                    const cairn_format      *format,
                                    cairn_tensor           **tensor);

/// Store rows in a format, as cairn_tensor_from_csr() does, but without what refills need.
///
/// Local: on one rank alone.
///
/// @param[out] tensor  Destroy with cairn_tensor_destroy(), also on failure.
cairn_status cairn_solver_rows_store(const cairn_solver_rows *a,
                                     const cairn_format      *format,
                                     cairn_tensor           **tensor);

/// Where new values go.
typedef struct cairn_refill {
    const void *borrowed; ///< The caller's values, which are the tensor's; or NULL.
    cairn_solver_rows pattern; ///< Copies of ptr and idx, until there is a plan.
    int64_t           n;       ///< Entries that the caller gave.
    bool              blocks;  ///< They came in two, the first of which has
    int64_t           split;   ///< so many. Until there is a plan:
    int               bits;    ///< 32 or 64, of
    void *
        from; ///< [n] for each entry of `pattern` its number in both, one after the other;
              ///< NULL: the same.
    cairn_refill_plan *plan; ///< NULL: the first update makes it.
} cairn_refill;

/// Store new values where the plan says, in the types that members have if these hold them
/// all; members of others are widened.
///
/// Local.
///
/// @retval CAIRN_NO_MEMORY  For wider values: all are what they were.
cairn_status cairn_refill_store(cairn_tensor *tensor, const cairn_refill_values *val);

/// The same, planned when it is first called: cairn_tensor_update() for a tensor that takes
/// new values, and has none of the caller's.
///
/// Local.
cairn_status cairn_refill_update(cairn_tensor *tensor, const cairn_refill_values *val);

/// Have a tensor take new values: its pattern is kept, so that the caller's arrays may go.
///
/// Local. Takes as much memory as ptr and idx. On failure what it has is freed with the
/// tensor.
cairn_status cairn_refill_create(const cairn_solver_rows *a, cairn_tensor *tensor);

/// Have a tensor that was made of coordinates take new values: their plan is made.
///
/// Local. On failure what it has is freed with the tensor.
///
/// @param[in] given  As the tensor was made of them; all are of its rows on this rank.
cairn_status cairn_refill_create_for(const cairn_given *given, cairn_tensor *tensor);

/// @param[in,out] refill  May be NULL.
void cairn_refill_destroy(cairn_env *env, cairn_refill **refill);

#endif
