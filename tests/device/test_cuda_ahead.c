// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Kernels of cards before they are asked for: several compiled at once, those of a plan
/// got while it is made, and lists that are compiled where no card is, with which a card
/// without a compiler lacks nothing.

#include "devices/cuda/device.h"
#include "devices/cuda/program.h"
#include "support/device_work.h"
#include "support/fake_cuda.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

/* ---- Several at once, by a compiler of this test's ---- */

enum { KERNELS = 6, AT_ONCE = 3 };

static cairn_env       env;
static char            folder[64];
static atomic_int      running, compiled;
static pthread_mutex_t gate  = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  opens = PTHREAD_COND_INITIALIZER;

static cairn_nvrtc_result make_program(cairn_nvrtc_program *program,
                                       const char          *text,
                                       const char          *name,
                                       int                  headers,
                                       const char *const   *header,
                                       const char *const   *header_name)
{
    (void)name, (void)headers, (void)header, (void)header_name;
    *program = strdup(text);
    return 0;
}

static cairn_nvrtc_result drop_program(cairn_nvrtc_program *program)
{
    free(*program);
    *program = NULL;
    return 0;
}

/// Compile only beside others: the first AT_ONCE wait for each other, for ten seconds.
static cairn_nvrtc_result
compile(cairn_nvrtc_program program, int options, const char *const *option)
{
    struct timespec end;

    (void)options, (void)option;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 10;
    pthread_mutex_lock(&gate);
    running++;
    pthread_cond_broadcast(&opens);
    while (running < AT_ONCE && pthread_cond_timedwait(&opens, &gate, &end) == 0)
        ;
    pthread_mutex_unlock(&gate);
    compiled++;
    return strcmp(program, "wrong") == 0 ? 6 : strcmp(program, "much") == 0;
}

static cairn_nvrtc_result log_size(cairn_nvrtc_program program, size_t *size)
{
    (void)program;
    *size = sizeof "it is wrong";
    return 0;
}

static cairn_nvrtc_result log_text(cairn_nvrtc_program program, char *log)
{
    (void)program;
    strcpy(log, "it is wrong");
    return 0;
}

static cairn_nvrtc_result code_size(cairn_nvrtc_program program, size_t *size)
{
    *size = strlen(program);
    return 0;
}

static cairn_nvrtc_result code(cairn_nvrtc_program program, char *bytes)
{
    memcpy(bytes, program, strlen(program));
    return 0;
}

static const char *error_name(cairn_nvrtc_result error)
{
    return error ? "NVRTC_ERROR" : "fine";
}

static const cairn_nvrtc compiler = {.library                = &compiled,
                                     .major                  = 13,
                                     .target                 = 90,
                                     .nvrtcCreateProgram     = make_program,
                                     .nvrtcDestroyProgram    = drop_program,
                                     .nvrtcCompileProgram    = compile,
                                     .nvrtcGetProgramLogSize = log_size,
                                     .nvrtcGetProgramLog     = log_text,
                                     .nvrtcGetCUBINSize      = code_size,
                                     .nvrtcGetCUBIN          = code,
                                     .nvrtcGetErrorString    = error_name};

static void open_folder(void)
{
    cairn_env_init(&env);
    scratch_create(folder);
    snprintf(env.options.cache, sizeof env.options.cache, "%s", folder);
}

static void close_folder(void)
{
    char remove[96];

    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
    snprintf(remove, sizeof remove, "rm -rf '%s'", folder);
    cr_expect_eq(system(remove), 0);
}

/// Compile KERNELS texts, of which number @p wrong is none, and there is no memory for the
/// one after it.
static void
compile_all(cairn_cuda_compiling *how, cairn_cuda_wanted wanted[KERNELS], int wrong)
{
    static char key[KERNELS][8], text[KERNELS][8];

    for (int k = 0; k < KERNELS; k++) {
        snprintf(key[k], sizeof key[k], "key %d", k);
        if (wrong >= 0 && k - wrong <= 1 && k >= wrong)
            snprintf(text[k], sizeof text[k], k == wrong ? "wrong" : "much");
        else
            snprintf(text[k], sizeof text[k], "text %d", k);
        wanted[k] = (cairn_cuda_wanted){.key = key[k], .text = text[k]};
    }
    running = compiled = 0;
    cairn_cuda_compile_all(how, wanted, KERNELS);
}

