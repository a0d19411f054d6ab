// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One small matrix, its products by a sum over a dense copy, and formats of every kind
/// to store it in.

#ifndef CAIRN_TESTS_SUPPORT_SMALL_PRODUCT_H
#define CAIRN_TESTS_SUPPORT_SMALL_PRODUCT_H

#include "api.h"

#include <math.h>

enum { ROWS = 37, COLS = 29, MOST = 5 };

/// A matrix with an empty row, a full one and blocks, the same every time.
static double dense[ROWS][COLS];

static inline cairn_source *make_source(cairn_context *context)
{
    int64_t       coord[2 * ROWS * COLS], extent[2] = {ROWS, COLS}, n = 0;
    double        value[ROWS * COLS];
    cairn_source *source;

    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++) {
            const bool stored =
                i == 7 || (i != 11 && (abs(i - j) < 2 || (i * 5 + j * 3) % 11 == 0));

            dense[i][j] = 0;
            if (!stored) continue;
            dense[i][j]      = 0.25 + (i * 31 + j * 17) % 23 / 7.0;
            coord[2 * n]     = i;
            coord[2 * n + 1] = j;
            value[n++]       = dense[i][j];
        }
    MUST(context, cairn_source_from_coords(context, 2, extent, n, coord, value,
                                           CAIRN_BY_ROWS, &source));
    return source;
}

/// A product's operands, in f64 and f32, and what Y should be.
typedef struct {
    cairn_product_options op;
    cairn_dtype           dtype;
    double                x[ROWS * MOST], y[ROWS * MOST];
    float                 x32[ROWS * MOST], y32[ROWS * MOST];
    double                right[ROWS * MOST], size[ROWS * MOST];
} operands;

static inline int inner(const operands *o)
{
    return o->op.transposed ? ROWS : COLS;
}

static inline int outer(const operands *o)
{
    return o->op.transposed ? COLS : ROWS;
}

static inline double entry(const operands *o, int i, int j)
{
    const double a = o->op.transposed ? dense[j][i] : dense[i][j];

    return o->dtype == CAIRN_F32 ? (double)(float)a : a;
}

static inline void fill(operands *o)
{
    const int k = (int)o->op.columns;

    for (int n = 0; n < inner(o) * k; n++) {
        o->x[n] = o->x32[n] = (float)((n * 7 % 97 + 1) / 97.0);
    }
    for (int n = 0; n < outer(o) * k; n++) {
        o->y[n] = o->y32[n] = o->op.beta == 0 ? NAN : (float)(n % 5 - 2);
        o->right[n]         = o->op.beta == 0 ? 0 : o->op.beta * o->y[n];
        o->size[n]          = fabs(o->right[n]);
        for (int j = 0; j < inner(o); j++) {
            const double term = o->op.alpha * entry(o, n / k, j) * o->x[j * k + n % k];

            o->right[n] += term;
            o->size[n] += fabs(term);
        }
    }
}

static inline void check(const operands *o, const char *text)
{
    const bool   f32 = o->dtype == CAIRN_F32;
    const double eps = f32 ? 1e-6 : 1e-14;

    for (int n = 0; n < outer(o) * (int)o->op.columns; n++) {
        const double y = f32 ? (double)o->y32[n] : o->y[n];

        cr_assert(fabs(y - o->right[n]) <= eps * o->size[n],
                  "%s: Y(%d) of %d columns%s%s = %.17g, not %.17g", text, n,
                  (int)o->op.columns, o->op.transposed ? ", transposed" : "",
                  f32 ? ", f32" : "", y, o->right[n]);
    }
}

static const char *const formats[] = {
    "csr",
    "csc",
    "coo",
    "dcsr",
    "csb<4,4>",
    "ell",
    "sell<4>",
    "dia",
    "bdia<8>",
    "bcsr<2,3>",
    "bell<2>",
    "lil",
    "c2sr<2>",
    "cisr-plus<3>",
    "sell-sigma<4,8>",
    "dense<2>",
    "dok",
    "hybrid<bdia<4>,csr,0.6>",
    "serpens<2,4,2>",
    "hybrid<bell<2>,coo,0.5,0.5>",
};

#endif
