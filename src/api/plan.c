// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Plans as users hold them: operands in their element type, verification.

#include "api/api.h"
#include "comm/read.h"
#include "comm/write.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

cairn_status cairn_plan_spmv(cairn_tensor *tensor, cairn_plan **plan)
{
    cairn_comm  *comm  = tensor->context->comm;
    const double begin = cairn_seconds();
    cairn_plan  *fresh = NULL;
    int64_t      held  = tensor->held;

    CAIRN_CHECK(tensor->local->shape.order == 2, comm->env, CAIRN_BAD_SHAPE,
                "spmv: y(i) += A(i,j)*x(j) needs a matrix, and the order is %d",
                tensor->local->shape.order);
    for (int m = 0; m < tensor->local->groups; m++)
        held += tensor->local->group[m].bytes;
    cairn_status status = CAIRN_NEW_ZERO(comm->env, 1, &fresh);

    /* Before ranks agree: destroying it needs its tensor. */
    if (status == CAIRN_OK) fresh->tensor = tensor;
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK)
        status = cairn_comm_agree(comm, cairn_context_devices(tensor->context));
    if (status == CAIRN_OK)
        status =
            cairn_spmv_plan_create(comm, &tensor->context->devices->device[0],
                                   tensor->local, &tensor->rows, held, &fresh->spmv);
    if (status == CAIRN_OK) {
        fresh->seconds = cairn_seconds() - begin;
        *plan          = fresh;
        tensor->context->plans++;
    } else {
        cairn_plan_destroy(&fresh);
    }
    return status;
}

void cairn_plan_destroy(cairn_plan **plan)
{
    if (!*plan) return;
    cairn_env *env = &(*plan)->tensor->context->env;

    if ((*plan)->spmv) (*plan)->tensor->context->plans--;
    cairn_spmv_plan_destroy(&(*plan)->spmv);
    cairn_free(env, *plan);
    *plan = NULL;
}

void cairn_plan_columns(const cairn_plan *plan, int64_t *first, int64_t *end)
{
    const int rank = plan->spmv->comm->rank;

    *first = plan->spmv->columns.first[rank];
    *end   = plan->spmv->columns.first[rank + 1];
}

double *cairn_plan_x(cairn_plan *plan)
{
    return plan->spmv->x + plan->spmv->columns.first[plan->spmv->comm->rank];
}

const double *cairn_plan_y(const cairn_plan *plan)
{
    return plan->spmv->y;
}

/// x as the element type has it: an f32 x was rounded by whoever made it, or is here.
static void take_x(cairn_plan *plan, const void *x)
{
    double   *own = cairn_plan_x(plan);
    const int f32 = plan->tensor->dtype == CAIRN_F32;
    int64_t   first, end;

    cairn_plan_columns(plan, &first, &end);
    for (int64_t j = 0; j < end - first && (x || f32); j++) {
        if (x)
            own[j] = f32 ? (double)((const float *)x)[j] : ((const double *)x)[j];
        else
            own[j] = (double)(float)own[j];
    }
}

static void give_y(const cairn_plan *plan, void *y)
{
    double       *own = plan->spmv->y;
    const int     f32 = plan->tensor->dtype == CAIRN_F32;
    const int64_t n   = plan->spmv->rows;

    for (int64_t i = 0; i < n && f32; i++)
        own[i] = (double)(float)own[i];
    for (int64_t i = 0; i < n && y; i++) {
        if (f32)
            ((float *)y)[i] = (float)own[i];
        else
            ((double *)y)[i] = own[i];
    }
}

cairn_status cairn_plan_run(cairn_plan *plan, const void *x, void *y)
{
    take_x(plan, x);
    CAIRN_TRY(cairn_spmv_plan_run(plan->spmv));
    give_y(plan, y);
    return CAIRN_OK;
}

cairn_status cairn_plan_describe(const cairn_plan *plan, cairn_plan_info *info)
{
    cairn_comm *comm    = plan->spmv->comm;
    int64_t     sum[2]  = {cairn_spmv_plan_bytes(plan->spmv), 0};
    double      seconds = plan->seconds;
    cairn_pos   sent;

    cairn_halo_counts(plan->spmv->halo, &sum[1], &sent);
    CAIRN_TRY(comm->ops->allreduce(comm, sum, 2, CAIRN_SUM));
    CAIRN_TRY(cairn_context_max(plan->tensor->context, &seconds, 1));
    *info = (cairn_plan_info){.seconds       = seconds,
                              .bytes_per_run = sum[0],
                              .halo          = sum[1],
                              .route         = "reference",
                              .device        = plan->spmv->device->info.id};
    return CAIRN_OK;
}

double cairn_plan_member_seconds(const cairn_plan *plan, int member)
{
    return member >= 0 && member < plan->tensor->local->groups
               ? plan->spmv->task[member].seconds
               : 0;
}

