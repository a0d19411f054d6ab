// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// From entries to e-tuples, and how many nodes each level has in each bank.

#include "convert/build_steps.h"

#include <inttypes.h>
#include <string.h>

static cairn_status no_number(cairn_member_build *m, int l, cairn_pos row)
{
    const cairn_entries *e = &m->entries;

    return cairn_fail(m->env, CAIRN_BAD_QUERY,
                      "query: level %d: the entry at (%" PRId64 ", %" PRId64
                      "%s) has no number",
                      l, e->coord[0][row], e->order > 1 ? e->coord[1][row] : 0,
                      e->order > 2 ? ", ..." : "");
}

static cairn_status out_of_range(cairn_member_build *m, int l, int64_t value)
{
    const cairn_interval range = m->layout->level[l].range;

    return cairn_fail(m->env, CAIRN_BAD_QUERY,
                      "query: level %d: the index %" PRId64
                      " is outside its range %" PRId64 "..%" PRId64,
                      l, value, range.lo, range.hi);
}

/// Indices of all entries at level @p l.
static cairn_status level_indices(cairn_member_build *m, int l)
{
    const cairn_layout *layout = m->layout;
    const cairn_level  *level  = &layout->level[l];
    const int64_t      *number =
        level->indirect ? cairn_query_at_entries(m->set, level->query) : NULL;
    int64_t d[CAIRN_MAX_ORDER], queries[CAIRN_MAX_QUERIES] = {0};

    CAIRN_TRY(CAIRN_NEW(m->env, m->entries.n, &m->e[l]));
    for (cairn_pos row = 0; row < m->entries.n; row++) {
        for (int k = 0; k < layout->order; k++)
            d[k] = m->entries.coord[k][row];
        if (number) {
            if (number[row] == CAIRN_NO_NUMBER) return no_number(m, l, row);
            queries[level->query] = number[row];
        }
        const int64_t e = cairn_form_value(layout->algebra, &level->form, d, queries);

        /* Trimmed indirect levels store no index: any number orders and groups. */
        if ((e < level->range.lo || e > level->range.hi)
            && !(level->indirect && level->trimmed && !level->gaps))
            return out_of_range(m, l, e);
        m->e[l][row] = e;
    }
    return CAIRN_OK;
}

void cairn_node_cursor_step(cairn_node_cursor        *cursor,
                            const cairn_member_build *m,
                            cairn_pos                 row)
{
    const cairn_layout *layout = m->layout;
    int                 f      = 0;

    if (cursor->last_row >= 0)
        while (f <= layout->last && m->e[f][row] == m->e[f][cursor->last_row])
            f++;
    cursor->last_row = row;
    cursor->changed  = f;
    cursor->fresh    = 0;
    for (int l = layout->first; l <= layout->last; l++) {
        const cairn_level *level = &layout->level[l];

        if (f > level->depth) continue;
        cursor->fresh |= 1U << l;
        if (level->gaps) {
            if (f < l) cursor->base[l] = cursor->total[l];
            cursor->node[l]  = cursor->base[l] + (m->e[l][row] - level->range.lo);
            cursor->total[l] = cursor->node[l] + 1;
        } else {
            cursor->node[l] = cursor->total[l]++;
        }
    }
}

/// Number of the bank of an entry: row-major over the partitioned levels.
static int64_t bank_of(const cairn_member_build *m, cairn_pos row)
{
    int64_t bank = 0;

    for (int l = 0; l <= m->layout->partition; l++)
        bank = bank * m->layout->level[l].size
               + (m->e[l][row] - m->layout->level[l].range.lo);
    return bank;
}

static void count_bank(cairn_member_build *m, cairn_bank *bank)
{
    cairn_node_cursor cursor;

    cairn_node_cursor_init(&cursor);
    for (cairn_pos k = bank->begin; k < bank->end; k++)
        cairn_node_cursor_step(&cursor, m, m->order[k]);
    memcpy(bank->nodes, cursor.total, sizeof bank->nodes);
}

/// Entries are sorted by all levels, so a bank's stand together.
static void find_banks(cairn_member_build *m)
{
    cairn_pos k = 0;

    for (int64_t b = 0; b < m->layout->banks; b++) {
        m->bank[b].begin = k;
        while (k < m->entries.n
               && (m->layout->partition < 0 || bank_of(m, m->order[k]) == b))
            k++;
        m->bank[b].end = k;
        count_bank(m, &m->bank[b]);
    }
}

cairn_status cairn_build_count(cairn_member_build *m)
{
    const int64_t *keys[CAIRN_MAX_LEVELS];
    const __int128 list =
        (__int128)m->layout->banks * (int64_t)(sizeof(cairn_part) + sizeof(cairn_bank));

    CAIRN_TRY(cairn_check_memory(m->env, "the list of banks", list));
    for (int l = 0; l < m->layout->levels; l++) {
        CAIRN_TRY(level_indices(m, l));
        keys[l] = m->e[l];
    }
    CAIRN_TRY(CAIRN_NEW(m->env, m->entries.n, &m->order));
    CAIRN_TRY(
        cairn_sort_order(m->env, m->entries.n, m->layout->levels, keys, m->order));
    CAIRN_TRY(CAIRN_NEW(m->env, m->layout->banks, &m->bank));
    find_banks(m);
    return CAIRN_OK;
}
