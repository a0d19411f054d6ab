// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Positions are not taken as they lie. What numbers elements moves fastest, below what
/// tells their groups, so that elements of a group are met one after the other; indices
/// are then written some way apart.

#include "convert/padding/padding_chunks.h"

#include "base/wide.h"
#include "convert/padding/padding_columns.h"
#include "format/columns.h"

#include <string.h>

enum {
    ROWS  = CAIRN_PADDING_ROWS,
    NODES = 1024, ///< That are gone through before a level above them moves on.
    WIDE  = CAIRN_MAX_LEVELS + 1,
};

/// What positions count in: the nodes of level E, with the indices of all levels above it,
/// or a complete level.
typedef struct {
    int64_t lo, size;
    int64_t stride; ///< Positions from one to the next.
    int     level;  ///< -1: nodes.
    int64_t at;     ///< Where it stands, from 0 on.
} axis;

/// What all chunks of positions share.
typedef struct {
    int     inner;      ///< The axes from here on have the same indices in every chunk,
    int     period;     ///< again and again after so many rows.
    int64_t turn[ROWS]; ///< Periods before each row of a chunk.
    int64_t after[ROWS];  ///< How far each row lies behind the chunk's first position.
    bool    side_by_side; ///< Its positions follow each other.
    int64_t size[WIDE];   ///< Of the axes that it was made for.
} pattern;

typedef struct {
    cairn_padding_columns columns;
    const cairn_layout   *layout;
    cairn_part           *part;
    int64_t *const       *tuples;
    int     levels, level[CAIRN_MAX_LEVELS]; ///< That are filled together.
    bool    of_entries; ///< Only entries are found, where they lie: holes stay.
    int     axes;
    axis    axis[WIDE]; ///< The last moves fastest.
    int     nodes;      ///< Which axis is that of nodes; -1: there is none.
    int64_t first;      ///< Node that nodes begin with.
    pattern pattern;    ///< Of chunks.
    int64_t position[ROWS], index[ROWS];
    bool    dense; ///< The level's indices in a chunk lie side by side.
    bool    ok[ROWS];
} padder;

struct cairn_padding {
    int     padders;
    padder *padder[CAIRN_MAX_LEVELS];
};

/* ---- which levels go together ---- */

static bool same_linear(const cairn_linear *a, const cairn_linear *b)
{
    bool same = a->terms == b->terms && a->constant == b->constant && a->den == b->den;

    for (int t = 0; t < a->terms && same; t++)
        same = a->var[t] == b->var[t] && a->num[t] == b->num[t];
    return same;
}

static bool same_step(const cairn_step *a, const cairn_step *b)
{
    bool same = a->kind == b->kind && a->var == b->var && same_linear(&a->in, &b->in);

    if (!same || a->kind != CAIRN_STEP_QUERY) return same && a->divisor == b->divisor;
    same = a->query == b->query && a->groups == b->groups;
    for (int g = 0; g < a->groups && same; g++)
        same = same_linear(&a->group[g], &b->group[g]);
    return same;
}

/// Do two recipes differ in nothing but the index that follows?
static bool same_recipe(const cairn_layout *layout, int l, int k)
{
    const cairn_recipe *a = &layout->level[l].determined.recipe,
                       *b = &layout->level[k].determined.recipe;
    bool same             = a->steps == b->steps && a->dims == b->dims;

    for (int s = 0; s < a->steps && same; s++)
        same = same_step(&a->step[s], &b->step[s]);
    for (int d = 0; d < layout->order && same; d++)
        same = !(a->dims >> d & 1) || same_linear(&a->dim[d], &b->dim[d]);
    return same;
}

/// Levels that a determined one may follow from.
static uint32_t above(const cairn_layout *layout, int l)
{
    uint32_t levels = 0;

    for (int k = 0; k < l; k++)
        if (layout->level[l].determined.per_node
                ? !layout->level[k].determined.on
                : layout->level[l].determined.by >> k & 1)
            levels |= 1U << k;
    return levels;
}

static void find_levels(padder *p, int l, uint32_t *done)
{
    const cairn_level *level = &p->layout->level[l];

    p->levels = 0;
    for (int k = l; k < p->layout->levels; k++) {
        const cairn_level *other = &p->layout->level[k];

        if (*done >> k & 1 || !other->determined.on
            || other->determined.per_node != level->determined.per_node
            || other->determined.by != level->determined.by
            || above(p->layout, k) != above(p->layout, l)
            || !same_recipe(p->layout, l, k))
            continue;
        p->level[p->levels++] = k;
        *done |= 1U << k;
    }
}

