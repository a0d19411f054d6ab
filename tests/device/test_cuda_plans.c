// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Plans on a card, with a driver that pretends (tests/fake_cuda): random formats with the
/// processor's bits, values changed in place while plans have copies of them, and every call
/// of the driver's failing once while a plan is made and run.
///
/// Formats are taken as they are drawn, other ones every second; CUDA_SEED=N runs case N
/// alone, SEED_CASES says how many, CUDA_SHOW prints each before it is tried, and its
/// seconds after.

#include "devices/registry.h"
#include "support/card_plans.h"
#include "support/seed.h"
#include "tensor/value_storage.h"

enum { USUAL_CASES = 40, RUNS = 3 };

/* ---- Random formats ---- */

/// One case: a matrix in some format, and some product with it.
typedef struct {
    uint64_t              seed, state;
    char                  text[RANDOM_FORMAT];
    cairn_dtype           dtype;
    cairn_product_options op;
    cairn_source         *source;
    cairn_tensor         *tensor;
} random_case;

/// How far all cases have come, at each place: plans, those of tensors with values, those
/// that no card has a kernel for, and those each of whose runs was one graph.
enum { PLACES = 2 };

static struct {
    int plans, full, refused, carried;
} met[PLACES];

/// Draw a case. @return false: such a format stores no such matrix, or too much of it.
static bool open_case(random_case *c)
{
    static const int64_t columns[] = {1, 1, 3, 32};
    cairn_format        *format    = NULL;

    random_format(&c->state, 2, c->text, sizeof c->text);
    if (cairn_format_create(context, c->text, &format) != CAIRN_OK) return false;
    c->source = random_source(context, &c->state, 1 + random_below(&c->state, 90),
                              1 + random_below(&c->state, 90));
    c->dtype  = random_chance(&c->state, 50) ? CAIRN_F32 : CAIRN_F64;
    c->op     = (cairn_product_options){.size       = sizeof c->op,
                                        .columns    = columns[random_below(&c->state, 4)],
                                        .transposed = random_chance(&c->state, 30),
                                        .alpha = random_chance(&c->state, 30) ? -0.75 : 1,
                                        .beta  = random_chance(&c->state, 30) ? 0.5 : 0};
    const cairn_status status =
        cairn_tensor_create(c->source, format, c->dtype, &c->tensor);

    cairn_format_destroy(&format);
    if (status == CAIRN_OK && fits_on_card(c->tensor)) return true;
    cairn_tensor_destroy(&c->tensor);
    cairn_source_destroy(&c->source);
    return false;
}

/// What is tried, before anything of it can take long.
static void show_case(const random_case *c)
{
    const int64_t *extent = c->source->shape.extent;

    printf("seed %llu: %lld x %lld, %s, %lld columns%s, %s\n",
           (unsigned long long)c->seed, (long long)extent[0], (long long)extent[1],
           c->dtype == CAIRN_F64 ? "f64" : "f32", (long long)c->op.columns,
           c->op.transposed ? ", transposed" : "", c->text);
    fflush(stdout);
}

static void close_case(random_case *c)
{
    cairn_tensor_destroy(&c->tensor);
    cairn_source_destroy(&c->source);
}

/// Bytes of Y after some runs, each of which may add to it; NULL: no such plan here.
static void *multiply(const random_case *c, const char *place, size_t *bytes)
{
    const cairn_plan_options options = {.size         = sizeof options,
                                        .product      = &c->op,
                                        .place        = place,
                                        .reproducible = true};
    const size_t    size = c->dtype == CAIRN_F64 ? sizeof(double) : sizeof(float);
    cairn_plan     *plan = NULL;
    cairn_plan_info info = CAIRN_PLAN_INFO;
    int64_t         first, end;

    if (cairn_plan_create_with(c->tensor, &options, &plan) != CAIRN_OK) return NULL;
    cairn_plan_columns(plan, &first, &end);
    for (int64_t k = 0; k < (end - first) * c->op.columns; k++)
        if (c->dtype == CAIRN_F64)
            cairn_plan_x(plan)[k] = ramp(k);
        else
            cairn_plan_x_f32(plan)[k] = (float)ramp(k);
    for (int again = 0; again < RUNS; again++)
        MUST(context, cairn_plan_run(plan, NULL, NULL));
    MUST(context, cairn_plan_describe(plan, &info));
    cr_expect_eq(info.retired, 0, "seed %llu", (unsigned long long)c->seed);
    cairn_plan_rows(plan, &first, &end);
    *bytes  = (size_t)((end - first) * c->op.columns) * size;
    void *y = malloc(*bytes + 1);

    memcpy(y,
           c->dtype == CAIRN_F64 ? (void *)cairn_plan_y(plan)
                                 : (void *)cairn_plan_y_f32(plan),
           *bytes);
    cairn_plan_destroy(&plan);
    return y;
}

