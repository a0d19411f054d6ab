// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What products take: counts times rates.

#include "auto/rates.h"
#include "auto/suggest.h"

#include <math.h>

/* Bytes that stay in a core's own cache from one run to the next. */
static const double cache = 1.5e6;

/* Blocks whose values are integers of 8 or 16 bits: three instructions widen some, where
   one loads as many of f64, and there is little else to do. Measured in blocks of 2, 3 and
   4 of seven matrices that caches hold: 1.02 to 1.55 of the time, mostly 1.2 to 1.35; other
   leaves take no longer for it. */
static const double widened_blocks = 1.2;

/* Turns that a processor knows by heart. */
static const double known_turns = 4000;

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

    return blocks && stored->kind == CAIRN_VALUE_INTEGER ? widened_blocks : 1;
}

/// Seconds of one thread for a column.
static double column_time(const cairn_rates        *r,
                          const cairn_suggest_work *w,
                          const shared             *s,
                          double                    widened)
{
    const double turns = fmax(0, w->turns - s->team * known_turns);

    return r->row * w->rows + widened * (r->unit * w->units + r->value * w->values)
           + r->turn * turns + s->memory.byte * r->byte * s->beyond * w->bytes
           + s->memory.near * r->near * w->near + s->memory.far * r->far * w->far
           + r->edge * w->edge;
}

/// Seconds of a member, but for its start.
static double member_time(const cairn_rates        *r,
                          const cairn_suggest_work *w,
                          const shared             *s,
                          double                    widened,
                          bool                      alone)
{
    const double team = alone ? 1 : s->team;
    double       time = s->columns * column_time(r, w, s, widened) / team;
    const double lead = fmax(0, w->widest - w->values / team);

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
        *product +=
            member_time(r, w, &s, widening(&counts->leaf[m], &counts->stored[m]),
                        counts->leaf[m].alone);
        if (joined++ > 0) *product += columns * cairn_rate_join * w->added / s.team;
        *convert += r->store + by->memory.byte * r->convert * w->entries;
        if (counts->members > 1)
            *convert += by->memory.byte * cairn_rate_partition * w->entries;
    }
    if (joined > 1) *convert += cairn_rate_split;
    *product += start;
}