/* ---- in which order positions come ---- */

/// The axis on which a level lies, -1: the bank's.
static int axis_of(const padder *p, int level)
{
    for (int a = 0; a < p->axes; a++)
        if (p->axis[a].level == level
            || (p->axis[a].level < 0 && level <= p->layout->last))
            return a;
    return -1;
}

/// Bits of the axes that a combination follows from; @p from: those of variables.
static uint32_t axes_of(const cairn_linear *linear, const uint32_t *from)
{
    uint32_t axes = 0;

    for (int t = 0; t < linear->terms; t++)
        axes |= from[linear->var[t]];
    return axes;
}

/// Find the axes from which the numbers and the groups of the first query follow.
static void find_query(const padder       *p,
                       const cairn_recipe *recipe,
                       uint32_t           *number,
                       uint32_t           *group)
{
    uint32_t from[CAIRN_MAX_VARS] = {0};

    *number = *group = 0;
    for (int l = 0; l < p->layout->levels; l++) {
        const int a = axis_of(p, l);

        if (a >= 0) from[l] = 1U << a;
    }
    for (int s = 0; s < recipe->steps; s++) {
        const cairn_step *step = &recipe->step[s];

        if (step->kind != CAIRN_STEP_QUERY) {
            from[step->var] = axes_of(&step->in, from);
            continue;
        }
        *number = axes_of(&step->in, from);
        for (int g = 0; g < step->groups; g++)
            *group |= axes_of(&step->group[g], from);
        return;
    }
}

/// Let axes that number elements move faster than those that tell their groups.
static void order_axes(padder *p)
{
    uint32_t number, group;
    axis     kept[WIDE];
    int      last = 0, n = 0;

    find_query(p, p->columns.recipe, &number, &group);
    while (group >> last > 1)
        last++;
    number &= ~group & ((1U << last) - 1);
    memcpy(kept, p->axis, sizeof kept);
    for (int pass = 0; pass < 2; pass++)
        for (int a = 0; a <= last && a < p->axes; a++)
            if ((number >> a & 1) == (uint32_t)pass) p->axis[n++] = kept[a];
}

/// Nodes and complete levels, as positions lie, then in the order in which they come.
static void find_axes(padder *p, int l)
{
    const cairn_level *level  = &p->layout->level[l];
    int64_t            stride = 1;

    p->axes  = 0;
    p->nodes = -1;
    if (level->determined.per_node) p->axis[p->axes++] = (axis){.level = -1};
    for (int k = p->layout->partition + 1; k < l; k++)
        if (level->determined.by >> k & 1)
            p->axis[p->axes++] = (axis){.lo    = p->layout->level[k].range.lo,
                                        .size  = p->layout->level[k].size,
                                        .level = k};
    for (int a = p->axes; a-- > 0; stride *= p->axis[a].size)
        p->axis[a].stride = stride;
    order_axes(p);
    for (int a = 0; a < p->axes; a++)
        if (p->axis[a].level < 0) p->nodes = a;
}

/* ---- chunks ---- */

static void fill_rows(int64_t *column, int n, int64_t first, int64_t by)
{
    for (int k = 0; k < n; k++)
        column[k] = first + k * by;
}

/// Index number @p at of an axis, in some rows.
static void enter_index(padder *p, const axis *a, int64_t at, int row, int n)
{
    if (a->level >= 0) {
        fill_rows(p->columns.var[a->level] + row, n, a->lo + at, 0);
        return;
    }
    for (int l = 0; l <= p->layout->last; l++)
        fill_rows(p->columns.var[l] + row, n, p->tuples[l][p->first + at], 0);
}

/// Is the pattern that of the positions before: of as many banks as there may be, each
/// small? Nodes have indices of their own.
static bool is_kept(const padder *p)
{
    bool same = p->pattern.period > 0 && p->nodes < p->pattern.inner;

    for (int a = 0; a < p->axes && same; a++)
        same = p->axis[a].size == p->pattern.size[a];
    return same;
}

