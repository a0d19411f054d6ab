// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a product is called, and which make sense.

#include "expr/operation.h"

#include <inttypes.h>
#include <stdio.h>

void cairn_product_notation(const cairn_product_options *options, char *text)
{
    if (!text) return;
    const bool  vector     = !options || options->columns == 1;
    const bool  transposed = options && options->transposed;
    const bool  scaled     = options && options->alpha != 1;
    const char *out = transposed ? "j" : "i", *in = transposed ? "i" : "j";

    snprintf(text, CAIRN_NOTATION, "%s(%s%s) += %sA(i,j)*%s(%s%s)", vector ? "y" : "Y",
             out, vector ? "" : ",k", scaled ? "alpha*" : "", vector ? "x" : "X", in,
             vector ? "" : ",k");
}

cairn_status
cairn_product_valid(cairn_env *env, const cairn_product_options *options, int order)
{
    const char *name = options->columns == 1 ? "spmv" : "spmm";
    char        text[CAIRN_NOTATION];

    CAIRN_CHECK(options->columns >= 1, env, CAIRN_BAD_ARGUMENT,
                "product: columns: %" PRId64 " is less than 1", options->columns);
    cairn_product_notation(options, text);
    CAIRN_CHECK(order == 2, env, CAIRN_BAD_SHAPE,
                "%s: %s needs a matrix, and the order is %d", name, text, order);
    return CAIRN_OK;
}