static void check_case(const random_case *c)
{
    static const char *const places[PLACES] = {"cuda", "cpu*0.5+cuda*0.5"};
    size_t                   bytes = 0, also = 0;
    bool                     full  = false;
    void *const              right = multiply(c, "cpu", &bytes);

    cr_assert_not_null(right, "seed %llu: %s\n%s", (unsigned long long)c->seed,
                       context->env.message, c->text);
    for (int64_t p = 0; p < c->tensor->local->parts; p++)
        full |= c->tensor->local->part[p].view.values > 0;
    for (int k = 0; k < PLACES; k++) {
        const long  before = fake.calls("cuGraphLaunch");
        void *const y      = multiply(c, places[k], &also);

        met[k].plans++;
        met[k].full += full;
        met[k].refused += !y;
        if (y) {
            met[k].carried += full && fake.calls("cuGraphLaunch") - before == RUNS;
            cr_expect(also == bytes && memcmp(y, right, bytes) == 0,
                      "seed %llu, %s: bits differ\n%s", (unsigned long long)c->seed,
                      places[k], c->text);
        } else
            cr_expect(strstr(context->env.message, "cuda"), "seed %llu: %s",
                      (unsigned long long)c->seed, context->env.message);
        free(y);
    }
    free(right);
}

/// With 1, 3 and 32 columns, forward and transposed, Y set and added to, f32 and f64; on
/// the card alone, which takes 95 of 100 at least, and divided between it and the processor,
/// where a share may have no values. A run is one graph.
Test(cuda_plans, random_formats, .timeout = 14400)
{
    const char *given = getenv("CUDA_SEED");
    uint64_t    seed  = given ? strtoull(given, NULL, 10) : seed_clock() * 1000003;
    const int   want  = given ? 1 : seed_cases(USUAL_CASES);
    const bool  shows = getenv("CUDA_SHOW");

    BEGIN("seed=31");
    printf("first seed %llu\n", (unsigned long long)seed);
    for (int n = 0, tries = 0; n < want && tries < 8 * want; tries++, seed++) {
        random_case c = {.seed = seed, .state = seed};

        if (!open_case(&c)) continue;
        const double begin = cairn_seconds();

        if (shows) show_case(&c);
        check_case(&c);
        if (shows) printf("%.3f s\n", cairn_seconds() - begin);
        close_case(&c);
        n++;
    }
    for (int k = 0; k < PLACES; k++)
        printf("%s: %d plans, %d of tensors with values, of which %d ran as one graph "
               "each time; %d refused\n",
               k ? "divided" : "card alone", met[k].plans, met[k].full, met[k].carried,
               met[k].refused);
    cr_expect(given || met[0].carried * 20 >= met[0].full * 19);
    cr_expect(given
              || (met[0].carried + met[1].carried) * 100
                     >= (met[0].full + met[1].full) * 80);
    cairn_context_destroy(&context);
}

/* ---- Banks ---- */

/// What a plan on the card took to be made, of a matrix whose columns are dealt to banks, two
/// to each, so that rows are met again in a bank, and by all of them.
typedef struct {
    int64_t allocated;
    long    copies;
} making;

enum { MOST_BANKS = 2000, BANK_ROWS = 12 };

