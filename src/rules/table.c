// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The table of stored entries, and the rules executed on it.

#include "rules/table.h"

#include "tensor/walk.h"

#include <string.h>

void cairn_table_init(cairn_env *env, cairn_table *table)
{
    *table = (cairn_table){.env = env};
}

void cairn_table_fini(cairn_table *table)
{
    if (table->levels == 0 && !table->value) return; /* as it was begun */
    for (int l = 0; l < table->levels; l++)
        cairn_free(table->env, table->own[l]);
    cairn_free(table->env, table->own_value);
    cairn_table_init(table->env, table);
}

void cairn_table_from_entries(const cairn_entries *entries, cairn_table *table)
{
    table->n      = entries->n;
    table->levels = entries->order;
    table->value  = entries->value;
    for (int k = 0; k < entries->order; k++)
        table->column[k] = entries->coord[k];
}

void cairn_table_take(cairn_table *table, cairn_entries *entries)
{
    cairn_table_from_entries(entries, table);
    for (int k = 0; k < entries->order; k++)
        table->own[k] = entries->coord[k];
    table->own_value = entries->value;
    cairn_entries_init(entries, entries->order);
}

void cairn_table_lend(cairn_table *table, cairn_table *keeper)
{
    *keeper = *table;
    memset(table->own, 0, sizeof table->own);
    table->own_value = NULL;
}

cairn_entries cairn_table_entries(const cairn_table *table)
{
    cairn_entries entries = {.order    = table->levels,
                             .n        = table->n,
                             .capacity = table->n,
                             .value    = (double *)table->value};

    for (int l = 0; l < table->levels; l++)
        entries.coord[l] = (cairn_coord *)table->column[l];
    return entries;
}

/// Own columns of @p n rows, uninitialised, in an empty table.
static cairn_status make_columns(cairn_table *table, int levels, cairn_pos n)
{
    table->levels = levels;
    for (int l = 0; l < levels; l++) {
        CAIRN_TRY(CAIRN_NEW(table->env, n, &table->own[l]));
        table->column[l] = table->own[l];
    }
    CAIRN_TRY(CAIRN_NEW(table->env, n, &table->own_value));
    table->value = table->own_value;
    return CAIRN_OK;
}

cairn_status cairn_table_join(cairn_table *table, cairn_table *other)
{
    const cairn_pos n = table->n, more = other->n;
    cairn_table     joined;

    if (table->levels == 0) {
        *table = *other;
        cairn_table_init(other->env, other);
        return CAIRN_OK;
    }

    cairn_table_init(table->env, &joined);
    const cairn_status status = make_columns(&joined, other->levels, n + more);

    cairn_visit(table->env, n + more);

    if (status == CAIRN_OK) {
        for (int l = 0; l < other->levels; l++) {
            memcpy(joined.own[l], table->column[l], sizeof(int64_t) * (size_t)n);
            memcpy(joined.own[l] + n, other->column[l], sizeof(int64_t) * (size_t)more);
        }
        memcpy(joined.own_value, table->value, sizeof(double) * (size_t)n);
        memcpy(joined.own_value + n, other->value, sizeof(double) * (size_t)more);
        joined.n = n + more;
        cairn_table_fini(table);
        *table = joined;
        return CAIRN_OK;
    }
    cairn_table_fini(&joined);
    return status;
}

cairn_status cairn_table_select(const cairn_table *table,
                                const uint8_t     *member,
                                int                which,
                                cairn_table       *selected)
{
    cairn_pos n = 0;

    for (cairn_pos k = 0; k < table->n; k++)
        n += member[k] == which;
    cairn_visit(table->env, 2 * table->n);
    CAIRN_TRY(make_columns(selected, table->levels, n));
    for (cairn_pos k = 0; k < table->n; k++) {
        if (member[k] != which) continue;
        for (int l = 0; l < table->levels; l++)
            selected->own[l][selected->n] = table->column[l][k];
        selected->own_value[selected->n++] = table->value[k];
    }
    return CAIRN_OK;
}

/* ---- order ---- */

static bool is_sorted(const cairn_table *table)
{
    cairn_visit(table->env, table->n);
    for (cairn_pos k = 1; k < table->n; k++) {
        int l = 0;

        while (l < table->levels && table->column[l][k - 1] == table->column[l][k])
            l++;
        if (l < table->levels && table->column[l][k - 1] > table->column[l][k])
            return false;
    }
    return true;
}

