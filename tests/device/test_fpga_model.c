// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The cycles of the Serpens accelerator, from lengths of schedules that are known.

#include "devices/fpga/models.h"

#include <criterion/criterion.h>

#include <math.h>

static cairn_fpga_parameters parameters_of(int model)
{
    cairn_device_config config;

    cairn_config_init(&cairn_fpga_models[model], &config);
    return cairn_fpga_parameters_of(&config);
}

static void expect_near(double found, double right, double part, const char *what)
{
    cr_expect(fabs(found - right) <= part * fabs(right), "%s: %.9g, not %.9g", what,
              found, right);
}

/* nasa4704: 4704 rows, 104756 entries; L as the accelerator's own program makes it. */
enum { ROWS = 4704, ENTRIES = 104756 };

static cairn_fpga_cost nasa4704(const cairn_fpga_parameters *p, int64_t length)
{
    const cairn_fpga_matrix matrix = {.rows    = ROWS,
                                      .cols    = ROWS,
                                      .entries = ENTRIES,
                                      .windows = 1,
                                      .length  = &length};

    return cairn_fpga_estimate(p, &matrix, 1);
}

/// Operations a second as its authors count them: with the axpby, transfers left out.
static double authors_rate(double cycles, double clock)
{
    return 2.0 * (ENTRIES + ROWS) * clock / cycles;
}

Test(fpga_model, sixteen_channels_take_the_published_cycles)
{
    const cairn_fpga_parameters p = parameters_of(0);
    const cairn_fpga_cost       c = nasa4704(&p, 1316);

    cr_expect_eq(cairn_fpga_engines(&p), 128);
    cr_expect_eq(c.cycles, 1923);
    expect_near(c.compute, 8.62e-6, 1e-3, "seconds");
    expect_near(c.padding, 1.61, 2e-3, "padding");
    expect_near(authors_rate((double)c.cycles, c.clock), 25.4e9, 1e-3, "rate");
}

Test(fpga_model, twenty_four_channels_are_fed_at_225_MHz)
{
    cairn_fpga_parameters p = parameters_of(1);
    const cairn_fpga_cost c = nasa4704(&p, 1139);

    cr_expect_eq(cairn_fpga_engines(&p), 192);
    cr_expect_eq(c.cycles, 1740);
    expect_near(c.padding, 2.09, 2e-3, "padding");
    cr_expect_eq(c.clock, 225e6);
    expect_near(c.compute, 1740 / 225e6, 1e-12, "seconds");

    p.channel_rate = 1e12; /* without that limit, as the published figure is */
    const cairn_fpga_cost free = nasa4704(&p, 1139);

    cr_expect_eq(free.clock, 270e6);
    expect_near(free.compute, 6.44e-6, 1e-3, "seconds");
    expect_near(authors_rate((double)free.cycles, free.clock), 34.0e9, 1e-3, "rate");
}

Test(fpga_model, the_last_window_loads_what_is_left)
{
    const cairn_fpga_parameters p         = parameters_of(0);
    const int64_t               length[3] = {7, 0, 5};
    const cairn_fpga_matrix     matrix    = {.rows    = 100,
                                             .cols    = 2 * 8192 + 17,
                                             .entries = 40,
                                             .windows = 3,
                                             .length  = length};
    const cairn_fpga_cost       one       = cairn_fpga_estimate(&p, &matrix, 1);
    const cairn_fpga_cost       four      = cairn_fpga_estimate(&p, &matrix, 4);

    cr_expect_eq(one.cycles, 1 + 7 + 512 + 7 + 512 + 0 + 2 + 5);
    cr_expect_eq(one.length, 12);
    cr_expect_eq(four.cycles, one.cycles);
    expect_near(four.compute, 4 * one.compute, 1e-12, "four columns");
    expect_near(four.out, 4 * 400 / 12e9, 1e-12, "four columns of Y");
    expect_near(one.in, (2 * 8192 + 17) * 4 / 12e9, 1e-12, "X");
    expect_near(one.upload, 12 * 128 * 8 / 12e9, 1e-12, "the schedule");
    cr_expect_eq(one.bytes, 12 * 128 * 8 + 4 * (100 + 2 * 8192 + 17));
}

Test(fpga_model, a_latency_counts_once_a_window)
{
    cairn_fpga_parameters   p         = parameters_of(0);
    const int64_t           length[2] = {3, 4};
    const cairn_fpga_matrix matrix    = {
           .rows = 16, .cols = 9000, .entries = 9, .windows = 2, .length = length};
    const cairn_fpga_cost before = cairn_fpga_estimate(&p, &matrix, 1);

    p.latency                   = 100;
    const cairn_fpga_cost after = cairn_fpga_estimate(&p, &matrix, 1);

    cr_expect_eq(after.cycles, before.cycles);
    expect_near(after.compute - before.compute, 200 / 223e6, 1e-6, "latency");
}

Test(fpga_model, nothing_is_no_division_by_zero)
{
    const cairn_fpga_parameters p      = parameters_of(0);
    const cairn_fpga_matrix     matrix = {.rows = 0};
    const cairn_fpga_cost       c      = cairn_fpga_estimate(&p, &matrix, 1);

    cr_expect_eq(c.cycles, 0);
    cr_expect_eq(c.padding, 0);
    cr_expect_eq(c.compute, 0);
}
