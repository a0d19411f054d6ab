// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Looking at the arrays that were handed over, and telling those that the library would
/// have made from others.

#include "api/arrays/from_parts.h"

#include <inttypes.h>
#include <string.h>

/* ---- each part ---- */

static cairn_status
check_part(const cairn_handed *handed, cairn_walker *walker, cairn_part *part)
{
    cairn_env  *env     = &handed->context->env;
    bool        pads    = part->layout->pads, holds;
    cairn_pos   entries = 0;
    cairn_fault fault;

    if (!cairn_part_is_sound(part, &fault) || !cairn_part_ascends(part, &fault))
        return cairn_handed_refuse(handed, &fault);
    CAIRN_TRY(cairn_part_check_positions(env, walker, part, &entries, &holds, &fault));
    if (!holds) return cairn_handed_refuse(handed, &fault);
    if (part->nnz < 0) part->nnz = entries;
    /* Stored zeros look like padding. */
    holds = part->nnz == entries
            || (pads && part->nnz > entries && part->nnz <= part->view.values);
    if (!holds)
        cairn_fault_note(&fault, part, -1, NULL, 0,
                         "it holds %" PRId64 " entries, not %" PRId64, entries,
                         part->nnz);
    return holds ? CAIRN_OK : cairn_handed_refuse(handed, &fault);
}

cairn_status cairn_handed_check(const cairn_handed *handed, cairn_local *local)
{
    cairn_env   *env    = &handed->context->env;
    cairn_status status = CAIRN_OK;

    for (int m = 0; m < local->groups && status == CAIRN_OK; m++) {
        const cairn_group *group  = &local->group[m];
        cairn_walker      *walker = NULL;

        status = cairn_walker_create(env, group->layout, &walker);
        for (int64_t k = 0; k < group->count && status == CAIRN_OK; k++)
            status = check_part(handed, walker, &local->part[group->first + k]);
        cairn_walker_destroy(env, &walker);
    }
    return status;
}

/* ---- what storing the entries would make ---- */

/// Do numbers that a query gives say where entries are?
static bool has_queries(const cairn_format *format)
{
    for (int m = 0; m < format->members; m++)
        if (format->member[m]->queries > 0) return true;
    return format->hybrid;
}

/// Are all values the same, however they are stored?
static bool same_values(const cairn_kernel_part *a, const cairn_kernel_part *b)
{
    if (a->values != b->values) return false;
    for (cairn_pos v = 0; v < a->values; v++) {
        const double x = cairn_value_get(a, v), y = cairn_value_get(b, v);

        if (memcmp(&x, &y, sizeof x) != 0) return false;
    }
    return true;
}

/// The arrays of a part, but for values that are stored narrower than the type.
static int wide_arrays(const cairn_part *part, bool narrow, cairn_array *array)
{
    const int n    = cairn_part_own_arrays(part, array);
    int       kept = 0;

    for (int k = 0; k < n; k++)
        if (!narrow
            || (array[k].kind != CAIRN_ARRAY_VAL
                && array[k].kind != CAIRN_ARRAY_DICTIONARY))
            array[kept++] = array[k];
    return kept;
}

static bool same_arrays(const cairn_part *a, const cairn_part *b)
{
    const bool narrow =
        !cairn_layout_is_wide(a->layout) || !cairn_layout_is_wide(b->layout);
    cairn_array of_a[CAIRN_MAX_ARRAYS], of_b[CAIRN_MAX_ARRAYS];
    const int   arrays = wide_arrays(a, narrow, of_a);

    if (a->nnz != b->nnz || wide_arrays(b, narrow, of_b) != arrays) return false;
    if (narrow && !same_values(&a->view, &b->view)) return false;
    for (int k = 0; k < arrays; k++)
        if (of_a[k].bytes != of_b[k].bytes
            || (of_a[k].bytes > 0
                && memcmp(of_a[k].data, of_b[k].data, (size_t)of_a[k].bytes) != 0))
            return false;
    return true;
}

/// Store the entries in the format, in @p fresh.
static cairn_status store(const cairn_handed  *handed,
                          const cairn_tensor  *tensor,
                          const cairn_entries *entries,
                          cairn_tensor       **fresh)
{
    cairn_context *context = handed->context;
    char           method[CAIRN_OPTION_PATH];
    cairn_status   status = CAIRN_NEW_ZERO(&context->env, 1, fresh);

    if (status == CAIRN_OK) {
        (*fresh)->context = context;
        (*fresh)->dtype   = tensor->dtype;
        (*fresh)->format  = cairn_format_hold(tensor->format);
        (*fresh)->held    = tensor->local->group[0].bytes;
        status = cairn_rows_copy(&context->env, &tensor->rows, &(*fresh)->rows);
    }
    CAIRN_TRY(cairn_comm_agree(context->comm, status));
    /* A method that is asked for is for the caller's conversions. */
    memcpy(method, context->env.options.convert, sizeof method);
    context->env.options.convert[0] = '\0';
    status = cairn_tensor_build(*fresh, &handed->shape, entries, NULL);
    memcpy(context->env.options.convert, method, sizeof method);
    return status;
}

/// Compare with what storing the entries makes; where that fails nothing is known.
static cairn_status
compare(const cairn_handed *handed, const cairn_entries *entries, cairn_tensor *tensor)
{
    cairn_local       *local  = tensor->local;
    cairn_tensor      *fresh  = NULL;
    const cairn_status status = store(handed, tensor, entries, &fresh);

    for (int64_t p = 0; p < local->parts; p++)
        local->part[p].given |=
            status != CAIRN_OK || fresh->local->parts != local->parts
            || !same_arrays(&local->part[p], &fresh->local->part[p]);
    cairn_tensor_destroy(&fresh);
    return status == CAIRN_COMM ? status : CAIRN_OK;
}

static cairn_status
check_once(const cairn_handed *handed, const cairn_local *local, cairn_entries *entries)
{
    cairn_fault fault;
    bool        once;

    CAIRN_TRY(cairn_local_check_once(local, entries, &once, &fault));
    return once ? CAIRN_OK : cairn_handed_refuse(handed, &fault);
}

cairn_status cairn_handed_mark(const cairn_handed *handed, cairn_tensor *tensor)
{
    cairn_comm   *comm  = handed->context->comm;
    cairn_local  *local = tensor->local;
    cairn_entries entries;
    cairn_status  status = CAIRN_OK;

    for (int64_t p = 0; p < local->parts; p++)
        local->part[p].given = cairn_part_has_childless(&local->part[p]);
    if (has_queries(tensor->format)) {
        cairn_entries_init(&entries, handed->shape.order);
        status = cairn_comm_agree(comm, check_once(handed, local, &entries));
        if (status == CAIRN_OK) status = compare(handed, &entries, tensor);
        cairn_entries_fini(comm->env, &entries);
    }
    for (int64_t p = 0; p < local->parts; p++)
        local->group[local->part[p].where.member].unsorted |= local->part[p].given;
    for (int m = 0; m < local->groups; m++)
        local->group[m].checked = true;
    return status;
}
