// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Taking bands of rows.

#include "auto/sample.h"

#include "io/generate/generate.h"

#include <math.h>
#include <string.h>

enum { MOST_BANDS = 24, LARGEST_STEP = 4096 };

/* Bands with less than this part of the entries that were wanted missed what there is. */
enum { FEWER = 8 };

/// Append entries first .. first+n-1 of a list, for which there is room, @p up rows further
/// up, and @p left columns.
static void take_entries(const cairn_entries *from,
                         cairn_pos            first,
                         cairn_pos            n,
                         cairn_coord          up,
                         cairn_coord          left,
                         cairn_entries       *to)
{
    for (cairn_pos k = 0; k < n; k++) {
        to->coord[0][to->n + k] = from->coord[0][first + k] - up;
        to->coord[1][to->n + k] = from->coord[1][first + k] - left;
    }
    if (n > 0)
        memcpy(&to->value[to->n], &from->value[first], (size_t)n * sizeof *to->value);
    to->n += n;
}

/// The same of compressed rows lo .. hi-1.
static void take_lists(const cairn_matrix_rows *from,
                       cairn_coord              lo,
                       cairn_coord              hi,
                       cairn_coord              up,
                       cairn_coord              left,
                       cairn_entries           *to)
{
    for (cairn_coord row = lo; row < hi; row++) {
        const cairn_pos begin = cairn_matrix_row_begin(from, row),
                        end   = cairn_matrix_row_begin(from, row + 1);

        for (cairn_pos k = begin; k < end; k++, to->n++) {
            to->coord[0][to->n] = row - up;
            to->coord[1][to->n] = cairn_matrix_col(from, k) - left;
            to->value[to->n]    = cairn_matrix_value(from, k);
        }
    }
}

/// Append the entries of rows lo .. hi-1.
static void take_band(const cairn_matrix_rows *from,
                      cairn_coord              lo,
                      cairn_coord              hi,
                      cairn_coord              up,
                      cairn_coord              left,
                      cairn_entries           *to)
{
    const cairn_pos first = cairn_matrix_row_begin(from, lo);

    if (from->entries)
        take_entries(from->entries, first, cairn_matrix_row_begin(from, hi) - first, up,
                     left, to);
    else
        take_lists(from, lo < from->first ? from->first : lo,
                   hi < from->end ? hi : from->end, up, left, to);
}

static cairn_status make_room(cairn_env *env, cairn_pos n, cairn_entries *entries)
{
    cairn_entries_init(entries, 2);
    const cairn_status status = cairn_entries_reserve(env, entries, n);

    if (status != CAIRN_OK) cairn_entries_fini(env, entries);
    return status;
}

/// Where bands lie: one in each of as many equal ranges of the rows, at a random place in
/// it, since rows at round numbers may be special (in R-MAT graphs they are the longest).
typedef struct {
    int         bands;
    cairn_coord first, apart, height;
    cairn_coord grain; ///< What bands begin at multiples of.
} cut;

static cairn_coord band_begin(const cut *c, int b)
{
    const uint64_t places = (uint64_t)((c->apart - c->height) / c->grain) + 1;

    return c->first + b * c->apart
           + (cairn_coord)(cairn_random(1, (uint64_t)b) % places) * c->grain;
}

/// Rows that band @p b moves up.
static cairn_coord band_shift(const cut *c, int b)
{
    return band_begin(c, b) - b * c->height;
}

/// Entries in the bands.
static cairn_pos count_bands(const cairn_matrix_rows *rows, const cut *c)
{
    cairn_pos all = 0;

    for (int b = 0; b < c->bands; b++) {
        const cairn_coord lo = band_begin(c, b);

        all += cairn_matrix_row_begin(rows, lo + c->height)
               - cairn_matrix_row_begin(rows, lo);
    }
    return all;
}

/// One band around the middle entry: nearly all entries are in few rows, which the bands
/// missed.
static cut
cut_middle(const cairn_matrix_rows *rows, cairn_coord base, cairn_coord grain)
{
    const cairn_coord row = cairn_matrix_row_of(rows, rows->n / 2);

    return (cut){1, base + (row - base) / grain * grain, grain, grain, grain};
}

