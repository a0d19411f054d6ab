// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One kind of numbers after the other.

#include "convert/compiled_numbers.h"

#include "convert/compiled_blocks.h"
#include "convert/compiled_rank.h"
#include "convert/compiled_rows.h"

cairn_status cairn_numbers_find(cairn_member_build *m, const cairn_build *build)
{
    if (m->encoding->queries == 0) return CAIRN_OK;
    CAIRN_TRY(cairn_rows_find(m, build));
    if (!m->rows.on) CAIRN_TRY(cairn_rank_find(m, build));
    return cairn_numbers_known(m) ? CAIRN_OK : cairn_blocks_find(m, build);
}

enum { KIND_BITS = 3 };

/// The kind of a member's queries.
static int64_t kind_of(const cairn_member_build *m)
{
    return m->blocks ? 4 : m->rows.on + 2 * m->ranked;
}

cairn_status cairn_numbers_agree(cairn_member_build *members,
                                 int                 count,
                                 const cairn_build  *build,
                                 cairn_status        status)
{
    const cairn_query_net *net  = build->net;
    int64_t                kind = 0, most, least;
    bool                   same;

    for (int k = 0; k < count; k++)
        kind |= kind_of(&members[k]) << KIND_BITS * k;
    most  = kind;
    least = -kind;
    CAIRN_TRY(net->max(net->user, &most));
    CAIRN_TRY(net->max(net->user, &least));
    same = most == kind && least == -kind;
    CAIRN_TRY(cairn_build_all(build, status, &same));
    for (int k = 0; k < count && !same; k++)
        cairn_numbers_drop(&members[k]);
    return CAIRN_OK;
}

bool cairn_numbers_known(const cairn_member_build *m)
{
    return m->ranked || m->rows.on || m->blocks;
}

cairn_status
cairn_numbers_direct(cairn_member_build *m, const cairn_build *build, bool *direct)
{
    *direct = m->encoding->queries == 0 || m->rows.on || m->blocks;
    return m->ranked ? cairn_rank_is_direct(m, build, direct) : CAIRN_OK;
}

/// What was counted becomes numbers.
/// @retval CAIRN_NO_KERNEL  It cannot be compiled, on some rank.
static cairn_status number(cairn_member_build *m, const cairn_build *build)
{
    if (build->planned) return CAIRN_OK;
    return cairn_build_all_compiled(build, m->rows.on
                                               ? cairn_rows_number(m, build, CAIRN_OK)
                                               : cairn_blocks_join(m, build, CAIRN_OK));
}

/// Numbers along rows need no count of these.
static cairn_status find_rank(cairn_member_build *m, const cairn_build *build)
{
    cairn_rows_drop(m);

    const cairn_status status = cairn_rank_find(m, build);

    return build->net ? cairn_numbers_agree(m, 1, build, status) : status;
}

cairn_status cairn_numbers_count(cairn_member_build *m,
                                 const cairn_build  *build,
                                 const cairn_origin *origin,
                                 cairn_status        status,
                                 bool               *counted)
{
    *counted = true;
    if (!m->rows.on && !m->blocks) return status;

    const bool rows = m->rows.on;

    if (status == CAIRN_OK)
        status = rows ? cairn_rows_count(m, build, origin)
                      : cairn_blocks_run(m, build, origin);
    status = cairn_build_all_compiled(build, status);
    if (status == CAIRN_OK) status = number(m, build);
    *counted = status != CAIRN_NO_KERNEL;
    if (*counted) return status;
    if (rows) return find_rank(m, build);
    if (!origin->from && !build->net) cairn_blocks_drop(m);
    return CAIRN_OK;
}

bool cairn_numbers_uncounted(const cairn_member_build *m)
{
    return (m->rows.on && !m->rows.table) || (m->blocks && !m->blocks->counted);
}

void cairn_numbers_forget(cairn_member_build *m)
{
    cairn_free(m->env, m->rows.table);
    m->rows.table = NULL;
    cairn_blocks_forget(m->env, m->blocks);
}

void cairn_numbers_drop(cairn_member_build *m)
{
    cairn_rows_drop(m);
    cairn_blocks_drop(m);
}
