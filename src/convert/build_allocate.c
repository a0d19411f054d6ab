// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Memory of a tensor that is built: the arrays of all members are held against the limit
/// before any of them is allocated.

#include "convert/build_steps.h"
#include "convert/compiled.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/// Bytes of the arrays of all parts, by their node counts, but for those that are there.
static __int128 array_bytes(int members, const cairn_member_build *m)
{
    __int128 arrays = 0;

    for (int k = 0; k < members; k++)
        for (int64_t bank = 0; bank < m[k].layout->banks; bank++) {
            int64_t    offset = 0, bytes = 0;
            cairn_part part = {0};

            cairn_part_place(m[k].layout, m[k].bank[bank].nodes, NULL, &offset, &bytes,
                             &part);
            arrays += bytes;
            if (m[k].compiled) arrays -= m[k].compiled->shared.bytes;
        }
    return arrays;
}

cairn_status
cairn_build_check_memory(cairn_env *env, const cairn_build *build, __int128 arrays)
{
    const cairn_status status =
        cairn_check_memory(env, "this rank", build->held + arrays);

    if (status == CAIRN_OK || arrays >= (int64_t)1 << 56) return status;
    return cairn_fail(
        env, status, "%s: %" PRId64 " for arrays, %" PRId64 " for entries and operands",
        cairn_message(env), (int64_t)arrays, build->held);
}

/// All arrays of all banks in one block: they are reached by way of each other.
static cairn_status allocate_banks(cairn_member_build *m, bool zero)
{
    cairn_group *group = m->group;
    int64_t      total = 0, offset = 0;
    cairn_part   scratch = {0};

    for (int64_t bank = 0; bank < group->count; bank++)
        cairn_part_place(m->layout, m->bank[bank].nodes, NULL, &total, &group->bytes,
                         &scratch);
    CAIRN_TRY((zero ? cairn_alloc_zero : cairn_alloc)(m->env, total, 1, &group->block));
    group->bytes = 0;
    for (int64_t bank = 0; bank < group->count; bank++)
        cairn_part_place(m->layout, m->bank[bank].nodes, group->block, &offset,
                         &group->bytes, &m->part[bank]);
    return CAIRN_OK;
}

/// Place the arrays in those of a caller, who was told before how long they must be.
static cairn_status
point_at_arrays(const cairn_build *build, cairn_member_build *m, bool zero)
{
    const cairn_arrays *into = build->into;
    const cairn_pos     n    = m->bank[0].nodes[m->layout->last];

    CAIRN_CHECK(n <= into->room, m->env, CAIRN_OVERFLOW,
                "convert: %" PRId64 " entries, and room for %" PRId64, n, into->room);
    cairn_group_point(m->group, m->layout, m->bank[0].nodes, zero, into, m->part);
    return CAIRN_OK;
}

static cairn_status allocate_group(cairn_local        *t,
                                   const cairn_build  *build,
                                   cairn_member_build *m,
                                   int64_t             first)
{
    cairn_group *group = &t->group[m->number];
    const bool   zero  = !m->compiled || !cairn_compiled_writes_all(m->compiled);

    assert(m->layout && m->bank && !m->part && !m->group); /* counted, not yet placed */
    m->part      = t->part + first;
    m->group     = group;
    group->first = first;
    group->count = m->layout->banks;
    for (int64_t bank = 0; bank < group->count; bank++)
        m->part[bank].where = (cairn_where){m->number, build->rank, 0, bank};
    if (build->into)
        CAIRN_TRY(point_at_arrays(build, m, zero));
    else if (group->count == 1)
        CAIRN_TRY(cairn_group_alloc(m->env, group, m->layout, m->bank[0].nodes, zero,
                                    m->compiled ? &m->compiled->shared : NULL,
                                    m->part));
    else
        CAIRN_TRY(allocate_banks(m, zero));
    if (m->compiled) cairn_compiled_find_zeros(m->compiled);
    return CAIRN_OK;
}

cairn_status cairn_build_allocate(cairn_env          *env,
                                  const cairn_build  *build,
                                  int                 members,
                                  cairn_member_build *m,
                                  cairn_local       **tensor)
{
    cairn_local *t;
    int64_t      parts = 0;

    CAIRN_TRY(cairn_build_check_memory(env, build,
                                       build->into ? 0 : array_bytes(members, m)));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &t));
    *tensor       = t;
    t->env        = env;
    t->shape      = build->shape;
    t->format     = build->format;
    t->value_bits = build->value_bits;
    t->groups     = members;
    memcpy(t->box, build->box, sizeof t->box);
    for (int k = 0; k < members; k++)
        parts += m[k].layout->banks;
    CAIRN_TRY(CAIRN_NEW_ZERO(env, parts, &t->part));
    t->parts = parts;
    parts    = 0;
    for (int k = 0; k < members; k++) {
        CAIRN_TRY(allocate_group(t, build, &m[k], parts));
        parts += m[k].layout->banks;
    }
    return CAIRN_OK;
}
