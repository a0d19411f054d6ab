// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Visits of rows that are met again and again, listed by row in the order in which they
/// are met: what REGROUPED grids (lower/grid/grid.h) go by instead of the part's own order.

#ifndef CAIRN_DEVICES_GRID_VISITS_H
#define CAIRN_DEVICES_GRID_VISITS_H

#include "emit/kernel.h"
#include "ir/ir_run.h"
#include "lower/grid/grid.h"
#include "share/abi.h"

/// The functions that go through parts, as the interpreter has them: the same for all parts
/// of a work, of which there may be thousands. Zero at first.
typedef struct cairn_grid_passes {
    /// The one that counts visits, and the one that lists them; NULL: no part wanted it yet.
    cairn_ir_code *code[2];
    /// Why they were interpreted where compiling them would have been faster; "": they were
    /// not.
    char why[CAIRN_MESSAGE];
} cairn_grid_passes;

void cairn_grid_passes_fini(cairn_env *env, cairn_grid_passes *passes);

/// What is done as a grid.
typedef struct cairn_grid_work {
    const cairn_layout        *layout;
    const cairn_product       *product;
    const cairn_kernel_part   *part;   ///< It has values.
    cairn_grid_args            args;   ///< The box: row_lo to col_end.
    const cairn_kernel_loader *loader; ///< Of functions for the host; NULL: they are
                                       ///< interpreted.
    cairn_grid_passes *passes; ///< Of this layout and product, the caller's, who
                               ///< goes from part to part.
} cairn_grid_work;

/// Rows of Y.
int64_t cairn_grid_rows(const cairn_grid_work *work);

typedef struct cairn_grid_visits {
    int64_t   count;
    uint32_t *first; ///< [rows + 1] visits before those of each row; or NULL.
    uint32_t *via;   ///< [count] the first value of each,
    int64_t  *at;    ///< [count] and its row of X.
} cairn_grid_visits;

/// List them.
///
/// Local. Time: the part is gone through twice, by compiled functions where it is large
/// and there are any; the first part that is not pays for preparing the others. Memory: 12
/// bytes a visit, 4 a row.
///
/// What cannot be compiled is interpreted, and work->passes->why says why; under
/// CAIRN_KERNELS=compiled it fails instead.
///
/// @param[out] visits  Release with cairn_grid_visits_fini(). Unchanged on failure.
/// @retval CAIRN_UNSUPPORTED  There are 2^32 values or more.
/// @retval CAIRN_NO_KERNEL    They would be interpreted, which is not wanted.
/// @retval CAIRN_NO_MEMORY
cairn_status cairn_grid_visits_make(cairn_env             *env,
                                    const cairn_grid_work *work,
                                    cairn_grid_visits     *visits);

void cairn_grid_visits_fini(cairn_env *env, cairn_grid_visits *visits);

#endif
