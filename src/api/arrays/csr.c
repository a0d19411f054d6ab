// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A solver's CSR or CSC arrays: borrowed as they are, or the source of a conversion.

#include "api/arrays/solver_rows.h"
#include "api/collective_arguments.h"
#include "api/door.h"
#include "convert/given_arrays.h"
#include "convert/kept.h"

#include <inttypes.h>
#include <string.h>

/* ---- what is looked at ---- */

cairn_status cairn_solver_rows_check(const cairn_solver_rows *a)
{
    cairn_env               *env = &a->context->env;
    const cairn_line_arrays *l   = &a->lines;

    CAIRN_CHECK((l->ptr_bits == 32 || l->ptr_bits == 64)
                    && (l->idx_bits == 32 || l->idx_bits == 64),
                env, CAIRN_BAD_ARGUMENT, "%s: ptr_bits and idx_bits are 32 or 64",
                a->call);
    for (int k = 0; k < 2; k++)
        CAIRN_CHECK(l->shape.extent[k] >= 0 && l->shape.extent[k] < INT64_MAX / 4, env,
                    CAIRN_BAD_SHAPE, "%s: extent %d is %" PRId64, a->call, k,
                    l->shape.extent[k]);
    CAIRN_CHECK(l->rows >= 0 && l->first_row >= 0
                    && l->rows <= l->shape.extent[0] - l->first_row,
                env, CAIRN_BAD_SHAPE,
                "%s: %" PRId64 " rows from %" PRId64 " on are not within 0..%" PRId64,
                a->call, l->rows, l->first_row, l->shape.extent[0] - 1);
    return CAIRN_OK;
}

/// Only rows without entries need no arrays of them.
static cairn_status check_entries(const cairn_solver_rows *a)
{
    cairn_env *env = &a->context->env;

    if (cairn_lines_entries(&a->lines) == 0) return CAIRN_OK;
    CAIRN_CHECK(a->lines.idx, env, CAIRN_BAD_ARGUMENT,
                "cairn_tensor_from_%s: idx: is NULL", a->call);
    CAIRN_CHECK(a->lines.val, env, CAIRN_BAD_ARGUMENT,
                "cairn_tensor_from_%s: val: is NULL", a->call);
    return CAIRN_OK;
}

/// What indices lie in: columns, or this rank's rows.
static cairn_interval range_across(const cairn_solver_rows *a)
{
    const cairn_line_arrays *l = &a->lines;

    if (!l->by_columns) return (cairn_interval){0, l->shape.extent[1] - 1};
    return (cairn_interval){l->first_row, l->first_row + l->rows - 1};
}

/// What is wrong with arrays that are not sound, entry by entry.
static cairn_status find_fault(const void *user)
{
    const cairn_solver_rows *a     = user;
    const cairn_line_arrays *l     = &a->lines;
    cairn_env               *env   = &a->context->env;
    const cairn_interval     range = range_across(a);
    const char *const        line  = l->by_columns ? "column" : "row";
    const char *const        cross = l->by_columns ? "row" : "column";

    CAIRN_CHECK(cairn_lines_ptr(l, 0) == 0, env, CAIRN_BAD_COORD,
                "%s: ptr[0] is %" PRId64 ", not %d", a->call,
                cairn_lines_ptr(l, 0) + a->base, a->base);
    for (int64_t i = 0; i < cairn_lines_count(l); i++)
        CAIRN_CHECK(cairn_lines_ptr(l, i) <= cairn_lines_ptr(l, i + 1), env,
                    CAIRN_BAD_COORD, "%s: ptr descends after %s %" PRId64, a->call,
                    line, cairn_lines_first(l) + i);
    for (int64_t k = 0; k < cairn_lines_entries(l); k++)
        CAIRN_CHECK(
            cairn_lines_idx(l, k) >= range.lo && cairn_lines_idx(l, k) <= range.hi, env,
            CAIRN_BAD_COORD,
            "%s: entry %" PRId64 ": %s %" PRId64 " is not within %" PRId64 "..%" PRId64,
            a->call, k, cross, cairn_lines_idx(l, k) + a->base, range.lo + a->base,
            range.hi + a->base);
    return CAIRN_OK;
}

