// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Members that are filled side by side: the arrays of one thread, whatever the threads;
/// what is noted of it; and of several failures always the first member's.

#include "convert/build.h"
#include "format/language.h"
#include "support/conversion.h"
#include "support/kernel_loader.h"
#include "support/names.h"
#include "support/random_format.h"

enum { ROWS = 140000, BAND = 4 }; /* more entries than one thread is given */

/// A band that is full in half of the rows, and one more entry in all of them.
static void add_entries(cairn_env *env, cairn_entries *entries)
{
    cairn_entries_init(entries, 2);
    for (cairn_coord i = 0; i < ROWS; i++) {
        const cairn_coord far = (i * 7919 + 13) % ROWS;

        for (cairn_coord j = i - 1; j < i - 1 + BAND; j++)
            if (j >= 0 && j < ROWS && j != far && i / 128 % 2 == 0)
                cr_assert_eq(cairn_entries_add(env, entries, (cairn_coord[]){i, j},
                                               (double)(2 * i + j + 1)),
                             CAIRN_OK);
        cr_assert_eq(cairn_entries_add(env, entries, (cairn_coord[]){i, far}, 0.5),
                     CAIRN_OK);
    }
    cr_assert_eq(cairn_entries_sort(env, entries), CAIRN_OK);
}

static const cairn_shape shape = {
    2,
    {ROWS, ROWS}
};

static cairn_status build_as(cairn_env           *env,
                             const char          *name,
                             const cairn_entries *entries,
                             const cairn_local   *from,
                             test_loader         *loader,
                             cairn_task_log      *log,
                             cairn_format       **format,
                             cairn_local        **tensor)
{
    cairn_build build =
        whole_build(shape, 64, entries, from, loader ? &loader->loader : NULL);

    build.report.log = log;
    return build_by_name(env, build, name, format, tensor);
}

/// One task for the dealing, two for each member, whose fill is predicted by its passes;
/// nobody is filled before it is counted.
static void check_log(const cairn_task_log *log, int members, int threads)
{
    double counted = 0, predicted = 0;

    cr_assert_eq(log->tasks, 1 + 2 * members);
    for (int k = 0; k < log->tasks; k++) {
        const cairn_logged_task *its  = &log->entry[k];
        const bool               fill = strcmp(its->task.label, "fill") == 0;

        cr_expect(its->time.end >= its->time.begin && its->time.begin > 0
                  && its->task.bytes > 0);
        cr_expect(its->task.queue >= 0 && its->task.queue < (fill ? threads : 1));
        cr_expect_eq(its->number, k ? (k - 1) % members : -1);
        cr_expect_str_eq(its->task.kind, "convert");
        cr_expect_eq(fill, k > members);
        cr_expect(its->task.cost == 0 || fill);
        predicted += its->task.cost;
        if (!fill) counted = its->time.end;
        if (fill) cr_expect_geq(its->time.begin, counted);
    }
    cr_expect(predicted > 0 && predicted < 10, "%g s", predicted);
}

static void compare(cairn_env           *env,
                    const char          *name,
                    const cairn_entries *entries,
                    cairn_local         *from)
{
    cairn_format *format, *again;
    cairn_local  *reference, *compiled;

    cr_assert_eq(build_as(env, name, entries, from, NULL, NULL, &format, &reference),
                 CAIRN_OK, "%s: %s", name, env->message);
    for (int threads = 1; threads <= 5; threads += 2) {
        test_loader   *loader = test_loader_create(env, threads);
        cairn_task_log log    = {.tasks = 0};

        cr_assert_eq(
            build_as(env, name, entries, from, loader, &log, &again, &compiled),
            CAIRN_OK, "%s: %s", name, env->message);
        check_same(reference, compiled, name);
        check_log(&log, format->members, threads);
        cairn_local_destroy(&compiled);
        cairn_format_destroy(&again);
        test_loader_destroy(loader);
    }
    cairn_local_destroy(&reference);
    cairn_format_destroy(&format);
}

