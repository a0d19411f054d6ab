// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Why a format stores what it stores: packs, banks, queries, the way back from indices
/// to coordinates; and what the same entries would take elsewhere.

#include "api/collective_arguments.h"
#include "api/door.h"
#include "base/text.h"
#include "tensor/value_storage.h"

#include <inttypes.h>

static cairn_status check_member(const cairn_format *format, int member)
{
    CAIRN_CHECK(member >= 0 && member < format->members, format->env,
                CAIRN_BAD_ARGUMENT, "format: there is no member %d", member);
    return CAIRN_OK;
}

/// The layout without sizes. Destroy with cairn_layout_destroy().
static cairn_status
layout_of(const cairn_format *format, int member, cairn_layout **layout)
{
    CAIRN_TRY(check_member(format, member));
    return cairn_layout_create(format->env, format->member[member], NULL, NULL, NULL,
                               64, layout);
}

/// Packs that find an index to hold; others leave the arrays as they are.
static void describe_packs(const cairn_layout *layout, cairn_storage_info *info)
{
    for (int p = 0; p < layout->encoding->packs; p++) {
        const cairn_pack *pack   = &layout->encoding->pack[p];
        const bool        lists  = layout->packs.tuple[p].lists;
        bool              fields = false;

        for (int l = pack->first + (lists ? 1 : 0); l <= pack->last; l++)
            fields |= layout->level[l].arrays.has_idx;
        if (!fields) continue;
        info->pack[info->packs].first  = pack->first;
        info->pack[info->packs].last   = pack->last;
        info->pack[info->packs].lists  = lists;
        info->pack[info->packs].values = cairn_pack_takes_values(layout, pack);
        info->packs++;
    }
}

static void describe_rule(const cairn_format *format, int m, cairn_storage_info *info)
{
    static const char *const modes[] = {"capacity", "absolute", "maximum"};

    info->keep = 1;
    if (m + 1 >= format->members) return;
    info->mode      = modes[format->mode];
    info->threshold = format->threshold[m];
    info->keep      = format->keep[m];
}

cairn_status
cairn_format_storage(const cairn_format *format, int member, cairn_storage_info *info)
{
    CAIRN_ENTER_FORMAT(format, CAIRN_GIVEN(info),
                       CAIRN_SIZED(info, cairn_storage_info));

    cairn_layout *layout;

    CAIRN_TRY(layout_of(format, member, &layout));
    cairn_storage_info own = {
        .trim_first = layout->encoding->trimmed ? layout->first : CAIRN_MAX_LEVELS,
        .trim_last  = layout->last,
        .partition  = layout->partition,
        .pads       = layout->pads,
        .queries    = layout->encoding->queries,
    };
    describe_packs(layout, &own);
    describe_rule(format, member, &own);
    CAIRN_WRITE(info, own);
    cairn_layout_destroy(format->env, &layout);
    return CAIRN_OK;
}

/// "3*e0", "-e1", with a sign before all but the first.
static void add_term(cairn_text *text, int64_t factor, int level, bool first)
{
    if (factor < 0)
        cairn_text_add(text, "-");
    else if (!first)
        cairn_text_add(text, "+");
    if (factor != 1 && factor != -1)
        cairn_text_add(text, "%" PRIu64 "*",
                       factor < 0 ? -(uint64_t)factor : (uint64_t)factor);
    cairn_text_add(text, "e%d", level);
}

/// Terms by level, whatever order elimination left them in.
static void add_linear(cairn_text *text, const cairn_linear *linear, int levels)
{
    const bool divided = linear->den != 1;
    const bool bracket = divided && linear->terms + (linear->constant != 0) > 1;
    bool       first   = true;

    if (bracket) cairn_text_add(text, "(");
    for (int l = 0; l < levels; l++)
        for (int t = 0; t < linear->terms; t++) {
            if (linear->var[t] != l) continue;
            add_term(text, linear->num[t], l, first);
            first = false;
        }
    if (first)
        cairn_text_add(text, "%" PRId64, linear->constant);
    else if (linear->constant)
        cairn_text_add(text, "%+" PRId64, linear->constant);
    if (bracket) cairn_text_add(text, ")");
    if (divided) cairn_text_add(text, "/%" PRId64, linear->den);
}

