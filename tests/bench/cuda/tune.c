// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What hints of grids are worth on this card: a product's kernels with each batch, with
/// integers of 32 and of 64 bits, and, of several columns, with each number of columns an
/// item. The numbers that devices/grid_hints.c chooses by are guesses until a table of these
/// has been looked at. Bits are held to the processor's for every hint.

#include "devices/grid_hints.h"
#include "lower/grid.h"
#include "spmv.h"

/// What is asked for instead of what would be chosen; the program is linked so that devices
/// come by here.
static struct {
    bool                on;
    cairn_product_hints hints;
} asked;

cairn_product_hints __real_cairn_grid_hints_of(const cairn_device_work *work,
                                               const cairn_product     *product,
                                               int64_t                  units);
cairn_product_hints __wrap_cairn_grid_hints_of(const cairn_device_work *work,
                                               const cairn_product     *product,
                                               int64_t                  units);

cairn_product_hints __wrap_cairn_grid_hints_of(const cairn_device_work *work,
                                               const cairn_product     *product,
                                               int64_t                  units)
{
    cairn_product_hints hints = __real_cairn_grid_hints_of(work, product, units);

    if (!asked.on) return hints;
    hints.batch  = asked.hints.batch;
    hints.narrow = asked.hints.narrow && hints.narrow;
    if (asked.hints.width > 0) {
        hints.width = asked.hints.width;
        hints.group = asked.hints.group;
    }
    return hints;
}

/// Matrices of spmv's, with the formats whose shapes differ.
static const struct {
    const char *matrix, *format;
} cases[] = {
    {"s7_200",    "csr"      },
    {"s7_200",    "dia"      },
    {"s7_200",    "sell<32>" },
    {"rand16_2m", "csr"      },
    {"fem3_800k", "bcsr<3,3>"},
    {"rmat21",    "csr"      },
};

enum { CASES = sizeof cases / sizeof *cases, MOST = CARD_CONTENDERS };

static int add_hints(card               *c,
                     cairn_source       *source,
                     const card_rows    *a,
                     const char         *format,
                     cairn_dtype         dtype,
                     cairn_product_hints hints,
                     card_contender     *list)
{
    asked.on    = true;
    asked.hints = hints;
    *list       = (card_contender){.whole = 0};
    snprintf(list->way, sizeof list->way, "%s", format);
    const bool made = card_add_format(c, source, a, dtype, 1, list);

    asked.on = false;
    snprintf(list->note, sizeof list->note, "batch %d, %d bits", hints.batch,
             hints.narrow ? 32 : 64);
    return made;
}

/// One matrix in one format, with all hints beside each other.
static bool try_case(card            *c,
                     cairn_source    *source,
                     const card_rows *a,
                     const char      *matrix,
                     const char      *format,
                     cairn_dtype      dtype)
{
    static const int      batches[] = {0, 2, 4, 8};
    static card_contender list[MOST];
    bool                  right = true;
    int                   count = 0;

    for (int k = 0; k < 8; k++)
        count += add_hints(
            c, source, a, format, dtype,
            (cairn_product_hints){.batch = batches[k / 2], .narrow = k % 2 == 0},
            &list[count]);
    card_rounds(c, list, count);
    for (int k = 0; k < count; k++) {
        const card_contender *n = &list[k];

        printf("tune,%s,%s,1,%s,\"%s\",%.4g,%.4g,%.4g,%s\n", matrix,
               dtype == CAIRN_F64 ? "f64" : "f32", n->way, n->note, n->median * 1e6,
               n->least * 1e6, n->bytes / n->median * 1e-9, n->right ? "yes" : "NO");
        right = right && n->right;
        n->leave(n->state);
    }
    fflush(stdout);
    return right;
}

static bool try_matrix(card *c, const card_recipe *r)
{
    cairn_source *source = NULL;
    card_rows     a      = {0};
    bool          right  = true;

    if (card_source(c, r, &source)) {
        printf("# %s: %s\n", r->name, cairn_context_message(c->context));
        return false;
    }
    card_rows_take(source, &a);
    for (int k = 0; k < 2 * CASES && !card_is_over(c); k++)
        if (strcmp(cases[k / 2].matrix, r->name) == 0)
            right = try_case(c, source, &a, r->name, cases[k / 2].format,
                             k % 2 ? CAIRN_F32 : CAIRN_F64)
                    && right;
    card_rows_leave(&a);
    cairn_source_destroy(&source);
    return right;
}

/// Is a matrix one of the cases'?
static bool is_tuned(const char *name)
{
    for (int k = 0; k < CASES; k++)
        if (strcmp(cases[k].matrix, name) == 0) return true;
    return false;
}

bool card_tune(card *c)
{
    bool right = true;

    printf("section,matrix,dtype,columns,format,hints,median_us,least_us,GB/s,"
           "verified\n");
    for (int k = 0; k < card_recipes_count; k++) {
        const card_recipe *r = &card_recipes[k];

        if (!is_tuned(r->name) || !card_wants(c->settings, r->name)) continue;
        if (card_is_over(c))
            printf("# no time for %s\n", r->name);
        else
            right = try_matrix(c, r) && right;
    }
    return right;
}
