// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// NUMBER: rows by an order, the nodes of groups.

#include "convert/members/assign_members.h"
#include "convert/numbers/compiled_rows.h"
#include "convert/passes.h"
#include "groups/rows.h"

/* ---- rows ---- */

static int64_t bank_of(const cairn_compiled *c, const cairn_row_keys *keys, int64_t row)
{
    const cairn_layout *to   = c->m->layout;
    int64_t             bank = 0;

    for (int l = 0; l <= to->partition; l++) {
        const int64_t *key = keys->key[l];
        const int64_t  e   = key ? key[row] : to->box[c->m->rows.row].lo + row;

        bank = bank * to->level[l].size + (e - to->level[l].range.lo);
    }
    return bank;
}

/// Turns before each bank, and what its rows have.
static void find_banks(cairn_compiled *c, const cairn_row_keys *keys)
{
    const int64_t banks = c->m->layout->banks;

    for (int64_t i = 0; i < c->m->rows.n; i++) {
        const int64_t  b     = bank_of(c, keys, i);
        const uint32_t count = c->rows.first[i + 1] - c->rows.first[i];

        c->rows.bank_first[b + 1]++;
        c->rows.bank_rows[2 * b] += count > 0;
        c->rows.bank_rows[2 * b + 1] += count;
    }
    for (int64_t b = 0; b < banks; b++)
        c->rows.bank_first[b + 1] += c->rows.bank_first[b];
}

static cairn_status order_rows(cairn_compiled *c)
{
    const cairn_layout *to     = c->m->layout;
    const int64_t       low    = to->box[c->m->rows.row].lo;
    cairn_row_keys      keys   = {.keys = 0};
    cairn_status        status = CAIRN_OK;

    for (int l = 0; l < c->rows.levels && status == CAIRN_OK; l++)
        status = cairn_row_keys_add(c->m, to->algebra, &to->level[l].form, low, &keys);
    if (status == CAIRN_OK)
        status = cairn_rows_order(c->m->env, c->m->rows.n, keys.keys, keys.key,
                                  c->rows.order);
    if (status == CAIRN_OK) find_banks(c, &keys);
    cairn_row_keys_fini(c->m->env, &keys);
    return status;
}

static cairn_status number_rows(cairn_compiled *c)
{
    cairn_env *const env   = c->m->env;
    const int64_t    banks = c->m->layout->banks;

    CAIRN_TRY(CAIRN_NEW(env, c->m->rows.n, &c->rows.order));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, banks + 1, &c->rows.bank_first));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 2 * banks, &c->rows.bank_rows));
    return order_rows(c);
}

const cairn_pass_work cairn_number_rows = {.prepare = number_rows};

/* ---- nodes of groups ---- */

/// The nodes of each group from the counts by which entries were assigned to members.
static cairn_status list_known(cairn_compiled *c)
{
    CAIRN_TRY(cairn_lists_create(c, 0));
    c->m->bank[0].end = c->origin.filter.entries;
    return cairn_member_groups_list(c->origin.filter.groups, c->origin.filter.which,
                                    &c->groups);
}

static cairn_status number_lists(cairn_compiled *c)
{
    const int E = c->m->layout->last;

    if (c->choice.known) CAIRN_TRY(list_known(c));
    if (E > 0)
        CAIRN_TRY(
            cairn_line_index_sort(c->m->env, (int)c->ranges.n, false, &c->groups));
    c->m->bank[0].nodes[E] = c->groups.n;
    c->stores.tile         = cairn_tiles_width(c);
    return CAIRN_OK;
}

const cairn_pass_work cairn_number_lists = {.prepare = number_lists,
                                            .write   = cairn_pass_write_last_ptr};
