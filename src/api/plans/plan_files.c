// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The operands of plans in files: X read, Y written, Matrix Market arrays both.

#include "api/door.h"
#include "api/plans/permuted.h"
#include "comm/move_entries.h"
#include "comm/read.h"
#include "comm/write.h"
#include "plan/callers.h"

#include <inttypes.h>
#include <string.h>

static cairn_status
check_extents(cairn_plan *plan, const char *path, const cairn_shape *is)
{
    const cairn_operands *o       = plan->replay->common.operands;
    const int64_t         rows    = o->x_rows.first[o->x_rows.size];
    const int64_t         columns = o->op.columns;

    CAIRN_CHECK(is->order == 2, o->comm->env, CAIRN_BAD_SHAPE,
                "x: %s: it is a tensor of order %d, no column", path, is->order);
    CAIRN_CHECK(is->extent[0] == rows && is->extent[1] == columns, o->comm->env,
                CAIRN_BAD_SHAPE,
                "x: %s: it is %" PRId64 " x %" PRId64 ", but x is %" PRId64
                " x %" PRId64,
                path, is->extent[0], is->extent[1], rows, columns);
    return CAIRN_OK;
}

/// Entries of this rank's rows into X.
static void place_x(cairn_plan *plan, const cairn_entries *e)
{
    const cairn_operands *o   = plan->replay->common.operands;
    const bool            f32 = o->value_bits == 32;
    void *const           x   = cairn_plan_own_x(plan);
    int64_t               first, end;

    cairn_plan_columns(plan, &first, &end);
    if (end > first)
        memset(x, 0,
               (size_t)((end - first) * o->op.columns) * (size_t)o->value_bits / 8);
    for (cairn_pos k = 0; k < e->n; k++) {
        const int64_t at = (e->coord[0][k] - first) * o->op.columns + e->coord[1][k];

        if (f32)
            ((float *)x)[at] += (float)e->value[k];
        else
            ((double *)x)[at] += e->value[k];
    }
}

cairn_status cairn_plan_read_x(cairn_plan *plan, const char *path)
{
    CAIRN_ENTER_TOGETHER(plan ? plan->tensor->context : NULL, CAIRN_GIVEN(path));
    cairn_doing(&plan->tensor->context->env, "reading %s", path);

    const cairn_operands *o    = plan->replay->common.operands;
    cairn_comm           *comm = o->comm;
    cairn_text_file       file;

    CAIRN_TRY(cairn_read_text(comm, path, &file));
    cairn_status status =
        cairn_comm_agree(comm, check_extents(plan, path, &file.shape));

    if (status == CAIRN_OK)
        status = cairn_entries_to_owners(comm, &o->x_rows, &file.entries, NULL);
    if (status == CAIRN_OK) place_x(plan, &file.entries);
    cairn_text_file_fini(comm->env, &file);
    return status;
}

/// Y in f64: as it is, or a widened copy in @p copy, which the caller frees.
static cairn_status y_as_f64(const cairn_plan *plan, double **copy, const double **y)
{
    const cairn_operands *o = plan->replay->common.operands;
    int64_t               first, end;

    *y = cairn_plan_own_y(plan);
    if (o->value_bits == 64) return CAIRN_OK;
    cairn_plan_rows(plan, &first, &end);
    CAIRN_TRY(CAIRN_NEW(o->comm->env, (end - first) * o->op.columns, copy));
    for (int64_t k = 0; k < (end - first) * o->op.columns; k++)
        (*copy)[k] = (double)((const float *)cairn_plan_own_y(plan))[k];
    *y = *copy;
    return CAIRN_OK;
}

cairn_status cairn_plan_write_y(const cairn_plan *plan, const char *path)
{
    CAIRN_ENTER_TOGETHER(plan ? plan->tensor->context : NULL, CAIRN_GIVEN(path));
    cairn_doing(&plan->tensor->context->env, "writing %s", path);

    cairn_operands  *o     = plan->replay->common.operands;
    cairn_dense_rows dense = {.rows = cairn_plan_y_rows(plan)->first[o->comm->size],
                              .cols = o->op.columns,
                              .row  = o->op.columns,
                              .col  = 1};
    double          *copy  = NULL;

    cairn_operands_keep_last(o);
    cairn_status status =
        cairn_comm_agree(o->comm, y_as_f64(plan, &copy, &dense.value));

    cairn_plan_rows(plan, &dense.first, &dense.last);
    if (status == CAIRN_OK) status = cairn_write_dense(o->comm, path, &dense);
    cairn_free(o->comm->env, copy);
    return status;
}
