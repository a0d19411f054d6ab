// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows that are moved whole, by vectors of which lanes are masked or entry by entry, on
/// one thread or several: the arrays are those of the reference way, and they were moved
/// where that is promised.

/* As they are compiled for users: without optimisation nothing is masked. Vectors of 16
   bytes have no masks. */
#define TEST_LOADER_FLAGS "-O3 -march=native"

#include "convert/build.h"
#include "format/language.h"
#include "support/conversion.h"
#include "support/kernel_loader.h"
#include "support/names.h"
#include "support/random_format.h"
#include "support/seed.h"

static cairn_env env;

static bool moves_rows(const cairn_pass *pass)
{
    return pass->what == CAIRN_PASS_MOVE && pass->unit == CAIRN_UNIT_RUN;
}

/* ---- what is converted ---- */

#define ENCODING_(map, rest) "#encoding<{ idx_map<" map ">, mutation<" rest "> }>"
#define IN_BANKS_(map, rest) \
    "#encoding<{ idx_map<" map ">, mutation<" rest ">, layout<partition(0)> }>"

#define ENCODING(both) ENCODING_(both)
#define IN_BANKS(both) IN_BANKS_(both)

#define COLUMNS      "(d0,d1)->(d1%4,d1/4,d0)", "merge(0,1), trim(2,2)"
#define SEVERAL_ROWS "(d0,d1)->(d0%4,d0,d1)", "merge(0), trim(1,2)"
#define ROW_INDEX    "(d0,d1)->(d0%5,d0/5,d1)", "merge(0), trim(1,2)"
#define SPLIT        "(d0,d1)->(d0%3,d0/3,d1/2,d1%2)", "merge(0,1), trim(2,3)"
#define DISTANCE     "(d0,d1)->(d0%3,d0/3,d1-d0)", "merge(0,1), trim(2,2)"
#define FAR          "(d0,d1)->(d0%3,d0/3,d1+70000)", "merge(0,1), trim(2,2)"
#define CUBE         "(d0,d1,d2)->(d0%3,d0/3,d1,d2)", "merge(0,1), trim(2,3)"
#define SHORT_ROWS   "(d0,d1)->(d0%4,d0/4,d1)", "merge(0,1), trim(1,2)"
#define SHORT_COLS   "(d0,d1)->(d1%3,d1/3,d0)", "merge(0,1), trim(1,2)"
#define DEALT_ROWS   "(d0,d1)->(d0%4,d0,d1)", "merge(0,1), trim(1,2)"
#define SHORT_CUBE   "(d0,d1,d2)->(d0%3,d0/3,d1,d2)", "merge(0,1), trim(1,3)"
#define BY_COLUMNS   "(d0,d1)->(d1,d0)", "merge(0), trim(1,1)"
#define OUT_OF_ORDER "(d0,d1)->(d0%3,d0/3,d1%2,d1/2)", "merge(0,1), trim(2,3)"

/// Banks of rows by their entries, whose rows are lists for some columns each.
#define DEALT_BLOCKS                                                                   \
    "#encoding<{ idx_map<(d0,d1)->(indirect(d0),d0%4,d0/4,(d1+2*d0)/6,(d1+2*d0)%6)>, " \
    "mutation<merge(1,2,3), trim(4,4)>, indirect<{ load = sum(value) groupBy "         \
    "(d0,d1)->(d0); schedule(load) traverseBy (d0,d1)->(d0) buckets 4 }>, "            \
    "layout<partition(0)> }>"

/// A source (NULL: entries), a target, and whether rows are moved from one to the other.
typedef struct {
    const char *from, *to;
    int         order, row; ///< The dimension of what is moved; -1: nothing is.
} pair;