/* ---- a tensor over the caller's arrays ---- */

/// A part over the caller's arrays.
static cairn_status point_at_arrays(const cairn_solver_rows *a, cairn_tensor *tensor)
{
    cairn_env               *env    = &a->context->env;
    const cairn_line_arrays *l      = &a->lines;
    cairn_interval           box[2] = {
                  {l->first_row, l->first_row + l->rows - 1},
                  {0,            l->shape.extent[1] - 1    }
    };
    const cairn_pos nodes[CAIRN_MAX_LEVELS] = {0, cairn_lines_entries(l)};
    int64_t         offset = 0, bytes = 0;
    cairn_local    *local;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &local));
    tensor->local     = local;
    local->env        = env;
    local->shape      = l->shape;
    local->format     = tensor->format;
    local->value_bits = l->dtype == CAIRN_F32 ? 32 : 64;
    memcpy(local->box, box, sizeof box);
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &local->part));
    CAIRN_TRY(cairn_lent_layout(a->context, tensor->format, l->shape.extent, box,
                                local->value_bits, &local->group[0].layout));
    cairn_part *part = &local->part[0];

    part->where.rank = a->context->comm->rank;
    part->nnz        = nodes[1];
    cairn_part_place(local->group[0].layout, nodes, NULL, &offset, &bytes, part);
    part->view.level[1].ptr = l->ptr;
    part->view.level[1].idx = l->idx;
    part->view.val          = (void *)l->val;
    local->groups           = 1;
    local->parts            = 1;
    local->group[0].count   = 1;
    local->group[0].bytes   = bytes;
    return CAIRN_OK;
}

/// Make a tensor over the caller's arrays, which are not looked at yet.
static cairn_status lend(const cairn_solver_rows *a, cairn_tensor **tensor)
{
    const cairn_line_arrays *l = &a->lines;

    CAIRN_TRY(cairn_solver_rows_check(a));
    if (cairn_lines_ptr(l, 0) != 0 || cairn_lines_entries(l) < 0) return find_fault(a);
    CAIRN_TRY(check_entries(a));
    CAIRN_TRY(CAIRN_NEW_ZERO(&a->context->env, 1, tensor));
    (*tensor)->context = a->context;
    (*tensor)->dtype   = l->dtype;
    CAIRN_TRY(cairn_lent_lines(a->context, l->by_columns, l->ptr_bits, l->idx_bits,
                               &(*tensor)->format));
    return point_at_arrays(a, *tensor);
}

/* ---- a tensor of its own ---- */

/// The program of the caller's arrays. @param entries  NULL: they are borrowed; else empty.
static cairn_status look_at(const cairn_solver_rows *a,
                            cairn_tensor            *lent,
                            cairn_entries           *entries,
                            cairn_given_arrays      *given)
{
    cairn_comm           *comm = a->context->comm;
    const cairn_query_net net  = cairn_net_of(comm);

    *given = (cairn_given_arrays){
        .lent = lent->local, .refuse = find_fault, .user = a, .entries = entries};
    return cairn_given_arrays_run(comm->env, comm->size > 1 ? &net : NULL, given,
                                  CAIRN_OK);
}

