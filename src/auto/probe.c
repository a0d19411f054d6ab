// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Storing a sample to count what a format stores.

#include "auto/probe.h"

#include "auto/touches.h"
#include "convert/build.h"
#include "lower/product/product_plan.h"

#include <math.h>
#include <stdlib.h>

/* A sample that takes more bytes than this is stored in a format that is not for it:
   for each entry, and beside. */
static const int64_t bytes_an_entry = 1024, bytes_beside = 4 << 20;

/* Rows of Y that lie further apart than this belong to several threads. */
enum { FAR_ROWS = 512 };

/// A member that is counted, and what is known of the sample beside the whole.
typedef struct {
    const cairn_probe  *probe;
    const cairn_group  *group;
    const cairn_part   *part;
    const cairn_layout *layout;
    double              times;     ///< Entries of the whole for each of the sample's,
    double              extent[2]; ///< rows, and columns.
    double              longest;   ///< The longest row beside the sample's.
} member;

/// Does the level's index follow from dimension @p k alone?
static bool is_of(const member *m, int l, int k)
{
    return cairn_plan_function_of(m->layout, l, k);
}

/// Indices of complete levels from @p first to @p last, of the whole: where the level
/// goes with an extent, by that.
static double complete(const member *m, int first, int last)
{
    double size = 1;

    for (int l = first; l <= last; l++) {
        const cairn_level *level = &m->layout->level[l];

        if (level->determined.on) continue;
        size *= (double)level->size;
        if (cairn_plan_constant(m->layout, l)) continue;
        if (is_of(m, l, 0))
            size *= m->extent[0];
        else if (is_of(m, l, 1))
            size *= m->extent[1];
    }
    return size;
}

/// Does a complete level below the stored ones run over all rows or columns? Then stored
/// nodes are columns of a table, and a larger matrix has not more of them.
static bool is_table(const member *m)
{
    for (int l = m->layout->last + 1; l < m->layout->levels; l++)
        if (cairn_plan_is_below(m->layout, l) && !cairn_plan_constant(m->layout, l))
            return m->layout->first == 0;
    return false;
}

/// Nodes of a stored level, of the whole.
static double stored_nodes(const member *m, int l)
{
    const double nodes = (double)m->part->view.level[l].nodes;

    if (!is_table(m)) return nodes * m->times;
    return m->layout->level[l].indirect ? nodes * m->longest : nodes;
}

/// Nodes of any level.
static double nodes_of(const member *m, int l)
{
    const cairn_layout *layout = m->layout;

    if (l < 0) return 1;
    if (l < layout->first) return complete(m, 0, l);
    if (l <= layout->last) return stored_nodes(m, l);
    return (layout->last >= 0 ? stored_nodes(m, layout->last) : 1)
           * complete(m, layout->last + 1, l);
}

/// The last level whose nodes are lists under those of the level above; -1: none.
static int list_level(const member *m)
{
    for (int l = m->layout->last; l >= m->layout->first; l--)
        if (m->part->view.level[l].ptr) return l;
    return -1;
}

static int64_t ptr_at(const cairn_kernel_level *level, int64_t k)
{
    return cairn_load_int(level->ptr, k, level->ptr_bits / 8, level->ptr_bits, false);
}

/// How lists differ, and the longest.
static void count_lists(const member *m, int l, cairn_suggest_work *work)
{
    const cairn_kernel_level *level   = &m->part->view.level[l];
    const double              parents = (double)level->ptr_length - 1;
    int64_t                   before = 0, longest = 0, breaks = 0;

    for (int64_t k = 0; k + 1 < level->ptr_length; k++) {
        const int64_t length = ptr_at(level, k + 1) - ptr_at(level, k);

        breaks += length != before;
        longest = length > longest ? length : longest;
        before  = length;
    }
    work->rows  = nodes_of(m, l - 1);
    work->turns = parents > 0 ? work->rows / parents * (double)breaks : 0;
    if (work->units > 0)
        work->widest = (double)longest * m->longest * work->values / work->units;
}

/// Rows that stand far from the one before.
static void count_scattered_rows(const member *m, cairn_suggest_work *work)
{
    int64_t far_rows = 0;

    for (int l = m->layout->last + 1; l < m->layout->levels; l++) {
        const cairn_kernel_level *level = &m->part->view.level[l];

        if (!m->layout->level[l].determined.on || !level->idx || !is_of(m, l, 0))
            continue;
        for (int64_t k = 1; k < level->idx_length; k++)
            far_rows += llabs(cairn_load_int(level->idx, k, level->idx_stride,
                                             level->idx_bits, level->idx_signed)
                              - cairn_load_int(level->idx, k - 1, level->idx_stride,
                                               level->idx_bits, level->idx_signed))
                        > FAR_ROWS;
    }
    work->scattered_rows = m->extent[0] * (double)far_rows;
}

/// Bytes of an index of the whole, whose range is wider than the sample's.
static double index_bytes(const member *m, int l)
{
    const cairn_level *level = &m->layout->level[l];
    double             range = (double)level->range.hi - (double)level->range.lo + 1;

    if (!level->indirect && !cairn_plan_constant(m->layout, l))
        range *= fmax(1, fmax(is_of(m, l, 1) ? 0 : m->extent[0],
                              is_of(m, l, 0) ? 0 : m->extent[1]));
    return cairn_index_bytes(range < 9e18 ? (int64_t)range : INT64_MAX);
}

