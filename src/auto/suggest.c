// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What formats store of a structure, and what that takes.

#include "auto/suggest.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/// Bytes of an index below @p range.
double cairn_index_bytes(int64_t range)
{
    return range <= 1 << 8             ? 1
           : range <= 1 << 16          ? 2
           : range <= INT64_C(1) << 32 ? 4
                                       : 8;
}

/* What a row without entries takes of the time of a row, in a member after the first, which
   leaves its Y alone. */
static const double empty_row = 0.1;

static double ratio(int64_t a, int64_t b)
{
    return b > 0 ? (double)a / (double)b : 0;
}

/// Touches of X, of the entries that a member has.
static void share_touches(const cairn_pattern *s, cairn_suggest_work *work)
{
    const double share = s->entries > 0 ? work->entries / (double)s->entries : 0;

    work->near = share * (double)s->touches.near;
    work->far  = share * (double)s->touches.far;
}

/// @p entries of them, by rows.
static void list_rows(const cairn_pattern *s, double entries, cairn_suggest_work *w)
{
    const double rows = (double)s->rows;

    *w = (cairn_suggest_work){
        .rows    = rows,
        .units   = entries,
        .turns   = (double)s->breaks,
        .added   = (double)s->filled_rows,
        .values  = entries,
        .entries = entries,
        .widest  = (double)s->max_row,
        .alike   = s->entries > 0 ? (double)s->alike * entries / (double)s->entries : 0,
        .bytes   = entries * cairn_index_bytes(s->cols) + 4 * rows};
    share_touches(s, w);
}

static int rows_count(const cairn_pattern *s, cairn_suggest_work *work)
{
    list_rows(s, (double)s->entries, work);
    return 1;
}

static int filled_count(const cairn_pattern *s, cairn_suggest_work *work)
{
    list_rows(s, (double)s->entries, work);
    work->rows  = (double)s->filled_rows;
    work->bytes = work->values * cairn_index_bytes(s->cols) + 8 * work->rows;
    return 1;
}

/// Columns as rows: how their lengths differ was not counted, so all do.
static int lines_count(const cairn_pattern *s, cairn_suggest_work *work)
{
    const double cols = (double)s->cols, n = (double)s->entries;

    *work = (cairn_suggest_work){.rows    = cols,
                                 .units   = n,
                                 .turns   = fmin(cols, n),
                                 .values  = n,
                                 .entries = n,
                                 .bytes   = n * cairn_index_bytes(s->rows) + 4 * cols};
    share_touches(s, work);
    return 1;
}

/// All rows as long as the longest.
static int table_count(const cairn_pattern *s, cairn_suggest_work *work)
{
    const double values = (double)s->rows * (double)s->max_row;

    *work = (cairn_suggest_work){.rows    = (double)s->rows,
                                 .units   = (double)s->max_row,
                                 .values  = values,
                                 .entries = (double)s->entries,
                                 .bytes   = values * cairn_index_bytes(s->cols)};
    share_touches(s, work);
    return 1;
}

static int
slots_count(const cairn_pattern *s, cairn_slices kind, cairn_suggest_work *work)
{
    const double slots = (double)s->slots[kind], slices = (double)s->rows / CAIRN_SLICE;
    const bool   plain  = kind == CAIRN_SLICES_PLAIN;
    const double places = plain ? 0 : 4 * (double)s->rows;

    *work = (cairn_suggest_work){
        .rows           = slices,
        .units          = slots / CAIRN_SLICE,
        .turns          = plain ? (double)s->slice_breaks : 0,
        .scattered_rows = kind == CAIRN_SLICES_SORTED ? (double)s->breaks : 0,
        .values         = slots,
        .entries        = (double)s->entries,
        .widest         = CAIRN_SLICE * (double)s->max_row,
        .bytes          = slots * cairn_index_bytes(s->cols) + 4 * slices + places};
    share_touches(s, work);
    return 1;
}