/// As many of the axes that move fastest as a chunk has room for: their indices are written
/// once for all chunks. Chunks are some periods, in which the axis before those moves, and
/// end where it does.
static void begin_chunks(padder *p)
{
    if (is_kept(p)) return;
    for (int a = 0; a < p->axes; a++)
        p->pattern.size[a] = p->axis[a].size;
    p->pattern.inner  = p->axes;
    p->pattern.period = 1;
    while (p->pattern.inner > 0
           && p->axis[p->pattern.inner - 1].size <= ROWS / p->pattern.period)
        p->pattern.period *= (int)p->axis[--p->pattern.inner].size;

    const axis *const moves =
        p->pattern.inner > 0 ? &p->axis[p->pattern.inner - 1] : NULL;
    const int64_t turns = moves ? moves->size : 1;
    const int     rows =
        p->pattern.period
        * (int)(turns < ROWS / p->pattern.period ? turns : ROWS / p->pattern.period);

    for (int turn = 0; turn * p->pattern.period < rows; turn++) {
        fill_rows(p->pattern.turn + turn * p->pattern.period, p->pattern.period, turn,
                  0);
        fill_rows(p->pattern.after + turn * p->pattern.period, p->pattern.period,
                  moves ? turn * moves->stride : 0, 0);
    }
    for (int a = p->pattern.inner, each = p->pattern.period; a < p->axes; a++) {
        const axis *const its = &p->axis[a];
        int64_t           at  = 0;

        each /= (int)its->size;
        for (int row = 0; row < rows; row += each) {
            enter_index(p, its, at, row, each);
            for (int k = 0; k < each; k++)
                p->pattern.after[row + k] += at * its->stride;
            at = at + 1 < its->size ? at + 1 : 0;
        }
    }
    p->pattern.side_by_side = true;
    for (int k = 0; k < rows; k++)
        p->pattern.side_by_side &= p->pattern.after[k] == k;
}

/// Indices of the axis that moves once a period, in the @p n rows of a chunk.
CAIRN_WIDE static void enter_turns(padder *p, const axis *a, int n)
{
    const int64_t *const turn = p->pattern.turn;
    const bool           each = p->pattern.period == 1; /* a row is a turn */

    if (a->level >= 0) {
        int64_t *const to = p->columns.var[a->level];

        for (int k = 0; k < n; k++)
            to[k] = a->lo + a->at + turn[k];
        return;
    }
    for (int l = 0; l <= p->layout->last; l++) {
        const int64_t *const from = p->tuples[l] + p->first + a->at;
        int64_t *const       to   = p->columns.var[l];

        if (each) memcpy(to, from, (size_t)n * sizeof *to);
        for (int k = 0; k < n && !each; k++)
            to[k] = from[turn[k]];
    }
}

/// Step on by @p turns of the last axis that moves; false: behind the last position.
static bool step(padder *p, int64_t turns)
{
    int a = p->pattern.inner - 1;

    if (a < 0) return false;
    p->axis[a].at += turns;
    while (p->axis[a].at == p->axis[a].size) {
        p->axis[a].at = 0;
        if (a-- == 0) return false;
        p->axis[a].at++;
    }
    return true;
}

/// Fill the columns with the next rows. @return how many; @p more: there are others.
CAIRN_WIDE static int next_rows(padder *p, bool *more)
{
    const axis *const moves =
        p->pattern.inner > 0 ? &p->axis[p->pattern.inner - 1] : NULL;
    int64_t turns = 1, where = 0;

    if (moves) {
        turns = moves->size - moves->at;
        turns = turns < ROWS / p->pattern.period ? turns : ROWS / p->pattern.period;
    }
    const int n = (int)turns * p->pattern.period;

    if (p->nodes >= 0) where = p->first * p->axis[p->nodes].stride;
    for (int a = 0; a < p->pattern.inner; a++)
        where += p->axis[a].at * p->axis[a].stride;
    for (int a = 0; a < p->pattern.inner - 1; a++)
        enter_index(p, &p->axis[a], p->axis[a].at, 0, n);
    if (moves) enter_turns(p, moves, n);
    for (int k = 0; k < n; k++)
        p->position[k] = where + p->pattern.after[k];
    *more = step(p, turns);
    return n;
}

/* Positions that lie side by side are loops that the compiler has do many at a time. A
   branch would be mispredicted where entries are scattered. */
