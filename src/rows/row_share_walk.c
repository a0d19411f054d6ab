// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Shares by walking the member: every position that it stores in the share's rows, with
/// its e-tuple, is one row of a table, from which arrays are filled as in any build.

#include "convert/build_steps.h"
#include "rows/row_share_steps.h"
#include "tensor/walk.h"

/// A walk over the member.
typedef struct {
    cairn_interval rows;
    cairn_table   *table; ///< NULL: positions are only counted.
    cairn_pos      n;
} gatherer;

static void take(gatherer *g, const cairn_part *part, const cairn_batch *batch, int k)
{
    cairn_table *table = g->table;

    for (int l = 0; l < table->levels; l++)
        table->own[l][g->n] = batch->level[(size_t)l * CAIRN_BATCH + (size_t)k];
    table->own_value[g->n] = cairn_value_get(&part->view, batch->value[k]);
}

static cairn_status
gather_batch(void *user, const cairn_part *part, const cairn_batch *batch)
{
    gatherer *g = user;

    for (int k = 0; k < batch->n; k++) {
        if (batch->coord[0][k] < g->rows.lo || batch->coord[0][k] > g->rows.hi)
            continue;
        if (g->table) take(g, part, batch, k);
        g->n++;
    }
    return CAIRN_OK;
}

/// Only what may be in the rows needs to be visited.
static cairn_status create_walker(const cairn_row_share *share, cairn_walker **walker)
{
    const cairn_layout *layout = cairn_row_share_group(share)->layout;
    const int           level  = cairn_layout_row_level(layout);

    CAIRN_TRY(cairn_walker_create(share->tensor->env, layout, walker));
    cairn_walker_number_nodes(*walker);
    if (level >= 0) {
        const cairn_interval *range =
            &share->local->group[0].layout->level[level].range;

        cairn_walker_restrict(*walker, level, range->lo, range->hi);
    }
    return cairn_walker_show_levels(share->tensor->env, *walker);
}

static cairn_status make_columns(cairn_table *table, int levels, cairn_pos n)
{
    for (int l = 0; l < levels; l++) {
        CAIRN_TRY(CAIRN_NEW(table->env, n, &table->own[l]));
        table->column[l] = table->own[l];
        table->levels    = l + 1;
    }
    CAIRN_TRY(CAIRN_NEW(table->env, n, &table->own_value));
    table->value = table->own_value;
    table->n     = n;
    return CAIRN_OK;
}

/// The positions in the share's rows, in the order of their e-tuples.
static cairn_status
gather(const cairn_row_share *share, int64_t held, cairn_table *table)
{
    const int     levels = cairn_row_share_group(share)->layout->levels;
    gatherer      g      = {.rows = share->rows};
    cairn_walker *walker = NULL;
    cairn_status  status = create_walker(share, &walker);

    CAIRN_GO(done, status);
    CAIRN_GO(done,
             cairn_walk_member(walker, share->tensor, share->member, gather_batch, &g));
    CAIRN_GO(done, cairn_check_memory(share->tensor->env, "the entries of a share",
                                      held + (__int128)g.n * 8 * (levels + 1)));
    CAIRN_GO(done, make_columns(table, levels, g.n));
    g = (gatherer){.rows = share->rows, .table = table};
    CAIRN_GO(done,
             cairn_walk_member(walker, share->tensor, share->member, gather_batch, &g));
done:
    cairn_walker_destroy(share->tensor->env, &walker);
    return status;
}

/// Lay the parts out, from @p block on or only counting.
static int64_t place(const cairn_row_share *share, const cairn_bank *bank, char *block)
{
    cairn_group *group  = &share->local->group[0];
    int64_t      offset = 0;

    group->bytes = 0;
    for (int64_t k = 0; k < group->count; k++)
        cairn_part_place(group->layout, bank[k].nodes, block, &offset, &group->bytes,
                         &share->local->part[k]);
    return offset;
}

/// The member's part whose bank has the partitioned indices of the share's bank @p bank.
static const cairn_part *same_bank(const cairn_row_share *share, int64_t bank)
{
    const cairn_layout *own    = share->local->group[0].layout;
    const cairn_layout *whole  = cairn_row_share_group(share)->layout;
    int64_t             number = 0, stride = 1;

    for (int l = own->partition; l >= 0; l--) {
        const int64_t index = own->level[l].range.lo + bank % own->level[l].size
                              - whole->level[l].range.lo;

        number += stride * index;
        stride *= whole->level[l].size;
        bank /= own->level[l].size;
    }
    return cairn_row_share_part(share, number);
}

