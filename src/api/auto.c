// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Choosing a format: count on a sample, predict, try the best few.

#include "api/api.h"
#include "api/door.h"
#include "api/told_alike.h"
#include "auto/candidates.h"
#include "auto/probe.h"
#include "auto/sample_run.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is counted has at least so many entries, and else a share of them; at most so
   many. What is tried has fewer. */
enum {
    LEAST_SAMPLE  = 6000,
    COUNTED_SHARE = 6,
    TRIED_SHARE   = 16,
    MOST_SAMPLE   = 1 << 19
};

/* Counting takes some 10 ns an entry: so many that it is like some 10 products. */
static const double counted_a_second = 1e9;
enum { FEWEST = 1000 };

/* The search is to take less than 50 products in CSR, kernels not counted: no trial
   begins that may end after this many, and none at all for fewer entries. */
static const double  enough_products = 30;
static const int64_t worth_trying    = 150000;

/* Trials are thought to take this many times as long as their rates say: what is small
   and stored for the first time does. */
static const double haste = 2;

/* The logarithm of the factor that a trial may be wrong by: measured, 1.28. */
static const double doubt = 0.25;

/* Seconds that a product must gain: rates know the start of one no better. */
static const double alike = 3e-8;

/* What is predicted to take more than this times the best is not tried; nor more than
   this many formats. */
static const double near_best = 1.6;
enum { TRIES = 4 };

/// What one rank thinks with.
typedef struct {
    const cairn_source          *source;
    cairn_context               *context;
    const cairn_product_options *op;
    const cairn_auto_options    *options;
    int                          value_bits;
    cairn_sample                 sample;  ///< That is counted, then that is tried on.
    cairn_candidates             own;     ///< The caller's; or none.
    int                          offered; ///< Candidates for the product:
    const cairn_candidate       *offer[CAIRN_AUTO_CANDIDATES]; ///< [offered] these,
    cairn_counts                *counts;    ///< [offered] and what they store.
    cairn_pattern                structure; ///< Of the whole,
    cairn_pattern                tried;     ///< of the sample that is tried on.
    bool sampled; ///< A sample is counted; else some rows are so long that there is no
                  ///< time, and only rows are known.
    double           replays;                        ///< Products to come.
    double           convert[CAIRN_AUTO_CANDIDATES]; ///< Seconds to store.
    cairn_auto_info *info;
} choice;

/// What the model says, but for what a trial found it to be wrong by beside the first
/// format, which everybody shares. Trials are wrong too: caches and branch predictors know
/// a small sample better than the whole. So only what is beyond that counts.
static double product_seconds(const choice *c, int k)
{
    const cairn_auto_candidate *one   = &c->info->candidate[k];
    const cairn_auto_candidate *plain = &c->info->candidate[0];

    if (one->tried <= 0 || plain->tried <= 0 || isinf(plain->predicted))
        return one->predicted;
    const double wrong =
        log(one->tried / one->predicted * plain->predicted / plain->tried);

    return one->predicted * exp(copysign(fmax(0, fabs(wrong) - doubt), wrong));
}

static double total_seconds(const choice *c, int k)
{
    return c->convert[k] + c->replays * product_seconds(c, k);
}

/// Take a share of this rank's entries, at most @p most, instead of the sample there is.
static cairn_status take_sample(choice *c, int share, int64_t most)
{
    cairn_env           *env     = &c->context->env;
    const cairn_entries *entries = &c->source->entries;
    const int            rank    = c->context->comm->rank;
    int64_t              wanted  = entries->n / share;

    wanted = wanted < LEAST_SAMPLE ? LEAST_SAMPLE : wanted;
    wanted = wanted > most ? most : wanted;
    cairn_sample_fini(env, &c->sample);
    CAIRN_TRY(cairn_sample_take(
        env, entries, c->source->rows.first[rank], c->source->rows.first[rank + 1],
        c->source->shape.extent[1], wanted, CAIRN_SAMPLE_GRAIN, &c->sample));
    const int64_t n = c->sample.entries.n;

    c->info->share = entries->n > 0 ? (double)n / (double)entries->n : 1;
    return CAIRN_OK;
}

static void predict_one(const choice *c, int k, double *product, double *convert)
{
    cairn_counts_predict(&c->counts[k], c->op, c->structure.rows,
                         cairn_context_threads(c->context), product, convert);
}

