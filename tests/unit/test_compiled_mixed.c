// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Random formats whose queries are of several kinds, built the compiled way and the
/// reference way: the same arrays, bit for bit. Rows are put in order, groups or entries are
/// numbered along lines, and entries at a distance: some queries are answered by functions
/// and others are run on coordinates, side by side. Orders 2 and 3; from entries and from
/// rows; trimmed, padded, partitioned, packed.
///
/// The seed is printed; MIXED_SEED=N begins with seed N.

#include "convert/build.h"
#include "format/language.h"
#include "support/conversion.h"
#include "support/kernel_loader.h"
#include "support/names.h"
#include "support/random_format.h"
#include "support/seed.h"

enum { USUAL_CASES = 120, COMPILED = 40 }; ///< One of so many is compiled.

static const cairn_kernel_loader interpreter = {.interprets   = true,
                                                .vector_bytes = 32,
                                                .threads      = 1};

typedef struct {
    cairn_env                  env;
    const cairn_kernel_loader *loader;
    uint64_t                   seed, state;
    cairn_shape                shape;
    cairn_entries              entries;
    char                       text[RANDOM_FORMAT];
} example;

/// Cases that ran; of these, those of which some queries were run, and of which none were.
typedef struct {
    int ran, refused, mixed, compiled;
} score;

/* ---- what is drawn ---- */

static void draw_entries(example *e)
{
    const int n = random_below(&e->state, 800), full = random_below(&e->state, 4);

    e->shape = (cairn_shape){.order = random_chance(&e->state, 80) ? 2 : 3};
    for (int d = 0; d < e->shape.order; d++)
        e->shape.extent[d] = 1 + random_below(&e->state, e->shape.order == 3 ? 7 : 24);
    cairn_entries_init(&e->entries, e->shape.order);
    for (int k = 0; k < n; k++) {
        cairn_coord d[3];

        for (int j = 0; j < e->shape.order; j++)
            d[j] = random_below(&e->state, (int)e->shape.extent[j]);
        if (full == 1 && d[0] % 7 < 4) continue;
        cr_assert_eq(cairn_entries_add(&e->env, &e->entries, d,
                                       1 + random_below(&e->state, 1000) / 8.0),
                     CAIRN_OK);
    }
    cr_assert_eq(cairn_entries_sort(&e->env, &e->entries), CAIRN_OK);
}

/// A kind of query that random encodings have, beside those there are.
static void add_queries(random_map *m, void (*draw)(random_map *m))
{
    char before[sizeof m->queries];

    strcpy(before, m->queries);
    draw(m);
    if (!before[0]) return;
    strcat(before, "; ");
    strncat(before, m->queries, sizeof before - strlen(before) - 1);
    strcpy(m->queries, before);
}

/// An enum of its own, that no sum is beside, and of groups that no other has: two spellings
/// of one query are one.
static void draw_second(random_map *m)
{
    const int d  = random_below(m->state, m->order),
              to = random_below(m->state, m->order);

    snprintf(m->queries, sizeof m->queries,
             "second = enum(value) groupBy %s->(d%d/5) traverseBy %s->(%sd%d) with "
             "value ne 0 -> 0 | otherwise -> none",
             m->dims, d, m->dims, random_chance(m->state, 50) ? "-" : "", to);
    random_insert(m, random_below(m->state, m->levels + 1), "second");
}

static void draw_format(example *e)
{
    random_map m = {.state = &e->state};
    char       mutation[256], layout[128];

    random_build_map(&m, e->shape.order, false);
    if (random_chance(&e->state, 70)) add_queries(&m, random_place);
    if (random_chance(&e->state, 70))
        add_queries(&m, random_chance(&e->state, 60) ? random_slot : random_blocks);
    if (!m.queries[0] || random_chance(&e->state, 40)) add_queries(&m, draw_second);
    const int S = random_mutation(&m, mutation, sizeof mutation);

    random_layout(&m, S, layout, sizeof layout);
    snprintf(e->text, sizeof e->text, "#encoding<{ idx_map<%s->(", m.dims);
    for (int l = 0; l < m.levels; l++)
        snprintf(e->text + strlen(e->text), sizeof e->text - strlen(e->text), "%s%s",
                 l ? "," : "", m.expr[l]);
    snprintf(e->text + strlen(e->text), sizeof e->text - strlen(e->text),
             ")>%s, indirect<{ %s }>%s }>", mutation, m.queries, layout);
}

