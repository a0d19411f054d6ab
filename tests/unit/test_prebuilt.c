// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The kernels that come with the library: the table is one that can be searched, and
/// what requests ask for is found in it.

#include "api/api.h"
#include "emit/prebuilt.h"
#include "format/language.h"
#include "lower/product/product_choice.h"
#include "support/api.h"
#include "support/names.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

Test(prebuilt, keys_ascend_and_each_has_a_function)
{
    for (int k = 0; k < cairn_prebuilt_count; k++) {
        const cairn_prebuilt *row = &cairn_prebuilt_table[k];
        const char           *key = cairn_prebuilt_at(&row->key);
        int                   run = 0;

        if (k > 0)
            cr_expect_lt(strcmp(cairn_prebuilt_at(&row[-1].key), key), 0, "%s", key);
        for (int w = 0; w < CAIRN_PREBUILT_LEVELS; w++)
            run += row->run[w] != 0;
        cr_expect_gt(run, 0, "%s", key);
        cr_expect_eq(strchr(key, '\n'), NULL);
    }
}

static int by_address(const void *a, const void *b)
{
    return (*(char *const *)a > *(char *const *)b)
           - (*(char *const *)a < *(char *const *)b);
}

/// Keys hold more than the code follows from: about a third of them have another's code.
Test(prebuilt, keys_of_the_same_code_share_a_function)
{
    if (cairn_prebuilt_count == 0) cr_skip_test("built without CAIRN_PREBUILT");
    void **const run       = malloc((size_t)cairn_prebuilt_count * sizeof *run);
    int          functions = 0, n = 0;

    cr_assert_not_null(run);
    for (int k = 0; k < cairn_prebuilt_count; k++)
        if (cairn_prebuilt_table[k].run[0])
            run[n++] = cairn_prebuilt_at(&cairn_prebuilt_table[k].run[0]);
    qsort(run, (size_t)n, sizeof *run, by_address);
    for (int k = 0; k < n; k++)
        functions += k == 0 || run[k] != run[k - 1];
    cr_expect_lt(functions, n - n / 8, "%d functions for %d keys", functions, n);
    free(run);
}

/// Of the pages with the table, those that this process alone has, in KiB, by
/// /proc/self/smaps (proc(5)); -1: it does not say.
static long pages_of_its_own(const void *table)
{
    const uintptr_t at   = (uintptr_t)table;
    FILE *const     file = fopen("/proc/self/smaps", "r");
    char            line[512];
    bool            here = false;
    long            own  = -1;

    cr_assert_not_null(file);
    while (own < 0 && fgets(line, sizeof line, file)) {
        unsigned long from, to;

        if (sscanf(line, "%lx-%lx ", &from, &to) == 2) here = from <= at && at < to;
        if (here) sscanf(line, "Private_Dirty: %ld kB", &own);
    }
    fclose(file);
    return own;
}

/// Every rank of a job has the library: what each writes as it begins is memory for each.
Test(prebuilt, no_process_has_pages_of_its_own_for_the_table)
{
    if (cairn_prebuilt_count == 0) cr_skip_test("built without CAIRN_PREBUILT");
    cr_expect_eq(pages_of_its_own(cairn_prebuilt_table), 0);
}

static void *
find(cairn_env *env, const char *spec, int64_t n, int bits, int vector_bytes)
{
    const cairn_product_options op = {
        .size = sizeof(cairn_product_options), .columns = 1, .alpha = 1};
    const int64_t extent[2] = {n, n};
    cairn_format *format;
    cairn_layout *layout;
    char         *key;

    cr_assert_eq(cairn_format_parse(env, NULL, named(spec), "test", &format), CAIRN_OK);
    cr_assert_eq(
        cairn_layout_create(env, format->member[0], extent, NULL, NULL, bits, &layout),
        CAIRN_OK);
    cairn_product product =
        cairn_product_choose(layout, &op, true, false, vector_bytes);

    product.hints = cairn_product_hints_of(layout, &product, 5 * n, 1,
                                           (cairn_product_seen){0}, 1 << 20, 32 << 20);
    cr_assert_eq(cairn_product_key(env, layout, &product, &key), CAIRN_OK);
    void *run = cairn_prebuilt_find(cairn_prebuilt_table, cairn_prebuilt_count, key,
                                    vector_bytes);

    cairn_free(env, key);
    cairn_layout_destroy(env, &layout);
    cairn_format_destroy(&format);
    return run;
}

