// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What hints of grids are worth on this card: a product's kernels with a few hints each,
/// beside each other. The numbers that devices/grid_hints.c chooses by are guesses until a
/// table of these has been looked at. Bits are held to the processor's for every hint.

#include "devices/grid_hints.h"
#include "lower/grid/grid.h"
#include "spmv.h"

/// What is asked for instead of what would be chosen; the program is linked so that devices
/// come by here.
static struct {
    bool             on;
    cairn_grid_hints hints;
    cairn_grid_hints chosen; ///< What was, the last time that nothing was asked for.
} asked;

cairn_grid_hints __real_cairn_grid_hints_of(const cairn_device_work *work,
                                            const cairn_product     *product,
                                            int64_t                  units);
cairn_grid_hints __wrap_cairn_grid_hints_of(const cairn_device_work *work,
                                            const cairn_product     *product,
                                            int64_t                  units);

cairn_grid_hints __wrap_cairn_grid_hints_of(const cairn_device_work *work,
                                            const cairn_product     *product,
                                            int64_t                  units)
{
    cairn_grid_hints hints = __real_cairn_grid_hints_of(work, product, units);

    if (!asked.on) return asked.chosen = hints;
    const bool narrow = hints.narrow && asked.hints.narrow;

    hints        = asked.hints;
    hints.narrow = narrow;
    return hints;
}

/// What is asked for, with integers of 32 bits: fields of cairn_grid_hints.
typedef struct {
    int  batch, staged, pieces, groups;
    bool starts, early;
} trial;

/// Rows of a few terms, in tiles: how many of them an item has in flight, whether where
/// lists begin comes with them, and how many groups wait beside each other. The first is
/// what there was before the others.
static const trial short_rows[] = {
    {4, 4, 1, 0,  false, false},
    {4, 8, 1, 0,  false, false},
    {4, 8, 4, 0,  true,  false},
    {4, 8, 4, 9,  true,  false},
    {4, 8, 4, 12, true,  false},
};

/// Rows that are pieces: how many side by side.
static const trial long_rows[] = {
    {8, 4, 1, 0, false, false},
    {8, 8, 1, 0, true,  false},
    {8, 8, 2, 0, true,  false},
    {8, 8, 4, 0, true,  false},
    {8, 8, 8, 0, true,  false},
    {8, 8, 4, 9, true,  false},
};

/// Lanes: terms in flight, and values that do not wait for offsets.
static const trial lanes[] = {
    {4, 0, 0, 0,  false, false},
    {8, 0, 0, 0,  false, true },
    {8, 0, 0, 0,  false, false},
    {4, 0, 0, 0,  false, true },
    {8, 0, 0, 10, false, true },
    {8, 0, 0, 16, false, true },
};

/// Matrices of spmv's in formats whose shapes differ, and how many of which are tried.
static const struct {
    const char  *matrix, *format;
    cairn_dtype  dtype;
    const trial *trials;
    int          count;
} cases[] = {
    {"s7_200",    "csr",      CAIRN_F32, short_rows, 5},
    {"s7_200",    "csr",      CAIRN_F64, short_rows, 5},
    {"s7_200",    "bdia<64>", CAIRN_F32, lanes,      6},
    {"s7_200",    "dia",      CAIRN_F32, lanes,      2},
    {"s27_120",   "csr",      CAIRN_F32, short_rows, 5},
    {"s27_120",   "csr",      CAIRN_F64, short_rows, 5},
    {"s27_120",   "bdia<64>", CAIRN_F32, lanes,      6},
    {"band15_3m", "csr",      CAIRN_F32, short_rows, 5},
    {"band15_3m", "csr",      CAIRN_F64, short_rows, 5},
    {"fem3_800k", "csr",      CAIRN_F32, short_rows, 5},
    {"fem3_800k", "csr",      CAIRN_F64, short_rows, 5},
    {"pruned_4k", "csr",      CAIRN_F32, long_rows,  6},
    {"pruned_4k", "csr",      CAIRN_F64, long_rows,  6},
    {"rmat21",    "csr",      CAIRN_F32, long_rows,  6},
    {"rmat21",    "csr",      CAIRN_F64, long_rows,  6},
};

enum { CASES = sizeof cases / sizeof *cases, MOST = CARD_CONTENDERS };

/// @p t NULL: with the hints that are chosen, which the note begins by saying.
static int add_trial(card            *c,
                     cairn_source    *source,
                     const card_rows *a,
                     int              number,
                     const trial     *t,
                     card_contender  *list)
{
    asked.on = t != NULL;
    if (t)
        asked.hints = (cairn_grid_hints){.batch  = t->batch,
                                         .staged = t->staged,
                                         .pieces = t->pieces,
                                         .groups = t->groups,
                                         .starts = t->starts,
                                         .early  = t->early,
                                         .narrow = true};
    *list = (card_contender){.whole = 0};
    snprintf(list->way, sizeof list->way, "%s", cases[number].format);
    const bool made = card_add_format(c, source, a, cases[number].dtype, 1, list);

    asked.on = false;
    snprintf(list->note, sizeof list->note, "%s", t ? "asked for" : "chosen");
    card_say_hints(t ? &asked.hints : &asked.chosen, ", ", list->note,
                   sizeof list->note);
    return made;
}

/// One case, with all that is tried beside each other.
static bool try_case(card *c, cairn_source *source, const card_rows *a, int number)
{
    static card_contender list[MOST];
    bool                  right = true;
    int                   count = 0;

    count += add_trial(c, source, a, number, NULL, &list[count]);
    for (int k = 0; k < cases[number].count; k++)
        count +=
            add_trial(c, source, a, number, &cases[number].trials[k], &list[count]);
    card_rounds(c, list, count);
    for (int k = 0; k < count; k++) {
        const card_contender *n = &list[k];

        printf("tune,%s,%s,1,%s,\"%s\",%.4g,%.4g,%.4g,%s\n", cases[number].matrix,
               cases[number].dtype == CAIRN_F64 ? "f64" : "f32", n->way, n->note,
               n->median * 1e6, n->least * 1e6, n->bytes / n->median * 1e-9,
               n->right ? "yes" : "NO");
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
    for (int k = 0; k < CASES && !card_is_over(c); k++)
        if (strcmp(cases[k].matrix, r->name) == 0)
            right = try_case(c, source, &a, k) && right;
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
