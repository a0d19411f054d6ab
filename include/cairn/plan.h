// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Plans: an operation on a tensor, prepared once and replayed many times. Preparing
/// finds the halo, sets up the messages and allocates; a replay allocates nothing.
///
/// y(i) += A(i,j)*x(j), rows of y where the rows of A are. x is spread like the rows if
/// A is square, else evenly; a rank sees it as a window of the global index range in
/// which only the entries that its part of A uses are ever filled.
///
/// Bits: y(i) is one accumulator over members in order and, within a member, entries in
/// storage order; after every 4,096 stored entries of a row a new partial sum begins (in
/// members that do not pad). So the result has the same bits on any number of ranks, for
/// every format in which a row's order does not depend on a schedule. Padded formats
/// compute 0*x: an Inf in x at an unstored position reaches y. Sums are f64 for both
/// element types.

#ifndef CAIRN_PLAN_H
#define CAIRN_PLAN_H

#include <cairn/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cairn_plan cairn_plan;

/// Prepare y = A x.
///
/// Collective. The tensor must outlive the plan.
///
/// @retval CAIRN_BAD_SHAPE  The tensor is no matrix.
/// @retval CAIRN_NO_MEMORY  The dense operands exceed the limit.
CAIRN_API cairn_status cairn_plan_spmv(cairn_tensor *tensor, cairn_plan **plan);

CAIRN_API void cairn_plan_destroy(cairn_plan **plan);

/// The columns whose x this rank owns: first and one past the last.
CAIRN_API void cairn_plan_columns(const cairn_plan *plan, int64_t *first, int64_t *end);

/// Run once: y = A x.
///
/// Collective. Allocates nothing.
///
/// @param[in]  x  [owned columns] of the tensor's element type, as doubles or floats;
///                NULL: as left by the last run or cairn_plan_x().
/// @param[out] y  [owned rows]; NULL: stays inside the plan, see cairn_plan_y().
/// @retval CAIRN_COMM  Communication failed.
CAIRN_API cairn_status cairn_plan_run(cairn_plan *plan, const void *x, void *y);

/// The plan's own x (owned columns) and y (owned rows), f64 whatever the element type.
CAIRN_API double       *cairn_plan_x(cairn_plan *plan);
CAIRN_API const double *cairn_plan_y(const cairn_plan *plan);

/// What a plan moves and took.
typedef struct cairn_plan_info {
    double      seconds;       ///< Preparing, measured.
    int64_t     bytes_per_run; ///< Arrays read, x and y, halo sent; all ranks.
    int64_t     halo;          ///< Entries of x received from other ranks, all ranks.
    const char *route;         ///< "reference".
    const char *device;        ///< "cpu:0".
} cairn_plan_info;

/// Describe a plan. Collective.
CAIRN_API cairn_status cairn_plan_describe(const cairn_plan *plan,
                                           cairn_plan_info  *info);

/// Seconds that the last run spent in one group of parts (member) on this rank.
CAIRN_API double cairn_plan_member_seconds(const cairn_plan *plan, int member);

/// Hold the plan's y against an independent sum over a source's entries in long double,
/// with the plan's x.
///
/// Collective.
///
/// @param[in]  source     The matrix as read; its rows divided like the tensor's.
/// @param[out] rel_error  max over i of |y_i - r_i| / sum_j |a_ij x_j| (0/0 = 0).
/// @param[out] abs_error  max |y_i - r_i|. Both are set on CAIRN_NOT_VERIFIED too.
/// @retval CAIRN_NOT_VERIFIED  rel_error is above 1e-12 (f64) or 1e-5 (f32), or a NaN
///                             stands against none.
CAIRN_API cairn_status cairn_plan_verify(cairn_plan         *plan,
                                         const cairn_source *source,
                                         double             *rel_error,
                                         double             *abs_error);

/// Fill the plan's x from a Matrix Market array file with as many rows as A has columns.
///
/// Collective.
CAIRN_API cairn_status cairn_plan_read_x(cairn_plan *plan, const char *path);

/// Write the plan's y as Matrix Market (array real general, 17 digits; the same bytes on
/// any number of ranks).
///
/// Collective.
CAIRN_API cairn_status cairn_plan_write_y(const cairn_plan *plan, const char *path);

#ifdef __cplusplus
}
#endif

#endif
