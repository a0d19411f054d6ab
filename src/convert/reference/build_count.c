// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// From entries to e-tuples, and how many nodes each level has in each bank.

#include "convert/build_steps.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

cairn_status cairn_build_out_of_range(cairn_member_build *m, int l, int64_t value)
{
    const cairn_interval range = m->layout->level[l].range;

    return cairn_fail(m->env, CAIRN_BAD_QUERY,
                      "query: level %d: the index %" PRId64
                      " is outside its range %" PRId64 "..%" PRId64,
                      l, value, range.lo, range.hi);
}

/// Hold the indices of level @p l against its range. Trimmed indirect levels store no
/// index: there any number orders and groups.
static cairn_status check_indices(cairn_member_build *m, int l)
{
    const cairn_level *level = &m->layout->level[l];
    const int64_t     *e     = m->table.column[l];

    if (level->indirect && level->trimmed && !level->gaps) return CAIRN_OK;
    cairn_visit(m->env, m->table.n);
    for (cairn_pos row = 0; row < m->table.n; row++)
        if (e[row] < level->range.lo || e[row] > level->range.hi)
            return cairn_build_out_of_range(m, l, e[row]);
    return CAIRN_OK;
}

/// Values of 32 bits must not become infinite.
static cairn_status check_values(cairn_member_build *m)
{
    if (m->layout->values.bits != 32) return CAIRN_OK;
    cairn_visit(m->env, m->table.n);
    for (cairn_pos row = 0; row < m->table.n; row++)
        CAIRN_CHECK(isinf(m->table.value[row]) || !isinf((float)m->table.value[row]),
                    m->env, CAIRN_OVERFLOW, CAIRN_BUILD_BEYOND_F32, m->table.value[row],
                    (double)FLT_MAX);
    return CAIRN_OK;
}

void cairn_node_cursor_step(cairn_node_cursor        *cursor,
                            const cairn_member_build *m,
                            cairn_pos                 row)
{
    const cairn_layout *layout = m->layout;
    int                 f      = 0;

    if (cursor->last_row >= 0)
        while (f <= layout->last
               && m->table.column[f][row] == m->table.column[f][cursor->last_row])
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
            cursor->node[l] =
                cursor->base[l] + (m->table.column[l][row] - level->range.lo);
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
               + (m->table.column[l][row] - m->layout->level[l].range.lo);
    return bank;
}

static void count_bank(cairn_member_build *m, cairn_bank *bank)
{
    cairn_node_cursor cursor;

    cairn_node_cursor_init(&cursor);
    for (cairn_pos k = bank->begin; k < bank->end; k++)
        cairn_node_cursor_step(&cursor, m, k);
    memcpy(bank->nodes, cursor.total, sizeof bank->nodes);
}

/// Entries are sorted by all levels, so a bank's stand together.
static void find_banks(cairn_member_build *m)
{
    cairn_pos k = 0;

    cairn_visit(m->env, m->layout->banks + 2 * m->table.n);
    for (int64_t b = 0; b < m->layout->banks; b++) {
        m->bank[b].begin = k;
        while (k < m->table.n && (m->layout->partition < 0 || bank_of(m, k) == b))
            k++;
        m->bank[b].end = k;
        count_bank(m, &m->bank[b]);
    }
}

cairn_status cairn_build_count(cairn_member_build *m)
{
    const __int128 list =
        (__int128)m->layout->banks * (int64_t)(sizeof(cairn_part) + sizeof(cairn_bank));

    CAIRN_TRY(cairn_check_memory(m->env, "the list of banks", list));
    for (int l = 0; l < m->layout->levels; l++)
        CAIRN_TRY(check_indices(m, l));
    CAIRN_TRY(check_values(m));
    assert(!m->bank);
    CAIRN_TRY(CAIRN_NEW(m->env, m->layout->banks, &m->bank));
    find_banks(m);
    assert(cairn_banks_follow(m));
    assert(m->layout->banks == 0 || m->bank[m->layout->banks - 1].end == m->table.n);
    return CAIRN_OK;
}
