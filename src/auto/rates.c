// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Finding the rates of a leaf.

#include "auto/rates.h"

#include <math.h>

const double cairn_rate_join = 3e-10, cairn_rate_deal = 1e-8;

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
    const line *best = NULL;

    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
        if (lines[k].kind == leaf->kind
            && (!best || distance(&lines[k], leaf, many) < distance(best, leaf, many)))
            best = &lines[k];
    return &best->rates; /* every leaf has a line */
}