/// Next combination of the complete levels in @p mask, the last fastest; false after the
/// last.
static bool next_combination(const cairn_layout *layout, uint32_t mask, int64_t *e)
{
    for (int l = layout->levels - 1; l > layout->partition; l--) {
        if (!(mask >> l & 1)) continue;
        if (e[l]++ < layout->level[l].range.hi) return true;
        e[l] = layout->level[l].range.lo;
    }
    return false;
}

/// Number of a combination among those of @p layout.
static cairn_pos
combination(const cairn_layout *layout, uint32_t mask, const int64_t *e)
{
    cairn_pos p = 0;

    for (int l = layout->partition + 1; l < layout->levels; l++)
        if (mask >> l & 1)
            p = p * layout->level[l].size + (e[l] - layout->level[l].range.lo);
    return p;
}

/// Indices of a determined level that depend on no node are also there where no entry is:
/// the places of empty rows, say.
static void copy_determined(const cairn_part *from, cairn_part *to, int l)
{
    const cairn_layout       *own  = to->layout;
    const cairn_kernel_level *have = &from->view.level[l];
    const cairn_kernel_level *view = &to->view.level[l];
    const uint32_t            by   = own->level[l].determined.by;
    int64_t                   e[CAIRN_MAX_LEVELS];

    if (view->idx_length == 0) return;
    for (int k = 0; k < own->levels; k++)
        e[k] = own->level[k].range.lo;
    cairn_pos at = 0;
    do {
        const int64_t index =
            cairn_load_int(have->idx, combination(from->layout, by, e),
                           have->idx_stride, have->idx_bits, have->idx_signed);

        if (index != have->hole && index >= own->level[l].range.lo
            && index <= own->level[l].range.hi)
            cairn_store_int((void *)view->idx, at, view->idx_stride, view->idx_bits,
                            index);
        at++;
    } while (next_combination(own, by, e));
}

/// A stored zero looks like padding.
static cairn_pos
count_entries(const cairn_layout *layout, const cairn_table *table, const cairn_bank *b)
{
    cairn_pos entries = 0;

    for (cairn_pos k = b->begin; k < b->end; k++)
        entries += !layout->pads || table->value[k] != 0;
    return entries;
}

static void fill(const cairn_row_share *share, const cairn_member_build *m)
{
    for (int64_t k = 0; k < share->local->parts; k++) {
        cairn_part *part = &share->local->part[k];

        cairn_build_fill_stored(m, k, part);
        part->nnz = count_entries(m->layout, &m->table, &m->bank[k]);
        for (int l = m->layout->last + 1; l < m->layout->levels; l++)
            if (m->layout->level[l].determined.on
                && !m->layout->level[l].determined.per_node)
                copy_determined(same_bank(share, k), part, l);
    }
}

/// From the table to arrays.
static cairn_status build(cairn_row_share *share, cairn_member_build *m, int64_t held)
{
    cairn_group *group = &share->local->group[0];

    CAIRN_TRY(cairn_build_count(m));
    share->bytes = place(share, m->bank, NULL);
    CAIRN_TRY(
        cairn_check_memory(m->env, "a share",
                           held + (__int128)share->bytes
                               + (__int128)m->table.n * 8 * (m->table.levels + 1)));
    for (int64_t k = 0; k < group->count; k++)
        CAIRN_TRY(cairn_build_check_widths(m->env, &share->local->part[k].view));
    CAIRN_TRY(cairn_alloc_zero(m->env, share->bytes, 1, &group->block));
    place(share, m->bank, group->block);
    fill(share, m);
    return CAIRN_OK;
}

cairn_status cairn_row_share_walk(cairn_row_share *share, int64_t held)
{
    cairn_env         *env = share->tensor->env;
    cairn_member_build m   = {.env      = env,
                              .encoding = share->local->group[0].layout->encoding,
                              .layout   = share->local->group[0].layout};

    cairn_table_init(env, &m.table);
    cairn_status status = gather(share, held, &m.table);

    if (status == CAIRN_OK) status = build(share, &m, held);
    cairn_table_fini(&m.table);
    cairn_free(env, m.bank);
    return status;
}
