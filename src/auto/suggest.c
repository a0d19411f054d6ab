// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What formats store of a structure, and what that takes.

#include "auto/suggest.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Bytes that stay in a core's own cache from one run to the next. */
static const double cache = 1.5e6;

/* Turns that a processor knows by heart. */
static const double known_turns = 4000;

/// Bytes of an index below @p range.
static double index_bytes(int64_t range)
{
    return range <= 1 << 8             ? 1
           : range <= 1 << 16          ? 2
           : range <= INT64_C(1) << 32 ? 4
                                       : 8;
}

static double ratio(int64_t a, int64_t b)
{
    return b > 0 ? (double)a / (double)b : 0;
}

static void rows_work(const cairn_structure *s, double value, cairn_suggest_work *work)
{
    const double rows = (double)s->rows, n = (double)s->entries;

    *work =
        (cairn_suggest_work){.rows   = rows,
                             .turns  = (double)s->breaks,
                             .values = n,
                             .stored = n,
                             .widest = (double)s->max_row,
                             .bytes  = n * (value + index_bytes(s->cols)) + 4 * rows};
}

static void
filled_work(const cairn_structure *s, double value, cairn_suggest_work *work)
{
    rows_work(s, value, work);
    work->rows  = (double)s->filled_rows;
    work->bytes = work->values * (value + index_bytes(s->cols)) + 8 * work->rows;
}

/// Columns as rows: how their lengths differ was not counted, so all do.
static void lines_work(const cairn_structure *s, double value, cairn_suggest_work *work)
{
    const double cols = (double)s->cols, n = (double)s->entries;

    *work =
        (cairn_suggest_work){.rows   = cols,
                             .turns  = fmin(cols, n),
                             .values = n,
                             .stored = n,
                             .bytes  = n * (value + index_bytes(s->rows)) + 4 * cols};
}

/// All rows as long as the longest.
static void table_work(const cairn_structure *s, double value, cairn_suggest_work *work)
{
    const double values = (double)s->rows * (double)s->max_row;

    *work = (cairn_suggest_work){.rows   = (double)s->rows,
                                 .values = values,
                                 .stored = values,
                                 .bytes  = values * (value + index_bytes(s->cols))};
}

static void slots_work(const cairn_structure *s,
                       cairn_slices           kind,
                       double                 value,
                       cairn_suggest_work    *work)
{
    const double slots = (double)s->slots[kind], slices = (double)s->rows / CAIRN_SLICE;
    const bool   plain  = kind == CAIRN_SLICES_PLAIN;
    const double places = plain ? 0 : 4 * (double)s->rows;

    *work = (cairn_suggest_work){
        .rows   = slices,
        .turns  = plain ? (double)s->slice_breaks : 0,
        .strewn = kind == CAIRN_SLICES_SORTED ? (double)s->breaks : 0,
        .values = slots,
        .stored = slots,
        .widest = CAIRN_SLICE * (double)s->max_row,
        .bytes  = slots * (value + index_bytes(s->cols)) + 4 * slices + places};
}

static void
slices_work(const cairn_structure *s, double value, cairn_suggest_work *work)
{
    slots_work(s, CAIRN_SLICES_PLAIN, value, work);
}

static void
windows_work(const cairn_structure *s, double value, cairn_suggest_work *work)
{
    slots_work(s, CAIRN_SLICES_WINDOW, value, work);
}

static void
sorted_work(const cairn_structure *s, double value, cairn_suggest_work *work)
{
    slots_work(s, CAIRN_SLICES_SORTED, value, work);
}

static void
stretch_work(const cairn_structure *s, double value, cairn_suggest_work *work)
{
    const double units = (double)s->stretches, values = CAIRN_STRETCH * units;
    const double edge = ratio(s->edge_stretches, s->entries);

    *work = (cairn_suggest_work){.rows   = (double)s->rows / CAIRN_STRETCH,
                                 .units  = units,
                                 .values = values,
                                 .stored = values,
                                 .edge   = edge * values,
                                 .bytes  = values * value + 4 * units};
}

