// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What formats store of a structure, and what that takes.

#include "sched/suggest.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Bytes that stay in a core's own cache from one run to the next; X beyond it is waited
   for where it is not read in order. */
static const double cache = 2e6;

/// Bytes of an index below @p range.
static double index_bytes(int64_t range)
{
    return range <= 1 << 8             ? 1
           : range <= 1 << 16          ? 2
           : range <= INT64_C(1) << 32 ? 4
                                       : 8;
}

static void rows_work(const cairn_structure *s, double value, cairn_suggest_work *work)
{
    const double rows = (double)s->rows, n = (double)s->entries;

    *work = (cairn_suggest_work){rows, (double)s->breaks, n,
                                 n * (value + index_bytes(s->cols)) + 4 * rows};
}

static void
filled_work(const cairn_structure *s, double value, cairn_suggest_work *work)
{
    const double rows = (double)s->filled_rows, n = (double)s->entries;

    *work = (cairn_suggest_work){rows, (double)s->breaks, n,
                                 n * (value + index_bytes(s->cols)) + 8 * rows};
}

static void slots_work(const cairn_structure *s,
                       cairn_slices           kind,
                       double                 value,
                       cairn_suggest_work    *work)
{
    const double slots = (double)s->slots[kind], slices = (double)s->rows / CAIRN_SLICE;
    const bool   plain  = kind == CAIRN_SLICES_PLAIN;
    const double places = plain ? 0 : 4 * (double)s->rows;

    *work = (cairn_suggest_work){slices, plain ? (double)s->slice_breaks : 0, slots,
                                 slots * (value + index_bytes(s->cols)) + 4 * slices
                                     + places};
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

    *work = (cairn_suggest_work){(double)s->rows / CAIRN_STRETCH, units, values,
                                 values * value + 4 * units};
}

/// Full stretches apart; what is left by rows.
static void split_work(const cairn_structure *s, double value, cairn_suggest_work *work)
{
    const double units = (double)s->full_stretches;
    const double rest  = (double)(s->entries - s->full_entries);

    *work = (cairn_suggest_work){(double)s->rows, units, rest,
                                 (CAIRN_STRETCH * value + 4) * units
                                     + rest * (value + index_bytes(s->cols))
                                     + 4 * (double)s->rows};
}

static void block_work(const cairn_structure *s,
                       cairn_blocks           kind,
                       double                 value,
                       cairn_suggest_work    *work)
{
    const int    side  = cairn_block_side[kind];
    const double units = (double)s->blocks[kind], rows = (double)s->rows / side;
    const double values = side * side * units;

    *work = (cairn_suggest_work){
        rows, units, values,
        values * value + units * index_bytes(s->cols / side + 1) + 4 * rows};
}

/* ---- what speaks for them ---- */

static double ratio(int64_t a, int64_t b)
{
    return b > 0 ? (double)a / (double)b : 0;
}

static void rows_say(const cairn_structure *s, char *out, size_t size)
{
    snprintf(out, size, "rows of %.3g entries, the longest of %" PRId64,
             ratio(s->entries, s->rows), s->max_row);
}

static void filled_say(const cairn_structure *s, char *out, size_t size)
{
    snprintf(out, size, "%.3g %% of the rows are empty",
             100 - 100 * ratio(s->filled_rows, s->rows));
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
BLOCKS(6)
BLOCKS(8)

static const cairn_suggestion list[] = {
#define X(format, transposed, many, kind, launch, row, unit, value, byte, jump, \
          convert)                                                              \
    {format, transposed, many,  kind##_work, kind##_say, launch,                \
     row,    unit,       value, byte,        jump,       convert},
#include "sched/suggest_list.def"
#undef X
};

const cairn_suggestion *cairn_suggestion_at(int k)
{
    const int count = sizeof list / sizeof *list;

    return k >= 0 && k < count ? &list[k] : NULL;
}

/// Several columns: an index is read once for all of them, and X by rows.
static double in_columns(const cairn_suggestion   *suggestion,
                         const cairn_suggest_work *work,
                         double                    columns)
{
    return suggestion->row * work->rows + suggestion->unit * work->units
           + columns * 0.2 * suggestion->value * work->values;
}

void cairn_suggestion_predict(const cairn_suggestion      *suggestion,
                              const cairn_structure       *structure,
                              const cairn_product_options *op,
                              int                          value_bits,
                              int                          threads,
                              double                       times,
                              double                      *product,
                              double                      *convert)
{
    const double       x = (double)structure->cols * value_bits / 8;
    cairn_suggest_work work;

    *product = *convert = INFINITY;
    if (op->columns > 1 && !suggestion->many) return;
    if (suggestion->transposed && !op->transposed) return;
    suggestion->work(structure, value_bits / 8, &work);
    /* Counted as 0 where they are not counted. */
    if (structure->spreads && work.values < (double)structure->entries) return;
    const double inside =
        op->columns > 1 ? in_columns(suggestion, &work, (double)op->columns)
                        : suggestion->row * work.rows + suggestion->unit * work.units
                              + suggestion->value * work.values;
    const double beyond = fmax(0, times * work.bytes - threads * cache);
    const double far    = x > cache ? times * (double)structure->jumps : 0;

    *product = suggestion->launch
               + (times * inside + suggestion->byte * beyond + suggestion->jump * far)
                     / threads;
    *convert = suggestion->convert * times * (double)structure->entries;
}
