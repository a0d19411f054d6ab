// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Choosing a format: count on a sample, predict, try the best few.

#include "auto/choice.h"

#include "auto/probe.h"
#include "base/text.h"
#include "cost/cost_file.h"
#include "tensor/value_storage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is counted has at least so many entries where there is time, and else a share of
   them; at most so many. What is tried has fewer. */
enum { LEAST_SAMPLE = 6000, COUNTED_SHARE = 6, MOST_SAMPLE = 1 << 19 };

/* Fewer entries say nothing, unless they are all. */
enum { FEWEST = 1000 };

/* Rows that are enough to see blocks, where rows are so long that there is no time for as
   many as a stretch of a diagonal has: what sides of blocks divide. */
enum { LOW_BAND = 12 };

/* Seconds to ask for products of a candidate that ran, more for each model that is kept; and
   how many products in CSR all may take, and which share of those to come. */
static const double ask_seconds = 1e-6, model_seconds = 1e-7, ask_products = 8,
                    ask_share = 0.01;

/* Seconds of a product below which two formats tie: rates know the start of a product no
   better. */
static const double tie = 3e-8;

cairn_status cairn_choice_take_sample(cairn_choice *c, int64_t wanted, int64_t grain)
{
    cairn_env               *env  = c->within->env;
    const cairn_matrix_rows *rows = &c->matrix->rows;

    cairn_sample_fini(env, &c->sample);
    CAIRN_TRY(cairn_sample_take(env, rows, wanted, grain, &c->sample));
    c->info->share = rows->n > 0 ? (double)c->sample.entries.n / (double)rows->n : 1;
    return CAIRN_OK;
}

/// Entries that a sample has at least: a band of rows, and perhaps the longest row.
static double least_sample(const cairn_choice *c, int band)
{
    const double rows = (double)(c->matrix->rows.end - c->matrix->rows.first);
    const double n    = (double)c->matrix->rows.n;

    return fmax(n * fmin(1, band / fmax(1, rows)), (double)c->structure.max_row);
}

/// Have all candidates counted whose counts follow from the structure.
static void count_offers(cairn_choice *c)
{
    for (int k = 0; k < c->offered; k++)
        if (c->offer[k].candidate->estimator)
            cairn_choice_count(c, k, &c->structure, &c->offer[k].counts);
}

/// Do its arrays fit in memory, beside the entries?
static bool fits(const cairn_choice *c, int k)
{
    const cairn_env *env    = c->within->env;
    const double     beside = (double)c->matrix->held;

    return env->memory_limit <= 0 || (k == 0 && c->matrix->stored.format)
           || cairn_counts_room(&c->offer[k].counts) + beside
                  < (double)env->memory_limit;
}

/// Is it worth its time to look at the entries? If not, only the first candidate is thought
/// of, as the extents have it.
static bool is_worth_counting(cairn_choice *c)
{
    const cairn_candidate *first = c->offer[0].candidate;
    cairn_pattern          best  = c->structure;

    if (c->options->tries > 0 || cairn_choice_may_win(c)) return true;
    cairn_pattern_assume_best(&best, false);
    if (first->estimator) cairn_choice_count(c, 0, &best, &c->offer->counts);
    return !fits(c, 0);
}

/// Store a small sample, which cuts none of its blocks, in a format that is not counted
/// from the structure.
static cairn_status probe_offer(cairn_choice *c, int k)
{
    cairn_env               *env    = c->within->env;
    const cairn_matrix_rows *rows   = &c->matrix->rows;
    const cairn_format      *format = c->offer[k].candidate->format;
    cairn_sample             sample;
    cairn_pattern            sampled;
    cairn_status             status;
    cairn_probe probe = {env, &sample, &sampled, &c->structure, c->by.op, &c->values};

    CAIRN_TRY(cairn_sample_take(
        env, rows, CAIRN_PROBE_ENTRIES,
        cairn_sample_grain(cairn_probe_rows(format), rows->end - rows->first),
        &sample));
    const cairn_matrix_rows few = cairn_matrix_rows_of_entries(
        &sample.entries, 0, sample.shape.extent[0], sample.shape.extent[1]);

    CAIRN_GO(done, cairn_pattern_count_rows(env, &few, &sampled));
    CAIRN_GO(done, cairn_probe_count(&probe, format, &c->offer[k].counts));
done:
    cairn_sample_fini(env, &sample);
    return status;
}

