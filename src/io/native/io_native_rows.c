// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows of a segment alone. Where the first level follows the rows, what is stored of them
/// is a stretch of every array; each ptr counts from 0 again.

#include "format/language.h"
#include "io/native/io_native_check.h"
#include "io/native/io_native_window.h"
#include "tensor/stretch.h"

#include <string.h>

bool cairn_native_rows_divide(const cairn_native_segment *segment)
{
    for (int m = 0; m < segment->tensor->groups; m++)
        if (!cairn_layout_ascends_with_rows(segment->tensor->group[m].layout))
            return false;
    return true;
}

/* ---- where rows begin ---- */

/// The first node of level 0, whose idx ascends, with an index of at least @p bound.
static cairn_status
first_node(const cairn_native_tree *tree, int64_t bound, cairn_pos *node)
{
    const cairn_kernel_level *level = &tree->part->view.level[0];
    cairn_pos                 lo = 0, hi = level->nodes;

    while (lo < hi) {
        const cairn_pos mid = lo + (hi - lo) / 2;
        char            at[8];

        CAIRN_TRY(cairn_native_fetch(tree->segment, at, level->idx_bits / 8,
                                     tree->idx_at[0] + mid * level->idx_stride));
        if (cairn_load_int(at, 0, 8, level->idx_bits, level->idx_signed) < bound)
            lo = mid + 1;
        else
            hi = mid;
    }
    *node = lo;
    return CAIRN_OK;
}

/// The nodes of each level at which @p row begins.
static cairn_status
find_row(const cairn_native_tree *tree, cairn_coord row, cairn_pos *at)
{
    const cairn_layout *layout             = tree->part->layout;
    const cairn_coord   d[CAIRN_MAX_ORDER] = {row};

    if (row > layout->box[0].hi) {
        at[0] = tree->nodes[0];
    } else {
        const int64_t e =
            cairn_form_value(layout->algebra, &layout->level[0].form, d, NULL);

        at[0] = e - layout->level[0].range.lo;
        if (layout->level[0].trimmed) CAIRN_TRY(first_node(tree, e, &at[0]));
    }
    for (int l = 1; l < layout->levels; l++)
        CAIRN_TRY(cairn_native_children(tree, l, at[l - 1], &at[l]));
    return CAIRN_OK;
}

cairn_status cairn_native_values_before(const cairn_native_segment *segment,
                                        cairn_coord                 row,
                                        cairn_pos                  *values)
{
    *values = 0;
    for (int m = 0; m < segment->tensor->groups; m++) {
        cairn_pos         at[CAIRN_MAX_LEVELS];
        cairn_native_tree tree;

        cairn_native_tree_init(segment, segment->tensor->group[m].first, &tree);
        CAIRN_TRY(find_row(&tree, row, at));
        *values = cairn_count_plus(*values, at[tree.part->layout->levels - 1]);
    }
    return CAIRN_OK;
}

/* ---- the tensor of these rows ---- */

/// The layout of a member on some rows, its values stored as the segment's are.
static cairn_status create_layout(const cairn_local  *slice,
                                  const cairn_layout *whole,
                                  cairn_layout      **layout)
{
    cairn_env    *env = slice->env;
    cairn_layout *wide;

    CAIRN_TRY(cairn_layout_create(env, whole->encoding, whole->extent, slice->box,
                                  whole->given.span, whole->values.carrier_bits,
                                  &wide));
    if (cairn_layout_is_wide(whole)) {
        *layout = wide;
        return CAIRN_OK;
    }
    const cairn_status status =
        cairn_layout_store(env, wide, whole->values.kind, whole->values.bits, layout);

    cairn_layout_destroy(env, &wide);
    return status;
}

