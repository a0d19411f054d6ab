// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Cost models: learning and predicting.

#include "cost/cost.h"

#include "base/median.h"
#include "cost/cost_file.h"
#include "cost/cost_fit.h"
#include "cost/transfers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Priors, until something was measured: of the right order is all that they are. */
#define HOST_LAUNCH    1e-6 /* a team of threads, started and joined */
#define DEVICE_LAUNCH  3e-5 /* a queue beyond the processor, woken and waited for */
#define CORE_BANDWIDTH 1e10 /* bytes per second, where it was not measured */

/// Shall what is measured count?
static bool learns(const cairn_env *env)
{
    return env->options.cost == CAIRN_RATES_LEARNED;
}

void cairn_costs_init(cairn_env *env, const cairn_machine *machine, cairn_costs *costs)
{
    memset(costs, 0, sizeof *costs);
    costs->env = env;
    if (machine && machine->here && learns(env)) cairn_cost_file_open(costs, machine);
}

void cairn_costs_fini(cairn_costs *costs)
{
    cairn_free(costs->env, costs->model);
    costs->model  = NULL;
    costs->models = costs->capacity = 0;
}

/// Names come from drivers: what is not printable ASCII becomes a question mark.
static void make_printable(char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~') *text = '?';
}

void cairn_cost_device_of(const cairn_device *device,
                          int                 ranks,
                          cairn_cost_device  *described)
{
    const cairn_device_facts *info  = &device->info;
    const int                 cores = info->threads > 0 ? info->threads : 1;
    const double              bandwidth =
        info->bandwidth > 0 ? info->bandwidth : CORE_BANDWIDTH * cores;

    *described = (cairn_cost_device){.clock = info->clock};
    snprintf(described->key, sizeof described->key,
             "%s: %.120s, threads %d, ranks %d%s%.56s", info->kind, info->name,
             info->threads, ranks, info->driver[0] ? ", driver " : "", info->driver);
    make_printable(described->key);
    described->prior = (cairn_cost_rates){
        cairn_device_is_host(device) ? HOST_LAUNCH : DEVICE_LAUNCH, 1 / bandwidth, 0};
}

static cairn_cost_model *
find(const cairn_costs *costs, const char *device, const char *family)
{
    for (int k = 0; k < costs->models; k++)
        if (strcmp(costs->model[k].family, family) == 0
            && strcmp(costs->model[k].device, device) == 0)
            return &costs->model[k];
    return NULL;
}

const cairn_cost_model *
cairn_cost_find(cairn_costs *costs, const char *device, const char *family)
{
    cairn_cost_model *model = find(costs, device, family);

    if (model) cairn_cost_refit(model);
    return model;
}

static int64_t newest(const cairn_cost_model *model)
{
    return model->sample[model->samples - 1].when;
}

/// Make room for one more. @return false: there is no memory.
static bool grow(cairn_costs *costs)
{
    const int more = costs->capacity ? 2 * costs->capacity : 8;

    if (costs->models < costs->capacity) return true;
    if (cairn_realloc(costs->env, more, sizeof *costs->model, (void **)&costs->model)
        != CAIRN_OK)
        return false;
    costs->capacity = more;
    return true;
}

/// A place for a new model: at the end, or that of the one longest not measured.
static cairn_cost_model *take_place(cairn_costs *costs)
{
    int oldest = 0;

    if (costs->models < CAIRN_COST_MODELS)
        return grow(costs) ? &costs->model[costs->models++] : NULL;
    for (int k = 1; k < costs->models; k++)
        if (newest(&costs->model[k]) < newest(&costs->model[oldest])) oldest = k;
    return &costs->model[oldest];
}

cairn_cost_model *cairn_cost_add_model(cairn_costs            *costs,
                                       const char             *device,
                                       const char             *family,
                                       const cairn_cost_rates *prior)
{
    cairn_cost_model *model = find(costs, device, family);

    if (model) return model;
    model = take_place(costs);
    if (!model) return NULL;
    memset(model, 0, sizeof *model);
    snprintf(model->device, sizeof model->device, "%s", device);
    snprintf(model->family, sizeof model->family, "%s", family);
    model->prior = model->rates = *prior;
    return model;
}

static bool are_within(double factor, double a, double b)
{
    return a <= factor * b && b <= factor * a;
}

