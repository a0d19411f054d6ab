// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The method of rows that can be read in any order, and whose numbers give the first levels
/// of the target: the rows are put in order, not the entries. Then nodes are counted and
/// appended, bank by bank; or those of rows are, and the entries are moved row by row.

#include "convert/compiled_moves.h"
#include "convert/compiled_rank.h"
#include "convert/compiled_rows.h"
#include "convert/compiled_starts.h"
#include "query/rows.h"

/* ---- what fits ---- */

static bool is_the_row(const cairn_form *form, int row)
{
    return cairn_form_atom(form) == row;
}

/// Find the levels of the target, from the first on, that the row and its numbers give,
/// and the first that tells rows apart: together with those above it.
static cairn_status find_levels(cairn_compiled *c)
{
    c->row_levels = cairn_moves_levels(c, c->m->rows.row);
    return cairn_convert_told_by(c->m->env, c->m->layout, c->m->rows.row, &c->told);
}

/// Do the counts of rows say where their entries lie?
static bool counts_all(const cairn_compiled *c)
{
    const uint32_t *count = cairn_compiled_counts(c);
    int64_t         n     = 0;

    /* They will be counted for that; or nothing is counted yet. */
    if (!c->m->rows.on || !c->m->rows.table) return true;
    for (int64_t i = 0; i < c->m->rows.n; i++)
        n += count[i];
    return n == c->facts.entries && n <= UINT32_MAX && !c->origin.filter.member
           && cairn_rank_is_count(&c->m->encoding->query[c->m->rows.count]);
}

/// Is the outermost loop over a part one over rows? @p listed: over their entries.
static bool part_has_rows(const cairn_compiled *c, bool *listed)
{
    const cairn_group  *group  = &c->origin.from->group[c->origin.member];
    const cairn_layout *layout = group->layout;
    const cairn_part   *part   = &c->origin.from->part[group->first];

    if (group->count != 1 || layout->partition >= 0 || layout->levels == 0
        || !is_the_row(&layout->level[0].form, c->m->rows.row))
        return false;
    *listed = layout->level[0].trimmed;
    return !*listed
           || (layout->level[0].top && !layout->pads
               && part->view.level[0].nodes == c->facts.entries);
}

static bool has_rows(const cairn_compiled *c, bool *listed)
{
    *listed = true;
    if (!c->origin.from) return c->m->rows.row == 0;
    return part_has_rows(c, listed);
}

bool cairn_rows_are_read(const cairn_compiled *c, bool *listed)
{
    return c->facts.trusted && has_rows(c, listed);
}

/// Do nodes need no counting? They are the entries, or the rows that have any.
static bool is_counted(const cairn_compiled *c)
{
    const cairn_layout *to = c->m->layout;

    for (int l = to->first; l <= to->last; l++) {
        const int depth = to->level[l].depth;

        if (to->level[l].gaps
            || (depth < c->facts.order.distinct
                && (depth < c->told || depth >= c->row_levels)))
            return false;
    }
    return counts_all(c);
}

/// Entries are nodes of one level, whose ptr says which row they are of; those of levels
/// above are rows, and known.
static bool is_moved(const cairn_compiled *c)
{
    const cairn_layout *to = c->m->layout;

    for (int l = to->first + 1; l <= to->last; l++)
        if (to->level[l].has_ptr && to->level[l - 1].depth >= c->facts.order.distinct)
            return false;
    return to->first <= to->last && is_counted(c)
           && cairn_moves_fit(c, c->m->rows.row, c->row_levels);
}

static cairn_status applies(cairn_compiled *c, bool *fits)
{
    const cairn_layout *from =
        c->origin.from ? c->origin.from->group[c->origin.member].layout : NULL;
    const cairn_layout *to = c->m->layout;
    int                 sorted;
    bool                listed;

    if (!c->m->rows.on) c->m->rows.row = cairn_starts_row(&c->origin);
    *fits = false;
    if (!c->facts.trusted || c->m->rows.row < 0) return CAIRN_OK;
    CAIRN_TRY(find_levels(c));
    if (c->row_levels <= to->partition || c->told >= c->row_levels) return CAIRN_OK;
    if (!is_moved(c)
        && (!c->m->rows.on || !has_rows(c, &listed) || (listed && !counts_all(c))))
        return CAIRN_OK;
    CAIRN_TRY(cairn_convert_sorted_within(c->m->env, from, to, c->m->rows.row,
                                          c->row_levels, &sorted));
    *fits = sorted > to->last;
    return CAIRN_OK;
}

