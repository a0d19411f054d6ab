// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Few entries, by columns and then by rows.

#include "entries/entries_columns.h"

#include "base/offsets.h"

#include <string.h>

enum {
    MOST = 200000, ///< Entries; more are sorted faster in buckets.
    EACH = 4,      ///< Counters that an entry pays for,
    FREE = 1024,   ///< beside these.
    RUN  = 8,      ///< Numbers of rows written at once.
};

bool cairn_columns_fit(const cairn_given *given)
{
    const int64_t most = EACH * given->n + FREE;

    return given->order == 2 && given->extent && given->n <= MOST
           && given->extent[0] <= most && given->extent[1] <= most;
}

/* Loops are inlined for the widths and distances that programs have. */
#define INLINE static inline __attribute__((always_inline))

/// Count by row and by column.
/// @return false: an entry is not within the extents.
INLINE bool count_entries(const cairn_given *given,
                          int64_t            stride,
                          int                bits,
                          uint32_t          *row,
                          uint32_t          *col)
{
    const void *const i = given->coord[0], *const j = given->coord[1];
    const cairn_coord base = given->base;
    const uint64_t    rows = (uint64_t)given->extent[0];
    const uint64_t    cols = (uint64_t)given->extent[1];

    for (cairn_pos p = 0; p < given->n; p++) {
        const uint64_t r = (uint64_t)cairn_given_load(i, p, stride, bits, base);
        const uint64_t k = (uint64_t)cairn_given_load(j, p, stride, bits, base);

        if (r >= rows || k >= cols) return false;
        row[r]++;
        col[k]++;
    }
    return true;
}

INLINE void scatter(const cairn_given *given,
                    int64_t            stride,
                    int                width,
                    int                bits,
                    uint32_t          *col,
                    cairn_item        *to)
{
    const cairn_given own = *given; /* which no store changes */
    const void *const i = own.coord[0], *const j = own.coord[1];

    for (cairn_pos p = 0; p < own.n; p++) {
        const uint64_t    r = (uint64_t)cairn_given_load(i, p, stride, width, own.base);
        const uint64_t    k = (uint64_t)cairn_given_load(j, p, stride, width, own.base);
        const double      v = cairn_given_value(&own, p);
        cairn_item *const its = &to[col[k]++];

        its->word = r << bits | k;
        memcpy(&its->load, &v, sizeof v);
    }
}

/// Calls of a loop, those with constants where they are the usual ones.
#define OF_SHAPE(loop, given, ...)                                                    \
    ((given)->bits == 64 && (given)->stride == 16  ? loop(given, 16, 64, __VA_ARGS__) \
     : (given)->bits == 32 && (given)->stride == 4 ? loop(given, 4, 32, __VA_ARGS__)  \
     : (given)->bits == 64 && (given)->stride == 8                                    \
         ? loop(given, 8, 64, __VA_ARGS__)                                            \
         : loop(given, (given)->stride, (given)->bits, __VA_ARGS__))

/// Count, and scatter to columns.
/// @return false: an entry is not within the extents.
static bool
count_and_partition(const cairn_given *given, uint32_t *col, cairn_bucketed *to)
{
    const int64_t rows = given->extent[0], cols = given->extent[1];
    const int     bits = to->words.range[1].bits;

    memset(to->line, 0, (size_t)(rows + 1) * sizeof *to->line);
    memset(col, 0, (size_t)cols * sizeof *col);
    if (!OF_SHAPE(count_entries, given, to->line, col)) return false;
    cairn_offsets_small(rows + 1, 0, to->line);
    cairn_offsets_small(cols, 0, col);
    OF_SHAPE(scatter, given, bits, col, to->items);
    return true;
}

cairn_status cairn_columns_partition(cairn_env         *env,
                                     const cairn_given *given,
                                     const cairn_words *words,
                                     bool              *inside,
                                     cairn_bucketed    *bucketed)
{
    uint32_t    *col = NULL;
    cairn_status status;

    *bucketed = (cairn_bucketed){.order   = 2,
                                 .n       = given->n,
                                 .words   = *words,
                                 .buckets = 1,
                                 .most    = given->n,
                                 .threads = 1,
                                 .lines   = given->extent[0]};
    CAIRN_GO(done, CAIRN_NEW(env, given->extent[1], &col));
    CAIRN_GO(done, CAIRN_NEW(env, given->extent[0] + 1, &bucketed->line));
    CAIRN_GO(done, cairn_bucketed_create(env, bucketed));
    bucketed->begin[0] = bucketed->at[0] = 0;
    bucketed->count[0] = bucketed->made[0] = given->n;
    bucketed->least[0]                     = 0;
    bucketed->least[1]                     = (uint64_t)1 << words->bits;
    *inside                                = count_and_partition(given, col, bucketed);
done:
    cairn_free(env, col);
    return status;
}

static void
scatter_to_rows(const cairn_bucketed *bucketed, uint32_t *row, cairn_entries *entries)
{
    const cairn_item *const items = bucketed->items;
    const int               bits  = bucketed->words.range[1].bits;
    const uint64_t          mask  = ((uint64_t)1 << bits) - 1;
    cairn_coord *const      col   = entries->coord[1];
    double *const           value = entries->value;

    for (cairn_pos p = 0; p < bucketed->n; p++) {
        const uint64_t word = items[p].word;
        const uint32_t at   = row[word >> bits]++;

        col[at] = (cairn_coord)(word & mask);
        memcpy(&value[at], &items[p].load, sizeof *value);
    }
}

/// Write the rows' numbers, in order. Most rows are short, and their ends are hard to
/// foresee: RUN numbers are written at once, of which the next rows replace those that
/// are not the row's.
static void write_rows(int64_t rows, const uint32_t *begin, cairn_entries *entries)
{
    cairn_coord *const row = entries->coord[0];
    const cairn_pos    n   = entries->n;

    for (int64_t r = 0; r < rows; r++) {
        cairn_pos p = begin[r];

        for (; p + RUN <= n && p < begin[r + 1]; p += RUN)
            for (int k = 0; k < RUN; k++)
                row[p + k] = r;
        for (; p < begin[r + 1]; p++)
            row[p] = r;
    }
}

static bool have_twins(const cairn_entries *entries)
{
    const cairn_coord *const i = entries->coord[0], *const j = entries->coord[1];
    bool twins = false;

    for (cairn_pos p = 1; p < entries->n; p++)
        twins |= (i[p] == i[p - 1]) & (j[p] == j[p - 1]);
    return twins;
}

cairn_status cairn_columns_sort(cairn_env            *env,
                                const cairn_bucketed *bucketed,
                                cairn_entries        *entries)
{
    const int64_t rows = bucketed->lines;
    uint32_t     *row  = NULL;

    CAIRN_TRY(CAIRN_NEW(env, rows, &row));
    memcpy(row, bucketed->line, (size_t)rows * sizeof *row);
    scatter_to_rows(bucketed, row, entries);
    cairn_free(env, row);
    entries->n = bucketed->n;
    write_rows(rows, bucketed->line, entries);
    if (have_twins(entries)) cairn_entries_add_duplicates(entries);
    return CAIRN_OK;
}
