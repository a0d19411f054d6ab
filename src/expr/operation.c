// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a product is called, and which make sense.

#include "expr/operation.h"

#include "base/sized.h"

#include <inttypes.h>
#include <stdio.h>

/// @param[in] op  As this version knows it.
static void write_notation(const cairn_product_options *op, char *text)
{
    const bool  vector = op->columns == 1;
    const char *out = op->transposed ? "j" : "i", *in = op->transposed ? "i" : "j";

    snprintf(text, CAIRN_NOTATION, "%s(%s%s) += %sA(i,j)*%s(%s%s)", vector ? "y" : "Y",
             out, vector ? "" : ",k", op->alpha != 1 ? "alpha*" : "",
             vector ? "x" : "X", in, vector ? "" : ",k");
}

void cairn_product_notation(const cairn_product_options *options, char *text)
{
    cairn_product_options op = CAIRN_PRODUCT_OPTIONS;

    if (!text) return;
    text[0] = '\0';
    if (options && !cairn_sized_fits(options, sizeof op)) return;
    cairn_sized_read(&op, sizeof op, options);
    write_notation(&op, text);
}

cairn_status
cairn_product_valid(cairn_env *env, const cairn_product_options *options, int order)
{
    const char *name = options->columns == 1 ? "spmv" : "spmm";
    char        text[CAIRN_NOTATION];

    CAIRN_CHECK(options->columns >= 1, env, CAIRN_BAD_ARGUMENT,
                "product: columns: %" PRId64 " is less than 1", options->columns);
    write_notation(options, text);
    CAIRN_CHECK(order == 2, env, CAIRN_BAD_SHAPE,
                "%s: %s needs a matrix, and the order is %d", name, text, order);
    return CAIRN_OK;
}