static const pair pairs[] = {
    {NULL,        "c2sr<3>",              2, 0 },
    {"coo",       "c2sr<3>",              2, 0 },
    {"csr",       "c2sr<16>",             2, 0 },
    {"dcsr",      "c2sr<3>",              2, 0 },
    {NULL,        "cisr<5>",              2, 0 },
    {"coo",       "cisr<64>",             2, 0 },
    {"csr",       "cisr<5>",              2, 0 },
    {"dcsr",      "cisr<5>",              2, 0 },
    {"coo",       "cisr-plus<5>",         2, 0 },
    {"csr",       "cisr-plus<64>",        2, 0 },
    {"csc",       IN_BANKS(COLUMNS),      2, 1 },
    {"dcsc",      ENCODING(COLUMNS),      2, 1 },
    {"csr",       ENCODING(SEVERAL_ROWS), 2, 0 },
    {"coo",       IN_BANKS(ROW_INDEX),    2, 0 },
    {"coo",       IN_BANKS(SPLIT),        2, 0 },
    {"csr",       ENCODING(DISTANCE),     2, 0 },
    {NULL,        ENCODING(FAR),          2, 0 },
    {"coo<3>",    IN_BANKS(CUBE),         3, 0 },
    {NULL,        ENCODING(CUBE),         3, 0 },
    {"csr",       IN_BANKS(SHORT_ROWS),   2, 0 },
    {NULL,        ENCODING(SHORT_ROWS),   2, 0 },
    {"csc",       IN_BANKS(SHORT_COLS),   2, 1 },
    {"coo",       IN_BANKS(DEALT_ROWS),   2, 0 },
    {"coo<3>",    ENCODING(SHORT_CUBE),   3, 0 },
    {"csr",       ENCODING(OUT_OF_ORDER), 2, -1},
    {"bcsr<2,2>", "c2sr<3>",              2, -1}, /* pads */
    {"ell",       "cisr<5>",              2, -1},
    {"c2sr<3>",   "cisr<5>",              2, 0 }, /* by way of rows: several parts */
    {NULL,        DEALT_BLOCKS,           2, -1}, /* a row lies in several lists */
    {"csr",       DEALT_BLOCKS,           2, -1},
    {"csr",       "csc",                  2, -1}, /* rows do not give the groups, */
    {"csc",       "csr",                  2, -1}, /* and are marked, for they are short */
    {"csr",       "csb<8,8>",             2, -1},
    {"csr",       ENCODING(BY_COLUMNS),   2, -1},
};

/// Entries of a row, from -1: none.
typedef struct {
    const char *name;
    int64_t     rows, cols;
    int         least, most;
    bool        zeros; ///< Some values are 0.
} matrix;

static const matrix matrices[] = {
    {"rows of many lengths",     61, 200,   -3, 70, true },
    {"rows as long as a vector", 40, 40,    16, 16, false},
    {"one row",                  1,  90,    33, 33, false},
    {"long indices",             50, 80000, 2,  9,  false},
    {"hardly any entries",       90, 12,    -4, 1,  true },
    {"nothing",                  20, 20,    -1, -1, false},
};

/* Enough for several threads. */
static const matrix large = {"large", 21000, 400, -1, 23, true};

static void find_extents(const matrix *x, int order, int64_t *extent)
{
    extent[0] = x->rows;
    extent[1] = order == 2 ? x->cols : x->cols / 5 + 1;
    extent[2] = 5;
}

/// Does moving pay?
static bool pays(const pair *p, const matrix *x, const cairn_entries *entries)
{
    int64_t extent[3];

    find_extents(x, p->order, extent);
    return p->row >= 0 && entries->n >= 2 * extent[p->row];
}