static cairn_status probe_offers(cairn_choice *c)
{
    for (int k = 0; k < c->offered; k++)
        if (!c->offer[k].candidate->estimator) CAIRN_TRY(probe_offer(c, k));
    return CAIRN_OK;
}

/// Count a sample, of as many entries as there is time for; none, if that is too few.
static cairn_status count_sample(cairn_choice *c)
{
    const double n    = (double)c->matrix->rows.n;
    const double most = fmax(cairn_choice_countable(c), n <= FEWEST ? n : 0);
    const bool   low  = least_sample(c, CAIRN_SAMPLE_BAND) > most;
    const double wanted =
        fmin(fmin(MOST_SAMPLE, most), fmax(LEAST_SAMPLE, n / COUNTED_SHARE));

    if (wanted < fmin(FEWEST, n) || (low && least_sample(c, LOW_BAND) > most))
        return CAIRN_OK;
    c->seen = CAIRN_SEEN_SAMPLE;
    CAIRN_TRY(cairn_choice_take_sample(c, (int64_t)wanted,
                                       low ? LOW_BAND : CAIRN_SAMPLE_GRAIN));
    CAIRN_TRY(cairn_pattern_count_sample(c->within->env, &c->sample, &c->structure));
    if (c->sample.shape.extent[0] < CAIRN_STRETCH && c->info->share < 1)
        cairn_pattern_drop_stretches(&c->structure);
    return CAIRN_OK;
}

/// Does any text ask for the narrowest type?
static bool any_asks_for_exact(const cairn_choice *c)
{
    bool asks = false;

    for (int k = 0; k < c->offered; k++)
        for (int m = 0; m < c->offer[k].candidate->format->members; m++)
            asks |= c->offer[k].candidate->format->member[m]->val == CAIRN_VAL_EXACT;
    return asks;
}

/// Count what is worth it.
static cairn_status count(cairn_choice *c)
{
    const cairn_matrix_rows *rows = &c->matrix->rows;

    c->structure = (cairn_pattern){
        .entries = rows->n, .rows = rows->end - rows->first, .cols = rows->cols};
    if (rows->n > 0 && !is_worth_counting(c)) return CAIRN_OK;
    c->info->share = 1; /* of rows, all are counted */
    c->seen        = CAIRN_SEEN_ROWS;
    if (c->values.narrows || any_asks_for_exact(c))
        c->values =
            cairn_value_widths_look(rows, c->values.carrier_bits, c->values.narrows);
    CAIRN_TRY(cairn_pattern_count_rows(c->within->env, rows, &c->structure));
    CAIRN_TRY(count_sample(c));
    count_offers(c);
    return probe_offers(c);
}

/// What rates say of each candidate.
static void predict(cairn_choice *c)
{
    for (int k = 0; k < c->offered; k++) {
        cairn_auto_candidate *candidate = &c->info->candidate[k];

        snprintf(candidate->format, sizeof candidate->format, "%s",
                 c->offer[k].candidate->text);
        c->offer[k].factor = 1;
        cairn_choice_predict(c, k, &c->offer[k].counts, &candidate->predicted,
                             &c->offer[k].convert);
        if (!fits(c, k)) candidate->predicted = INFINITY;
        c->info->candidates = k + 1;
    }
}

/// The candidate with the least prediction of those that were not asked yet; first the
/// first, with which others are compared; -1: there is none.
static int next_to_ask(const cairn_choice *c, uint32_t asked)
{
    int best = -1;

    if (!(asked & 1)) return 0;
    for (int k = 0; k < c->offered; k++) {
        const double predicted = c->info->candidate[k].predicted;

        if (asked >> k & 1 || isinf(predicted)) continue;
        if (best < 0 || predicted < c->info->candidate[best].predicted) best = k;
    }
    return best;
}

/// Ask for products that ran, of as many candidates as there is time for by what is
/// predicted, so that it is the same ones each time.
static void
ask(const cairn_choice *c, const cairn_learned *learned, cairn_learned_guess *guess)
{
    const double most =
        fmin(CAIRN_AUTO_CANDIDATES,
             cairn_choice_allowed(c, ask_products, ask_share)
                 / (ask_seconds + model_seconds * learned->costs->models));
    uint32_t asked = 0;

    for (int n = 1; n <= most; n++) {
        const int k = next_to_ask(c, asked);

        if (k < 0) break;
        asked |= UINT32_C(1) << k;
        cairn_learned_ask(learned, c->offer[k].candidate, &c->offer[k].counts,
                          &guess[k]);
    }
}

