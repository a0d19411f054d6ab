// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which rows ranks own, as a format's text says it, or else the run.

#include "api/api.h"
#include "api/door.h"
#include "comm/distribute_text.h"
#include "comm/move_entries.h"

#include <string.h>

/// Are rows divided by counts, so that one rank has all of them?
static bool is_by_counts(cairn_distribution_kind kind)
{
    return kind == CAIRN_DISTRIBUTION_ROWS || kind == CAIRN_DISTRIBUTION_NNZ
           || kind == CAIRN_DISTRIBUTION_COST;
}

/// Is a member's own what the whole has? One rank has all rows by counts of any kind.
static bool is_same(const cairn_format       *format,
                    int                       member,
                    const cairn_distribution *whole,
                    int                       ranks)
{
    const cairn_distribution *own = &format->member_distribution[member];

    if (own->kind == CAIRN_DISTRIBUTION_UNSAID) return true;
    if (ranks == 1 && is_by_counts(own->kind)) return true;
    if (own->kind != whole->kind) return false;
    return is_by_counts(own->kind)
           || (format->print.whole_distribution
               && strcmp(format->print.distribution[member],
                         format->print.whole_distribution)
                      == 0);
}

bool cairn_format_has_elsewhere(const cairn_comm         *comm,
                                const cairn_format       *format,
                                const cairn_distribution *whole)
{
    for (int m = 0; m < format->members; m++)
        if (!is_same(format, m, whole, comm->size)) return true;
    return false;
}

cairn_status cairn_format_check_members(cairn_comm               *comm,
                                        const cairn_format       *format,
                                        const cairn_distribution *whole)
{
    for (int m = 0; m < format->members; m++)
        CAIRN_CHECK(is_same(format, m, whole, comm->size), comm->env, CAIRN_UNSUPPORTED,
                    "format: distribution: member %d has @ %s, and the whole another: "
                    "members lie with the whole's rows here",
                    m + 1, format->print.distribution[m]);
    return CAIRN_OK;
}

cairn_distribution cairn_source_said(const cairn_source *source,
                                     const cairn_format *format)
{
    if (format && format->distribution.kind != CAIRN_DISTRIBUTION_UNSAID)
        return format->distribution;
    return (cairn_distribution){.kind = source->division == CAIRN_BY_ROWS
                                            ? CAIRN_DISTRIBUTION_ROWS
                                            : CAIRN_DISTRIBUTION_NNZ};
}

cairn_status
cairn_source_divide(cairn_source *source, const cairn_format *format, bool *scattered)
{
    cairn_comm              *comm   = source->context->comm;
    const cairn_coord        extent = source->shape.extent[0];
    const int64_t            grain  = format ? cairn_format_grain(format) : 1;
    const cairn_to_cut       what   = {.extent = extent, .entries = &source->entries};
    cairn_rows               rows   = {0};
    const cairn_distribution whole  = cairn_source_said(source, format);
    bool                     cut;

    if (format) CAIRN_TRY(cairn_format_check_members(comm, format, &whole));
    CAIRN_TRY(cairn_rows_by_text(comm, &whole, extent, grain, &rows, &cut, scattered));
    if (scattered && *scattered) return CAIRN_OK;
    if (!cut) CAIRN_TRY(cairn_format_cut_rows(source->context, format, &what, &rows));
    const cairn_status status =
        cairn_entries_to_owners(comm, &rows, &source->entries, NULL);

    if (status != CAIRN_OK) {
        cairn_rows_fini(comm->env, &rows);
        return status;
    }
    cairn_rows_fini(comm->env, &source->rows);
    source->rows = rows;
    return CAIRN_OK;
}

/// Is it of the same matrix, as far as that can be seen without a look at the entries?
static cairn_status check_alike(const cairn_source *source, const cairn_tensor *tensor)
{
    const cairn_shape *has = &source->shape, *wanted = &tensor->local->shape;
    cairn_env         *env  = &source->context->env;
    bool               same = has->order == wanted->order;

    CAIRN_CHECK(source->context == tensor->context, env, CAIRN_BAD_ARGUMENT,
                "divide: source: its context is another than the tensor's");
    for (int k = 0; same && k < has->order; k++)
        same = has->extent[k] == wanted->extent[k];
    CAIRN_CHECK(same, env, CAIRN_BAD_SHAPE,
                "divide: source: it has other extents than the tensor");
    return CAIRN_OK;
}

cairn_status cairn_source_divide_like(cairn_source *source, const cairn_tensor *tensor)
{
    cairn_rows rows = {0};

    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(source), CAIRN_GIVEN(source),
                         CAIRN_GIVEN(tensor));
    cairn_comm  *comm   = source->context->comm;
    cairn_status status = check_alike(source, tensor);

    if (status == CAIRN_OK) status = cairn_rows_copy(comm->env, &tensor->rows, &rows);
    if (status == CAIRN_OK) status = cairn_source_sort(source);
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK)
        status = cairn_entries_to_owners(comm, &rows, &source->entries, NULL);
    if (status != CAIRN_OK) {
        cairn_rows_fini(comm->env, &rows);
        return status;
    }
    cairn_rows_fini(comm->env, &source->rows);
    source->rows = rows;
    return cairn_comm_agree(comm, cairn_entries_sort(comm->env, &source->entries));
}

