// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Keys of products: what the lowering looks at, written out; and the hints that numbers
/// of a part give.

#include "base/text.h"
#include "lower/product_plan.h"

#include <inttypes.h>

static void add_linear(cairn_text *key, const cairn_linear *linear)
{
    for (int t = 0; t < linear->terms; t++)
        cairn_text_add(key, "%+" PRId64 "*e%d", linear->num[t], linear->var[t]);
    cairn_text_add(key, "%+" PRId64, linear->constant);
    if (linear->den != 1) cairn_text_add(key, "/%" PRId64, linear->den);
}

/// In full: what notes of levels say is cut where it is long.
static void
add_form(cairn_text *key, const cairn_layout *layout, const cairn_form *form)
{
    for (int t = 0; t < form->terms; t++) {
        const cairn_atom *atom = &layout->algebra->atom[form->term[t].atom];

        cairn_text_add(key, "%+" PRId64 "*", form->term[t].factor);
        if (atom->kind == CAIRN_ATOM_DIM) {
            cairn_text_add(key, "d%d", atom->number);
        } else if (atom->kind == CAIRN_ATOM_QUERY) {
            cairn_text_add(key, "q%d.%d", atom->number,
                           (int)layout->encoding->query[atom->number].func);
        } else {
            cairn_text_add(key, "(");
            add_form(key, layout, &atom->form);
            cairn_text_add(key, ")%c%" PRId64, atom->kind == CAIRN_ATOM_DIV ? '/' : '%',
                           atom->divisor);
        }
    }
    cairn_text_add(key, "%+" PRId64, form->constant);
}

static void add_level(cairn_text *key, const cairn_layout *layout, int l)
{
    static const char *const kinds[] = {"dense", "compressed", "singleton", "ragged"};
    const cairn_level       *level   = &layout->level[l];

    cairn_text_add(key, " ");
    add_form(key, layout, &level->form);
    cairn_text_add(key, ".%s", kinds[level->kind]);
    if (level->has_ptr) cairn_text_add(key, ".p%d", level->ptr_bits);
    if (level->has_idx)
        cairn_text_add(key, ".%c%d", level->idx_signed ? 'i' : 'u', level->idx_bits);
    if (level->trimmed) cairn_text_add(key, ".n%d", level->depth);
    if (level->gaps) cairn_text_add(key, ".gaps");
    if (level->determined)
        cairn_text_add(key, ".by%" PRIx32 ".%d.%" PRIx32, level->by, level->per_node,
                       level->recipe.dims);
    if (level->tuple >= 0)
        cairn_text_add(key, ".in%d:%zu", level->tuple,
                       layout->tuple[level->tuple].size);
}

/// What was decided from more than the arrays: what queries number, say.
static void add_plan(cairn_text *key, const cairn_product_plan *plan)
{
    cairn_text_add(key, " order");
    for (int k = 0; k < plan->levels; k++)
        cairn_text_add(key, "%s%d", k == plan->known ? "/" : ".", plan->order[k]);
    cairn_text_add(key, " %s%s%s%s tile%d.%d sum%d share%d.%d", plan->once ? "o" : "",
                   plan->complete ? "c" : "", plan->guard_row ? "r" : "",
                   plan->guard_x ? "x" : "", (int)plan->tile, plan->tiled,
                   (int)plan->sum, (int)plan->share.kind, plan->share.level);
}

static void add_layout(cairn_text *key, const cairn_layout *layout)
{
    for (int l = 0; l < layout->levels; l++)
        add_level(key, layout, l);
    for (int k = 0; k < layout->order; k++) {
        cairn_text_add(key, " d%d=", k);
        add_linear(key, &layout->dim[k]);
    }
    cairn_text_add(key, " f%d", layout->value_bits);
    if (layout->value_tuple >= 0) {
        const cairn_tuple *tuple = &layout->tuple[layout->value_tuple];

        cairn_text_add(key, ".in%d:%zu:%" PRId64, layout->value_tuple, tuple->size,
                       tuple->block);
    }
    if (layout->partition >= 0) cairn_text_add(key, " bank%d", layout->partition);
    if (layout->check) cairn_text_add(key, " check%" PRIx32, layout->check);
    if (layout->pads) cairn_text_add(key, " pads");
}

cairn_status cairn_product_key(cairn_env           *env,
                               const cairn_layout  *layout,
                               const cairn_product *product,
                               char               **key)
{
    cairn_product_hints hints;
    cairn_product_plan  plan;
    cairn_text          text;

    cairn_product_plan_make(layout, product, &plan);
    hints = plan.hints;
    cairn_text_init(&text, env);
    cairn_text_add(&text, "product%s%s%s%s%s %s.%s v%d",
                   product->transposed ? ".t" : "", product->adds ? ".add" : "",
                   product->scaled ? ".alpha" : "", product->wide ? ".wide" : "",
                   product->columns == 1 ? "" : ".k",
                   cairn_ir_type_text(product->operand),
                   cairn_ir_type_text(product->accumulate), product->vector_bytes);
    cairn_text_add(&text, " h%d%d%d%d%d", hints.stream, hints.scattered, hints.fetch_x,
                   hints.bypass_y, hints.by_columns);
    add_layout(&text, layout);
    add_plan(&text, &plan);
    return cairn_text_take(&text, key);
}

cairn_product_hints cairn_product_hints_of(const cairn_layout  *layout,
                                           const cairn_product *product,
                                           int64_t              entries,
                                           int64_t              columns,
                                           int64_t              l2,
                                           int64_t              l3)
{
    const int    in = product->transposed ? 0 : 1, out = 1 - in;
    const double size  = cairn_ir_type_bytes(product->operand) * (double)columns;
    const double x     = (double)(layout->box[in].hi - layout->box[in].lo + 1) * size;
    const double rows  = (double)(layout->box[out].hi - layout->box[out].lo + 1);
    const double mean  = rows > 0 ? (double)entries / rows : 0;
    const double bytes = (double)entries * (layout->value_bits / 8 + 4);

    /* Measured on stencils, 3x3 blocks, R-MAT and uniform matrices: rows of X that are
     * fetched ahead cost a seventh where rows are short and banded, and gain up to a
     * factor of 2 elsewhere; Y past the caches gains where its rows are long. */
    return (cairn_product_hints){
        .stream     = bytes > (double)l2,
        .scattered  = x > (double)l2,
        .fetch_x    = x > (double)l2 && (mean >= 8 || columns >= 512),
        .bypass_y   = columns >= 512,
        .by_columns = columns > 64 && x / (double)columns * 64 <= 2 * (double)l3,
    };
}
