// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Trials: the best few candidates, stored and multiplied on a sample; and what candidates
/// are thought to take, by the model and by trials.

#include "auto/choice.h"
#include "auto/sample_run.h"

#include <math.h>
#include <string.h>

/* What is tried on has at most this share of the entries, and so many. */
enum { TRIED_SHARE = 16, LEAST_SAMPLE = 6000, MOST_SAMPLE = 1 << 19 };

/* The search is to take less than 50 products in CSR, kernels not counted: no trial
   begins that may end after this many, or after this share of those to come, and none at
   all for fewer entries. */
static const double  enough_products = 30, enough_share = 0.03;
static const int64_t worth_trying = 150000;

/* Trials are thought to take this many times as long as their rates say: what is small
   and stored for the first time does. */
static const double safety_factor = 2;

/* The logarithm of the factor that a trial may be wrong by: measured, 1.28. */
static const double model_log_error = 0.25;

/* What is predicted to take more than this times the best is not tried; nor more than
   this many formats. */
static const double near_best = 1.6;
enum { TRIES = 4 };

/// What is predicted, but for what a trial found it to be wrong by beside the first
/// format, which all share. Trials are wrong too: caches and branch predictors know
/// a small sample better than the whole. So only what is beyond that counts.
double cairn_choice_seconds(const cairn_choice *c, int k)
{
    const cairn_auto_candidate *one   = &c->info->candidate[k];
    const cairn_auto_candidate *plain = &c->info->candidate[0];

    if (one->tried <= 0 || plain->tried <= 0 || isinf(plain->predicted))
        return one->predicted;
    const double wrong =
        log(one->tried / one->predicted * plain->predicted / plain->tried);

    return one->predicted
           * exp(copysign(fmax(0, fabs(wrong) - model_log_error), wrong));
}

double cairn_choice_total(const cairn_choice *c, int k)
{
    return c->offer[k].convert + c->replays * cairn_choice_seconds(c, k);
}

static double least_predicted(const cairn_choice *c)
{
    double least = INFINITY;

    for (int k = 0; k < c->info->candidates; k++)
        least = fmin(least, c->info->candidate[k].predicted);
    return least;
}

int cairn_choice_best(const cairn_choice *c)
{
    int best = -1;

    for (int k = 0; k < c->info->candidates; k++) {
        if (isinf(cairn_choice_total(c, k))) continue;
        if (best < 0 || cairn_choice_total(c, k) < cairn_choice_total(c, best))
            best = k;
    }
    return best;
}

double cairn_choice_spent(const cairn_choice *c, double begin)
{
    return cairn_seconds() - begin - c->info->kernel_seconds;
}

/// What is tried on is counted, too: what the model is wrong by there, it is wrong by for
/// the whole.
static cairn_status count_sample(cairn_choice *c)
{
    cairn_env          *env    = c->within->env;
    const cairn_sample *sample = &c->sample;

    const cairn_matrix_rows rows = cairn_matrix_rows_of_entries(
        &sample->entries, 0, sample->shape.extent[0], sample->shape.extent[1]);

    CAIRN_TRY(cairn_pattern_count_rows(env, &rows, &c->tried));
    return cairn_pattern_count_sample(env, sample, &c->tried);
}

static cairn_status
ask_placement(cairn_choice *c, cairn_placement *placement, cairn_sample_runs *trials)
{
    cairn_env  *env    = c->within->env;
    const char *place  = c->options->place ? c->options->place : "";
    const char *policy = env->options.policy[0] ? env->options.policy : "heft";

    CAIRN_TRY(cairn_placement_parse(env, "--place", place, placement));
    trials->placing = (cairn_placing_question){.placement = placement,
                                               .op        = c->by.op,
                                               .costs     = c->within->costs,
                                               .devices   = c->within->devices,
                                               .ranks = c->within->comm->local_size};
    trials->devices = c->within->devices;
    return cairn_policy_find(env, policy, &trials->placing.policy);
}

/// What a candidate stores of the sample that is tried on: what was probed, a share of.
static void count_tried(const cairn_choice *c, int k, cairn_counts *counts)
{
    const double share = c->tried.entries > 0 && c->structure.entries > 0
                             ? (double)c->tried.entries / (double)c->structure.entries
                             : 0;

    if (c->offer[k].candidate->estimator) {
        cairn_choice_count(c, k, &c->tried, counts);
        return;
    }
    *counts = c->offer[k].counts;
    for (int m = 0; m < counts->members; m++)
        cairn_suggest_work_scale(&counts->work[m], share);
}

/// What the model says of a product with the sample that is tried on.
static double sample_seconds(const cairn_choice *c, int k)
{
    double       product, convert;
    cairn_counts counts;

    count_tried(c, k, &counts);
    cairn_counts_predict(&counts, &c->by, &product, &convert);
    return product * c->offer[k].factor;
}

/// Is there memory to store the sample and to multiply with it, beside the entries? A
/// hybrid has a second Y.
static bool has_room(const cairn_choice *c, int k)
{
    const cairn_env *env    = c->within->env;
    const int64_t   *extent = c->sample.shape.extent;
    const double     line   = (double)c->by.op->columns * c->values.carrier_bits / 8;
    const double     dense  = line * (2 * (double)extent[0] + (double)extent[1]);
    const double     beside = (double)c->matrix->held;
    cairn_counts     counts;

    count_tried(c, k, &counts);
    return env->memory_limit <= 0
           || cairn_counts_room(&counts) + dense + beside < (double)env->memory_limit;
}