static making make_of_banks(int64_t banks)
{
    static entries e;
    static double  x[2 * MOST_BANKS];
    char           text[128];
    double         y[2][BANK_ROWS];

    e = (entries){.rows = BANK_ROWS, .columns = 2 * banks};
    for (int64_t j = 0; j < e.columns; j++)
        for (int64_t i = j % 5; i < e.rows; i += 5)
            put(&e, i, j);
    snprintf(text, sizeof text,
             "#encoding<{ idx_map<(d0,d1)->(d1%%%lld,d1/%lld,d0)>, "
             "mutation<merge(0,1), trim(2,2)>, layout<partition(0)> }>",
             (long long)banks, (long long)banks);
    cairn_source *source = source_of(&e);
    cairn_tensor *tensor = must_store(context, source, text, CAIRN_F64);
    making        took   = {.copies = fake.calls("cuMemcpyHtoDAsync_v2")};

    cr_assert_eq(tensor->local->parts, banks);
    for (int64_t j = 0; j < e.columns; j++)
        x[j] = ramp(j);
    context->env.allocated = 0;
    cairn_plan *plan       = plan_of(tensor, "cuda", NULL);

    took.allocated = context->env.allocated;
    took.copies    = fake.calls("cuMemcpyHtoDAsync_v2") - took.copies;
    MUST(context, cairn_plan_run(plan, x, y[0]));
    cairn_plan_destroy(&plan);
    plan = plan_of(tensor, "cpu", NULL);
    MUST(context, cairn_plan_run(plan, x, y[1]));
    cr_expect_arr_eq(y[0], y[1], sizeof *y, "%lld banks", (long long)banks);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    return took;
}

/// A bank has a start of its own, and next to nothing else: functions that go through banks
/// are prepared once for all, and what is small goes up together.
Test(cuda_plans, banks_take_little, .timeout = 600)
{
    enum { FEW = 40, MANY = MOST_BANKS, BYTES = 4096 };

    BEGIN("seed=34");
    make_of_banks(FEW); /* code is compiled, and what is kept is there */
    const making few = make_of_banks(FEW), many = make_of_banks(MANY);

    printf("%d banks: %lld bytes, %ld copies; %d: %lld, %ld\n", FEW,
           (long long)few.allocated, few.copies, MANY, (long long)many.allocated,
           many.copies);
    cr_expect_leq(many.allocated - few.allocated, (int64_t)BYTES * (MANY - FEW));
    cr_expect_leq(many.copies, few.copies + 8);
    end();
}

/// Starts of one run where nothing is recorded.
static long starts_of(cairn_plan *plan, const double *x, double *y)
{
    const long before = fake.calls("cuLaunchKernel");

    MUST(context, cairn_plan_run(plan, x, y));
    return fake.calls("cuLaunchKernel") - before;
}

enum { BANKED = 1201, IN_ROW = 1100 }; ///< A row of so many is longer than a tile.

static cairn_source *banked_source(void)
{
    static entries e;

    e = (entries){.rows = BANKED, .columns = BANKED};
    for (int64_t i = 0; i < e.rows; i++)
        for (int64_t j = 0; j < e.columns; j++)
            if ((i == 7 && j < IN_ROW) || (i % 3 != 1 && (7 * i + 3 * j) % 301 == 0))
                put(&e, i, j);
    return source_of(&e);
}

