// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the Serpens accelerator costs.

#include "devices/fpga/model.h"

enum {
    WORD    = 8, /* bytes of an entry: column, row, f32 */
    ELEMENT = 4, /* bytes of a number of X and Y */
};

static int64_t divide_up(int64_t n, int64_t by)
{
    return (n + by - 1) / by;
}

int64_t cairn_fpga_engines(const cairn_fpga_parameters *p)
{
    return CAIRN_FPGA_LANES * p->channels;
}

/// Cycles to load X's part of a window.
static int64_t load_cycles(const cairn_fpga_parameters *p, int64_t cols, int64_t window)
{
    const int64_t left = cols - window * p->window;

    return divide_up(left < p->window ? left : p->window, p->per_cycle);
}

static double effective_clock(const cairn_fpga_parameters *p)
{
    const double fed = p->channel_rate / (CAIRN_FPGA_LANES * WORD);

    return p->clock < fed ? p->clock : fed;
}

/// Count cycles, into `length` and `cycles`.
static void count(const cairn_fpga_parameters *p,
                  const cairn_fpga_matrix     *matrix,
                  cairn_fpga_cost             *cost)
{
    cost->cycles = divide_up(matrix->rows, p->per_cycle * p->channels)
                   + divide_up(matrix->rows, p->per_cycle);
    for (int64_t w = 0; w < matrix->windows; w++) {
        cost->length += matrix->length[w];
        cost->cycles += load_cycles(p, matrix->cols, w) + matrix->length[w];
    }
}

cairn_fpga_cost cairn_fpga_estimate(const cairn_fpga_parameters *p,
                                    const cairn_fpga_matrix     *matrix,
                                    int64_t                      columns)
{
    const double    runs = (double)columns;
    cairn_fpga_cost cost = {.clock = effective_clock(p), .launch = p->launch};

    count(p, matrix, &cost);
    const int64_t words = cairn_fpga_engines(p) * cost.length;

    if (matrix->entries > 0) cost.padding = (double)words / (double)matrix->entries;
    cost.compute = runs * ((double)cost.cycles + (double)matrix->windows * p->latency)
                   / cost.clock;
    cost.in     = runs * (double)(matrix->cols * ELEMENT) / p->link;
    cost.out    = runs * (double)(matrix->rows * ELEMENT) / p->link;
    cost.upload = (double)(words * WORD) / p->link;
    cost.bytes  = words * WORD + columns * (matrix->rows + matrix->cols) * ELEMENT;
    return cost;
}
