// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Random formats that number groups along lines, and members cut by `keep`, built the
/// compiled way and the reference way: the same arrays, bit for bit. Block sizes that do
/// and do not divide the extents, lines of rows and of columns, traversal said or not,
/// padding that is numbered or not, few groups and many, orders 2 and 3, f32 and f64.
///
/// The seed is printed; BLOCKS_SEED=N begins with seed N.

#include "convert/build.h"
#include "format/language.h"
#include "support/kernel_loader.h"
#include "support/random_format.h"
#include "support/seed.h"

enum { USUAL_CASES = 40 };

typedef struct {
    cairn_env     env;
    test_loader  *loader;
    uint64_t      seed, state;
    int           threads;
    cairn_shape   shape;
    cairn_entries entries;
    int           value_bits;
    int           block[3]; ///< Of each dimension.
    char          text[RANDOM_FORMAT];
} example;

/// Cases that ran; of these, those of which no query was run on coordinates.
typedef struct {
    int ran, refused, compiled;
} score;

/* ---- what is drawn ---- */

/// Small boxes, whose groups are numbered by arithmetic, or large ones, with a band whose
/// lines of groups are long and in no order.
static void draw_shape(example *e)
{
    const bool large = random_chance(&e->state, 40);

    e->shape = (cairn_shape){.order = random_chance(&e->state, 80) ? 2 : 3};
    for (int d = 0; d < e->shape.order; d++) {
        e->block[d]        = 1 + random_below(&e->state, 5);
        e->shape.extent[d] = 1 + random_below(&e->state, e->shape.order == 3 ? 9 : 40);
        if (large && e->shape.order == 2)
            e->shape.extent[d] = 512 * e->block[d] + random_below(&e->state, 90);
    }
}

static void draw_entries(example *e)
{
    const int     n = random_below(&e->state, 4000), full = random_below(&e->state, 4);
    const int64_t heavy = random_below(&e->state, (int)e->shape.extent[0]);

    cairn_entries_init(&e->entries, e->shape.order);
    for (int k = 0; k < n; k++) {
        cairn_coord d[3];

        for (int j = 0; j < e->shape.order; j++)
            d[j] = random_below(&e->state, (int)e->shape.extent[j]);
        if (full == 0 && random_chance(&e->state, 30)) d[0] = heavy;
        if (full == 1 && d[0] % 7 < 4) continue;
        cr_assert_eq(cairn_entries_add(&e->env, &e->entries, d,
                                       1 + random_below(&e->state, 1000) / 8.0),
                     CAIRN_OK);
    }
    cr_assert_eq(cairn_entries_sort(&e->env, &e->entries), CAIRN_OK);
}

static void append(char *text, const char *more)
{
    snprintf(text + strlen(text), RANDOM_FORMAT - strlen(text), "%s", more);
}

/// "(d0,d1)->(" with those of the dimensions' quotients that are in @p mask, in a random
/// rotation.
static void append_map(example *e, char *text, uint32_t mask)
{
    const int order = e->shape.order, turn = random_below(&e->state, order);
    int       n = 0;

    append(text, order == 2 ? "(d0,d1)->(" : "(d0,d1,d2)->(");
    for (int k = 0; k < order; k++) {
        const int d = (k + turn) % order;
        char      one[32];

        if (!(mask >> d & 1)) continue;
        snprintf(one, sizeof one, "%sd%d/%d", n++ ? "," : "", d, e->block[d]);
        append(text, one);
    }
    append(text, ")");
}