/// Of a format the starts of a run, and the processor's bits: of products, also by the
/// transpose, and of chains, whose Ys become Xs.
static void
check_banks(cairn_source *source, const char *text, long starts, const char *note)
{
    static double               x[BANKED], y[2][BANKED];
    const cairn_product_options back = {
        .size = sizeof back, .columns = 1, .transposed = true, .alpha = 1};
    cairn_tensor    *tensor = must_store(context, source, text, CAIRN_F64);
    cairn_plan_part *part;
    int64_t          count;

    for (int64_t k = 0; k < BANKED; k++)
        x[k] = ramp(k) / 8;
    for (int transposed = 0; transposed < 2; transposed++) {
        cairn_plan *plan[2];

        for (int k = 0; k < 2; k++) {
            fake.fail(k ? NULL : "cuGraphInstantiateWithFlags", k ? -1 : 0, 801);
            plan[k] = plan_of(tensor, k ? "cpu" : "cuda", transposed ? &back : NULL);
            const long took = starts_of(plan[k], x, y[k]);

            if (!transposed && k == 0)
                cr_expect_eq(took, starts, "%s: %ld", text, took);
        }
        cr_expect_arr_eq(y[0], y[1], sizeof *y, "%s", text);
        MUST(context, cairn_plan_parts(plan[0], &count, &part));
        if (!transposed)
            cr_expect(strstr(part->note, note), "%s: no '%s' in %s", text, note,
                      part->note);
        cairn_plan_parts_free(plan[0], &part);
        for (int k = 0; k < 2; k++) {
            if (!transposed) {
                memcpy(cairn_plan_x(plan[k]), x, sizeof x);
                MUST(context, cairn_plan_iterate(plan[k], 3));
                memcpy(y[k], cairn_plan_y(plan[k]), sizeof *y);
            }
            cairn_plan_destroy(&plan[k]);
        }
        cr_expect_arr_eq(y[0], y[1], sizeof *y, "%s: a chain", text);
    }
    cairn_tensor_destroy(&tensor);
}

/// Banks that have no row in common are one start a function, whatever their shape; where
/// rows are in several, or a bank goes over rows of others, each has its own.
Test(cuda_plans, banks_apart_are_one_start, .timeout = 600)
{
    BEGIN("seed=38");
    cairn_source *source = banked_source();

    check_banks(source, "c2sr<8>", 3, "banks: 8 in 3 starts a run");
    check_banks(source, "cisr<8>", 3, "banks: 8 in 3 starts a run");
    check_banks(source,
                "#encoding<{ idx_map<(d0,d1)->(d0%8,d1,d0/8)>, mutation<merge(0,1), "
                "trim(2,2)>, layout<partition(0)> }>",
                2, "banks: 8 in 2 starts a run");
    check_banks(source,
                "#encoding<{ idx_map<(d0,d1)->(d0/151,d1,d0%151)>, "
                "layout<partition(0)> }>",
                3, "banks: 8 in 3 starts a run");
    check_banks(source,
                "#encoding<{ idx_map<(d0,d1)->(d0%8,d0,d1)>, mutation<merge(0,1), "
                "trim(2,2)>, layout<partition(0)> }>",
                10, "banks: 8 in 10 starts a run");
    check_banks(source,
                "#encoding<{ idx_map<(d0,d1)->(d0%8,d0,d1)>, mutation<merge(0,1), "
                "trim(1,2)>, layout<partition(0)> }>",
                3, "banks: 8 in 3 starts a run");
    check_banks(source,
                "#encoding<{ idx_map<(d0,d1)->(d1/301,d0,d1)>, mutation<merge(0,1), "
                "trim(2,2)>, layout<partition(0)> }>",
                4, "banks: 4 in 4 starts a run");
    cairn_source_destroy(&source);
    end();
}

/// The card's loader of functions for the host, and how often it was asked.
static cairn_kernel_loader lender;
static int                 loads;

static cairn_status
load_counted(void *user, const cairn_kernel_request *request, cairn_kernel *kernel)
{
    loads++;
    return lender.load(user, request, kernel);
}

