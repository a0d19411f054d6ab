// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Passes and the C printer on random functions: what is interpreted before the passes,
/// after them, and compiled, leaves the same bits in memory.

#include "base/env.h"
#include "emit/c.h"
#include "ir/passes.h"
#include "support/compile.h"
#include "support/ir_random.h"
#include "support/seed.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>

enum { USUAL_CASES = 2500 };

/// Without a warning but of what is declared and not used, and with a stop at what C
/// leaves undefined.
#define FLAGS                                                                \
    "-O1 -march=native -ffp-contract=off -Wall -Wextra -Werror -Wno-unused " \
    "-Wno-unused-parameter -Wno-unused-but-set-variable -Wno-type-limits "   \
    "-Wno-tautological-compare -fsanitize=undefined "                        \
    "-fsanitize-undefined-trap-on-error"

/// The same bits; any nan is like any other.
static bool same_reals(const double *a, const double *b)
{
    for (int n = 0; n < IR_LENGTH; n++)
        if (memcmp(a + n, b + n, sizeof *a) != 0 && !(isnan(a[n]) && isnan(b[n])))
            return false;
    return true;
}

static cairn_ir_function *build(cairn_env *env, uint64_t seed)
{
    cairn_ir           b;
    cairn_ir_function *f = NULL;

    ir_build_random(&b, env, seed);
    cr_assert_eq(cairn_ir_finish(&b, &f), CAIRN_OK, "seed %llu",
                 (unsigned long long)seed);
    cr_assert_eq(cairn_ir_check(env, f), CAIRN_OK, "seed %llu: %s",
                 (unsigned long long)seed, env->message);
    return f;
}

static void show(cairn_env *env, const cairn_ir_function *f)
{
    char *text = NULL;

    if (cairn_c_print(env, f, "f", &text) == CAIRN_OK)
        fprintf(stderr, "%s\n", strstr(text, "int64_t f("));
    cairn_free(env, text);
}

typedef cairn_status (*rewriting)(cairn_env *env, cairn_ir_function *f, bool *changed);

static cairn_status all(cairn_env *env, cairn_ir_function *f, bool *changed)
{
    *changed = true;
    return cairn_passes_run(env, f);
}

/// One function before and after @p pass. @return whether it could be compared.
static bool compare(cairn_env *env, uint64_t seed, rewriting pass)
{
    cairn_ir_function *f = build(env, seed);
    ir_memory          before, after;
    const char        *error;
    bool               changed  = false;
    const int64_t      expected = ir_interpret(f, &before, seed, &error);
    const bool         runs     = error == NULL; /* Some would take too long. */

    cr_assert(runs || error == ir_too_long, "seed %llu: %s", (unsigned long long)seed,
              error);
    cr_assert_eq(pass(env, f, &changed), CAIRN_OK, "seed %llu: %s",
                 (unsigned long long)seed, env->message);
    cr_assert_eq(cairn_ir_check(env, f), CAIRN_OK, "seed %llu: %s",
                 (unsigned long long)seed, env->message);
    if (runs) {
        const int64_t status = ir_interpret(f, &after, seed, &error);
        const bool same = !error && status == expected && same_reals(before.y, after.y);

        if (!same) show(env, f);
        cr_assert(same, "seed %llu: %s", (unsigned long long)seed,
                  error ? error : "other results");
    }
    cairn_ir_destroy(env, &f);
    return runs;
}

static void compare_many(rewriting pass)
{
    const uint64_t first    = seed_clock() * 1000003;
    const int      cases    = seed_cases(USUAL_CASES);
    int            compared = 0;
    cairn_env      env;

    cairn_env_init(&env);
    printf("first seed %llu\n", (unsigned long long)first);
    for (int k = 0; compared < cases && k < 4 * cases; k++)
        compared += compare(&env, first + (uint64_t)k, pass);
    cr_assert_eq(compared, cases);
    cr_assert_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

Test(passes_random, fold_keeps_results)
{
    compare_many(cairn_pass_fold);
}

Test(passes_random, bounds_keep_results)
{
    compare_many(cairn_pass_bounds);
}

Test(passes_random, hoist_keeps_results)
{
    compare_many(cairn_pass_hoist);
}

Test(passes_random, limits_keep_results)
{
    compare_many(cairn_pass_limits);
}

Test(passes_random, all_together_keep_results)
{
    compare_many(all);
}

/// Run compiled code on fresh numbers and compare with what was interpreted.
static void compare_compiled(cairn_env *env, uint64_t seed, const char *compiler)
{
    cairn_ir_function *f = build(env, seed);
    ir_memory          interpreted, compiled;
    const char        *error;
    char               folder[64], *text = NULL;
    const int64_t      expected = ir_interpret(f, &interpreted, seed, &error);

    if (!error) {
        scratch_create(folder);
        if (seed % 2) cr_assert_eq(cairn_passes_run(env, f), CAIRN_OK);
        cr_assert_eq(cairn_c_print(env, f, "random_function", &text), CAIRN_OK);

        const cairn_product_fn run = (cairn_product_fn)compile_load(
            folder, compiler, FLAGS, text, "random_function");

        ir_fill(&compiled, seed);
        cr_assert_eq(run(&compiled.part, &compiled.op), expected, "seed %llu:\n%s",
                     (unsigned long long)seed, text);
        cr_assert(same_reals(interpreted.y, compiled.y), "seed %llu, %s:\n%s",
                  (unsigned long long)seed, compiler, text);
        cairn_free(env, text);
        compile_remove(folder);
    }
    cairn_ir_destroy(env, &f);
}

Test(passes_random, compiled_by_gcc_and_by_clang)
{
    static const char *const compilers[] = {"gcc", "clang"};
    const uint64_t           first       = seed_clock() * 1000003;
    const int                cases       = seed_cases(USUAL_CASES) / 100;
    cairn_env                env;

    cairn_env_init(&env);
    for (int n = 0; n < 2; n++) {
        if (!compile_has(compilers[n])) continue;
        for (int k = 0; k < cases; k++)
            compare_compiled(&env, first + (uint64_t)k, compilers[n]);
    }
    cr_assert_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}
