// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A look at some entries: how many of them share the target's nodes.

#include "convert/intermediates/intermediates_order.h"
#include "tensor/walk.h"

#include <stdlib.h>
#include <string.h>

enum {
    SAMPLE  = 4 * CAIRN_BATCH, ///< Entries,
    BATCHES = 64,              ///< among so many positions at most.
};

/// The nodes of some entries: indices of levels 0..E, an entry after the other.
typedef struct {
    const cairn_layout *to;
    int                 levels;
    int64_t            *index; ///< [SAMPLE][levels]
    int                 n, batches;
} sample;

static void add(sample *s, const int64_t *d)
{
    for (int l = 0; l < s->levels; l++)
        s->index[s->n * s->levels + l] =
            cairn_form_value(s->to->algebra, &s->to->level[l].form, d, NULL);
    s->n++;
}

static cairn_status
add_batch(void *user, const cairn_part *part, const cairn_batch *batch)
{
    sample *const s = user;

    for (int k = 0; k < batch->n && s->n < SAMPLE; k++) {
        int64_t d[CAIRN_MAX_ORDER];

        if (part->layout->pads && cairn_value_get(&part->view, batch->value[k]) == 0)
            continue;
        for (int j = 0; j < part->layout->order; j++)
            d[j] = batch->coord[j][k];
        add(s, d);
    }
    s->batches++; /* CAIRN_NO_KERNEL: that is enough */
    return s->n < SAMPLE && s->batches < BATCHES ? CAIRN_OK : CAIRN_NO_KERNEL;
}

static cairn_status draw_part(cairn_env *env, const cairn_local *from, sample *s)
{
    const cairn_group *group  = &from->group[0];
    cairn_walker      *walker = NULL;
    cairn_status       status;

    if (group->count < 1) return CAIRN_OK;
    CAIRN_TRY(cairn_walker_create(env, group->layout, &walker));
    status = cairn_walk(walker, &from->part[group->first], add_batch, s);
    cairn_walker_destroy(env, &walker);
    return status == CAIRN_NO_KERNEL ? CAIRN_OK : status;
}

/// From the middle on.
static void draw_entries(const cairn_entries *entries, sample *s)
{
    for (cairn_pos k = entries->n / 2; k < entries->n && s->n < SAMPLE; k++) {
        int64_t d[CAIRN_MAX_ORDER];

        for (int j = 0; j < entries->order; j++)
            d[j] = entries->coord[j][k];
        add(s, d);
    }
}

static int compare(const void *a, const void *b, void *levels)
{
    const int64_t *x = a, *y = b;

    for (int l = 0; l < *(const int *)levels; l++)
        if (x[l] != y[l]) return x[l] < y[l] ? -1 : 1;
    return 0;
}

/// Different nodes.
static int count_nodes(sample *s)
{
    const size_t size  = (size_t)s->levels * sizeof *s->index;
    int          nodes = s->n > 0;

    qsort_r(s->index, (size_t)s->n, size, compare, &s->levels);
    for (int k = 1; k < s->n; k++)
        nodes +=
            memcmp(&s->index[k * s->levels], &s->index[(k - 1) * s->levels], size) != 0;
    return nodes;
}

cairn_status cairn_sample_nodes(cairn_env           *env,
                                const cairn_local   *from,
                                const cairn_entries *entries,
                                const cairn_layout  *to,
                                double              *each)
{
    sample       s      = {.to = to, .levels = to->last + 1};
    cairn_status status = CAIRN_OK;

    CAIRN_TRY(CAIRN_NEW(env, (int64_t)SAMPLE * s.levels, &s.index));
    if (from)
        status = draw_part(env, from, &s);
    else
        draw_entries(entries, &s);
    if (status == CAIRN_OK) *each = s.n ? (double)count_nodes(&s) / s.n : 1;
    cairn_free(env, s.index);
    return status;
}