/// What lists the visits of 200,000 values and more is compiled, of fewer interpreted.
Test(cuda_plans, visits_of_large_parts_are_listed_by_compiled_functions, .timeout = 600)
{
    BEGIN("seed=35");
    cairn_device              *card = &context->devices->device[1];
    const cairn_kernel_loader *loader;

    MUST(context, cairn_device_kernels(card, &loader));
    lender             = *loader;
    card->kernels.load = load_counted;
    for (int large = 0; large < 2; large++) {
        const cairn_problem problem = {
            .size = sizeof problem, .n = large ? 60000 : 600, .degree = 5, .seed = 3};
        cairn_source *source;
        cairn_plan   *plan[2];

        MUST(context, cairn_source_generate(context, "uniform", &problem, &source));
        cairn_tensor *tensor = must_store(context, source, "csc", CAIRN_F64);

        for (int k = 0; k < 2; k++) {
            plan[k] = plan_of(tensor, k ? "cpu" : "cuda", NULL);
            if (k == 0) cr_expect_eq(loads, large ? 2 : 0);
            fill_ramp(plan[k]);
            MUST(context, cairn_plan_run(plan[k], NULL, NULL));
        }
        cr_expect_arr_eq(cairn_plan_y(plan[0]), cairn_plan_y(plan[1]),
                         (size_t)problem.n * sizeof(double));
        for (int k = 0; k < 2; k++)
            cairn_plan_destroy(&plan[k]);
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&source);
    }
    end();
}

/// A matrix in compressed columns, so large that what lists its visits is compiled.
static cairn_tensor *large_by_columns(cairn_source **source)
{
    const cairn_problem problem = {
        .size = sizeof problem, .n = 60000, .degree = 5, .seed = 3};

    MUST(context, cairn_source_generate(context, "uniform", &problem, source));
    return must_store(context, *source, "csc", CAIRN_F64);
}

static cairn_status open_without_memory(cairn_device        *device,
                                        cairn_kernel_loader *loader)
{
    (void)loader;
    return cairn_fail(device->env, CAIRN_NO_MEMORY, "out of memory: the loader");
}

/// Without memory for the loader of the host's functions there is no plan, and not one that
/// interprets.
Test(cuda_plans, a_loader_without_memory_is_told, .timeout = 600)
{
    const cairn_plan_options options = {.size = sizeof options, .place = "cuda"};
    cairn_plan              *plan    = NULL;
    cairn_source            *source;

    BEGIN("seed=36");
    cairn_device *card   = &context->devices->device[1];
    cairn_tensor *tensor = large_by_columns(&source);

    cr_assert_null(card->kernels.load);
    card->ops.kernels.open = open_without_memory;
    REFUSED(context, NO_MEMORY, "out of memory: the loader",
            cairn_plan_create_with(tensor, &options, &plan));
    cr_expect_null(plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    end();
}

static cairn_status
refuse(void *user, const cairn_kernel_request *request, cairn_kernel *kernel)
{
    (void)user, (void)request, (void)kernel;
    return cairn_fail(&context->env, CAIRN_NO_KERNEL,
                      "compile: cc: it was killed by signal 11");
}

/// A compiler that fails: the part says that its visits were listed by the interpreter, and
/// why, with the same bits; who wants compiled functions alone is refused.
Test(cuda_plans, a_compiler_that_fails_is_told, .timeout = 600)
{
    const cairn_plan_options   options = {.size = sizeof options, .place = "cuda"};
    cairn_plan                *plan[2] = {NULL};
    cairn_source              *source;
    const cairn_kernel_loader *loader;
    cairn_plan_part           *part;
    int64_t                    count, first, end_row;

    BEGIN("seed=37");
    cairn_device *card   = &context->devices->device[1];
    cairn_tensor *tensor = large_by_columns(&source);

    MUST(context, cairn_device_kernels(card, &loader));
    card->kernels.load           = refuse;
    context->env.options.kernels = CAIRN_KERNELS_COMPILED;
    REFUSED(context, NO_KERNEL, "compile: cc: it was killed by signal 11",
            cairn_plan_create_with(tensor, &options, &plan[0]));
    context->env.options.kernels = CAIRN_KERNELS_AUTO;
    for (int k = 0; k < 2; k++) {
        plan[k] = plan_of(tensor, k ? "cpu" : "cuda", NULL);
        fill_ramp(plan[k]);
        MUST(context, cairn_plan_run(plan[k], NULL, NULL));
    }
    MUST(context, cairn_plan_parts(plan[0], &count, &part));
    cr_assert_eq(count, 1);
    cr_expect_str_eq(part->route, "compiled");
    cr_expect(strstr(part->note, "visits were listed interpreted: compile: cc: it was "
                                 "killed by signal 11"),
              "%s", part->note);
    cairn_plan_parts_free(plan[0], &part);
    cairn_plan_rows(plan[0], &first, &end_row);
    cr_expect_arr_eq(cairn_plan_y(plan[0]), cairn_plan_y(plan[1]),
                     (size_t)(end_row - first) * sizeof(double));
    for (int k = 0; k < 2; k++)
        cairn_plan_destroy(&plan[k]);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    end();
}

/* ---- Values changed in place ---- */

enum { SIDE = 61 };

/// A square matrix with a diagonal, its values few and whole, so that they may be narrow.
static cairn_source *square_source(void)
{
    static entries e;

    e = (entries){.rows = SIDE, .columns = SIDE};
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t j = 0; j < SIDE; j++)
            if (i == j || (7 * i + 3 * j) % 11 == 0) put(&e, i, j);
    for (int64_t k = 0; k < e.n; k++)
        e.value[k] = (double)(1 + k % 5);
    return source_of(&e);
}