Test(prebuilt, serves_other_sizes_of_the_same_widths)
{
    static const char *const specs[] = {"csr", "coo", "csc", "dia", "bdia<64>", "ell"};
    cairn_env                env;

    if (cairn_prebuilt_count == 0) cr_skip_test("built without CAIRN_PREBUILT");
    cairn_env_init(&env);
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++)
        for (int bits = 32; bits <= 64; bits += 32)
            for (int64_t n = 8000; n < 2000000; n *= 7)
                cr_expect_neq(find(&env, specs[k], n, bits, 16), NULL,
                              "%s, n = %ld, f%d", specs[k], (long)n, bits);
    cr_expect_eq(find(&env, "bdia<37>", 40000, 64, 16), NULL);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

/// Small matrices, whose indices have 8 bits, are stored without a compiler.
Test(prebuilt, narrow_matrices_are_stored_by_what_comes_along)
{
    static const char *const specs[] = {
        "csr", "coo", "csc", "ell", "bdia<64>", "sell<8>", "bcsr<2,2>", "bcsr<3,3>"};
    static const int64_t rows[] = {90, 3000};
    cairn_context       *context;

    if (cairn_prebuilt_count == 0) cr_skip_test("built without CAIRN_PREBUILT");
    must_start(&context);
    context->env.options.kernels = CAIRN_KERNELS_COMPILED;
    snprintf(context->env.options.cc, sizeof context->env.options.cc, "no-compiler");
    snprintf(context->env.options.cache, sizeof context->env.options.cache, "none");
    for (int r = 0; r < 2; r++) {
        const cairn_problem p      = {.size    = sizeof(cairn_problem),
                                      .rows    = rows[r],
                                      .cols    = 240,
                                      .density = 0.2,
                                      .seed    = 3};
        cairn_source       *source = NULL;

        MUST(context, cairn_source_generate(context, "pruned", &p, &source));
        for (size_t k = 0; k < sizeof specs / sizeof *specs; k++)
            for (cairn_dtype dtype = CAIRN_F64; dtype <= CAIRN_F32; dtype++) {
                cairn_tensor *tensor = must_store(context, source, specs[k], dtype);

                cr_expect_str_eq(cairn_tensor_route(tensor), "prebuilt",
                                 "%s of %d rows", specs[k], (int)rows[r]);
                cairn_tensor_destroy(&tensor);
            }
        cairn_source_destroy(&source);
    }
    cairn_context_destroy(&context);
}

/// The last member of an f32 hybrid rounds what comes of Y, by kernels that are there.
Test(prebuilt, hybrids_in_f32_need_no_compiler)
{
    static const char *const specs[] = {"hybrid<bdia<64>,csr,0.6>",
                                        "hybrid<dia,sell<8>,0.6>"};
    const cairn_problem      p       = {
                   .size = sizeof(cairn_problem), .n = 60000, .degree = 4, .seed = 3};
    cairn_context *context;
    cairn_source  *source = NULL;

    if (cairn_prebuilt_count == 0) cr_skip_test("built without CAIRN_PREBUILT");
    must_start(&context);
    MUST(context, cairn_source_generate(context, "mixed", &p, &source));
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        context->env.options.kernels = CAIRN_KERNELS_AUTO;
        cairn_tensor *tensor         = must_store(context, source, specs[k], CAIRN_F32);
        cairn_plan   *plan           = NULL;

        context->env.options.kernels = CAIRN_KERNELS_COMPILED;
        snprintf(context->env.options.cc, sizeof context->env.options.cc,
                 "no-compiler");
        snprintf(context->env.options.cache, sizeof context->env.options.cache, "none");
        cairn_context_set_threads(context, 1); /* kernels are found anew */
        MUST(context, cairn_plan_create_product(tensor, NULL, &plan));
        cr_expect(plan->replay->sums.rounded, "%s", specs[k]);
        for (int m = 0; m < 2; m++)
            cr_expect_str_eq(cairn_plan_member_route(plan, m), "prebuilt", "%s",
                             specs[k]);
        cairn_plan_destroy(&plan);
        cairn_tensor_destroy(&tensor);
    }
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
}