/// The tensor without arrays.
static cairn_status create_slice(const cairn_native_segment *segment,
                                 cairn_interval              rows,
                                 cairn_local                *slice)
{
    const cairn_local *whole = segment->tensor;

    slice->env        = segment->env;
    slice->shape      = whole->shape;
    slice->format     = segment->format;
    slice->value_bits = whole->value_bits;
    memcpy(slice->box, whole->box, sizeof slice->box);
    slice->box[0] = rows;
    CAIRN_TRY(CAIRN_NEW_ZERO(segment->env, whole->groups, &slice->part));
    for (int m = 0; m < whole->groups; m++) {
        CAIRN_TRY(
            create_layout(slice, whole->group[m].layout, &slice->group[m].layout));
        slice->group[m].first = m;
        slice->group[m].count = 1;
        slice->part[m].where  = (cairn_where){.member = m};
        slice->part[m].nnz    = -1;
        slice->groups         = m + 1;
        slice->parts          = m + 1;
    }
    return CAIRN_OK;
}

/* ---- arrays ---- */

/// Rows of one segment, those of a tensor or some of them.
typedef struct {
    const cairn_native_segment *segment;
    cairn_native_tree           tree;
    cairn_pos from[CAIRN_MAX_LEVELS]; ///< Nodes of each level that they
    cairn_pos to[CAIRN_MAX_LEVELS];   ///< have; at the last, values.
} piece;

/// Elements of an array, in the segment and in memory.
typedef struct {
    int64_t from, count, to;
} stretch;

/// Where the indices of a determined level that depend on no node begin.
static cairn_pos
first_combination(const cairn_layout *whole, const cairn_layout *own, int l)
{
    cairn_pos first = own->level[0].range.lo - whole->level[0].range.lo;

    if (!(own->level[l].determined.by & 1)) return 0;
    for (int k = 1; k < l; k++)
        if (own->level[l].determined.by >> k & 1) first *= own->level[k].size;
    return first;
}

/// @param[in] done  [levels] nodes of the pieces before.
static stretch find_stretch(const piece       *p,
                            const cairn_part  *part,
                            const cairn_array *array,
                            const cairn_pos   *done)
{
    const cairn_layout *own = part->layout;
    int                 l   = array->level;

    if (array->kind == CAIRN_ARRAY_PTR)
        return l > 0 ? (stretch){p->from[l - 1], p->to[l - 1] - p->from[l - 1] + 1,
                                 done[l - 1]}
                     : (stretch){0, array->length, 0};
    if (array->kind == CAIRN_ARRAY_DICTIONARY
        || (array->kind == CAIRN_ARRAY_VAL && part->view.val_kind == CAIRN_VALUE_ONE))
        return (stretch){0, array->length, 0};
    if (array->kind == CAIRN_ARRAY_TUPLES) l = own->packs.tuple[array->tuple].field[0];
    if (array->kind == CAIRN_ARRAY_VAL) l = own->levels - 1;
    if (array->kind == CAIRN_ARRAY_VAL || own->level[l].trimmed
        || own->level[l].determined.per_node)
        return (stretch){p->from[l], p->to[l] - p->from[l], done[l]};
    return (stretch){first_combination(p->tree.part->layout, own, l), array->length, 0};
}

/// Let elements of a ptr, of which the first is where its nodes begin, count from @p first
/// on.
static void count_anew(char *at, int64_t count, int bits, cairn_pos first)
{
    const int     width = bits / 8;
    const int64_t less  = cairn_load_int(at, 0, width, bits, false) - first;

    for (int64_t k = 0; k < count; k++)
        cairn_store_int(at, k, width, bits,
                        cairn_load_int(at, k, width, bits, false) - less);
}

static cairn_status
load_piece(const piece *p, const cairn_part *part, const cairn_pos *done)
{
    const int64_t number = p->tree.part - p->segment->tensor->part;
    cairn_array   file[CAIRN_MAX_ARRAYS], own[CAIRN_MAX_ARRAYS];
    int64_t       at[CAIRN_MAX_ARRAYS + 1];
    const int     arrays = cairn_part_own_arrays(part, own);

    cairn_native_part_arrays(p->segment, number, file, at);
    for (int a = 0; a < arrays; a++) {
        if (own[a].length == 0) continue;
        const int64_t width = own[a].bytes / own[a].length;
        const stretch s     = find_stretch(p, part, &own[a], done);
        char *const   to    = (char *)own[a].data + s.to * width;

        CAIRN_TRY(cairn_native_fetch(p->segment, to, s.count * width,
                                     at[a] + s.from * width));
        if (own[a].kind == CAIRN_ARRAY_PTR)
            count_anew(to, s.count, own[a].bits, done[own[a].level]);
    }
    return CAIRN_OK;
}