/// Store the arrays of @p lent, on all ranks by the same way: from where they lie, or from
/// sorted entries. Formats may look at values (queries over `value gt 1`, say); then the
/// pattern's own values decide where entries go, as they do in any other build.
static cairn_status store_arrays(const cairn_solver_rows *a,
                                 cairn_tensor            *lent,
                                 const cairn_format      *format,
                                 cairn_tensor           **tensor)
{
    cairn_comm        *comm = a->context->comm;
    cairn_entries      entries;
    cairn_given_arrays given;

    cairn_entries_init(&entries, 2);
    cairn_status status = look_at(a, lent, &entries, &given);

    if (status == CAIRN_OK)
        status = cairn_comm_agree(comm, cairn_tensor_prepare(lent, format, tensor));
    if (status == CAIRN_OK)
        status = given.seen.once
                     ? cairn_tensor_convert_in_place(lent, NULL, *tensor)
                     : cairn_tensor_build(*tensor, &a->lines.shape, &entries, NULL);
    if (status == CAIRN_OK)
        status = cairn_comm_agree(
            comm, cairn_given_arrays_tell(&given, &(*tensor)->how.path->program,
                                          &(*tensor)->how.log));
    cairn_given_arrays_fini(&given);
    cairn_entries_fini(comm->env, &entries);
    return status;
}

cairn_status cairn_solver_rows_store(const cairn_solver_rows *a,
                                     const cairn_format      *format,
                                     cairn_tensor           **tensor)
{
    cairn_tensor *lent   = NULL;
    cairn_status  status = lend(a, &lent);

    if (status == CAIRN_OK)
        status = cairn_rows_given(a->context->comm, a->call, &a->lines.shape,
                                  a->lines.first_row, a->lines.rows, &lent->rows);
    if (status == CAIRN_OK) status = store_arrays(a, lent, format, tensor);
    cairn_tensor_destroy(&lent);
    return status;
}

static cairn_status store(const cairn_solver_rows *a,
                          cairn_tensor            *lent,
                          const cairn_format      *format,
                          cairn_tensor           **tensor)
{
    cairn_comm *comm = a->context->comm;

    CAIRN_TRY(store_arrays(a, lent, format, tensor));
    CAIRN_TRY(cairn_comm_agree(
        comm, cairn_refill_create(&a->lines, (*tensor)->local, &(*tensor)->refill)));
    cairn_kept_add(lent->local->group[0].checked ? lent->format : NULL,
                   (*tensor)->local, (*tensor)->how.path);
    return cairn_comm_agree(comm, cairn_tensor_narrow_for_many(*tensor, a->replays));
}

/// A row's entries may stand in any order, and more than once: then the group is not
/// `checked`.
static cairn_status borrow(const cairn_solver_rows *a, cairn_tensor *tensor)
{
    cairn_given_arrays given;
    const cairn_status status = look_at(a, tensor, NULL, &given);

    cairn_given_arrays_fini(&given);
    CAIRN_TRY(status);
    CAIRN_TRY(CAIRN_NEW_ZERO(&a->context->env, 1, &tensor->refill));
    tensor->refill->borrowed = a->lines.val;
    return CAIRN_OK;
}

/// On all ranks together. @param[in,out] lent  NULL afterwards if it is what was made.
static cairn_status make(const cairn_solver_rows *a,
                         cairn_copy_mode          mode,
                         const cairn_format      *format,
                         cairn_tensor           **lent,
                         cairn_tensor           **tensor)
{
    cairn_comm *comm = a->context->comm;

    CAIRN_TRY(cairn_rows_given(comm, a->call, &a->lines.shape, a->lines.first_row,
                               a->lines.rows, &(*lent)->rows));
    if (format) CAIRN_TRY(cairn_check_callers_rows(comm, format));
    if (mode != CAIRN_BORROW || format)
        return store(a, *lent, format ? format : (*lent)->format, tensor);
    CAIRN_TRY(cairn_comm_agree(comm, borrow(a, *lent)));
    *tensor = *lent;
    *lent   = NULL;
    return CAIRN_OK;
}

