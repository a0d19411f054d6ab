// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// CUDA devices, on a driver that pretends (tests/fake_cuda): the processor's bits, what
/// goes up how often, and what happens when the driver, its compiler or a card fails.

#include "devices/cuda/product.h"
#include "support/brutal.h"
#include "support/device_work.h"
#include "support/fake_cuda.h"

static fake_cuda      fake;
static cairn_context *context;
static int64_t        blocks;
static int            losses; ///< Of which a test has seen the end, and gone on.
static bool           kept;   ///< A card that was given up may still read a plan's X.

/// Begin with settings of the driver's, and the devices of a list.
/// @return false: it is not here.
static bool begin(const char *settings, const char *devices)
{
    setenv("FAKE_CUDA", settings, 1);
    if (!fake_cuda_find(&fake)) return false;
    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    snprintf(context->env.options.devices, sizeof context->env.options.devices, "%s",
             devices);
    blocks = must_settle(context);
    return true;
}

/// Nothing is left, of the library's or on the card, unless that was lost.
static void end(void)
{
    const bool lost = fake.failed() || losses > 0;

    cr_expect_eq(fake.late(), 0, "%ld calls after a loss", fake.late());
    fake.mend(); /* for the devices that are opened once more */
    if (kept)
        cairn_context_destroy(&context);
    else
        must_end(&context, blocks);
    cr_expect_eq(fake.depth(), 0, "the context of a thread is another");
    if (!lost) cr_expect_eq(fake.alive(), 0, "%d things left", fake.alive());
}

#define BEGIN(settings, devices) \
    if (!begin(settings, devices)) cr_skip_test("the pretended driver is not here")

static cairn_device *device(int k)
{
    return &context->devices->device[k];
}

enum { ROWS = 61, COLS = 53 };
enum { CATALOGUE = 24 }; ///< Members of its formats, at least.

static cairn_source *source_of(void)
{
    uint64_t state = 11;

    return random_source(context, &state, ROWS, COLS);
}

static const cairn_product_options plain = CAIRN_PRODUCT_OPTIONS;

/* ---- The processor's bits ---- */

/// A member on the card, and on the processor.
static void same_bits(const cairn_device_work *work, const char *text)
{
    const cairn_device_request request = {.work = work};
    const bool                 could   = device(0)->ops.can(device(0), &request);
    cairn_launch               launch  = {0};
    work_operands              o;

    const cairn_status status = device(0)->ops.build(device(0), work, &launch);

    cr_assert(could, "%s", text);
    cr_assert_eq(status, CAIRN_OK, "%s: %s", text, context->env.message);
    work_operands_make(work, &o);
    const size_t  bytes = (size_t)(o.rows_out * o.columns) * sizeof(double);
    double *const right = run_on(cairn_devices_host(context->devices), work, &o);

    for (int again = 0; again < 2; again++) {
        double *const is = run_launch(&launch, &o);

        cr_expect_eq(memcmp(is, right, bytes), 0, "%s: bits differ", text);
        free(is);
    }
    launch.release(&launch);
    free(right);
    free(o.block);
}

/// All formats of the catalogue. @return members, all of which the card does.
static int
check_catalogue(cairn_dtype dtype, const cairn_product_options *op, bool alone)
{
    cairn_source *source = source_of();
    const char   *name;
    int           done = 0;

    for (int k = 0; (name = cairn_catalogue_name(context, k)); k++) {
        char text[64], copy[64];

        snprintf(copy, sizeof copy, "%s", name);
        sample_use(context, copy, text, sizeof text);
        cairn_tensor *tensor = must_store(context, source, text, dtype);

        for (int member = 0; member < tensor->local->groups; member++, done++)
            same_bits(&(cairn_device_work){.tensor = tensor->local,
                                           .member = member,
                                           .op     = op,
                                           .alone  = alone},
                      text);
        cairn_tensor_destroy(&tensor);
    }
    cairn_source_destroy(&source);
    return done;
}

Test(cuda, a_vector, .timeout = 240)
{
    BEGIN("seed=3", "cuda");
    cr_expect_geq(check_catalogue(CAIRN_F64, &plain, true), CATALOGUE);
    end();
}

Test(cuda, a_vector_of_f32_added_and_scaled, .timeout = 240)
{
    const cairn_product_options op = {
        .size = sizeof op, .columns = 1, .alpha = -0.75, .beta = 1};

    BEGIN("seed=4", "cuda");
    cr_expect_geq(check_catalogue(CAIRN_F32, &op, false), CATALOGUE);
    end();
}

/// All of the catalogue is done, with 3 columns and with 32, which items have in fours.
Test(cuda, several_columns, .timeout = 240)
{
    const cairn_product_options few  = {.size = sizeof few, .columns = 3, .alpha = 1};
    const cairn_product_options many = {
        .size = sizeof many, .columns = 32, .transposed = 1, .alpha = -0.75, .beta = 1};

    BEGIN("seed=6", "cuda");
    cr_expect_geq(check_catalogue(CAIRN_F64, &few, true), CATALOGUE);
    cr_expect_geq(check_catalogue(CAIRN_F32, &many, false), CATALOGUE);
    end();
}

/* ---- Plans ---- */

/// Y of @p runs runs.
static void run_plan(cairn_plan *plan, int runs, double y[ROWS])
{
    fill_ramp(plan);
    for (int k = 0; k < runs; k++)
        MUST(context, cairn_plan_run(plan, NULL, NULL));
    memcpy(y, cairn_plan_y(plan), ROWS * sizeof *y);
}

static cairn_plan *plan_at(cairn_tensor *tensor, const char *place)
{
    const cairn_plan_options options = {
        .size = sizeof options, .place = place, .reproducible = true};
    cairn_plan *plan = NULL;

    MUST(context, cairn_plan_create_with(tensor, &options, &plan));
    return plan;
}

static void multiply_at(cairn_tensor *tensor, const char *place, double y[ROWS])
{
    cairn_plan *plan = plan_at(tensor, place);

    run_plan(plan, 2, y);
    cairn_plan_destroy(&plan);
}