/// What a trial takes: storing, and some products.
static double trial_seconds(const cairn_choice *c, int k)
{
    double       product, convert;
    cairn_counts counts;

    count_tried(c, k, &counts);
    cairn_counts_predict(&counts, &c->by, &product, &convert);
    return convert + 5 * product * c->offer[k].factor;
}

/// Try one format. Where it cannot be tried, it is out.
static cairn_status try_one(cairn_choice *c, const cairn_sample_runs *trials, int k)
{
    cairn_auto_candidate *candidate = &c->info->candidate[k];
    cairn_sample_run      trial     = {0};
    const cairn_status    status =
        c->within->run(c->within, candidate->format, trials, &trial);

    if (status == CAIRN_NO_MEMORY) return status;
    c->info->kernel_seconds += trial.kernels;
    if (status == CAIRN_OK)
        candidate->tried = trial.product / c->info->share;
    else
        candidate->predicted = INFINITY;
    if (candidate->tried > 0 && isfinite(sample_seconds(c, k)))
        candidate->tried = candidate->predicted * trial.product / sample_seconds(c, k);
    return CAIRN_OK;
}

/// When trials are to have ended, in seconds from the begin of the search.
static double allowed(const cairn_choice *c)
{
    return cairn_choice_allowed(c, enough_products, enough_share);
}

static bool is_worth_trying(const cairn_choice *c, double begin)
{
    if (c->options->tries != 0) return c->options->tries > 0;
    return c->seen == CAIRN_SEEN_SAMPLE && c->matrix->rows.n >= worth_trying
           && cairn_choice_spent(c, begin) < allowed(c);
}

static int64_t tried_entries(const cairn_choice *c)
{
    const int64_t wanted = c->matrix->rows.n / TRIED_SHARE;

    return wanted < LEAST_SAMPLE  ? LEAST_SAMPLE
           : wanted > MOST_SAMPLE ? MOST_SAMPLE
                                  : wanted;
}

/// Do the products of two candidates go through the same loops? What the model is wrong by
/// for one of them it is wrong by for the other.
static bool are_alike(const cairn_counts *a, const cairn_counts *b)
{
    bool alike = a->members == b->members;

    for (int m = 0; alike && m < a->members; m++)
        alike = cairn_leaf_is_like(&a->leaf[m], &b->leaf[m]);
    return alike;
}

/// Would a trial only say what one before it said: is there one like it that is tried, and
/// thought to be as good?
static bool is_settled(const cairn_choice *c, int k)
{
    for (int other = 0; other < c->info->candidates; other++)
        if (c->info->candidate[other].tried > 0
            && are_alike(&c->offer[other].counts, &c->offer[k].counts)
            && cairn_choice_total(c, other) <= cairn_choice_total(c, k))
            return true;
    return false;
}

/// The best of those that a trial can tell something of; -1: none.
static int next_to_try(const cairn_choice *c)
{
    int best = -1;

    for (int k = 0; k < c->info->candidates; k++) {
        if (c->info->candidate[k].tried > 0 || isinf(cairn_choice_total(c, k))
            || is_settled(c, k))
            continue;
        if (best < 0 || cairn_choice_total(c, k) < cairn_choice_total(c, best))
            best = k;
    }
    return best;
}

cairn_status cairn_choice_try(cairn_choice *c, double begin)
{
    cairn_sample_runs trials = {.env        = c->within->env,
                                .sample     = &c->sample,
                                .op         = c->by.op,
                                .value_bits = c->values.carrier_bits,
                                .narrows    = cairn_value_widths_narrow(&c->values),
                                .held       = c->matrix->held};
    const int         most   = c->options->tries > 0 ? c->options->tries : TRIES;
    cairn_placement   placement;

    if (!is_worth_trying(c, begin)) return CAIRN_OK;
    CAIRN_TRY(ask_placement(c, &placement, &trials));
    if (isinf(c->info->candidate[0].predicted))
        return CAIRN_OK; /* none to compare to */
    CAIRN_TRY(cairn_choice_take_sample(c, tried_entries(c), CAIRN_SAMPLE_GRAIN));
    CAIRN_TRY(count_sample(c));
    const double near = near_best * least_predicted(c);
    double       late = safety_factor;

    for (int tries = 0; tries < most; tries++) {
        const int    k     = tries == 0 ? 0 : next_to_try(c);
        const double spent = cairn_choice_spent(c, begin);
        const double limit = allowed(c);

        if (k < 0 || (tries > 0 && c->info->candidate[k].predicted > near)) break;
        if (!has_room(c, k)) break;
        const double thought = trial_seconds(c, k);

        if (spent + late * thought > limit && c->options->tries == 0) break;
        CAIRN_TRY(try_one(c, &trials, k));
        late = fmax(late, (cairn_choice_spent(c, begin) - spent) / thought);
    }
    return CAIRN_OK;
}
