// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Asking cost models, and weighing what they say.

#include "auto/learned.h"

#include "cost/cost_fit.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* The logarithms of factors, one standard deviation: by which rates are wrong for all
   formats alike, and for one beside the others (as much as a trial may be wrong by); and a
   family's model for work that is not alike, which is sure of no more than rates are. */
static const double common_doubt = 0.25, own_doubt = 0.25, unlike_doubt = 0.25;

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
static cairn_work work_of(const cairn_learned      *l,
                          const cairn_layout       *layout,
                          const cairn_suggest_work *counted,
                          bool                      sets)
{
    const double each = (double)l->op->columns * (l->value_bits / 8);
    const double rows = (double)l->rows, cols = (double)l->extent[1];
    const double in  = l->op->transposed ? rows : cols,
                 out = l->op->transposed ? cols : rows;
    cairn_work work  = {.entries = counted->entries, .arrays = counted->bytes};

    cairn_work_family(layout, l->op, l->value_bits, work.family);
    work.x     = each * fmin(in, counted->entries);
    work.y     = each * out * (sets ? 1 : 2);
    work.bytes = work.arrays + work.x + work.y;
    return work;
}

/// Add what a member takes. @return false: nothing of its family has run.
static bool
add_member(const cairn_learned *l, const cairn_work *work, cairn_learned_guess *sum)
{
    const cairn_cost_model *model =
        cairn_cost_find(l->costs, l->device->key, work->family);

    if (!model) return false;
    const double seconds =
        cairn_cost_seconds(&model->rates, work->bytes, work->entries);
    const double unlike = cairn_cost_has_alike(model, work) ? 0 : unlike_doubt;
    const double spread = cairn_cost_spread(model, work->bytes);

    sum->seconds += seconds;
    sum->spread += seconds * sqrt(square(spread) + square(unlike));
    sum->count = sum->count < model->samples ? sum->count : model->samples;
    return true;
}

cairn_status cairn_learned_ask(const cairn_learned *learned,
                               const cairn_format  *format,
                               const cairn_counts  *counts,
                               cairn_learned_guess *guess)
{
    cairn_learned_guess sum = {.count = INT_MAX};

    *guess = (cairn_learned_guess){0};
    for (int m = 0; m < counts->members && m < format->members; m++) {
        cairn_layout      *layout = NULL;
        const cairn_status status =
            cairn_layout_create(learned->env, format->member[m], learned->extent, NULL,
                                NULL, learned->value_bits, &layout);

        if (status == CAIRN_NO_MEMORY) return status;
        if (status != CAIRN_OK) return CAIRN_OK; /* it is known when it is stored */
        const cairn_work work = work_of(learned, layout, &counts->work[m], m == 0);

        cairn_layout_destroy(learned->env, &layout);
        if (!add_member(learned, &work, &sum)) return CAIRN_OK;
    }
    if (!(sum.seconds > 0)) return CAIRN_OK;
    sum.spread /= sum.seconds;
    *guess = sum;
    return CAIRN_OK;
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
    double sum = 0, weights = 1 / square(common_doubt), error;

    for (int k = 0; k < n; k++) {
        if (!get_error(predicted[k], &guess[k], &error)) continue;
        const double weight = 1 / (square(own_doubt) + square(guess[k].spread));

        sum += weight * error;
        weights += weight;
    }
    const double common = sum / weights;

    for (int k = 0; k < n; k++) {
        double own = 0;

        if (get_error(predicted[k], &guess[k], &error))
            own = (error - common) * square(own_doubt)
                  / (square(own_doubt) + square(guess[k].spread));
        factor[k] = exp(common + (fabs(own) < no_difference ? 0 : own));
    }
}