Test(cuda, hybrids_on_both, .timeout = 120)
{
    static const char *const places[] = {"cuda", "0=cpu,1=cuda", "0=cuda,1=cpu",
                                         "cuda:0", "cpu*0.4+cuda*0.6"};
    double                   right[ROWS], y[ROWS];

    BEGIN("seed=5", "cpu,cuda");
    cairn_source *source = source_of();
    cairn_tensor *tensor = must_store(context, source, "hybrid<dia,ell>", CAIRN_F64);

    multiply_at(tensor, "cpu", right);
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        multiply_at(tensor, places[k], y);
        cr_expect_eq(memcmp(y, right, sizeof y), 0, "%s: bits differ", places[k]);
    }
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    end();
}

Test(cuda, two_cards_share_nothing)
{
    double right[ROWS], y[ROWS];

    BEGIN("cards=2 seed=6", "cpu,cuda:2");
    cairn_source *source = source_of();
    cairn_tensor *tensor = must_store(context, source, "hybrid<dia,ell>", CAIRN_F64);

    cr_expect_str_eq(device(2)->info.name, "Fake card 1");
    multiply_at(tensor, "cpu", right);
    multiply_at(tensor, "0=cuda:1,1=cuda:0", y);
    cr_expect_eq(memcmp(y, right, sizeof y), 0);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    end();
}

/* ---- What goes up, and when ---- */

static long count(const char *name, cairn_plan *plan)
{
    const long before = fake.calls(name);

    MUST(context, cairn_plan_run(plan, NULL, NULL));
    return fake.calls(name) - before;
}

/// A run is a graph, and an event to wait for: it allocates nothing, on the card or of the
/// process's, and brings no array.
static void replay(const char *text, int64_t columns)
{
    static const char *const never[]  = {"cuMemAlloc_v2",
                                         "cuMemFree_v2",
                                         "cuMemHostRegister_v2",
                                         "cuEventCreate",
                                         "cuModuleLoadData",
                                         "cuMemGetInfo_v2",
                                         "cuGraphInstantiateWithFlags"};
    static const char *const inside[] = {"cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2",
                                         "cuMemsetD8Async", "cuLaunchKernel"};
    const cairn_product_options op    = {
           .size = sizeof op, .columns = columns, .alpha = 1};
    const cairn_plan_options options = {
        .size = sizeof options, .product = &op, .place = "cuda", .reproducible = true};
    cairn_source *source = source_of();
    cairn_tensor *tensor = must_store(context, source, text, CAIRN_F64);
    cairn_plan   *plan   = NULL;

    MUST(context, cairn_plan_create_with(tensor, &options, &plan));
    MUST(context, cairn_plan_run(plan, NULL, NULL));
    const int64_t held = context->env.allocated;

    for (size_t k = 0; k < sizeof never / sizeof *never; k++)
        cr_expect_eq(count(never[k], plan), 0, "%s: %s", text, never[k]);
    for (size_t k = 0; k < sizeof inside / sizeof *inside; k++)
        cr_expect_eq(count(inside[k], plan), 0, "%s: %s", text, inside[k]);
    cr_expect_eq(count("cuGraphLaunch", plan), 1, "%s", text);
    cr_expect_eq(count("cuEventRecord", plan), 1, "%s", text);
    cr_expect_eq(context->env.allocated, held, "%s", text);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

/// Of each shape, of several members, and of several columns.
Test(cuda, a_replay_allocates_nothing, .timeout = 240)
{
    static const char *const texts[] = {"ell", "csr", "csc", "bcsr<2,3>",
                                        "hybrid<dia,ell>"};

    BEGIN("", "cpu,cuda");
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        for (int64_t columns = 1; columns <= 3; columns += 2)
            replay(texts[k], columns);
    end();
}

/// What of a part's time its card tells: X counts with the first, and nothing twice.
static void check_times(cairn_plan *plan, size_t which)
{
    cairn_plan_part *part;
    int64_t          count;
    int              bring = 0;

    MUST(context, cairn_plan_parts(plan, &count, &part));
    for (int64_t p = 0; p < count; p++) {
        const bool   card = strncmp(part[p].device, "cuda", 4) == 0;
        const double sum =
            part[p].on_device.in + part[p].on_device.kernel + part[p].on_device.out;

        bring += part[p].on_device.in > 0;
        cr_expect_eq(card, part[p].on_device.kernel > 0, "%zu: %s", which,
                     part[p].device);
        cr_expect(card || sum == 0, "%zu: %s", which, part[p].device);
    }
    cr_expect_eq(bring, 1, "%zu: %d parts bring X", which, bring);
    cairn_plan_parts_free(plan, &part);
}

/// Members and shares of one plan sit together: X goes up once, all of them are one graph,
/// also where the processor has others between them.
Test(cuda, members_sit_together, .timeout = 120)
{
    static const char *const places[] = {"cuda", "0=cpu*0.4+cuda*0.6,1=cuda",
                                         "cuda*0.5+cpu*0.5"};
    double                   right[ROWS], y[ROWS];

    BEGIN("seed=21", "cpu,cuda");
    cairn_source *source = source_of();
    cairn_tensor *tensor = must_store(context, source, "hybrid<dia,ell>", CAIRN_F64);

    multiply_at(tensor, "cpu", right);
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        const long pinned =
            fake.calls("cuMemHostRegister_v2") - fake.calls("cuMemHostUnregister");
        cairn_plan *plan = plan_at(tensor, places[k]);

        run_plan(plan, 2, y);
        cr_expect_eq(memcmp(y, right, sizeof y), 0, "%s: bits differ", places[k]);
        cr_expect_eq(count("cuGraphLaunch", plan), 1, "%s", places[k]);
        cr_expect_eq(count("cuEventRecord", plan), 1, "%s", places[k]);
        cr_expect_eq(count("cuMemcpyHtoDAsync_v2", plan), 0, "%s", places[k]);
        cr_expect_eq(count("cuMemAlloc_v2", plan), 0, "%s", places[k]);
        cr_expect_eq(fake.calls("cuMemHostRegister_v2")
                         - fake.calls("cuMemHostUnregister") - pinned,
                     4, "%s: an X, the plan's own, and two Ys", places[k]);
        check_times(plan, k);
        cairn_plan_destroy(&plan);
    }
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    end();
}