static cairn_status passes(const cairn_compiled *c, cairn_pass_writer *w)
{
    const bool moved = is_moved(c);

    CAIRN_TRY(cairn_passes_count(w, is_counted(c) ? CAIRN_UNIT_RUN : CAIRN_UNIT_ENTRY));
    CAIRN_TRY(cairn_passes_number(w, CAIRN_UNIT_RUN, CAIRN_NUMBER_PLACE, 0));
    CAIRN_TRY(cairn_passes_offsets(w));
    return cairn_passes_move(w, moved ? CAIRN_PASS_MOVE : CAIRN_PASS_APPEND,
                             CAIRN_UNIT_RUN, CAIRN_STORES_DIRECT);
}

/* ---- the order ---- */

/// Nodes of rows, then entries whole row by whole row.
static cairn_status load_moves(cairn_compiled *c)
{
    const int                row  = c->m->rows.row;
    cairn_convert_spec       fill = cairn_moves_spec(c, CAIRN_CONVERT_FILL, row);
    const cairn_convert_spec move = cairn_moves_spec(c, CAIRN_CONVERT_MOVE, row);

    fill.ordered = true;
    CAIRN_TRY(cairn_compiled_load(c, &fill, &c->fill));
    return cairn_compiled_load(c, &move, &c->move);
}

static cairn_status load(cairn_compiled *c)
{
    cairn_convert_spec count = cairn_compiled_spec(c, CAIRN_CONVERT_COUNT);
    cairn_convert_spec fill  = cairn_compiled_spec(c, CAIRN_CONVERT_FILL);

    if (is_moved(c)) return load_moves(c);
    count.ordered = fill.ordered = true;
    if (!is_counted(c)) CAIRN_TRY(cairn_compiled_load(c, &count, &c->count));
    return cairn_compiled_load(c, &fill, &c->fill);
}

/// Entries of a row.
static uint32_t count_of(const cairn_compiled *c, int64_t row)
{
    return cairn_compiled_counts(c)[row];
}

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
        const int64_t b = bank_of(c, keys, i);

        c->bank_first[b + 1]++;
        c->bank_rows[2 * b] += count_of(c, i) > 0;
        c->bank_rows[2 * b + 1] += count_of(c, i);
    }
    for (int64_t b = 0; b < banks; b++)
        c->bank_first[b + 1] += c->bank_first[b];
}

static cairn_status order_rows(cairn_compiled *c)
{
    const cairn_layout *to     = c->m->layout;
    const int64_t       low    = to->box[c->m->rows.row].lo;
    cairn_row_keys      keys   = {.keys = 0};
    cairn_status        status = CAIRN_OK;

    for (int l = 0; l < c->row_levels && status == CAIRN_OK; l++)
        status = cairn_row_keys_add(c->m, to->algebra, &to->level[l].form, low, &keys);
    if (status == CAIRN_OK)
        status =
            cairn_rows_order(c->m->env, c->m->rows.n, keys.keys, keys.key, c->order);
    if (status == CAIRN_OK) find_banks(c, &keys);
    cairn_row_keys_fini(c->m->env, &keys);
    return status;
}

/// Of rows that no query counted.
static cairn_status count_rows(cairn_compiled *c)
{
    const cairn_interval box = c->origin.box[c->m->rows.row];

    if (c->m->rows.on || c->m->rows.table) return CAIRN_OK;
    c->m->rows.n = box.hi - box.lo + 1;
    CAIRN_TRY(CAIRN_NEW(c->m->env, c->m->rows.n, &c->m->rows.table));
    return cairn_starts_count(c->m->env, &c->origin, c->m->rows.row,
                              c->build->loader->threads, c->m->rows.table);
}