cairn_status cairn_source_copy_entries(const cairn_source *source, cairn_source **copy)
{
    const cairn_entries *from = &source->entries;
    cairn_env           *env  = &source->context->env;

    CAIRN_TRY(cairn_source_create(source->context, source->shape.order, copy));
    cairn_entries *to = &(*copy)->entries;

    (*copy)->shape   = source->shape;
    (*copy)->narrows = source->narrows;
    CAIRN_TRY(cairn_entries_reserve(env, to, from->n));
    to->n = from->n;
    for (int k = 0; k < from->order && from->n > 0; k++)
        memcpy(to->coord[k], from->coord[k], (size_t)from->n * sizeof **to->coord);
    if (from->n > 0)
        memcpy(to->value, from->value, (size_t)from->n * sizeof *to->value);
    return CAIRN_OK;
}

/// Divide the source as its user has it, and store a copy by places.
static cairn_status store_places(cairn_source            *source,
                                 const cairn_renumbering *places,
                                 const cairn_format      *format,
                                 cairn_dtype              dtype,
                                 int64_t                  held,
                                 cairn_tensor           **tensor)
{
    cairn_comm   *comm = source->context->comm;
    cairn_source *copy = NULL;
    cairn_rows    rows = {0};
    cairn_status  status;

    CAIRN_GO(done, cairn_comm_agree(
                       comm, cairn_rows_copy(comm->env, cairn_renumbering_users(places),
                                             &rows)));
    CAIRN_GO(done, cairn_entries_to_owners(comm, &rows, &source->entries, NULL));
    cairn_rows_fini(comm->env, &source->rows);
    source->rows = rows;
    rows         = (cairn_rows){0};
    status       = cairn_source_copy_entries(source, &copy);
    if (status == CAIRN_OK)
        status = cairn_rows_copy(comm->env, &places->rows, &copy->rows);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    copy->shape = cairn_renumbering_stored(places, &source->shape);
    CAIRN_GO(done, cairn_renumbering_apply(comm, places, &copy->entries));
    held += source->entries.n * cairn_entry_bytes(source->shape.order);
    status = cairn_tensor_create_divided(copy, format, dtype, held, tensor);
done:
    cairn_rows_fini(comm->env, &rows);
    cairn_source_destroy(&copy);
    return status;
}

cairn_status cairn_tensor_create_scattered(cairn_source       *source,
                                           const cairn_format *format,
                                           cairn_dtype         dtype,
                                           int64_t             held,
                                           cairn_tensor      **tensor)
{
    cairn_comm        *comm   = source->context->comm;
    cairn_renumbering *places = NULL;

    CAIRN_TRY(cairn_renumbering_by_text(comm, &format->distribution, &source->shape,
                                        cairn_format_grain(format), &source->entries,
                                        &places));
    const cairn_status status =
        store_places(source, places, format, dtype, held, tensor);

    if (status == CAIRN_OK)
        (*tensor)->places = places;
    else
        cairn_renumbering_destroy(comm->env, &places);
    return status;
}

const int64_t *cairn_tensor_places(const cairn_tensor *tensor)
{
    return tensor && tensor->places ? tensor->places->place : NULL;
}

cairn_shape cairn_tensor_users_shape(const cairn_tensor *tensor)
{
    return tensor->places && tensor->places->parts ? tensor->places->parts->shape
                                                   : tensor->local->shape;
}

const cairn_rows *cairn_tensor_users_rows(const cairn_tensor *tensor)
{
    return tensor->places ? cairn_renumbering_users(tensor->places) : &tensor->rows;
}

/// What has its rows in parts, or by places.
static const char *what_divides(const cairn_tensor *tensor)
{
    const cairn_column_parts *parts = tensor->places->parts;

    return parts && parts->first ? "of members"
                                 : tensor->format->print.whole_distribution;
}

cairn_status cairn_check_whole_rows(const cairn_tensor *tensor, const char *call)
{
    if (!tensor->places || !tensor->places->parts) return CAIRN_OK;
    return cairn_fail(&tensor->context->env, CAIRN_UNSUPPORTED,
                      "%s: tensor: its rows are in parts, @ %s: not in this version",
                      call, what_divides(tensor));
}

cairn_status cairn_check_own_order(const cairn_tensor *tensor, const char *call)
{
    if (!tensor->places) return CAIRN_OK;
    return cairn_fail(&tensor->context->env, CAIRN_UNSUPPORTED,
                      "%s: tensor: its rows are renumbered, @ %s: not in this version",
                      call, what_divides(tensor));
}

cairn_status cairn_check_matrix(const cairn_tensor *tensor, const char *call)
{
    CAIRN_CHECK(tensor->local->shape.order == 2, &tensor->context->env, CAIRN_BAD_SHAPE,
                "%s: tensor: it has order %d, and is no matrix", call,
                tensor->local->shape.order);
    return CAIRN_OK;
}

cairn_status cairn_check_callers_rows(cairn_comm *comm, const cairn_format *format)
{
    const cairn_distribution *whole = &format->distribution;

    if (whole->kind == CAIRN_DISTRIBUTION_UNSAID
        || (comm->size == 1 && is_by_counts(whole->kind)))
        return cairn_format_check_members(comm, format, whole);
    return cairn_fail(
        comm->env, CAIRN_UNSUPPORTED,
        "format: distribution: @ %s: rows that a caller divided stay with "
        "their ranks in this version; convert the tensor",
        format->print.whole_distribution);
}