/// Stretches of @p entries.
static void list_stretches(const cairn_pattern *s,
                           double               units,
                           double               entries,
                           cairn_suggest_work  *work)
{
    const double values = CAIRN_STRETCH * units;

    *work = (cairn_suggest_work){.rows    = (double)s->rows / CAIRN_STRETCH,
                                 .units   = units,
                                 .values  = values,
                                 .entries = entries,
                                 .edge  = values * ratio(s->edge_stretches, s->entries),
                                 .bytes = 4 * units};
    share_touches(s, work);
}

static int stretch_count(const cairn_pattern *s, cairn_suggest_work *work)
{
    list_stretches(s, (double)s->stretch.all, (double)s->entries, work);
    return 1;
}

/// Values of bands in which a full stretch sticks out, at most: a diagonal does so in the
/// band in which it enters the matrix, or leaves it.
static double most_edge(const cairn_pattern *s)
{
    const double bands = fmax(1, (double)s->rows / CAIRN_STRETCH);
    const double each  = (double)s->stretch.full / bands;

    return CAIRN_STRETCH * each * (each + 1);
}

/// Full stretches apart; what is left by rows,
static int split_count(const cairn_pattern *s, cairn_suggest_work *work)
{
    const double rest = (double)(s->entries - s->stretch.entries);

    if (8 * s->stretch.entries < s->entries) return 0; /* not worth two members */
    list_stretches(s, (double)s->stretch.full, (double)s->stretch.entries, work);
    work->edge = fmin(work->edge, most_edge(s));
    list_rows(s, rest, &work[1]);
    work[1].added = (double)s->stretch.rest_rows;
    work[1].turns = (double)s->stretch.rest_breaks;
    work[1].rows  = work[1].added + empty_row * ((double)s->rows - work[1].added);
    return 2;
}

/// or by slices.
static int sliced_count(const cairn_pattern *s, cairn_suggest_work *work)
{
    if (split_count(s, work) == 0) return 0;
    cairn_suggest_work *const rest = &work[1];
    /* A sample may have missed the longest row, which pads its slice unless others there are
       as long. */
    const double all     = (double)(s->slots[CAIRN_SLICES_PLAIN] - s->entries);
    const double longest = (double)s->max_row - ratio(s->stretch.entries, s->rows);
    const double missed  = fmin(all, (CAIRN_SLICE - 1) * fmax(0, longest));
    const double padded  = fmax(missed, (double)s->stretch.rest_slots - rest->values);

    rest->rows = (double)s->rows / CAIRN_SLICE;
    rest->turns /= CAIRN_SLICE;
    rest->values += padded;
    rest->units = rest->values / CAIRN_SLICE;
    rest->bytes += padded * cairn_index_bytes(s->cols);
    rest->widest *= CAIRN_SLICE;
    return 2;
}

static int
block_count(const cairn_pattern *s, cairn_block_kind kind, cairn_suggest_work *work)
{
    const int    side  = cairn_block_side[kind];
    const double units = (double)s->blocks[kind], rows = (double)s->rows / side;
    const double values = side * side * units;
    /* A sample may have missed the longest row. */
    const double missed = (double)s->max_row * ratio(s->blocks[kind], s->entries);

    *work = (cairn_suggest_work){
        .rows    = rows,
        .units   = units,
        .turns   = (double)s->breaks / side,
        .values  = values,
        .entries = (double)s->entries,
        .edge    = values * ratio(s->edge_blocks[kind], s->entries),
        .widest  = side * side * fmax(missed, (double)s->widest[kind]),
        .bytes   = units * cairn_index_bytes(s->cols / side + 1) + 4 * rows};
    share_touches(s, work);
    return 1;
}

/* ---- what speaks for them ---- */

static void rows_say(const cairn_pattern *s, char *out, size_t size)
{
    snprintf(out, size, "rows of %.3g entries, the longest of %" PRId64,
             ratio(s->entries, s->rows), s->max_row);
}

