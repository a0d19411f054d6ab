// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The walk goes down the levels with the node and value position reached so far and,
/// for the inverse map, each dimension's partial sum over the levels passed. A map
/// whose inverse needs a division or a check is evaluated whole at the leaf instead.

#include "tensor/walk.h"

#include <assert.h>
#include <string.h>

/// What of a part is visited.
typedef struct {
    int                   level; ///< -1, or the level of which only indices in
    cairn_interval        range; ///< this range are visited.
    const cairn_interval *kept; ///< [levels] NULL, or the nodes below which is visited.
} limits;

/// What is shown that is not asked for otherwise.
enum { NUMBERS = 1, OVERHANG = 2 };

/// The part that is walked, who visits it, and what was found on the way.
typedef struct {
    const cairn_part         *part;
    const cairn_kernel_level *level;
    cairn_visit_fn            visit;
    void                     *user;
    cairn_status              status;
    int64_t                   visited; ///< Positions of all levels.
    cairn_batch               batch;
} walk_state;

struct cairn_walker {
    cairn_env          *env;
    const cairn_layout *layout;
    int                 order, levels;
    int64_t factor[CAIRN_MAX_LEVELS][CAIRN_MAX_ORDER];  ///< Of a level in a dimension.
    int64_t stride[CAIRN_MAX_LEVELS][CAIRN_MAX_LEVELS]; ///< Of a level in the
                                                        ///< combination of another.
    limits     only;
    unsigned   shows; ///< OVERHANG; NUMBERS: nodes without idx have numbers,
    int        numbered_by[CAIRN_MAX_LEVELS]; ///< an index by the node of which level.
    cairn_pos  node[CAIRN_MAX_LEVELS];        ///< At hand; while they are numbered.
    int64_t    e[CAIRN_MAX_LEVELS];           ///< Indices at hand.
    walk_state now;
};

typedef struct cairn_walker walker;

static void flush(walker *w)
{
    if (w->now.batch.n == 0 || w->now.status != CAIRN_OK) return;
    w->now.status  = w->now.visit(w->now.user, w->now.part, &w->now.batch);
    w->now.batch.n = 0;
}

static bool inside(const walker *w, const cairn_coord *d)
{
    for (int k = 0; k < w->order; k++)
        if (d[k] < w->layout->box[k].lo || d[k] > w->layout->box[k].hi) return false;
    return true;
}

/// Invert at the leaf, with every check.
static bool invert(const walker *w, cairn_coord *d)
{
    const cairn_layout *layout = w->layout;

    for (int k = 0; k < w->order; k++)
        if (!cairn_linear_value(&layout->inverse.dim[k], w->e, &d[k])) return false;
    if (!inside(w, d)) return false;
    for (int l = 0; l < w->levels; l++)
        if (layout->inverse.check >> l & 1
            && cairn_form_value(layout->algebra, &layout->level[l].form, d, NULL)
                   != w->e[l])
            return false;
    return true;
}

static void leaf(walker *w, const cairn_coord *partial, cairn_pos value)
{
    cairn_batch *batch = &w->now.batch;
    cairn_coord  d[CAIRN_MAX_ORDER];

    if (w->layout->inverse.exact) {
        if (!(w->shows & OVERHANG) && !inside(w, partial)) return;
        for (int k = 0; k < w->order; k++)
            batch->coord[k][batch->n] = partial[k];
    } else {
        if (!invert(w, d)) return;
        for (int k = 0; k < w->order; k++)
            batch->coord[k][batch->n] = d[k];
    }
    if (batch->level)
        for (int l = 0; l < w->levels; l++)
            batch->level[(size_t)l * CAIRN_BATCH + (size_t)batch->n] = w->e[l];
    batch->value[batch->n++] = value;
    if (batch->n == CAIRN_BATCH) flush(w);
}

static void walk_level(walker *w, int l, cairn_pos node, const cairn_coord *partial);

/// Go below index @p e of level @p l, which is node @p node.
static inline void
enter(walker *w, int l, int64_t e, cairn_pos node, const cairn_coord *partial)
{
    cairn_coord next[CAIRN_MAX_ORDER];

    w->e[l] = e;
    for (int k = 0; k < w->order; k++)
        next[k] = partial[k] + w->factor[l][k] * e;
    if (l + 1 == w->levels)
        leaf(w, next, node);
    else
        walk_level(w, l + 1, node, next);
}

static int64_t load_idx(const cairn_kernel_level *level, cairn_pos p)
{
    return cairn_load_int(level->idx, p, level->idx_stride, level->idx_bits,
                          level->idx_signed);
}

