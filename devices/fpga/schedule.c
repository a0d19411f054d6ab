// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Reading and checking a stored schedule.

#include "devices/fpga/schedule.h"

#include "tensor/walk.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/// Say why not, where the caller asks for it.
__attribute__((format(printf, 2, 3))) static bool no(char *why, const char *text, ...)
{
    va_list values;

    if (!why) return false;
    va_start(values, text);
    vsnprintf(why, CAIRN_FPGA_WHY, text, values);
    va_end(values);
    return false;
}

/// The level whose nodes are cycles: the only trimmed one, with engines below it and
/// nothing but windows above. -1: there is none.
static int cycle_level(const cairn_layout *layout)
{
    const int c = layout->first;

    if (layout->partition >= 0 || c != layout->last || c > 1 || c + 1 >= layout->levels)
        return -1;
    if (!layout->level[c].indirect || layout->level[c].arrays.has_idx) return -1;
    if (layout->level[c + 1].kind != CAIRN_LEVEL_DENSE) return -1;
    for (int l = c + 2; l < layout->levels; l++)
        if (!layout->level[l].determined.on || !layout->level[l].determined.per_node)
            return -1;
    return c;
}

bool cairn_fpga_can(const cairn_fpga_parameters *p,
                    const cairn_device_work     *work,
                    char                        *why)
{
    const cairn_layout *layout  = cairn_work_group(work)->layout;
    const int           c       = cycle_level(layout);
    const int64_t       engines = cairn_fpga_engines(p);
    const int64_t       rows    = cairn_work_rows_out(work);

    if (c < 0 || cairn_work_group(work)->count != 1)
        return no(why,
                  "it runs schedules alone: levels (d1/%" PRId64 ", cycle, engine of "
                  "%" PRId64 ", ...)",
                  p->window, engines);
    /* Without rows the level is empty, whatever it was to be. */
    if (layout->level[c + 1].size != engines && layout->level[c + 1].size != 0)
        return no(why,
                  "the schedule is for %" PRId64 " engines, it has %" PRId64
                  " (8 for each of %" PRId64 " channels)",
                  layout->level[c + 1].size, engines, p->channels);
    if (work->op->transposed)
        return no(why, "the transpose needs a schedule of its own");
    if (layout->values.carrier_bits != 32)
        return no(why, "its engines compute in f32, not in f64");
    if (rows > p->rows)
        return no(why, "%" PRId64 " rows: it keeps Y on the chip, which holds %" PRId64,
                  rows, p->rows);
    return true;
}

/// Node of the cycle level with which window @p w begins.
static int64_t first_node(const cairn_kernel_part *view, int c, int64_t w)
{
    const cairn_kernel_level *cycles = &view->level[c];

    if (c == 0) return w > 0 ? cycles->nodes : 0;
    return cairn_load_int(cycles->ptr, w, cycles->ptr_bits / 8, cycles->ptr_bits,
                          false);
}

cairn_status cairn_fpga_read(cairn_env               *env,
                             const cairn_device_work *work,
                             cairn_fpga_matrix       *matrix)
{
    const cairn_kernel_part *view = &cairn_work_part(work, 0)->view;
    const int                c    = cycle_level(cairn_work_group(work)->layout);
    cairn_fpga_matrix        read = {.rows    = cairn_work_rows_out(work),
                                     .cols    = cairn_work_rows_in(work),
                                     .entries = cairn_work_entries(work),
                                     .windows = c == 0 ? 1 : view->level[0].size};
    int64_t                 *length;

    CAIRN_TRY(CAIRN_NEW(env, read.windows, &length));
    for (int64_t w = 0; w < read.windows; w++)
        length[w] = first_node(view, c, w + 1) - first_node(view, c, w);
    read.length = length;
    *matrix     = read;
    return CAIRN_OK;
}

typedef struct {
    cairn_env                   *env;
    const cairn_fpga_parameters *p;
    const char                  *device;
    const cairn_kernel_part     *view;
    int                          cycles; ///< The level of the cycles.
    int64_t                      pairs_first;
    int64_t *last; ///< [pairs] node of a pair's last entry; -1: none yet.
} checking;

static cairn_status
wrong(const checking *c, const cairn_batch *batch, int n, const char *why)
{
    return cairn_fail(c->env, CAIRN_UNSUPPORTED,
                      "device: %s: entry (%" PRId64 ",%" PRId64 ") of the schedule %s",
                      c->device, batch->coord[0][n], batch->coord[1][n], why);
}

/// Index of a level at entry @p n.
static int64_t at_level(const cairn_batch *batch, int level, int n)
{
    return batch->level[(size_t)level * CAIRN_BATCH + (size_t)n];
}

static cairn_status check_entry(const checking *c, const cairn_batch *batch, int n)
{
    const int64_t engines = cairn_fpga_engines(c->p);
    const int64_t pair    = batch->coord[0][n] / 2;
    const int64_t window  = c->cycles > 0 ? at_level(batch, 0, n) : 0;
    const int64_t begin =
        c->cycles > 0 ? first_node(c->view, c->cycles, window - c->view->level[0].lo)
                      : 0;
    const int64_t node = batch->value[n] / engines;
    int64_t      *last = &c->last[pair - c->pairs_first];

    if (batch->coord[1][n] / c->p->window != window)
        return wrong(c, batch, n, "is not in the window of its column");
    if (pair % engines != at_level(batch, c->cycles + 1, n))
        return wrong(c, batch, n, "is not with the engine of its pair of rows");
    if (*last >= begin && node - *last < c->p->distance)
        return wrong(c, batch, n, "comes too soon after another of its pair of rows");
    *last = node;
    return CAIRN_OK;
}

static cairn_status
check_batch(void *user, const cairn_part *part, const cairn_batch *batch)
{
    (void)part;
    for (int n = 0; n < batch->n; n++)
        CAIRN_TRY(check_entry(user, batch, n));
    return CAIRN_OK;
}

cairn_status cairn_fpga_check(cairn_env                   *env,
                              const cairn_fpga_parameters *p,
                              const char                  *device,
                              const cairn_device_work     *work)
{
    const cairn_part     *part   = cairn_work_part(work, 0);
    const cairn_interval *rows   = &work->tensor->box[0];
    const int64_t         pairs  = rows->hi / 2 - rows->lo / 2 + 1;
    cairn_walker         *walker = NULL;
    checking              c      = {.env         = env,
                                    .p           = p,
                                    .device      = device,
                                    .view        = &part->view,
                                    .cycles      = cycle_level(part->layout),
                                    .pairs_first = rows->lo / 2};
    cairn_status          status;

    CAIRN_TRY(CAIRN_NEW(env, pairs, &c.last));
    for (int64_t k = 0; k < pairs; k++)
        c.last[k] = -1;
    CAIRN_GO(last, cairn_walker_create(env, part->layout, &walker));
    CAIRN_GO(walker, cairn_walker_show_levels(env, walker));
    CAIRN_GO(walker, cairn_walk(walker, part, check_batch, &c));

walker:
    cairn_walker_destroy(env, &walker);
last:
    cairn_free(env, c.last);
    return status;
}