static cairn_status permute_values(cairn_table *table, const cairn_pos *order)
{
    double *to;

    CAIRN_TRY(CAIRN_NEW(table->env, table->n, &to));
    cairn_visit(table->env, table->n);
    for (cairn_pos k = 0; k < table->n; k++)
        to[k] = table->value[order[k]];
    cairn_free(table->env, table->own_value);
    table->value = table->own_value = to;
    return CAIRN_OK;
}

static cairn_status permute(cairn_table *table, const cairn_pos *order)
{
    for (int l = 0; l < table->levels; l++) {
        int64_t *to;

        CAIRN_TRY(CAIRN_NEW(table->env, table->n, &to));
        cairn_visit(table->env, table->n);
        for (cairn_pos k = 0; k < table->n; k++)
            to[k] = table->column[l][order[k]];
        cairn_free(table->env, table->own[l]);
        table->column[l] = table->own[l] = to;
    }
    return permute_values(table, order);
}

static cairn_status sort(cairn_table *table)
{
    cairn_pos *order;

    if (is_sorted(table)) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(table->env, table->n, &order));
    cairn_status status =
        cairn_sort_order(table->env, table->n, table->levels, table->column, order);

    if (status == CAIRN_OK) status = permute(table, order);
    cairn_free(table->env, order);
    return status;
}

/* ---- reading a tensor ---- */

typedef struct {
    cairn_table *table;
    cairn_pos    capacity;
} reader;

static cairn_status
read_batch(void *user, const cairn_part *part, const cairn_batch *batch)
{
    const reader *r     = user;
    cairn_table  *table = r->table;

    cairn_visit(table->env, batch->n);
    for (int k = 0; k < batch->n; k++) {
        const double value = cairn_value_get(&part->view, batch->value[k]);

        if (value == 0 && part->layout->pads) continue;
        CAIRN_CHECK(table->n < r->capacity, table->env, CAIRN_BAD_ARGUMENT,
                    "convert: a part holds more entries than it was built with");
        for (int l = 0; l < table->levels; l++)
            table->own[l][table->n] = batch->level[(size_t)l * CAIRN_BATCH + k];
        table->own_value[table->n++] = value;
    }
    return CAIRN_OK;
}

/// The row's indices are those of the row before.
static bool repeats(const cairn_table *table, cairn_pos row)
{
    for (int l = 0; l < table->levels; l++)
        if (table->column[l][row] != table->column[l][row - 1]) return false;
    return true;
}

/// Add up entries that stand twice, in the order in which they stand.
static void add_repeated(cairn_table *table)
{
    cairn_pos n = 0;

    cairn_visit(table->env, table->n);
    for (cairn_pos row = 0; row < table->n; row++) {
        if (row > 0 && repeats(table, row)) {
            table->own_value[n - 1] += table->own_value[row];
            continue;
        }
        for (int l = 0; l < table->levels && n < row; l++)
            table->own[l][n] = table->own[l][row];
        table->own_value[n++] = table->own_value[row];
    }
    table->n = n;
}

static bool has_indirect(const cairn_layout *layout)
{
    for (int l = 0; l < layout->levels; l++)
        if (layout->level[l].indirect) return true;
    return false;
}

cairn_status
cairn_table_from_tensor(const cairn_local *tensor, int member, cairn_table *table)
{
    const cairn_group  *group  = &tensor->group[member];
    const cairn_layout *layout = group->layout;
    reader              r      = {.table = table};
    cairn_walker       *walker;

    for (int64_t k = 0; k < group->count; k++)
        r.capacity += tensor->part[group->first + k].nnz;
    CAIRN_TRY(make_columns(table, layout->levels, r.capacity));
    CAIRN_TRY(cairn_walker_create(table->env, layout, &walker));
    cairn_status status = cairn_walker_show_levels(table->env, walker);

    if (status == CAIRN_OK)
        status = cairn_walk_member(walker, tensor, member, read_batch, &r);
    cairn_walker_destroy(table->env, &walker);
    if (status != CAIRN_OK || has_indirect(layout)) return status;
    CAIRN_TRY(sort(table));
    add_repeated(table);
    return CAIRN_OK;
}

/* ---- rules ---- */

/// A column that may be written: its own, or a new one that replaces what is borrowed.
static cairn_status own_column(cairn_table *table, int l)
{
    if (table->own[l]) return CAIRN_OK;
    return CAIRN_NEW(table->env, table->n, &table->own[l]);
}

