// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Entries of a segment, window by window. Where values are padding, those that are not 0
/// are counted before room is made for their entries.

#include "io/native/io_native_check.h"
#include "io/native/io_native_window.h"

#include <string.h>

/// Values of a segment that are being read.
typedef struct {
    const cairn_native_segment *segment;
    int64_t                     room; ///< Bytes of a window.
    cairn_entries              *entries;
    cairn_native_tally         *tally;
    cairn_native_tree           tree;       ///< The part at hand,
    cairn_pos                   first, end; ///< those of its values that are read,
    cairn_pos                   found;      ///< and the entries among them.
    double                     *dictionary; ///< Its member's.
    cairn_walker               *walker;
    int                         member; ///< -1: none yet.
    cairn_native_window         window;
} reader;

/// Which values of part @p number are among @p first .. @p end - 1 of the segment's.
/// @p begin is the number of the part's first. A part without values goes with the value
/// that comes next, or the last.
static bool takes_part(const reader *r,
                       int64_t       number,
                       cairn_pos     begin,
                       cairn_pos     first,
                       cairn_pos     end,
                       cairn_pos    *from,
                       cairn_pos    *to)
{
    const cairn_pos values = r->segment->tensor->part[number].view.values;

    *from = first > begin ? first - begin : 0;
    *to   = end - begin < values ? end - begin : values;
    if (values > 0) return *from < *to;
    return begin >= first && (begin < end || end == r->segment->values);
}

/* ---- how many there are ---- */

/// Values of the tree's part that are not 0, of a block of tuples or of values.
static cairn_pos
count_block(const cairn_kernel_part *view, cairn_pos from, cairn_pos to)
{
    cairn_pos n = 0;

    for (cairn_pos v = from; v < to; v++)
        n += cairn_value_get(view, v) != 0;
    return n;
}

/// At which byte of the segment the values begin, or the tuples that have them.
static int64_t values_at(const reader *r)
{
    const cairn_layout *layout = r->tree.part->layout;
    cairn_array         array[CAIRN_MAX_ARRAYS];
    int64_t             at[CAIRN_MAX_ARRAYS + 1];
    const int           arrays = cairn_native_part_arrays(
                  r->segment, r->tree.part - r->segment->tensor->part, array, at);

    for (int a = 0; a < arrays; a++) {
        if (array[a].kind == CAIRN_ARRAY_VAL) return at[a];
        if (array[a].kind == CAIRN_ARRAY_TUPLES
            && array[a].tuple == layout->values.tuple)
            return at[a] + (int64_t)layout->packs.tuple[array[a].tuple].value_offset;
    }
    return 0;
}

/// Count those of the part's values that are not 0. All are looked at.
static cairn_status count_values(const reader *r, cairn_pos *n)
{
    cairn_kernel_part view   = r->tree.part->view;
    const int64_t     at     = values_at(r);
    const int64_t     width  = view.val_bits / 8 * view.val_block;
    const int64_t     stride = view.val_stride > width ? view.val_stride : width;
    const bool        one    = view.val_kind == CAIRN_VALUE_ONE;
    int64_t           blocks = r->room / stride;
    char             *block;
    cairn_status      status = CAIRN_OK;

    if (blocks < 1) blocks = 1;
    if (one) blocks = 1;
    CAIRN_TRY(cairn_alloc(r->segment->env, blocks, (size_t)stride, (void **)&block));
    view.dictionary = r->dictionary;
    for (cairn_pos v = r->first; v < r->end && status == CAIRN_OK;) {
        const cairn_pos first = one ? 0 : v / view.val_block;
        cairn_pos       to    = one ? r->end : (first + blocks) * view.val_block;
        const cairn_pos last =
            one ? 0 : ((to < r->end ? to : r->end) - 1) / view.val_block;

        if (to > r->end) to = r->end;
        status = cairn_native_fetch(r->segment, block, (last - first) * stride + width,
                                    at + first * stride);
        view.val = (void *)((uintptr_t)block - (uintptr_t)(first * view.val_stride));
        if (status == CAIRN_OK)
            *n += one ? (to - v) * (cairn_value_get(&view, 0) != 0)
                      : count_block(&view, v, to);
        v = to;
    }
    cairn_free(r->segment->env, block);
    return status;
}

/* ---- parts ---- */

