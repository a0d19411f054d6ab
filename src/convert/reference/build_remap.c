// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// From coordinates to e-tuples without rules: every level by its form.

#include "convert/build_steps.h"
#include "format/columns.h"
#include "rules/path.h"
#include "tensor/walk.h"

#include <string.h>

static cairn_status
fill_columns(cairn_member_build *m, const cairn_entries *entries, cairn_table *table)
{
    const cairn_layout   *layout = m->layout;
    const int64_t *const *dims   = (const int64_t *const *)entries->coord;
    const int64_t        *number[CAIRN_MAX_QUERIES] = {NULL};

    for (int q = 0; q < m->encoding->queries && m->set; q++)
        number[q] = cairn_groups_at_entries(m->set, q);
    for (int l = 0; l < layout->levels; l++) {
        CAIRN_TRY(CAIRN_NEW(m->env, entries->n, &table->own[l]));
        table->column[l] = table->own[l];
        table->levels    = l + 1;
        cairn_visit(m->env, entries->n);
        cairn_form_columns(layout->algebra, &layout->level[l].form, dims, number,
                           entries->n, table->own[l]);
    }
    CAIRN_TRY(CAIRN_NEW(m->env, entries->n, &table->own_value));
    table->value = table->own_value;
    table->n     = entries->n;
    memcpy(table->own_value, entries->value, (size_t)entries->n * sizeof *table->value);
    return CAIRN_OK;
}

/// The tensor's entries in order.
static cairn_status
read_all(cairn_env *env, const cairn_local *from, int order, cairn_table *table)
{
    cairn_entries read   = {.order = order};
    cairn_status  status = CAIRN_OK;

    CAIRN_GO(done, cairn_local_entries(from, &read));
    CAIRN_GO(done, cairn_entries_sort(env, &read));
    cairn_table_take(table, &read);
done:
    cairn_entries_fini(env, &read);
    return status;
}

/// Entries of one member of a hybrid while they are read: a byte for each value says whose
/// it is.
typedef struct {
    cairn_env     *env;
    const uint8_t *member; ///< Of the part at hand.
    int            which;
    cairn_entries  entries;
} picker;

static cairn_status pick(void *user, const cairn_part *part, const cairn_batch *batch)
{
    picker     *p = user;
    cairn_coord d[CAIRN_MAX_ORDER];

    for (int k = 0; k < batch->n; k++) {
        if (p->member[batch->value[k]] != p->which) continue;
        for (int j = 0; j < p->entries.order; j++)
            d[j] = batch->coord[j][k];
        CAIRN_TRY(cairn_entries_add(p->env, &p->entries, d,
                                    cairn_value_get(&part->view, batch->value[k])));
    }
    return CAIRN_OK;
}

static cairn_status
pick_all(picker *p, const cairn_local *from, cairn_walker *walker, cairn_table *table)
{
    const cairn_group *group = &from->group[0];

    for (int64_t k = group->first; k < group->first + group->count; k++) {
        CAIRN_TRY(cairn_walk(walker, &from->part[k], pick, p));
        p->member += from->part[k].view.values;
    }
    CAIRN_TRY(cairn_entries_sort(p->env, &p->entries));
    cairn_table_take(table, &p->entries);
    return CAIRN_OK;
}

static cairn_status
read_filtered(cairn_member_build *members, int number, const cairn_build *build)
{
    cairn_member_build *m      = &members[number];
    cairn_walker       *walker = NULL;
    picker p = {.env = m->env, .member = m->source.filter.member, .which = number};

    if (build->planned) {
        m->table.n      = m->source.filter.entries;
        m->table.levels = build->shape.order;
        return CAIRN_OK;
    }
    if (!m->source.direct)
        return cairn_table_select(&members[0].source.all, m->source.filter.member,
                                  number, &m->table);
    cairn_entries_init(&p.entries, build->shape.order);
    cairn_status status =
        cairn_walker_create(m->env, build->from->group[0].layout, &walker);

    if (status == CAIRN_OK) status = pick_all(&p, build->from, walker, &m->table);
    cairn_entries_fini(m->env, &p.entries);
    cairn_walker_destroy(m->env, &walker);
    return status;
}

cairn_status
cairn_build_read(cairn_member_build *members, int number, const cairn_build *build)
{
    cairn_member_build *m = &members[number];

    if (m->source.filter.member)
        CAIRN_TRY(read_filtered(members, number, build));
    else if (m->source.direct)
        CAIRN_TRY(read_all(m->env, build->from, build->shape.order, &m->table));
    else
        return CAIRN_OK;
    m->source.entries = cairn_table_entries(&m->table);
    m->source.filter  = (cairn_filter){.member = NULL};
    m->source.direct  = false;
    return CAIRN_OK;
}

cairn_status cairn_build_remap(cairn_member_build *m)
{
    const cairn_rule sort = {.kind = CAIRN_RULE_SORT};
    cairn_table      table;

    cairn_table_init(m->env, &table);
    cairn_status status = fill_columns(m, &m->source.entries, &table);

    if (status == CAIRN_OK) status = cairn_table_run(&table, &sort);
    if (status != CAIRN_OK) {
        cairn_table_fini(&table);
        return status;
    }
    /* What the queries saw stays: padding asks them. */
    if (m->source.seen.levels == 0) cairn_table_lend(&m->table, &m->source.seen);
    m->table = table;
    return CAIRN_OK;
}
