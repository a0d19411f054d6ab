// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Systems of equations for tests: grids of points with neighbours, symmetric or not, whose
/// entries any rank can make, and products with them by the definition.

#ifndef CAIRN_TESTS_SUPPORT_SOLVE_CASE_H
#define CAIRN_TESTS_SUPPORT_SOLVE_CASE_H

#include "api.h"

#include <math.h>

/// side x side points; with skew 0 the matrix is symmetric and positive definite.
typedef struct {
    int64_t side;
    double  skew;
} grid;

static inline int64_t grid_rows(const grid *g)
{
    return g->side * g->side;
}

/// The entries of a row. @return how many, 5 at most.
static inline int grid_row(const grid *g, int64_t i, int64_t column[5], double value[5])
{
    const int64_t n = g->side, r = i / n, c = i % n;
    int           k = 0;

    if (r > 0) column[k] = i - n, value[k++] = -1;
    if (c > 0) column[k] = i - 1, value[k++] = -1 - g->skew;
    column[k] = i, value[k++] = 4.03 + 0.3 * (double)(i % 7);
    if (c < n - 1) column[k] = i + 1, value[k++] = -1 + g->skew;
    if (r < n - 1) column[k] = i + n, value[k++] = -1;
    return k;
}

/// Row i of A x.
static inline double grid_times(const grid *g, int64_t i, const double *x)
{
    int64_t     column[5];
    double      value[5];
    long double sum = 0;

    for (int k = grid_row(g, i, column, value); k-- > 0;)
        sum += (long double)value[k] * x[column[k]];
    return (double)sum;
}

/// b, whose products are not exact.
static inline double grid_b(int64_t i)
{
    return sin((double)i) + 0.2;
}

/// A matrix of grid @p g in a format, whose rows on ranks begin at multiples of @p align.
static inline cairn_tensor *
grid_store(cairn_context *context, const grid *g, const char *text, int64_t align)
{
    const int64_t rows = grid_rows(g), extent[2] = {rows, rows};
    const bool    all    = cairn_context_rank(context) == 0;
    int64_t      *coord  = malloc((size_t)rows * 10 * sizeof *coord);
    double       *value  = malloc((size_t)rows * 5 * sizeof *value);
    cairn_format *format = must_format(context, text);
    cairn_source *source = NULL;
    cairn_tensor *tensor = NULL;
    int64_t       n      = 0;

    for (int64_t i = 0; i < rows && all; i++) {
        int64_t   column[5];
        const int k = grid_row(g, i, column, value + n);

        for (int l = 0; l < k; l++) {
            coord[2 * (n + l)]     = i;
            coord[2 * (n + l) + 1] = column[l];
        }
        n += k;
    }
    MUST(context, cairn_format_align(format, align));
    MUST(context, cairn_source_from_coords(context, 2, extent, n, coord, value,
                                           CAIRN_BY_NNZ, &source));
    MUST(context, cairn_tensor_create(source, format, CAIRN_F64, &tensor));
    cairn_source_destroy(&source);
    cairn_format_destroy(&format);
    free(coord);
    free(value);
    return tensor;
}

#endif
