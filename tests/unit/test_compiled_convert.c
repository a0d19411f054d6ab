// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The compiled way of conversions against the reference way, bit for bit: random formats
/// from random entries and from each other. Nothing may fall back. Once compiled, and once
/// with phases that are interpreted.
///
/// PROPERTY_SEED=N in the environment runs case N alone.

#include "convert/build.h"
#include "entries/entries_partition.h"
#include "format/language.h"
#include "support/conversion.h"
#include "support/crash_note.h"
#include "support/kernel_loader.h"
#include "support/random_tensor.h"
#include "support/seed.h"

#include <criterion/criterion.h>

enum { USUAL_CASES = 100, USUAL_INTERPRETED = 60 };

typedef struct {
    cairn_env                  env;
    const cairn_kernel_loader *loader;
    uint64_t                   seed, state;
    cairn_shape                shape;
    cairn_entries              entries;
    int                        from_bits, to_bits;
    char                       from[RANDOM_FORMAT], to[RANDOM_FORMAT];
} pair;

typedef struct {
    int ran, refused;
} tally;

/// What a loader of kernels does while they are for a pair: its environment is the pair's.
static void
take_loader(pair *p, test_loader *compiles, const cairn_kernel_loader *loader)
{
    p->loader = compiles ? &compiles->loader : loader;
    if (compiles) compiles->env = &p->env;
}

/// From the entries, or from another tensor; by the loader if @p compiled.
static cairn_status build(pair               *p,
                          const cairn_format *format,
                          int                 bits,
                          const cairn_local  *from,
                          bool                compiled,
                          cairn_local       **out)
{
    cairn_route route = CAIRN_ROUTE_REFERENCE;
    cairn_build b =
        whole_build(p->shape, bits, &p->entries, from, compiled ? p->loader : NULL);
    const bool kernels = compiled && !p->loader->interprets;

    b.format                  = format;
    b.report.route            = &route;
    const cairn_status status = cairn_local_build(&p->env, &b, out);

    if (status == CAIRN_OK)
        cr_assert((route == CAIRN_ROUTE_REFERENCE) == !kernels,
                  "seed %llu: route %d\nfrom %s\nto %s", (unsigned long long)p->seed,
                  route, p->from, p->to);
    return status;
}

static void check_part(const pair *p, const cairn_part *a, const cairn_part *b)
{
    cairn_array x[CAIRN_MAX_ARRAYS], y[CAIRN_MAX_ARRAYS];
    const int   arrays = cairn_part_arrays(a, x);

    cr_assert_eq(a->nnz, b->nnz, "seed %llu: %lld entries, not %lld\nfrom %s\nto %s",
                 (unsigned long long)p->seed, (long long)b->nnz, (long long)a->nnz,
                 p->from, p->to);
    cr_assert_eq(arrays, cairn_part_arrays(b, y));
    for (int k = 0; k < arrays; k++)
        cr_assert(
            x[k].bytes == y[k].bytes && x[k].bits == y[k].bits
                && memcmp(x[k].data, y[k].data, (size_t)x[k].bytes) == 0,
            "seed %llu: array %d of level %d (%lld, %lld bytes) differs\nfrom %s\n"
            "to %s",
            (unsigned long long)p->seed, k, x[k].level, (long long)x[k].bytes,
            (long long)y[k].bytes, p->from, p->to);
}

static bool
compare_builds(pair *p, const cairn_format *format, int bits, const cairn_local *from)
{
    cairn_local       *reference = NULL, *compiled = NULL;
    const int64_t      limit = p->env.memory_limit, live = p->env.live_bytes;
    const cairn_status status = build(p, format, bits, from, false, &reference);

    /* What is compared with is beside what the limit is for. */
    if (limit < INT64_MAX / 2) p->env.memory_limit += p->env.live_bytes - live;
    const cairn_status same = build(p, format, bits, from, true, &compiled);

    p->env.memory_limit = limit;
    cr_assert_eq(status, same, "seed %llu: %d and %d: %s\nfrom %s\nto %s",
                 (unsigned long long)p->seed, status, same, p->env.message, p->from,
                 p->to);
    if (status == CAIRN_OK) {
        cr_assert_eq(reference->parts, compiled->parts);
        for (int64_t k = 0; k < reference->parts; k++)
            check_part(p, &reference->part[k], &compiled->part[k]);
    }
    cairn_local_destroy(&reference);
    cairn_local_destroy(&compiled);
    return status == CAIRN_OK;
}

