// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a search can win, and so may take: totals of all candidates, storing and the
/// products to come, for the best matrix with what is known of this one.

#include "auto/choice.h"
#include "auto/probe.h"

#include <math.h>

/* Seconds, measured where auto/rates.def is from: rows are counted in 3 ns each and 1 ns for
   each entry looked at, of which a long row has few; a value is looked at in 0.7 ns, where all
   are narrow; a sample takes 8 ns an entry; a candidate that is not counted from the
   structure is stored (auto/probe.h), in a microsecond an entry. */
static const double row_seconds = 3e-9, short_row_seconds = 1e-9, value_seconds = 7e-10,
                    sample_seconds = 8e-9, probe_seconds = 1e-6;
enum { LOOKED_AT = 40 };

/* The best matrix is a rare one: a step is worth its time where this part of what it can
   win would pay for it. */
static const double rows_part = 4, sample_part = 12;

/* Where nothing is known of the first candidate: seconds of a product for each entry and
   row, at worst; and how much faster any other may be. */
static const double worst_entry = 3e-9, worst_row = 8e-9, fastest = 8;

/* Products that storing takes at least: all is read, as a product reads it, and written; and
   values are looked at. */
static const double least_storing = 2;

bool cairn_choice_is_of_few(double replays)
{
    return replays * (1 - 1 / fastest) <= least_storing;
}

void cairn_choice_count(const cairn_choice  *c,
                        int                  k,
                        const cairn_pattern *structure,
                        cairn_counts        *counts)
{
    cairn_candidate_count(c->offer[k].candidate, structure, c->by.op, &c->values,
                          counts);
    if (k == 0 && c->matrix->stored.format && counts->members > 0) {
        const double more = c->matrix->wider * (double)structure->entries;

        counts->work[0].bytes += more;
        counts->work[0].wide += more;
    }
}

void cairn_choice_predict(const cairn_choice *c,
                          int                 k,
                          const cairn_counts *counts,
                          double             *product,
                          double             *convert)
{
    cairn_counts_predict(counts, &c->by, product, convert);
    if (k == 0 && c->matrix->stored.format && isfinite(*convert)) *convert = 0;
}

double cairn_choice_allowed(const cairn_choice *c, double products, double share)
{
    return fmin(products, share * c->replays) * c->info->candidate[0].predicted;
}

/// Seconds to store in a candidate with an estimator and of all products; INFINITY: it is
/// not for that structure. @param[out] product  Of one product.
static double
total(const cairn_choice *c, int k, const cairn_pattern *structure, double *product)
{
    cairn_counts counts;
    double       convert;

    cairn_choice_count(c, k, structure, &counts);
    cairn_choice_predict(c, k, &counts, product, &convert);
    return isfinite(*product) ? convert + c->replays * *product : INFINITY;
}

/// The least total of candidates from @p first on.
static double
least_total(const cairn_choice *c, int first, const cairn_pattern *structure)
{
    double least = INFINITY, product;

    for (int k = first; k < c->offered; k++)
        if (c->offer[k].candidate->estimator)
            least = fmin(least, total(c, k, structure, &product));
    return least;
}

static int count_probed(const cairn_choice *c)
{
    int probed = 0;

    for (int k = 0; k < c->offered; k++)
        probed += !c->offer[k].candidate->estimator;
    return probed;
}

/// What any candidate can win over the first, as far as extents and entries say.
static double most_won(const cairn_choice *c)
{
    const cairn_pattern *s = &c->structure;
    const double         n = (double)s->entries, rows = (double)s->rows;
    cairn_pattern        worst = *s, best = *s;
    double               product = worst_entry * n + worst_row * rows;
    double               first   = c->replays * product;

    cairn_pattern_assume_worst(&worst);
    cairn_pattern_assume_best(&best, false);
    if (c->offer[0].candidate->estimator) first = total(c, 0, &worst, &product);
    if (count_probed(c) > 0) return c->replays * product * (1 - 1 / fastest);
    return first - least_total(c, 1, &best);
}

bool cairn_choice_may_win(const cairn_choice *c)
{
    const cairn_pattern *s = &c->structure;
    const double         n = (double)s->entries, rows = (double)s->rows;
    const double         looked = fmin(n, LOOKED_AT * rows);
    const double         probes = count_probed(c) * fmin(n, CAIRN_PROBE_ENTRIES);
    const double         values = c->values.narrows ? n : 0;
    const double         takes  = row_seconds * rows + short_row_seconds * looked
                         + value_seconds * values + probe_seconds * probes;

    /* To count rows takes no longer than one product or two: where many come it is done
       whatever the matrix, but for one that is stored already and may stay so. */
    return (c->replays >= CAIRN_MANY_PRODUCTS && !c->matrix->stored.format)
           || most_won(c) > rows_part * takes;
}

double cairn_choice_countable(const cairn_choice *c)
{
    const double  most = 30; /* products */
    cairn_pattern best = c->structure;
    double        product, seconds;

    if (!c->offer[0].candidate->estimator
        || isinf(total(c, 0, &c->structure, &product)))
        product = worst_entry * (double)c->structure.entries;
    seconds = fmin(most, c->replays / 10) * product;
    cairn_pattern_assume_best(&best, true);
    const double won = least_total(c, 0, &c->structure) - least_total(c, 0, &best);

    if (count_probed(c) == 0 && isfinite(won))
        seconds = fmin(seconds, won / sample_part);
    return seconds / sample_seconds;
}
