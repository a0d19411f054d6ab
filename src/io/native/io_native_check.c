// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Positions are walked once. Where every level's index is a function of the coordinates,
/// indices that ascend are those of different entries. Where one is not (the place of an
/// entry in its row, say), two places may hold the same entry: then, along some dimension,
/// the entries of every line must ascend as well, as those of a row do that are placed in
/// order.

#include "io/native/io_native_check.h"

#include "format/interval.h"
#include "tensor/check.h"

#include <stdint.h>

enum { LINES_FREE = 1 << 16 }; ///< Lines that there may be without as many values.

/// Lines along one dimension.
typedef struct {
    int64_t *last;    ///< Of each the coordinate of its last entry.
    bool     ascends; ///< Every entry came after the one before it on its line.
} lines;

typedef struct {
    const cairn_local *tensor;
    cairn_pos          entries;
    bool               descends; ///< A position does not come after the one before, or
                                 ///< there is what is not to be.
    bool    begun;
    int64_t last[CAIRN_MAX_LEVELS]; ///< Indices of the one before.
    lines   along[CAIRN_MAX_ORDER];
} checker;

/// Look at the levels' indices of position @p k.
static void see_levels(checker *c, int levels, const cairn_batch *batch, int k)
{
    int sign = 0;

    for (int l = 0; l < levels; l++) {
        const int64_t e = batch->level[(int64_t)l * CAIRN_BATCH + k];

        if (sign == 0) sign = (e > c->last[l]) - (e < c->last[l]);
        c->last[l] = e;
    }
    c->descends |= c->begun && sign <= 0;
    c->begun = true;
}

/// Which line along dimension @p d goes through position @p k.
static int64_t
line_of(const cairn_local *tensor, int d, const cairn_batch *batch, int k)
{
    int64_t line = 0;

    for (int e = 0; e < tensor->shape.order; e++)
        if (e != d)
            line = line * cairn_interval_size(tensor->box[e])
                   + (batch->coord[e][k] - tensor->box[e].lo);
    return line;
}

/// Look at where the entry at position @p k lies.
static void see_lines(checker *c, const cairn_batch *batch, int k)
{
    for (int d = 0; d < c->tensor->shape.order; d++) {
        if (!c->along[d].ascends) continue;
        int64_t *last = &c->along[d].last[line_of(c->tensor, d, batch, k)];

        c->along[d].ascends = batch->coord[d][k] > *last;
        *last               = batch->coord[d][k];
    }
}

static cairn_status
see_batch(void *user, const cairn_part *part, const cairn_batch *batch)
{
    checker *c = user;

    for (int k = 0; k < batch->n; k++) {
        see_levels(c, part->layout->levels, batch, k);
        if (part->layout->pads && cairn_value_get(&part->view, batch->value[k]) == 0)
            continue;
        see_lines(c, batch, k);
        c->entries++;
    }
    return CAIRN_OK;
}

static bool is_direct(const cairn_layout *layout)
{
    for (int l = 0; l < layout->levels; l++)
        if (layout->level[l].indirect) return false;
    return true;
}

/// Every line begins before its first coordinate. A dimension with many more lines than
/// there are values would take more memory than the tensor.
static cairn_status begin_lines(checker *c, cairn_env *env, const cairn_group *group)
{
    const cairn_local *t      = c->tensor;
    int64_t            values = 0;

    for (int64_t k = 0; k < group->count; k++)
        values += t->part[group->first + k].view.values;
    for (int d = 0; d < t->shape.order; d++) {
        int64_t many = 1;

        for (int e = 0; e < t->shape.order; e++)
            if (e != d) many = cairn_count_times(many, cairn_interval_size(t->box[e]));
        if (many > cairn_count_plus(values, LINES_FREE)) continue;
        CAIRN_TRY(cairn_check_memory(env, "the order of the entries of a file",
                                     many * (int64_t)sizeof *c->along[d].last));
        CAIRN_TRY(CAIRN_NEW(env, many, &c->along[d].last));
        for (int64_t k = 0; k < many; k++)
            c->along[d].last[k] = -1;
        c->along[d].ascends = true;
    }
    return CAIRN_OK;
}

/// Has it values that the walk did not come to, or did not take for entries?
static bool has_others(const checker *c, const cairn_part *part)
{
    return !part->layout->pads && part->layout->last + 1 == part->layout->levels
           && c->entries != part->view.values;
}

static bool is_ordered(const checker *c, const cairn_layout *layout)
{
    bool once = is_direct(layout);

    for (int d = 0; d < c->tensor->shape.order; d++)
        once |= c->along[d].ascends;
    return once && !c->descends;
}

/// Walk all parts of @p group.
static cairn_status
walk_group(checker *c, cairn_walker *walker, const cairn_group *group, bool *holds)
{
    *holds = true;
    for (int64_t k = 0; k < group->count && *holds; k++) {
        cairn_part *part = &c->tensor->part[group->first + k];

        c->entries = 0;
        c->begun   = false;
        CAIRN_TRY(cairn_walk(walker, part, see_batch, c));
        if (part->nnz < 0) part->nnz = c->entries;
        *holds = cairn_native_holds(part, c->entries);
        c->descends |= cairn_part_has_childless(part) || has_others(c, part);
    }
    return CAIRN_OK;
}

cairn_status
cairn_native_check(cairn_env *env, cairn_local *tensor, int member, bool *holds)
{
    cairn_group  *group  = &tensor->group[member];
    checker       c      = {.tensor = tensor};
    cairn_walker *walker = NULL;
    cairn_status  status = cairn_walker_create(env, group->layout, &walker);

    if (status == CAIRN_OK) status = cairn_walker_show_levels(env, walker);
    if (status == CAIRN_OK) cairn_walker_number_nodes(walker);
    if (status == CAIRN_OK && !is_direct(group->layout))
        status = begin_lines(&c, env, group);
    if (status == CAIRN_OK) status = walk_group(&c, walker, group, holds);
    if (status == CAIRN_OK) group->unsorted = !is_ordered(&c, group->layout);
    for (int64_t k = 0; k < group->count; k++)
        tensor->part[group->first + k].given = group->unsorted;
    for (int d = 0; d < tensor->shape.order; d++)
        cairn_free(env, c.along[d].last);
    cairn_walker_destroy(env, &walker);
    return status;
}