/// @param compiles  NULL: @p loader is taken.
static void run_pair(test_loader               *compiles,
                     const cairn_kernel_loader *loader,
                     uint64_t                   seed,
                     tally                     *t)
{
    static pair   p;
    cairn_format *from = NULL, *to = NULL;
    cairn_local  *source = NULL;

    memset(&p, 0, sizeof p);
    cairn_env_init(&p.env);
    take_loader(&p, compiles, loader);
    p.env.memory_limit    = 8 << 20;
    p.env.options.kernels = CAIRN_KERNELS_COMPILED;
    crash_note("seed %llu", (unsigned long long)seed);
    p.seed = p.state = seed;
    random_tensor(&p.env, &p.state, &p.shape, &p.entries);
    random_format(&p.state, p.shape.order, p.from, sizeof p.from);
    random_format(&p.state, p.shape.order, p.to, sizeof p.to);
    p.from_bits = random_chance(&p.state, 30) ? 32 : 64;
    p.to_bits   = random_chance(&p.state, 30) ? 32 : 64;
    if (cairn_format_parse(&p.env, NULL, named(p.from), "from", &from) != CAIRN_OK
        || cairn_format_parse(&p.env, NULL, named(p.to), "to", &to) != CAIRN_OK
        || build(&p, from, p.from_bits, NULL, false, &source) != CAIRN_OK) {
        t->refused++;
    } else {
        const bool direct = compare_builds(&p, to, p.to_bits, NULL);

        if (compare_builds(&p, to, p.to_bits, source) && direct)
            t->ran++;
        else
            t->refused++;
    }
    cairn_local_destroy(&source);
    cairn_format_destroy(&from);
    cairn_format_destroy(&to);
    cairn_entries_fini(&p.env, &p.entries);
    cr_assert_eq(p.env.live_blocks, 0, "seed %llu leaks\nfrom %s\nto %s",
                 (unsigned long long)seed, p.from, p.to);
    cairn_env_fini(&p.env);
}

Test(compiled_convert, random_pairs, .timeout = 3600)
{
    const char  *given  = getenv("PROPERTY_SEED");
    uint64_t     seed   = given ? strtoull(given, NULL, 10) : seed_clock() * 1000081;
    tally        t      = {0};
    const int    cases  = given ? 1 : seed_cases(USUAL_CASES);
    test_loader *loader = test_loader_create(NULL, 2);

    printf("first seed %llu\n", (unsigned long long)seed);
    for (int k = 0; k < 4 * cases && t.ran < cases; k++) {
        run_pair(loader, NULL, seed + (uint64_t)k, &t);
        if (given) break;
    }
    printf("%d pairs ran, %d refused; %d kernels for %ld requests\n", t.ran, t.refused,
           loader->kernels, loader->requests);
    if (!given) cr_expect_geq(t.ran, cases, "only %d of %d pairs ran", t.ran, cases);
    test_loader_destroy(loader);
}

/// A loader that has no compiler, and nothing to load.
static cairn_kernel_loader interpreting(int threads)
{
    return (cairn_kernel_loader){
        .interprets = true, .vector_bytes = 32, .threads = threads};
}

Test(compiled_convert, random_pairs_interpreted, .timeout = 3600)
{
    const char *given = getenv("PROPERTY_SEED");
    uint64_t    seed  = given ? strtoull(given, NULL, 10) : seed_clock() * 1000081;
    const int   cases = given ? 1 : seed_cases(USUAL_INTERPRETED);

    printf("first seed %llu\n", (unsigned long long)seed);
    for (int threads = 1; threads <= 3; threads += 2) {
        const cairn_kernel_loader loader = interpreting(threads);
        tally                     t      = {0};

        for (int k = 0; k < 4 * cases && t.ran < cases; k++) {
            run_pair(NULL, &loader, seed + (uint64_t)k, &t);
            if (given) break;
        }
        printf("%d pairs ran, %d refused\n", t.ran, t.refused);
        if (!given)
            cr_expect_geq(t.ran, cases, "only %d of %d pairs ran", t.ran, cases);
    }
}