/// Arrays of indices of the whole: each as long as nodes, or lists, or values are many.
static double count_bytes(const member *m, const cairn_suggest_work *work)
{
    const cairn_kernel_part *view  = &m->part->view;
    double                   bytes = 0;

    for (int l = 0; l < m->layout->levels; l++) {
        const cairn_level *level = &m->layout->level[l];
        const double       each =
            view->values > 0 ? (double)view->level[l].idx_length / (double)view->values
                                   : 0;

        if (level->arrays.has_ptr) bytes += 4 * nodes_of(m, l - 1);
        if (!level->arrays.has_idx) continue;
        bytes += index_bytes(m, l)
                 * (level->determined.on ? each * work->values : nodes_of(m, l));
    }
    return bytes;
}

/// Lines of X, and of Y, from beyond the caches: as rows have them where rows come first;
/// else as the entries are met.
static cairn_status
count_touches(const member *m, const cairn_leaf *leaf, cairn_suggest_work *work)
{
    const cairn_pattern *whole = m->probe->whole;
    const double         share =
        whole->entries > 0 ? work->entries / (double)whole->entries : 0;
    cairn_touches touches = {0};

    work->near = share * (double)whole->touches.near;
    work->far  = share * (double)whole->touches.far;
    if (leaf->by_rows) return CAIRN_OK;
    CAIRN_TRY(cairn_touches_count(m->probe->env, m->group, m->part, m->probe->sample,
                                  &touches));
    work->near = m->times * (double)touches.near;
    work->far  = m->times * (double)touches.far;
    return CAIRN_OK;
}

static cairn_status
count_member(const member *m, cairn_suggest_work *work, cairn_leaf *leaf)
{
    const cairn_layout *layout = m->layout;
    const int           list   = list_level(m);
    const double        whole  = (double)m->probe->whole->filled_rows;

    *leaf       = cairn_leaf_of(layout, m->probe->op);
    *work       = (cairn_suggest_work){.added   = whole,
                                       .entries = m->times * (double)m->part->nnz,
                                       .values  = nodes_of(m, layout->levels - 1)};
    work->units = layout->last >= 0 ? nodes_of(m, layout->last) : work->values;
    work->rows  = leaf->finds_rows ? whole : nodes_of(m, layout->first - 1);
    if (list >= 0) count_lists(m, list, work);
    if (leaf->moved) count_scattered_rows(m, work);
    work->bytes = count_bytes(m, work);
    return count_touches(m, leaf, work);
}

static double ratio(int64_t whole, int64_t sample)
{
    return sample > 0 ? (double)whole / (double)sample : 1;
}

/// Banks are alike: the first is counted, as often as there are banks.
static cairn_status count_group(const cairn_probe *probe,
                                const cairn_local *local,
                                int                g,
                                cairn_counts      *counts)
{
    const cairn_group *group = &local->group[g];
    cairn_val_type     type  = group->layout->encoding->val;
    member             m     = {
                        .probe  = probe,
                        .group  = group,
                        .part   = &local->part[group->first],
                        .layout = group->layout,
                        .times  = (double)group->count
                                 * ratio(probe->whole->entries, probe->sampled->entries),
                        .extent = {ratio(probe->whole->rows, probe->sampled->rows),
                                   ratio(probe->whole->cols, probe->sampled->cols)},
                        .longest = fmax(1, ratio(probe->whole->max_row, probe->sampled->max_row))
    };

    CAIRN_TRY(count_member(&m, &counts->work[g], &counts->leaf[g]));
    /* What is packed with indices stays as it is; and of values a sample says as much as is
       to be known of how many different ones there are. */
    if (group->layout->values.tuple >= 0)
        type = CAIRN_VAL_F64;
    else if (type == CAIRN_VAL_EXACT && group->layout->values.kind == CAIRN_VALUE_CODE)
        type = group->layout->values.bits == 8 ? CAIRN_VAL_DICT8 : CAIRN_VAL_DICT16;
    cairn_counts_store(counts, g, probe->values, type);
    return CAIRN_OK;
}

static cairn_status
store(const cairn_probe *probe, const cairn_format *format, cairn_local **local)
{
    const cairn_sample *sample = probe->sample;
    const int64_t       most   = bytes_beside + bytes_an_entry * sample->entries.n;
    const int64_t       limit  = probe->env->memory_limit;
    cairn_build         build  = {.format     = format,
                                  .shape      = sample->shape,
                                  .entries    = &sample->entries,
                                  .value_bits = probe->values->carrier_bits,
                                  .held       = limit > most ? limit - most : 0};

    for (int k = 0; k < 2; k++)
        build.box[k] = (cairn_interval){0, sample->shape.extent[k] - 1};
    return cairn_local_build(probe->env, &build, local);
}

int64_t cairn_probe_rows(const cairn_format *format)
{
    int64_t rows = 1;

    for (int m = 0; m < format->members; m++) {
        const int64_t grain = cairn_encoding_grain(format->member[m]);

        /* What is no multiple of the others is kept whole, or not; samples are samples. */
        rows = grain % rows == 0   ? grain
               : rows % grain == 0 ? rows
               : rows > grain      ? rows
                                   : grain;
    }
    return rows;
}

cairn_status cairn_probe_count(const cairn_probe  *probe,
                               const cairn_format *format,
                               cairn_counts       *counts)
{
    cairn_counts fresh  = {0};
    cairn_local *local  = NULL;
    cairn_status status = store(probe, format, &local);

    if (status != CAIRN_OK) {
        *counts = fresh; /* whatever it is: this format is not for this matrix */
        return CAIRN_OK;
    }
    fresh.members = local->groups;
    for (int g = 0; g < local->groups && status == CAIRN_OK; g++)
        status = count_group(probe, local, g, &fresh);
    cairn_local_destroy(&local);
    if (status == CAIRN_OK) *counts = fresh;
    return status;
}
