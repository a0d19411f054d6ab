// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Orders of dimensions as lists and as formats.

#include "convert/intermediates/intermediates_order.h"

#include "base/text.h"
#include "format/language.h"

#include <inttypes.h>
#include <string.h>

cairn_dims cairn_dims_natural(int order)
{
    cairn_dims d;

    for (int k = 0; k < order; k++)
        d.dim[k] = k;
    return d;
}

cairn_dims cairn_dims_of(const cairn_layout *layout, int levels)
{
    uint32_t   seen = 0;
    cairn_dims d;
    int        n = 0;

    for (int l = 0; l <= levels; l++) {
        const uint32_t its =
            l < levels ? cairn_form_dims(layout->algebra, &layout->level[l].form)
                       : UINT32_MAX;

        for (int k = 0; k < layout->order; k++)
            if (its & ~seen & 1U << k) d.dim[n++] = k;
        seen |= its;
    }
    return d;
}

void cairn_dims_move_to_front(cairn_dims *d, int dim)
{
    int k = 0;

    while (d->dim[k] != dim)
        k++;
    memmove(d->dim + 1, d->dim, (size_t)k * sizeof *d->dim);
    d->dim[0] = dim;
}

int cairn_dims_moves(const cairn_dims *d, const cairn_dims *wanted, int order)
{
    int k = order;

    for (int at = order - 1; at >= 0 && k > 0; at--)
        if (d->dim[at] == wanted->dim[k - 1]) k--;
    return k;
}

/// The divisor by which some head divides a dimension; 0: none does.
static int64_t divisor_of(const cairn_layout *heads, int count, int dim)
{
    for (int l = 0; l < count; l++) {
        const cairn_atom *atom =
            cairn_form_single(heads->algebra, &heads->level[l].form, CAIRN_ATOM_DIV);

        if (atom && cairn_form_atom(&atom->form) == dim) return atom->divisor;
    }
    return 0;
}

static cairn_status add_heads(cairn_text *text, const cairn_layout *heads, int count)
{
    for (int l = 0; l < count; l++) {
        char *expr;

        CAIRN_TRY(
            cairn_expr_print(text->env, heads->encoding->map.expr[l], NULL, &expr));
        cairn_text_add(text, "%s,", expr);
        cairn_free(text->env, expr);
    }
    return CAIRN_OK;
}

static void add_dims(cairn_text         *text,
                     const cairn_dims   *d,
                     int                 order,
                     const cairn_layout *heads,
                     int                 count)
{
    for (int k = 0; k < order; k++) {
        const int64_t divisor = divisor_of(heads, count, d->dim[k]);

        cairn_text_add(text, "%sd%d", k ? "," : "", d->dim[k]);
        if (divisor) cairn_text_add(text, "%%%" PRId64, divisor);
    }
}

cairn_status cairn_dims_format(cairn_env          *env,
                               const cairn_dims   *d,
                               int                 order,
                               const cairn_layout *heads,
                               int                 count,
                               cairn_format      **format)
{
    const int    complete = count ? count : 1;
    cairn_dims   natural  = cairn_dims_natural(order);
    cairn_text   text;
    char        *string;
    cairn_status status;

    cairn_text_init(&text, env);
    cairn_text_add(&text, "#encoding<{ idx_map<(");
    add_dims(&text, &natural, order, NULL, 0);
    cairn_text_add(&text, ")->(");
    status = add_heads(&text, heads, count);
    add_dims(&text, d, order, heads, count);
    cairn_text_add(&text, ")>, mutation<merge(%d), trim(%d,%d)> }>", complete - 1,
                   complete, count + order - 1);
    if (status != CAIRN_OK) return cairn_text_fini(&text), status;
    CAIRN_TRY(cairn_text_take(&text, &string));
    status = cairn_format_parse(env, NULL, string, "convert", format);
    cairn_free(env, string);
    return status;
}
