// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where rows begin: from a ptr, or where an index differs from the one before.

#include "phases/row_starts.h"

#include "base/offsets.h"
#include "base/wide.h"
#include "entries/row_begins.h"

#include <assert.h>
#include <string.h>

/* Counts and positions are 32 bits wide. */
#define MOST ((int64_t)UINT32_MAX - 1)

enum {
    BLOCK = CAIRN_BEGINS_BLOCK,
    WORTH = 200000, ///< Entries from which threads pay (as for other passes).
};

/* ---- which sources ---- */

/// The dimension that a level is by itself; -1: it is none.
static int dimension_of(const cairn_layout *layout, int l)
{
    return cairn_form_dimension(&layout->level[l].form, layout->order);
}

/// A run of nodes under each node of the outermost level, or one node under each.
static bool level_fits(const cairn_layout *from, int l)
{
    const cairn_level *level = &from->level[l], *top = &from->level[0];

    if (dimension_of(from, l) < 0) return false;
    if (l == 0) return !level->trimmed ? !level->determined.on : level->top;
    if (!level->trimmed || !level->arrays.has_idx || level->gaps) return false;
    return level->arrays.has_ptr ? l == 1 : l > 1 || top->trimmed;
}

static bool layout_fits(const cairn_layout *from)
{
    if (from->levels != from->order || from->order < 2 || from->partition >= 0
        || from->packs.count > 0 || from->pads || !from->inverse.exact
        || from->last != from->levels - 1)
        return false;
    for (int l = 0; l < from->levels; l++)
        if (!level_fits(from, l)) return false;
    return true;
}

int cairn_starts_row(const cairn_origin *origin)
{
    const cairn_layout *from = cairn_origin_layout(origin);

    if (!from) return origin->entries->order > 1 ? 0 : -1;
    return from->levels ? dimension_of(from, 0) : -1;
}

/// Do the levels of a part begin and end where its box does?
static bool part_fits(const cairn_origin *origin, int row)
{
    const cairn_kernel_part *view = cairn_origin_view(origin, 0);
    const cairn_interval     box  = origin->box[row];

    return view->values == cairn_origin_entries(origin)
           && (cairn_origin_layout(origin)->level[0].trimmed
               || view->level[1].ptr_length == box.hi - box.lo + 2);
}

bool cairn_starts_fit(const cairn_origin *origin, int row)
{
    const cairn_group *group = cairn_origin_group(origin);

    if (row < 0 || cairn_starts_row(origin) != row || origin->filter.member)
        return false;
    if (!group) return true;
    return group->count == 1 && cairn_group_is_ordered(group)
           && layout_fits(group->layout) && cairn_origin_fits(origin)
           && part_fits(origin, row);
}

/* ---- by a ptr ---- */

static int64_t load_ptr(const cairn_kernel_level *level, int64_t k)
{
    return cairn_load_int(level->ptr, k, level->ptr_bits / 8, level->ptr_bits, false);
}

static int64_t load_idx(const cairn_kernel_level *level, int64_t k)
{
    return cairn_load_int(level->idx, k, level->idx_bits / 8, level->idx_bits,
                          level->idx_signed);
}

/// The outermost level is complete: its ptr is what is looked for.
static void copy_ptr(const cairn_kernel_level *level, int64_t rows, uint32_t *first)
{
    const uint64_t *wide = level->ptr_bits == 64 ? level->ptr : NULL;

    if (level->ptr_bits == 32) {
        memcpy(first, level->ptr, (size_t)(rows + 1) * sizeof *first);
        return;
    }
    for (int64_t i = 0; i <= rows; i++)
        first[i] = wide ? (uint32_t)wide[i] : (uint32_t)load_ptr(level, i);
}

/// The outermost level has the rows that have entries.
static void
spread_ptr(const cairn_kernel_part *view, int64_t low, int64_t rows, uint32_t *first)
{
    const cairn_kernel_level *top = &view->level[0], *level = &view->level[1];
    int64_t                   next = 0;

    for (int64_t k = 0; k < top->nodes; k++)
        for (const int64_t row = load_idx(top, k) - low; next <= row; next++)
            first[next] = (uint32_t)load_ptr(level, k);
    while (next <= rows)
        first[next++] = (uint32_t)view->values;
}

/* ---- by differences ---- */

/// Indices of rows, entry by entry.
typedef struct {
    const void *idx;
    int         bits;
    bool        is_signed;
    int64_t     low; ///< The first row.
} indices;

static int64_t row_at(const indices *x, int64_t k)
{
    return cairn_load_int(x->idx, k, x->bits / 8, x->bits, x->is_signed) - x->low;
}

/* Into the function that is compiled for several machines. */
#define INLINE static inline __attribute__((always_inline))

#define COMPARE(type)               \
    for (int j = 0; j < BLOCK; j++) \
    differs[j] = ((const type *)x->idx)[k + j] != ((const type *)x->idx)[k + j - 1]

/// Which of the entries from @p k on, which is not 0, are of another row than the one
/// before.
INLINE void compare(const indices *x, int64_t k, uint8_t *differs)
{
    switch (x->bits) {
    case 8: COMPARE(uint8_t); break;
    case 16: COMPARE(uint16_t); break;
    case 32: COMPARE(uint32_t); break;
    default: COMPARE(uint64_t);
    }
}