/// Full stretches apart; what is left by rows,
static void split_work(const cairn_structure *s, double value, cairn_suggest_work *work)
{
    const double units = (double)s->full_stretches;
    const double rest  = (double)(s->entries - s->full_entries);

    *work = (cairn_suggest_work){0};
    if (5 * s->full_entries < s->entries) return; /* not worth two members */
    *work = (cairn_suggest_work){
        .rows   = (double)s->rows,
        .units  = units,
        .turns  = (double)s->breaks,
        .values = rest,
        .stored = rest + CAIRN_STRETCH * units,
        .edge   = CAIRN_STRETCH * units * ratio(s->edge_stretches, s->entries),
        .widest = (double)s->max_row,
        .bytes  = (CAIRN_STRETCH * value + 4) * units
                 + rest * (value + index_bytes(s->cols)) + 4 * (double)s->rows};
}

/// or by slices.
static void
sliced_work(const cairn_structure *s, double value, cairn_suggest_work *work)
{
    /* What the slices of the whole would be padded by; only stretches are taken out. */
    const double padding = (double)(s->slots[CAIRN_SLICES_PLAIN] - s->entries);

    split_work(s, value, work);
    const double padded = fmin(padding, (CAIRN_SLICE - 1) * work->values);

    work->turns = (double)s->slice_breaks;
    work->values += padded;
    work->stored += padded;
    work->bytes += padded * (value + index_bytes(s->cols));
    work->widest *= CAIRN_SLICE;
}

static void block_work(const cairn_structure *s,
                       cairn_blocks           kind,
                       double                 value,
                       cairn_suggest_work    *work)
{
    const int    side  = cairn_block_side[kind];
    const double units = (double)s->blocks[kind], rows = (double)s->rows / side;
    const double values = side * side * units;
    /* A sample may have missed the longest row. */
    const double missed = (double)s->max_row * ratio(s->blocks[kind], s->entries);

    *work = (cairn_suggest_work){
        .rows   = rows,
        .units  = units,
        .turns  = (double)s->breaks / side,
        .values = values,
        .stored = values,
        .edge   = values * ratio(s->edge_blocks[kind], s->entries),
        .widest = side * side * fmax(missed, (double)s->widest[kind]),
        .bytes  = values * value + units * index_bytes(s->cols / side + 1) + 4 * rows};
}

/* ---- what speaks for them ---- */

static void rows_say(const cairn_structure *s, char *out, size_t size)
{
    snprintf(out, size, "rows of %.3g entries, the longest of %" PRId64,
             ratio(s->entries, s->rows), s->max_row);
}

static void filled_say(const cairn_structure *s, char *out, size_t size)
{
    snprintf(out, size, "%" PRId64 " of %" PRId64 " rows have entries", s->filled_rows,
             s->rows);
}

static void lines_say(const cairn_structure *s, char *out, size_t size)
{
    snprintf(out, size, "columns of %.3g entries", ratio(s->entries, s->cols));
}

static void table_say(const cairn_structure *s, char *out, size_t size)
{
    snprintf(out, size, "rows of at most %" PRId64 " entries are %.3g %% full",
             s->max_row, 100 * ratio(s->entries, s->rows * s->max_row));
}

static void
slots_say(const cairn_structure *s, cairn_slices kind, char *out, size_t size)
{
    static const char *const how[] = {"", ", sorted in windows,", ", sorted,"};

    snprintf(out, size, "slices of %d rows%s store %.3g values an entry", CAIRN_SLICE,
             how[kind], ratio(s->slots[kind], s->entries));
}

static void slices_say(const cairn_structure *s, char *out, size_t size)
{
    slots_say(s, CAIRN_SLICES_PLAIN, out, size);
}

static void windows_say(const cairn_structure *s, char *out, size_t size)
{
    slots_say(s, CAIRN_SLICES_WINDOW, out, size);
}

static void sorted_say(const cairn_structure *s, char *out, size_t size)
{
    slots_say(s, CAIRN_SLICES_SORTED, out, size);
}

