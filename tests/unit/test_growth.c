// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Work grows as sizes do. Tensors of 10^4 to 10^6 entries are stored in formats of the
/// catalogue and in random ones without queries, from entries and from each other, the
/// reference way and the compiled way; positions visited and bytes allocated are held to
/// a bound by what goes in and comes out. Something quadratic exceeds it by hundreds.
///
/// A position is counted where a loop looks at it: by the rooms (cairn_visit()), and in
/// compiled functions by every turn of every loop, which this test has them count.
/// GROWTH_SEED=N in the environment runs case N alone.

#define TEST_LOADER_FLAGS "-O1"

#include "convert/build.h"
#include "format/language.h"
#include "rules/path.h"
#include "support/conversion.h"
#include "support/crash_note.h"
#include "support/kernel_loader.h"
#include "support/random_format.h"
#include "support/seed.h"

#include <criterion/criterion.h>

#include <math.h>

enum {
    USUAL_CASES   = 12,
    USUAL_QUERIES = 16,
    FACTOR        = 8,       ///< Visits for each unit of size;
    BYTES         = 64,      ///< bytes for each index of an entry and each place.
    LEAST         = 10000,   ///< Entries of a case;
    USUAL_MOST    = 60000,   ///< fewer than a million in a run as usual.
    ROOM          = 512,     ///< Bytes that arrays may take for an entry.
    FIXED         = 1 << 22, ///< Bytes that do not go with the entries,
    GROUPS        = 1 << 25  ///< and of a hybrid, whose groups may have tables of 2^20.
};

typedef struct {
    cairn_env     env;
    test_loader  *loader;
    uint64_t      seed, state;
    cairn_shape   shape;
    cairn_entries entries;
    const char   *what; ///< Pattern of the entries.
    char          from[RANDOM_FORMAT], to[RANDOM_FORMAT];
    bool          queries; ///< The format has some, one of which may be no line and
    bool          other;   ///< no box: it was.
} growth;

typedef struct {
    int    ran, refused;
    double visits, bytes; ///< The largest shares of what is allowed.
} tally;

/* ---- tensors ---- */

/// The k-th coordinates of a pattern, in no order and not all different.
typedef void (*pattern_fn)(growth *g, int64_t k, int64_t n, cairn_coord *d);

static int64_t draw(growth *g, int64_t n)
{
    return (int64_t)(random_next(&g->state) % (uint64_t)n);
}

static void scattered(growth *g, int64_t k, int64_t n, cairn_coord *d)
{
    (void)k, (void)n;
    for (int j = 0; j < g->shape.order; j++)
        d[j] = draw(g, g->shape.extent[j]);
}

/// All coordinates near each other: few diagonals.
static void banded(growth *g, int64_t k, int64_t n, cairn_coord *d)
{
    (void)k, (void)n;
    d[0] = draw(g, g->shape.extent[0]);
    for (int j = 1; j < g->shape.order; j++)
        d[j] = (d[0] + draw(g, 9)) % g->shape.extent[j];
}

/// Half of all in one row, the others anywhere: one line decides what is padded.
static void one_row(growth *g, int64_t k, int64_t n, cairn_coord *d)
{
    scattered(g, k, n, d);
    if (k < n / 2) d[0] = g->shape.extent[0] / 3;
}

static void one_column(growth *g, int64_t k, int64_t n, cairn_coord *d)
{
    scattered(g, k, n, d);
    if (k < n / 2) d[g->shape.order - 1] = 1;
}

/// Blocks that are full.
static void blocks(growth *g, int64_t k, int64_t n, cairn_coord *d)
{
    (void)n;
    uint64_t block = (uint64_t)(k / 64) * 0x9e3779b97f4a7c15u;

    for (int j = 0; j < g->shape.order; j++) {
        const int64_t in = j < 2 ? (j ? k % 8 : k / 8 % 8) : 0;

        d[j] = ((int64_t)(random_next(&block) >> 20) * 8 + in) % g->shape.extent[j];
    }
}

static const struct {
    const char *name;
    pattern_fn  draw;
} patterns[] = {
    {"scattered",  scattered },
    {"banded",     banded    },
    {"one row",    one_row   },
    {"one column", one_column},
    {"blocks",     blocks    },
};

enum { PATTERNS = sizeof patterns / sizeof *patterns };

/// @p n entries at most, in order, each position once.
static void fill(growth *g, int pattern, int64_t n)
{
    cairn_coord d[CAIRN_MAX_ORDER];

    g->what = patterns[pattern].name;
    cairn_entries_init(&g->entries, g->shape.order);
    for (int64_t k = 0; k < n; k++) {
        patterns[pattern].draw(g, k, n, d);
        cr_assert_eq(cairn_entries_add(&g->env, &g->entries, d, 1), CAIRN_OK);
    }
    cr_assert_eq(cairn_entries_sort(&g->env, &g->entries), CAIRN_OK);
}