/// The queries: which dimensions tell lines, and how the rest is numbered.
static void append_queries(example *e, char *text, uint32_t lines)
{
    static const char *const with[] = {"block eq 0 -> width | otherwise -> 0",
                                       "block ne 0 -> 0 | otherwise -> width",
                                       "block ge 1 -> 0 | otherwise -> none"};
    const uint32_t           all    = (1U << e->shape.order) - 1;
    const int                rest   = random_below(&e->state, 3);

    append(text, ", indirect<{ block = sum(value) groupBy ");
    append_map(e, text, all);
    append(text, random_chance(&e->state, 30)
                     ? " with value gt 50 -> 3 | value ne 0 -> 1 | otherwise -> 0"
                     : " with value ne 0 -> 1 | otherwise -> 0");
    if (rest < 2) {
        append(text, "; width = sum(block) groupBy ");
        append_map(e, text, lines);
        if (random_chance(&e->state, 50))
            append(text, " with block gt 0 -> 1 | otherwise -> 0");
    }
    append(text, "; slot = enum(block) groupBy ");
    append_map(e, text, lines);
    if (random_chance(&e->state, 70)) {
        append(text, " traverseBy ");
        append_map(e, text, all & ~lines);
    }
    append(text, " with ");
    append(text, with[rest]);
    append(text, " }>");
}

/// Levels: quotients and remainders, the slot among them; above it, perhaps, slices of
/// lines.
static int append_levels(example *e, char *text, uint32_t lines)
{
    const bool slices = random_chance(&e->state, 40) && (lines & 1);
    const int  order  = e->shape.order;
    char       one[64];

    append(text, order == 2 ? "(d0,d1)->(" : "(d0,d1,d2)->(");
    if (slices) {
        snprintf(one, sizeof one, "d0/%d,slot,d0/%d%%3", 3 * e->block[0], e->block[0]);
        append(text, one);
    } else {
        append(text, "slot");
    }
    for (int pass = 0; pass < 2; pass++) /* lines first */
        for (int d = 0; d < order; d++) {
            if ((lines >> d & 1) == (unsigned)pass || (slices && d == 0)) continue;
            snprintf(one, sizeof one, ",d%d/%d", d, e->block[d]);
            append(text, one);
        }
    for (int d = 0; d < order; d++) {
        snprintf(one, sizeof one, ",d%d%%%d", d, e->block[d]);
        append(text, one);
    }
    append(text, ")");
    return slices;
}

static void append_encoding(example *e, char *text)
{
    const int      order = e->shape.order;
    const uint32_t lines = 1 + (uint32_t)random_below(&e->state, (1 << order) - 2);
    char           one[64];

    append(text, "#encoding<{ idx_map<");
    const int at   = append_levels(e, text, lines);
    const int last = random_chance(&e->state, 80) ? at : at + 1;

    snprintf(one, sizeof one, ">, mutation<merge(%s%d), trim(%d,%d)>", at ? "0," : "",
             at, at, last);
    append(text, one);
    append_queries(e, text, lines);
    append(text, " }>");
}

/// The encoding, or a hybrid of it: by shares of the capacity, numbers, shares of the
/// fullest, cut or not.
static void draw_format(example *e)
{
    static const char *const modes[] = {"thresholds = [0.4]",
                                        "absolute thresholds = [1]",
                                        "maximum thresholds = [0.3]"};
    static const char *const cuts[]  = {"", ", keep = [0.5]", ", keep = [0.21]"};
    const bool               hybrid  = random_chance(&e->state, 60);

    e->text[0] = '\0';
    if (!hybrid) {
        append_encoding(e, e->text);
        return;
    }
    append(e->text, "#hybrid<{ fmats = [");
    append_encoding(e, e->text);
    append(e->text,
           e->shape.order == 2
               ? ", #encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<trim(0,1)> }>"
               : ", #encoding<{ idx_map<(d0,d1,d2)->(d0,d1,d2)>, "
                 "mutation<trim(0,2)> }>");
    append(e->text, "], query = sum(value) groupBy ");
    append_map(e, e->text, (1U << e->shape.order) - 1);
    append(e->text, " with value ne 0 -> 1 | otherwise -> 0, ");
    append(e->text, modes[random_below(&e->state, 3)]);
    append(e->text, cuts[random_below(&e->state, 3)]);
    append(e->text, " }>");
}

/* ---- both ways ---- */