/// Correct predictions by what was measured of products that ran, where any did.
static void correct(cairn_choice *c, const cairn_costs *costs)
{
    double              predicted[CAIRN_AUTO_CANDIDATES], factor[CAIRN_AUTO_CANDIDATES];
    cairn_learned_guess guess[CAIRN_AUTO_CANDIDATES] = {{0}};
    cairn_cost_device   device;
    cairn_learned       learned = {.costs      = costs,
                                   .device     = &device,
                                   .op         = c->by.op,
                                   .value_bits = c->values.carrier_bits,
                                   .cols       = c->structure.cols,
                                   .rows       = c->structure.rows};

    if (cairn_choice_allowed(c, ask_products, ask_share) < ask_seconds) return;
    cairn_cost_device_of(&c->within->devices->device[0], c->within->comm->local_size,
                         &device);
    if (!cairn_learned_any(&learned)) return;
    for (int k = 0; k < c->offered; k++)
        predicted[k] = c->info->candidate[k].predicted;
    ask(c, &learned, guess);
    cairn_learned_correct(c->offered, predicted, guess, factor);
    for (int k = 0; k < c->offered; k++) {
        c->offer[k].factor = factor[k];
        c->info->candidate[k].predicted *= factor[k];
    }
}

/// What speaks for a candidate, as a part of a sentence.
static void say(const cairn_choice *c, int k, char *fact, size_t size)
{
    const cairn_counts       *counts = &c->offer[k].counts;
    const cairn_suggest_work *w      = counts->work;
    const double              n      = fmax(1, (double)c->structure.entries);

    if (c->offer[k].candidate->estimator)
        c->offer[k].candidate->estimator->say(&c->structure, fact, size);
    else if (counts->members == 0)
        snprintf(fact, size, "it could not be counted");
    else if (counts->members == 1 && w->units > 0 && w->units < 0.99 * w->values)
        snprintf(fact, size, "%.3g entries in each of its %s; %.3g values an entry",
                 w->entries / w->units, cairn_leaf_unit(counts->leaf), w->values / n);
    else
        snprintf(fact, size, "%.3g values an entry", cairn_counts_values(counts) / n);
}

/// Where the seconds come from.
static const char *how_known(const cairn_choice *c, int chosen)
{
    if (c->info->candidate[chosen].tried > 0) return "tried on";
    return c->offer[chosen].factor == 1 && c->offer[0].factor == 1
               ? "by the model, from"
               : "by the model and products that ran, from";
}

/// What others are compared with, in a sentence.
static const char *plain_name(const cairn_choice *c)
{
    return c->matrix->stored.format ? "what it is in" : c->offer[0].candidate->text;
}

/// The same where nothing was looked at.
static void explain_first(cairn_choice *c)
{
    cairn_auto_info *info  = c->info;
    const bool       known = isfinite(info->candidate[0].predicted);
    char             time[16];

    snprintf(info->why[0], sizeof info->why[0],
             "what others could gain in %.0f product%s does not pay for a look at the "
             "entries",
             c->replays, c->replays == 1 ? "" : "s");
    snprintf(info->why[1], sizeof info->why[1],
             "by the model, from the extents: %s in %.60s",
             known ? cairn_print_seconds(info->candidate[0].predicted, time)
                   : "a product",
             plain_name(c));
}

/// How the members of the chosen format store values: "i8", or "f64, iso".
static void name_values(cairn_choice *c, int chosen)
{
    const cairn_counts *counts = &c->offer[chosen].counts;
    cairn_auto_info    *info   = c->info;
    const char         *before = NULL;
    size_t              length = 0;

    for (int m = 0; m < counts->members && length < sizeof info->values; m++) {
        const char *name =
            cairn_value_storage_name(counts->stored[m].kind, counts->stored[m].bits);

        if (before && strcmp(name, before) == 0) continue;
        length += (size_t)snprintf(info->values + length, sizeof info->values - length,
                                   "%s%s", before ? ", " : "", name);
        before = name;
    }
}

