// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Robust fits of up to three rates.

#include "cost/cost_fit.h"

#include "base/median.h"

#include <math.h>
#include <string.h>

enum { LAUNCH, PER_BYTE, PER_ENTRY, TERMS };
enum { ROUNDS = 40, HUBER_ROUNDS = 15 };

#define LEAST_SCALE 1e-4 /* of residuals: clocks tell no more */
#define TINY        1e-15
#define SUSPECT     0.15 /* scale of residuals that is more than noise */

/// One fit under way.
typedef struct {
    const cairn_cost_sample *sample;
    int                      samples;
    unsigned                 terms; ///< Bit t: term t may be fitted.
    double                   rate[TERMS];
    double                   scale;
} fit;

static bool within(double value, double most)
{
    return value >= 0 && value <= most; /* false for NaN */
}

bool cairn_cost_sample_valid(const cairn_cost_sample *sample)
{
    return within(sample->bytes, 1e18) && within(sample->entries, 1e18)
           && sample->seconds >= 1e-12 && sample->seconds <= 1e7;
}

bool cairn_cost_rates_valid(const cairn_cost_rates *rates)
{
    return within(rates->launch, 1e7) && within(rates->per_byte, 1e3)
           && within(rates->per_entry, 1e3)
           && rates->launch + rates->per_byte + rates->per_entry >= TINY;
}

static double part_of(const cairn_cost_sample *sample, int term)
{
    return term == LAUNCH ? 1 : term == PER_BYTE ? sample->bytes : sample->entries;
}

static double predicted(const fit *f, const cairn_cost_sample *sample)
{
    double seconds = TINY;

    for (int t = 0; t < TERMS; t++)
        seconds += f->rate[t] * part_of(sample, t);
    return seconds;
}

static double residual(const fit *f, const cairn_cost_sample *sample)
{
    return log(sample->seconds / predicted(f, sample));
}

/// How far measurements are from the fit, by their median.
static double measure_scale(const fit *f)
{
    double size[CAIRN_COST_SAMPLES];

    for (int k = 0; k < f->samples; k++)
        size[k] = fabs(residual(f, &f->sample[k]));
    return 1.4826 * cairn_median(size, f->samples);
}

/// Multiply all rates so that as many measurements are above as below.
static void scale_rates(fit *f)
{
    double ratio[CAIRN_COST_SAMPLES];

    for (int k = 0; k < f->samples; k++)
        ratio[k] = residual(f, &f->sample[k]);
    const double factor = exp(cairn_median(ratio, f->samples));

    for (int t = 0; t < TERMS; t++)
        f->rate[t] *= factor;
}

static double weight_of(const fit *f, const cairn_cost_sample *sample, int round)
{
    const double scale = f->scale > LEAST_SCALE ? f->scale : LEAST_SCALE;
    const double size  = fabs(residual(f, sample)) / scale;

    if (round < HUBER_ROUNDS) return size <= 1.345 ? 1 : 1.345 / size;
    const double rest = 1 - size * size / (4.685 * 4.685);

    return rest > 0 ? rest * rest : 0;
}

/// The normal equations of relative errors: a * rate = b, sum of squares @p all of b = 1.
typedef struct {
    double a[TERMS][TERMS], b[TERMS], all;
} equations;

/// A measurement far above is worth its logarithm, as its residual is: else the next
/// rates would be about it alone.
static void add_sample(const fit *f, const cairn_cost_sample *s, double w, equations *e)
{
    const double size = predicted(f, s), ratio = s->seconds / size;
    const double b = ratio > 1 ? 1 + log(ratio) : ratio;
    double       row[TERMS];

    for (int t = 0; t < TERMS; t++)
        row[t] = part_of(s, t) / size;
    for (int t = 0; t < TERMS; t++) {
        for (int u = 0; u < TERMS; u++)
            e->a[t][u] += w * row[t] * row[u];
        e->b[t] += w * row[t] * b;
    }
    e->all += w * b * b;
}

/// Eliminate term @p t from the other rows of @p terms. @return false: it is a
/// combination of terms before it, as far as these measurements can tell.
static bool eliminate(equations *e, unsigned terms, int t, double diagonal)
{
    if (!(e->a[t][t] > 1e-7 * diagonal)) return false;
    for (int r = 0; r < TERMS; r++) {
        const double factor = e->a[r][t] / e->a[t][t];

        if (r == t || !(terms >> r & 1)) continue;
        for (int u = 0; u < TERMS; u++)
            e->a[r][u] -= factor * e->a[t][u];
        e->b[r] -= factor * e->b[t];
    }
    return true;
}