/// Extents with 2 to 20,000 times as many positions as entries.
static void draw_shape(growth *g, int64_t n)
{
    static const int spare[]   = {2, 12, 300, 20000};
    double           positions = (double)n * spare[random_below(&g->state, 4)];

    g->shape.order = 2 + random_below(&g->state, 3);
    for (int j = 0; j < g->shape.order; j++) {
        const double even = pow(positions, 1.0 / (g->shape.order - j));
        const double some = even * (0.4 + random_below(&g->state, 200) / 100.0);

        g->shape.extent[j] = 2 + (int64_t)(j + 1 < g->shape.order ? some : positions);
        positions /= (double)g->shape.extent[j];
        if (positions < 8) positions = 8;
    }
}

/* ---- sizes ---- */

/// Places of arrays, nodes and complete levels of a tensor.
static double size_of(const cairn_local *tensor)
{
    double size = (double)tensor->parts;

    for (int64_t p = 0; p < tensor->parts; p++) {
        const cairn_kernel_part *view   = &tensor->part[p].view;
        const cairn_layout      *layout = tensor->part[p].layout;

        size += (double)view->values;
        for (int l = 0; l < layout->levels; l++)
            size += (double)(view->level[l].ptr_length + view->level[l].idx_length)
                    + (double)(layout->level[l].trimmed ? view->level[l].nodes : 0);
    }
    for (int m = 0; m < tensor->groups; m++)
        for (int l = 0; l < tensor->group[m].layout->levels; l++)
            if (!tensor->group[m].layout->level[l].trimmed)
                size += (double)tensor->group[m].layout->level[l].size;
    return size;
}

/// Indices of all entries, as coordinates and level by level: the reference way keeps a
/// column for each.
static double indices_of(const growth *g, const cairn_local *tensor)
{
    int levels = 0;

    for (int m = 0; m < tensor->groups; m++)
        if (tensor->group[m].layout->levels > levels)
            levels = tensor->group[m].layout->levels;
    return (double)g->entries.n * (g->shape.order + levels);
}

/// Was a query neither a line nor a box? Then its visits are not bounded.
static bool has_other(const cairn_path *path)
{
    for (int k = 0; k < path->program.passes; k++) {
        const char *name = path->program.pass[k].query_class;

        if (name && strcmp(name, "other") == 0) return true;
    }
    return false;
}

/// Build, and hold what it took to what went in and came out.
static cairn_status measure(growth             *g,
                            const cairn_format *format,
                            const cairn_local  *from,
                            bool                compiled,
                            tally              *t,
                            cairn_local       **made)
{
    const double n = (double)g->entries.n;
    cairn_build  b = whole_build(g->shape, 64, &g->entries, from,
                                compiled ? &g->loader->loader : NULL);

    cairn_path *path = NULL;

    b.format          = format;
    b.report.executed = g->queries ? &path : NULL;
    g->env.visited = g->env.allocated = 0;
    *g->loader->turns                 = 0;

    const cairn_status status = cairn_local_build(&g->env, &b, made);

    g->other = status == CAIRN_OK && path && has_other(path);
    cairn_path_destroy(&path);
    if (status != CAIRN_OK) return status;
    const double size    = size_of(*made) + (from ? size_of(from) : 0);
    const double visited = g->other ? 0 : (double)(g->env.visited + *g->loader->turns);
    const double visits  = visited / (FACTOR * (n * log2(n) + size));
    const double places  = indices_of(g, *made) + size;
    const double fixed   = (*made)->groups > 1 ? GROUPS : FIXED;
    const double bytes   = (double)g->env.allocated / (BYTES * places + fixed);

    if (getenv("GROWTH_SHOW"))
        printf(
            "%5.2f %5.2f  %s%s, %s, %d: %lld entries, size %.0f, visited %lld + %lld, "
            "%lld bytes\n    from %s\n    to %s\n",
            visits, bytes, compiled ? "compiled" : "reference",
            from ? ", converted" : "", g->what, g->shape.order, (long long)g->entries.n,
            size, (long long)g->env.visited, (long long)*g->loader->turns,
            (long long)g->env.allocated, from ? g->from : "", g->to);
    cr_expect(visits <= 1 && bytes <= 1,
              "seed %llu: %.2f of the visits and %.2f of the bytes that may be\n"
              "%s, %lld entries, %s%s\nfrom %s\nto %s",
              (unsigned long long)g->seed, visits, bytes, g->what,
              (long long)g->entries.n, compiled ? "compiled" : "reference",
              from ? ", converted" : "", from ? g->from : "entries", g->to);
    if (visits > t->visits) t->visits = visits;
    if (bytes > t->bytes) t->bytes = bytes;
    return CAIRN_OK;
}