/// y of a plan made before; the runs of the other plans have its bits.
static void run_all(cairn_plan *const plan[3], const char *text, double y[SIDE])
{
    double x[SIDE], also[SIDE];

    for (int k = 0; k < SIDE; k++)
        x[k] = ramp(k);
    MUST(context, cairn_plan_run(plan[0], x, y));
    for (int p = 1; p < 3; p++) {
        MUST(context, cairn_plan_run(plan[p], x, also));
        cr_assert_arr_eq(also, y, sizeof also, "%s: plan %d has other bits", text, p);
    }
}

/// A card's copies are sent again after values were scaled, and after a shift, also where
/// narrow values become wide.
Test(cuda_plans, values_changed_in_place_are_sent_again, .timeout = 600)
{
    static const char *const texts[] = {"csr", "coo", "sell<2>", "bcsr<2,3>",
                                        "hybrid<bdia<2>,csr,0.5>"};
    double                   factor[SIDE], y[3][SIDE];

    BEGIN("seed=33");
    for (int k = 0; k < SIDE; k++)
        factor[k] = (double)(k % 9 + 1) / 11;
    for (size_t t = 0; t < 2 * sizeof texts / sizeof *texts; t++) {
        static const char *const places[] = {"cpu", "cuda", "cpu*0.5+cuda*0.5"};
        cairn_store_options      options  = CAIRN_STORE_OPTIONS;
        cairn_source            *source   = square_source();
        cairn_format            *format   = must_format(context, texts[t / 2]);
        cairn_tensor            *tensor   = NULL;
        cairn_plan              *plan[3];

        options.replays = t % 2 ? 1000 : 0;
        MUST(context,
             cairn_tensor_create_with(source, format, CAIRN_F64, &options, &tensor));
        cr_expect_eq(cairn_local_is_narrow(tensor->local), t % 2, "%s", texts[t / 2]);
        for (int p = 0; p < 3; p++)
            plan[p] = plan_of(tensor, places[p], NULL);
        run_all(plan, texts[t / 2], y[0]);
        MUST(context, cairn_tensor_scale(tensor, factor, factor));
        run_all(plan, texts[t / 2], y[1]);
        MUST(context, cairn_tensor_shift(tensor, 0.3));
        run_all(plan, texts[t / 2], y[2]);
        for (int k = 0; k < SIDE; k++)
            cr_expect(y[0][k] != y[1][k] && y[1][k] < y[2][k], "%s: row %d",
                      texts[t / 2], k);
        for (int p = 0; p < 3; p++)
            cairn_plan_destroy(&plan[p]);
        cairn_tensor_destroy(&tensor);
        cairn_format_destroy(&format);
        cairn_source_destroy(&source);
    }
    end();
}

/* ---- Failures ---- */

/// What a refused call may leave: a driver that does not free has not freed.
static bool is_freeing(const char *name)
{
    return strstr(name, "Free") || strstr(name, "Destroy") || strstr(name, "Unregister")
           || strstr(name, "Unload") || strstr(name, "Pop") || strstr(name, "Release");
}