static cairn_status
build(example *e, const cairn_format *format, int *interpreted, cairn_local **made)
{
    cairn_build b = {
        .format             = format,
        .shape              = e->shape,
        .entries            = &e->entries,
        .value_bits         = e->value_bits,
        .loader             = interpreted ? &e->loader->loader : NULL,
        .report.interpreted = interpreted,
    };

    for (int d = 0; d < e->shape.order; d++)
        b.box[d] = (cairn_interval){0, e->shape.extent[d] - 1};
    return cairn_local_build(&e->env, &b, made);
}

static void check_same(const example *e, const cairn_local *a, const cairn_local *b)
{
    cairn_array x[CAIRN_MAX_ARRAYS], y[CAIRN_MAX_ARRAYS];

    cr_assert_eq(a->parts, b->parts);
    for (int64_t p = 0; p < a->parts; p++) {
        const int arrays = cairn_part_arrays(&a->part[p], x);

        cr_assert_eq(a->part[p].nnz, b->part[p].nnz, "seed %llu\n%s",
                     (unsigned long long)e->seed, e->text);
        cr_assert_eq(arrays, cairn_part_arrays(&b->part[p], y));
        for (int k = 0; k < arrays; k++)
            cr_assert(x[k].bytes == y[k].bytes
                          && memcmp(x[k].data, y[k].data, (size_t)x[k].bytes) == 0,
                      "seed %llu: part %d: array %d differs\n%s",
                      (unsigned long long)e->seed, (int)p, k, e->text);
    }
}

static void compare(example *e, score *s)
{
    cairn_format *format;
    cairn_local  *reference = NULL, *compiled = NULL;
    int           interpreted = 0;

    cr_assert_eq(cairn_format_parse(&e->env, NULL, e->text, "random", &format),
                 CAIRN_OK, "seed %llu: %s\n%s", (unsigned long long)e->seed,
                 e->env.message, e->text);
    const cairn_status expected = build(e, format, NULL, &reference);
    const cairn_status status   = build(e, format, &interpreted, &compiled);

    cr_assert_eq(status, expected, "seed %llu: %d, not %d: %s\n%s",
                 (unsigned long long)e->seed, (int)status, (int)expected,
                 e->env.message, e->text);
    if (status == CAIRN_OK) {
        check_same(e, reference, compiled);
        s->ran++;
        s->compiled += interpreted == 0;
    } else {
        s->refused++;
    }
    cairn_local_destroy(&reference);
    cairn_local_destroy(&compiled);
    cairn_format_destroy(&format);
}

static void run_case(test_loader *loader, uint64_t seed, score *s)
{
    static example e;

    memset(&e, 0, sizeof e);
    cairn_env_init(&e.env);
    e.seed = e.state      = seed;
    e.loader              = loader;
    loader->env           = &e.env;
    e.env.options.kernels = CAIRN_KERNELS_COMPILED;
    e.env.options.memory  = (int64_t)256 << 20;
    e.value_bits          = random_chance(&e.state, 30) ? 32 : 64;
    draw_shape(&e);
    draw_entries(&e);
    draw_format(&e);
    compare(&e, s);
    cairn_entries_fini(&e.env, &e.entries);
    cr_assert_eq(e.env.live_blocks, 0, "seed %llu leaks", (unsigned long long)seed);
    cairn_env_fini(&e.env);
}

Test(compiled_blocks, arrays_are_those_of_the_reference, .timeout = 3600)
{
    const char    *given  = getenv("BLOCKS_SEED");
    const uint64_t seed   = given ? strtoull(given, NULL, 10) : seed_clock() * 1000003;
    const int      cases  = seed_cases(USUAL_CASES);
    test_loader   *loader = test_loader_create(NULL, 3);
    score          s      = {0};

    printf("first seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    for (int k = 0; s.ran < cases && k < (given ? 1 : 4 * cases); k++)
        run_case(loader, seed + (uint64_t)k, &s);
    printf("%d ran, %d of them without running a query; %d refused; %d kernels\n",
           s.ran, s.compiled, s.refused, loader->kernels);
    if (!given) cr_expect_eq(s.ran, cases, "only %d of %d cases ran", s.ran, cases);
    cr_expect(10 * s.compiled > 9 * s.ran || !seed_whole(),
              "too many queries were run");
    test_loader_destroy(loader);
}