static void forget(cairn_cuda_wanted wanted[KERNELS])
{
    for (int k = 0; k < KERNELS; k++) {
        cairn_object_free(&env, &wanted[k].object);
        cairn_free(&env, wanted[k].why);
    }
}

Test(cuda_compile, side_by_side_and_once)
{
    cairn_cuda_compiling how = {.env = &env, .nvrtc = &compiler, .threads = AT_ONCE};
    cairn_cuda_wanted    wanted[KERNELS];

    open_folder();
    for (int again = 0; again < 2; again++) {
        compile_all(&how, wanted, -1);
        cr_expect_eq(compiled, again ? 0 : KERNELS);
        if (!again) cr_expect_geq(running, AT_ONCE, "%d at once", running);
        for (int k = 0; k < KERNELS; k++) {
            cr_assert_not_null(wanted[k].object.bytes, "kernel %d", k);
            cr_expect_eq(memcmp(wanted[k].object.bytes, wanted[k].text, 6), 0);
            cr_expect_eq(wanted[k].cached, again == 1);
        }
        forget(wanted);
    }
    cr_expect_str_eq(how.note, "");
    close_folder();
}

Test(cuda_compile, what_is_wrong_alone)
{
    cairn_cuda_compiling how = {.env = &env, .nvrtc = &compiler, .threads = AT_ONCE};
    cairn_cuda_wanted    wanted[KERNELS];

    open_folder();
    compile_all(&how, wanted, 2);
    for (int k = 0; k < KERNELS; k++)
        cr_expect_eq(wanted[k].object.bytes == NULL, k == 2 || k == 3, "kernel %d", k);
    cr_expect_eq(wanted[1].status, CAIRN_OK);
    cr_expect_eq(wanted[2].status, CAIRN_NO_KERNEL);
    cr_expect_eq(wanted[3].status, CAIRN_NO_MEMORY);
    cr_assert_not_null(wanted[2].why);
    cr_expect(strstr(wanted[2].why, "NVRTC_ERROR: it is wrong"), "%s", wanted[2].why);
    cr_expect_str_eq(env.message, "", "messages are the threads' own");
    forget(wanted);
    close_folder();
}

/// What another process is compiling is left to it, or waited for.
Test(cuda_compile, beside_another_process)
{
    cairn_cuda_compiling    how = {.env = &env, .nvrtc = &compiler, .threads = AT_ONCE};
    const cairn_cuda_origin from = cairn_cuda_origin_of(&compiler);
    cairn_cuda_wanted       wanted[KERNELS];
    cairn_cache             other;
    cairn_cache_lock        lock;
    char                   *whole;

    open_folder();
    cairn_cache_open(&env, &other);
    cr_assert_eq(cairn_cuda_code_key(&env, "key 4", &from, &whole), CAIRN_OK);
    cr_assert(cairn_cache_try_lock(&other, whole, &lock));
    compile_all(&how, wanted, -1);
    cr_expect_eq(compiled, KERNELS - 1);
    cr_expect_null(wanted[4].object.bytes);
    cr_expect_null(wanted[4].why);
    forget(wanted);
    cairn_cache_unlock(&lock);
    how.waits = true;
    compile_all(&how, wanted, -1);
    cr_expect_eq(compiled, 1);
    cr_expect_not_null(wanted[4].object.bytes);
    forget(wanted);
    cairn_free(&env, whole);
    cairn_cache_close(&other);
    close_folder();
}

Test(cuda_compile, that_is_not_kept)
{
    cairn_cuda_compiling how = {.env = &env, .nvrtc = &compiler, .threads = AT_ONCE};
    cairn_cuda_wanted    wanted[KERNELS];

    open_folder();
    snprintf(env.options.cache, sizeof env.options.cache, "/dev/null/no");
    compile_all(&how, wanted, -1);
    for (int k = 0; k < KERNELS; k++)
        cr_expect_not_null(wanted[k].object.bytes);
    cr_expect(strncmp(how.note, "cache: /dev/null/no", 19) == 0, "%s", how.note);
    forget(wanted);
    close_folder();
}

