// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arrays held to their layout, position by position: by a walk, which says which have
/// coordinates.

#include "tensor/check.h"

#include <inttypes.h>
#include <string.h>

/* ---- coordinates, and values without ---- */

typedef struct {
    uint64_t *seen; ///< A bit a value.
    cairn_pos entries;
} watcher;

static cairn_status
see_positions(void *user, const cairn_part *part, const cairn_batch *batch)
{
    watcher *w = user;

    for (int k = 0; k < batch->n; k++) {
        const cairn_pos v = batch->value[k];

        w->seen[v / 64] |= (uint64_t)1 << v % 64;
        if (!part->layout->pads || cairn_value_get(&part->view, v) != 0) w->entries++;
    }
    return CAIRN_OK;
}

static bool is_seen(const watcher *w, cairn_pos v)
{
    return w->seen[v / 64] >> v % 64 & 1;
}

/// Has every node of the last trimmed level an entry's coordinates below it? Not where
/// gaps are nodes, nor where a number says nothing of where its node is.
static bool has_no_bubbles(const cairn_layout *layout)
{
    bool direct = true;

    for (int l = 0; l <= layout->last; l++) {
        if (layout->level[l].gaps) return false;
        direct &= !layout->level[l].indirect;
    }
    return direct || (!layout->pads && layout->last + 1 == layout->levels);
}

/// What no walk comes to is padding.
static bool
others_are_zero(const watcher *w, const cairn_part *part, cairn_fault *fault)
{
    for (cairn_pos v = 0; v < part->view.values; v++) {
        if (is_seen(w, v)) continue;
        const double value = cairn_value_get(&part->view, v);

        if (value != 0)
            return cairn_fault_note(fault, part, -1, "val", v,
                                    "%g where there is no position of this rank's: "
                                    "padding is 0",
                                    value);
    }
    return true;
}

/// A stored node has a position below it.
static bool
nodes_have_positions(const watcher *w, const cairn_part *part, cairn_fault *fault)
{
    const cairn_layout *layout = part->layout;
    const int           E      = layout->last;

    if (E < 0 || part->view.level[E].nodes == 0) return true;
    if (!has_no_bubbles(layout)) return true;
    const int64_t nodes = part->view.level[E].nodes, each = part->view.values / nodes;

    for (int64_t p = 0; p < nodes; p++) {
        bool any = false;

        for (int64_t v = p * each; v < (p + 1) * each && !any; v++)
            any = is_seen(w, v);
        if (!any)
            return cairn_fault_note(fault, part, E, "node", p,
                                    "its coordinates are outside the tensor, or not "
                                    "this rank's");
    }
    return true;
}

cairn_status cairn_part_check_positions(cairn_env        *env,
                                        cairn_walker     *walker,
                                        const cairn_part *part,
                                        cairn_pos        *entries,
                                        bool             *holds,
                                        cairn_fault      *fault)
{
    watcher w = {.entries = 0};

    CAIRN_TRY(CAIRN_NEW_ZERO(env, part->view.values / 64 + 1, &w.seen));
    const cairn_status status = cairn_walk(walker, part, see_positions, &w);

    *holds = status == CAIRN_OK && nodes_have_positions(&w, part, fault)
             && others_are_zero(&w, part, fault);
    *entries = w.entries;
    cairn_free(env, w.seen);
    return status;
}

/* ---- each entry once ---- */

typedef struct {
    const cairn_entries *entries; ///< Sorted, each once.
    uint64_t            *met;     ///< A bit an entry.
    bool                 found;
    cairn_fault         *fault;
} finder;

/// Compare coordinates with those of entry @p k: below 0, 0, above 0.
static int compare(const cairn_entries *e, cairn_pos k, const cairn_coord *d)
{
    for (int m = 0; m < e->order; m++)
        if (d[m] != e->coord[m][k]) return d[m] < e->coord[m][k] ? -1 : 1;
    return 0;
}

static cairn_pos number_of(const cairn_entries *e, const cairn_coord *d)
{
    cairn_pos lo = 0, hi = e->n;

    while (lo < hi) {
        const cairn_pos middle = lo + (hi - lo) / 2;

        if (compare(e, middle, d) > 0)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static void note_twice(finder *f, const cairn_part *part, cairn_pos v, cairn_coord *d)
{
    const int order = part->layout->order;

    f->found = true;
    cairn_fault_note(f->fault, part, -1, "val", v,
                     order > 1 ? "its coordinates, (%" PRId64 ", %" PRId64 "%s), are "
                                 "stored twice"
                               : "its coordinate, %" PRId64 ", is stored twice",
                     d[0], order > 1 ? d[1] : 0, order > 2 ? ", ..." : "");
}

static cairn_status
find_twice(void *user, const cairn_part *part, const cairn_batch *batch)
{
    finder *f = user;

    for (int k = 0; k < batch->n && !f->found; k++) {
        const cairn_pos v = batch->value[k];
        cairn_coord     d[CAIRN_MAX_ORDER];

        if (part->layout->pads && cairn_value_get(&part->view, v) == 0) continue;
        for (int m = 0; m < part->layout->order; m++)
            d[m] = batch->coord[m][k];
        const cairn_pos n = number_of(f->entries, d);

        if (f->met[n / 64] >> n % 64 & 1) note_twice(f, part, v, d);
        f->met[n / 64] |= (uint64_t)1 << n % 64;
    }
    return CAIRN_OK;
}

cairn_status cairn_local_check_once(const cairn_local *tensor,
                                    cairn_entries     *entries,
                                    bool              *holds,
                                    cairn_fault       *fault)
{
    cairn_env *env = tensor->env;
    finder     f   = {.entries = entries, .fault = fault};

    CAIRN_TRY(cairn_local_entries(tensor, entries));
    const cairn_pos all = entries->n;

    CAIRN_TRY(cairn_entries_sort(env, entries));
    *holds = entries->n == all;
    if (*holds) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW_ZERO(env, entries->n / 64 + 1, &f.met));
    cairn_status status = CAIRN_OK;

    for (int m = 0; m < tensor->groups && status == CAIRN_OK && !f.found; m++) {
        cairn_walker *walker = NULL;

        status = cairn_walker_create(env, tensor->group[m].layout, &walker);
        if (status == CAIRN_OK)
            status = cairn_walk_member(walker, tensor, m, find_twice, &f);
        cairn_walker_destroy(env, &walker);
    }
    cairn_free(env, f.met);
    return status;
}