/// Solve for the terms of a subset. @return the sum of squares that is left; INFINITY:
/// there is no solution with all rates above 0.
static double solve(const equations *given, unsigned terms, double rate[TERMS])
{
    equations e    = *given;
    double    left = given->all;

    memset(rate, 0, TERMS * sizeof *rate);
    for (int t = 0; t < TERMS; t++)
        if ((terms >> t & 1) && !eliminate(&e, terms, t, given->a[t][t]))
            return INFINITY;
    for (int t = 0; t < TERMS; t++) {
        if (!(terms >> t & 1)) continue;
        rate[t] = e.b[t] / e.a[t][t];
        left -= rate[t] * given->b[t];
        if (!(rate[t] > 0) || !isfinite(rate[t])) return INFINITY;
    }
    return left > 0 ? left : 0;
}

/// Non-negative least squares: with three terms all seven subsets are looked at. A term
/// more must be worth it.
static bool improve(fit *f, int round)
{
    equations e    = {.all = 0};
    double    best = INFINITY, rate[TERMS];

    for (int k = 0; k < f->samples; k++)
        add_sample(f, &f->sample[k], weight_of(f, &f->sample[k], round), &e);
    for (unsigned terms = 1; terms < 1u << TERMS; terms++) {
        if (terms & ~f->terms) continue;
        const double left = (solve(&e, terms, rate) + 1e-9 * e.all)
                            * (1 + 0.02 * __builtin_popcount(terms));

        if (left >= best) continue;
        best = left;
        memcpy(f->rate, rate, sizeof rate);
    }
    return best < INFINITY;
}

/// The best of all rounds: steps may overshoot.
static void iterate(fit *f)
{
    fit best = *f;

    for (int round = 0; round < ROUNDS; round++) {
        const double before = f->scale;

        if (!improve(f, round)) break;
        f->scale = measure_scale(f);
        if (f->scale <= best.scale) best = *f;
        if (round > HUBER_ROUNDS && fabs(f->scale - before) <= 1e-6 * before) break;
    }
    *f = best;
}

static void track(double value, double *least, double *most)
{
    if (value < *least) *least = value;
    if (value > *most) *most = value;
}

/// Sizes that differ by a quarter or more, counted no further than three.
static int count_sizes(const cairn_cost_sample *sample, int samples)
{
    double seen[3];
    int    n = 0;

    for (int k = 0; k < samples && n < 3; k++) {
        const double size = sample[k].bytes + sample[k].entries;
        bool         old  = false;

        for (int s = 0; s < n; s++)
            old |= size <= 1.25 * seen[s] && seen[s] <= 1.25 * size;
        if (!old) seen[n++] = size;
    }
    return n;
}

/// Which terms these measurements can tell; 0: none, but for their sum.
static unsigned tell_terms(const cairn_cost_sample *sample, int samples)
{
    double least = INFINITY, most = 0, thin = INFINITY, thick = 0;
    bool   entries = true;

    for (int k = 0; k < samples; k++) {
        track(sample[k].bytes, &least, &most);
        entries = entries && sample[k].entries > 0;
        if (sample[k].entries > 0)
            track(sample[k].bytes / sample[k].entries, &thin, &thick);
    }
    if (samples < 4 || count_sizes(sample, samples) < 3 || most < 4 * least) return 0;
    if (entries && samples >= 6 && thick >= 1.3 * thin)
        return 1u << LAUNCH | 1u << PER_BYTE | 1u << PER_ENTRY;
    return 1u << LAUNCH | 1u << PER_BYTE;
}

static void start(fit                     *f,
                  const cairn_cost_sample *sample,
                  int                      samples,
                  const cairn_cost_rates  *from)
{
    *f = (fit){
        .sample  = sample,
        .samples = samples,
        .rate    = {from->launch, from->per_byte, from->per_entry}
    };
    scale_rates(f);
    f->scale = measure_scale(f);
}