/// First node of a sorted idx whose index is at least @p bound.
static cairn_pos first_node(const cairn_kernel_level *level, int64_t bound)
{
    cairn_pos lo = 0, hi = level->nodes;

    while (lo < hi) {
        const cairn_pos mid = lo + (hi - lo) / 2;

        if (load_idx(level, mid) < bound)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/// Children of @p node in trimmed level @p l: [begin, end).
static void
children(const walker *w, int l, cairn_pos node, cairn_pos *begin, cairn_pos *end)
{
    const cairn_kernel_level *level = &w->now.level[l];
    const int                 bits  = level->ptr_bits;

    *begin = node;
    *end   = node + 1;
    if (w->layout->level[l].top) {
        *begin = l == w->only.level ? first_node(level, w->only.range.lo) : 0;
        *end =
            l == w->only.level ? first_node(level, w->only.range.hi + 1) : level->nodes;
    } else if (level->ptr) {
        *begin = cairn_load_int(level->ptr, node, bits / 8, bits, false);
        *end   = cairn_load_int(level->ptr, node + 1, bits / 8, bits, false);
    }
}

/// The index of node @p p of a trimmed level, whose parent's nodes start at @p begin.
static int64_t index_of(const walker *w, int l, cairn_pos begin, cairn_pos p)
{
    const cairn_kernel_level *level = &w->now.level[l];

    if (level->idx) return load_idx(level, p);
    if (!(w->shows & NUMBERS)) return 0;
    if (w->layout->level[l].gaps) return level->lo + (p - begin);
    return w->numbered_by[l] == l ? p : w->node[w->numbered_by[l]];
}

static void walk_trimmed(walker *w, int l, cairn_pos node, const cairn_coord *partial)
{
    cairn_pos begin, end;

    children(w, l, node, &begin, &end);
    cairn_pos from = begin;

    if (w->only.kept && from < w->only.kept[l].lo) from = w->only.kept[l].lo;
    if (w->only.kept && end > w->only.kept[l].hi + 1) end = w->only.kept[l].hi + 1;
    w->now.visited += end > from ? end - from : 0;
    for (cairn_pos p = from; p < end && w->now.status == CAIRN_OK; p++) {
        w->node[l] = p;
        enter(w, l, index_of(w, l, begin, p), p, partial);
    }
}

static void walk_dense(walker *w, int l, cairn_pos node, const cairn_coord *partial)
{
    const cairn_kernel_level *level = &w->now.level[l];
    int64_t                   begin = 0, end = level->size;

    if (l == w->only.level) {
        if (w->only.range.lo - level->lo > begin) begin = w->only.range.lo - level->lo;
        if (w->only.range.hi - level->lo + 1 < end)
            end = w->only.range.hi - level->lo + 1;
    }
    if (w->only.kept) {
        const cairn_pos first = node * level->size;

        if (w->only.kept[l].lo - first > begin) begin = w->only.kept[l].lo - first;
        if (w->only.kept[l].hi + 1 - first < end) end = w->only.kept[l].hi + 1 - first;
    }
    w->now.visited += end > begin ? end - begin : 0;
    for (int64_t k = begin; k < end && w->now.status == CAIRN_OK; k++)
        enter(w, l, level->lo + k, node * level->size + k, partial);
}

static void
walk_determined(walker *w, int l, cairn_pos node, const cairn_coord *partial)
{
    const cairn_level *info = &w->layout->level[l];
    cairn_pos          p    = node;

    if (w->only.kept && (node < w->only.kept[l].lo || node > w->only.kept[l].hi))
        return;
    if (!info->determined.per_node) {
        p = 0;
        for (int k = 0; k < l; k++)
            p += w->stride[l][k] * (w->e[k] - w->now.level[k].lo);
    }
    const int64_t e = load_idx(&w->now.level[l], p);

    if (e != w->now.level[l].hole) enter(w, l, e, node, partial);
}

static void walk_level(walker *w, int l, cairn_pos node, const cairn_coord *partial)
{
    if (w->layout->level[l].trimmed)
        walk_trimmed(w, l, node, partial);
    else if (w->layout->level[l].determined.on)
        walk_determined(w, l, node, partial);
    else
        walk_dense(w, l, node, partial);
}

/// What each level adds to each dimension, where the inverse is a plain sum.
static void set_factors(walker *w)
{
    for (int k = 0; k < w->order && w->layout->inverse.exact; k++) {
        const cairn_linear *dim = &w->layout->inverse.dim[k];

        for (int t = 0; t < dim->terms; t++)
            w->factor[dim->var[t]][k] = dim->num[t];
    }
}

/// Row-major strides of the complete levels by which a determined one is indexed;
/// partitioned levels number the bank and have none.
static void set_strides(walker *w)
{
    for (int l = 0; l < w->levels; l++) {
        const cairn_level *level  = &w->layout->level[l];
        int64_t            stride = 1;

        for (int k = l - 1; k > w->layout->partition && level->determined.on; k--) {
            if (!(level->determined.by >> k & 1)) continue;
            w->stride[l][k] = stride;
            stride *= w->layout->level[k].size;
        }
    }
}

/// Fix the levels that partition took away to this bank's indices.
static int enter_bank(walker *w, cairn_coord *partial)
{
    int64_t bank = w->now.part->where.bank;

    for (int l = w->layout->partition; l >= 0; l--) {
        const cairn_kernel_level *level = &w->now.level[l];

        w->e[l] = level->lo + bank % level->size;
        bank /= level->size;
        for (int k = 0; k < w->order; k++)
            partial[k] += w->factor[l][k] * w->e[l];
    }
    return w->layout->partition + 1;
}

cairn_status
cairn_walker_create(cairn_env *env, const cairn_layout *layout, cairn_walker **fresh)
{
    walker *w;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &w));
    w->env        = env;
    w->layout     = layout;
    w->order      = layout->order;
    w->levels     = layout->levels;
    w->only.level = -1;
    set_factors(w);
    set_strides(w);
    *fresh = w;
    return CAIRN_OK;
}