/* ---- On the card that pretends ---- */

static fake_cuda      fake;
static cairn_context *context;

enum { ROWS = 61, COLS = 53 };

/// A context with a card, and a compiler of that name: "none" for none.
static bool begin(const char *nvrtc)
{
    setenv("FAKE_CUDA", "seed=3", 1);
    if (!fake_cuda_find(&fake)) return false;
    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    snprintf(context->env.options.devices, sizeof context->env.options.devices,
             "cpu,cuda");
    snprintf(context->env.options.nvrtc, sizeof context->env.options.nvrtc, "%s",
             nvrtc);
    snprintf(context->env.options.cache, sizeof context->env.options.cache, "%s",
             folder);
    return true;
}

#define BEGIN(nvrtc) \
    if (!begin(nvrtc)) cr_skip_test("the pretended driver is not here")

/// Programs that the compiler that pretends has made.
static long programs(void)
{
    void *const library = dlopen("libnvrtc.so.13", RTLD_NOW);
    long (*made)(void)  = NULL;

    cr_assert_not_null(library);
    *(void **)&made = dlsym(library, "fake_nvrtc_compiled");
    cr_assert_not_null(made);
    return made();
}

static cairn_source *source_of(void)
{
    uint64_t state = 11;

    return random_source(context, &state, ROWS, COLS);
}