/// Entries that there is time to count, by what the rows say of a product with them.
static double countable(const choice *c)
{
    const cairn_candidate *rows = c->context->candidates.list;
    cairn_counts           counts;
    double                 product, convert;

    cairn_candidate_count(rows, &c->structure, c->op, c->value_bits, &counts);
    cairn_counts_predict(&counts, c->op, c->structure.rows,
                         cairn_context_threads(c->context), &product, &convert);
    return isfinite(product) ? fmax(FEWEST, counted_a_second * product) : FEWEST;
}

/// Entries that a sample has at least: a band of rows, and perhaps the longest row.
static double least_sample(const choice *c)
{
    const int64_t *first = c->source->rows.first;
    const int      rank  = c->context->comm->rank;
    const double   rows  = (double)(first[rank + 1] - first[rank]);
    const double   n     = (double)c->source->entries.n;

    return fmax(n * fmin(1, CAIRN_SAMPLE_BAND / fmax(1, rows)),
                (double)c->structure.max_row);
}

/// Have all candidates counted whose counts follow from the structure.
static void count_offers(choice *c)
{
    for (int k = 0; k < c->offered; k++)
        if (c->offer[k]->estimator)
            cairn_candidate_count(c->offer[k], &c->structure, c->op, c->value_bits,
                                  &c->counts[k]);
}

/// Store a small sample, which cuts none of its blocks, in a format that is not counted
/// from the structure.
static cairn_status probe_offer(choice *c, int k)
{
    cairn_env          *env    = &c->context->env;
    const cairn_source *source = c->source;
    const int           rank   = c->context->comm->rank;
    const cairn_coord   first  = source->rows.first[rank],
                      end      = source->rows.first[rank + 1];
    const cairn_format *format = c->offer[k]->format;
    cairn_sample        sample;
    cairn_pattern       sampled;
    cairn_status        status;
    cairn_probe probe = {env, &sample, &sampled, &c->structure, c->op, c->value_bits};

    CAIRN_TRY(cairn_sample_take(
        env, &source->entries, first, end, source->shape.extent[1], CAIRN_PROBE_ENTRIES,
        cairn_sample_grain(cairn_probe_rows(format), end - first), &sample));
    CAIRN_GO(done,
             cairn_pattern_count_rows(env, &sample.entries, 0, sample.shape.extent[0],
                                      sample.shape.extent[1], &sampled));
    CAIRN_GO(done, cairn_probe_count(&probe, format, &c->counts[k]));
done:
    cairn_sample_fini(env, &sample);
    return status;
}

static cairn_status probe_offers(choice *c)
{
    for (int k = 0; k < c->offered; k++)
        if (!c->offer[k]->estimator) CAIRN_TRY(probe_offer(c, k));
    return CAIRN_OK;
}

static cairn_status count(choice *c)
{
    const cairn_source *source = c->source;
    const int           rank   = c->context->comm->rank;
    cairn_env          *env    = &c->context->env;

    CAIRN_TRY(cairn_pattern_count_rows(env, &source->entries, source->rows.first[rank],
                                       source->rows.first[rank + 1],
                                       source->shape.extent[1], &c->structure));
    const double most = countable(c);

    c->info->share = 1; /* of rows, all are counted */
    c->sampled     = least_sample(c) <= most;
    if (c->sampled) {
        CAIRN_TRY(take_sample(c, COUNTED_SHARE, (int64_t)fmin(MOST_SAMPLE, most)));
        CAIRN_TRY(cairn_pattern_count_sample(env, &c->sample, &c->structure));
    }
    count_offers(c);
    return probe_offers(c);
}

/// Do its arrays fit in memory, beside the entries?
static bool fits(const choice *c, int k)
{
    const cairn_env *env    = &c->context->env;
    const double     beside = 24 * (double)c->source->entries.n;

    return env->memory_limit <= 0
           || cairn_counts_bytes(&c->counts[k]) + beside < (double)env->memory_limit;
}

static void predict(choice *c)
{
    for (int k = 0; k < c->offered; k++) {
        cairn_auto_candidate *candidate = &c->info->candidate[k];

        snprintf(candidate->format, sizeof candidate->format, "%s", c->offer[k]->text);
        predict_one(c, k, &candidate->predicted, &c->convert[k]);
        if (!fits(c, k)) candidate->predicted = INFINITY;
        c->info->candidates = k + 1;
    }
}

/// The best of all or, with @p untried, of those that were not tried yet; the first of
/// equals.
static int best_of(const choice *c, bool untried)
{
    int best = -1;

    for (int k = 0; k < c->info->candidates; k++) {
        if (untried && c->info->candidate[k].tried > 0) continue;
        if (isinf(total_seconds(c, k))) continue;
        if (best < 0 || total_seconds(c, k) < total_seconds(c, best)) best = k;
    }
    return best;
}

