// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rates of rows, from the rates of leaves.

#include "auto/row_rates.h"

#include "auto/rates.h"

/// Does a loop of this kind go over rows that are there though they have no entries?
static bool meets_all_rows(cairn_leaf_kind kind)
{
    switch (kind) {
    case CAIRN_LEAF_RUN_LISTED:
    case CAIRN_LEAF_RUN_FOUND:
    case CAIRN_LEAF_SCATTER:
    case CAIRN_LEAF_SCATTER_BLOCK:
    case CAIRN_LEAF_SCATTER_LOOP: return false;
    default: return true;
    }
}

static cairn_row_rates rates_of_leaf(const cairn_leaf *leaf)
{
    enum { ALL = 64, POINTER = 4, INDEX = 4, VALUE = 8 }; /* lanes; bytes */

    const cairn_rates *r       = cairn_rates_of(leaf, false);
    const double       rows    = leaf->rows > 0 ? leaf->rows : ALL;
    const double       entries = rows * (leaf->cols > 0 ? leaf->cols : ALL);

    /* Each row has as many slots or blocks, and what they take is what it takes. */
    if (leaf->kind == CAIRN_LEAF_TABLE || leaf->kind == CAIRN_LEAF_BLOCK_TABLE)
        return (cairn_row_rates){.row = r->value};
    return (cairn_row_rates){
        .row   = meets_all_rows(leaf->kind) ? (r->row + POINTER * r->byte) / rows : 0,
        .entry = r->value + r->unit / entries + r->byte * (VALUE + INDEX / entries)};
}

/// The layout's leaf; that of lists of rows where it is not known without what it stores.
static cairn_status
find_leaf(cairn_env *env, const cairn_encoding *encoding, cairn_leaf *leaf)
{
    static const cairn_product_options op       = CAIRN_PRODUCT_OPTIONS;
    static const int64_t               extent[] = {1 << 20, 1 << 20};
    cairn_layout                      *layout   = NULL;

    *leaf = (cairn_leaf){.kind = CAIRN_LEAF_RUN, .rows = 1, .cols = 1};
    if (encoding->map.order != 2) return CAIRN_OK;
    const cairn_status status =
        cairn_layout_create(env, encoding, extent, NULL, NULL, 64, &layout);

    if (status == CAIRN_NO_MEMORY) return status;
    if (status == CAIRN_OK) *leaf = cairn_leaf_of(layout, &op);
    cairn_layout_destroy(env, &layout);
    return CAIRN_OK;
}

cairn_status
cairn_row_rates_of(cairn_env *env, const cairn_format *format, cairn_row_rates *rates)
{
    cairn_row_rates mean = {.row = 0};

    for (int m = 0; m < format->members; m++) {
        cairn_leaf leaf;

        CAIRN_TRY(find_leaf(env, format->member[m], &leaf));
        const cairn_row_rates its = rates_of_leaf(&leaf);

        mean.row += its.row / format->members;
        mean.entry += its.entry / format->members;
    }
    *rates = mean;
    return CAIRN_OK;
}
