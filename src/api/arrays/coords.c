// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Texts of lists of coordinates, and whether arrays are what they say.

#include "api/arrays/coords.h"

#include "base/text.h"

#include <inttypes.h>

static cairn_status check_stride(cairn_env  *env,
                                 const char *call,
                                 const char *name,
                                 int         bits,
                                 int64_t    *stride)
{
    if (*stride == 0) *stride = bits / 8;
    CAIRN_CHECK(*stride >= bits / 8, env, CAIRN_BAD_ARGUMENT,
                "%s: %s: %" PRId64
                " is not 0, and less than the %d bytes of an element",
                call, name, *stride, bits / 8);
    return CAIRN_OK;
}

cairn_status cairn_coords_check(cairn_env        *env,
                                const char       *call,
                                int64_t           entries,
                                cairn_coords_lie *lie)
{
    CAIRN_CHECK(lie->bits == 32 || lie->bits == 64, env, CAIRN_BAD_ARGUMENT,
                "%s: idx_bits: %d is neither 32 nor 64", call, lie->bits);
    CAIRN_CHECK(lie->base == 0 || lie->base == 1, env, CAIRN_BAD_ARGUMENT,
                "%s: base: %d is neither 0 nor 1", call, lie->base);
    CAIRN_TRY(check_stride(env, call, "idx_stride", lie->bits, &lie->idx_stride));
    CAIRN_TRY(check_stride(env, call, "val_stride", lie->val_bits, &lie->val_stride));
    CAIRN_CHECK(entries <= PTRDIFF_MAX / lie->idx_stride
                    && entries <= PTRDIFF_MAX / lie->val_stride,
                env, CAIRN_BAD_ARGUMENT,
                "%s: entries: %" PRId64 ": no memory holds as many", call, entries);
    for (int k = 0; k < lie->order && entries > 0; k++)
        CAIRN_CHECK(lie->idx[k], env, CAIRN_BAD_ARGUMENT, "%s: idx[%d]: is NULL", call,
                    k);
    return CAIRN_OK;
}

/* ---- which list it is ---- */

static bool is_aligned(const void *at, int64_t stride, int bits)
{
    return (uintptr_t)at % (uintptr_t)(bits / 8) == 0 && stride % (bits / 8) == 0;
}

static bool are_aligned(const cairn_coords_lie *lie)
{
    for (int k = 0; k < lie->order; k++)
        if (!is_aligned(lie->idx[k], lie->idx_stride, lie->bits)) return false;
    return !lie->val || is_aligned(lie->val, lie->val_stride, lie->val_bits);
}

/// Do the indices of an entry stand side by side, in the order of the modes?
static bool are_fields(const cairn_coords_lie *lie)
{
    const char *const first = lie->idx[0];

    for (int k = 1; k < lie->order; k++)
        if ((const char *)lie->idx[k] != first + k * (lie->bits / 8)) return false;
    return true;
}

cairn_coords_way cairn_coords_find(const cairn_coords_lie *lie)
{
    const int64_t idx = lie->bits / 8, val = lie->val_bits / 8, all = lie->order * idx;
    const int64_t before = (all + val - 1) / val * val;
    const int64_t widest = idx > val ? idx : val;
    const bool    apart  = !lie->val || lie->val_stride == val;

    if (!are_aligned(lie)) return CAIRN_COORDS_OTHERWISE;
    if (apart && lie->idx_stride == idx) return CAIRN_COORDS_APART;
    if (!are_fields(lie)) return CAIRN_COORDS_OTHERWISE;
    if (apart && lie->idx_stride == all) return CAIRN_COORDS_TOGETHER;
    if (lie->val && (const char *)lie->val == (const char *)lie->idx[0] + before
        && lie->idx_stride == (before + val + widest - 1) / widest * widest
        && lie->val_stride == lie->idx_stride)
        return CAIRN_COORDS_WITH_VALUE;
    return CAIRN_COORDS_OTHERWISE;
}

static void print_map(cairn_text *text, int order, int base)
{
    cairn_text_add(text, "idx_map<(");
    for (int k = 0; k < order; k++)
        cairn_text_add(text, "%sd%d", k ? "," : "", k);
    cairn_text_add(text, ")->(");
    for (int k = 0; k < order; k++) {
        cairn_text_add(text, "%sd%d", k ? "," : "", k);
        if (base) cairn_text_add(text, " + %d", base);
    }
    cairn_text_add(text, ")>");
}

cairn_status cairn_coords_format(cairn_context   *context,
                                 cairn_coords_way way,
                                 int              order,
                                 int              bits,
                                 int              base,
                                 cairn_format   **format)
{
    cairn_text     text;
    char          *whole;
    const uint64_t key = 2 | (uint64_t)way << 8 | (uint64_t)order << 16
                         | (uint64_t)bits << 24 | (uint64_t)base << 32;

    *format = cairn_lent_find(context, key);
    if (*format) return CAIRN_OK;
    cairn_text_init(&text, &context->env);
    cairn_text_add(&text, "#encoding<{ ");
    print_map(&text, order, base);
    cairn_text_add(&text, ", mutation<trim(0,%d)>", order - 1);
    if (way != CAIRN_COORDS_APART)
        cairn_text_add(&text, ", layout<pack(0,%d%s)>", order - 1,
                       way == CAIRN_COORDS_TOGETHER ? ",novalue" : "");
    if (bits) cairn_text_add(&text, ", bits<idx = %d>", bits);
    cairn_text_add(&text, " }>");
    CAIRN_TRY(cairn_text_take(&text, &whole));
    const cairn_status status = cairn_format_create(context, whole, format);

    if (status == CAIRN_OK) cairn_lent_keep(context, key, *format);
    cairn_free(&context->env, whole);
    return status;
}
