// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conversions on several threads where what is written outgrows the nodes that are read:
/// a block that becomes several nodes, against the reference way.

#include "convert/build.h"
#include "format/language.h"
#include "phases/thread_ranges.h"
#include "support/conversion.h"
#include "support/kernel_loader.h"
#include "support/names.h"
#include "support/random_format.h"

enum { ROWS = 120000, COLS = 6 }; /* more entries than one thread is given */

/// Rows of columns by their remainder: not in the order in which they are read.
static const char target[] =
    "#encoding<{ idx_map<(d0,d1)->(d0,d1%3,d1/3)>, mutation<merge(0,1), trim(1,1)> }>";

/// Two neighbours a row: one block of 2, two remainders by 3.
static void add_pairs(cairn_env *env, cairn_entries *entries)
{
    cairn_entries_init(entries, 2);
    for (cairn_coord i = 0; i < ROWS; i++)
        for (cairn_coord j = i * i % 7 % 3 * 2, k = 0; k < 2; j++, k++)
            cr_assert_eq(cairn_entries_add(env, entries, (cairn_coord[]){i, j},
                                           (double)(i + j + 1)),
                         CAIRN_OK);
}

static const cairn_shape shape = {
    2,
    {ROWS, COLS}
};

/// The index of a determined level that the entries of all rows write: one thread's job.
Test(compiled_threads, determined_indices_are_written_by_one_thread, .timeout = 120)
{
    static const char *const to[] = {
        "#encoding<{ idx_map<(d0,d1)->(d1,d0,d1/2)>, mutation<merge(0), trim(1,1)> }>",
        "#encoding<{ idx_map<(d0,d1)->(d1-d0%2,d0,d1)>, mutation<merge(0), trim(0,0)> "
        "}>",
    };
    static cairn_env env;
    cairn_entries    entries;
    cairn_format    *source_format, *format;
    cairn_local     *source, *reference, *compiled;

    cairn_env_init(&env);
    env.options.kernels = CAIRN_KERNELS_COMPILED;
    add_pairs(&env, &entries);
    test_loader *loader = test_loader_create(&env, 3);

    for (size_t k = 0; k < sizeof to / sizeof *to; k++) {
        source = must_build(&env, whole_build(shape, 64, &entries, NULL, NULL), "csr",
                            &source_format);
        reference = must_build(&env, whole_build(shape, 64, &entries, source, NULL),
                               to[k], &format);
        cairn_format_destroy(&format);
        compiled =
            must_build(&env, whole_build(shape, 64, &entries, source, &loader->loader),
                       to[k], &format);
        check_same(reference, compiled, to[k]);
        cairn_local_destroy(&reference);
        cairn_local_destroy(&compiled);
        cairn_local_destroy(&source);
        cairn_format_destroy(&format);
        cairn_format_destroy(&source_format);
    }
    test_loader_destroy(loader);
    cairn_entries_fini(&env, &entries);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

Test(compiled_threads, blocks_become_several_nodes, .timeout = 120)
{
    static const char *const from[] = {"bcsr<1,2>", "bcsr<1,4>", "csr"};
    static cairn_env         env;
    cairn_entries            entries;
    cairn_format            *source_format, *format;
    cairn_local             *source, *reference, *compiled;

    cairn_env_init(&env);
    env.options.kernels = CAIRN_KERNELS_COMPILED;
    add_pairs(&env, &entries);
    test_loader *loader = test_loader_create(&env, 3);

    for (size_t k = 0; k < sizeof from / sizeof *from; k++) {
        source = must_build(&env, whole_build(shape, 64, &entries, NULL, NULL), from[k],
                            &source_format);
        reference = must_build(&env, whole_build(shape, 64, &entries, source, NULL),
                               target, &format);
        cairn_format_destroy(&format);
        compiled =
            must_build(&env, whole_build(shape, 64, &entries, source, &loader->loader),
                       target, &format);
        check_same(reference, compiled, from[k]);
        cairn_local_destroy(&reference);
        cairn_local_destroy(&compiled);
        cairn_local_destroy(&source);
        cairn_format_destroy(&format);
        cairn_format_destroy(&source_format);
    }
    test_loader_destroy(loader);
    cairn_entries_fini(&env, &entries);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

/// Fewer entries than threads of OpenMP are given are counted and dealt out by a team that
/// stays awake between the two, each thread with cursors of its own: the same arrays as by
/// one thread. Those of a symmetric pattern, whose indices are spared, are left to one.
Test(compiled_threads, few_entries_are_dealt_out_by_several, .timeout = 120)
{
    enum { LINES = 9000 };
    static cairn_env         env;
    static const cairn_shape square = {
        2, {LINES, LINES}
    };
    cairn_entries entries;
    cairn_format *source_format, *format;
    cairn_local  *source, *reference, *compiled;

    cairn_env_init(&env);
    env.options.kernels    = CAIRN_KERNELS_COMPILED;
    test_loader *loader[2] = {test_loader_create(&env, 2), test_loader_create(&env, 5)};

    for (int symmetric = 0; symmetric < 2; symmetric++) {
        cairn_entries_init(&entries, 2);
        for (cairn_coord i = 0; i < LINES; i++)
            for (cairn_coord j = i < 40 ? 0 : i - 40; j < LINES && j <= i + 40; j++)
                if (symmetric ? (i + j) % 7 == 0 : (i * j + i) % 7 == 0)
                    cr_assert_eq(cairn_entries_add(&env, &entries,
                                                   (cairn_coord[]){i, j},
                                                   (double)(i + 2 * j + 1)),
                                 CAIRN_OK);
        cr_assert(entries.n > CAIRN_RANGES_DEALT && entries.n < CAIRN_RANGES_WORTH,
                  "%lld", (long long)entries.n);
        source = must_build(&env, whole_build(square, 64, &entries, NULL, NULL), "csr",
                            &source_format);
        reference = must_build(&env, whole_build(square, 64, &entries, source, NULL),
                               "csc", &format);
        cairn_format_destroy(&format);
        for (int k = 0; k < 2; k++) {
            const int64_t before = env.thread_team.go.now;

            compiled = must_build(
                &env, whole_build(square, 64, &entries, source, &loader[k]->loader),
                "csc", &format);
            check_same(reference, compiled, symmetric ? "symmetric" : "not symmetric");
            cr_expect_eq(env.thread_team.go.now > before, !symmetric, "%s",
                         symmetric ? "symmetric" : "not symmetric");
            cairn_local_destroy(&compiled);
            cairn_format_destroy(&format);
        }
        cairn_local_destroy(&reference);
        cairn_local_destroy(&source);
        cairn_format_destroy(&source_format);
        cairn_entries_fini(&env, &entries);
    }
    test_loader_destroy(loader[1]);
    test_loader_destroy(loader[0]);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}
