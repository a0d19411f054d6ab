// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Memory of a tensor that is built: the arrays of all members are held against the limit
/// before any of them is allocated.

#include "convert/build_steps.h"
#include "convert/compiled.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

/* ---- banks ---- */

/* Shapes that are remembered: banks differ by a few nodes, so that nearly all find theirs. */
enum { SHAPES = 32 };

/// What banks of the same nodes have in common: the lengths of their arrays, and how these
/// lie to each other.
typedef struct {
    bool       known;
    cairn_pos  nodes[CAIRN_MAX_LEVELS]; ///< Of the trimmed levels.
    int64_t    room;  ///< From a bank's first array to the next bank's,
    int64_t    bytes; ///< and those of it that are of arrays.
    cairn_part part;  ///< One whose arrays begin where the block does.
} bank_shape;

static bool
has_nodes(const bank_shape *shape, const cairn_layout *layout, const cairn_pos *nodes)
{
    bool same = shape->known;

    for (int l = layout->first; l <= layout->last && same; l++)
        same = shape->nodes[l] == nodes[l];
    return same;
}

/// The shape of banks with these nodes. @p block: where the first one's arrays begin.
static const bank_shape *shape_of(const cairn_layout *layout,
                                  const cairn_pos    *nodes,
                                  char               *block,
                                  bank_shape          shape[SHAPES])
{
    uint64_t hash = 0;

    for (int l = layout->first; l <= layout->last; l++)
        hash = hash * 31 + (uint64_t)nodes[l];
    bank_shape *const its = &shape[hash % SHAPES];

    if (has_nodes(its, layout, nodes)) return its;
    its->known = true;
    its->room = its->bytes = 0;
    memcpy(its->nodes, nodes, sizeof its->nodes);
    cairn_part_place(layout, nodes, block, &its->room, &its->bytes, &its->part);
    return its;
}

static cairn_status make_shapes(cairn_env *env, bank_shape **shape)
{
    CAIRN_TRY(CAIRN_NEW(env, SHAPES, shape));
    for (int k = 0; k < SHAPES; k++)
        (*shape)[k].known = false;
    return CAIRN_OK;
}

/// Bytes that the arrays of a member take.
typedef struct {
    __int128 room;   ///< With what lies between them,
    __int128 arrays; ///< and without.
} array_bytes;

static cairn_status measure_banks(const cairn_member_build *m, array_bytes *bytes)
{
    bank_shape *shape;

    *bytes = (array_bytes){0};
    CAIRN_TRY(make_shapes(m->env, &shape));
    for (int64_t bank = 0; bank < m->layout->banks; bank++) {
        const bank_shape *its = shape_of(m->layout, m->bank[bank].nodes, NULL, shape);

        bytes->room += its->room;
        bytes->arrays += its->bytes;
    }
    cairn_free(m->env, shape);
    return CAIRN_OK;
}

/// Those of a part are some way behind those of its shape. What was just written is not
/// read again, which would wait for it.
static void place_like(const bank_shape *shape, int64_t offset, cairn_part *part)
{
    const cairn_kernel_part *from   = &shape->part.view;
    cairn_kernel_part       *view   = &part->view;
    const size_t             levels = (size_t)from->levels * sizeof *from->level;

    part->layout = shape->part.layout;
    memcpy(view, from, offsetof(cairn_kernel_part, level) + levels);
    memcpy(&view->val, &from->val, sizeof *view - offsetof(cairn_kernel_part, val));
    view->bank = part->where.bank;
    for (int l = 0; l < from->levels; l++) {
        if (from->level[l].ptr)
            view->level[l].ptr = (const char *)from->level[l].ptr + offset;
        if (from->level[l].idx)
            view->level[l].idx = (const char *)from->level[l].idx + offset;
    }
    view->val = (char *)from->val + offset;
}

/// All arrays of all banks in one block: they are reached by way of each other.
static cairn_status
allocate_banks(cairn_member_build *m, const array_bytes *bytes, cairn_clearing clear)
{
    const bool   zero   = clear == CAIRN_CLEAR_ALL;
    cairn_group *group  = m->group;
    int64_t      offset = 0;
    bank_shape  *shape;

    CAIRN_TRY((zero ? cairn_alloc_zero : cairn_alloc)(m->env, (int64_t)bytes->room, 1,
                                                      &group->block));
    group->bytes = (int64_t)bytes->arrays;
    CAIRN_TRY(make_shapes(m->env, &shape));
    for (int64_t bank = 0; bank < group->count; bank++) {
        const bank_shape *its =
            shape_of(m->layout, m->bank[bank].nodes, group->block, shape);

        place_like(its, offset, &m->part[bank]);
        if (clear == CAIRN_CLEAR_POSITIONS)
            cairn_part_clear_positions(group, &m->part[bank]);
        offset += its->room;
    }
    assert(offset == (int64_t)bytes->room);
    cairn_free(m->env, shape);
    return CAIRN_OK;
}

/* ---- members ---- */

/// Measure the arrays of all members. @p all: of all parts, but for arrays that are there.
static cairn_status measure(int                 members,
                            cairn_member_build *m,
                            array_bytes         bytes[CAIRN_MAX_MEMBERS],
                            __int128           *all)
{
    *all = 0;
    for (int k = 0; k < members; k++) {
        CAIRN_TRY(measure_banks(&m[k], &bytes[k]));
        *all += bytes[k].arrays;
        if (m[k].compiled) *all -= m[k].compiled->shared.bytes * m[k].layout->banks;
    }
    return CAIRN_OK;
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
                                   const array_bytes  *bytes,
                                   int64_t             first)
{
    cairn_group         *group = &t->group[m->number];
    const cairn_clearing clear =
        m->compiled ? cairn_compiled_clears(m->compiled) : CAIRN_CLEAR_ALL;

    assert(m->layout && m->bank && !m->part && !m->group); /* counted, not yet placed */
    m->part      = t->part + first;
    m->group     = group;
    group->first = first;
    group->count = m->layout->banks;
    for (int64_t bank = 0; bank < group->count; bank++) {
        m->part[bank].where = (cairn_where){m->number, build->rank, 0, bank};
        m->part[bank].nnz   = 0;
        m->part[bank].given = false;
    }
    if (build->into)
        CAIRN_TRY(point_at_arrays(build, m, clear != CAIRN_CLEAR_NONE));
    else if (group->count == 1)
        CAIRN_TRY(cairn_group_alloc(m->env, group, m->layout, m->bank[0].nodes, clear,
                                    m->compiled ? &m->compiled->shared : NULL,
                                    m->part));
    else
        CAIRN_TRY(allocate_banks(m, bytes, clear));
    if (m->compiled) cairn_compiled_find_zeros(m->compiled);
    return CAIRN_OK;
}

cairn_status cairn_build_allocate(cairn_env          *env,
                                  const cairn_build  *build,
                                  int                 members,
                                  cairn_member_build *m,
                                  cairn_local       **tensor)
{
    array_bytes  bytes[CAIRN_MAX_MEMBERS];
    __int128     all;
    cairn_local *t;
    int64_t      parts = 0;

    CAIRN_TRY(measure(members, m, bytes, &all));
    CAIRN_TRY(cairn_build_check_memory(env, build, build->into ? 0 : all));
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
    CAIRN_TRY(CAIRN_NEW(env, parts, &t->part));
    t->parts = parts;
    parts    = 0;
    for (int k = 0; k < members; k++) {
        CAIRN_TRY(allocate_group(t, build, &m[k], &bytes[k], parts));
        parts += m[k].layout->banks;
    }
    return CAIRN_OK;
}