/// Both ways from entries, and from another tensor.
static void run_pair(growth *g, tally *t)
{
    cairn_format *from = NULL, *to = NULL;
    cairn_local  *source = NULL, *made = NULL;
    bool          fits = true;

    if (cairn_format_parse(&g->env, NULL, g->from, "from", &from) != CAIRN_OK
        || cairn_format_parse(&g->env, NULL, g->to, "to", &to) != CAIRN_OK
        || measure(g, from, NULL, false, t, &source) != CAIRN_OK)
        fits = false;
    for (int way = 0; way < 4 && fits; way++) {
        fits = measure(g, to, way & 1 ? source : NULL, way & 2, t, &made) == CAIRN_OK;
        cairn_local_destroy(&made);
    }
    if (fits)
        t->ran++;
    else
        t->refused++;
    cairn_local_destroy(&source);
    cairn_format_destroy(&from);
    cairn_format_destroy(&to);
}

static void begin(growth *g, test_loader *loader, uint64_t seed)
{
    memset(g, 0, sizeof *g);
    cairn_env_init(&g->env);
    g->loader              = loader;
    loader->env            = &g->env;
    g->env.options.kernels = CAIRN_KERNELS_COMPILED;
    g->seed = g->state = seed;
    crash_note("seed %llu", (unsigned long long)seed);
}

static void end(growth *g)
{
    cairn_entries_fini(&g->env, &g->entries);
    cr_assert_eq(g->env.live_blocks, 0, "seed %llu leaks", (unsigned long long)g->seed);
    cairn_env_fini(&g->env);
}

static void tell(const tally *t)
{
    printf("%d ran, %d refused; at most %.2f of the visits and %.2f of the bytes\n",
           t->ran, t->refused, t->visits, t->bytes);
}

/* ---- random formats ---- */

/// Between LEAST and as many as a run may have, each order of magnitude as often.
static int64_t draw_entries(growth *g)
{
    const double most = seed_cases(0) > 0 ? 1e6 : USUAL_MOST;

    return (int64_t)(LEAST * pow(most / LEAST, random_below(&g->state, 1000) / 999.0));
}

static void run_case(test_loader *loader, uint64_t seed, tally *t)
{
    static growth g;

    begin(&g, loader, seed);
    const int64_t n = draw_entries(&g);

    draw_shape(&g, n);
    fill(&g, random_below(&g.state, PATTERNS), n);
    random_encoding_of(&g.state, g.shape.order, false, g.from, sizeof g.from);
    random_encoding_of(&g.state, g.shape.order, false, g.to, sizeof g.to);
    g.env.memory_limit = ROOM * g.entries.n;
    run_pair(&g, t);
    end(&g);
}

Test(growth, random_formats, .timeout = 3600)
{
    static int64_t turns;
    const char    *given  = getenv("GROWTH_SEED");
    uint64_t       seed   = given ? strtoull(given, NULL, 10) : seed_clock() * 1000099;
    tally          t      = {0};
    const int      cases  = given ? 1 : seed_cases(USUAL_CASES);
    test_loader   *loader = test_loader_create(NULL, 2);

    loader->turns = &turns;
    printf("first seed %llu\n", (unsigned long long)seed);
    for (int k = 0; k < 20 * cases && t.ran < cases; k++) {
        run_case(loader, seed + (uint64_t)k, &t);
        if (given) break;
    }
    tell(&t);
    if (!given) cr_expect_geq(t.ran, cases, "only %d of %d cases ran", t.ran, cases);
    test_loader_destroy(loader);
}

/* ---- formats with queries ---- */

static void run_queries(test_loader *loader, uint64_t seed, tally *t, int *others)
{
    static growth g;
    cairn_format *format = NULL;
    cairn_local  *made   = NULL;

    begin(&g, loader, seed);
    g.queries       = true;
    const int64_t n = draw_entries(&g);

    draw_shape(&g, n);
    fill(&g, random_below(&g.state, PATTERNS), n);
    do
        random_encoding_of(&g.state, g.shape.order, true, g.to, sizeof g.to);
    while (!strstr(g.to, "indirect") || strstr(g.to, "partition"));
    g.env.memory_limit = ROOM * g.entries.n;
    if (cairn_format_parse(&g.env, NULL, g.to, "to", &format) == CAIRN_OK
        && measure(&g, format, NULL, true, t, &made) == CAIRN_OK) {
        t->ran++;
        *others += g.other;
    } else {
        t->refused++;
    }
    cairn_local_destroy(&made);
    cairn_format_destroy(&format);
    end(&g);
}