cairn_status cairn_rows_begin(cairn_compiled *c)
{
    uint32_t before = 0;

    CAIRN_TRY(CAIRN_NEW(c->m->env, c->m->rows.n + 1, &c->row_first));
    for (int64_t i = 0; i < c->m->rows.n; i++) {
        c->row_first[i] = before;
        before += count_of(c, i);
    }
    c->row_first[c->m->rows.n] = before;
    return CAIRN_OK;
}

/* ---- banks ---- */

/// Run a phase over the rows of a bank.
static cairn_status run_bank(const cairn_compiled *c,
                             const cairn_phase    *phase,
                             int64_t               bank,
                             cairn_kernel_part    *to,
                             cairn_convert_args   *args)
{
    const cairn_local *from = c->origin.from;
    int64_t            outer[CAIRN_MAX_LEVELS];

    cairn_origin_args(&c->origin, 0, outer, args);
    args->order = c->order;
    args->first = c->row_first;
    args->begin = c->bank_first[bank];
    args->end   = c->bank_first[bank + 1];
    /* Complete levels may have very many indices above one that has none. */
    if (c->facts.entries == 0) args->end = args->begin;
    return cairn_phase_run(
        c->m->env, phase,
        from ? &from->part[from->group[c->origin.member].first].view : NULL, to, args);
}

static cairn_status count_nodes(cairn_compiled *c, int64_t b)
{
    cairn_bank        *bank                       = &c->m->bank[b];
    int64_t            facts[CAIRN_CONVERT_FACTS] = {0};
    cairn_convert_args args = {.facts = facts, .nodes = bank->nodes};

    CAIRN_TRY(run_bank(c, &c->count, b, &c->empty.view, &args));
    bank->end = bank->begin + facts[0];
    return CAIRN_OK;
}

/// The same without a look at the entries.
static void add_nodes(cairn_compiled *c, int64_t b)
{
    const cairn_layout *to   = c->m->layout;
    cairn_bank         *bank = &c->m->bank[b];

    bank->end = bank->begin + c->bank_rows[2 * b + 1];
    for (int l = to->first; l <= to->last; l++)
        bank->nodes[l] =
            c->bank_rows[2 * b + (to->level[l].depth >= c->facts.order.distinct)];
}

static cairn_status count(cairn_compiled *c)
{
    cairn_env *const env   = c->m->env;
    const int64_t    banks = c->m->layout->banks;
    cairn_pos        total = 0;

    CAIRN_TRY(count_rows(c));
    CAIRN_TRY(CAIRN_NEW(env, c->m->rows.n, &c->order));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, banks + 1, &c->bank_first));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 2 * banks, &c->bank_rows));
    CAIRN_TRY(order_rows(c));
    CAIRN_TRY(cairn_rows_begin(c));
    CAIRN_TRY(c->move.loader ? cairn_moves_divide(c, c->m->rows.n)
                             : cairn_compiled_divide(c, false, 1));
    if (c->move.loader) CAIRN_TRY(CAIRN_NEW(env, c->m->rows.n, &c->place));
    const bool counted = is_counted(c);

    for (int64_t b = 0; b < banks; b++) {
        c->m->bank[b].begin = total;
        if (counted)
            add_nodes(c, b);
        else
            CAIRN_TRY(count_nodes(c, b));
        total = c->m->bank[b].end;
    }
    return CAIRN_OK;
}

static cairn_status
fill(const cairn_compiled *c, int64_t bank, cairn_convert_args *args, cairn_part *part)
{
    args->place = c->place;
    CAIRN_TRY(run_bank(c, &c->fill, bank, &part->view, args));
    part->nnz = args->facts[0];
    /* Rows are moved in their own order, to all banks. */
    if (c->move.loader && bank == c->m->layout->banks - 1)
        return cairn_moves_run(c, false);
    return CAIRN_OK;
}

const cairn_method cairn_method_rows = {
    .name    = "rows",
    .needs   = "rows must lie together in the source, and give the first levels",
    .applies = applies,
    .passes  = passes,
    .load    = load,
    .count   = count,
    .fill    = fill,
};