/// So near each other that one measurement stands for both.
static bool are_same_size(double a, double b)
{
    return are_within(1.02, a, b);
}

static void remove_sample(cairn_cost_model *model, int k)
{
    memmove(&model->sample[k], &model->sample[k + 1],
            (size_t)(model->samples - k - 1) * sizeof *model->sample);
    model->samples--;
}

/// Keep few of one size, so that a job run again and again does not push all others out.
static void make_room(cairn_cost_model *model, const cairn_cost_sample *sample)
{
    int same_size = 0, first = -1;

    for (int k = model->samples - 1; k >= 0; k--) {
        if (!are_same_size(model->sample[k].bytes, sample->bytes)
            || !are_same_size(model->sample[k].entries, sample->entries))
            continue;
        same_size++, first = k;
    }
    if (same_size >= CAIRN_COST_SAME_SIZE) remove_sample(model, first);
    if (model->samples == CAIRN_COST_SAMPLES) remove_sample(model, 0);
}

/// Samples come in the order of time, but for those of ranks that saved in between.
void cairn_cost_add_sample(cairn_cost_model *model, const cairn_cost_sample *sample)
{
    int place;

    make_room(model, sample);
    for (place = model->samples; place > 0; place--) {
        if (model->sample[place - 1].when <= sample->when) break;
        model->sample[place] = model->sample[place - 1];
    }
    model->sample[place] = *sample;
    model->samples++;
    model->stale = true;
    if (model->count < INT64_MAX) model->count++;
}

void cairn_cost_refit(cairn_cost_model *model)
{
    if (!model->stale) return;
    cairn_cost_fit(model->sample, model->samples, &model->prior, &model->rates,
                   &model->spread);
    model->stale = false;
}

void cairn_cost_observe(cairn_costs             *costs,
                        const cairn_cost_device *device,
                        const cairn_work        *work,
                        double                   seconds)
{
    const cairn_cost_sample sample = {work->bytes, work->entries, seconds, time(NULL),
                                      true};
    cairn_cost_model       *model;

    if (!learns(costs->env) || device->clock == CAIRN_CLOCK_SIMULATED
        || !cairn_cost_sample_valid(&sample) || !cairn_cost_rates_valid(&device->prior))
        return;
    model = cairn_cost_add_model(costs, device->key, work->family, &device->prior);
    if (!model) return;
    model->prior = device->prior;
    cairn_cost_add_sample(model, &sample);
}

/// How many doublings lie between @p bytes and the sizes that were measured.
static double doublings_outside(const cairn_cost_model *model, double bytes)
{
    double least = INFINITY, most = 0;

    for (int k = 0; k < model->samples; k++) {
        least = fmin(least, model->sample[k].bytes);
        most  = fmax(most, model->sample[k].bytes);
    }
    if (bytes > most) return log2((bytes + 1) / (most + 1));
    return bytes < least ? log2((least + 1) / (bytes + 1)) : 0;
}

/// How far apart two amounts are, as a factor of at least 1.
static double factor_between(double a, double b)
{
    return (fmax(a, b) + 1) / (fmin(a, b) + 1);
}

/// How unlike a measurement's work is.
static double distance(const cairn_cost_sample *sample, const cairn_work *work)
{
    return fmax(factor_between(sample->bytes, work->bytes),
                factor_between(sample->entries, work->entries));
}

/// Seconds of measurements within @p most of some work, scaled to it; later ones first.
static int take_within(const cairn_cost_model *model,
                       const cairn_work       *work,
                       double                  most,
                       double                  seconds[CAIRN_COST_SAME_SIZE])
{
    const cairn_cost_rates *prior = &model->prior;
    const double here = cairn_cost_seconds(prior, work->bytes, work->entries);
    int          n    = 0;

    for (int k = model->samples - 1; k >= 0 && n < CAIRN_COST_SAME_SIZE; k--) {
        const cairn_cost_sample *s = &model->sample[k];

        if (distance(s, work) > most) continue;
        seconds[n++] =
            s->seconds * here / cairn_cost_seconds(prior, s->bytes, s->entries);
    }
    return n;
}

