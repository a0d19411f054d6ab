// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Building a tensor: prepare every member, check the memory of all, allocate, fill.

#include "convert/build.h"

#include "convert/build_steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    cairn_env          *env;
    const cairn_build  *build;
    uint8_t            *member; ///< [n] of every entry.
    int                 members;
    cairn_member_build *m; ///< [members]
    cairn_local        *tensor;
} builder;

static cairn_status agree(const builder *b, cairn_status mine)
{
    const cairn_query_net *net = b->build->net;

    return net ? net->agree(net->user, mine) : mine;
}

/// Copy a member's own entries.
static cairn_status split_entries(builder *b, int member)
{
    const cairn_entries *all = b->build->entries;
    cairn_entries       *own = &b->m[member].entries;
    cairn_pos            n   = 0;

    for (cairn_pos k = 0; k < all->n; k++)
        n += b->member[k] == member;
    CAIRN_TRY(cairn_entries_reserve(b->env, own, n));
    for (cairn_pos k = 0; k < all->n; k++) {
        cairn_coord d[CAIRN_MAX_ORDER];

        if (b->member[k] != member) continue;
        for (int j = 0; j < all->order; j++)
            d[j] = all->coord[j][k];
        CAIRN_TRY(cairn_entries_add(b->env, own, d, all->value[k]));
    }
    return CAIRN_OK;
}

static cairn_status infer_layout(builder *b, int member)
{
    cairn_member_build   *m        = &b->m[member];
    const cairn_encoding *encoding = b->build->format->member[member];
    cairn_interval        span[CAIRN_MAX_QUERIES];

    for (int q = 0; q < encoding->queries; q++)
        span[q] = cairn_query_span(m->set, q);
    CAIRN_TRY(cairn_layout_create(b->env, encoding, b->build->shape.extent,
                                  b->build->box, span, b->build->value_bits,
                                  &m->layout));
    return cairn_build_count(m);
}

/// Everything but the arrays. The queries agree among ranks by themselves.
static cairn_status prepare_member(builder *b, int member)
{
    cairn_member_build *m      = &b->m[member];
    cairn_status        status = agree(b, split_entries(b, member));

    if (status != CAIRN_OK) return status;
    CAIRN_TRY(cairn_query_run(b->env, b->build->format->member[member],
                              &b->build->shape, b->build->box, &m->entries,
                              b->build->net, &m->set));
    return agree(b, infer_layout(b, member));
}

static cairn_status check_memory(const builder *b)
{
    __int128 needed = b->build->held, arrays = 0;
    int64_t  parts = 0;
    char     what[128];

    for (int k = 0; k < b->members; k++)
        for (int64_t bank = 0; bank < b->m[k].layout->banks; bank++, parts++) {
            int64_t    offset = 0, bytes = 0;
            cairn_part part = {0};

            cairn_part_place(b->m[k].layout, b->m[k].bank[bank].nodes, NULL, &offset,
                             &bytes, &part);
            arrays += bytes;
        }
    snprintf(what, sizeof what,
             "the arrays of the format take %.4g GB in %" PRId64 " part%s: the job",
             (double)arrays / 1e9, parts, parts == 1 ? "" : "s");
    needed += arrays;
    return cairn_check_memory(b->env, what, needed);
}

static cairn_status allocate_group(builder *b, int member, int64_t first)
{
    cairn_member_build *m     = &b->m[member];
    cairn_group        *group = &b->tensor->group[member];
    int64_t             total = 0, offset = 0;
    cairn_part          scratch = {0};

    m->part      = b->tensor->part + first;
    group->first = first;
    group->count = m->layout->banks;
    for (int64_t bank = 0; bank < group->count; bank++)
        cairn_part_place(m->layout, m->bank[bank].nodes, NULL, &total, &group->bytes,
                         &scratch);
    CAIRN_TRY(cairn_alloc_zero(b->env, total, 1, &group->block));
    group->bytes = 0;
    for (int64_t bank = 0; bank < group->count; bank++) {
        cairn_part *part = &m->part[bank];

        part->where = (cairn_where){member, b->build->rank, 0, bank};
        cairn_part_place(m->layout, m->bank[bank].nodes, group->block, &offset,
                         &group->bytes, part);
    }
    return CAIRN_OK;
}

static cairn_status fill_group(builder *b, int member)
{
    cairn_member_build *m = &b->m[member];

    for (int64_t bank = 0; bank < m->layout->banks; bank++)
        CAIRN_TRY(cairn_build_fill(m, bank, &m->part[bank]));
    return CAIRN_OK;
}

static cairn_status allocate_tensor(builder *b)
{
    cairn_local *t;
    int64_t      parts = 0;

    CAIRN_TRY(CAIRN_NEW_ZERO(b->env, 1, &t));
    b->tensor     = t;
    t->env        = b->env;
    t->shape      = b->build->shape;
    t->format     = b->build->format;
    t->value_bits = b->build->value_bits;
    t->groups     = b->members;
    memcpy(t->box, b->build->box, sizeof t->box);
    for (int k = 0; k < b->members; k++)
        parts += b->m[k].layout->banks;
    CAIRN_TRY(CAIRN_NEW_ZERO(b->env, parts, &t->part));
    t->parts = parts;
    return CAIRN_OK;
}

static cairn_status fill_tensor(builder *b)
{
    int64_t first = 0;

    CAIRN_TRY(check_memory(b));
    CAIRN_TRY(allocate_tensor(b));
    for (int k = 0; k < b->members; k++) {
        CAIRN_TRY(allocate_group(b, k, first));
        first += b->m[k].layout->banks;
    }
    for (int k = 0; k < b->members; k++)
        CAIRN_TRY(fill_group(b, k));
    for (int k = 0; k < b->members; k++) { /* the layouts are the tensor's now */
        b->tensor->group[k].layout = b->m[k].layout;
        b->m[k].layout             = NULL;
    }
    return CAIRN_OK;
}

static void free_member(cairn_env *env, cairn_member_build *m)
{
    cairn_query_set_destroy(env, &m->set);
    cairn_layout_destroy(env, &m->layout);
    cairn_entries_fini(env, &m->entries);
    for (int l = 0; l < CAIRN_MAX_LEVELS; l++)
        cairn_free(env, m->e[l]);
    cairn_free(env, m->order);
    cairn_free(env, m->bank);
}

static cairn_status run(builder *b)
{
    const cairn_build *build = b->build;
    cairn_status       status;

    status = CAIRN_NEW_ZERO(b->env, b->members, &b->m);
    if (status == CAIRN_OK) {
        for (int k = 0; k < b->members; k++) {
            b->m[k].env = b->env;
            cairn_entries_init(&b->m[k].entries, build->shape.order);
        }
        status = CAIRN_NEW(b->env, build->entries->n, &b->member);
    }
    CAIRN_TRY(agree(b, status));
    CAIRN_TRY(cairn_decompose(b->env, build->format, &build->shape, build->box,
                              build->entries, build->net, b->member));
    for (int k = 0; k < b->members; k++)
        CAIRN_TRY(prepare_member(b, k));
    return agree(b, fill_tensor(b));
}

cairn_status
cairn_local_build(cairn_env *env, const cairn_build *build, cairn_local **tensor)
{
    builder      b = {.env = env, .build = build, .members = build->format->members};
    cairn_status status = run(&b);

    for (int k = 0; k < b.members && b.m; k++)
        free_member(env, &b.m[k]);
    cairn_free(env, b.m);
    cairn_free(env, b.member);
    if (status == CAIRN_OK)
        *tensor = b.tensor;
    else
        cairn_local_destroy(&b.tensor);
    return status;
}
