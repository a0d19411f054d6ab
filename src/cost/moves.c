// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Learning what moving a byte takes.

#include "cost/moves.h"

#include <math.h>
#include <stdio.h>

/* The logarithm of the factor by which shipped rates are thought to be wrong, one standard
   deviation, and the largest factor that is believed. */
static const double model_log_error = 0.25, most = 8;

/* Bytes and entries for which rates are asked: a matrix beyond the second cache. */
static const double nominal_bytes = 3e7, nominal_entries = 1e6;

/* A remainder below this share of the whole says nothing. */
static const double least_share = 0.2;

/// Does the program nothing but move, with compiled functions, the entries of one member?
static bool only_moves(const cairn_pass_list *program)
{
    for (int k = 0; k < program->passes; k++) {
        const cairn_pass *pass = &program->pass[k];

        if (pass->interpreted || pass->member > 0) return false;
        switch (pass->what) {
        case CAIRN_PASS_COUNT:
        case CAIRN_PASS_OFFSETS:
        case CAIRN_PASS_MOVE:
        case CAIRN_PASS_APPEND:
        case CAIRN_PASS_SHARE:
        case CAIRN_PASS_PAD: break;
        default: return false;
        }
    }
    return program->passes > 0;
}

static void make_work(bool scattered, double bytes, double entries, cairn_work *work)
{
    *work = (cairn_work){.entries = entries, .bytes = bytes};
    snprintf(work->family, sizeof work->family, "convert %s",
             scattered ? "scattered" : "in order");
}

static cairn_cost_device described(const cairn_cost_device *device, double rate)
{
    cairn_cost_device its = *device;

    its.prior = (cairn_cost_rates){.per_byte = rate};
    return its;
}

void cairn_cost_observe_moves(cairn_costs             *costs,
                              const cairn_cost_device *device,
                              const cairn_pass_list   *program,
                              const cairn_move_rates  *rates,
                              int64_t                  entries,
                              double                   seconds)
{
    const cairn_move_rates bytes = cairn_pass_list_bytes(program);
    const bool             both  = bytes.scattered > 0;
    const double           rate  = both ? rates->scattered : rates->in_order;
    const double moved = (double)entries * (both ? bytes.scattered : bytes.in_order);
    const double own =
        both ? seconds - (double)entries * bytes.in_order * rates->in_order : seconds;
    const cairn_cost_device its = described(device, rate);
    cairn_work              work;

    if (!only_moves(program) || moved <= 0 || own < least_share * seconds) return;
    make_work(both, moved, (double)entries, &work);
    cairn_cost_observe(costs, &its, &work, own);
}

/// A rate corrected by conversions that ran.
///
/// @param[in]     before    The rate without them.
/// @param[in,out] measured  Set where any ran.
static double learned(cairn_costs             *costs,
                      const cairn_cost_device *device,
                      bool                     scattered,
                      double                   before,
                      bool                    *measured)
{
    const cairn_cost_device its = described(device, before);
    cairn_work              work;
    cairn_cost_guess        guess;

    make_work(scattered, nominal_bytes, nominal_entries, &work);
    cairn_cost_predict(costs, &its, &work, &guess);
    if (guess.source != CAIRN_COST_MEASURED) return before;
    *measured           = true;
    const double prior  = model_log_error * model_log_error;
    const double weight = prior / (prior + guess.spread * guess.spread);
    const double wrong  = log2(guess.seconds / (before * nominal_bytes));

    return before * exp2(round(4 * weight * wrong) / 4);
}

static double bounded(double rate, double shipped)
{
    return fmax(shipped / most, fmin(shipped * most, rate));
}

bool cairn_cost_moves(cairn_costs             *costs,
                      const cairn_cost_device *device,
                      cairn_move_rates        *rates)
{
    const cairn_move_rates *shipped  = &cairn_move_rates_shipped;
    bool                    measured = costs->memory_when > 0;
    const double slow = measured ? cairn_memory_factors(&costs->memory).byte : 1;
    const double in_order =
        learned(costs, device, false, slow * shipped->in_order, &measured);
    const double scattered =
        learned(costs, device, true, slow * shipped->scattered, &measured);

    rates->in_order  = bounded(in_order, shipped->in_order);
    rates->scattered = bounded(scattered, shipped->scattered);
    return measured;
}
