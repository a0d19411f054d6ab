// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Formats of a caller's lists: few, and asked for with every matrix that he brings.

#include "api/api.h"

#include <string.h>

enum { LENT = sizeof((cairn_lent_formats *)0)->list / sizeof(cairn_lent_format) };

static void drop(cairn_env *env, cairn_lent_format *lent)
{
    cairn_layout_destroy(env,
                         &lent->layout); /* before the format, whose encodings it has */
    cairn_format_destroy(&lent->format);
    *lent = (cairn_lent_format){0};
}

void cairn_context_forget_lent(cairn_context *context)
{
    for (int k = 0; k < LENT; k++)
        drop(&context->env, &context->lent.list[k]);
}

cairn_format *cairn_lent_find(cairn_context *context, uint64_t key)
{
    cairn_lent_format *list = context->lent.list;

    for (int k = 0; k < LENT; k++) {
        const cairn_lent_format found = list[k];

        if (found.key != key) continue;
        memmove(list + 1, list, (size_t)k * sizeof *list);
        list[0] = found;
        return cairn_format_hold(found.format);
    }
    return NULL;
}

void cairn_lent_keep(cairn_context *context, uint64_t key, const cairn_format *format)
{
    cairn_lent_format *list = context->lent.list;

    drop(&context->env, &list[LENT - 1]);
    memmove(list + 1, list, (LENT - 1) * sizeof *list);
    list[0] = (cairn_lent_format){.key = key, .format = cairn_format_hold(format)};
}

cairn_status cairn_lent_lines(cairn_context *context,
                              bool           by_columns,
                              int            ptr_bits,
                              int            idx_bits,
                              cairn_format **format)
{
    cairn_env     *env = &context->env;
    const uint64_t key = 1 | (uint64_t)by_columns << 8 | (uint64_t)ptr_bits << 16
                         | (uint64_t)idx_bits << 24;
    cairn_format *fresh = cairn_lent_find(context, key);

    if (fresh) {
        *format = fresh;
        return CAIRN_OK;
    }
    CAIRN_TRY((by_columns
                   ? cairn_format_compressed_columns
                   : cairn_format_compressed_rows)(env, ptr_bits, idx_bits, &fresh));
    const cairn_status status = cairn_format_keep_texts(env, fresh);

    if (status == CAIRN_OK) {
        cairn_lent_keep(context, key, fresh);
        *format = fresh;
    } else {
        cairn_format_destroy(&fresh);
    }
    return status;
}

static bool is_like(const cairn_layout   *layout,
                    int                   order,
                    const int64_t        *extent,
                    const cairn_interval *box,
                    int                   value_bits)
{
    bool like = layout->values.carrier_bits == value_bits;

    for (int k = 0; k < order; k++)
        like = like && layout->extent[k] == extent[k] && layout->box[k].lo == box[k].lo
               && layout->box[k].hi == box[k].hi;
    return like;
}

cairn_status cairn_lent_layout(cairn_context        *context,
                               const cairn_format   *format,
                               const int64_t        *extent,
                               const cairn_interval *box,
                               int                   value_bits,
                               cairn_layout        **layout)
{
    cairn_env         *env  = &context->env;
    cairn_lent_format *lent = NULL;

    for (int k = 0; k < LENT && !lent; k++)
        if (context->lent.list[k].format == format) lent = &context->lent.list[k];
    if (lent && lent->layout
        && is_like(lent->layout, format->order, extent, box, value_bits)) {
        *layout = cairn_layout_hold(lent->layout);
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_layout_create(env, format->member[0], extent, box, NULL, value_bits,
                                  layout));
    if (!lent) return CAIRN_OK;
    cairn_layout_destroy(env, &lent->layout);
    lent->layout = cairn_layout_hold(*layout);
    return CAIRN_OK;
}