/// The walker and the dictionary of a part's member.
static cairn_status begin_member(reader *r, int member)
{
    cairn_env *env = r->segment->env;

    if (member == r->member) return CAIRN_OK;
    cairn_walker_destroy(env, &r->walker);
    cairn_free(env, r->dictionary);
    r->dictionary = NULL;
    r->member     = member;
    CAIRN_TRY(cairn_native_load_dictionary(r->segment, member, &r->dictionary));
    return cairn_walker_create(env, r->segment->tensor->group[member].layout,
                               &r->walker);
}

static cairn_status
collect(void *user, const cairn_part *part, const cairn_batch *batch)
{
    reader *r = user;

    cairn_visit(r->segment->env, batch->n);
    for (int k = 0; k < batch->n; k++) {
        const double value = cairn_value_get(&part->view, batch->value[k]);
        cairn_coord  d[CAIRN_MAX_ORDER];

        if (value == 0 && part->layout->pads) continue;
        for (int m = 0; m < part->layout->order; m++)
            d[m] = batch->coord[m][k];
        CAIRN_TRY(cairn_entries_add(r->segment->env, r->entries, d, value));
        r->found++;
    }
    if (r->found > part->nnz)
        return cairn_native_broken(r->segment,
                                   "a part does not hold as many entries as it says");
    return CAIRN_OK;
}

/// How many entries a part has at most: where it does not pad one a value.
static cairn_status bound_part(reader *r, cairn_pos *bound)
{
    const cairn_part *part   = r->tree.part;
    cairn_pos         values = r->end - r->first;

    if (part->layout->pads) {
        values = 0;
        CAIRN_TRY(begin_member(r, part->where.member));
        CAIRN_TRY(count_values(r, &values));
    }
    *bound = cairn_count_plus(*bound, values < part->nnz ? values : part->nnz);
    return CAIRN_OK;
}

static cairn_status read_part(reader *r)
{
    const cairn_part *part = r->tree.part;

    CAIRN_TRY(begin_member(r, part->where.member));
    r->found = 0;
    for (cairn_pos v = r->first; v < r->end || part->view.values == 0;) {
        cairn_pos end = r->end;

        CAIRN_TRY(cairn_native_window_load(&r->tree, v, &end, r->room, r->dictionary,
                                           &r->window));
        cairn_walker_keep(r->walker, r->window.nodes);
        CAIRN_TRY(cairn_walk(r->walker, &r->window.part, collect, r));
        v = end;
        if (part->view.values == 0) break;
    }
    if (r->first > 0 || r->end < part->view.values) {
        r->tally->split[r->tally->splits++] =
            (cairn_native_split){.part   = part - r->segment->tensor->part,
                                 .found  = r->found,
                                 .nnz    = part->nnz,
                                 .values = part->layout->pads ? part->view.values : -1};
        return CAIRN_OK;
    }
    if (!cairn_native_holds(part, r->found))
        return cairn_native_broken(r->segment,
                                   "a part does not hold as many entries as it says");
    return CAIRN_OK;
}

/// Bound the entries, or read them.
static cairn_status
for_each_part(reader *r, cairn_pos first, cairn_pos end, cairn_pos *bound)
{
    cairn_pos begin = 0;

    for (int64_t p = 0; p < r->segment->tensor->parts; p++) {
        if (takes_part(r, p, begin, first, end, &r->first, &r->end)) {
            cairn_native_tree_init(r->segment, p, &r->tree);
            CAIRN_TRY(bound ? bound_part(r, bound) : read_part(r));
        }
        begin = cairn_count_plus(begin, r->segment->tensor->part[p].view.values);
    }
    return CAIRN_OK;
}

cairn_status cairn_native_read_entries(const cairn_native_segment *segment,
                                       cairn_pos                   first,
                                       cairn_pos                   end,
                                       int64_t                     room,
                                       cairn_entries              *entries,
                                       cairn_native_tally         *tally)
{
    cairn_env *env   = segment->env;
    reader     r     = {.segment = segment,
                        .room    = room,
                        .entries = entries,
                        .tally   = tally,
                        .member  = -1};
    cairn_pos  bound = 0;

    tally->splits       = 0;
    cairn_status status = for_each_part(&r, first, end, &bound);

    if (status == CAIRN_OK)
        status =
            cairn_entries_reserve(env, entries, cairn_count_plus(entries->n, bound));
    if (status == CAIRN_OK) status = for_each_part(&r, first, end, NULL);
    cairn_native_window_fini(env, &r.window);
    cairn_walker_destroy(env, &r.walker);
    cairn_free(env, r.dictionary);
    return status;
}