/// Rows of so many entries, whose columns (and, of three dimensions, which are divided
/// into columns of 5) ascend.
static void draw(const matrix *x, int order, uint64_t *state, cairn_entries *entries)
{
    cairn_entries_init(entries, order);
    for (int64_t i = 0; i < x->rows; i++) {
        const int64_t n = x->least + random_below(state, x->most - x->least + 1);
        int64_t       j = 0;

        for (int64_t k = 0; k < n; k++) {
            const int64_t left = (x->cols - j) / (n - k);
            const double  v =
                x->zeros && random_chance(state, 10) ? 0 : (double)(i + k) + 0.5;
            const int64_t at =
                j + random_below(state, (int)(left < 1000 ? left : 1000));
            const cairn_coord d[3] = {i, order == 2 ? at : at / 5, at % 5};

            cr_assert_eq(cairn_entries_add(&env, entries, d, v), CAIRN_OK);
            j = at + 1;
        }
    }
}

/* ---- conversions ---- */

static cairn_local *build(const matrix        *x,
                          const cairn_format  *format,
                          const cairn_entries *entries,
                          const cairn_local   *from,
                          int                  bits,
                          test_loader         *loader,
                          cairn_path         **path)
{
    cairn_shape  shape = {.order = entries->order};
    cairn_local *made;

    find_extents(x, entries->order, shape.extent);
    cairn_build b =
        whole_build(shape, bits, entries, from, loader ? &loader->loader : NULL);

    b.format          = format;
    b.report.executed = path;
    cr_assert_eq(cairn_local_build(&env, &b, &made), CAIRN_OK, "%s", env.message);
    return made;
}

/// @p bits: of the source's values, and of the target's.
static void check(const pair   *p,
                  const matrix *x,
                  const int    *bits,
                  uint64_t      seed,
                  test_loader  *loader)
{
    cairn_format *from = NULL, *to;
    cairn_entries entries;
    cairn_local  *source = NULL, *reference, *compiled;
    cairn_path   *path   = NULL;
    uint64_t      state  = seed;
    char          what[400];

    draw(x, p->order, &state, &entries);
    if (p->from) {
        from   = parse_format(&env, p->from);
        source = build(x, from, &entries, NULL, bits[0], NULL, NULL);
    }
    to        = parse_format(&env, p->to);
    reference = build(x, to, &entries, source, bits[1], NULL, NULL);
    compiled  = build(x, to, &entries, source, bits[1], loader, &path);
    snprintf(what, sizeof what, "%s to %s, %s", p->from ? p->from : "entries", p->to,
             x->name);
    check_same(reference, compiled, what);
    cr_expect_eq(count_passes(path, moves_rows), pays(p, x, &entries),
                 "%s, seed %llu: moved or not", what, (unsigned long long)seed);
    cairn_path_destroy(&path);
    cairn_local_destroy(&compiled);
    cairn_local_destroy(&reference);
    cairn_local_destroy(&source);
    cairn_format_destroy(&from);
    cairn_format_destroy(&to);
    cairn_entries_fini(&env, &entries);
}

static void
check_all(const matrix *x, int count, int threads, int vector_bytes, const char *flags)
{
    static const int bits[][2] = {
        {64, 64},
        {32, 32},
        {64, 32},
        {32, 64}
    };
    const char    *given = getenv("PROPERTY_SEED");
    const uint64_t seed  = given ? strtoull(given, NULL, 10) : seed_clock();

    cairn_env_init(&env);
    env.options.kernels = CAIRN_KERNELS_COMPILED;
    test_loader *loader = test_loader_create(&env, threads);

    loader->loader.vector_bytes = vector_bytes;
    loader->flags               = flags;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        for (int n = 0; n < count; n++)
            check(&pairs[k], &x[n], bits[k % 4], seed + k, loader);
    test_loader_destroy(loader);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

Test(compiled_moves, masked, .timeout = 600)
{
    check_all(matrices, sizeof matrices / sizeof *matrices, 1, 64, TEST_LOADER_FLAGS);
}

Test(compiled_moves, entry_by_entry, .timeout = 600)
{
    check_all(matrices, sizeof matrices / sizeof *matrices, 2, 16, "-O0");
}

Test(compiled_moves, on_several_threads, .timeout = 600)
{
    check_all(&large, 1, 3, 64, TEST_LOADER_FLAGS);
}
