// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What products take: counts times rates.

#include "auto/rates.h"
#include "auto/suggest.h"
#include "lower/product/product.h"

#include <math.h>

/* Bytes that stay in a core's own cache from one run to the next. */
static const double cache = 1.5e6;

/* Blocks whose values are narrow: one or two instructions more widen a row of a block, and
   there is little else to do; other leaves take no longer for it. Measured beside f64, one
   thread, in seven matrices that caches hold. Integers on Zen 5, rows of two values: 1.63
   to 2.04 of the time, of three or four 1.29 to 1.41; on Zen 4 1.02 to 1.55. f32, rows of
   two values: 1.09 to 1.17, where there are enough of them; else the same. */
static const double widened_integers[] = {1.7, 1.35}, widened_floats[] = {1.15, 1};

/* A thread learns the ends of CAIRN_LEARNED_ROWS lists, whatever their lengths; of more, those
   of a quarter as many that are of another length than the list before. More rows of which a
   quarter are end without a branch (lower/product/product_key.c): no end is a surprise, and
   each row takes so much more. Measured on Zen 5, one thread, eleven graphs of 16,000 to
   326,000 rows: 0.2 to 4.2 ns on the machine of the rates, 2.1 in the mean. */
static const double learned_turns   = CAIRN_LEARNED_ROWS / 4.0;
static const double entries_of_turn = 77, uneven_row = 2e-9;

/* Rows that have the columns of the row before, a quarter of all at least, are summed beside
   it (lower/product/product_alike.c): an entry of theirs takes so much less. Measured on Zen
   5, one thread, bcsstk16, cavity14 and nasa4704, kernels by themselves: 0.7, 0.6 and 0.6.
   Measured in CSR; DCSR goes through the same loop. */
static const double saved_alike = 0.6;

void cairn_suggest_work_scale(cairn_suggest_work *work, double share)
{
    *work = (cairn_suggest_work){.rows           = share * work->rows,
                                 .units          = share * work->units,
                                 .turns          = share * work->turns,
                                 .scattered_rows = share * work->scattered_rows,
                                 .added          = share * work->added,
                                 .values         = share * work->values,
                                 .entries        = share * work->entries,
                                 .edge           = share * work->edge,
                                 .widest         = work->widest,
                                 .bytes          = share * work->bytes,
                                 .wide           = share * work->wide,
                                 .alike          = share * work->alike,
                                 .near           = share * work->near,
                                 .far            = share * work->far};
}

void cairn_counts_store(cairn_counts             *counts,
                        int                       member,
                        const cairn_value_widths *values,
                        cairn_val_type            type)
{
    cairn_suggest_work *const  work   = &counts->work[member];
    const bool                 padded = work->values > work->entries;
    const cairn_value_storage *stored = &counts->stored[member];

    counts->stored[member] = cairn_value_widths_in(values, type, padded);
    work->wide             = work->bytes + work->values * values->carrier_bits / 8;
    work->bytes += work->values * cairn_value_storage_bytes(stored);
}

double cairn_counts_room(const cairn_counts *counts)
{
    double bytes = 0;

    for (int m = 0; m < counts->members; m++)
        bytes += counts->work[m].wide;
    return bytes;
}

double cairn_counts_bytes(const cairn_counts *counts)
{
    double bytes = 0;

    for (int m = 0; m < counts->members; m++)
        bytes += counts->work[m].bytes;
    return bytes;
}

double cairn_counts_values(const cairn_counts *counts)
{
    double values = 0;

    for (int m = 0; m < counts->members; m++)
        values += counts->work[m].values;
    return values;
}

/// What all members share.
typedef struct {
    double             columns, team;
    double             beyond; ///< Share of the bytes that no cache keeps.
    cairn_memory_rates memory; ///< Factors.
} shared;

/// By how much longer what is unrolled takes for its values being narrow.
static double widening(const cairn_leaf *leaf, const cairn_value_storage *stored)
{
    const bool blocks =
        leaf->kind == CAIRN_LEAF_BLOCK || leaf->kind == CAIRN_LEAF_BLOCK_LANES;
    const int lanes  = leaf->kind == CAIRN_LEAF_BLOCK ? leaf->cols : leaf->rows;
    const int longer = lanes > 2;

    if (!blocks) return 1;
    if (stored->kind == CAIRN_VALUE_INTEGER) return widened_integers[longer];
    return stored->kind == CAIRN_VALUE_FLOAT && stored->bits == 32
               ? widened_floats[longer]
               : 1;
}

/// Lists of entries, one behind the other, of one column: hints are about these.
static bool are_lists(const cairn_leaf *leaf, const shared *s)
{
    return s->columns == 1
           && (leaf->kind == CAIRN_LEAF_RUN || leaf->kind == CAIRN_LEAF_RUN_LISTED);
}

/// Does each thread learn all of their ends?
static bool are_learned(const cairn_suggest_work *w, const shared *s)
{
    return w->rows < s->team * CAIRN_LEARNED_ROWS;
}

