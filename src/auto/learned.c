// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Asking cost models, and weighing what they say.

#include "auto/learned.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Standard deviations of the logarithm of measured over predicted: of what all formats have
   in common; of one format beside the others (as much as a trial may be wrong by); between
   products of one family that have as many bytes, but other rows and columns (over 57
   matrices, of three families: 0.34 to 0.57); and of a single measurement. */
static const double common_log_error = 0.25, own_log_error = 0.25,
                    other_size_log_error = 0.5, single_log_error = 0.5;

/* What is smaller than this (a tenth) does not count. */
static const double no_difference = 0.095;

static double square(double a)
{
    return a * a;
}

bool cairn_learned_any(const cairn_learned *learned)
{
    const cairn_costs *costs = learned->costs;

    for (int k = 0; k < costs->models; k++)
        if (strncmp(costs->model[k].family, "product", 7) == 0
            && strcmp(costs->model[k].device, learned->device->key) == 0)
            return true;
    return false;
}

/// The work of a member as cairn_work_of_product() counts it once it is stored.
///
/// @param[in] m  The member.
static cairn_work work_of(const cairn_learned   *l,
                          const cairn_candidate *candidate,
                          const cairn_counts    *counts,
                          int                    m)
{
    const cairn_suggest_work  *counted = &counts->work[m];
    const cairn_value_storage *stored  = &counts->stored[m];
    char                       kinds[CAIRN_FAMILY];

    const double each = (double)l->op->columns * (l->value_bits / 8);
    const double rows = (double)l->rows, cols = (double)l->cols;
    const double in  = l->op->transposed ? rows : cols,
                 out = l->op->transposed ? cols : rows;
    cairn_work work  = {.entries = counted->entries, .arrays = counted->bytes};

    memcpy(kinds, candidate->kinds[m], sizeof kinds);
    cairn_work_say_values(stored->kind, stored->bits, l->value_bits, kinds);
    cairn_work_family_of_kinds(kinds, l->op, l->value_bits, work.family);
    work.x     = each * fmin(in, counted->entries);
    work.y     = each * out * (m == 0 ? 1 : 2); /* the first sets Y */
    work.bytes = work.arrays + work.x + work.y;
    return work;
}

/// Add what a member takes. @return false: nothing of its family has run.
static bool
add_member(const cairn_learned *l, const cairn_work *work, cairn_learned_guess *sum)
{
    cairn_cost_recalled r;

    if (!cairn_cost_recall(l->costs, l->device->key, work, &r)) return false;
    const double unlike = r.same_size ? 0 : other_size_log_error,
                 few    = single_log_error / r.count;

    sum->seconds += r.seconds;
    sum->spread += r.seconds * sqrt(square(r.spread) + square(unlike) + square(few));
    sum->count = sum->count < r.count ? sum->count : r.count;
    return true;
}

void cairn_learned_ask(const cairn_learned   *learned,
                       const cairn_candidate *candidate,
                       const cairn_counts    *counts,
                       cairn_learned_guess   *guess)
{
    cairn_learned_guess sum = {.count = INT_MAX};

    *guess = (cairn_learned_guess){0};
    for (int m = 0; m < counts->members && m < candidate->format->members; m++) {
        if (!candidate->kinds[m][0]) return; /* its layout is known when it is stored */
        const cairn_work work = work_of(learned, candidate, counts, m);

        if (!add_member(learned, &work, &sum)) return;
    }
    if (!(sum.seconds > 0)) return;
    sum.spread /= sum.seconds;
    *guess = sum;
}

/// The logarithm of measured over predicted, where both are known.
static bool get_error(double predicted, const cairn_learned_guess *guess, double *error)
{
    const double most = guess->count * log(2);

    *error = guess->seconds > 0 ? log(guess->seconds / predicted) : 0;
    if (!isfinite(*error)) return false;
    *error = fmax(-most, fmin(most, *error));
    return guess->seconds > 0;
}

void cairn_learned_correct(int                        n,
                           const double              *predicted,
                           const cairn_learned_guess *guess,
                           double                    *factor)
{
    double sum = 0, weights = 1 / square(common_log_error), error;

    for (int k = 0; k < n; k++) {
        if (!get_error(predicted[k], &guess[k], &error)) continue;
        const double weight = 1 / (square(own_log_error) + square(guess[k].spread));

        sum += weight * error;
        weights += weight;
    }
    const double common = sum / weights;

    for (int k = 0; k < n; k++) {
        double own = 0;

        if (get_error(predicted[k], &guess[k], &error))
            own = (error - common) * square(own_log_error)
                  / (square(own_log_error) + square(guess[k].spread));
        factor[k] = exp(common + (fabs(own) < no_difference ? 0 : own));
    }
}