/* ---- what a kernel leaves behind ---- */

#ifdef __x86_64__
#    include <cpuid.h>

/// Can a process ask which registers are in use (XGETBV of 1)?
static bool can_ask(void)
{
    unsigned a = 0, b, c, d;

    return __builtin_cpu_supports("avx") && __get_cpuid_count(0xd, 1, &a, &b, &c, &d)
           && a & 4;
}

/// Are upper halves of vector registers 0 to 15 in use: of 32 bytes, or of 64?
static bool upper_halves(void)
{
    unsigned state, rest;

    __asm__ volatile("xgetbv" : "=a"(state), "=d"(rest) : "c"(1));
    return (state & 0x44) != 0;
}

static void use_upper_halves(void)
{
    const double some[4] = {1, 2, 3, 4};

    __asm__ volatile("vmovupd %0, %%ymm1" : : "m"(some) : "xmm1");
}

static void clear_upper_halves(void)
{
    __asm__ volatile("vzeroupper");
}

/// SSE code, which most of a process is, takes several times as long behind a kernel that
/// does not clear the upper halves of the registers that it has used.
Test(prebuilt, kernels_clear_the_upper_halves_of_registers)
{
    static const char *const specs[] = {"csr", "dia", "bdia<64>", "ell", "sell<8>"};
    const cairn_problem      p       = {
                   .size = sizeof(cairn_problem), .nx = 40, .ny = 40, .nz = 1};
    cairn_context *context;
    cairn_source  *source = NULL;

    if (cairn_prebuilt_count == 0) cr_skip_test("built without CAIRN_PREBUILT");
    if (!can_ask()) cr_skip_test("the processor does not tell");
    use_upper_halves();
    const bool used = upper_halves();

    clear_upper_halves();
    if (!used || upper_halves()) cr_skip_test("the processor does not tell");
    must_start(&context);
    MUST(context, cairn_source_generate(context, "stencil5", &p, &source));
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        cairn_tensor *tensor = must_store(context, source, specs[k], CAIRN_F64);
        cairn_plan   *plan   = NULL;

        MUST(context, cairn_plan_create_spmv(tensor, &plan));
        for (int run = 0; run < 3; run++) {
            clear_upper_halves();
            MUST(context, cairn_plan_run(plan, NULL, NULL));
            cr_expect_not(upper_halves(), "%s, run %d", specs[k], run);
        }
        cairn_plan_destroy(&plan);
        cairn_tensor_destroy(&tensor);
    }
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
}
#endif

/* ---- narrow values ---- */

/// A band of five entries a row; of values that are stored as @p values.
static cairn_source *band(cairn_context *context, int64_t rows, const char *values)
{
    const int64_t n      = 5 * rows;
    int64_t      *coord  = malloc((size_t)n * 2 * sizeof *coord);
    double       *value  = malloc((size_t)n * sizeof *value);
    cairn_source *source = NULL;

    for (int64_t k = 0; k < n; k++) {
        coord[2 * k]     = k / 5;
        coord[2 * k + 1] = (k / 5 + k % 5) % rows;
        value[k]         = 1;
        if (strcmp(values, "i8") == 0) value[k] = (double)(k % 100 + 1);
        if (strcmp(values, "i16") == 0) value[k] = (double)(k % 1000 + 1);
        if (strcmp(values, "f32") == 0) value[k] = (float)(k % 100 + 1) / 3;
    }
    MUST(context, cairn_source_from_coords(context, 2, (int64_t[]){rows, rows}, n,
                                           coord, value, CAIRN_BY_NNZ, &source));
    free(coord);
    free(value);
    return source;
}

