// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Counting work, and naming its families.

#include "cost/work.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Sizes of inner loops from here on are one class. */
enum { MOST_SIZE = 1024 };

/// Append to a family; what does not fit is cut.
__attribute__((format(printf, 2, 3))) static void
say(char family[CAIRN_FAMILY], const char *fmt, ...)
{
    const size_t length = strlen(family);
    va_list      arguments;

    va_start(arguments, fmt);
    vsnprintf(family + length, CAIRN_FAMILY - length, fmt, arguments);
    va_end(arguments);
}

/// What a form looks at: bit d for dimension d, and whether it divides or asks queries.
typedef struct {
    uint32_t dims;
    bool     divides, takes_rest, asks;
} looks;

static void look(const cairn_algebra *algebra, const cairn_form *form, looks *seen)
{
    for (int t = 0; t < form->terms; t++) {
        const cairn_atom *atom = &algebra->atom[form->term[t].atom];

        switch (atom->kind) {
        case CAIRN_ATOM_DIM: seen->dims |= UINT32_C(1) << atom->number; continue;
        case CAIRN_ATOM_QUERY: seen->asks = true; continue;
        case CAIRN_ATOM_DIV: seen->divides = true; break;
        case CAIRN_ATOM_MOD: seen->takes_rest = true; break;
        }
        look(algebra, &atom->form, seen);
    }
}

/// "0/" for d0/c, "01" for d1-d0, "q" for what a query numbers.
static void say_form(char *family, const cairn_layout *layout, const cairn_form *form)
{
    looks seen = {0};

    look(layout->algebra, form, &seen);
    say(family, " ");
    for (int d = 0; d < layout->order; d++)
        if (seen.dims >> d & 1) say(family, "%d", d);
    say(family, "%s%s%s", seen.asks ? "q" : "", seen.divides ? "/" : "",
        seen.takes_rest ? "%" : "");
}

/// The next power of two, for things whose number changes the code's speed slowly.
static int64_t size_class(int64_t size)
{
    int64_t power = 1;

    while (power < size && power < MOST_SIZE)
        power *= 2;
    return power;
}

static void say_level(char *family, const cairn_layout *layout, int l)
{
    static const char *const kinds[] = {"dense", "compressed", "singleton", "ragged"};
    const cairn_level       *level   = &layout->level[l];

    say_form(family, layout, &level->form);
    say(family, ".%s", kinds[level->kind]);
    if (level->arrays.has_ptr) say(family, ".p%d", level->arrays.ptr_bits);
    if (level->arrays.has_idx) say(family, ".i%d", level->arrays.idx_bits);
    if (level->arrays.tuple >= 0) say(family, ".packed");
    /* A complete level below stored ones is an inner loop of this length. */
    if (layout->last >= 0 && l > layout->last && !level->arrays.has_idx && level->sized)
        say(family, ":%d", (int)size_class(level->size));
}

void cairn_work_say_values(cairn_value_kind kind,
                           int              bits,
                           int              carrier_bits,
                           char             kinds[CAIRN_FAMILY])
{
    static const char *const names[] = {[CAIRN_VALUE_FLOAT]   = "f",
                                        [CAIRN_VALUE_ONE]     = "one",
                                        [CAIRN_VALUE_INTEGER] = "i",
                                        [CAIRN_VALUE_CODE]    = "dict",
                                        [CAIRN_VALUE_BFLOAT]  = "bf"};

    if (kind == CAIRN_VALUE_ONE)
        say(kinds, " values.one");
    else if (kind != CAIRN_VALUE_FLOAT || bits != carrier_bits)
        say(kinds, " values.%s%d", names[kind], bits);
}

static void say_layout(char *family, const cairn_layout *layout)
{
    for (int l = 0; l < layout->levels; l++)
        say_level(family, layout, l);
    if (layout->partition >= 0) say(family, " banks");
    if (layout->pads) say(family, " pads");
    cairn_work_say_values(layout->values.kind, layout->values.bits,
                          layout->values.carrier_bits, family);
}

/// Classes that have code of their own, or behave alike in caches.
static const char *columns_class(int64_t columns)
{
    return columns == 1 ? "1" : columns <= 8 ? "8" : columns <= 64 ? "64" : "many";
}

void cairn_work_kinds(const cairn_layout *layout, char kinds[CAIRN_FAMILY])
{
    kinds[0] = '\0';
    say_layout(kinds, layout);
}

void cairn_work_family_of_kinds(const char                  *kinds,
                                const cairn_product_options *op,
                                int                          value_bits,
                                char                         family[CAIRN_FAMILY])
{
    family[0] = '\0';
    say(family, "product%s f%d k%s%s", op->transposed ? ".t" : "", value_bits,
        columns_class(op->columns), kinds);
}

void cairn_work_family(const cairn_layout          *layout,
                       const cairn_product_options *op,
                       int                          value_bits,
                       char                         family[CAIRN_FAMILY])
{
    char kinds[CAIRN_FAMILY] = "";

    if (layout) cairn_work_kinds(layout, kinds);
    cairn_work_family_of_kinds(kinds, op, value_bits, family);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/// The number at @p *text, which moves behind it; 0: there is none.
static int take_number(const char **text)
{
    int number = 0;

    for (; is_digit(**text) && number < MOST_SIZE; (*text)++)
        number = 10 * number + (**text - '0');
    return number;
}

bool cairn_work_is_kin(const char *any, const char *family)
{
    const char *a = any, *b = family;
    char        before = '\0';

    while (*a && *a == *b) {
        const bool width = before == '.' && (*a == 'i' || *a == 'p'), size = *a == ':';

        before = *a++;
        b++;
        if (!width && !size) continue;
        const int one = take_number(&a), other = take_number(&b);

        if (size && one != other && one != MOST_SIZE) return false;
    }
    /* What did not fit was cut, with wider indices earlier. */
    return *a == *b || a - any == CAIRN_FAMILY - 1 || b - family == CAIRN_FAMILY - 1;
}

static double stored_values(const cairn_device_work *product)
{
    double values = 0;

    for (int64_t k = 0; k < cairn_work_group(product)->count; k++)
        values += (double)cairn_work_part(product, k)->view.values;
    return values;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

void cairn_work_of_product(const cairn_device_work *product,
                           bool                     sets,
                           cairn_work              *work)
{
    const double columns = (double)product->op->columns;
    const double size    = columns * (product->tensor->value_bits / 8);
    const double in      = (double)cairn_work_rows_in(product);

    *work          = (cairn_work){.entries = (double)cairn_work_entries(product),
                                  .arrays  = (double)cairn_work_group(product)->bytes,
                                  .rows    = (double)cairn_work_rows_out(product)};
    const bool has = product->tensor->groups > product->member;

    cairn_work_family(has ? cairn_work_group(product)->layout : NULL, product->op,
                      product->tensor->value_bits, work->family);
    work->x      = size * smaller(in, work->entries);
    work->y      = size * work->rows * (sets ? 1 : 2);
    work->flops  = 2 * columns * work->entries;
    work->padded = 2 * columns * stored_values(product);
    work->bytes  = work->arrays + work->x + work->y;
}
