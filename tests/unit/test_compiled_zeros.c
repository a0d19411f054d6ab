// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Stored zeros, which are entries like others: none, one, a few, many, rows of nothing
/// else. Formats with queries are filled by the same passes as without, nothing is
/// interpreted, and the arrays are those of the reference way.

#include "convert/build.h"
#include "rules/path.h"
#include "support/conversion.h"
#include "support/kernel_loader.h"

enum { ROWS = 97, COLS = 61, TARGETS = 16 };

static const char *const targets[TARGETS] = {
    "ell",
    "sell<3>",
    "sell<640>",
    "sell-sigma<4,8>",
    "sell-sigma<2,97>",
    "bell<2>",
    "bell<5>",
    "cisr<7>",
    "cisr-plus<7>",
    "serpens<4,16,3>",
    "hybrid<bdia<4>,csr,0.6>",
    "hybrid<bcsr<2,2>,coo,0.5>",
    "hybrid<bell<3>,csr,0.4>",
    "hybrid<ell,coo,0.5,0.5>",
    "hybrid<sell-sigma<4,8>,csr,0.2,0.5>",
    "hybrid<bdia<4>,sell<8>,0.6>",
};

/// Sources that do not pad: of others a stored zero cannot be told.
static const char *const sources[] = {"", "csr", "coo", "csc", "dcsr", "dok"};

/// How many of 1000 values are zeros; one of all, or every third row, besides.
static const struct {
    int  of_1000;
    bool one, rows;
} kinds[] = {
    {0,    true,  false},
    {20,   false, false},
    {600,  false, false},
    {50,   false, true },
    {1000, false, false},
};

typedef struct {
    cairn_env     env;
    test_loader  *loader;
    cairn_entries entries;
    int           bits;
    const char   *from, *to;
    cairn_format *source_format;
    cairn_local  *source;
} fixture;

static void draw(fixture *f, uint64_t seed)
{
    uint64_t state = seed;

    cairn_entries_init(&f->entries, 2);
    for (cairn_coord i = 0; i < ROWS; i++)
        for (cairn_coord j = 0; j < COLS; j++)
            if (random_chance(&state, i % 5 == 2 ? 0 : (i + j) % 9 < 2 ? 60 : 7))
                cr_assert_eq(cairn_entries_add(&f->env, &f->entries,
                                               (cairn_coord[]){i, j},
                                               1 + random_below(&state, 100)),
                             CAIRN_OK);
}

/// Zeros of both signs.
static void put_zeros(fixture *f, size_t kind, uint64_t seed)
{
    uint64_t        state = seed;
    const cairn_pos one   = random_below(&state, (int)f->entries.n);

    for (cairn_pos k = 0; k < f->entries.n; k++)
        if ((kinds[kind].one && k == one)
            || (kinds[kind].rows && f->entries.coord[0][k] % 3 == 0)
            || random_below(&state, 1000) < kinds[kind].of_1000)
            f->entries.value[k] = k % 2 ? 0.0 : -0.0;
}

/// @param[out] program  What was done; NULL: the reference way.
static cairn_local *store(fixture *f, cairn_format *format, char **program)
{
    int          interpreted = 0;
    cairn_path  *path        = NULL;
    cairn_local *made;
    cairn_build  b = whole_build(
         (cairn_shape){
             2, {ROWS, COLS}
    },
         f->bits, &f->entries, f->source, program ? &f->loader->loader : NULL);

    b.format             = format;
    b.report.executed    = &path;
    b.report.interpreted = program ? &interpreted : NULL;
    cr_assert_eq(cairn_local_build(&f->env, &b, &made), CAIRN_OK, "%s", f->env.message);
    if (program) cr_assert_eq(cairn_pass_list_print(&path->program, program), CAIRN_OK);
    if (!strstr(f->to, "serpens")) /* whose numbers keep a distance */
        cr_expect_eq(interpreted, 0, "%s to %s", f->from, f->to);
    cairn_path_destroy(&path);
    return made;
}

static void open_source(fixture *f)
{
    f->source_format = NULL;
    f->source        = NULL;
    if (f->from[0])
        f->source = must_build(&f->env,
                               whole_build(
                                   (cairn_shape){
                                       2, {ROWS, COLS}
        },
                                   f->bits, &f->entries, NULL, NULL),
                               f->from, &f->source_format);
}

static void close_source(fixture *f)
{
    cairn_local_destroy(&f->source);
    cairn_format_destroy(&f->source_format);
}

/// Store both ways. @return the program.
static char *check(fixture *f, cairn_format *format)
{
    char         name[200], *program;
    cairn_local *reference, *compiled;

    snprintf(name, sizeof name, "%s to %s, f%d", f->from, f->to, f->bits);
    open_source(f);
    reference = store(f, format, NULL);
    compiled  = store(f, format, &program);
    check_same(reference, compiled, name);
    cairn_local_destroy(&reference);
    cairn_local_destroy(&compiled);
    close_source(f);
    return program;
}

static void check_all(fixture *f)
{
    cairn_format *format = parse_format(&f->env, f->to);

    draw(f, 77);
    char *const without = check(f, format);

    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        cairn_entries_fini(&f->env, &f->entries);
        draw(f, 77);
        put_zeros(f, kind, 5 + kind);
        char *const with = check(f, format);

        cr_expect_str_eq(with, without, "%s to %s, kind %d", f->from, f->to, (int)kind);
        cairn_free(&f->env, with);
    }
    cairn_entries_fini(&f->env, &f->entries);
    cairn_free(&f->env, without);
    cairn_format_destroy(&format);
}

static void check_targets(int begin, int end)
{
    static fixture f;

    cairn_env_init(&f.env);
    f.env.options.kernels = CAIRN_KERNELS_COMPILED;
    f.loader              = test_loader_create(&f.env, 1);
    for (int t = begin; t < end; t++)
        for (size_t s = 0; s < sizeof sources / sizeof *sources; s++) {
            f.to   = targets[t];
            f.from = sources[s];
            f.bits = (t + s) % 2 ? 32 : 64;
            check_all(&f);
        }
    test_loader_destroy(f.loader);
    cr_expect_eq(f.env.live_blocks, 0);
    cairn_env_fini(&f.env);
}

Test(compiled_zeros, are_no_event, .timeout = 900)
{
    check_targets(0, TARGETS / 2);
}

Test(compiled_zeros, are_no_event_in_hybrids, .timeout = 900)
{
    check_targets(TARGETS / 2, TARGETS);
}