/// From pairs of measurements, a launch and a rate that go through both; the pair that
/// most others agree with. Least median of squares, for where the weights have found
/// nothing: Rousseeuw, J. Am. Stat. Assoc. 79, 1984.
static void start_from_pairs(fit *f)
{
    enum { PAIRS = 150 };
    fit      best  = *f;
    uint32_t state = 1;

    for (int k = 0; k < PAIRS; k++) {
        const cairn_cost_sample *s[2];

        for (int e = 0; e < 2; e++) {
            state = state * 1664525u + 1013904223u;
            s[e]  = &f->sample[(state >> 8) % (uint32_t)f->samples];
        }
        const double rate =
            (s[1]->seconds - s[0]->seconds) / (s[1]->bytes - s[0]->bytes);
        const double launch = s[0]->seconds - rate * s[0]->bytes;

        if (!(rate > 0) || !isfinite(rate)) continue;
        memset(f->rate, 0, sizeof f->rate);
        f->rate[PER_BYTE] = rate;
        f->rate[LAUNCH]   = launch > 0 ? launch : 0;
        f->scale          = measure_scale(f);
        if (f->scale < best.scale) best = *f;
    }
    *f = best;
}

/// Rates of the smallest third's seconds and of the largest third's seconds a byte, by
/// their medians.
static cairn_cost_rates guess(const cairn_cost_sample *sample, int samples)
{
    double bytes[CAIRN_COST_SAMPLES], least[CAIRN_COST_SAMPLES],
        most[CAIRN_COST_SAMPLES];
    int small = 0, large = 0;

    for (int k = 0; k < samples; k++)
        bytes[k] = sample[k].bytes;
    cairn_sort_doubles(bytes, samples);
    for (int k = 0; k < samples; k++) {
        if (sample[k].bytes <= bytes[samples / 3]) least[small++] = sample[k].seconds;
        if (sample[k].bytes >= bytes[samples - 1 - samples / 3])
            most[large++] = sample[k].seconds / (sample[k].bytes + 1);
    }
    return (cairn_cost_rates){cairn_median(least, small), cairn_median(most, large), 0};
}

/// Where measurements cannot tell terms apart, let the one that is larger by the prior
/// take all of the difference: small work says nothing of bandwidth, nor large work of
/// launches. @return false: even without it there is too much.
static bool scale_larger(fit *f, const cairn_cost_rates *prior)
{
    double launch[CAIRN_COST_SAMPLES], factor[CAIRN_COST_SAMPLES],
        rest[CAIRN_COST_SAMPLES];

    for (int k = 0; k < f->samples; k++) {
        const cairn_cost_sample *s = &f->sample[k];

        rest[k]   = s->bytes * prior->per_byte + s->entries * prior->per_entry;
        launch[k] = s->seconds - rest[k];
        factor[k] = (s->seconds - prior->launch) / (rest[k] + TINY);
    }
    const bool   small = cairn_median(rest, f->samples) < prior->launch;
    const double value =
        small ? cairn_median(launch, f->samples) : cairn_median(factor, f->samples);

    if (!(value > 0)) return false;
    f->rate[LAUNCH]    = small ? value : prior->launch;
    f->rate[PER_BYTE]  = prior->per_byte * (small ? 1 : value);
    f->rate[PER_ENTRY] = prior->per_entry * (small ? 1 : value);
    f->scale           = measure_scale(f);
    return true;
}

void cairn_cost_fit(const cairn_cost_sample *sample,
                    int                      samples,
                    const cairn_cost_rates  *prior,
                    cairn_cost_rates        *rates,
                    double                  *spread)
{
    const cairn_cost_rates from[] = {
        *prior, {0, 1e-9, 0},
         guess(sample, samples)
    };
    const unsigned terms = tell_terms(sample, samples);
    fit            best;

    start(&best, sample, samples, prior);
    if (!terms) scale_larger(&best, prior);
    for (int k = 0; k < 3 && terms; k++) {
        fit f;

        start(&f, sample, samples, &from[k]);
        f.terms = terms;
        iterate(&f);
        if (f.scale <= best.scale) best = f;
    }
    if (terms && best.scale > SUSPECT) {
        fit f = best;

        f.terms = terms;
        start_from_pairs(&f);
        iterate(&f);
        if (f.scale <= best.scale) best = f;
    }
    *rates  = (cairn_cost_rates){best.rate[LAUNCH], best.rate[PER_BYTE],
                                 best.rate[PER_ENTRY]};
    *spread = best.scale;
    if (!cairn_cost_rates_valid(rates)) *rates = *prior;
}
