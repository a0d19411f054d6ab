// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products for the list: lowered for each width of vectors, element type and extents.

#include "format/language.h"
#include "kernels/gen.h"
#include "lower/product/product_choice.h"

#include <stdio.h>
#include <string.h>

enum {
    WORD  = 128,
    SMALL = 50000,    /* entries of a matrix that L2 holds, be it of f64, */
    LARGE = 20000000, /* and of one that they do not: of a core with */
    L2    = 1 << 20,
    L3    = 32 << 20,
};

/// What a plan would ask for.
typedef struct {
    cairn_product_options op;
    bool                  first;  ///< The first member's, which may set Y;
    bool                  wide;   ///< with others after it.
    bool                  rounds; ///< The last one's, if it may.
    bool                  idx8;   ///< Of few columns, or rows and columns.
    bool                  narrow; ///< Of an f64 tensor, with values that are stored as
    cairn_value_kind      kind;   ///< this,
    int                   bits;   ///< so wide.
} operation;

/// Values of an f64 matrix that are stored narrower than it: "i8" and so on.
static bool find_values(const char *word, operation *o)
{
    static const struct {
        const char      *name;
        cairn_value_kind kind;
        int              bits;
    } stored[] = {
        {"i8",  CAIRN_VALUE_INTEGER, 8 },
        {"i16", CAIRN_VALUE_INTEGER, 16},
        {"f32", CAIRN_VALUE_FLOAT,   32},
        {"iso", CAIRN_VALUE_ONE,     64},
    };

    for (size_t k = 0; k < sizeof stored / sizeof *stored; k++) {
        if (strcmp(word, stored[k].name) != 0) continue;
        o->narrow = true;
        o->kind   = stored[k].kind;
        o->bits   = stored[k].bits;
        return true;
    }
    return false;
}

/// "spmm+add", "spmv+wide", "spmv+add+rounds", "spmv+i8"; false when it is none.
static bool parse_operation(const char *text, operation *o)
{
    char  copy[WORD];
    char *rest = NULL;

    snprintf(copy, sizeof copy, "%s", text);
    const char *word = strtok_r(copy, "+", &rest);

    if (!word || (strcmp(word, "spmv") != 0 && strcmp(word, "spmm") != 0)) return false;
    *o = (operation){.op = CAIRN_PRODUCT_OPTIONS, .first = true};
    if (strcmp(word, "spmm") == 0) o->op.columns = 32;
    while ((word = strtok_r(NULL, "+", &rest))) {
        if (strcmp(word, "add") == 0)
            o->first = false;
        else if (strcmp(word, "wide") == 0)
            o->wide = true;
        else if (strcmp(word, "rounds") == 0)
            o->rounds = true;
        else if (strcmp(word, "transposed") == 0)
            o->op.transposed = true;
        else if (strcmp(word, "idx8") == 0)
            o->idx8 = true;
        else if (!find_values(word, o))
            return false;
    }
    return true;
}

/// Lower one product unless there is one of its key.
static cairn_status
add_kernel(generator *g, const cairn_layout *layout, const cairn_product *product)
{
    const int            width = __builtin_ctz((unsigned)product->vector_bytes) - 4;
    cairn_product_kernel lowered;
    char                *key;
    char                 symbol[CAIRN_KERNEL_SYMBOL];

    CAIRN_TRY(cairn_product_key(&g->env, layout, product, &key));
    if (gen_has(g, key)) {
        cairn_free(&g->env, key);
        return CAIRN_OK;
    }
    cairn_kernel_symbol(key, symbol);

    const cairn_status status =
        cairn_product_lower(&g->env, layout, product, symbol, &lowered);

    if (status == CAIRN_OK) return gen_add(g, key, lowered.function, width);
    cairn_free(&g->env, key);
    return status;
}

/// One product on one layout, for every width of vectors, and with the hints for a small
/// and for a large matrix.
static cairn_status
add_widths(generator *g, const cairn_layout *layout, const operation *o)
{
    static const struct {
        int64_t            entries;
        cairn_product_seen seen;
    } parts[] = {
        {SMALL,      {.uneven = false}},
        {LARGE,      {.uneven = false}},
        {LARGE,      {.follows = true}},
        {SMALL,      {.uneven = true} },
        {LARGE,      {.uneven = true} },
        {SMALL,      {.runs = true}   },
        {LARGE,      {.runs = true}   },
        {SMALL,      {.alike = true}  },
        {LARGE,      {.alike = true}  },
        {SMALL,      {.abreast = true}},
        {LARGE,      {.abreast = true}},
        {LARGE / 10, {.abreast = true}}, /* of f64, in short rows or in L3 */
        {SMALL,      {.beside = true} },
        {LARGE,      {.beside = true} },
    };

    for (int bytes = 16; bytes <= g->widest; bytes *= 2)
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
            cairn_product product =
                cairn_product_choose(layout, &o->op, o->first, o->wide, bytes);

            if (o->rounds) cairn_product_round(layout, &product);
            product.hints =
                cairn_product_hints_of(layout, &product, parts[k].entries,
                                       o->op.columns, parts[k].seen, L2, L3);
            CAIRN_TRY(add_kernel(g, layout, &product));
        }
    return CAIRN_OK;
}

static cairn_status
add_narrow(generator *g, const cairn_layout *layout, const operation *o)
{
    cairn_layout *narrow;

    CAIRN_TRY(cairn_layout_store(&g->env, layout, o->kind, o->bits, &narrow));
    const cairn_status status = add_widths(g, narrow, o);

    cairn_layout_destroy(&g->env, &narrow);
    return status;
}

/// One operation on one encoding, for both element types, unless values are narrow, and all
/// extents.
static cairn_status
add_encoding(generator *g, const cairn_encoding *encoding, const operation *o)
{
    const int first = o->idx8 ? GEN_EXTENTS : 0;
    const int end   = o->idx8 ? GEN_CONVERTED : GEN_EXTENTS;

    for (int e = first; e < end; e++)
        for (int bits = o->narrow ? 64 : 32; bits <= 64; bits += 32) {
            cairn_layout *layout;

            CAIRN_TRY(cairn_layout_create(&g->env, encoding, gen_extent[e], NULL, NULL,
                                          bits, &layout));
            const cairn_status status =
                (o->narrow ? add_narrow : add_widths)(g, layout, o);

            cairn_layout_destroy(&g->env, &layout);
            CAIRN_TRY(status);
        }
    return CAIRN_OK;
}

cairn_status gen_product(generator *g, const char *words, const char *text)
{
    cairn_format *format;
    operation     o;

    CAIRN_CHECK(parse_operation(words, &o), &g->env, CAIRN_BAD_ARGUMENT,
                "prebuilt.txt: line %d: '%s' is no operation", g->line, words);
    CAIRN_TRY(gen_format(g, text, &format));
    cairn_status status = CAIRN_OK;

    for (int m = 0; m < format->members && status == CAIRN_OK; m++)
        status = add_encoding(g, format->member[m], &o);
    cairn_format_destroy(&format);
    return status;
}