/* ---- both ways ---- */

static cairn_status build(example            *e,
                          const cairn_format *format,
                          const cairn_local  *from,
                          int                *interpreted,
                          cairn_local       **made)
{
    cairn_build b = {
        .format             = format,
        .shape              = e->shape,
        .entries            = from ? NULL : &e->entries,
        .from               = from,
        .value_bits         = 64,
        .loader             = interpreted ? e->loader : NULL,
        .report.interpreted = interpreted,
    };

    for (int d = 0; d < e->shape.order; d++)
        b.box[d] = (cairn_interval){0, e->shape.extent[d] - 1};
    return cairn_local_build(&e->env, &b, made);
}

static int queries_of(const cairn_format *format)
{
    return format->member[0]->queries;
}

static void
compare(example *e, const cairn_format *format, const cairn_local *from, score *s)
{
    cairn_local       *reference = NULL, *compiled = NULL;
    int                interpreted = 0;
    const cairn_status expected    = build(e, format, from, NULL, &reference);
    const cairn_status status      = build(e, format, from, &interpreted, &compiled);

    cr_assert_eq(status, expected, "seed %llu: %d, not %d: %s\n%s",
                 (unsigned long long)e->seed, (int)status, (int)expected,
                 e->env.message, e->text);
    if (status == CAIRN_OK) {
        char note[RANDOM_FORMAT + 64];

        snprintf(note, sizeof note, "seed %llu: %s", (unsigned long long)e->seed,
                 e->text);
        check_same(reference, compiled, note);
        s->ran++;
        s->compiled += interpreted == 0;
        s->mixed += interpreted > 0 && interpreted < queries_of(format);
    } else {
        s->refused++;
    }
    cairn_local_destroy(&reference);
    cairn_local_destroy(&compiled);
}

static void run_case(test_loader *loader, uint64_t seed, score *s)
{
    static example e;
    cairn_format  *format = NULL, *rows = NULL;
    cairn_local   *from = NULL;

    memset(&e, 0, sizeof e);
    cairn_env_init(&e.env);
    e.seed = e.state      = seed;
    e.loader              = seed % COMPILED ? &interpreter : &loader->loader;
    loader->env           = &e.env;
    e.env.options.kernels = CAIRN_KERNELS_COMPILED;
    e.env.options.memory  = (int64_t)24 << 20;
    draw_entries(&e);
    draw_format(&e);
    if (cairn_format_parse(&e.env, NULL, e.text, "random", &format) == CAIRN_OK) {
        compare(&e, format, NULL, s);
        rows = parse_format(&e.env, e.shape.order == 2 ? "csr" : "csf<3>");
        if (build(&e, rows, NULL, NULL, &from) == CAIRN_OK)
            compare(&e, format, from, s);
    }
    cairn_local_destroy(&from);
    cairn_format_destroy(&rows);
    cairn_format_destroy(&format);
    cairn_entries_fini(&e.env, &e.entries);
    cr_assert_eq(e.env.live_blocks, 0, "seed %llu leaks", (unsigned long long)seed);
    cairn_env_fini(&e.env);
}

Test(compiled_mixed, arrays_are_those_of_the_reference, .timeout = 3600)
{
    const char    *given  = getenv("MIXED_SEED");
    const uint64_t seed   = given ? strtoull(given, NULL, 10) : seed_clock() * 1000003;
    const int      cases  = seed_cases(USUAL_CASES);
    test_loader   *loader = test_loader_create(NULL, 3);
    score          s      = {0};

    printf("first seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    for (int k = 0; s.ran < cases && k < (given ? 1 : 20 * cases); k++)
        run_case(loader, seed + (uint64_t)k, &s);
    printf("%d ran, %d of them without running a query, %d with some; %d refused\n",
           s.ran, s.compiled, s.mixed, s.refused);
    if (!given) cr_expect_geq(s.ran, cases, "only %d of %d cases ran", s.ran, cases);
    if (!given && seed_whole()) {
        cr_expect_gt(10 * (s.mixed + s.compiled), 3 * s.ran);
        cr_expect_gt(10 * s.mixed, s.ran, "no query was answered by itself");
    }
    test_loader_destroy(loader);
}