static cairn_status take_bands(cairn_env               *env,
                               const cairn_matrix_rows *rows,
                               const cut               *c,
                               cairn_sample            *sample)
{
    const cairn_coord base = band_shift(c, 0), most = band_shift(c, c->bands - 1);

    CAIRN_TRY(make_room(env, count_bands(rows, c), &sample->entries));
    for (int b = 0; b < c->bands; b++) {
        const cairn_coord lo = band_begin(c, b), shift = band_shift(c, b);

        take_band(rows, lo, lo + c->height, shift, shift - most, &sample->entries);
    }
    sample->shape = (cairn_shape){
        2, {c->bands * c->height, rows->cols + most - base}
    };
    return CAIRN_OK;
}

/// How many bands, and how high, take @p share of @p rows: two or three even if that is
/// a third or more too much, one low one if it is more still.
static cut
plan_bands(cairn_coord base, cairn_coord rows, double share, cairn_coord grain)
{
    const double grains = (double)rows * share / (double)grain;
    const int    bands  = grains > MOST_BANDS ? MOST_BANDS
                          : grains > 3        ? (int)grains
                          : grains > 2.25     ? 3
                          : grains > 1.25     ? 2
                                              : 1;
    /* A single band may be lower than a grain, but does not cut the groups of rows that
       are to be kept whole. */
    const bool        asked = grain != CAIRN_SAMPLE_GRAIN && grain <= LARGEST_STEP;
    const cairn_coord step  = asked ? grain : CAIRN_SAMPLE_BAND;
    const cairn_coord steps = (cairn_coord)ceil(grains * (double)grain / (double)step);

    if (bands < 2)
        return (cut){1, base, rows / grain * grain, (steps > 1 ? steps : 1) * step,
                     grain};
    return (cut){bands, base, rows / bands / grain * grain,
                 (cairn_coord)fmax(1, grains / bands) * grain, grain};
}

cairn_status cairn_sample_take(cairn_env               *env,
                               const cairn_matrix_rows *rows,
                               int64_t                  wanted,
                               cairn_coord              grain,
                               cairn_sample            *sample)
{
    /* A rank's rows may begin anywhere: down to a multiple of the grain. */
    const cairn_coord base   = rows->first / grain * grain;
    const cairn_coord height = rows->end - base;
    const double      share  = rows->n > 0 ? (double)wanted / (double)rows->n : 1;
    cut               c      = plan_bands(base, height, share, grain);
    cairn_sample      fresh  = {.whole = base == 0 && rows->entries};

    fresh.shape = (cairn_shape){
        2, {height, rows->cols}
    };
    /* Bands that nearly touch would save nothing. */
    if (share < 0.6 && c.height * c.bands < height / 4 * 3) {
        fresh.whole = false;
        if (FEWER * count_bands(rows, &c) < wanted) c = cut_middle(rows, base, grain);
        CAIRN_TRY(take_bands(env, rows, &c, &fresh));
    } else if (fresh.whole) {
        fresh.entries = *rows->entries;
    } else {
        CAIRN_TRY(make_room(env, rows->n, &fresh.entries));
        take_band(rows, rows->first, rows->end, base, 0, &fresh.entries);
    }
    const cairn_status status =
        rows->ordered ? CAIRN_OK : cairn_entries_sort(env, &fresh.entries);

    if (status == CAIRN_OK)
        *sample = fresh;
    else
        cairn_entries_fini(env, &fresh.entries);
    return status;
}

cairn_coord cairn_sample_grain(int64_t rows_together, int64_t rows)
{
    const cairn_coord least = CAIRN_SAMPLE_GRAIN;

    if (rows_together <= 0 || least % rows_together == 0 || rows_together > rows / 4)
        return least;
    return (least + rows_together - 1) / rows_together * rows_together;
}

void cairn_sample_fini(cairn_env *env, cairn_sample *sample)
{
    if (!sample->whole) cairn_entries_fini(env, &sample->entries);
    *sample = (cairn_sample){.whole = true};
}