/// Arithmetic wraps where a factor is absurd: then the layout's ranges refuse the index.
static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t multiply(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static cairn_status scale(cairn_table *table, const cairn_rule *rule)
{
    CAIRN_TRY(own_column(table, rule->a));
    const int64_t *from = table->column[rule->a];
    int64_t       *to   = table->own[rule->a];

    for (cairn_pos k = 0; k < table->n; k++)
        to[k] = multiply(from[k], rule->c);
    table->column[rule->a] = to;
    return CAIRN_OK;
}

static cairn_status unscale(cairn_table *table, const cairn_rule *rule)
{
    CAIRN_TRY(own_column(table, rule->a));
    const int64_t *from = table->column[rule->a];
    int64_t       *to   = table->own[rule->a];

    for (cairn_pos k = 0; k < table->n; k++)
        to[k] = from[k] / rule->c;
    table->column[rule->a] = to;
    return CAIRN_OK;
}

static cairn_status shift(cairn_table *table, const cairn_rule *rule)
{
    CAIRN_TRY(own_column(table, rule->a));
    const int64_t *from = table->column[rule->a];
    int64_t       *to   = table->own[rule->a];

    for (cairn_pos k = 0; k < table->n; k++)
        to[k] = add(from[k], rule->c);
    table->column[rule->a] = to;
    return CAIRN_OK;
}

static cairn_status skew(cairn_table *table, const cairn_rule *rule)
{
    CAIRN_TRY(own_column(table, rule->b));
    const int64_t *by = table->column[rule->a], *from = table->column[rule->b];
    int64_t       *to = table->own[rule->b];

    for (cairn_pos k = 0; k < table->n; k++)
        to[k] = add(from[k], multiply(rule->c, by[k]));
    table->column[rule->b] = to;
    return CAIRN_OK;
}

static cairn_status tile_split(cairn_table *table, const cairn_rule *rule)
{
    const int new = table->levels;

    CAIRN_TRY(own_column(table, rule->a));
    CAIRN_TRY(CAIRN_NEW(table->env, table->n, &table->own[new]));
    const int64_t *from     = table->column[rule->a];
    int64_t       *quotient = table->own[rule->a], *rest = table->own[new];

    for (cairn_pos k = 0; k < table->n; k++) {
        const int64_t e = from[k], q = cairn_floor_div(e, rule->c);

        quotient[k] = q;
        rest[k]     = e - q * rule->c;
    }
    table->column[rule->a] = quotient;
    table->column[new]     = rest;
    table->levels++;
    return CAIRN_OK;
}

static void drop(cairn_table *table, int l)
{
    cairn_free(table->env, table->own[l]);
    table->levels--;
    for (int k = l; k < table->levels; k++) {
        table->own[k]    = table->own[k + 1];
        table->column[k] = table->column[k + 1];
    }
    table->own[table->levels] = NULL;
}

static cairn_status tile_union(cairn_table *table, const cairn_rule *rule)
{
    CAIRN_TRY(own_column(table, rule->a));
    const int64_t *high = table->column[rule->a], *low = table->column[rule->b];
    int64_t       *to = table->own[rule->a];

    for (cairn_pos k = 0; k < table->n; k++)
        to[k] = add(multiply(high[k], rule->c), low[k]);
    table->column[rule->a] = to;
    drop(table, rule->b);
    return CAIRN_OK;
}

static void swap(cairn_table *table, int a, int b)
{
    int64_t *const       own    = table->own[a];
    const int64_t *const column = table->column[a];

    table->own[a]    = table->own[b];
    table->column[a] = table->column[b];
    table->own[b]    = own;
    table->column[b] = column;
}

cairn_status cairn_table_append(cairn_table *table, const int64_t *column)
{
    const int l = table->levels;

    CAIRN_TRY(CAIRN_NEW(table->env, table->n, &table->own[l]));
    cairn_visit(table->env, table->n);
    memcpy(table->own[l], column, sizeof *column * (size_t)table->n);
    table->column[l] = table->own[l];
    table->levels++;
    return CAIRN_OK;
}

cairn_status cairn_table_run(cairn_table *table, const cairn_rule *rule)
{
    cairn_visit(table->env, table->n);
    switch (rule->kind) {
    case CAIRN_RULE_SWAP: swap(table, rule->a, rule->b); break;
    case CAIRN_RULE_SCALE: return scale(table, rule);
    case CAIRN_RULE_UNSCALE: return unscale(table, rule);
    case CAIRN_RULE_SHIFT: return shift(table, rule);
    case CAIRN_RULE_SKEW: return skew(table, rule);
    case CAIRN_RULE_TILE_SPLIT: return tile_split(table, rule);
    case CAIRN_RULE_TILE_UNION: return tile_union(table, rule);
    case CAIRN_RULE_DROP: drop(table, rule->a); break;
    case CAIRN_RULE_SORT: return sort(table);
    default: break;
    }
    return CAIRN_OK;
}
