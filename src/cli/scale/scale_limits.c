// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What limits a point: its seconds taken apart beside those of the base, by the rule that
/// docs/scaling.md has. Nothing is guessed: each share is a difference of measured times.

#include "cli/output/words.h"
#include "cli/scale/scale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOTICED 0.05 ///< Of a run's seconds: less than that limits nothing.

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *value, int n)
{
    qsort(value, (size_t)n, sizeof *value, by_size);
    return n % 2 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
}

/// The median of one of the numbers of all runs, which are doubles in a row.
static double median_of(const cli_scale_point *point, size_t offset)
{
    double value[CLI_SCALE_RUNS];

    for (int k = 0; k < point->runs; k++)
        memcpy(&value[k], (const char *)&point->run[k] + offset, sizeof value[k]);
    return median(value, point->runs);
}

static void summarize(cli_scale_point *point)
{
    cli_scale_run *const all = &point->verdict.seconds;

    all->median  = median_of(point, offsetof(cli_scale_run, median));
    all->mean    = median_of(point, offsetof(cli_scale_run, mean));
    all->slowest = median_of(point, offsetof(cli_scale_run, slowest));
    all->fastest = point->run[0].fastest;
    for (int k = 1; k < point->runs; k++)
        all->fastest = fmin(all->fastest, point->run[k].fastest);
}

static double processors(const cli_scale_point *point)
{
    return (double)point->ranks * point->threads;
}

const cli_scale_point *cli_scale_base(const cli_scale       *study,
                                      const cli_scale_point *point)
{
    const cli_scale_point *base = NULL;

    for (int k = 0; k < study->points; k++) {
        const cli_scale_point *other = &study->point[k];

        if (other->runs == 0 || other->simgrid
            || strcmp(other->devices, point->devices) != 0)
            continue;
        if (!base || processors(other) < processors(base)
            || (processors(other) == processors(base) && other->ranks < base->ranks))
            base = other;
    }
    return base;
}

bool cli_scale_is_crowded(const cli_scale *study, const cli_scale_point *point)
{
    const int all = study->settings.processors;

    return all > 0 && !point->simgrid && processors(point) > all;
}

/// Take the seconds of a run apart: what the ranks' own work takes, of it what an entry
/// takes more than at the base; the wait for the slowest rank; and the rest, which at one
/// rank is the start, at several as much of it as the base's one rank has, else exchange;
/// SimGrid knows of no start. What a solver does on vectors is of each row, as its entries
/// have it, what it is at the base, and work.
static void divide(const cli_scale_point *base, bool solves, cli_scale_point *point)
{
    cli_scale_verdict   *v    = &point->verdict;
    const cli_scale_run *mine = &v->seconds, *its = &base->verdict.seconds;
    const double         ours  = (double)point->size.nnz / processors(point);
    const double         at    = (double)base->size.nnz / processors(base);
    const double         same  = at > 0 ? its->mean * ours / at : mine->mean;
    const double         rest  = fmax(0, mine->median - mine->slowest);
    const double         start = fmax(0, its->median - its->slowest);

    v->imbalance       = mine->mean > 0 ? mine->slowest / mine->mean : NAN;
    v->stretch         = same > 0 ? mine->mean / same : NAN;
    v->share.memory    = fmax(0, mine->mean - same);
    v->share.work      = mine->mean - v->share.memory;
    v->share.imbalance = mine->slowest - mine->mean;
    v->share.start     = point->simgrid      ? 0
                         : point->ranks == 1 ? rest
                         : base->ranks == 1  ? fmin(rest, start)
                                             : 0;
    if (solves && at > 0) {
        const double vectors = fmin(rest, start * ours / at);

        v->share.work += vectors;
        v->share.start    = fmin(v->share.start, rest - vectors);
        v->share.exchange = rest - vectors - v->share.start;
    } else {
        v->share.exchange = rest - v->share.start;
    }
    v->speedup    = base->size.nnz > 0 ? (double)point->size.nnz / mine->median
                                          / ((double)base->size.nnz / its->median)
                                       : NAN;
    v->efficiency = v->speedup * processors(base) / processors(point);
}