/// What a plan of a product makes of a matrix.
static void multiply(const char                  *text,
                     cairn_dtype                  dtype,
                     const cairn_product_options *op,
                     const char                  *place,
                     char                        *y,
                     size_t                       bytes)
{
    const cairn_plan_options options = {
        .size = sizeof options, .product = op, .place = place, .reproducible = true};
    cairn_source *source = source_of();
    cairn_tensor *tensor = must_store(context, source, text, dtype);
    cairn_plan   *plan   = NULL;
    int64_t       first, end;

    MUST(context, cairn_plan_create_with(tensor, &options, &plan));
    cairn_plan_columns(plan, &first, &end);
    for (int64_t k = 0; k < (end - first) * op->columns; k++)
        if (dtype == CAIRN_F64)
            cairn_plan_x(plan)[k] = ramp(k);
        else
            cairn_plan_x_f32(plan)[k] = (float)ramp(k);
    MUST(context, cairn_plan_run(plan, NULL, NULL));
    for (int m = 0; strcmp(place, "cuda") == 0 && m < 1; m++)
        cr_expect_str_eq(cairn_plan_member_route(plan, m), "compiled", "%s", text);
    memcpy(y,
           dtype == CAIRN_F64 ? (void *)cairn_plan_y(plan)
                              : (void *)cairn_plan_y_f32(plan),
           bytes);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

/// A plan of several kernels has each compiled once, with a cache and without.
Test(cuda_ahead, a_plans_kernels_are_compiled_once, .timeout = 120)
{
    static const cairn_product_options op = CAIRN_PRODUCT_OPTIONS;
    double                             right[ROWS], y[ROWS];

    for (int kept = 0; kept < 2; kept++) {
        if (kept)
            scratch_create(folder);
        else
            snprintf(folder, sizeof folder, "none");
        BEGIN("");
        const int64_t blocks = must_settle(context);

        multiply("hybrid<bdia<2>,csr>", CAIRN_F64, &op, "cpu", (char *)right,
                 sizeof right);
        const long before = programs();

        multiply("hybrid<bdia<2>,csr>", CAIRN_F64, &op, "cuda", (char *)y, sizeof y);
        cr_expect_eq(programs() - before, 2, "%ld programs", programs() - before);
        cr_expect_eq(memcmp(y, right, sizeof y), 0, "bits differ");
        cr_expect_null(cairn_cuda_of(&context->devices->device[1])->code.fresh,
                       "something was got and not asked for");
        must_end(&context, blocks);
    }
}

/// One product of a format, compiled where no card is.
static void warm(const char                  *text,
                 cairn_dtype                  dtype,
                 const cairn_product_options *op,
                 cairn_kernel_counts         *counts)
{
    const cairn_kernel_target target = {
        .size      = sizeof target,
        .dtype     = dtype,
        .extent    = {ROWS, COLS},
        .language  = CAIRN_KERNEL_CUDA,
        .cuda_arch = 90
    };
    cairn_format *format = must_format(context, text);

    *counts = (cairn_kernel_counts)CAIRN_KERNEL_COUNTS;
    MUST(context, cairn_kernels_precompile(context, format, op, &target, counts));
    cairn_format_destroy(&format);
}

/// What is warmed without a card serves plans on a card without a compiler.
static void
check_warm(const char *text, cairn_dtype dtype, const cairn_product_options *op)
{
    const size_t bytes = (size_t)((op->transposed ? COLS : ROWS) * op->columns)
                         * (dtype == CAIRN_F64 ? 8 : 4);
    char *const right = malloc(bytes), *const y = malloc(bytes);
    cairn_kernel_counts first, again;

    BEGIN("");
    warm(text, dtype, op, &first);
    cr_expect_gt(first.compiled, 0, "%s", text);
    warm(text, dtype, op, &again);
    cr_expect_eq(again.compiled, 0, "%s: %d", text, again.compiled);
    cr_expect_eq(again.cached, first.compiled + first.cached, "%s", text);
    multiply(text, dtype, op, "cpu", right, bytes);
    cairn_context_destroy(&context);

    BEGIN("none");
    const long before = fake.calls("cuGraphLaunch");

    multiply(text, dtype, op, "cuda", y, bytes);
    cr_expect_eq(fake.calls("cuGraphLaunch") - before, 1, "%s: not on the card", text);
    cr_expect_eq(memcmp(y, right, bytes), 0, "%s: bits differ", text);
    cairn_context_destroy(&context);
    free(right);
    free(y);
}

Test(cuda_ahead, a_card_without_a_compiler_lacks_nothing, .timeout = 600)
{
    static const char *const    formats[] = {"csr", "hybrid<bdia<2>,csr>", "csc",
                                             "sell<2>"};
    const cairn_product_options one       = CAIRN_PRODUCT_OPTIONS;
    const cairn_product_options three     = {.size       = sizeof three,
                                             .columns    = 3,
                                             .transposed = 1,
                                             .alpha      = -0.75,
                                             .beta       = 0.5};

    scratch_create(folder);
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        check_warm(formats[k], CAIRN_F64, &one);
        check_warm(formats[k], CAIRN_F32, &three);
    }
}

Test(cuda_ahead, whose_cards_are_named_or_here)
{
    const cairn_kernel_target target = {
        .size = sizeof target, .extent = {ROWS, COLS},
              .language = CAIRN_KERNEL_CUDA
    };
    cairn_kernel_target old    = target;
    cairn_kernel_counts counts = CAIRN_KERNEL_COUNTS;

    scratch_create(folder);
    BEGIN("");
    cairn_format *format = must_format(context, "dia");

    MUST(context, cairn_kernels_precompile(context, format, NULL, &target, &counts));
    cr_expect_gt(counts.compiled, 0);
    old.cuda_arch = 60;
    REFUSED(context, BAD_ARGUMENT, "60 is no generation of cards",
            cairn_kernels_precompile(context, format, NULL, &old, &counts));
    old.cuda_arch = 70;
    REFUSED(context, NO_KERNEL, "compiles for no card as old as this",
            cairn_kernels_precompile(context, format, NULL, &old, &counts));
    snprintf(context->env.options.cache, sizeof context->env.options.cache, "none");
    REFUSED(context, BAD_OPTION, "so that nothing is kept",
            cairn_kernels_precompile(context, format, NULL, &target, &counts));
    snprintf(context->env.options.cache, sizeof context->env.options.cache,
             "/dev/null/no");
    REFUSED(context, IO, "cache: /dev/null/no",
            cairn_kernels_precompile(context, format, NULL, &target, &counts));
    cairn_format_destroy(&format);
    cairn_context_destroy(&context);
}