cairn_status cairn_solver_rows_take(const cairn_solver_rows *a,
                                    cairn_status             mine,
                                    cairn_copy_mode          mode,
                                    const cairn_format      *format,
                                    cairn_tensor           **tensor)
{
    cairn_context *const context = a->context;

    cairn_doing(&context->env, "taking arrays");

    const double     begin = cairn_seconds();
    cairn_tensor    *lent = NULL, *fresh = NULL;
    cairn_collective same   = {0};
    cairn_status     status = mine == CAIRN_OK ? lend(a, &lent) : mine;

    if (status == CAIRN_OK && format && format->order != 2)
        status = cairn_fail(&context->env, CAIRN_BAD_SHAPE,
                            "%s: the format stores tensors of order %d", a->call,
                            format->order);
    /* Borrowed or stored: other calls follow. */
    cairn_collective_text(&same, "arrays",
                          format                 ? "stored in a format"
                          : mode == CAIRN_BORROW ? "borrowed"
                                                 : "copied");
    cairn_collective_dtype(&same, a->lines.dtype);
    if (status == CAIRN_OK)
        cairn_collective_format(&same, format ? format : lent->format);
    status = cairn_comm_agree_on(context->comm, status, &same);
    if (status == CAIRN_OK) status = make(a, mode, format, &lent, &fresh);
    cairn_tensor_destroy(&lent);
    if (status == CAIRN_OK) {
        fresh->seconds = cairn_seconds() - begin;
        *tensor        = fresh;
    } else {
        cairn_tensor_destroy(&fresh);
    }
    return status;
}

/// Look at what the public call @p function was given, and take it.
static cairn_status enter(const char              *function,
                          const cairn_solver_rows *a,
                          cairn_copy_mode          mode,
                          const cairn_format      *format,
                          cairn_tensor           **tensor)
{
    const void *const    ptr     = a->lines.ptr;
    const cairn_dtype    dtype   = a->lines.dtype;
    const cairn_argument given[] = {CAIRN_GIVEN(ptr), CAIRN_ONE_OF(dtype, CAIRN_F32),
                                    CAIRN_ONE_OF(mode, CAIRN_BORROW),
                                    CAIRN_GIVEN(tensor)};

    CAIRN_TRY(cairn_enter_together(cairn_door_comm(a->context), function, given,
                                   sizeof given / sizeof *given));
    return cairn_solver_rows_take(a, CAIRN_OK, mode, format, tensor);
}

cairn_status cairn_tensor_from_csr(cairn_context      *context,
                                   int64_t             global_rows,
                                   int64_t             global_cols,
                                   int64_t             first_row,
                                   int64_t             rows,
                                   const void         *ptr,
                                   int                 ptr_bits,
                                   const void         *idx,
                                   int                 idx_bits,
                                   const void         *val,
                                   cairn_dtype         dtype,
                                   cairn_copy_mode     mode,
                                   const cairn_format *format,
                                   cairn_tensor      **tensor)
{
    const cairn_line_arrays lines = {
        {2, {global_rows, global_cols}},
        false,
        first_row,
        rows,
        ptr,
        idx,
        val,
        ptr_bits,
        idx_bits,
        dtype
    };
    const cairn_solver_rows a = {context, "csr", lines, 0, 0};

    return enter(__func__, &a, mode, format, tensor);
}

cairn_status cairn_tensor_from_csc(cairn_context      *context,
                                   int64_t             global_rows,
                                   int64_t             global_cols,
                                   int64_t             first_row,
                                   int64_t             rows,
                                   const void         *ptr,
                                   int                 ptr_bits,
                                   const void         *idx,
                                   int                 idx_bits,
                                   const void         *val,
                                   cairn_dtype         dtype,
                                   cairn_copy_mode     mode,
                                   const cairn_format *format,
                                   cairn_tensor      **tensor)
{
    const cairn_line_arrays lines = {
        {2, {global_rows, global_cols}},
        true,
        first_row,
        rows,
        ptr,
        idx,
        val,
        ptr_bits,
        idx_bits,
        dtype
    };
    const cairn_solver_rows a = {context, "csc", lines, 0, 0};

    return enter(__func__, &a, mode, format, tensor);
}