/// Two lines: what the format stores, what that gains.
static void explain(cairn_choice *c, int chosen)
{
    cairn_auto_info  *info  = c->info;
    const char *const plain = plain_name(c);
    const double      n     = fmax(1, (double)c->structure.entries);
    const bool        lacks = isinf(info->candidate[0].predicted);
    char              fact[128], time[16], plain_time[16];

    if (c->seen == CAIRN_SEEN_NOTHING && c->structure.entries > 0) {
        explain_first(c);
        return;
    }
    say(c, chosen, fact, sizeof fact);
    name_values(c, chosen);
    if (c->structure.entries == 0)
        snprintf(info->why[0], sizeof info->why[0], "no entries; any format will do");
    else
        snprintf(info->why[0], sizeof info->why[0],
                 "%s; values in %s, %.3g bytes an entry where %.60s has %.3g", fact,
                 info->values, cairn_counts_bytes(&c->offer[chosen].counts) / n, plain,
                 cairn_counts_bytes(&c->offer[0].counts) / n);
    snprintf(info->why[1], sizeof info->why[1],
             "%s %.3g %% of the entries: %s a product where %.60s %s%s",
             how_known(c, chosen), 100 * info->share,
             cairn_print_seconds(cairn_choice_seconds(c, chosen), time), plain,
             lacks ? "cannot be had" : "takes ",
             lacks ? "" : cairn_print_seconds(cairn_choice_seconds(c, 0), plain_time));
}

/// The format that is thought to take least; the first where that gains next to nothing.
static int pick(const cairn_choice *c)
{
    const int best = cairn_choice_best(c);

    if (best < 0 || c->structure.entries == 0) return 0;
    return cairn_choice_total(c, 0) - cairn_choice_total(c, best) < c->replays * tie
               ? 0
               : best;
}

/// The formats that are thought of: what the matrix is in, and the caller's or those that
/// come with the library.
static cairn_status find_offers(cairn_choice *c)
{
    cairn_env              *env    = c->within->env;
    const char *const       text   = c->options->candidates;
    const char *const       origin = c->options->origin ? c->options->origin : "text";
    const cairn_candidates *all    = c->within->candidates;
    const int               own    = c->matrix->stored.format ? 1 : 0;

    if (text) {
        CAIRN_TRY(cairn_candidates_parse(env, text, origin, &c->own));
        CAIRN_TRY(cairn_candidates_recognise(env, c->within->candidates, &c->own));
        all = &c->own;
    }
    CAIRN_TRY(CAIRN_NEW_ZERO(env, own + all->count, &c->offer));
    if (own) c->offer[0].candidate = &c->matrix->stored;
    c->offered = own;
    for (int k = 0; k < all->count && c->offered < CAIRN_AUTO_CANDIDATES; k++)
        if (all->list[k].products >> cairn_for_of(c->by.op) & 1)
            c->offer[c->offered++].candidate = &all->list[k];
    if (c->offered > own) return CAIRN_OK;
    return cairn_candidates_none(env, all, origin);
}

/// The rank that decides: count, predict, try, choose. @p chosen is a candidate.
static cairn_status decide(cairn_choice *c, int *chosen)
{
    CAIRN_TRY(c->within->open(c->within));
    CAIRN_TRY(find_offers(c));
    cairn_costs_memory(c->within->costs, &c->by.memory); /* measured once a machine */
    c->by.threads      = c->within->threads;
    const double begin = cairn_seconds();

    CAIRN_TRY(count(c));
    predict(c);
    if (c->seen > CAIRN_SEEN_NOTHING) correct(c, c->within->costs);
    CAIRN_TRY(cairn_choice_try(c, begin));
    *chosen = pick(c);
    explain(c, *chosen);
    c->info->seconds = cairn_choice_spent(c, begin);
    return CAIRN_OK;
}

/// The rank with most entries; the first of equals.
static cairn_status find_root(cairn_comm *comm, int64_t mine, int *root)
{
    int64_t *all = NULL, count = 0;

    *root = 0;
    if (comm->size == 1) return CAIRN_OK;
    CAIRN_TRY(cairn_comm_gather(comm, &mine, 1, sizeof mine, (void **)&all, &count));
    for (int r = 1; r < comm->size; r++)
        if (all[r] > all[*root]) *root = r;
    cairn_free(comm->env, all);
    return CAIRN_OK;
}

cairn_status cairn_choice_make(cairn_choice *c, int *chosen)
{
    cairn_comm  *comm   = c->within->comm;
    int          root   = 0;
    cairn_status status = find_root(comm, c->matrix->rows.n, &root);

    if (status != CAIRN_OK) return status;
    if (comm->rank == root) status = decide(c, chosen);
    cairn_sample_fini(c->within->env, &c->sample);
    cairn_candidates_fini(c->within->env, &c->own);
    cairn_free(c->within->env, c->offer);
    CAIRN_TRY(cairn_comm_agree(comm, status));
    CAIRN_TRY(comm->ops->broadcast(comm, chosen, sizeof *chosen, root));
    return comm->ops->broadcast(comm, c->info, sizeof *c->info, root);
}