/// Are all nodes of level 0 in these rows? Where its idx does not ascend they may not be.
static bool has_own_rows(const cairn_part *part)
{
    const cairn_kernel_level *level = &part->view.level[0];
    const cairn_interval      range = part->layout->level[0].range;

    for (cairn_pos k = 0; level->idx_bits && k < level->idx_length; k++) {
        const int64_t e = cairn_load_int(level->idx, k, level->idx_stride,
                                         level->idx_bits, level->idx_signed);

        if (e < range.lo || e > range.hi) return false;
    }
    return true;
}

/* ---- members ---- */

/// Does row @p row begin a node of level 0?
static bool begins_node(const cairn_layout *layout, cairn_coord row)
{
    const cairn_coord d[CAIRN_MAX_ORDER] = {row}, before[CAIRN_MAX_ORDER] = {row - 1};
    const cairn_form *form = &layout->level[0].form;

    return row == 0
           || cairn_form_value(layout->algebra, form, d, NULL)
                  != cairn_form_value(layout->algebra, form, before, NULL);
}

/// Find the rows of @p slice in a segment. @p alike: stretches of its arrays are the
/// slice's.
static cairn_status find_piece(const cairn_native_segment *segment,
                               int                         member,
                               const cairn_local          *slice,
                               piece                      *p,
                               bool                       *alike)
{
    const cairn_interval own = slice->box[0], its = segment->tensor->box[0];

    p->segment = segment;
    cairn_native_tree_init(segment, segment->tensor->group[member].first, &p->tree);
    *alike =
        cairn_layout_stores_alike(p->tree.part->layout, slice->group[member].layout);
    if (!*alike) return CAIRN_OK;
    /* Rows may be too few to be cut where blocks begin. */
    *alike = (own.lo <= its.lo || begins_node(p->tree.part->layout, own.lo))
             && (own.hi >= its.hi || begins_node(p->tree.part->layout, own.hi + 1));
    if (!*alike) return CAIRN_OK;
    CAIRN_TRY(find_row(&p->tree, its.lo > own.lo ? its.lo : own.lo, p->from));
    CAIRN_TRY(find_row(&p->tree, (its.hi < own.hi ? its.hi : own.hi) + 1, p->to));
    for (int l = 0; l < p->tree.part->layout->levels; l++)
        if (p->to[l] < p->from[l]) return cairn_native_broken(segment, "a ptr falls");
    return CAIRN_OK;
}

/// Allocate the arrays of a member for as many nodes.
static cairn_status
make_arrays(const char *name, cairn_local *slice, int member, const cairn_pos *count)
{
    cairn_group *group                                       = &slice->group[member];
    cairn_pos    nodes[CAIRN_MAX_MEMBERS * CAIRN_MAX_LEVELS] = {0};
    int64_t      total = 0, bytes = 0;

    for (int l = 0; l < group->layout->levels; l++)
        if (group->layout->level[l].trimmed)
            nodes[member * CAIRN_MAX_LEVELS + l] = count[l];
    cairn_part_place(group->layout, nodes + member * CAIRN_MAX_LEVELS, NULL, &total,
                     &bytes, &slice->part[member]);
    CAIRN_TRY(cairn_check_memory(slice->env, name, total));
    CAIRN_TRY(cairn_group_alloc_parts(slice->env, group, nodes, slice->part));
    if (group->layout->values.kind == CAIRN_VALUE_CODE)
        CAIRN_TRY(cairn_group_add_dictionary(slice->env, group, NULL, slice->part));
    return CAIRN_OK;
}

