// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products on cores in memory.

#include "devices/pim/product.h"

#include "base/text.h"
#include "devices/pim/banks.h"
#include "devices/simulated.h"
#include "tensor/value_storage.h"

#include <inttypes.h>
#include <stdio.h>

bool cairn_pim_divided(const cairn_device_work *work)
{
    return cairn_work_group(work)->layout->partition >= 0;
}

static cairn_pim_values values_of(const cairn_device_work *work)
{
    const cairn_layout *layout = cairn_work_group(work)->layout;

    return (cairn_pim_values){.bits        = work->tensor->value_bits,
                              .kind        = layout->values.kind,
                              .stored_bits = layout->values.bits};
}

cairn_status cairn_pim_cost_of(const cairn_device      *device,
                               const cairn_device_work *work,
                               cairn_pim_cost          *cost)
{
    const cairn_pim_parameters *p       = device->state;
    const cairn_pim_product     product = {.banks   = cairn_work_group(work)->count,
                                           .rows_in = cairn_work_rows_in(work),
                                           .columns = work->op->columns,
                                           .values  = values_of(work)};
    cairn_pim_bank             *bank = NULL, *core = NULL;
    cairn_status                status;

    CAIRN_TRY(cairn_pim_banks(device->env, work, &bank));
    CAIRN_GO(bank,
             CAIRN_NEW(device->env, product.banks < p->cores ? product.banks : p->cores,
                       &core));
    *cost = cairn_pim_estimate(p, &product, bank, core);
    cairn_free(device->env, core);

bank:
    cairn_free(device->env, bank);
    return status;
}

/// What widening a value costs a core; nothing where it is not told apart.
static void say_widening(const cairn_pim_parameters *p,
                         cairn_pim_values            values,
                         char                       *text,
                         size_t                      size)
{
    const double instructions = cairn_pim_widening_of(p, values);

    text[0] = '\0';
    if (p->entry_cycles > 0 || instructions <= 0) return;
    snprintf(text, size, ", %g instructions widen %s%s", instructions,
             cairn_value_storage_name(values.kind, values.stored_bits),
             cairn_pim_fetches_words(p, values) ? ", words fetched" : "");
}

/// Balance and times, for people.
static void write_note(const cairn_pim_parameters *p,
                       int64_t                     banks,
                       cairn_pim_values            values,
                       const cairn_pim_cost       *cost,
                       cairn_simulated_model      *model)
{
    const double mean = banks > 0 ? (double)cost->entries / (double)banks : 0;
    char         in[16], compute[16], out[16], upload[16], merge[32] = "", sum[16],
                                                   rounds[40] = "", widening[64];

    say_widening(p, values, widening, sizeof widening);
    if (cost->rounds > 1)
        snprintf(rounds, sizeof rounds, " in %" PRId64 " rounds", cost->rounds);
    if (cost->merge > 0)
        snprintf(merge, sizeof merge, ", merge %s",
                 cairn_print_seconds(cost->merge, sum));
    snprintf(model->note, sizeof model->note,
             "%" PRId64 " banks on %" PRId64
             " cores%s, max/avg %.2f, in %s%s, compute %s%s, "
             "out %s%s; upload %s once",
             banks, p->cores, rounds, mean > 0 ? (double)cost->most / mean : 1,
             cairn_print_seconds(cost->in, in), cost->broadcast ? " (broadcast)" : "",
             cairn_print_seconds(cost->launch + cost->compute, compute), widening,
             cairn_print_seconds(cost->out, out), merge,
             cairn_print_seconds(cost->upload, upload));
}

cairn_status cairn_pim_build(cairn_device            *device,
                             const cairn_device_work *work,
                             cairn_launch            *launch)
{
    const cairn_pim_parameters *p = device->state;
    cairn_simulated_model       model;
    cairn_pim_cost              cost;

    CAIRN_CHECK(cairn_pim_divided(work), device->env, CAIRN_UNSUPPORTED,
                "device: %s: member %d has no banks to give to cores; formats with "
                "layout<partition(...)> have, into %" PRId64 " here",
                device->info.id, cairn_work_number(work), p->cores);
    CAIRN_TRY(cairn_pim_cost_of(device, work, &cost));
    CAIRN_CHECK(cost.needed <= p->memory, device->env, CAIRN_NO_MEMORY,
                "device: %s: a core's bank would need %" PRId64
                " bytes, limit %" PRId64,
                device->info.id, cost.needed, p->memory);
    model.times = (cairn_launch_times){.in      = cost.in,
                                       .compute = cost.launch + cost.compute,
                                       .out     = cost.out + cost.merge};
    model.bytes = cost.bytes;
    write_note(p, cairn_work_group(work)->count, values_of(work), &cost, &model);
    return cairn_simulated_build(device, work, &model, launch);
}
