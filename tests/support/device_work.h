// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products asked of devices directly: a stored tensor, devices of a list, operands with
/// room for overhang, and what the processor makes of the same.

#ifndef CAIRN_TESTS_SUPPORT_DEVICE_WORK_H
#define CAIRN_TESTS_SUPPORT_DEVICE_WORK_H

#include "api/api.h"
#include "devices/product.h"
#include "expr/reference.h"
#include "support/api.h"
#include "support/random_format.h"

enum { WORK_MARGIN = 512 }; ///< Rows of X that overhang may read on either side.

/// A source of scattered entries, a diagonal and one long row, of any shape.
static inline cairn_source *
random_source(cairn_context *context, uint64_t *state, int64_t rows, int64_t cols)
{
    const int64_t extent[2] = {rows, cols};
    int64_t      *coord     = malloc(sizeof *coord * 2 * (size_t)(rows * cols));
    double       *value     = malloc(sizeof *value * (size_t)(rows * cols));
    const int     percent   = 1 + random_below(state, 30);
    const int64_t full      = random_below(state, (int)rows);
    cairn_source *source;
    int64_t       n = 0;

    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            if (i != full && i != j && !random_chance(state, percent)) continue;
            coord[2 * n]     = i;
            coord[2 * n + 1] = j;
            value[n++]       = (1 + random_below(state, 500)) / 8.0;
        }
    MUST(context, cairn_source_from_coords(context, 2, extent, n, coord, value,
                                           CAIRN_BY_ROWS, &source));
    free(coord);
    free(value);
    return source;
}

static inline cairn_devices *must_devices(cairn_context *context, const char *list)
{
    cairn_devices *devices = NULL;

    MUST(context, cairn_devices_open(&context->env, "--devices", list, &devices));
    return devices;
}

/// A product's operands: X in the element type, with margins.
typedef struct work_operands {
    int64_t rows_in, rows_out, columns;
    int     bits;
    char   *block;
    void   *x;
} work_operands;

static inline void work_operands_make(const cairn_device_work *work, work_operands *o)
{
    const int64_t bytes = work->tensor->value_bits / 8;

    *o = (work_operands){.rows_in  = cairn_work_rows_in(work),
                         .rows_out = cairn_work_rows_out(work),
                         .columns  = work->op->columns,
                         .bits     = work->tensor->value_bits};
    o->block =
        calloc((size_t)(o->rows_in + 2 * WORK_MARGIN), (size_t)(o->columns * bytes));
    o->x = o->block + WORK_MARGIN * o->columns * bytes;
    for (int64_t k = 0; k < o->rows_in * o->columns; k++)
        if (o->bits == 64)
            ((double *)o->x)[k] = ramp(k);
        else
            ((float *)o->x)[k] = (float)ramp(k);
}

/// Run a launch once. @return Y in f64, freed with free().
static inline double *run_launch(cairn_launch *launch, const work_operands *o)
{
    const int64_t n    = o->rows_out * o->columns;
    double       *y    = calloc((size_t)n + 1, sizeof *y);
    float        *thin = calloc((size_t)n + 1, sizeof *thin);
    const bool    wide = launch->wide || o->bits == 64;

    cr_assert_eq(launch->run(launch, o->x, wide ? (void *)y : (void *)thin), CAIRN_OK,
                 "%s", launch->message);
    for (int64_t k = 0; k < n && !wide; k++)
        y[k] = (double)thin[k];
    free(thin);
    return y;
}

/// What the processor makes of the same work, the same way. @return as run_launch().
static inline double *
run_on(cairn_device *device, const cairn_device_work *work, const work_operands *o)
{
    cairn_launch launch = {0};

    cr_assert_eq(device->ops.build(device, work, &launch), CAIRN_OK, "%s",
                 device->env->message);
    double *y = run_launch(&launch, o);

    launch.release(&launch);
    return y;
}

#endif