/// Rows that begin among entries begin..end-1. @return the row after them.
CAIRN_WIDE static int64_t
find_some(const indices *x, int64_t begin, int64_t end, uint32_t *first)
{
    const int64_t rows = begin < end ? row_at(x, end - 1) + 1 : 0;
    int64_t       next = begin > 0 ? row_at(x, begin - 1) + 1 : 0, k = begin;
    uint8_t       differs[BLOCK];

    if (k == 0 && k < end) {
        next = cairn_begins_row(k, row_at(x, k), next, rows, first);
        k++;
    }
    for (; k + BLOCK <= end; k += BLOCK) {
        compare(x, k, differs);
        uint64_t      mask = cairn_begins_gather(differs);
        const int64_t then = next + __builtin_popcountll(mask);

        if (row_at(x, k + BLOCK - 1) + 1 == then && then + CAIRN_BEGINS_SOME <= rows) {
            cairn_begins_rows(k, mask, first + next);
            next = then;
            continue;
        }
        for (; mask; mask &= mask - 1) {
            const int64_t at = k + __builtin_ctzll(mask);

            next = cairn_begins_row(at, row_at(x, at), next, rows, first);
        }
    }
    for (; k < end; k++)
        if (row_at(x, k) >= next)
            next = cairn_begins_row(k, row_at(x, k), next, rows, first);
    return next;
}

static void
find_all(const indices *x, int64_t n, int64_t rows, int threads, uint32_t *first)
{
    const int ranges = n < WORTH || threads < 1 ? 1 : threads;

#pragma omp parallel for schedule(static, 1) num_threads(ranges) if (ranges > 1)
    for (int t = 0; t < ranges; t++) {
        const int64_t begin = (int64_t)((__int128)n * t / ranges);
        const int64_t end   = (int64_t)((__int128)n * (t + 1) / ranges);
        int64_t       next  = find_some(x, begin, end, first);

        while (t == ranges - 1 && next <= rows)
            first[next++] = (uint32_t)n;
    }
}

static indices indices_of(const cairn_origin *origin, int row)
{
    const int64_t             low = origin->box[row].lo;
    const cairn_kernel_level *level;

    if (!origin->from) return (indices){origin->entries->coord[row], 64, true, low};
    level = &cairn_origin_view(origin, 0)->level[0];
    return (indices){level->idx, level->idx_bits, level->idx_signed, low};
}

/* ---- all ---- */

void cairn_starts_write(const cairn_origin *origin,
                        int                 row,
                        int                 threads,
                        uint32_t           *first)
{
    const cairn_layout *from = cairn_origin_layout(origin);
    const int64_t       rows = origin->box[row].hi - origin->box[row].lo + 1;
    const indices       x    = indices_of(origin, row);

    if (!from || !from->level[1].arrays.has_ptr)
        find_all(&x, cairn_origin_entries(origin), rows, threads, first);
    else if (from->level[0].trimmed)
        spread_ptr(cairn_origin_view(origin, 0), x.low, rows, first);
    else
        copy_ptr(&cairn_origin_view(origin, 0)->level[1], rows, first);
}

void cairn_starts_write_some(const cairn_origin *origin,
                             int                 row,
                             int64_t             begin,
                             int64_t             end,
                             uint32_t           *first)
{
    const int64_t rows = origin->box[row].hi - origin->box[row].lo + 1;
    const int64_t n    = cairn_origin_entries(origin);
    const indices x    = indices_of(origin, row);
    int64_t       next = find_some(&x, begin, end, first);

    while (end == n && next <= rows)
        first[next++] = (uint32_t)n;
}

cairn_status cairn_starts_find(cairn_env          *env,
                               const cairn_origin *origin,
                               int                 row,
                               int                 threads,
                               uint32_t          **first)
{
    const cairn_interval box  = origin->box[row];
    const int64_t        rows = box.hi - box.lo + 1;
    uint32_t            *its;

    CAIRN_CHECK(rows <= MOST && cairn_origin_entries(origin) <= MOST, env,
                CAIRN_NO_KERNEL, "convert: more rows or entries than 32 bits number");
    CAIRN_TRY(CAIRN_NEW(env, rows + 1, &its));
    cairn_starts_write(origin, row, threads, its);
    *first = its;
    assert(cairn_begins_ascend_small(rows, its, its[rows]));
    return CAIRN_OK;
}

cairn_status cairn_starts_count(cairn_env          *env,
                                const cairn_origin *origin,
                                int                 row,
                                int                 threads,
                                uint32_t           *count)
{
    const cairn_interval box = origin->box[row];
    uint32_t            *first;

    CAIRN_TRY(cairn_starts_find(env, origin, row, threads, &first));
    for (int64_t i = 0; i <= box.hi - box.lo; i++)
        count[i] = first[i + 1] - first[i];
    cairn_free(env, first);
    return CAIRN_OK;
}

/// The first row that begins at entry @p entry or behind it.
static int64_t row_from(const uint32_t *first, int64_t rows, int64_t entry)
{
    int64_t lo = 0, hi = rows;

    while (lo < hi) {
        const int64_t middle = lo + (hi - lo) / 2;

        if (first[middle] < entry)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

void cairn_starts_cut(const uint32_t *first, int64_t rows, int64_t ranges, int64_t *cut)
{
    assert(ranges > 0);
    for (int64_t t = 0; t < ranges; t++)
        cut[t] = row_from(first, rows, (int64_t)((__int128)first[rows] * t / ranges));
    cut[0]      = 0;
    cut[ranges] = rows;
}