static void fill_columns(cairn_plan *plan, int64_t columns)
{
    for (int64_t n = 0; n < COLS * columns; n++)
        cairn_plan_x(plan)[n] = (double)(n % 97) / 8.0;
}

/// Operands of several pieces: they go past the graph, in both directions.
Test(cuda, long_operands_sit_together, .timeout = 120)
{
    enum { COLUMNS = 3000 };
    const cairn_product_options op = {
        .size = sizeof op, .columns = COLUMNS, .alpha = 1};
    const cairn_plan_options options = {
        .size = sizeof options, .product = &op, .place = "cuda"};
    const cairn_plan_options alone = {
        .size = sizeof alone, .product = &op, .place = "cpu"};
    cairn_plan *plan = NULL, *host = NULL;

    BEGIN("seed=22", "cpu,cuda");
    cairn_source *source = source_of();
    cairn_tensor *tensor = must_store(context, source, "hybrid<dia,ell>", CAIRN_F64);

    MUST(context, cairn_plan_create_with(tensor, &options, &plan));
    MUST(context, cairn_plan_create_with(tensor, &alone, &host));
    fill_columns(plan, COLUMNS);
    fill_columns(host, COLUMNS);
    MUST(context, cairn_plan_run(host, NULL, NULL));
    for (int again = 0; again < 2; again++) {
        MUST(context, cairn_plan_run(plan, NULL, NULL));
        cr_expect_eq(memcmp(cairn_plan_y(plan), cairn_plan_y(host),
                            (size_t)ROWS * COLUMNS * sizeof(double)),
                     0, "bits differ");
    }
    cr_expect_eq(count("cuGraphLaunch", plan), 1);
    cr_expect_eq(count("cuMemcpyHtoDAsync_v2", plan), 0, "the graph copies X");
    cr_expect_eq(count("cuMemcpyDtoHAsync_v2", plan), 6,
                 "two Ys: what shares pages with others, and the rest");
    cairn_plan_destroy(&plan);
    cairn_plan_destroy(&host);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    end();
}

/// A matrix whose values change.
typedef struct {
    int64_t ptr[ROWS + 1];
    int32_t idx[3 * ROWS];
    double  val[3 * ROWS];
} bands;

static cairn_tensor *store_bands(bands *b, const char *text)
{
    cairn_format *format = must_format(context, text);
    cairn_tensor *tensor = NULL;
    int64_t       n      = 0;

    for (int i = 0; i < ROWS; i++) {
        b->ptr[i] = n;
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < ROWS) {
                b->idx[n]   = j;
                b->val[n++] = 1 + 0.1 * i + 0.01 * j;
            }
    }
    b->ptr[ROWS] = n;
    MUST(context,
         cairn_tensor_from_csr(context, ROWS, ROWS, 0, ROWS, b->ptr, 64, b->idx, 32,
                               b->val, CAIRN_F64, CAIRN_COPY, format, &tensor));
    cairn_format_destroy(&format);
    return tensor;
}

static void change(bands *b, cairn_tensor *tensor, double by)
{
    for (int n = 0; n < b->ptr[ROWS]; n++)
        b->val[n] *= by;
    MUST(context, cairn_tensor_update(tensor, b->val));
}

/// Two plans of one tensor: its arrays are on the card once, and so are new values.
Test(cuda, arrays_go_up_once)
{
    static bands b;
    double       right[ROWS], y[ROWS];

    BEGIN("seed=8", "cpu,cuda");
    cairn_tensor *tensor = store_bands(&b, "dia");
    cairn_plan   *host   = plan_at(tensor, "cpu");
    long          before = fake.calls("cuMemAlloc_v2");
    cairn_plan   *first  = plan_at(tensor, "cuda");

    cr_expect_eq(fake.calls("cuMemAlloc_v2") - before, 3, "arrays, X, Y");
    before             = fake.calls("cuMemAlloc_v2");
    cairn_plan *second = plan_at(tensor, "cuda");

    cr_expect_eq(fake.calls("cuMemAlloc_v2") - before, 2, "operands alone");
    run_plan(first, 1, y);
    for (int turn = 0; turn < 3; turn++) {
        change(&b, tensor, 1.1);
        run_plan(host, 1, right);
        before = fake.calls("cuMemAlloc_v2");
        cr_expect_eq(count("cuMemcpyHtoDAsync_v2", turn % 2 ? first : second), 1,
                     "the values; X is the graph's");
        cr_expect_eq(count("cuMemcpyHtoDAsync_v2", turn % 2 ? second : first), 0);
        cr_expect_eq(fake.calls("cuMemAlloc_v2"), before);
        run_plan(first, 1, y);
        cr_expect_eq(memcmp(y, right, sizeof y), 0, "turn %d: bits differ", turn);
        run_plan(second, 1, y);
        cr_expect_eq(memcmp(y, right, sizeof y), 0, "turn %d: bits differ", turn);
    }
    cairn_plan_destroy(&first);
    run_plan(second, 1, y);
    cr_expect_eq(memcmp(y, right, sizeof y), 0, "the one that is left");
    cairn_plan_destroy(&second);
    cairn_plan_destroy(&host);
    cairn_tensor_destroy(&tensor);
    end();
}