/* ---- formats with names ---- */

/// Values that formats look at; explicit zeros now and then.
static void draw_matrix(pair *p, int zeros)
{
    p->shape = (cairn_shape){
        2, {15, 13}
    };
    cairn_entries_init(&p->entries, 2);
    for (cairn_coord i = 0; i < 15; i++)
        for (cairn_coord j = 0; j < 13; j++) {
            const cairn_coord d[2] = {i, j};

            if (i == 4 || !random_chance(&p->state, i == 7 ? 100 : 30)) continue;
            cr_assert_eq(cairn_entries_add(&p->env, &p->entries, d,
                                           random_chance(&p->state, zeros)
                                               ? 0
                                               : 1 + random_below(&p->state, 50)),
                         CAIRN_OK);
        }
}

static void convert_all(pair *p, const char *const *to, tally *t)
{
    cairn_format *from, *format;
    cairn_local  *source = NULL;

    if (p->from[0]) {
        cr_assert_eq(cairn_format_parse(&p->env, NULL, named(p->from), "from", &from),
                     CAIRN_OK, "%s", p->env.message);
        cr_assert_eq(build(p, from, 64, NULL, false, &source), CAIRN_OK);
    }
    for (; *to; to++) {
        strcpy(p->to, *to);
        cr_assert_eq(cairn_format_parse(&p->env, NULL, named(p->to), "to", &format),
                     CAIRN_OK, "%s", p->env.message);
        cr_assert(compare_builds(p, format, 64, source), "%s: %s", p->to,
                  p->env.message);
        t->ran++;
        cairn_format_destroy(&format);
    }
    if (p->from[0]) {
        cairn_local_destroy(&source);
        cairn_format_destroy(&from);
    }
}

/// Every pair of formats with names. @param compiles  NULL: @p loader is taken.
static void
convert_named(test_loader *compiles, const cairn_kernel_loader *loader, tally *t)
{
    static const char *const from[] = {"",        "coo",     "csr",
                                       "csc",     "dia",     "bcsr<2,3>",
                                       "sell<4>", "c2sr<3>", "hybrid<bdia<4>,csr,0.5>"};
    static const char *const to[]   = {"dense<2>",
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
                                       "bcsc<2,3>",
                                       "bcoo<2,3>",
                                       "bdcsr<2,3>",
                                       "csb<4,4>",
                                       "bdia<4>",
                                       "c2sr<3>",
                                       "ell",
                                       "sell<4>",
                                       "bell<2>",
                                       "cisr<3>",
                                       "sell-sigma<4,8>",
                                       "hybrid<bdia<4>,sell<4>,0.5>",
                                       "hybrid<bdia<4>,csr,0.5>",
                                       "hybrid<bell<2>,coo,0.3>",
                                       "hybrid<ell,coo,0.2,0.5>",
                                       NULL};

    for (int zeros = 0; zeros <= 20; zeros += 20)
        for (size_t k = 0; k < sizeof from / sizeof *from; k++) {
            static pair p;

            memset(&p, 0, sizeof p);
            cairn_env_init(&p.env);
            take_loader(&p, compiles, loader);
            p.env.options.kernels = CAIRN_KERNELS_COMPILED;
            p.state               = 7;
            draw_matrix(&p, zeros);
            strcpy(p.from, from[k]);
            convert_all(&p, to, t);
            cairn_entries_fini(&p.env, &p.entries);
            cr_assert_eq(p.env.live_blocks, 0, "%s leaks", p.from);
            cairn_env_fini(&p.env);
        }
}