cairn_status
cairn_format_inverse(const cairn_format *format, int member, int mode, char **text)
{
    CAIRN_ENTER_FORMAT(format, CAIRN_GIVEN(text));

    cairn_layout *layout;
    cairn_text    grown;

    CAIRN_CHECK(mode >= 0 && mode < format->order, format->env, CAIRN_BAD_ARGUMENT,
                "format: there is no dimension %d", mode);
    CAIRN_TRY(layout_of(format, member, &layout));
    cairn_text_init(&grown, format->env);
    add_linear(&grown, &layout->inverse.dim[mode], layout->levels);
    cairn_layout_destroy(format->env, &layout);
    return cairn_text_take(&grown, text);
}

cairn_status
cairn_format_query(const cairn_format *format, int member, int query, char **text)
{
    CAIRN_ENTER_FORMAT(format, CAIRN_GIVEN(text));

    cairn_env *env = format->env;

    if (member == -1) {
        CAIRN_CHECK(format->query && query == 0, env, CAIRN_BAD_ARGUMENT,
                    "format: the rule between members has no query %d", query);
        return cairn_query_print(env, format->query, format->query, text);
    }
    CAIRN_TRY(check_member(format, member));
    const cairn_encoding *e = format->member[member];

    CAIRN_CHECK(query >= 0 && query < e->queries, env, CAIRN_BAD_ARGUMENT,
                "format: member %d has no query %d", member, query);
    return cairn_query_print(env, &e->query[query], e->query, text);
}

/// Nodes of the trimmed levels, where these are one an entry.
static cairn_status count_nodes(cairn_env          *env,
                                const cairn_layout *layout,
                                cairn_pos           nnz,
                                cairn_pos           nodes[CAIRN_MAX_LEVELS])
{
    bool counted = layout->encoding->queries == 0 && layout->partition < 0
                   && layout->last == layout->levels - 1;

    for (int l = 0; l < layout->levels; l++) {
        counted &= !layout->level[l].trimmed || layout->level[l].depth == layout->last;
        nodes[l] = nnz;
    }
    CAIRN_CHECK(counted, env, CAIRN_UNSUPPORTED,
                "format: bytes: the lengths of its arrays follow from the entries");
    return CAIRN_OK;
}

/// The layout with values as they would be stored.
static cairn_status
narrow(cairn_env *env, const cairn_local *local, cairn_layout **layout)
{
    const cairn_value_storage storage = cairn_local_narrowest(local);
    cairn_layout             *its;

    CAIRN_TRY(cairn_layout_store(env, *layout, storage.kind, storage.bits, &its));
    cairn_layout_destroy(env, layout);
    *layout = its;
    return CAIRN_OK;
}

/// Bytes on this rank.
static cairn_status
bytes_here(const cairn_tensor *tensor, const cairn_format *format, int64_t *bytes)
{
    const cairn_local *local  = tensor->local;
    cairn_env         *env    = &tensor->context->env;
    cairn_part         part   = {.nnz = 0};
    cairn_pos          nnz    = 0, nodes[CAIRN_MAX_LEVELS];
    int64_t            offset = 0;
    cairn_layout      *layout;

    CAIRN_CHECK(format->order == local->shape.order && format->members == 1, env,
                CAIRN_BAD_SHAPE, "format: bytes: order %d with %d members, order %d",
                format->order, format->members, local->shape.order);
    for (int64_t p = 0; p < local->parts; p++)
        nnz += local->part[p].nnz;
    CAIRN_TRY(cairn_layout_create(env, format->member[0], local->shape.extent,
                                  local->box, NULL, local->value_bits, &layout));
    cairn_status status = count_nodes(env, layout, nnz, nodes);

    *bytes = 0;
    if (status == CAIRN_OK && local->narrows && layout->values.tuple < 0)
        status = narrow(env, local, &layout);
    if (status == CAIRN_OK)
        cairn_part_place(layout, nodes, NULL, &offset, bytes, &part);
    cairn_layout_destroy(env, &layout);
    return status;
}

cairn_status cairn_tensor_bytes_as(const cairn_tensor *tensor,
                                   const cairn_format *format,
                                   int64_t            *bytes)
{
    CAIRN_ENTER_TOGETHER(tensor ? tensor->context : cairn_format_context(format),
                         CAIRN_GIVEN(tensor), CAIRN_GIVEN(format), CAIRN_GIVEN(bytes));

    cairn_comm      *comm      = tensor->context->comm;
    int64_t          sum       = 0;
    cairn_collective arguments = {0};

    cairn_collective_format(&arguments, format);
    CAIRN_TRY(cairn_comm_agree_on(comm, bytes_here(tensor, format, &sum), &arguments));
    CAIRN_TRY(comm->ops->allreduce(comm, &sum, 1, CAIRN_SUM));
    *bytes = sum;
    return CAIRN_OK;
}