/// What each segment's part has to say of its entries. Of joined segments each value is one.
static cairn_status note_splits(const piece        *p,
                                int64_t             count,
                                const cairn_part   *part,
                                cairn_native_split *split)
{
    const int last = part->layout->levels - 1;

    for (int64_t k = 0; k < count; k++) {
        const cairn_part *whole = p[k].tree.part;

        split[k * CAIRN_MAX_MEMBERS] = (cairn_native_split){
            .part   = whole - p[k].segment->tensor->part,
            .found  = count > 1 ? p[k].to[last] - p[k].from[last] : part->nnz,
            .nnz    = whole->nnz,
            .values = whole->layout->pads ? whole->view.values : -1};
    }
    if (count > 1 && part->nnz != part->view.values)
        return cairn_native_broken(p->segment,
                                   "a part does not hold as many entries as it says");
    return CAIRN_OK;
}

/// Read a member's arrays. @p alone: they are those of these rows.
static cairn_status load_member(const cairn_native_segment *segment,
                                int64_t                     count,
                                int                         member,
                                piece                      *p,
                                cairn_local                *slice,
                                cairn_native_split         *split,
                                bool                       *alone)
{
    cairn_part *part                    = &slice->part[member];
    cairn_pos   nodes[CAIRN_MAX_LEVELS] = {0}, done[CAIRN_MAX_LEVELS] = {0};
    bool        holds;

    for (int64_t k = 0; k < count; k++) {
        CAIRN_TRY(find_piece(&segment[k], member, slice, &p[k], alone));
        if (!*alone) return CAIRN_OK;
        for (int l = 0; l < p[k].tree.part->layout->levels; l++)
            nodes[l] += p[k].to[l] - p[k].from[l];
    }
    CAIRN_TRY(make_arrays(segment->bytes.name, slice, member, nodes));
    for (int64_t k = 0; k < count; k++) {
        CAIRN_TRY(load_piece(&p[k], part, done));
        for (int l = 0; l < part->layout->levels; l++)
            done[l] += p[k].to[l] - p[k].from[l];
    }
    CAIRN_TRY(cairn_native_check_sound(segment, part));
    *alone = has_own_rows(part);
    if (!*alone) return CAIRN_OK;
    CAIRN_TRY(cairn_native_check(segment->env, slice, member, &holds));
    return note_splits(p, count, part, split + member);
}

/* ---- several segments ---- */

/// Has every value an entry, is none its segment's own, and no index all rows'?
static bool joins(const cairn_layout *a, const cairn_layout *b)
{
    bool joins = a->encoding->queries == 0 && !a->pads
                 && a->values.kind == b->values.kind && a->values.bits == b->values.bits
                 && a->values.kind != CAIRN_VALUE_ONE
                 && a->values.kind != CAIRN_VALUE_CODE;

    for (int l = 0; l < a->levels; l++)
        joins = joins && !a->level[l].gaps && !a->level[l].determined.on;
    return joins;
}

bool cairn_native_rows_join(const cairn_native_segment *segment,
                            const cairn_native_segment *next)
{
    for (int m = 0; m < segment->tensor->groups; m++) {
        const cairn_layout *layout = next->tensor->group[m].layout;

        if (!joins(segment->tensor->group[m].layout, layout)
            || !begins_node(layout, next->tensor->box[0].lo))
            return false;
    }
    return true;
}

cairn_status cairn_native_load_rows(const cairn_native_segment *segment,
                                    int64_t                     count,
                                    cairn_interval              rows,
                                    cairn_local               **tensor,
                                    cairn_native_split         *split)
{
    cairn_local *slice;
    piece       *pieces = NULL;
    bool         alone  = true;

    CAIRN_TRY(CAIRN_NEW_ZERO(segment->env, 1, &slice));
    slice->env          = segment->env;
    cairn_status status = create_slice(segment, rows, slice);

    if (status == CAIRN_OK) status = CAIRN_NEW(segment->env, count, &pieces);
    for (int m = 0; m < segment->tensor->groups && status == CAIRN_OK && alone; m++)
        status = load_member(segment, count, m, pieces, slice, split, &alone);
    cairn_free(segment->env, pieces);
    if (status == CAIRN_OK && alone) {
        *tensor = slice;
        return CAIRN_OK;
    }
    cairn_local_destroy(&slice);
    if (status == CAIRN_OK) *tensor = NULL;
    return status;
}
