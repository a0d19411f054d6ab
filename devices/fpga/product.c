// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products on an FPGA card.

#include "devices/fpga/product.h"

#include "base/text.h"
#include "devices/fpga/schedule.h"
#include "devices/simulated.h"

#include <inttypes.h>
#include <stdio.h>

cairn_status cairn_fpga_cost_of(const cairn_device      *device,
                                const cairn_device_work *work,
                                cairn_fpga_cost         *cost)
{
    cairn_fpga_matrix matrix;

    CAIRN_TRY(cairn_fpga_read(device->env, work, &matrix));
    *cost = cairn_fpga_estimate(device->state, &matrix, work->op->columns);
    cairn_free(device->env, (void *)matrix.length);
    return CAIRN_OK;
}

/// The schedule and times, for people.
static void write_note(const cairn_fpga_parameters *p,
                       const cairn_fpga_cost       *cost,
                       cairn_simulated_model       *model)
{
    char in[16], compute[16], out[16], upload[16];

    snprintf(
        model->note, sizeof model->note,
        "%" PRId64 " engines, L %" PRId64 ", T %" PRId64
        " cycles, padding %.2f, in %s, compute %s at %g MHz, out %s; upload %s once",
        cairn_fpga_engines(p), cost->length, cost->cycles, cost->padding,
        cairn_print_seconds(cost->in, in),
        cairn_print_seconds(cost->launch + cost->compute, compute), cost->clock / 1e6,
        cairn_print_seconds(cost->out, out), cairn_print_seconds(cost->upload, upload));
}

cairn_status cairn_fpga_build(cairn_device            *device,
                              const cairn_device_work *work,
                              cairn_launch            *launch)
{
    const cairn_fpga_parameters *p = device->state;
    char                         why[CAIRN_FPGA_WHY];
    cairn_simulated_model        model;
    cairn_fpga_cost              cost;

    if (!cairn_fpga_can(p, work, why))
        return cairn_fail(device->env, CAIRN_UNSUPPORTED, "device: %s: member %d: %s",
                          device->info.id, cairn_work_number(work), why);
    /* A word of its schedules has an f32: refused, the member is asked for again with wide
     * values (place/member_kernel.h). */
    CAIRN_CHECK(cairn_layout_is_wide(cairn_work_group(work)->layout), device->env,
                CAIRN_UNSUPPORTED, "device: %s: member %d: its values are narrow",
                device->info.id, cairn_work_number(work));
    CAIRN_TRY(cairn_fpga_cost_of(device, work, &cost));
    CAIRN_CHECK(cost.bytes <= p->memory, device->env, CAIRN_NO_MEMORY,
                "device: %s: the schedule, X and Y need %" PRId64
                " bytes, limit %" PRId64,
                device->info.id, cost.bytes, p->memory);
    CAIRN_TRY(cairn_fpga_check(device->env, p, device->info.id, work));
    model.times = (cairn_launch_times){
        .in = cost.in, .compute = cost.launch + cost.compute, .out = cost.out};
    model.bytes = cost.bytes;
    write_note(p, &cost, &model);
    return cairn_simulated_build(device, work, &model, launch);
}