/// What is tried on is counted, too: what the model is wrong by there, it is wrong by for
/// the whole.
static cairn_status count_sample(choice *c)
{
    cairn_env          *env    = &c->context->env;
    const cairn_sample *sample = &c->sample;

    CAIRN_TRY(cairn_pattern_count_rows(env, &sample->entries, 0,
                                       sample->shape.extent[0], sample->shape.extent[1],
                                       &c->tried));
    return cairn_pattern_count_sample(env, sample, &c->tried);
}

static cairn_status
set_homes(choice *c, cairn_placement *placement, cairn_sample_runs *trials)
{
    cairn_env   *env    = &c->context->env;
    const char  *place  = c->options->place ? c->options->place : "";
    const char  *policy = env->options.policy[0] ? env->options.policy : "heft";
    cairn_costs *costs;

    CAIRN_TRY(cairn_context_costs(c->context, &costs));
    CAIRN_TRY(cairn_placement_parse(env, "--place", place, placement));
    trials->homes   = (cairn_placing_question){.placement = placement,
                                               .op        = c->op,
                                               .costs     = costs,
                                               .devices   = c->context->devices,
                                               .ranks     = c->context->comm->local_size};
    trials->devices = c->context->devices;
    return cairn_policy_find(env, policy, &trials->homes.policy);
}

/// What a candidate stores of the sample that is tried on: what was probed, a share of.
static void count_tried(const choice *c, int k, cairn_counts *counts)
{
    const double share = c->tried.entries > 0 && c->structure.entries > 0
                             ? (double)c->tried.entries / (double)c->structure.entries
                             : 0;

    if (c->offer[k]->estimator) {
        cairn_candidate_count(c->offer[k], &c->tried, c->op, c->value_bits, counts);
        return;
    }
    *counts = c->counts[k];
    for (int m = 0; m < counts->members; m++)
        cairn_suggest_work_scale(&counts->work[m], share);
}

/// What the model says of a product with the sample that is tried on.
static double sample_seconds(const choice *c, int k)
{
    double       product, convert;
    cairn_counts counts;

    count_tried(c, k, &counts);
    cairn_counts_predict(&counts, c->op, c->tried.rows,
                         cairn_context_threads(c->context), &product, &convert);
    return product;
}

/// Is there memory to store the sample and to multiply with it, beside the entries? A
/// hybrid has a second Y.
static bool has_room(const choice *c, int k)
{
    const cairn_env *env    = &c->context->env;
    const int64_t   *extent = c->sample.shape.extent;
    const double     line   = (double)c->op->columns * c->value_bits / 8;
    const double     dense  = line * (2 * (double)extent[0] + (double)extent[1]);
    const double     beside = 24 * (double)c->source->entries.n;
    cairn_counts     counts;

    count_tried(c, k, &counts);
    return env->memory_limit <= 0
           || cairn_counts_bytes(&counts) + dense + beside < (double)env->memory_limit;
}

/// What a trial takes: storing, and some products.
static double trial_seconds(const choice *c, int k)
{
    const double share = (double)c->sample.entries.n / (double)c->source->entries.n;

    return share * (c->convert[k] + 5 * c->info->candidate[k].predicted);
}

