// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Hybrids of which a member lies on other ranks than the whole. A row is stored once for
/// each member, on the rank that has it of that member; which member an entry is of is
/// decided before, by the rows of the whole, which are those of Y. Sums of rows go to the
/// owners of Y, who add them in the order of members (comm/column_parts.h).

#include "api/api.h"
#include "comm/distribute_text.h"
#include "comm/move_entries.h"
#include "groups/decompose.h"

#include <string.h>

/// The members of a source's entries, and who has which rows of each.
typedef struct {
    uint8_t   *member; ///< [entries]
    cairn_rows rows[CAIRN_MAX_MEMBERS];
} member_plan;

static void release_plan(cairn_env *env, member_plan *p)
{
    cairn_free(env, p->member);
    for (int m = 0; m < CAIRN_MAX_MEMBERS; m++)
        cairn_rows_fini(env, &p->rows[m]);
}

/// The whole, whose members say nothing. It borrows all that it has.
static cairn_format of_whole(const cairn_format *format)
{
    cairn_format whole = *format;

    for (int m = 0; m < format->members; m++)
        whole.member_distribution[m] =
            (cairn_distribution){.kind = CAIRN_DISTRIBUTION_UNSAID};
    return whole;
}

/// A member as a format by itself, which says what the member does. It borrows likewise.
static cairn_format of_member(const cairn_format *format, int m)
{
    cairn_format one = of_whole(format);

    one.hybrid       = false;
    one.members      = 1;
    one.member[0]    = format->member[m];
    one.normal[0]    = format->normal[m];
    one.query        = NULL;
    one.normal_query = NULL;
    one.distribution = format->member_distribution[m];
    return one;
}

/// Cut rows by the entries of one member.
static cairn_status
cut_by_entries(cairn_source *source, const cairn_format *one, int m, member_plan *p)
{
    cairn_comm          *comm = source->context->comm;
    const cairn_entries *e    = &source->entries;
    cairn_entries        its  = {.order = 1};
    const cairn_to_cut   what = {.extent = source->shape.extent[0], .entries = &its};

    CAIRN_TRY(cairn_comm_agree(comm, CAIRN_NEW(comm->env, e->n + 1, &its.coord[0])));
    for (cairn_pos k = 0; k < e->n; k++)
        if (p->member[k] == m) its.coord[0][its.n++] = e->coord[0][k];
    const cairn_status status =
        cairn_format_cut_rows(source->context, one, &what, &p->rows[m]);

    cairn_free(comm->env, its.coord[0]);
    return status;
}

static cairn_status
cut_member(cairn_source *source, const cairn_format *format, int m, member_plan *p)
{
    cairn_comm        *comm = source->context->comm;
    const cairn_format one  = of_member(format, m);
    bool               cut;

    if (one.distribution.kind == CAIRN_DISTRIBUTION_UNSAID)
        return cairn_comm_agree(comm,
                                cairn_rows_copy(comm->env, &source->rows, &p->rows[m]));
    CAIRN_TRY(cairn_rows_by_text(comm, &one.distribution, source->shape.extent[0],
                                 cairn_format_grain(&one), &p->rows[m], &cut, NULL));
    return cut ? CAIRN_OK : cut_by_entries(source, &one, m, p);
}

/// Which member each entry is of, by the rows of the whole, and where members have theirs.
static cairn_status
plan_members(cairn_source *source, const cairn_format *format, member_plan *p)
{
    cairn_comm           *comm  = source->context->comm;
    const cairn_query_net net   = cairn_net_of(comm);
    const cairn_shape    *shape = &source->shape;
    cairn_interval        box[CAIRN_MAX_ORDER];

    for (int k = 0; k < shape->order; k++)
        box[k] = (cairn_interval){0, shape->extent[k] - 1};
    box[0] = (cairn_interval){source->rows.first[comm->rank],
                              source->rows.first[comm->rank + 1] - 1};
    CAIRN_TRY(
        cairn_comm_agree(comm, CAIRN_NEW(comm->env, source->entries.n, &p->member)));
    CAIRN_TRY(cairn_comm_agree(
        comm, cairn_decompose(comm->env, format, shape, box, &source->entries, false,
                              comm->size > 1 ? &net : NULL, p->member)));
    for (int m = 0; m < format->members; m++)
        CAIRN_TRY(cut_member(source, format, m, p));
    return CAIRN_OK;
}