static void stretch_say(const cairn_structure *s, char *out, size_t size)
{
    snprintf(out, size, "stretches of diagonals store %.3g values an entry",
             ratio(CAIRN_STRETCH * s->stretches, s->entries));
}

static void split_say(const cairn_structure *s, char *out, size_t size)
{
    snprintf(out, size, "%.3g %% of the entries lie in full stretches of diagonals",
             100 * ratio(s->full_entries, s->entries));
}

static void sliced_say(const cairn_structure *s, char *out, size_t size)
{
    split_say(s, out, size);
}

static void
block_say(const cairn_structure *s, cairn_blocks kind, char *out, size_t size)
{
    const int side = cairn_block_side[kind];

    snprintf(out, size, "blocks of %d x %d are %.3g %% full", side, side,
             100 * ratio(s->entries, side * side * s->blocks[kind]));
}

#define BLOCKS(side)                                                                 \
    static void blocks##side##_work(const cairn_structure *s, double value,          \
                                    cairn_suggest_work *work)                        \
    {                                                                                \
        block_work(s, CAIRN_BLOCKS_##side, value, work);                             \
    }                                                                                \
    static void blocks##side##_say(const cairn_structure *s, char *out, size_t size) \
    {                                                                                \
        block_say(s, CAIRN_BLOCKS_##side, out, size);                                \
    }
BLOCKS(2)
BLOCKS(3)
BLOCKS(4)

/// Whatever it stores: nobody counted that.
static void
unknown_work(const cairn_structure *s, double value, cairn_suggest_work *work)
{
    (void)s, (void)value;
    *work = (cairn_suggest_work){.stored = -1};
}

static void unknown_say(const cairn_structure *s, char *out, size_t size)
{
    (void)s;
    snprintf(out, size, "no model knows it");
}

static const cairn_suggest_model models[] = {
#define X(name) {#name, name##_work, name##_say},
    X(rows) X(filled) X(lines) X(table) X(slices) X(windows) X(sorted) X(stretch)
        X(split) X(sliced) X(blocks2) X(blocks3) X(blocks4) X(unknown)
#undef X
};

const cairn_suggest_model *cairn_suggest_model_find(const char *name)
{
    for (size_t k = 0; k < sizeof models / sizeof *models; k++)
        if (strcmp(models[k].name, name) == 0) return &models[k];
    return NULL;
}

/// Threads that a product is divided among: each has some thousand values to work on.
static double team_of(const cairn_suggest_work *work, double columns, int threads)
{
    return fmin(threads, fmax(1, floor(columns * work->stored / 3000)));
}

/// Seconds of one thread for a column.
static double column_time(const cairn_suggestion   *s,
                          const cairn_structure    *structure,
                          const cairn_suggest_work *work,
                          double                    team,
                          int                       threads)
{
    const double turns  = fmax(0, work->turns - team * known_turns);
    const double beyond = fmax(0, work->bytes - threads * cache);

    return s->row * work->rows + s->unit * work->units + s->turn * turns
           + s->value * work->values + s->byte * beyond
           + s->near * (double)structure->near_touches
           + s->far * (double)structure->far_touches + s->edge * work->edge;
}

void cairn_suggestion_predict(const cairn_suggestion      *suggestion,
                              const cairn_structure       *structure,
                              const cairn_product_options *op,
                              int                          value_bits,
                              int                          threads,
                              double                      *product,
                              double                      *convert)
{
    const cairn_suggestion *s = suggestion;
    cairn_suggest_work      work;

    *product = *convert = INFINITY;
    s->model->work(structure, value_bits / 8, &work);
    /* It is not for this structure, or what it stores was not counted. */
    if (work.stored < (double)structure->entries) return;
    const double columns = (double)op->columns, team = team_of(&work, columns, threads);
    const double lead = fmax(0, work.widest - work.stored / team);

    *product =
        s->launch + columns * column_time(s, structure, &work, team, threads) / team;
    if (team > 1)
        *product += s->team + columns * (s->lead * lead + s->strew * work.strewn);
    *convert = s->convert * (double)structure->entries;
}