Test(compiled_beside, the_same_arrays_for_any_threads, .timeout = 240)
{
    static const char *const to[] = {
        "hybrid<bdia<64>,csr,0.6>", /* groups of slots by share; one thread */
        "hybrid<csc,csr,0.6>",      /* cursors by share */
        "hybrid<dia,coo,0.6>",      /* one group of slots for all shares */
        "#hybrid<{ fmats = [bdia<16>, csc, sell<8>, coo], thresholds = [0.9, 0.5, 0.4] "
        "}>",
    };
    static cairn_env env;
    cairn_entries    entries;
    cairn_format    *format;
    cairn_local     *csr;

    cairn_env_init(&env);
    env.options.kernels = CAIRN_KERNELS_COMPILED;
    add_entries(&env, &entries);
    cr_assert_eq(build_as(&env, "csr", &entries, NULL, NULL, NULL, &format, &csr),
                 CAIRN_OK);
    for (size_t k = 0; k < sizeof to / sizeof *to; k++) {
        compare(&env, to[k], &entries, NULL);
        compare(&env, to[k], &entries, csr);
    }
    cairn_local_destroy(&csr);
    cairn_format_destroy(&format);
    cairn_entries_fini(&env, &entries);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

/// Both members have more nodes than their ptr holds; the second is done first.
Test(compiled_beside, the_first_member_s_failure_is_told, .timeout = 240)
{
    static const char name[] =
        "#hybrid<{ fmats = ["
        "#encoding<{ idx_map<(d0,d1)->(d0/64,d1-d0,d0%64)>, "
        "mutation<merge(0), trim(1,1)>, bits<ptr(1)=8> }>, "
        "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)>, "
        "bits<ptr(1)=16> }>], thresholds = [0.6] }>";
    static cairn_env env;
    cairn_entries    entries;
    cairn_format    *format;
    cairn_local     *tensor = NULL;

    cairn_env_init(&env);
    env.options.kernels = CAIRN_KERNELS_COMPILED;
    add_entries(&env, &entries);
    for (int round = 0; round < 6; round++) {
        test_loader *loader = test_loader_create(&env, 4);

        cr_assert_eq(
            build_as(&env, name, &entries, NULL, loader, NULL, &format, &tensor),
            CAIRN_OVERFLOW, "%s", env.message);
        cr_expect_not_null(strstr(env.message, "ptr(1) = 8 is too small for "), "%s",
                           env.message);
        cr_expect_null(tensor);
        cairn_format_destroy(&format);
        test_loader_destroy(loader);
    }
    cairn_entries_fini(&env, &entries);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

/// Allocations that a build makes.
static int64_t count_allocations(cairn_env           *env,
                                 const char          *name,
                                 const cairn_entries *entries,
                                 test_loader         *loader)
{
    enum { MANY = 1 << 30 };
    cairn_format *format;
    cairn_local  *tensor;

    env->allowed = MANY;
    cr_assert_eq(build_as(env, name, entries, NULL, loader, NULL, &format, &tensor),
                 CAIRN_OK, "%s", env->message);
    const int64_t made = MANY - env->allowed;

    env->allowed = -1;
    cairn_local_destroy(&tensor);
    cairn_format_destroy(&format);
    return made;
}

/// Wherever memory ends, once the format was read, that is what is told, and nothing is
/// kept.
Test(compiled_beside, memory_may_end_anywhere, .timeout = 240)
{
    static const char name[] =
        "#hybrid<{ fmats = [bdia<16>, csc, sell<8>, coo], thresholds = [0.9, 0.5, 0.4] "
        "}>";
    static cairn_env env;
    cairn_entries    entries;
    cairn_format    *format = NULL;
    cairn_local     *tensor = NULL;

    cairn_env_init(&env);
    add_entries(&env, &entries);
    env.options.kernels  = CAIRN_KERNELS_COMPILED;
    test_loader  *loader = test_loader_create(&env, 4);
    const int64_t all    = count_allocations(&env, name, &entries, loader);
    const int64_t blocks = env.live_blocks;

    for (int64_t n = all - 1; n > all / 10; n -= n > all - 40 ? 1 : 37) {
        env.allowed    = n;
        env.message[0] = '\0';
        const cairn_status status =
            build_as(&env, name, &entries, NULL, loader, NULL, &format, &tensor);

        env.allowed = -1;
        cr_assert(status == CAIRN_NO_MEMORY, "%d: %s", (int)n, env.message);
        cr_expect_not_null(strstr(env.message, "out of memory"), "%s", env.message);
        cr_expect_null(tensor);
        cairn_format_destroy(&format);
        cr_expect_eq(env.live_blocks, blocks);
    }
    test_loader_destroy(loader);
    cairn_entries_fini(&env, &entries);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}
