// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Plans as files: JSON that people read and edit. What is kept is what was decided, and
/// for what: which device computes which member on which rank. Kernels and halos follow
/// from the matrix and are made again.

#include "api/door.h"
#include "base/file.h"
#include "base/json.h"
#include "comm/collective.h"

#include <stdio.h>
#include <string.h>

enum { VERSION = 1 };

/// What one rank decided of one member, or a share of it.
typedef struct {
    int         rank, member;
    int         share; ///< -1: the member is not divided.
    int64_t     first_row, rows;
    char        device[24];
    cairn_clock clock;
    double      seconds; ///< Predicted.
} decision;

static cairn_status gather_decisions(const cairn_plan *plan,
                                     const char       *path,
                                     decision        **all,
                                     int64_t          *count)
{
    const cairn_replay *replay    = plan->replay;
    cairn_comm         *comm      = replay->common.comm;
    decision           *own       = NULL;
    cairn_collective    arguments = {0};

    cairn_collective_text(&arguments, "file", path);
    cairn_status status = cairn_comm_agree_on(
        comm, CAIRN_NEW_ZERO(comm->env, replay->subproducts, &own), &arguments);

    for (int p = 0; p < replay->subproducts && status == CAIRN_OK; p++) {
        const cairn_device_facts *device  = &replay->subproduct[p].device->info;
        const cairn_member_home  *home    = &replay->subproduct[p].home;
        const bool                divided = replay->subproduct[p].stored.local != NULL;

        own[p] = (decision){
            .rank      = comm->rank,
            .member    = home->member,
            .share     = divided ? home->share : -1,
            .first_row = home->rows.lo,
            .rows      = home->rows.hi - home->rows.lo + 1,
            .clock     = device->clock,
            .seconds   = replay->subproduct[p].lost.device[0] ? 0 : home->seconds};
        snprintf(own[p].device, sizeof own[p].device, "%s", device->id);
    }
    if (status == CAIRN_OK)
        status = cairn_comm_gather(comm, own, replay->subproducts, sizeof *own,
                                   (void **)all, count);
    cairn_free(comm->env, own);
    return status;
}

/// NULL: out of memory.
static json_t *decision_object(const decision *d)
{
    json_t *object = json_pack("{s:i, s:i, s:s, s:s, s:f}", "rank", d->rank, "member",
                               d->member, "device", d->device, "clock",
                               cairn_clock_name(d->clock), "predicted", d->seconds);
    json_t *rows =
        d->share < 0 ? NULL
                     : json_pack("{s:i, s:I, s:I}", "share", d->share, "first_row",
                                 (json_int_t)d->first_row, "rows", (json_int_t)d->rows);
    const bool failed =
        d->share >= 0 && (!object || json_object_update(object, rows) != 0);

    json_decref(rows);
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

static json_t *parts(const decision *all, int64_t count)
{
    json_t *list = json_array();

    for (int64_t k = 0; k < count; k++)
        if (json_array_append_new(list, decision_object(&all[k])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

/// The whole file; NULL: out of memory.
static json_t *plan_object(const cairn_plan *plan, const decision *all, int64_t count)
{
    const cairn_tensor          *tensor = plan->tensor;
    const cairn_product_options *op     = &plan->replay->op;
    const int64_t               *extent = tensor->local->shape.extent;

    return json_pack(
        "{s:i, s:s, s:I, s:b, s:{s:I, s:I, s:s}, s:i, s:s, s:{s:f, s:f}, s:o}",
        "cairn_plan", VERSION, "format", cairn_format_text(tensor->format), "columns",
        (json_int_t)op->columns, "transposed", op->transposed != 0, "matrix", "rows",
        (json_int_t)extent[0], "cols", (json_int_t)extent[1], "dtype",
        tensor->dtype == CAIRN_F32 ? "f32" : "f64", "ranks",
        plan->replay->common.comm->size, "policy", plan->homes.policy, "predicted",
        "measured", plan->homes.makespan[CAIRN_CLOCK_MEASURED], "simulated",
        plan->homes.makespan[CAIRN_CLOCK_SIMULATED], "parts", parts(all, count));
}

/// Rank 0.
static cairn_status
write_plan(const cairn_plan *plan, const char *path, const decision *all, int64_t count)
{
    cairn_env *env    = &plan->tensor->context->env;
    json_t    *object = plan_object(plan, all, count);
    char      *text =
        object ? json_dumps(object, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) : NULL;
    cairn_status status =
        text ? cairn_file_put(env, path, text, strlen(text))
             : cairn_fail(env, CAIRN_NO_MEMORY, "plan: %s: out of memory", path);

    free(text);
    json_decref(object);
    return status;
}

cairn_status cairn_plan_save(const cairn_plan *plan, const char *path)
{
    CAIRN_ENTER_TOGETHER(plan ? plan->tensor->context : NULL, CAIRN_GIVEN(path));

    cairn_comm *comm  = plan->replay->common.comm;
    decision   *all   = NULL;
    int64_t     count = 0;

    CAIRN_TRY(gather_decisions(plan, path, &all, &count));
    const cairn_status status =
        comm->rank == 0 ? write_plan(plan, path, all, count) : CAIRN_OK;

    cairn_free(comm->env, all);
    return cairn_comm_agree(comm, status);
}
