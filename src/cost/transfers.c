// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Learning and predicting copies.

#include "cost/transfers.h"

#include <stdio.h>

static bool has_link(const cairn_device *device)
{
    const cairn_device_link *link = &device->info.link;

    return device->info.clock == CAIRN_CLOCK_MEASURED && link->up > 0 && link->down > 0;
}

cairn_transfers cairn_transfers_of(const cairn_device      *device,
                                   const cairn_device_work *product)
{
    if (!product || !has_link(device)) return (cairn_transfers){0};
    const double row =
        (double)product->op->columns * (double)(product->tensor->value_bits / 8);

    return (cairn_transfers){.in  = row * (double)cairn_work_rows_in(product),
                             .out = row * (double)cairn_work_rows_out(product)};
}

/// Copies one way as work of a device.
static cairn_work
copies(const char *way, double bytes, double rate, cairn_cost_device *device)
{
    cairn_work work = {.bytes = bytes};

    snprintf(work.family, sizeof work.family, "copies %s", way);
    device->prior = (cairn_cost_rates){.per_byte = 1 / rate};
    return work;
}

static double predict(cairn_costs             *costs,
                      const cairn_cost_device *device,
                      const char              *way,
                      double                   bytes,
                      double                   rate)
{
    cairn_cost_device its  = *device;
    const cairn_work  work = copies(way, bytes, rate, &its);
    cairn_cost_guess  guess;

    if (bytes <= 0) return 0;
    cairn_cost_predict(costs, &its, &work, &guess);
    return guess.seconds;
}

double cairn_cost_of_transfers(cairn_costs           *costs,
                               const cairn_device    *device,
                               int                    ranks,
                               const cairn_transfers *bytes)
{
    cairn_cost_device described;

    if (!has_link(device)) return 0;
    cairn_cost_device_of(device, ranks, &described);
    return predict(costs, &described, "in", bytes->in, device->info.link.up)
           + predict(costs, &described, "out", bytes->out, device->info.link.down);
}

static void observe(cairn_costs             *costs,
                    const cairn_cost_device *device,
                    const char              *way,
                    double                   bytes,
                    double                   rate,
                    double                   seconds)
{
    cairn_cost_device its  = *device;
    const cairn_work  work = copies(way, bytes, rate, &its);

    if (bytes > 0 && seconds > 0) cairn_cost_observe(costs, &its, &work, seconds);
}

bool cairn_cost_observe_apart(cairn_costs              *costs,
                              const cairn_device       *device,
                              int                       ranks,
                              const cairn_device_work  *product,
                              const cairn_work         *work,
                              const cairn_launch_times *times)
{
    const cairn_transfers bytes = cairn_transfers_of(device, product);
    cairn_cost_device     described;

    if (!has_link(device) || times->compute <= 0) return false;
    cairn_cost_device_of(device, ranks, &described);
    cairn_cost_observe(costs, &described, work, times->compute);
    observe(costs, &described, "in", bytes.in, device->info.link.up, times->in);
    observe(costs, &described, "out", bytes.out, device->info.link.down, times->out);
    return true;
}