/// The card has a share of one member, and all of the other.
static const char both[] = "0=cpu*0.4+cuda*0.6,1=cuda";

/// Make a plan, run it twice, and destroy it.
static cairn_status
run_once(cairn_tensor *tensor, const char *place, double *y, size_t bytes)
{
    const cairn_plan_options options = {
        .size = sizeof options, .place = place, .reproducible = true};
    cairn_plan  *plan   = NULL;
    cairn_status status = cairn_plan_create_with(tensor, &options, &plan);

    if (status != CAIRN_OK) return status;
    fill_ramp(plan);
    status = cairn_plan_run(plan, NULL, NULL);
    if (status == CAIRN_OK) status = cairn_plan_run(plan, NULL, NULL);
    if (status == CAIRN_OK) memcpy(y, cairn_plan_y(plan), bytes);
    cairn_plan_destroy(&plan);
    return status;
}

/// Every call of one function fails once: a plan that is made computes the processor's bits
/// all the same; one that is not says so in a line that names the card. Nothing is left.
/// @return failures.
static int fail_each(cairn_tensor *tensor,
                     const char   *name,
                     int           code,
                     const double *right,
                     size_t        bytes)
{
    int failures = 0;

    for (long n = 0;; n++, failures++) {
        double        y[64];
        const int     alive = fake.alive();
        const int64_t held  = context->env.live_blocks;

        fake.fail(name, n, code);
        const cairn_status    status = run_once(tensor, both, y, bytes);
        const bool            failed = fake.failed(), late = fake.late() != 0;
        const cairn_cuda_loss loss = cairn_cuda_of(&context->devices->device[1])->loss;

        fake.fail(NULL, -1, 0);
        cr_expect_not(late, "%s, call %ld: asked after it", name, n);
        if (status == CAIRN_OK)
            cr_expect_eq(memcmp(y, right, bytes), 0, "%s, call %ld: bits differ", name,
                         n);
        else
            cr_expect(failed && strstr(context->env.message, "cuda:0")
                          && !strchr(context->env.message, '\n'),
                      "%s, call %ld: %s", name, n, context->env.message);
        /* What a card that was given up may still read is kept. */
        if (!loss.gone)
            cr_expect_eq(context->env.live_blocks, held, "%s, call %ld: blocks", name,
                         n);
        if (!loss.lost)
            cr_expect_eq(fake.alive(), alive, "%s, call %ld: %d left", name, n,
                         fake.alive() - alive);
        mend();
        if (!failed) return failures;
    }
}

static void fail_all(int code)
{
    double right[64], again[61];
    int    failures = 0;

    BEGIN("seed=32");
    uint64_t      state  = 12;
    cairn_source *source = random_source(context, &state, 61, 53);
    cairn_tensor *tensor = must_store(context, source, "hybrid<dia,ell>", CAIRN_F64);

    MUST(context, run_once(tensor, "cpu", right, 61 * sizeof *right));
    /* Kernels that take a lost card's place stay loaded. */
    fake.fail("cuGraphLaunch", 0, 801);
    MUST(context, run_once(tensor, both, again, sizeof again));
    mend();
#define X(name, arguments)                                         \
    if (!is_freeing(#name) && strcmp(#name, "cuGetErrorName") != 0 \
        && strcmp(#name, "cuEventQuery") != 0)                     \
        failures += fail_each(tensor, #name, code, right, 61 * sizeof *right);
    CAIRN_CUDA_MAP(X)
#undef X
    printf("%d calls failed once\n", failures);
    cr_expect_gt(failures, 100);
    MUST(context, run_once(tensor, both, again, sizeof again));
    cr_expect_eq(memcmp(again, right, sizeof again), 0);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
}

Test(cuda_plans, every_call_fails_once, .timeout = 600)
{
    fail_all(801);
}

/// The same with a failure that stays.
Test(cuda_plans, every_call_fails_for_good_once, .timeout = 600)
{
    fail_all(719);
}
