// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Vectors in the user's order.

#include "api/plans/permuted.h"

#include <string.h>

static const cairn_operands *operands(const cairn_plan *plan)
{
    return plan->replay->common.operands;
}

static int64_t own_rows(const cairn_plan *plan, const cairn_rows *rows)
{
    const int rank = operands(plan)->comm->rank;

    return rows->first[rank + 1] - rows->first[rank];
}

/// Bytes of a row of sums, which are f64 until all of them are added.
static size_t sum_bytes(const cairn_operands *o)
{
    return (size_t)o->op.columns * sizeof(double);
}

cairn_status cairn_permuted_create(cairn_plan *plan)
{
    const cairn_operands     *o     = operands(plan);
    cairn_env                *env   = o->comm->env;
    const bool                all   = plan->tensor->places->all;
    const cairn_column_parts *parts = plan->tensor->places->parts;
    cairn_permuted           *p     = NULL;
    int64_t                   most;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &p));
    plan->permuted = p; /* which frees what there is of it */
    p->row         = (size_t)o->op.columns * (size_t)o->value_bits / 8;
    p->x_own       = own_rows(plan, &o->x_rows);
    p->y_own       = own_rows(plan, cairn_plan_y_rows(plan));
    most           = p->x_own > p->y_own ? p->x_own : p->y_own;
    if (parts) most = cairn_column_parts_room(parts);
    CAIRN_TRY(CAIRN_NEW(env, 2 * (int64_t)o->comm->size, &p->counts));
    CAIRN_TRY(cairn_alloc(env, most, parts ? sum_bytes(o) : p->row, &p->buffer));
    /* The rows of A are those of Y, or of X. */
    if (all || o->op.transposed)
        CAIRN_TRY(cairn_alloc_zero(env, p->x_own, p->row, &p->x));
    if (all || !o->op.transposed)
        CAIRN_TRY(cairn_alloc_zero(env, p->y_own, p->row, &p->y));
    return CAIRN_OK;
}

void cairn_permuted_destroy(cairn_env *env, cairn_permuted **permuted)
{
    if (!*permuted) return;
    cairn_free(env, (*permuted)->x);
    cairn_free(env, (*permuted)->y);
    cairn_free(env, (*permuted)->buffer);
    cairn_free(env, (*permuted)->counts);
    cairn_free(env, *permuted);
    *permuted = NULL;
}

const cairn_rows *cairn_plan_y_rows(const cairn_plan *plan)
{
    const cairn_renumbering *places = plan->tensor->places;

    return places && places->parts ? &places->parts->user : &operands(plan)->y_rows;
}

void *cairn_plan_own_x(const cairn_plan *plan)
{
    return plan->permuted && plan->permuted->x ? plan->permuted->x : operands(plan)->x;
}

void *cairn_plan_own_y(const cairn_plan *plan)
{
    return plan->permuted && plan->permuted->y ? plan->permuted->y : operands(plan)->y;
}

/// A caller's vector into the plan's, and that to the places.
static cairn_status
bring(cairn_plan *plan, const void *theirs, void *own, int64_t rows, void *to)
{
    cairn_permuted *p = plan->permuted;

    if (theirs && rows > 0) memcpy(own, theirs, (size_t)rows * p->row);
    return cairn_renumbering_to_places(operands(plan)->comm, plan->tensor->places,
                                       p->row, own, to, p->buffer, p->counts);
}

cairn_status cairn_permuted_bring_x(cairn_plan *plan, const void **x)
{
    cairn_permuted *p      = plan->permuted;
    const void     *theirs = *x;

    if (!p || !p->x) return CAIRN_OK;
    *x = NULL;
    return bring(plan, theirs, p->x, p->x_own, operands(plan)->x);
}

/// Rows in parts are summed from nothing: what Y held is added at the end.
static void begin_sums(cairn_plan *plan, const void *theirs)
{
    const cairn_operands *o      = operands(plan);
    cairn_permuted       *p      = plan->permuted;
    const int64_t         stored = own_rows(plan, &o->y_rows);

    if (theirs && p->y_own > 0) memcpy(p->y, theirs, (size_t)p->y_own * p->row);
    if (stored > 0) memset(o->y, 0, (size_t)stored * p->row);
}

/// Sum the parts of rows.
static cairn_status sum_parts(cairn_plan *plan)
{
    const cairn_operands *o    = operands(plan);
    const cairn_permuted *p    = plan->permuted;
    const cairn_part_sums sums = {.columns    = o->op.columns,
                                  .value_bits = o->value_bits,
                                  .beta       = o->op.beta,
                                  .buffer     = p->buffer,
                                  .counts     = p->counts};

    return cairn_column_parts_sum(o->comm, plan->tensor->places->parts, &sums, o->wide,
                                  p->y);
}

cairn_status cairn_permuted_bring_y(cairn_plan *plan, const void *y)
{
    cairn_permuted *p = plan->permuted;

    if (!p || !p->y || operands(plan)->op.beta == 0) return CAIRN_OK;
    if (plan->tensor->places->parts) {
        begin_sums(plan, y);
        return CAIRN_OK;
    }
    return bring(plan, y, p->y, p->y_own, operands(plan)->y);
}

/// A vector from the places to the plan's.
static cairn_status take(cairn_plan *plan, const void *from, void *own)
{
    cairn_permuted *p = plan->permuted;

    return cairn_renumbering_from_places(operands(plan)->comm, plan->tensor->places,
                                         p->row, from, own, p->buffer, p->counts);
}

cairn_status cairn_permuted_take_y(cairn_plan *plan, cairn_status status, void *y)
{
    cairn_permuted *p = plan->permuted;

    if (!p || !p->y || status == CAIRN_COMM) return status; /* or nobody is there */
    if (status != CAIRN_OK) cairn_operands_spoil_y(plan->replay->common.operands);
    const cairn_status taken = plan->tensor->places->parts
                                   ? sum_parts(plan)
                                   : take(plan, operands(plan)->y, p->y);

    if (status != CAIRN_OK || taken != CAIRN_OK)
        return status != CAIRN_OK ? status : taken;
    if (y && p->y_own > 0) memcpy(y, p->y, (size_t)p->y_own * p->row);
    return CAIRN_OK;
}

cairn_status cairn_permuted_take_x(cairn_plan *plan)
{
    cairn_permuted *p = plan->permuted;

    return p && p->x ? take(plan, operands(plan)->x, p->x) : CAIRN_OK;
}

int64_t cairn_permuted_bytes(const cairn_plan *plan)
{
    const cairn_permuted *p     = plan->permuted;
    int64_t               moved = 0;

    if (!p) return 0;
    if (plan->tensor->places->parts)
        return (int64_t)sum_bytes(operands(plan))
                   * (own_rows(plan, &operands(plan)->y_rows)
                      + p->y_own * plan->tensor->places->parts->q)
               + (int64_t)p->row * p->y_own * (operands(plan)->op.beta == 0 ? 1 : 2);
    if (p->x) moved += p->x_own;
    if (p->y) moved += p->y_own * (operands(plan)->op.beta == 0 ? 1 : 2);
    return 2 * moved * (int64_t)p->row;
}