int cairn_layout_row_level(const cairn_layout *layout)
{
    for (int l = layout->partition + 1; l < layout->levels; l++) {
        const cairn_level *level = &layout->level[l];
        const bool         top = level->trimmed && level->top && level->arrays.has_idx;

        if (!top && level->kind != CAIRN_LEVEL_DENSE) continue;
        if (!level->indirect && cairn_form_dims(layout->algebra, &level->form) == 1U)
            return l;
    }
    return -1;
}

void cairn_walker_keep(cairn_walker *w, const cairn_interval *nodes)
{
    w->only.kept = nodes;
}

void cairn_walker_restrict(cairn_walker *w, int level, int64_t lo, int64_t hi)
{
    w->only.level = level;
    w->only.range = (cairn_interval){lo, hi};
}

void cairn_walker_show_overhang(cairn_walker *w)
{
    assert(w->layout->inverse.exact);
    w->shows |= OVERHANG;
}

/// The first trimmed level whose nodes each have one index at level @p l.
static int numbering_level(const cairn_layout *layout, int l)
{
    int k = layout->first;

    while (k < l && layout->level[k].depth < l)
        k++;
    return k;
}

void cairn_walker_number_nodes(cairn_walker *w)
{
    w->shows |= NUMBERS;
    for (int l = 0; l < w->levels; l++)
        w->numbered_by[l] =
            w->layout->level[l].trimmed ? numbering_level(w->layout, l) : l;
}

cairn_status cairn_walker_show_levels(cairn_env *env, cairn_walker *w)
{
    if (w->now.batch.level) return CAIRN_OK;
    return CAIRN_NEW(env, (int64_t)w->levels * CAIRN_BATCH, &w->now.batch.level);
}

void cairn_walker_destroy(cairn_env *env, cairn_walker **w)
{
    if (*w) cairn_free(env, (*w)->now.batch.level);
    cairn_free(env, *w);
    *w = NULL;
}

cairn_status
cairn_walk(cairn_walker *w, const cairn_part *part, cairn_visit_fn visit, void *user)
{
    cairn_coord partial[CAIRN_MAX_ORDER] = {0};

    /* Complete levels may have very many indices above one that has none. */
    if (part->view.values == 0) return CAIRN_OK;
    w->now.part    = part;
    w->now.level   = part->view.level;
    w->now.visit   = visit;
    w->now.user    = user;
    w->now.status  = CAIRN_OK;
    w->now.batch.n = 0;
    w->now.visited = 0;
    for (int k = 0; k < w->order && w->layout->inverse.exact; k++)
        partial[k] = w->layout->inverse.dim[k].constant;
    const int first = enter_bank(w, partial);

    if (first == w->levels)
        leaf(w, partial, 0);
    else
        walk_level(w, first, 0, partial);
    flush(w);
    cairn_visit(w->env, w->now.visited);
    return w->now.status;
}

cairn_status cairn_walk_member(cairn_walker      *w,
                               const cairn_local *tensor,
                               int                member,
                               cairn_visit_fn     visit,
                               void              *user)
{
    const cairn_group *group = &tensor->group[member];

    for (int64_t k = 0; k < group->count; k++)
        CAIRN_TRY(cairn_walk(w, &tensor->part[group->first + k], visit, user));
    return CAIRN_OK;
}

typedef struct {
    cairn_env     *env;
    cairn_entries *entries;
} collector;

static cairn_status
collect(void *user, const cairn_part *part, const cairn_batch *batch)
{
    const collector *c = user;

    cairn_visit(c->env, batch->n);
    for (int n = 0; n < batch->n; n++) {
        const double value = cairn_value_get(&part->view, batch->value[n]);
        cairn_coord  d[CAIRN_MAX_ORDER];

        if (value == 0 && part->layout->pads) continue;
        for (int k = 0; k < part->layout->order; k++)
            d[k] = batch->coord[k][n];
        CAIRN_TRY(cairn_entries_add(c->env, c->entries, d, value));
    }
    return CAIRN_OK;
}

cairn_status cairn_local_entries(const cairn_local *tensor, cairn_entries *entries)
{
    collector c = {tensor->env, entries};

    for (int member = 0; member < tensor->groups; member++) {
        cairn_walker *w;

        CAIRN_TRY(cairn_walker_create(tensor->env, tensor->group[member].layout, &w));
        const cairn_status status = cairn_walk_member(w, tensor, member, collect, &c);

        cairn_walker_destroy(tensor->env, &w);
        if (status != CAIRN_OK) return status;
    }
    return CAIRN_OK;
}