Test(compiled_convert, formats_with_names, .timeout = 3600)
{
    test_loader *loader = test_loader_create(NULL, 2);
    tally        t      = {0};

    convert_named(loader, NULL, &t);
    printf("%d conversions; %d kernels for %ld requests\n", t.ran, loader->kernels,
           loader->requests);
    test_loader_destroy(loader);
}

Test(compiled_convert, formats_with_names_interpreted, .timeout = 3600)
{
    for (int threads = 1; threads <= 3; threads += 2) {
        const cairn_kernel_loader loader = interpreting(threads);
        tally                     t      = {0};

        convert_named(NULL, &loader, &t);
        printf("%d conversions\n", t.ran);
        cr_expect_gt(t.ran, 400);
    }
}

/* ---- entries in buckets ---- */

enum { MANY = 60000, SPARSE = 20, COLUMNS = 1000 };

/// MANY entries in no order, of @p columns, no two at one place.
static void draw_unsorted(cairn_coord columns, cairn_coord *coord, double *value)
{
    for (int64_t k = 0; k < MANY; k++) {
        const cairn_coord at = k * 48271 % MANY * SPARSE;

        coord[2 * k]     = at / columns;
        coord[2 * k + 1] = at % columns;
        value[k]         = (double)(k % 900 + 1);
    }
}

/// Buckets are ordered by several tasks, each of which calls the phase.
static void convert_bucketed(pair *p, const cairn_given *given)
{
    cairn_words    words;
    cairn_bucketed bucketed = {0};
    cairn_format  *format   = NULL;
    cairn_local   *expected = NULL, *made = NULL;
    bool           inside = true;

    cairn_entries_init(&p->entries, 2);
    cr_assert_eq(cairn_entries_take(&p->env, given, &p->entries), CAIRN_OK);
    cr_assert(cairn_words_within(given, &words));
    cr_assert_eq(cairn_entries_partition(&p->env, given, &words, &inside, &bucketed),
                 CAIRN_OK);
    cr_assert(inside);
    cr_assert_gt(bucketed.buckets, 1);
    cairn_build b = whole_build(p->shape, 64, &p->entries, NULL, NULL);

    cr_assert_eq(build_by_name(&p->env, b, "csr", &format, &expected), CAIRN_OK);
    b.loader   = p->loader;
    b.format   = format;
    b.bucketed = &bucketed;
    /* A task that finds no memory says so: no right arrays were left in memory before. */
    for (int64_t n = 0;; n++) {
        p->env.allowed            = n;
        const cairn_status status = cairn_local_build(&p->env, &b, &made);

        p->env.allowed = -1;
        if (status == CAIRN_OK) break;
        cr_assert_eq(status, CAIRN_NO_MEMORY, "block %ld: %s", (long)n, p->env.message);
    }
    check_part(p, &expected->part[0], &made->part[0]);
    cairn_local_destroy(&made);
    cairn_local_destroy(&expected);
    cairn_format_destroy(&format);
    cairn_bucketed_fini(&p->env, &bucketed);
    cairn_entries_fini(&p->env, &p->entries);
}

Test(compiled_convert, buckets_are_ordered_by_interpreted_phases, .timeout = 600)
{
    static cairn_coord        coord[2 * MANY];
    static double             value[MANY];
    static pair               p;
    const cairn_kernel_loader loader = interpreting(3);
    const cairn_given         given  = {
                 .order      = 2,
                 .n          = MANY,
                 .coord      = {coord, coord + 1},
                 .stride     = 16,
                 .bits       = 64,
                 .value      = value,
                 .apart      = 8,
                 .value_bits = 64,
                 .extent     = p.shape.extent
    };

    draw_unsorted(COLUMNS, coord, value);
    cairn_env_init(&p.env);
    p.shape = (cairn_shape){
        .order = 2, .extent = {MANY * SPARSE / COLUMNS, COLUMNS}
    };
    p.env.options.kernels = CAIRN_KERNELS_COMPILED;
    take_loader(&p, NULL, &loader);
    convert_bucketed(&p, &given);
    cr_assert_eq(p.env.live_blocks, 0);
    cairn_env_fini(&p.env);
}