/// The model with the measurement that is nearest to some work, of those of its kin that are
/// known of a device; NULL: there is none. @param[out] nearest  How far it is.
static const cairn_cost_model *find_nearest(const cairn_costs *costs,
                                            const char        *device,
                                            const cairn_work  *work,
                                            double            *nearest)
{
    const cairn_cost_model *found = NULL;

    *nearest = INFINITY;
    for (int m = 0; m < costs->models; m++) {
        const cairn_cost_model *model = &costs->model[m];

        if (!cairn_work_is_kin(work->family, model->family)
            || strcmp(model->device, device) != 0)
            continue;
        for (int k = 0; k < model->samples; k++) {
            const double far = distance(&model->sample[k], work);

            if (far < *nearest) *nearest = far, found = model;
        }
    }
    return found;
}

bool cairn_cost_recall(const cairn_costs   *costs,
                       const char          *device,
                       const cairn_work    *work,
                       cairn_cost_recalled *recalled)
{
    const double            same = 1.1, around = 1.5;
    double                  seconds[CAIRN_COST_SAME_SIZE], nearest;
    const cairn_cost_model *model = find_nearest(costs, device, work, &nearest);

    if (!model) return false;
    recalled->same_size = nearest <= same;
    recalled->count     = take_within(
            model, work, recalled->same_size ? same : around * nearest, seconds);
    recalled->seconds = cairn_median(seconds, recalled->count);
    for (int k = 0; k < recalled->count; k++)
        seconds[k] = fabs(seconds[k] / recalled->seconds - 1);
    recalled->spread = 1.4826 * cairn_median(seconds, recalled->count);
    return true;
}

double cairn_cost_spread(const cairn_cost_model *model, double bytes)
{
    const double n   = model->samples;
    const double few = 0.5 / n,
                 far = bytes < 0 ? 0 : 0.05 * doublings_outside(model, bytes);

    return sqrt(model->spread * model->spread * (1 + 1 / n) + few * few + far * far);
}

void cairn_cost_predict(cairn_costs             *costs,
                        const cairn_cost_device *device,
                        const cairn_work        *work,
                        cairn_cost_guess        *guess)
{
    const cairn_cost_model *model = cairn_cost_find(costs, device->key, work->family);

    *guess = (cairn_cost_guess){
        .clock   = device->clock,
        .source  = CAIRN_COST_ESTIMATED,
        .spread  = 1,
        .seconds = cairn_cost_seconds(&device->prior, work->bytes, work->entries)};
    if (!model) return;
    guess->source  = CAIRN_COST_MEASURED;
    guess->seconds = cairn_cost_seconds(&model->rates, work->bytes, work->entries);
    guess->spread  = cairn_cost_spread(model, work->bytes);
}

/// What a run takes on a device beyond its kernels: as it says for one that moves nothing
/// in its memory, and copies as they were measured. 0: it does not say.
static double seconds_beside(cairn_costs                *costs,
                             const cairn_device         *device,
                             int                         ranks,
                             const cairn_device_request *request)
{
    const cairn_device_request nothing = {.memory_bytes = 0};
    const cairn_transfers      bytes   = cairn_transfers_of(device, request->work);
    const double               start   = device->ops.cost && bytes.in + bytes.out > 0
                                             ? device->ops.cost(device, &nothing)
                                             : 0;

    return (start > 0 ? start : 0)
           + cairn_cost_of_transfers(costs, device, ranks, &bytes);
}

void cairn_cost_of_product(cairn_costs                *costs,
                           const cairn_device         *device,
                           int                         ranks,
                           const cairn_device_request *request,
                           const cairn_work           *work,
                           cairn_cost_guess           *guess)
{
    cairn_cost_device described;
    const bool        can =
        !device->lost && (!device->ops.can || device->ops.can(device, request));

    cairn_cost_device_of(device, ranks, &described);
    cairn_cost_predict(costs, &described, work, guess);
    if (!can) {
        guess->seconds = INFINITY;
        return;
    }
    guess->beside = seconds_beside(costs, device, ranks, request);
    if (guess->source == CAIRN_COST_MEASURED) {
        guess->seconds += guess->beside;
        return;
    }
    const double own = device->ops.cost ? device->ops.cost(device, request) : -1;

    if (!(own >= 0) || !isfinite(own)) return;
    guess->seconds = own;
    if (guess->beside > own) guess->beside = own;
    if (device->info.clock != CAIRN_CLOCK_SIMULATED) return;
    guess->source = CAIRN_COST_MODELLED;
    guess->spread = 0;
}

double cairn_cost_replays(const cairn_env *env)
{
    return env->options.replays > 0 ? (double)env->options.replays : 1000;
}
