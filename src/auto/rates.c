// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Finding the rates of a leaf.

#include "auto/rates.h"

#include <math.h>

const double cairn_rate_join = 2.3e-10, cairn_rate_split = 4.6e-4,
             cairn_rate_partition = 4.5e-9;

typedef struct {
    cairn_leaf_kind kind;
    int             rows, cols;
    bool            many;
    cairn_rates     rates;
} line;

static const line lines[] = {
#define RATES(leaf, rows, cols, many, ...) \
    {CAIRN_LEAF_##leaf, rows, cols, many, {__VA_ARGS__}},
#include "auto/rates.def"
#undef RATES
};

/// How many doublings lie between two sizes; all (0) is more than any.
static double doublings(int a, int b)
{
    if (a == b) return 0; /* mostly, and a logarithm takes longer than all else here */
    return fabs(log2(a > 0 ? a : 4096) - log2(b > 0 ? b : 4096));
}

/// How unlike a line is: another product is worse than any size.
static double distance(const line *l, const cairn_leaf *leaf, bool many)
{
    enum { OTHER = 100 };

    return doublings(l->rows, leaf->rows) + doublings(l->cols, leaf->cols)
           + (l->many == many ? 0 : OTHER);
}

const cairn_rates *cairn_rates_of(const cairn_leaf *leaf, bool many)
{
    const line *best  = NULL;
    double      least = INFINITY;

    for (size_t k = 0; k < sizeof lines / sizeof *lines && least > 0; k++) {
        if (lines[k].kind != leaf->kind) continue;
        const double far = distance(&lines[k], leaf, many);

        if (far < least) least = far, best = &lines[k];
    }
    return &best->rates; /* every leaf has a line */
}