/// Are the ends of rows found without a branch?
static bool
is_uneven(const cairn_leaf *leaf, const cairn_suggest_work *w, const shared *s)
{
    return are_lists(leaf, s) && !are_learned(w, s) && 4 * w->turns >= w->rows
           && w->values <= entries_of_turn * w->turns;
}

/// Seconds of the lengths of lists, as far as these differ.
static double turning(const cairn_leaf         *leaf,
                      const cairn_rates        *r,
                      const cairn_suggest_work *w,
                      const shared             *s)
{
    if (is_uneven(leaf, w, s)) return uneven_row * w->rows;
    if (are_lists(leaf, s) && are_learned(w, s)) return 0;
    return r->turn * fmax(0, w->turns - s->team * learned_turns);
}

/// Are rows summed beside those that have their columns?
static bool
is_alike(const cairn_leaf *leaf, const cairn_suggest_work *w, const shared *s)
{
    return are_lists(leaf, s) && 4 * w->alike >= w->values;
}

/// Values of a member as they count where some are summed beside others.
static double
counted_values(const cairn_leaf *leaf, const cairn_suggest_work *w, const shared *s)
{
    return w->values - (is_alike(leaf, w, s) ? saved_alike * w->alike : 0);
}

/// Lines of X from beyond the first cache, as they count where long rows share them: those
/// that stand next to each other and are summed side by side
/// (lower/product/product_beside.c) meet a line at about the same time, which comes from the
/// second cache once for all. Measured on Zen 5, one thread, 512 rows of 3,300 of 33,000
/// columns: 0.80 of the time in f32 and 0.82 in f64, where this says 0.80 and 0.82. Of X
/// beyond the second cache nothing was measured: those lines count as they did.
static double
counted_lines(const cairn_leaf *leaf, const cairn_suggest_work *w, const shared *s)
{
    const bool beside = are_lists(leaf, s) && w->values >= CAIRN_LONG_ROW * w->rows
                        && !is_alike(leaf, w, s) && !is_uneven(leaf, w, s);

    return w->near / (beside ? CAIRN_BESIDE : 1);
}

/// Seconds of one thread for a column of member @p m.
static double column_time(const cairn_counts *counts, int m, const shared *s)
{
    const cairn_suggest_work *w       = &counts->work[m];
    const cairn_leaf         *leaf    = &counts->leaf[m];
    const cairn_rates        *r       = cairn_rates_of(leaf, s->columns > 1);
    const double              widened = widening(leaf, &counts->stored[m]);

    return r->row * w->rows
           + widened * (r->unit * w->units + r->value * counted_values(leaf, w, s))
           + turning(leaf, r, w, s) + s->memory.byte * r->byte * s->beyond * w->bytes
           + s->memory.near * r->near * counted_lines(leaf, w, s)
           + s->memory.far * r->far * w->far + r->edge * w->edge;
}

/// Seconds of a member, but for its start.
static double member_time(const cairn_counts *counts, int m, const shared *s)
{
    const cairn_suggest_work *w    = &counts->work[m];
    const cairn_rates        *r    = cairn_rates_of(&counts->leaf[m], s->columns > 1);
    const double              team = counts->leaf[m].alone ? 1 : s->team;
    const double              lead = fmax(0, w->widest - w->values / team);
    double                    time = s->columns * column_time(counts, m, s) / team;

    if (team > 1)
        time += s->columns * (r->lead * lead + r->scattered * w->scattered_rows);
    return time;
}

void cairn_counts_predict(const cairn_counts    *counts,
                          const cairn_predictor *by,
                          double                *product,
                          double                *convert)
{
    const double columns = (double)by->op->columns;
    const double values  = cairn_counts_values(counts),
                 bytes   = cairn_counts_bytes(counts);
    const double most    = fmax(1, floor(columns * values / 3000)); /* threads */
    const double out     = fmax(0, bytes - by->threads * cache);
    const shared s       = {.columns = columns,
                            .team    = fmin(by->threads, most),
                            .beyond  = bytes > 0 ? out / bytes : 0,
                            .memory  = by->memory};
    double       start   = 0;
    int          joined  = 0; /* members that found something in Y */

    *product = *convert = counts->members > 0 ? 0 : INFINITY;
    for (int m = 0; m < counts->members; m++) {
        const cairn_suggest_work *w = &counts->work[m];
        const cairn_rates        *r = cairn_rates_of(&counts->leaf[m], columns > 1);

        if (w->values == 0) continue;
        start = fmax(start, r->launch + (s.team > 1 ? r->team : 0));
        *product += member_time(counts, m, &s);
        if (joined++ > 0) *product += columns * cairn_rate_join * w->added / s.team;
        *convert += r->store + by->memory.byte * r->convert * w->entries;
        if (counts->members > 1)
            *convert += by->memory.byte * cairn_rate_partition * w->entries;
    }
    if (joined > 1) *convert += cairn_rate_split;
    *product += start;
}