/// Try one format. Where it cannot be tried, it is out.
static cairn_status try_one(choice *c, const cairn_sample_runs *trials, int k)
{
    cairn_auto_candidate *candidate = &c->info->candidate[k];
    cairn_build           build     = {.entries = &c->sample.entries};
    cairn_build_loader    own;
    char                  why[CAIRN_MESSAGE];
    cairn_format         *format = NULL;
    cairn_sample_run      trial  = {0};

    CAIRN_TRY(cairn_format_create(c->context, candidate->format, &format));
    cairn_status status = cairn_context_loader(c->context, &build, &own, why);

    if (status == CAIRN_OK)
        status = cairn_sample_run_run(trials, format, build.loader, &trial);
    cairn_format_destroy(&format);
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

static double least_predicted(const choice *c)
{
    double least = INFINITY;

    for (int k = 0; k < c->info->candidates; k++)
        least = fmin(least, c->info->candidate[k].predicted);
    return least;
}

static double search_seconds(const choice *c, double begin)
{
    return cairn_seconds() - begin - c->info->kernel_seconds;
}

/// Try the first format, with which others are compared, and the best of the others, as
/// long as there is time.
static cairn_status try_best(choice *c, double begin)
{
    cairn_sample_runs trials = {.env        = &c->context->env,
                                .sample     = &c->sample,
                                .op         = c->op,
                                .value_bits = c->value_bits,
                                .held       = 24 * c->source->entries.n};
    const int         most   = c->options->tries > 0 ? c->options->tries : TRIES;
    cairn_placement   placement;

    CAIRN_TRY(set_homes(c, &placement, &trials));
    if (isinf(c->info->candidate[0].predicted))
        return CAIRN_OK; /* none to compare to */
    CAIRN_TRY(take_sample(c, TRIED_SHARE, MOST_SAMPLE));
    CAIRN_TRY(count_sample(c));
    const double near = near_best * least_predicted(c);
    double       late = haste;

    for (int tries = 0; tries < most; tries++) {
        const int    k     = tries == 0 ? 0 : best_of(c, true);
        const double spent = search_seconds(c, begin);
        const double limit = enough_products * product_seconds(c, 0);

        if (k < 0 || (tries > 0 && c->info->candidate[k].predicted > near)) break;
        if (!has_room(c, k)) break;
        const double thought = trial_seconds(c, k);

        if (spent + late * thought > limit && c->options->tries == 0) break;
        CAIRN_TRY(try_one(c, &trials, k));
        late = fmax(late, (search_seconds(c, begin) - spent) / thought);
    }
    return CAIRN_OK;
}

static bool is_worth_trying(const choice *c)
{
    if (c->options->tries != 0) return c->options->tries > 0;
    return c->sampled && c->source->entries.n >= worth_trying;
}

/// What speaks for a candidate, as a part of a sentence.
static void say(const choice *c, int k, char *fact, size_t size)
{
    const cairn_counts       *counts = &c->counts[k];
    const cairn_suggest_work *w      = counts->work;
    const double              n      = fmax(1, (double)c->structure.entries);

    if (c->offer[k]->estimator)
        c->offer[k]->estimator->say(&c->structure, fact, size);
    else if (counts->members == 0)
        snprintf(fact, size, "it could not be counted");
    else if (counts->members == 1 && w->units > 0 && w->units < 0.99 * w->values)
        snprintf(fact, size, "%.3g entries in each of its %s; %.3g values an entry",
                 w->entries / w->units, cairn_leaf_unit(counts->leaf), w->values / n);
    else
        snprintf(fact, size, "%.3g values an entry", cairn_counts_values(counts) / n);
}

/// Two lines: what the format stores, what that gains.
static void explain(choice *c, int chosen)
{
    cairn_auto_info  *info  = c->info;
    const char *const plain = c->offer[0]->text;
    const double      n     = fmax(1, (double)c->structure.entries);
    const bool        lacks = isinf(info->candidate[0].predicted);
    char              fact[128], time[16], plain_time[16];

    say(c, chosen, fact, sizeof fact);
    if (c->structure.entries == 0)
        snprintf(info->why[0], sizeof info->why[0], "no entries; any format will do");
    else
        snprintf(info->why[0], sizeof info->why[0],
                 "%s; %.3g bytes an entry where %.60s has %.3g", fact,
                 cairn_counts_bytes(&c->counts[chosen]) / n, plain,
                 cairn_counts_bytes(&c->counts[0]) / n);
    snprintf(info->why[1], sizeof info->why[1],
             "%s %.3g %% of the entries: %s a product where %.60s %s%s",
             info->candidate[chosen].tried > 0 ? "tried on" : "by the model, from",
             100 * info->share, cairn_print_seconds(product_seconds(c, chosen), time),
             plain, lacks ? "cannot be had" : "takes ",
             lacks ? "" : cairn_print_seconds(product_seconds(c, 0), plain_time));
}

/// The format that is thought to take least; the first where that gains next to nothing.
static int pick(const choice *c)
{
    const int best = best_of(c, false);

    if (best < 0 || c->structure.entries == 0) return 0;
    return total_seconds(c, 0) - total_seconds(c, best) < c->replays * alike ? 0 : best;
}

/// The formats that are thought of: the caller's, or those that come with the library.
static cairn_status find_offers(choice *c)
{
    cairn_env              *env    = &c->context->env;
    const char *const       text   = c->options->candidates;
    const char *const       origin = c->options->origin ? c->options->origin : "text";
    const cairn_candidates *all    = &c->context->candidates;

    CAIRN_TRY(cairn_context_candidates(c->context));
    if (text) {
        CAIRN_TRY(cairn_candidates_parse(env, text, origin, &c->own));
        CAIRN_TRY(cairn_candidates_recognise(env, &c->context->candidates, &c->own));
        all = &c->own;
    }
    for (int k = 0; k < all->count; k++)
        if (all->list[k].products >> cairn_for_of(c->op) & 1)
            c->offer[c->offered++] = &all->list[k];
    if (c->offered > 0) return CAIRN_NEW_ZERO(env, c->offered, &c->counts);
    return cairn_candidates_none(env, all, origin);
}

/// The rank that decides: count, predict, try, choose. @p chosen is a candidate.
static cairn_status decide(choice *c, int *chosen)
{
    CAIRN_TRY(cairn_context_devices(c->context)); /* which any plan does */
    CAIRN_TRY(find_offers(c));
    const double begin = cairn_seconds();

    CAIRN_TRY(count(c));
    predict(c);
    if (is_worth_trying(c)) CAIRN_TRY(try_best(c, begin));
    *chosen = pick(c);
    explain(c, *chosen);
    c->info->seconds = search_seconds(c, begin);
    return CAIRN_OK;
}

/// The rank with most entries; the first of equals.
static cairn_status find_root(const cairn_source *source, int *root)
{
    cairn_comm   *comm = source->context->comm;
    const int64_t mine = source->entries.n;
    int64_t      *all = NULL, count = 0;

    CAIRN_TRY(cairn_comm_gather(comm, &mine, 1, sizeof mine, (void **)&all, &count));
    *root = 0;
    for (int r = 1; r < comm->size; r++)
        if (all[r] > all[*root]) *root = r;
    cairn_free(comm->env, all);
    return CAIRN_OK;
}

/// Is there anything to choose for, and was everybody asked the same? Collective.
static cairn_status check_question(const choice *c)
{
    cairn_told   told = {0};
    cairn_status status =
        cairn_product_check(c->context, c->op, c->source->shape.order);

    if (status == CAIRN_OK) status = cairn_source_sort(c->source);
    cairn_told_dtype(&told, c->value_bits == 32 ? CAIRN_F32 : CAIRN_F64);
    cairn_told_product(&told, c->op);
    cairn_told_int(&told, "tries", c->options->tries);
    cairn_told_int(&told, "replays", c->options->replays);
    cairn_told_text(&told, "candidates", c->options->candidates);
    return cairn_comm_agree_on(c->context->comm, status, &told);
}

/// Let one rank decide, and everybody know. Collective.
static cairn_status choose(choice *c, int *chosen)
{
    cairn_comm  *comm   = c->context->comm;
    int          root   = 0;
    cairn_status status = check_question(c);

    if (status == CAIRN_OK) status = find_root(c->source, &root);
    if (status != CAIRN_OK) return status;
    if (comm->rank == root) status = decide(c, chosen);
    cairn_sample_fini(&c->context->env, &c->sample);
    cairn_candidates_fini(&c->context->env, &c->own);
    cairn_free(&c->context->env, c->counts);
    CAIRN_TRY(cairn_comm_agree(comm, status));
    CAIRN_TRY(comm->ops->broadcast(comm, chosen, sizeof *chosen, root));
    return comm->ops->broadcast(comm, c->info, sizeof *c->info, root);
}

cairn_status cairn_format_auto(cairn_source                *source,
                               cairn_dtype                  dtype,
                               const cairn_product_options *product,
                               const cairn_auto_options    *options,
                               cairn_format               **format,
                               cairn_auto_info             *info)
{
    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(source), CAIRN_ONE_OF(dtype, CAIRN_F32),
                         CAIRN_GIVEN(format));
    if (options)
        CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(source),
                             CAIRN_WITHIN(options->replays, 0, INT64_MAX));
    cairn_doing(&source->context->env, "choosing a format");

    static const cairn_product_options spmv    = CAIRN_PRODUCT_DEFAULTS;
    static const cairn_auto_options    none    = {0};
    cairn_context                     *context = source->context;
    cairn_auto_info                    found   = {0};
    int                                chosen  = 0;

    choice c = {.source     = source,
                .context    = context,
                .op         = product ? product : &spmv,
                .options    = options ? options : &none,
                .value_bits = dtype == CAIRN_F32 ? 32 : 64,
                .sample     = {.whole = true},
                .info       = &found};

    c.replays = c.options->replays > 0 ? (double)c.options->replays
                                       : cairn_cost_replays(&context->env);
    CAIRN_TRY(choose(&c, &chosen));
    CAIRN_TRY(cairn_comm_agree(
        context->comm,
        cairn_format_create(context, found.candidate[chosen].format, format)));
    if (info) *info = found;
    return CAIRN_OK;
}
