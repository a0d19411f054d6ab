// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The way of rows that can be read in any order, and whose numbers give the first levels
/// of the target: the rows are put in order, not the entries. Then nodes are counted and
/// appended, bank by bank.

#include "convert/compiled_rank.h"
#include "convert/compiled_rows.h"
#include "query/rows.h"

/* ---- what fits ---- */

static bool is_the_row(const cairn_form *form, int row)
{
    return form->terms == 1 && form->constant == 0 && form->term[0].factor == 1
           && form->term[0].atom == row;
}

/// Levels of the target, from the first on, that the row and its numbers give; 0 if they
/// do not tell rows apart. @p told: the first that does.
static int levels_by_row(const cairn_compiled *c, int *told)
{
    const cairn_layout *to = c->m->layout;
    int                 l;

    *told = -1;
    for (l = 0; l < to->levels; l++) {
        const cairn_form *form = &to->level[l].form;

        if ((cairn_form_dims(to->algebra, form) & ~(1U << c->m->rows.row))
            || (cairn_form_queries(to->algebra, form) & ~c->m->rows.tables))
            break;
        if (*told < 0 && is_the_row(form, c->m->rows.row)) *told = l;
    }
    return *told >= 0 ? l : 0;
}

static bool counts_all(const cairn_compiled *c)
{
    const uint32_t *count = c->m->rows.table + c->m->rows.count * c->m->rows.n;
    int64_t         n     = 0;

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

cairn_status cairn_way_rows_fits(const cairn_compiled *c, bool *fits)
{
    const cairn_layout *from =
        c->origin.from ? c->origin.from->group[c->origin.member].layout : NULL;
    int       told, sorted = 0;
    const int levels = levels_by_row(c, &told);
    bool      listed;

    *fits = c->facts.trusted && levels > c->m->layout->partition && levels > 0
            && has_rows(c, &listed) && (!listed || counts_all(c));
    if (!*fits) return CAIRN_OK;
    CAIRN_TRY(cairn_convert_sorted_within(c->m->env, from, c->m->layout, c->m->rows.row,
                                          levels, &sorted));
    *fits = sorted > c->m->layout->last;
    return CAIRN_OK;
}

/* ---- the order ---- */

/// Do nodes need no counting? They are the entries, or the rows that have any.
static bool is_counted(const cairn_compiled *c)
{
    const cairn_layout *to = c->m->layout;
    int                 told;
    const int           levels = levels_by_row(c, &told);

    for (int l = to->first; l <= to->last; l++) {
        const int depth = to->level[l].depth;

        if (to->level[l].gaps
            || (depth < c->facts.order.distinct && (depth < told || depth >= levels)))
            return false;
    }
    return counts_all(c);
}

static cairn_status load(cairn_compiled *c)
{
    cairn_convert_spec count = cairn_compiled_spec(c, CAIRN_CONVERT_COUNT);
    cairn_convert_spec fill  = cairn_compiled_spec(c, CAIRN_CONVERT_FILL);

    count.ordered = fill.ordered = true;
    if (!is_counted(c)) CAIRN_TRY(cairn_compiled_load(c, &count, &c->count));
    return cairn_compiled_load(c, &fill, &c->fill);
}

/// Turns before each bank.
static void find_banks(cairn_compiled *c, const cairn_row_keys *keys)
{
    const cairn_layout *to   = c->m->layout;
    int64_t             next = 0;

    for (int64_t k = 0; k < c->m->rows.n; k++) {
        int64_t bank = 0;

        for (int l = 0; l <= to->partition; l++) {
            const int64_t *key = keys->key[l];
            const int64_t  e =
                key ? key[c->order[k]] : to->box[c->m->rows.row].lo + c->order[k];

            bank = bank * to->level[l].size + (e - to->level[l].range.lo);
        }
        while (next <= bank)
            c->bank_first[next++] = k;
    }
    while (next <= to->banks)
        c->bank_first[next++] = c->m->rows.n;
}

static cairn_status order_rows(cairn_compiled *c)
{
    const cairn_layout *to = c->m->layout;
    int                 told;
    const int           levels = levels_by_row(c, &told);
    const int64_t       low    = to->box[c->m->rows.row].lo;
    cairn_row_keys      keys   = {.keys = 0};
    cairn_status        status = CAIRN_OK;

    for (int l = 0; l < levels && status == CAIRN_OK; l++)
        status = cairn_row_keys_add(c->m, to->algebra, &to->level[l].form, low, &keys);
    if (status == CAIRN_OK)
        status =
            cairn_rows_order(c->m->env, c->m->rows.n, keys.keys, keys.key, c->order);
    if (status == CAIRN_OK) find_banks(c, &keys);
    cairn_row_keys_fini(c->m->env, &keys);
    return status;
}

/// Entries before each row.
static void find_rows(cairn_compiled *c)
{
    const uint32_t *count  = c->m->rows.table + c->m->rows.count * c->m->rows.n;
    uint32_t        before = 0;

    for (int64_t i = 0; i < c->m->rows.n; i++) {
        c->row_first[i] = before;
        before += count[i];
    }
    c->row_first[c->m->rows.n] = before;
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
    const cairn_layout *to    = c->m->layout;
    cairn_bank         *bank  = &c->m->bank[b];
    const uint32_t     *count = c->m->rows.table + c->m->rows.count * c->m->rows.n;
    cairn_pos           rows  = 0;

    bank->end = bank->begin;
    for (int64_t k = c->bank_first[b]; k < c->bank_first[b + 1]; k++) {
        rows += count[c->order[k]] > 0;
        bank->end += count[c->order[k]];
    }
    for (int l = to->first; l <= to->last; l++)
        bank->nodes[l] = to->level[l].depth >= c->facts.order.distinct
                             ? bank->end - bank->begin
                             : rows;
}

static cairn_status count(cairn_compiled *c)
{
    cairn_env *const env   = c->m->env;
    const int64_t    banks = c->m->layout->banks;
    cairn_pos        total = 0;

    CAIRN_TRY(cairn_compiled_divide(c, false, 1));
    CAIRN_TRY(CAIRN_NEW(env, c->m->rows.n, &c->order));
    CAIRN_TRY(CAIRN_NEW(env, c->m->rows.n + 1, &c->row_first));
    CAIRN_TRY(CAIRN_NEW(env, banks + 1, &c->bank_first));
    CAIRN_TRY(order_rows(c));
    find_rows(c);
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
    CAIRN_TRY(run_bank(c, &c->fill, bank, &part->view, args));
    part->nnz = args->facts[0];
    return CAIRN_OK;
}

const cairn_way cairn_way_rows = {load, count, fill};