#define DEFINE_HOLES(bits)                                                           \
    typedef uint##bits##_t word_##bits;                                              \
                                                                                     \
    CAIRN_WIDE static bool has_hole_##bits(const padder             *p,              \
                                           const cairn_kernel_level *view, int n)    \
    {                                                                                \
        const word_##bits *const at   = view->idx;                                   \
        const word_##bits        hole = (word_##bits)view->hole;                     \
        word_##bits              has  = 0;                                           \
                                                                                     \
        for (int k = 0; p->dense && k < n; k++)                                      \
            has |= at[p->position[0] + k] == hole ? 1 : 0;                           \
        for (int k = 0; !p->dense && k < n; k++)                                     \
            has |= *(const word_##bits *)((const char *)at                           \
                                          + p->position[k] * view->idx_stride)       \
                   == hole;                                                          \
        return has != 0;                                                             \
    }                                                                                \
                                                                                     \
    CAIRN_WIDE static void store_##bits(const padder             *p,                 \
                                        const cairn_kernel_level *view,              \
                                        const int64_t *restrict index, int n)        \
    {                                                                                \
        const unsigned char *restrict const ok = (const unsigned char *)p->ok;       \
        const word_##bits hole                 = (word_##bits)view->hole;            \
        const int64_t     stride               = view->idx_stride;                   \
        char *const       at                   = (char *)view->idx;                  \
        word_##bits *restrict const to         = (word_##bits *)at + p->position[0]; \
                                                                                     \
        for (int k = 0; p->dense && k < n; k++) {                                    \
            const word_##bits its = ok[k] != 0 ? (word_##bits)index[k] : hole;       \
                                                                                     \
            to[k] = to[k] == hole ? its : to[k];                                     \
        }                                                                            \
        for (int k = 0; !p->dense && k < n; k++) {                                   \
            word_##bits *const one = (word_##bits *)(at + p->position[k] * stride);  \
            const word_##bits  all =                                                 \
                (word_##bits) - (word_##bits)((*one == hole) & ok[k]);               \
                                                                                     \
            *one = (word_##bits)((*one & ~all) | ((word_##bits)index[k] & all));     \
        }                                                                            \
    }

DEFINE_HOLES(8)
DEFINE_HOLES(16)
DEFINE_HOLES(32)
DEFINE_HOLES(64)

/// Of positions that are set, `dense` or not.
static bool has_hole_of(const padder *p, const cairn_kernel_level *view, int n)
{
    switch (view->idx_bits) {
    case 8: return has_hole_8(p, view, n);
    case 16: return has_hole_16(p, view, n);
    case 32: return has_hole_32(p, view, n);
    default: return has_hole_64(p, view, n);
    }
}

static bool has_hole(padder *p, const cairn_kernel_level *view, int n)
{
    p->dense = p->pattern.side_by_side && view->idx_stride * 8 == view->idx_bits;
    return has_hole_of(p, view, n);
}

/// The index of a level, where it has one and is a hole.
static void store(padder *p, int l, int n)
{
    const cairn_level        *level = &p->layout->level[l];
    const cairn_kernel_level *view  = &p->part->view.level[l];

    memcpy(p->ok, p->columns.ok, (size_t)n * sizeof *p->ok);
    const int64_t *const index = cairn_padding_columns_value(
        &p->columns, &level->determined.recipe.result, n, p->index, p->ok);

    cairn_columns_hold_range(n, index, level->range, p->ok);
    p->dense = p->pattern.side_by_side && view->idx_stride * 8 == view->idx_bits;
    switch (view->idx_bits) {
    case 8: store_8(p, view, index, n); break;
    case 16: store_16(p, view, index, n); break;
    case 32: store_32(p, view, index, n); break;
    default: store_64(p, view, index, n); break;
    }
}

/// All positions of the axes, whose nodes may be some of all.
static cairn_status pad_positions(padder *p)
{
    bool more = true;

    for (int a = 0; a < p->axes; a++) {
        if (p->axis[a].size == 0) return CAIRN_OK;
        p->axis[a].at = 0;
    }
    begin_chunks(p);
    while (more) {
        const int n    = next_rows(p, &more);
        bool      hole = false;

        for (int k = 0; k < p->levels && !hole; k++)
            hole = has_hole(p, &p->part->view.level[p->level[k]], n);
        if (!hole) continue;
        CAIRN_TRY(cairn_padding_columns_run(&p->columns, n));
        for (int k = 0; k < p->levels; k++)
            store(p, p->level[k], n);
    }
    return CAIRN_OK;
}

/// The indices of the bank's levels are the same for all its positions.
static void set_bank(padder *p, int64_t bank)
{
    const int64_t positions = p->part->view.level[p->level[0]].idx_length;
    const int     rows      = positions < ROWS ? (int)positions : ROWS;

    for (int l = p->layout->partition; l >= 0; l--) {
        const cairn_level *level = &p->layout->level[l];

        fill_rows(p->columns.var[l], rows, level->range.lo + bank % level->size, 0);
        bank /= level->size;
    }
}

/// Has any position of a part a hole? Where levels lie side by side that is soon seen: no
/// index is needed for it.
static bool has_any_hole(padder *p, const cairn_part *part)
{
    const int64_t positions = part->view.level[p->level[0]].idx_length;
    bool          hole      = false;

    for (int k = 0; k < p->levels && !hole; k++) {
        const cairn_kernel_level *view = &part->view.level[p->level[k]];

        if (view->idx_stride * 8 != view->idx_bits) return true;
        p->dense = true;
        for (int64_t at = 0; at < positions && !hole; at += ROWS) {
            p->position[0] = at;
            hole           = has_hole_of(p, view,
                                         (int)(positions - at < ROWS ? positions - at : ROWS));
        }
    }
    return hole;
}

/// Nodes that move below a level are taken in parts, whose indices stay in cache.
static cairn_status pad_part(padder *p, cairn_part *part, int64_t *const *tuples)
{
    const int     last = p->layout->last;
    const int64_t all  = last < 0 ? 1 : part->view.level[last].nodes;
    const int64_t most = p->nodes > 0 ? NODES : all;

    p->part   = part;
    p->tuples = tuples;
    p->first  = 0;
    set_bank(p, part->where.bank);
    if (p->nodes < 0) return pad_positions(p);
    for (; p->first < all; p->first += most) {
        p->axis[p->nodes].size = all - p->first < most ? all - p->first : most;
        CAIRN_TRY(pad_positions(p));
    }
    return CAIRN_OK;
}

/* ---- a member's banks ---- */

void cairn_padding_destroy(cairn_env *env, cairn_padding **padding)
{
    for (int k = 0; *padding && k < (*padding)->padders; k++) {
        cairn_padding_columns_fini(&(*padding)->padder[k]->columns);
        cairn_free(env, (*padding)->padder[k]);
    }
    cairn_free(env, *padding);
    *padding = NULL;
}

static cairn_status add_padder(const cairn_member_build *m,
                               const cairn_part         *part,
                               int                       l,
                               uint32_t                 *done,
                               cairn_padding            *padding)
{
    const cairn_layout *layout = m->layout;
    padder             *p;

    CAIRN_TRY(CAIRN_NEW_ZERO(m->env, 1, &p));
    padding->padder[padding->padders++] = p;
    p->layout                           = layout;
    find_levels(p, l, done);
    CAIRN_TRY(cairn_padding_columns_init(m, l, above(layout, l),
                                         part->view.level[l].idx_length * layout->banks,
                                         &p->columns));
    p->of_entries = cairn_padding_columns_are_of_entries(&p->columns);
    find_axes(p, l);
    return CAIRN_OK;
}

static cairn_status
create(const cairn_member_build *m, const cairn_part *part, cairn_padding **padding)
{
    const cairn_layout *layout = m->layout;
    uint32_t            done   = 0;

    CAIRN_TRY(CAIRN_NEW_ZERO(m->env, 1, padding));
    for (int l = layout->last + 1; l < layout->levels; l++)
        if (layout->level[l].determined.on && !(done >> l & 1))
            CAIRN_TRY(add_padder(m, part, l, &done, *padding));
    return CAIRN_OK;
}

cairn_status cairn_padding_fill(const cairn_member_build *m,
                                cairn_padding           **padding,
                                cairn_part               *part,
                                int64_t *const           *tuples)
{
    if (!*padding) CAIRN_TRY(create(m, part, padding));
    for (int k = 0; k < (*padding)->padders; k++) {
        padder *const p         = (*padding)->padder[k];
        const int64_t positions = part->view.level[p->level[0]].idx_length;

        if (positions == 0 || p->of_entries || !has_any_hole(p, part)) continue;
        CAIRN_TRY(pad_part(p, part, tuples));
        cairn_visit(m->env, positions * p->levels);
    }
    return CAIRN_OK;
}
