// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One kind of numbers after the other.

#include "convert/compiled_numbers.h"

#include "convert/compiled_blocks.h"
#include "convert/compiled_rank.h"
#include "convert/compiled_rows.h"

cairn_status cairn_numbers_find(cairn_member_build *m, const cairn_build *build)
{
    CAIRN_TRY(cairn_rows_find(m, build));
    if (!m->rows.on) CAIRN_TRY(cairn_rank_find(m, build));
    return cairn_numbers_known(m) ? CAIRN_OK : cairn_blocks_find(m, build);
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

cairn_status cairn_numbers_count(cairn_member_build *m,
                                 const cairn_build  *build,
                                 const cairn_origin *origin,
                                 bool               *counted)
{
    cairn_status status;

    *counted = true;
    if (!m->rows.on && !m->blocks) return CAIRN_OK;
    status   = m->blocks ? cairn_blocks_run(m, build, origin)
                         : cairn_rows_run(m, build, origin);
    *counted = status != CAIRN_NO_KERNEL;
    if (*counted) return status;
    if (!m->blocks) return cairn_rank_find(m, build);
    if (!origin->from) cairn_blocks_drop(m);
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
