// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Entries that go side by side from rows to blocks, rows that are like the row before
/// them, and nodes that are known by the groups by which entries were assigned: that
/// these ways are taken where they may be, and give the reference's arrays in memory that
/// was not zero.

#include "convert/build.h"
#include "emit/c.h"
#include "format/language.h"
#include "lower/conversion/convert.h"
#include "support/conversion.h"
#include "support/kernel_loader.h"
#include "support/names.h"
#include "support/random_format.h"

#include <malloc.h>

enum { ROWS = 53, COLS = 47 }; /* multiples of no block */

#define digits_of_six                                              \
    "#encoding<{ idx_map<(d0,d1)->(d0/2,d1/6,d0%2,d1%6/3,d1%3)>, " \
    "mutation<merge(0), trim(1,1)> }>"

/// Blocks of 3x3, most of them full; rows that are empty, alike, and shifted; some rows of
/// blocks of which all are full.
static void add_entries(cairn_env *env, uint64_t seed, cairn_entries *entries)
{
    uint64_t state = seed;

    cairn_entries_init(entries, 2);
    for (cairn_coord i = 0; i < ROWS; i++)
        for (cairn_coord j = 0; j < COLS; j++) {
            uint64_t       its   = seed * 1000 + (uint64_t)(i / 3 * COLS + j / 3);
            const uint64_t block = random_next(&its);
            const bool     near  = i % 11 == 0 && j - i >= 0 && j - i < 5;
            const bool     whole = i / 3 % 3 == 1 || !random_chance(&state, 4);
            const bool     full  = block % 4 == 0 && whole;

            if (i % 17 == 5 || (!near && !full)) continue;
            cr_assert_eq(cairn_entries_add(env, entries, (cairn_coord[]){i, j},
                                           (double)(random_below(&state, 9) - 1)),
                         CAIRN_OK);
        }
}

static const cairn_shape shape = {
    2,
    {ROWS, COLS}
};

static void compare(cairn_env         *env,
                    const char        *name,
                    int                bits,
                    const cairn_local *from,
                    test_loader       *loader)
{
    cairn_build   build = whole_build(shape, bits, NULL, from, NULL);
    cairn_format *format, *again;
    cairn_local  *reference = must_build(env, build, name, &format);

    build.loader          = &loader->loader;
    cairn_local *compiled = must_build(env, build, name, &again);

    check_same(reference, compiled, name);
    cairn_local_destroy(&reference);
    cairn_local_destroy(&compiled);
    cairn_format_destroy(&format);
    cairn_format_destroy(&again);
}

Test(compiled_runs, blocks_are_those_of_the_reference, .timeout = 120)
{
    static const char *const from[] = {"csr", "dcsr", "coo", "bcsr<2,3>"};
    static const char *const to[]   = {
          "bcsr<3,3>",
          "bcsr<1,2>",
          "bcsr<4,6>",
          "bcsr<64,64>",
          "bcsr<2,65>",
          "bdia<4>",
          "hybrid<bcsr<3,3>,csr,0.7>",
          "hybrid<bdia<4>,csr,0.5>",
          "#encoding<{ idx_map<(d0,d1)->(d0/3,(d1+1)/3,d0%3,(d1+1)%3)>, "
            "mutation<merge(0), trim(1,1)> }>",
          "#encoding<{ idx_map<(d0,d1)->(d0/3,(d0+d1)/4,d0%3,(d0+d1)%4)>, "
            "mutation<merge(0), trim(1,1)> }>",
          digits_of_six,
    };
    static cairn_env env;

    mallopt(M_PERTURB, 0x5a);
    cairn_env_init(&env);
    env.options.kernels = CAIRN_KERNELS_COMPILED;
    test_loader *loader = test_loader_create(&env, 2);

    for (uint64_t seed = 1; seed < 4; seed++)
        for (size_t f = 0; f < sizeof from / sizeof *from; f++) {
            cairn_entries entries;
            cairn_format *format;
            cairn_local  *source;

            add_entries(&env, seed, &entries);
            source = must_build(
                &env, whole_build(shape, seed % 2 ? 64 : 32, &entries, NULL, NULL),
                from[f], &format);
            for (size_t k = 0; k < sizeof to / sizeof *to; k++)
                compare(&env, to[k], seed % 3 ? 64 : 32, source, loader);
            cairn_local_destroy(&source);
            cairn_format_destroy(&format);
            cairn_entries_fini(&env, &entries);
        }
    test_loader_destroy(loader);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

/// Was a function got whose key begins with @p phase, and whose text has @p note?
static bool has_kernel(const test_loader *loader, const char *phase, const char *note)
{
    for (int k = 0; k < loader->kernels; k++)
        if (strncmp(loader->kernel[k].key, phase, strlen(phase)) == 0
            && strstr(loader->kernel[k].source, note))
            return true;
    return false;
}

typedef struct {
    const char *from, *to;
    bool        marks, alike, runs, full;
} expected;

Test(compiled_runs, the_short_ways_are_taken_where_they_hold, .timeout = 120)
{
    static const expected cases[] = {
        {"csr",  "bcsr<3,3>",                 true,  true,  true,  true }, /* all of them */
        {"dcsr", "bcsr<3,3>",                 true,  true,  true,  true }, /* rows are nodes */
        {"coo",  "bcsr<3,3>",                 true,  false, false, false}, /* no rows */
        {"csr",  "bdia<4>",                   true,  false, false, false}, /* by row */
        {"csr",  digits_of_six,               true,  true,  false, false}, /* two digits */
        {"csr",  "hybrid<bdia<4>,csr,0.5>",   false, false, false, false}, /* are known */
        {"csr",  "hybrid<bcsr<3,3>,csr,0.7>", false, false, false, false},
        {"coo",  "hybrid<bdia<4>,csr,0.5>",   false, false, false, false},
    };
    static cairn_env env;
    cairn_entries    entries;

    cairn_env_init(&env);
    env.options.kernels = CAIRN_KERNELS_COMPILED;
    add_entries(&env, 7, &entries);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const expected *want   = &cases[k];
        test_loader    *loader = test_loader_create(&env, 1);
        cairn_format   *format;
        cairn_local    *source;

        source = must_build(&env, whole_build(shape, 64, &entries, NULL, NULL),
                            want->from, &format);
        compare(&env, want->to, 64, source, loader);
        cr_expect_eq(has_kernel(loader, "convert: mark", ""), want->marks, "%s to %s",
                     want->from, want->to);
        cr_expect_eq(has_kernel(loader, "convert: mark", "like the row before"),
                     want->alike, "%s to %s", want->from, want->to);
        cr_expect_eq(has_kernel(loader, "convert: place", "a run that is whole"),
                     want->runs, "%s to %s", want->from, want->to);
        cr_expect_eq(has_kernel(loader, "convert: place", "a full row"), want->full,
                     "%s to %s", want->from, want->to);
        cr_expect(has_kernel(loader, "convert: place", "no value yet"));
        cairn_local_destroy(&source);
        cairn_format_destroy(&format);
        test_loader_destroy(loader);
    }
    cairn_entries_fini(&env, &entries);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}