/// Its first product, where no compiler is, reads values as they are stored.
static void multiply_narrow(cairn_tensor                *tensor,
                            const cairn_product_options *op,
                            const char                  *values,
                            const char                  *spec)
{
    cairn_context   *context = tensor->context;
    cairn_plan      *plan    = NULL;
    cairn_plan_part *parts;
    int64_t          count;

    context->env.options.kernels = CAIRN_KERNELS_COMPILED;
    MUST(context, cairn_plan_create_product(tensor, op, &plan));
    MUST(context, cairn_plan_parts(plan, &count, &parts));
    for (int64_t p = 0; p < count; p++) {
        if (parts[p].nnz == 0) continue;
        cr_expect_str_eq(parts[p].values, values, "%s", spec);
        cr_expect_str_eq(parts[p].note, "", "%s, %s: %s", spec, values, parts[p].note);
        cr_expect_str_eq(parts[p].route, "prebuilt", "%s, %s", spec, values);
    }
    context->env.options.kernels = CAIRN_KERNELS_AUTO;
    cairn_plan_parts_free(plan, &parts);
    cairn_plan_destroy(&plan);
}

typedef struct {
    const char *spec, *values; ///< Names of types, one after the other.
    int         products;      ///< As many of those below.
} narrow_case;

Test(prebuilt, products_of_narrow_values_need_no_compiler, .timeout = 240)
{
    static const narrow_case cases[] = {
        {"csr",                     "i8 iso",         3},
        {"csr",                     "i16 f32",        1},
        {"csc",                     "i8 f32 iso",     1},
        {"coo",                     "i8 f32 iso",     1},
        {"dcsr",                    "iso",            1},
        {"ell",                     "i8 i16 f32 iso", 1},
        {"sell<8>",                 "i8 i16 f32 iso", 1},
        {"sell-sigma<8,512>",       "i8 i16 f32",     1},
        {"bdia<64>",                "i8 i16 f32",     1},
        {"dia",                     "i8 i16 f32",     1},
        {"bcsr<2,2>",               "i8 f32",         1},
        {"bcsr<3,3>",               "i8 f32",         1},
        {"hybrid<dia,csr,0.6>",     "i8 f32",         1},
        {"hybrid<dia,sell<8>,0.6>", "i8",             1},
    };
    static const int64_t        rows[] = {3000, 100000};
    const cairn_product_options op[]   = {
          CAIRN_PRODUCT_OPTIONS,
          {.size = sizeof *op, .columns = 8, .alpha = 1        },
          { .size = sizeof *op,      .columns = 1,   .alpha = 1, .transposed = true}
    };
    cairn_context *context;

    if (cairn_prebuilt_count == 0) cr_skip_test("built without CAIRN_PREBUILT");
    must_start(&context);
    MUST(context, cairn_context_set_replays(context, 100));
    snprintf(context->env.options.cc, sizeof context->env.options.cc, "no-compiler");
    snprintf(context->env.options.cache, sizeof context->env.options.cache, "none");
    for (size_t k = 0; k < 2 * sizeof cases / sizeof *cases; k++) {
        const narrow_case *c = &cases[k / 2];
        char               names[32], *rest = NULL;

        snprintf(names, sizeof names, "%s", c->values);
        for (char *name = strtok_r(names, " ", &rest); name;
             name       = strtok_r(NULL, " ", &rest)) {
            cairn_source *source = band(context, rows[k % 2], name);
            cairn_tensor *tensor = must_store(context, source, c->spec, CAIRN_F64);

            for (int p = 0; p < c->products; p++)
                multiply_narrow(tensor, &op[p], name, c->spec);
            cairn_tensor_destroy(&tensor);
            cairn_source_destroy(&source);
        }
    }
    cairn_context_destroy(&context);
}

/// Matrices of few columns, whose indices have 8 bits, are multiplied without one.
Test(prebuilt, products_of_few_columns_need_no_compiler)
{
    static const char *const specs[] = {"csr", "coo"};
    cairn_env                env;

    if (cairn_prebuilt_count == 0) cr_skip_test("built without CAIRN_PREBUILT");
    cairn_env_init(&env);
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++)
        for (int bits = 32; bits <= 64; bits += 32)
            cr_expect_neq(find(&env, specs[k], 240, bits, 16), NULL, "%s, f%d",
                          specs[k], bits);
    cairn_env_fini(&env);
}
