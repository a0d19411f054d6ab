// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rates beside products that they were not fitted to.

#include "cost/held_out.h"

#include "cost/cost_fit.h"

#include <stdlib.h>
#include <string.h>

enum { GROUPS = 8, NEWEST = 8 };

static bool is_product(const cairn_cost_model *model)
{
    return strncmp(model->family, "product", strlen("product")) == 0
           && model->samples > 0;
}

/// A family of products among those of its device.
typedef struct product {
    int first;  ///< Model of the device's first; below 0: this model is of no product.
    int number; ///< From 0.
} product;

/// Room for what is looked at: measurements to fit to, and ratios.
typedef struct room {
    product           *product; ///< [models]
    cairn_cost_sample *sample;
    double            *ratio;
    int64_t            ratios;
} room;

/// Find who is of one device with whom. @return the families of model @p m's device.
static int number_products(const cairn_costs *costs, const room *in, int m)
{
    const char *const device = costs->model[m].device;
    int               number = 0;

    for (int k = m; k < costs->models; k++)
        if (is_product(&costs->model[k]) && strcmp(costs->model[k].device, device) == 0)
            in->product[k] = (product){.first = m, .number = number++};
    return number;
}

/// Collect the newest of a model's measurements. @return how many.
static int collect(const cairn_cost_model *model, cairn_cost_sample *sample)
{
    const int count = model->samples < NEWEST ? model->samples : NEWEST;

    memcpy(sample, model->sample + model->samples - count,
           (size_t)count * sizeof *sample);
    return count;
}

/// Leave as many of @p n measurements as a fit takes, in even steps. @return how many.
static int thin_out(cairn_cost_sample *sample, int n)
{
    if (n <= CAIRN_COST_SAMPLES) return n;
    for (int k = 0; k < CAIRN_COST_SAMPLES; k++)
        sample[k] = sample[(int64_t)k * n / CAIRN_COST_SAMPLES];
    return CAIRN_COST_SAMPLES;
}

/// Fit to a device's products but those of a group, and ask of these.
///
/// @return families that were held out.
static int
hold_out(const cairn_costs *costs, int first, int groups, int group, room *in)
{
    cairn_cost_rates rates;
    double           spread;
    int              samples = 0, families = 0;

    for (int m = first; m < costs->models; m++)
        if (in->product[m].first == first && in->product[m].number % groups != group)
            samples += collect(&costs->model[m], in->sample + samples);
    samples = thin_out(in->sample, samples);
    cairn_cost_fit(in->sample, samples, &costs->model[first].prior, &rates, &spread);
    for (int m = first; m < costs->models; m++) {
        cairn_cost_sample held[NEWEST];

        if (in->product[m].first != first || in->product[m].number % groups != group)
            continue;
        families++;
        for (int k = collect(&costs->model[m], held) - 1; k >= 0; k--)
            in->ratio[in->ratios++] =
                held[k].seconds
                / cairn_cost_seconds(&rates, held[k].bytes, held[k].entries);
    }
    return families;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

cairn_status cairn_cost_held_out(const cairn_costs *costs, cairn_held_out *held)
{
    room           in  = {0};
    cairn_held_out own = {0};
    cairn_status   status;
    const int64_t  most = (int64_t)costs->models * NEWEST + 1;

    CAIRN_TRY(CAIRN_NEW(costs->env, costs->models + 1, &in.product));
    CAIRN_GO(free_products, CAIRN_NEW(costs->env, most, &in.sample));
    CAIRN_GO(free_samples, CAIRN_NEW(costs->env, most, &in.ratio));
    for (int m = 0; m < costs->models; m++)
        in.product[m].first = -1;
    for (int m = 0; m < costs->models; m++) {
        if (!is_product(&costs->model[m]) || in.product[m].first >= 0) continue;
        const int families = number_products(costs, &in, m);
        const int groups   = families < GROUPS ? families : GROUPS;

        for (int group = 0; groups > 1 && group < groups; group++)
            own.families += hold_out(costs, m, groups, group, &in);
    }
    qsort(in.ratio, (size_t)in.ratios, sizeof *in.ratio, by_size);
    own.measurements = in.ratios;
    if (in.ratios > 0) {
        own.low    = in.ratio[in.ratios / 10];
        own.middle = in.ratio[in.ratios / 2];
        own.high   = in.ratio[in.ratios - 1 - in.ratios / 10];
    }
    *held = own;
    cairn_free(costs->env, in.ratio);
free_samples:
    cairn_free(costs->env, in.sample);
free_products:
    cairn_free(costs->env, in.product);
    return status;
}