/// From entries. Without banks, which take far more than a place each.
Test(growth, random_queries, .timeout = 3600)
{
    static int64_t turns;
    const char    *given  = getenv("GROWTH_SEED");
    uint64_t       seed   = given ? strtoull(given, NULL, 10) : seed_clock() * 1000099;
    tally          t      = {0};
    const int      cases  = given ? 1 : seed_cases(USUAL_QUERIES);
    test_loader   *loader = test_loader_create(NULL, 2);
    int            others = 0;

    loader->turns = &turns;
    printf("first seed %llu\n", (unsigned long long)seed);
    for (int k = 0; k < 40 * cases && t.ran < cases; k++) {
        run_queries(loader, seed + (uint64_t)k, &t, &others);
        if (given) break;
    }
    tell(&t);
    printf("%d with a query that is no line and no box\n", others);
    cr_expect_leq(others, t.ran / 5, "%d of %d are neither line nor box", others,
                  t.ran);
    if (!given) cr_expect_geq(t.ran, cases, "only %d of %d cases ran", t.ran, cases);
    test_loader_destroy(loader);
}

/* ---- the catalogue ---- */

static const char *const catalogue[] = {"dense<2>",
                                        "coo",
                                        "csf<2>",
                                        "dok",
                                        "csr",
                                        "lil",
                                        "csc",
                                        "dcsr",
                                        "dcsc",
                                        "dia",
                                        "dia-variant",
                                        "bcsr<2,3>",
                                        "bcsc<3,2>",
                                        "bcoo<2,2>",
                                        "bdcsr<4,2>",
                                        "csb<100,100>",
                                        "bdia<32>",
                                        "c2sr<16>",
                                        "ell",
                                        "sell<8>",
                                        "sell-sigma<8,256>",
                                        "bell<2>",
                                        "cisr<16>",
                                        "cisr-plus<16>",
                                        "serpens<4,512,3>",
                                        "hybrid<bdia<32>,csr,0.5>",
                                        "hybrid<bell<2>,coo,0.25,0.5>",
                                        "hybrid<dia,dcsr,0.3>"};

enum { NAMED = sizeof catalogue / sizeof *catalogue };

/// Every format from entries and from another, on a pattern that it has room for or is
/// refused for.
Test(growth, catalogue, .timeout = 3600)
{
    static int64_t turns;
    static growth  g;
    const int      most   = seed_cases(0) > 0 ? PATTERNS : 2;
    const int64_t  n      = seed_cases(0) > 0 ? 300000 : 20000;
    test_loader   *loader = test_loader_create(NULL, 2);
    tally          t      = {0};
    int            stored = 0;

    loader->turns = &turns;
    for (int k = 0; k < NAMED; k++) {
        const int before = t.ran;

        for (int pattern = 0; pattern < most; pattern++) {
            begin(&g, loader, (uint64_t)k);
            g.shape = (cairn_shape){
                2, {n / 12, n / 10}
            };
            fill(&g, pattern, n);
            by_name(catalogue[(k * 5 + 3 + pattern) % NAMED], g.from, sizeof g.from);
            by_name(catalogue[k], g.to, sizeof g.to);
            g.env.memory_limit = 4 * ROOM * g.entries.n;
            run_pair(&g, &t);
            end(&g);
        }
        stored += t.ran > before;
    }
    tell(&t);
    cr_expect_geq(stored, NAMED - 3, "only %d formats were stored", stored);
    test_loader_destroy(loader);
}

/// A million entries in every run: what a program of the catalogue's kinds costs there, from
/// lists to slots that are sorted by length and from rows to columns.
Test(growth, a_million_entries, .timeout = 600)
{
    static const char *const pairs[][2] = {
        {"coo", "sell-sigma<8,256>"},
        {"csr", "csc"              }
    };
    static int64_t turns;
    static growth  g;
    const int64_t  n      = 1000000;
    test_loader   *loader = test_loader_create(NULL, 2);
    tally          t      = {0};

    loader->turns = &turns;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        begin(&g, loader, k);
        g.shape = (cairn_shape){
            2, {n / 12, n / 10}
        };
        fill(&g, 0, n);
        by_name(pairs[k][0], g.from, sizeof g.from);
        by_name(pairs[k][1], g.to, sizeof g.to);
        g.env.memory_limit = 4 * ROOM * g.entries.n;
        run_pair(&g, &t);
        end(&g);
    }
    tell(&t);
    cr_expect_eq(t.refused, 0);
    test_loader_destroy(loader);
}
