// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The choice of a member's kernel.

#include "lower/product/product_choice.h"

#include "lower/product/product_plan.h"

cairn_product cairn_product_choose(const cairn_layout          *layout,
                                   const cairn_product_options *op,
                                   bool                         first,
                                   bool                         wide,
                                   int                          vector_bytes)
{
    cairn_product product = {
        .transposed   = op->transposed != 0,
        .adds         = true,
        .scaled       = op->alpha != 1,
        .columns      = op->columns == 1 ? 1 : 0,
        .operand      = layout->values.carrier_bits == 32 ? CAIRN_IR_F32 : CAIRN_IR_F64,
        .accumulate   = CAIRN_IR_F64,
        .vector_bytes = vector_bytes,
    };
    const cairn_product_rows rows = cairn_product_rows_of(layout, &product);

    product.wide =
        layout->values.carrier_bits == 32
        && (wide || !first || op->beta != 0 || product.transposed || !rows.single);
    product.adds = !first || op->beta != 0 || product.transposed
                   || layout->partition >= 0 || !rows.once || !rows.all;
    product.has_sums = !first && !product.scaled; /* alpha*0 may be NaN */
    return product;
}

bool cairn_product_round(const cairn_layout *layout, cairn_product *product)
{
    const cairn_product_rows rows = cairn_product_rows_of(layout, product);

    if (!product->wide || !product->adds || product->transposed
        || layout->partition >= 0 || !rows.single || !rows.all)
        return false;
    product->rounds   = true;
    product->has_sums = false; /* rows without entries are rounded, too */
    return true;
}

bool cairn_product_sum_y(const cairn_layout *layout, cairn_product *product)
{
    cairn_product      asked = *product;
    cairn_product_plan plan;

    asked.sums_y = true;
    if (asked.operand == CAIRN_IR_F32 && (asked.adds || asked.wide)) return false;
    if (asked.columns != 1 || asked.transposed || layout->partition >= 0
        || asked.vector_bytes <= CAIRN_ITEMS)
        return false;
    cairn_product_plan_make(layout, &asked, &plan);
    const cairn_share *share = &plan.share;
    const bool         divides =
        share->kind == CAIRN_SHARE_ROWS
        || ((share->kind == CAIRN_SHARE_EVEN || share->kind == CAIRN_SHARE_PTR)
            && share->level == plan.order.level[0]);

    /* Uneven rows: a sum more takes a fifth of the product (gcc 12, Zen 5), and a pass over
       what they wrote a fourteenth. */
    if (!plan.order.once || !divides || plan.hints.uneven) return false;
    *product = asked;
    return true;
}