/// Have the entries of a copy the places of their members' rows, where these are.
static cairn_status
move_members(cairn_source *copy, const cairn_renumbering *places, const uint8_t *member)
{
    cairn_comm *comm = copy->context->comm;

    cairn_member_parts_number(places->parts, &places->rows, member, &copy->entries);
    copy->shape = cairn_renumbering_stored(places, &copy->shape);
    CAIRN_TRY(
        cairn_comm_agree(comm, cairn_rows_copy(comm->env, &places->rows, &copy->rows)));
    CAIRN_TRY(cairn_entries_to_owners(comm, &places->rows, &copy->entries, NULL));
    return cairn_comm_agree(comm, cairn_entries_sort(comm->env, &copy->entries));
}

/// Store a source whose rows are the whole's.
static cairn_status store_members(cairn_source       *source,
                                  const cairn_format *format,
                                  cairn_dtype         dtype,
                                  int64_t             held,
                                  const member_plan  *p,
                                  cairn_tensor      **tensor)
{
    cairn_comm        *comm   = source->context->comm;
    cairn_source      *copy   = NULL;
    cairn_renumbering *places = NULL;
    cairn_tensor      *fresh  = NULL;
    cairn_status       status;

    status = cairn_comm_agree(comm, cairn_source_copy_entries(source, &copy));
    CAIRN_GO(done, status);
    CAIRN_GO(done,
             cairn_renumbering_create_members(comm, format->members, &source->shape,
                                              p->rows, &source->rows, &places));
    CAIRN_GO(done, move_members(copy, places, p->member));
    CAIRN_GO(done, cairn_comm_agree(
                       comm, cairn_tensor_prepare_from(copy, format, dtype, &fresh)));
    fresh->places = places;
    places        = NULL;
    fresh->held   = held + source->entries.n * cairn_entry_bytes(source->shape.order);
    status        = cairn_tensor_build(fresh, &copy->shape, &copy->entries, NULL);
    if (status == CAIRN_OK) {
        *tensor = fresh;
        fresh   = NULL;
    }
done:
    cairn_tensor_destroy(&fresh);
    cairn_renumbering_destroy(comm->env, &places);
    cairn_source_destroy(&copy);
    return status;
}

cairn_status cairn_tensor_create_elsewhere(cairn_source       *source,
                                           const cairn_format *format,
                                           cairn_dtype         dtype,
                                           int64_t             held,
                                           cairn_tensor      **tensor)
{
    cairn_comm        *comm  = source->context->comm;
    const cairn_format whole = of_whole(format);
    const double       begin = cairn_seconds();
    member_plan        p     = {.member = NULL};
    cairn_status       status;

    CAIRN_TRY(cairn_comm_agree(comm, cairn_source_sort(source)));
    CAIRN_TRY(cairn_source_divide(source, &whole, NULL));
    status = plan_members(source, format, &p);
    if (status == CAIRN_OK)
        status = store_members(source, format, dtype, held, &p, tensor);
    if (status == CAIRN_OK) (*tensor)->seconds = cairn_seconds() - begin;
    release_plan(comm->env, &p);
    return status;
}

cairn_status cairn_tensor_convert_elsewhere(const cairn_tensor *tensor,
                                            cairn_tensor      **to)
{
    cairn_source *source = NULL;
    cairn_tensor *made   = NULL;
    cairn_status  status = cairn_source_from_tensor(tensor, &source);

    if (status == CAIRN_OK)
        status =
            cairn_tensor_create_beside(source, (*to)->format, tensor->dtype,
                                       cairn_local_array_bytes(tensor->local), &made);
    cairn_source_destroy(&source);
    if (status != CAIRN_OK) return status;
    cairn_tensor_destroy(to);
    *to = made;
    return CAIRN_OK;
}