static void filled_say(const cairn_pattern *s, char *out, size_t size)
{
    snprintf(out, size, "%" PRId64 " of %" PRId64 " rows have entries", s->filled_rows,
             s->rows);
}

static void lines_say(const cairn_pattern *s, char *out, size_t size)
{
    snprintf(out, size, "columns of %.3g entries", ratio(s->entries, s->cols));
}

static void table_say(const cairn_pattern *s, char *out, size_t size)
{
    snprintf(out, size, "rows of at most %" PRId64 " entries are %.3g %% full",
             s->max_row, 100 * ratio(s->entries, s->rows * s->max_row));
}

static void slots_say(const cairn_pattern *s, cairn_slices kind, char *out, size_t size)
{
    static const char *const how[] = {"", ", sorted in windows,", ", sorted,"};

    snprintf(out, size, "slices of %d rows%s store %.3g values an entry", CAIRN_SLICE,
             how[kind], ratio(s->slots[kind], s->entries));
}

static int slices_count(const cairn_pattern *s, cairn_suggest_work *work)
{
    return slots_count(s, CAIRN_SLICES_PLAIN, work);
}

static int windows_count(const cairn_pattern *s, cairn_suggest_work *work)
{
    return slots_count(s, CAIRN_SLICES_WINDOW, work);
}

static int sorted_count(const cairn_pattern *s, cairn_suggest_work *work)
{
    return slots_count(s, CAIRN_SLICES_SORTED, work);
}

static void slices_say(const cairn_pattern *s, char *out, size_t size)
{
    slots_say(s, CAIRN_SLICES_PLAIN, out, size);
}

static void windows_say(const cairn_pattern *s, char *out, size_t size)
{
    slots_say(s, CAIRN_SLICES_WINDOW, out, size);
}

static void sorted_say(const cairn_pattern *s, char *out, size_t size)
{
    slots_say(s, CAIRN_SLICES_SORTED, out, size);
}

static void stretch_say(const cairn_pattern *s, char *out, size_t size)
{
    snprintf(out, size, "stretches of diagonals store %.3g values an entry",
             ratio(CAIRN_STRETCH * s->stretch.all, s->entries));
}

static void split_say(const cairn_pattern *s, char *out, size_t size)
{
    snprintf(out, size, "%.3g %% of the entries lie in full stretches of diagonals",
             100 * ratio(s->stretch.entries, s->entries));
}

static void sliced_say(const cairn_pattern *s, char *out, size_t size)
{
    split_say(s, out, size);
}

static void
block_say(const cairn_pattern *s, cairn_block_kind kind, char *out, size_t size)
{
    const int side = cairn_block_side[kind];

    snprintf(out, size, "blocks of %d x %d are %.3g %% full", side, side,
             100 * ratio(s->entries, side * side * s->blocks[kind]));
}

#define BLOCKS(side)                                                                  \
    static int blocks##side##_count(const cairn_pattern *s, cairn_suggest_work *work) \
    {                                                                                 \
        return block_count(s, CAIRN_BLOCKS_##side, work);                             \
    }                                                                                 \
    static void blocks##side##_say(const cairn_pattern *s, char *out, size_t size)    \
    {                                                                                 \
        block_say(s, CAIRN_BLOCKS_##side, out, size);                                 \
    }
BLOCKS(2)
BLOCKS(3)
BLOCKS(4)

static const cairn_estimator estimators[] = {
#define X(name) {#name, name##_count, name##_say},
    X(rows) X(filled) X(lines) X(table) X(slices) X(windows) X(sorted) X(stretch)
        X(split) X(sliced) X(blocks2) X(blocks3) X(blocks4)
#undef X
};

const cairn_estimator *cairn_estimator_find(const char *name)
{
    for (size_t k = 0; k < sizeof estimators / sizeof *estimators; k++)
        if (strcmp(estimators[k].name, name) == 0) return &estimators[k];
    return NULL;
}