/// Rows that are divided have arrays of their own, lent or stored again.
Test(cuda, new_values_reach_shares, .timeout = 120)
{
    static const char *const formats[] = {"ell", "dia", "sell<4>"};
    static bands             b;
    double                   right[ROWS], y[ROWS];

    BEGIN("seed=9", "cpu,cuda");
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        cairn_tensor *tensor = store_bands(&b, formats[k]);
        cairn_plan *host = plan_at(tensor, "cpu"), *both = plan_at(tensor, "cpu+cuda");

        for (int turn = 0; turn < 3; turn++) {
            run_plan(host, 1, right);
            run_plan(both, 1, y);
            cr_expect_eq(memcmp(y, right, sizeof y), 0, "%s, turn %d: bits differ",
                         formats[k], turn);
            change(&b, tensor, 0.9);
        }
        cairn_plan_destroy(&both);
        cairn_plan_destroy(&host);
        cairn_tensor_destroy(&tensor);
    }
    end();
}

/* ---- Failures ---- */

/// A stored matrix, and its product as a device is asked for it.
typedef struct {
    cairn_source     *source;
    cairn_tensor     *tensor;
    cairn_device_work work;
    work_operands     operands;
    double           *right;
} fixture;

static void open_fixture(fixture *f)
{
    f->source = source_of();
    f->tensor = must_store(context, f->source, "ell", CAIRN_F64);
    f->work =
        (cairn_device_work){.tensor = f->tensor->local, .op = &plain, .alone = true};
    work_operands_make(&f->work, &f->operands);
    f->right = run_on(cairn_devices_host(context->devices), &f->work, &f->operands);
}

static void close_fixture(fixture *f)
{
    free(f->right);
    free(f->operands.block);
    cairn_tensor_destroy(&f->tensor);
    cairn_source_destroy(&f->source);
}

static void check_launch(const fixture *f, cairn_launch *launch)
{
    double *const y = run_launch(launch, &f->operands);

    cr_expect_eq(memcmp(y, f->right, ROWS * sizeof *y), 0);
    free(y);
}

/// What a refused call may leave: a driver that does not free has not freed.
static bool is_freeing(const char *name)
{
    return strstr(name, "Free") || strstr(name, "Destroy") || strstr(name, "Unregister")
           || strstr(name, "Unload") || strstr(name, "Pop") || strstr(name, "Release");
}

/// Every call of one function fails once, the first, the second, ..., while a launch is
/// made and run: what is made is given back, and the message names device and error.
static void fail_each(fixture *f, const char *name, int code, const char *error)
{
    for (long n = 0;; n++) {
        const int64_t held   = context->env.live_blocks;
        const int     alive  = fake.alive();
        cairn_launch  launch = {0};
        double        y[ROWS];

        fake.fail(name, n, code);
        cairn_status status = device(0)->ops.build(device(0), &f->work, &launch);
        const bool   built  = status == CAIRN_OK;

        if (built) status = launch.run(&launch, f->operands.x, y);
        const bool failed = fake.failed();

        fake.fail(NULL, -1, 0);
        if (status != CAIRN_OK) {
            const char *const why = built ? launch.message : context->env.message;

            cr_assert(failed);
            cr_expect(strstr(why, "cuda:0") && strstr(why, error), "%s, call %ld: %s",
                      name, n, why);
        } else
            cr_expect_eq(memcmp(y, f->right, sizeof y), 0, "%s, call %ld", name, n);
        if (launch.release) launch.release(&launch);
        cr_assert_eq(context->env.live_blocks, held, "%s, call %ld", name, n);
        if (!cairn_cuda_of(device(0))->loss.lost && !is_freeing(name))
            cr_expect_eq(fake.alive(), alive, "%s, call %ld: %d left", name, n,
                         fake.alive() - alive);
        if (!failed) break;
        /* A context that cannot be made current is lost, with all that is in it. */
        losses += cairn_cuda_of(device(0))->loss.lost;
        cr_expect_eq(fake.late(), 0, "%s, call %ld: asked after it", name, n);
        fake.mend();
        cairn_cuda_of(device(0))->loss = (cairn_cuda_loss){.lost = false};
    }
}

