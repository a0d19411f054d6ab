// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// From coordinates to e-tuples without rules: every level by its form.

#include "convert/build_steps.h"
#include "rules/path.h"
#include "tensor/walk.h"

static cairn_status
fill_columns(cairn_member_build *m, const cairn_entries *entries, cairn_table *table)
{
    const cairn_layout *layout = m->layout;
    int64_t             d[CAIRN_MAX_ORDER], number[CAIRN_MAX_QUERIES] = {0};

    for (int l = 0; l < layout->levels; l++) {
        CAIRN_TRY(CAIRN_NEW(m->env, entries->n, &table->own[l]));
        table->column[l] = table->own[l];
        table->levels    = l + 1;
    }
    CAIRN_TRY(CAIRN_NEW(m->env, entries->n, &table->own_value));
    table->value = table->own_value;
    table->n     = entries->n;
    cairn_visit(m->env, entries->n * layout->levels);
    for (cairn_pos k = 0; k < entries->n; k++) {
        for (int j = 0; j < layout->order; j++)
            d[j] = entries->coord[j][k];
        for (int q = 0; q < m->encoding->queries && m->set; q++)
            number[q] = cairn_query_at_entries(m->set, q)[k];
        for (int l = 0; l < layout->levels; l++)
            table->own[l][k] =
                cairn_form_value(layout->algebra, &layout->level[l].form, d, number);
        table->own_value[k] = entries->value[k];
    }
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

/// Of all entries those of member @p number: the bytes are by value of the tensor, so
/// they are dealt out once more.
static cairn_status select_again(cairn_member_build *m,
                                 int                 number,
                                 const cairn_build  *build,
                                 const cairn_table  *all)
{
    const cairn_entries entries = cairn_table_entries(all);
    uint8_t            *member;
    cairn_status        status;

    CAIRN_TRY(CAIRN_NEW(m->env, entries.n, &member));
    CAIRN_GO(done, cairn_decompose(m->env, build->format, &build->shape, build->box,
                                   &entries, NULL, member));
    status = cairn_table_select(all, member, number, &m->table);
done:
    cairn_free(m->env, member);
    return status;
}

static cairn_status
read_filtered(cairn_member_build *members, int number, const cairn_build *build)
{
    cairn_member_build *m = &members[number];
    cairn_table         all;

    if (!m->direct)
        return cairn_table_select(&members[0].all, m->filter.member, number, &m->table);
    cairn_table_init(m->env, &all);
    cairn_status status = read_all(m->env, build->from, build->shape.order, &all);

    if (status == CAIRN_OK) status = select_again(m, number, build, &all);
    cairn_table_fini(&all);
    return status;
}

cairn_status
cairn_build_read(cairn_member_build *members, int number, const cairn_build *build)
{
    cairn_member_build *m = &members[number];

    if (m->filter.member)
        CAIRN_TRY(read_filtered(members, number, build));
    else if (m->direct)
        CAIRN_TRY(read_all(m->env, build->from, build->shape.order, &m->table));
    else
        return CAIRN_OK;
    m->entries = cairn_table_entries(&m->table);
    m->filter  = (cairn_filter){.member = NULL};
    m->direct  = false;
    return CAIRN_OK;
}

cairn_status cairn_build_remap(cairn_member_build *m)
{
    const cairn_rule sort = {.kind = CAIRN_RULE_SORT};
    cairn_table      table;

    cairn_table_init(m->env, &table);
    cairn_status status = fill_columns(m, &m->entries, &table);

    if (status == CAIRN_OK) status = cairn_table_run(&table, &sort);
    if (status != CAIRN_OK) {
        cairn_table_fini(&table);
        return status;
    }
    /* What the queries saw stays: padding asks them. */
    if (m->seen.levels == 0) cairn_table_lend(&m->table, &m->seen);
    m->table = table;
    return CAIRN_OK;
}
