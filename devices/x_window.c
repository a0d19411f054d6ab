// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The least and the greatest row of X, from the least and the greatest index of each level:
/// arrays are read once, by all threads, and not an entry is visited.

#include "devices/x_window.h"

#include "tensor/lists.h"

/// What the indices that a level stores are between.
static cairn_interval
stored_between(const cairn_kernel_level *level, bool holes, int threads)
{
    enum { BLOCK = 1 << 16 };
    const int64_t blocks = (level->idx_length + BLOCK - 1) / BLOCK;
    int64_t       lo = INT64_MAX, hi = INT64_MIN;

#pragma omp parallel for num_threads(threads) if (threads > 1 && blocks > 1) \
    reduction(min                                                            \
              : lo) reduction(max                                            \
                              : hi)
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t        end  = (b + 1) * BLOCK;
        const cairn_interval span = cairn_idx_span(
            level, holes, b * BLOCK, end < level->idx_length ? end : level->idx_length);

        lo = span.lo < lo ? span.lo : lo;
        hi = span.hi > hi ? span.hi : hi;
    }
    return (cairn_interval){lo, hi};
}

/// Is the list of the next level's nodes below node @p k of a level empty?
static bool is_empty(const cairn_kernel_level *below, int64_t k)
{
    const int64_t bytes = below->ptr_bits / 8;

    return cairn_load_int(below->ptr, k, bytes, below->ptr_bits, false)
           == cairn_load_int(below->ptr, k + 1, bytes, below->ptr_bits, false);
}

/// What the values of a level that stores none are between: its range, at the top only as
/// far as there is something below.
static cairn_interval range_of(const cairn_part *part, int l)
{
    const cairn_kernel_level *level = &part->view.level[l], *below = level + 1;
    cairn_interval            range = {0, level->size - 1};

    if (l == part->layout->partition + 1 && l + 1 < part->layout->levels
        && below->ptr_length == level->size + 1) {
        while (range.lo < range.hi && is_empty(below, range.lo))
            range.lo++;
        while (range.lo < range.hi && is_empty(below, range.hi))
            range.hi--;
    }
    return (cairn_interval){level->lo + range.lo, level->lo + range.hi};
}

/// What the values of level @p l are between, in one part.
static cairn_interval span_of(const cairn_part *part, int l, int threads)
{
    const cairn_level        *level = &part->layout->level[l];
    const cairn_kernel_level *view  = &part->view.level[l];

    return level->arrays.has_idx && view->idx
               ? stored_between(view, level->determined.on, threads)
               : range_of(part, l);
}

/// What a sum of levels is between. Its division leaves no remainder.
static cairn_interval
between(const cairn_part *part, const cairn_linear *sum, int threads)
{
    cairn_interval range = {sum->constant, sum->constant};

    for (int t = 0; t < sum->terms; t++) {
        const int64_t        num  = sum->num[t];
        const cairn_interval span = span_of(part, sum->var[t], threads);

        if (span.lo > span.hi) return span;
        range.lo += num * (num < 0 ? span.hi : span.lo);
        range.hi += num * (num < 0 ? span.lo : span.hi);
    }
    return range;
}

cairn_interval cairn_x_window(const cairn_device_work *work, int threads)
{
    const cairn_group   *group     = cairn_work_group(work);
    const int            dimension = work->op->transposed ? 0 : 1;
    const cairn_interval box       = work->tensor->box[dimension];
    cairn_interval       rows      = {box.hi + 1, box.lo - 1};

    if (!group->layout->inverse.exact) return box;
    for (int64_t k = 0; k < group->count; k++) {
        const cairn_part *part = cairn_work_part(work, k);

        if (part->view.values == 0) continue;
        const cairn_interval of =
            between(part, &group->layout->inverse.dim[dimension], threads);

        if (of.lo < rows.lo) rows.lo = of.lo;
        if (of.hi > rows.hi) rows.hi = of.hi;
    }
    if (rows.lo < box.lo) rows.lo = box.lo;
    if (rows.hi > box.hi) rows.hi = box.hi;
    return rows;
}