Test(cuda_fails, in_every_call_once, .timeout = 240)
{
    fixture f;

    BEGIN("seed=10", "cuda");
    open_fixture(&f);
#define X(name, arguments)                                                            \
    if (!is_freeing(#name) && strcmp(#name, "cuGetErrorName") != 0                    \
        && strcmp(#name, "cuEventRecord") != 0 && strcmp(#name, "cuEventQuery") != 0) \
        fail_each(&f, #name, 801, "CUDA_ERROR_NOT_SUPPORTED");
    CAIRN_CUDA_MAP(X)
#undef X
    close_fixture(&f);
    end();
}

/// The same with a failure that stays: the context is left at once, whatever was begun.
Test(cuda_fails, for_good_in_every_call_once, .timeout = 240)
{
    fixture f;

    BEGIN("seed=13", "cuda");
    open_fixture(&f);
#define X(name, arguments)                                                            \
    if (!is_freeing(#name) && strcmp(#name, "cuGetErrorName") != 0                    \
        && strcmp(#name, "cuEventRecord") != 0 && strcmp(#name, "cuEventQuery") != 0) \
        fail_each(&f, #name, 719, "CUDA_ERROR_LAUNCH_FAILED");
    CAIRN_CUDA_MAP(X)
#undef X
    close_fixture(&f);
    end();
}

/// What cannot be recorded is started step by step, and the launch says so.
Test(cuda_fails, to_record)
{
    cairn_launch launch = {0};
    fixture      f;

    BEGIN("", "cuda");
    open_fixture(&f);
    fake.fail("cuGraphInstantiateWithFlags", 0, 801);
    MUST(context, cairn_cuda_build(device(0), &f.work, &launch));
    cr_expect_str_eq(launch.note, "started step by step: CUDA_ERROR_NOT_SUPPORTED");
    const long before = fake.calls("cuLaunchKernel");

    check_launch(&f, &launch);
    cr_expect_eq(fake.calls("cuLaunchKernel") - before, 1);
    cr_expect_eq(fake.calls("cuGraphLaunch"), 0);
    launch.release(&launch);
    fake.mend();
    close_fixture(&f);
    end();
}

Test(cuda_fails, without_memory_of_ours, .timeout = 120)
{
    cairn_launch launch = {0};
    fixture      f;

    BEGIN("", "cuda");
    open_fixture(&f);
    const int alive = fake.alive();

    CAIRN_BRUTAL_AND(&context->env, cairn_cuda_build(device(0), &f.work, &launch),
                     fake.alive() == alive);
    check_launch(&f, &launch);
    launch.release(&launch);
    close_fixture(&f);
    end();
}

Test(cuda_fails, for_more_memory_than_the_card_has)
{
    cairn_launch launch = {0};
    fixture      f;

    BEGIN("memory=4K", "cuda");
    open_fixture(&f);
    REFUSED(context, NO_MEMORY, "bytes of 4096 are free",
            cairn_cuda_build(device(0), &f.work, &launch));
    cr_expect(strstr(context->env.message, "memory: cuda:0: arrays need "), "%s",
              context->env.message);
    cr_expect_null(launch.run);
    close_fixture(&f);
    end();
}

/// A card that is lost in a run: the same bits from the processor, and nothing more is
/// asked of its context.
static void
lose_in_a_run(const char *settings, const char *name, long n, int code, const char *why)
{
    double right[ROWS], y[ROWS];

    BEGIN(settings, "cpu,cuda");
    cairn_source *source = source_of();
    cairn_tensor *tensor = must_store(context, source, "hybrid<dia,ell>", CAIRN_F64);
    cairn_plan *host = plan_at(tensor, "cpu"), *plan = plan_at(tensor, "0=cuda,1=cpu");
    cairn_plan *other = plan_at(tensor, "1=cuda,0=cpu");
    cairn_plan_part *part;
    int64_t          count;

    run_plan(host, 1, right);
    run_plan(plan, 2, y);
    cr_expect_eq(memcmp(y, right, sizeof y), 0);
    fake.fail(name, n, code);
    run_plan(plan, 1, y);
    kept = cairn_cuda_of(device(1))->loss.gone;
    cr_expect(fake.failed());
    cr_expect_eq(memcmp(y, right, sizeof y), 0, "bits differ after the loss");
    run_plan(plan, 2, y);
    cr_expect_eq(memcmp(y, right, sizeof y), 0);
    run_plan(other, 2, y);
    cr_expect_eq(memcmp(y, right, sizeof y), 0, "bits of the other plan differ");
    MUST(context, cairn_plan_parts(plan, &count, &part));
    cr_assert_eq(count, 2);
    cr_expect(strstr(part[0].note, why), "%s is not in %s", why, part[0].note);
    cairn_plan_parts_free(plan, &part);
    cairn_plan_destroy(&other);
    cairn_plan_destroy(&plan);
    cairn_plan_destroy(&host);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    end();
}

Test(cuda_fails, in_a_run_while_it_waits)
{
    lose_in_a_run("seed=12", "cuEventQuery", 1, 719, "CUDA_ERROR_LAUNCH_FAILED");
}

/// Its context is refused when Y is collected: what may still be at work is left alone.
Test(cuda_fails, between_start_and_finish)
{
    lose_in_a_run("seed=12", "cuCtxPushCurrent_v2", 1, 801, "CUDA_ERROR_NOT_SUPPORTED");
}

Test(cuda_fails, in_a_run_when_it_starts)
{
    lose_in_a_run("seed=12", "cuGraphLaunch", 0, 700, "CUDA_ERROR_ILLEGAL_ADDRESS");
}

Test(cuda_fails, in_a_run_that_is_no_graph)
{
    lose_in_a_run("seed=12 register=no", "cuLaunchKernel", 0, 700,
                  "CUDA_ERROR_ILLEGAL_ADDRESS");
}

Test(cuda_fails, in_a_run_when_y_comes)
{
    lose_in_a_run("seed=12 register=no", "cuMemcpyDtoHAsync_v2", 0, 801,
                  "CUDA_ERROR_NOT_SUPPORTED");
}

/// One of two cards is lost, with its context alone or with all of the process's: its parts
/// are the processor's, and the other goes on with its own as long as it can.
static void lose_one_of_two(const char *settings, int which, int lost)
{
    double          right[ROWS], y[ROWS];
    cairn_plan_info info = CAIRN_PLAN_INFO;

    BEGIN(settings, "cpu,cuda:2");
    cairn_source *source = source_of();
    cairn_tensor *tensor = must_store(context, source, "hybrid<dia,ell>", CAIRN_F64);

    multiply_at(tensor, "cpu", right);
    cairn_plan *plan = plan_at(tensor, "0=cuda:0,1=cuda:1");

    run_plan(plan, 1, y);
    cr_expect_eq(memcmp(y, right, sizeof y), 0);
    cr_expect_eq(count("cuGraphLaunch", plan), 2);
    fake.fail("cuGraphLaunch", which, 700);
    run_plan(plan, 1, y);
    cr_expect(fake.failed());
    cr_expect_eq(memcmp(y, right, sizeof y), 0, "bits differ after the loss");
    run_plan(plan, 2, y);
    cr_expect_eq(memcmp(y, right, sizeof y), 0);
    cr_expect_eq(count("cuGraphLaunch", plan), 2 - lost);
    cr_expect_eq(device(1 + which)->lost, true);
    cr_expect_eq(device(2 - which)->lost, lost == 2);
    MUST(context, cairn_plan_describe(plan, &info));
    cr_expect_eq(info.retired, lost);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    /* The second of them may be asked once, and learns of it so. */
    cr_expect_leq(fake.late(), lost - 1);
    cairn_context_destroy(&context);
    fake.mend();
}

Test(cuda_fails, on_the_first_of_two_cards, .timeout = 120)
{
    lose_one_of_two("cards=2 seed=14 loss=card", 0, 1);
}

Test(cuda_fails, on_the_second_of_two_cards, .timeout = 120)
{
    lose_one_of_two("cards=2 seed=15 loss=card", 1, 1);
}

Test(cuda_fails, on_one_of_two_cards_and_then_on_both, .timeout = 120)
{
    lose_one_of_two("cards=2 seed=16", 0, 2);
}

/// What is given up may still come back: it finds nothing of a caller's.
Test(cuda_fails, to_come_in_time)
{
    static double x[COLS], y[ROWS], before[ROWS];
    cairn_launch  launch = {0};
    fixture       f;

    BEGIN("delay=0", "cuda");
    open_fixture(&f);
    MUST(context, cairn_cuda_build(device(0), &f.work, &launch));
    check_launch(&f, &launch);
    void (*delay)(double) = NULL;

    *(void **)&delay = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "fake_cuda_delay");
    cr_assert_not_null(delay);
    delay(0.4);
    context->env.options.give_up = (cairn_option_seconds){.seconds = 0.1, .set = true};
    for (int i = 0; i < ROWS; i++)
        y[i] = before[i] = 7;
    memcpy(x, f.operands.x, sizeof x);
    cr_expect_eq(launch.run(&launch, x, y), CAIRN_NO_DEVICE);
    cr_expect(strstr(launch.message, "cuda:0: its stream: waited for in vain"), "%s",
              launch.message);
    const long calls = fake.calls(NULL);

    memset(x, 0, sizeof x);
    launch.release(&launch);
    usleep(600000);
    cr_expect_eq(memcmp(y, before, sizeof y), 0, "Y was written after it was given up");
    cr_expect_eq(fake.calls(NULL), calls, "it was asked after it was given up");
    close_fixture(&f);
    fake.mend();
    cairn_context_destroy(&context);
}

/* ---- Code ---- */

Test(cuda_code, that_is_cached_runs_without_a_compiler)
{
    char         folder[64];
    cairn_launch launch = {0};
    fixture      f;

    BEGIN("", "cuda");
    scratch_create(folder);
    snprintf(context->env.options.cache, sizeof context->env.options.cache, "%s",
             folder);
    cairn_context_set_threads(context, cairn_context_threads(context));
    must_settle(context); /* opens the devices anew, and the cache there */
    open_fixture(&f);
    MUST(context, cairn_cuda_build(device(0), &f.work, &launch));
    launch.release(&launch);
    close_fixture(&f);

    snprintf(context->env.options.nvrtc, sizeof context->env.options.nvrtc, "none");
    cairn_context_set_threads(context, cairn_context_threads(context));
    must_settle(context);
    open_fixture(&f);
    cr_expect_null(cairn_cuda_of(device(0))->code.nvrtc.library);
    if (cairn_cuda_of(device(0))->code.cache.folder >= 0) {
        MUST(context, cairn_cuda_build(device(0), &f.work, &launch));
        check_launch(&f, &launch);
        launch.release(&launch);
    }
    const cairn_product_options scaled = {
        .size = sizeof scaled, .columns = 1, .alpha = 3};

    f.work.op = &scaled;
    REFUSED(context, NO_KERNEL, "CAIRN_NVRTC says 'none'",
            cairn_cuda_build(device(0), &f.work, &launch));
    close_fixture(&f);
    end();
}

/// Which release suits a driver and a card.
Test(cuda_code, releases_of_the_compiler)
{
    char        why[200] = "";
    cairn_nvrtc nvrtc    = {0};

    BEGIN("nvrtc=13.0", "cpu");
    cr_assert(cairn_nvrtc_open("", 13000, 90, &nvrtc, why, sizeof why), "%s", why);
    cr_expect(nvrtc.target == 90 && !nvrtc.text);
    cairn_nvrtc_close(&nvrtc);
    cr_assert(cairn_nvrtc_open("", 13010, 82, &nvrtc, why, sizeof why), "%s", why);
    cr_expect(nvrtc.target == 80 && !nvrtc.text, "of its own major version");
    cairn_nvrtc_close(&nvrtc);
    cr_assert(cairn_nvrtc_open("", 13010, 130, &nvrtc, why, sizeof why), "%s", why);
    cr_expect(nvrtc.target == 121 && nvrtc.text, "left to the driver");
    cairn_nvrtc_close(&nvrtc);
    cr_expect_not(cairn_nvrtc_open("", 13000, 70, &nvrtc, why, sizeof why));
    cr_expect(strstr(why, "libnvrtc.so.12 may"), "%s", why);
    cr_expect_not(
        cairn_nvrtc_open("libnvrtc.so.13", 12040, 90, &nvrtc, why, sizeof why));
    cr_expect(strstr(why, "NVRTC 13.0 is newer than the driver, one for CUDA 12.4"),
              "%s", why);
    cr_expect_not(cairn_nvrtc_open("none", 13000, 90, &nvrtc, why, sizeof why));
    cr_expect_not(cairn_nvrtc_open("/no/such.so", 13000, 90, &nvrtc, why, sizeof why));
    cr_expect(strstr(why, "no /no/such.so"), "%s", why);
    cr_expect_null(nvrtc.library);
    end();
}

/// Of what does not compile the first line is told.
Test(cuda_code, that_is_wrong)
{
    cairn_object object = {0};
    char         why[200];
    cairn_nvrtc  nvrtc = {0};

    BEGIN("", "cpu");
    cr_assert(cairn_nvrtc_open("", 13000, 90, &nvrtc, why, sizeof why), "%s", why);
    REFUSED(context, NO_KERNEL, "compile: k: NVRTC_ERROR_COMPILATION: ",
            cairn_nvrtc_compile(&context->env, &nvrtc, "k", "int f( {\n", &object));
    cr_expect_null(strchr(context->env.message, '\n'));
    cr_expect_null(object.bytes);
    cairn_nvrtc_close(&nvrtc);
    end();
}

/// A plan where every text fails with a code of the compiler's, and no code is kept.
static void plan_against(const char *settings, cairn_status expected, const char *words)
{
    const cairn_plan_options options = {.size = sizeof options, .place = "cuda"};
    cairn_plan_info          info    = CAIRN_PLAN_INFO;
    cairn_plan              *plan    = NULL;

    BEGIN(settings, "cuda");
    snprintf(context->env.options.cache, sizeof context->env.options.cache, "none");
    cairn_context_set_threads(context, cairn_context_threads(context));
    must_settle(context); /* opens the devices anew, without a cache */
    cairn_source *source = source_of();
    cairn_tensor *tensor = must_store(context, source, "hybrid<dia,ell>", CAIRN_F64);

    cr_expect_eq(cairn_plan_create_with(tensor, &options, &plan), expected);
    if (plan) MUST(context, cairn_plan_describe(plan, &info));
    const char *const why = plan ? info.why : cairn_context_message(context);

    cr_assert_not_null(why);
    cr_expect(strstr(why, words), "no '%s' in %s", words, why);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    end();
}

/// A compiler without memory is no product that has no kernel: there is no plan.
Test(cuda_code, that_the_compiler_has_no_memory_for)
{
    plan_against("compile=1", CAIRN_NO_MEMORY, "NVRTC_ERROR_OUT_OF_MEMORY");
}

/// A compiler that breaks: the plan goes the reference way, and says why.
Test(cuda_code, that_breaks_the_compiler)
{
    plan_against("compile=11", CAIRN_OK, "NVRTC_ERROR_INTERNAL_ERROR");
}

/* ---- Which devices there are ---- */

static cairn_status open_list(const char *list, const char *place)
{
    return cairn_devices_check(context, place, list, 1);
}

/// A driver that will not do, and what is said then.
static void check_lack(const char *settings, const char *why)
{
    BEGIN(settings, "");
    REFUSED(context, NO_DEVICE, why, open_list("cuda", NULL));
    REFUSED(context, NO_DEVICE, why, open_list(NULL, "cuda"));
    REFUSED(context, NO_DEVICE, "cuda:0", open_list("cuda:1", NULL));
    MUST(context, open_list("all", NULL));
    for (int k = 0; k < context->devices->count; k++)
        cr_expect_str_neq(context->devices->device[k].info.kind, "cuda");
    MUST(context, open_list("cpu", NULL));
    fake.mend();
    end();
}

Test(cuda_devices, of_an_old_driver)
{
    check_lack("version=11080", "one for CUDA 11.8; this version needs one for 12.0");
}

Test(cuda_devices, that_are_old)
{
    check_lack("sm=61", "no card of compute capability 7.0 or later");
}

Test(cuda_devices, that_are_hidden)
{
    setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
    check_lack("", "CUDA_ERROR_NO_DEVICE; CUDA_VISIBLE_DEVICES is '-1'");
}

Test(cuda_devices, facts)
{
    BEGIN("cards=2 memory=64M", "cuda:2");
    const cairn_device_facts *info = &device(1)->info;

    cr_expect_str_eq(info->id, "cuda:1");
    cr_expect_str_eq(info->name, "Fake card 1");
    cr_expect_str_eq(info->driver, "CUDA 13.0, 1000 MHz");
    cr_expect_eq(info->memory_bytes, 64 << 20);
    cr_expect_eq(info->cores, 4);
    MUST(context, device(1)->ops.measure(device(1)));
    cr_expect_gt(info->bandwidth, 0);
    cr_expect_gt(info->link.up, 0);
    cr_expect_gt(info->link.down, 0);
    cr_expect_gt(info->link.both, 0);
    cr_expect_gt(
        device(1)->ops.cost(device(1), &(cairn_device_request){.moved_bytes = 1}), 0);
    REFUSED(context, NO_DEVICE, "CUDA has 2 devices here", open_list("cuda:3", NULL));
    end();
}

/// Memory that cannot be pinned is used all the same.
static void check_unpinned(const char *settings, bool never)
{
    cairn_launch launch = {0};
    fixture      f;

    BEGIN(settings, "cuda");
    if (never) context->env.options.cuda_register = CAIRN_CUDA_REGISTER_NEVER;
    open_fixture(&f);
    const long before = fake.calls("cuMemHostRegister_v2");

    MUST(context, cairn_cuda_build(device(0), &f.work, &launch));
    check_launch(&f, &launch);
    launch.release(&launch);
    cr_expect_eq(fake.calls("cuMemHostRegister_v2") == before, never);
    close_fixture(&f);
    end();
}

Test(cuda_devices, without_pinned_memory)
{
    check_unpinned("register=no", false);
}

Test(cuda_devices, that_are_told_to_pin_nothing)
{
    check_unpinned("", true);
}

/* ---- The doctor ---- */

/// What the doctor says of CUDA, findings put together.
static void ask_doctor(char text[4096])
{
    cairn_diagnostic *finding;
    int               n;

    MUST(context, cairn_doctor(context, &n, &finding));
    text[0] = '\0';
    for (int k = 0; k < n; k++)
        if (strcmp(finding[k].what, "cuda") == 0)
            snprintf(text + strlen(text), 4096 - strlen(text), "%s: %s\n",
                     cairn_diagnostic_level_name(finding[k].level), finding[k].why);
    cairn_diagnostics_free(context, &finding);
}

static void check_doctor(const char *settings, const char *nvrtc, const char *says)
{
    char text[4096];

    BEGIN(settings, "cpu");
    snprintf(context->env.options.nvrtc, sizeof context->env.options.nvrtc, "%s",
             nvrtc);
    ask_doctor(text);
    cr_expect(strstr(text, says), "'%s' is not in: %s", says, text);
    cairn_context_destroy(&context);
}

Test(cuda_doctor, runs_a_kernel)
{
    check_doctor(
        "memory=64M", "",
        "ok: cuda:0 (Fake card 0): NVRTC 13.0 makes sm_90: a kernel was compiled");
}

Test(cuda_doctor, misses_the_compiler)
{
    check_doctor("", "none",
                 "note: cuda:0 (Fake card 0): kernels cannot be compiled: ");
}

Test(cuda_doctor, finds_a_newer_compiler)
{
    check_doctor("version=12040", "libnvrtc.so.13",
                 "NVRTC 13.0 is newer than the driver, one for CUDA 12.4");
}

Test(cuda_doctor, finds_an_old_driver)
{
    check_doctor("version=11080", "", "attention: the driver is one for CUDA 11.8");
}

Test(cuda_doctor, finds_that_nothing_can_be_pinned)
{
    check_doctor("register=no memory=64M", "", "note: cuda:0: memory cannot be pinned");
}

Test(cuda_doctor, finds_a_card_that_fails)
{
    check_doctor("fail=cuLaunchKernel@1:719", "",
                 "attention: device: cuda:0: a trial: CUDA_ERROR_LAUNCH_FAILED");
}

/// What is said of a device that is open here, by a node of so many ranks.
static void look(int ranks, char text[4096])
{
    cairn_diagnostics findings = {.env = &context->env};

    cairn_cuda_check(device(0), ranks, &findings);
    cr_assert_eq(findings.status, CAIRN_OK);
    text[0] = '\0';
    for (int64_t k = 0; k < findings.count; k++)
        snprintf(text + strlen(text), 4096 - strlen(text), "%s: %s\n",
                 cairn_diagnostic_level_name(findings.finding[k].level),
                 findings.finding[k].why);
    cairn_free(&context->env, findings.finding);
}

/// What is said to so many ranks of a node; "": nothing but that all is well.
static void check_ranks(const char *settings, int ranks, const char *says)
{
    char text[4096];

    setenv("CUDA_MPS_PIPE_DIRECTORY", "/nonexistent", 1);
    BEGIN(settings, "cuda");
    look(ranks, text);
    if (says[0])
        cr_expect(strstr(text, says), "'%s' is not in: %s", says, text);
    else
        cr_expect(strncmp(text, "ok: ", 4) == 0 && !strstr(text, "rank"), "%s", text);
    end();
}

Test(cuda_doctor, sees_a_card_for_each_rank)
{
    check_ranks("cards=2", 2, "");
}

Test(cuda_doctor, sees_ranks_that_share_cards)
{
    check_ranks("cards=2", 3, "note: 3 ranks share 2 cards without MPS");
}

Test(cuda_doctor, sees_ranks_that_share_a_card_by_mps)
{
    check_ranks("attribute=133:1", 4, "");
}

/// Each rank may be shown a card of its own.
Test(cuda_doctor, does_not_know_what_other_ranks_see)
{
    setenv("CUDA_VISIBLE_DEVICES", "0", 1);
    check_ranks("", 4, "");
}

Test(cuda_doctor, sees_a_card_that_is_one_process_own)
{
    check_ranks("attribute=20:3", 1,
                "note: cuda:0: its compute mode is exclusive: no other process");
}

Test(cuda_doctor, sees_ranks_that_cannot_have_the_card)
{
    check_ranks(
        "attribute=20:3", 2,
        "attention: cuda:0: its compute mode is exclusive: of 2 ranks that share "
        "1 card one each");
}

/// Drivers that do not say whether there is MPS have a pipe to it.
Test(cuda_doctor, finds_the_pipe_of_mps)
{
    char folder[64], path[96], text[4096];

    scratch_create(folder);
    snprintf(path, sizeof path, "%s/control", folder);
    scratch_write(path, "", 0);
    setenv("CUDA_MPS_PIPE_DIRECTORY", folder, 1);
    BEGIN("", "cuda");
    look(4, text);
    cr_expect(!strstr(text, "without MPS"), "%s", text);
    end();
}

/// Copies that are slow, one way or the other.
Test(cuda_doctor, finds_slow_copies)
{
    char text[4096];

    BEGIN("", "cuda");
    cairn_device_link *link = &device(0)->info.link;

    *link = (cairn_device_link){.up = 12e9, .down = 11e9, .both = 7e9};
    look(1, text);
    cr_expect(strstr(text,
                     "ok: cuda:0: copies to it reach 12 GB/s, from it 11, both at "
                     "once 7 each"),
              "%s", text);
    *link = (cairn_device_link){.up = 12e9, .down = 3e9};
    look(1, text);
    cr_expect(strstr(text, "note: cuda:0: copies to it reach 12 GB/s, from it 3"), "%s",
              text);
    end();
}

static cairn_nvrtc_result
fail_to_compile(cairn_nvrtc_program program, int options, const char *const *option)
{
    (void)program, (void)options, (void)option;
    return 7; /* NVRTC_ERROR_BUILTIN_OPERATION_FAILURE */
}

Test(cuda_doctor, finds_that_builtins_are_missing)
{
    char text[4096];

    BEGIN("", "cuda");
    cairn_cuda_of(device(0))->code.nvrtc.nvrtcCompileProgram = fail_to_compile;
    look(1, text);
    cr_expect(strstr(text, "attention: compile: cairn_sample: NVRTC_ERROR"), "%s",
              text);
    end();
}

/// A card that is newer than the compiler has its kernels from the driver.
Test(cuda_doctor, compiles_for_a_newer_card)
{
    check_doctor("sm=130 memory=64M", "", "NVRTC 13.0 makes compute_121: a kernel was");
}

Test(cuda_doctor, finds_that_the_compiler_knows_no_such_card)
{
    check_doctor("sm=70", "", "compiles for no card as old as this");
}

/// A copy that says that it was made, and was not.
static cairn_cuda_result
copy_nothing(void *to, cairn_cuda_pointer from, size_t bytes, cairn_cuda_stream stream)
{
    (void)to, (void)from, (void)bytes, (void)stream;
    return CAIRN_CUDA_OK;
}

Test(cuda_doctor, finds_wrong_results)
{
    char text[4096];

    BEGIN("", "cuda");
    cairn_cuda_of(device(0))->driver.cuMemcpyDtoHAsync_v2 = copy_nothing;
    look(1, text);
    cr_expect(
        strstr(text, "attention: device: cuda:0: it computes wrongly: 3 * 1 is 0"),
        "%s", text);
    end();
}