/// Errors of one row: r is the sum over the source, s the sum of sizes.
static void
compare_row(double y, long double r, long double s, double *rel, double *abs)
{
    const bool nan_y = isnan(y), nan_r = isnan((double)r);

    if (nan_y && nan_r) return;
    /* Equal infinities differ by nothing; a NaN against none differs by everything. */
    const double d = nan_y != nan_r   ? INFINITY
                     : (double)r == y ? 0
                                      : (double)fabsl((long double)y - r);
    double       q = d == 0 ? 0 : s == 0 ? INFINITY : (double)(d / s);

    if (isnan(q)) q = INFINITY; /* a NaN would get lost among the ranks' maxima */
    if (d > *abs) *abs = d;
    if (q > *rel) *rel = q;
}

static void
compare(const cairn_plan *plan, const cairn_source *source, double *rel, double *abs)
{
    const cairn_entries *e     = &source->entries;
    const cairn_coord    first = plan->tensor->rows.first[plan->spmv->comm->rank];
    const bool           f32   = plan->tensor->dtype == CAIRN_F32;
    cairn_pos            k     = 0;

    for (cairn_pos i = 0; i < plan->spmv->rows; i++) {
        long double r = 0, s = 0;

        for (; k < e->n && e->coord[0][k] == first + i; k++) {
            const double      a = f32 ? (double)(float)e->value[k] : e->value[k];
            const long double t = (long double)a * plan->spmv->x[e->coord[1][k]];

            r += t;
            s += fabsl(t);
        }
        compare_row(plan->spmv->y[i], r, s, rel, abs);
    }
}

static bool same_rows(const cairn_rows *a, const cairn_rows *b)
{
    return a->size == b->size
           && memcmp(a->first, b->first, (size_t)(a->size + 1) * sizeof *a->first) == 0;
}

cairn_status cairn_plan_verify(cairn_plan         *plan,
                               const cairn_source *source,
                               double             *rel_error,
                               double             *abs_error)
{
    cairn_context *context  = plan->tensor->context;
    const double   limit    = plan->tensor->dtype == CAIRN_F32 ? 1e-5 : 1e-12;
    double         error[2] = {0, 0};

    CAIRN_CHECK(source->shape.order == 2
                    && source->shape.extent[0] == plan->tensor->local->shape.extent[0]
                    && source->shape.extent[1] == plan->tensor->local->shape.extent[1],
                &context->env, CAIRN_BAD_ARGUMENT,
                "verify: source: it has other extents than the tensor");
    CAIRN_CHECK(same_rows(&source->rows, &plan->tensor->rows), &context->env,
                CAIRN_BAD_ARGUMENT,
                "verify: source: it was divided anew since the tensor was made of it");
    compare(plan, source, &error[0], &error[1]);
    CAIRN_TRY(cairn_context_max(context, error, 2));
    *rel_error = error[0];
    *abs_error = error[1];
    CAIRN_CHECK(error[0] <= limit, &context->env, CAIRN_NOT_VERIFIED,
                "verify: the relative error is %.3g, above %.0e", error[0], limit);
    return CAIRN_OK;
}

static cairn_status
place_x(cairn_plan *plan, const char *path, const cairn_text_file *file, int64_t n)
{
    double *own = cairn_plan_x(plan);
    int64_t first, end;

    CAIRN_CHECK(file->shape.order == 2, plan->spmv->comm->env, CAIRN_BAD_SHAPE,
                "x: %s: it is a tensor of order %d, no column", path,
                file->shape.order);
    CAIRN_CHECK(file->shape.extent[0] == n && file->shape.extent[1] == 1,
                plan->spmv->comm->env, CAIRN_BAD_SHAPE,
                "x: %s: it is %" PRId64 " x %" PRId64 ", but x is %" PRId64 " x 1",
                path, file->shape.extent[0], file->shape.extent[1], n);
    cairn_plan_columns(plan, &first, &end);
    for (int64_t j = 0; j < end - first; j++)
        own[j] = 0;
    for (cairn_pos k = 0; k < file->entries.n; k++)
        own[file->entries.coord[0][k] - first] += file->entries.value[k];
    return CAIRN_OK;
}

cairn_status cairn_plan_read_x(cairn_plan *plan, const char *path)
{
    cairn_comm     *comm = plan->spmv->comm;
    const int64_t   n    = plan->tensor->local->shape.extent[1];
    cairn_text_file file;

    CAIRN_TRY(cairn_read_text(comm, path, &file));
    cairn_status status = CAIRN_OK;

    if (file.shape.extent[0] == n)
        status = cairn_entries_to_owners(comm, &plan->spmv->columns, &file.entries);
    if (status == CAIRN_OK)
        status = cairn_comm_agree(comm, place_x(plan, path, &file, n));
    cairn_text_file_fini(comm->env, &file);
    return status;
}

cairn_status cairn_plan_write_y(const cairn_plan *plan, const char *path)
{
    const cairn_spmv_plan *p     = plan->spmv;
    const cairn_dense_rows dense = {.rows  = plan->tensor->local->shape.extent[0],
                                    .cols  = 1,
                                    .first = plan->tensor->rows.first[p->comm->rank],
                                    .last = plan->tensor->rows.first[p->comm->rank + 1],
                                    .value = p->y,
                                    .row   = 1,
                                    .col   = 0};

    return cairn_write_dense(p->comm, path, &dense);
}