/// The largest share beside the work, if it is noticed.
static cli_scale_limit limit_of(const cli_scale *study, const cli_scale_point *point)
{
    const cli_scale_shares *s    = &point->verdict.share;
    const bool              full = cli_scale_is_crowded(study, point);
    const struct {
        double          seconds;
        cli_scale_limit limit;
    } shares[] = {
        {s->memory,    full ? CLI_SCALE_CROWD : CLI_SCALE_MEMORY  },
        {s->imbalance, CLI_SCALE_IMBALANCE                        },
        {s->exchange,  full ? CLI_SCALE_CROWD : CLI_SCALE_EXCHANGE},
        {s->start,     CLI_SCALE_START                            },
    };
    cli_scale_limit limit = CLI_SCALE_PRODUCT;
    double          most  = NOTICED * point->verdict.seconds.median;

    for (size_t k = 0; k < sizeof shares / sizeof shares[0]; k++)
        if (shares[k].seconds > most) {
            most  = shares[k].seconds;
            limit = shares[k].limit;
        }
    return limit;
}

const char *cli_scale_limit_word(cli_scale_limit limit)
{
    static const char *const word[] = {"product",   "memory",   "processors",
                                       "imbalance", "exchange", "start"};

    return word[limit];
}

/// Say the limit in numbers.
static void
say(const cli_scale *study, const cli_scale_point *base, cli_scale_point *point)
{
    cli_scale_verdict      *v = &point->verdict;
    const cli_scale_shares *s = &v->share;
    const double total = s->work + s->memory + s->imbalance + s->exchange + s->start;
    char *const  text  = v->sentence;
    const size_t size  = sizeof v->sentence;

    switch (v->limit) {
    case CLI_SCALE_PRODUCT:
        snprintf(text, size, "the product itself: %s of a run, %.3g GB/s",
                 cli_word_percent((s->work + s->memory) / total).text,
                 1e-9 * (double)point->size.bytes / v->seconds.median);
        break;
    case CLI_SCALE_MEMORY:
        snprintf(text, size,
                 "an entry takes %.2f times as long as on %d rank%s: %s of a run",
                 v->stretch, base->ranks, base->ranks == 1 ? "" : "s",
                 cli_word_percent(s->memory / total).text);
        break;
    case CLI_SCALE_CROWD:
        snprintf(text, size, "%d threads on %d processors, and messages: %s of a run",
                 point->ranks * point->threads, study->settings.processors,
                 cli_word_percent((s->memory + s->exchange) / total).text);
        break;
    case CLI_SCALE_IMBALANCE:
        snprintf(text, size, "the slowest rank works %.2f times the mean: %s of a run",
                 v->imbalance, cli_word_percent(s->imbalance / total).text);
        break;
    case CLI_SCALE_EXCHANGE:
        snprintf(text, size, "waits for %s of other ranks: %s of a run",
                 cli_word_bytes(point->size.halo_bytes).text,
                 cli_word_percent(s->exchange / total).text);
        break;
    case CLI_SCALE_START:
        snprintf(text, size, "around the work, threads and barriers: %s of a run",
                 cli_word_percent(s->start / total).text);
        break;
    }
}

/// Hold a simulated point against the measured one of as many ranks.
static void compare(const cli_scale *study, cli_scale_point *point)
{
    point->error = NAN;
    for (int k = 0; k < study->points && point->simgrid; k++) {
        const cli_scale_point *other = &study->point[k];

        if (other->simgrid || other->runs == 0 || other->ranks != point->ranks
            || other->threads != point->threads
            || strcmp(other->devices, point->devices) != 0)
            continue;
        point->error =
            point->verdict.seconds.median / other->verdict.seconds.median - 1;
    }
}

void cli_scale_judge(cli_scale *study)
{
    for (int k = 0; k < study->points; k++)
        if (study->point[k].runs > 0) summarize(&study->point[k]);
    for (int k = 0; k < study->points; k++) {
        cli_scale_point       *point = &study->point[k];
        const cli_scale_point *base  = cli_scale_base(study, point);

        if (point->runs == 0 || !base) continue;
        divide(base, strcmp(study->settings.words[0], "solve") == 0, point);
        point->verdict.limit = limit_of(study, point);
        say(study, base, point);
        compare(study, point);
    }
}
