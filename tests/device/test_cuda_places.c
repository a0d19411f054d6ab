// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where members go that may go to a card, by what its copies take: what is learned of them,
/// rows divided where arithmetic has both devices end at once, and the ways that a plan
/// tries. The card pretends (tests/fake_cuda); its rates are these tests' own.

#include "api/api.h"
#include "cost/cost_file.h"
#include "cost/transfers.h"
#include "devices/cuda/device.h"
#include "support/api.h"
#include "support/fake_cuda.h"

#include <math.h>

enum { ROWS = 6400, BAND = 5, COLS = ROWS + BAND - 1 };

static fake_cuda      fake;
static cairn_context *context;
static int64_t        blocks;

static cairn_device *device(int k)
{
    return &context->devices->device[k];
}

/// Rates of the two devices, bytes per second: memory of both, and what lies between.
typedef struct {
    double host, inside, up, down;
} rates;

/// Begin with a processor and a card of such rates. @return false: there is no driver.
static bool begin(const rates *r)
{
    setenv("FAKE_CUDA", "seed=3", 1);
    if (!fake_cuda_find(&fake)) return false;
    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    snprintf(context->env.options.devices, sizeof context->env.options.devices,
             "cpu,cuda");
    snprintf(context->env.options.costs, sizeof context->env.options.costs, "none");
    blocks                    = must_settle(context);
    device(0)->info.bandwidth = r->host;
    device(1)->info.bandwidth = r->inside;
    device(1)->info.link      = (cairn_device_link){.up = r->up, .down = r->down};
    return true;
}

#define BEGIN(...)                              \
    if (!begin(&(rates){__VA_ARGS__}))          \
    cr_skip_test("the pretended driver is not " \
                 "here")

/// A band: every row has BAND entries, next to each other.
static cairn_tensor *store_band(const char *text)
{
    static int64_t coord[2 * ROWS * BAND];
    const int64_t  extent[2] = {ROWS, COLS};
    cairn_source  *source;

    for (int64_t k = 0; k < ROWS * BAND; k++) {
        coord[2 * k]     = k / BAND;
        coord[2 * k + 1] = k / BAND + k % BAND;
    }
    MUST(context, cairn_source_from_coords(context, 2, extent, ROWS * BAND, coord, NULL,
                                           CAIRN_BY_ROWS, &source));
    cairn_tensor *const tensor = must_store(context, source, text, CAIRN_F64);

    cairn_source_destroy(&source);
    return tensor;
}

/* ---- What is learned ---- */

/// The bytes and seconds of a family's only measurement.
static cairn_cost_sample learned(const char *family)
{
    cairn_cost_device its;
    cairn_costs      *costs;

    MUST(context, cairn_context_costs(context, &costs));
    cairn_cost_device_of(device(1), 1, &its);
    const cairn_cost_model *const model = cairn_cost_find(costs, its.key, family);

    cr_assert_not_null(model, "nothing is known of %s", family);
    cr_expect_eq(model->samples, 1, "%s", family);
    return model->sample[0];
}

/// Copies are learned by the bytes of X and of Y, kernels without them; what is predicted
/// then is the sum, and of a device that starts late its start.
Test(cuda_places, copies_are_learned_apart, .timeout = 60)
{
    static const cairn_product_options op = CAIRN_PRODUCT_OPTIONS;
    cairn_plan_options options            = {.size = sizeof options, .place = "cuda"};
    cairn_plan        *plan               = NULL;
    cairn_plan_part   *part               = NULL;
    cairn_cost_guess   guess;
    cairn_work         work;
    cairn_costs       *costs;
    int64_t            parts;

    BEGIN(1e10, 1e12, 2e10, 2e10);
    context->env.options.cost = CAIRN_RATES_LEARNED;
    cairn_tensor *tensor      = store_band("ell");

    MUST(context, cairn_plan_create_with(tensor, &options, &plan));
    for (int k = 0; k < 8; k++)
        MUST(context, cairn_plan_run(plan, NULL, NULL));
    MUST(context, cairn_plan_parts(plan, &parts, &part));
    const cairn_device_seconds is = part[0].on_device;

    cairn_plan_observe(plan);
    const cairn_device_work product = {
        .tensor = tensor->local, .op = &op, .alone = true};

    cairn_work_of_product(&product, true, &work);
    const cairn_cost_sample in = learned("copies in"), out = learned("copies out"),
                            kernel = learned(work.family);

    cr_expect_eq(in.bytes, 8.0 * COLS);
    cr_expect_eq(out.bytes, 8.0 * ROWS);
    cr_expect_eq(in.seconds, is.in);
    cr_expect_eq(out.seconds, is.out);
    cr_expect_eq(kernel.seconds, is.kernel);
    MUST(context, cairn_context_costs(context, &costs));
    const cairn_device_request request = {.moved_bytes = (int64_t)work.bytes,
                                          .work        = &product};

    cairn_cost_of_product(costs, device(1), 1, &request, &work, &guess);
    cr_expect_eq(guess.source, CAIRN_COST_MEASURED);
    cr_expect_float_eq(guess.beside, 25e-6 + is.in + is.out, 0.02 * guess.beside);
    cr_expect_float_eq(guess.seconds, guess.beside + is.kernel, 0.02 * guess.seconds);
    cairn_plan_parts_free(plan, &part);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_costs_fini(costs);
    must_end(&context, blocks);
}

/* ---- Dividing rows ---- */

/// What a policy makes of a band at @p place; "": its only member is open.
static void choose(const cairn_tensor *tensor,
                   const char         *place,
                   cairn_placing      *homes,
                   cairn_placing      *beaten)
{
    static const cairn_product_options op        = CAIRN_PRODUCT_OPTIONS;
    cairn_placement                    placement = {.named = 0};
    cairn_placing_question             question  = {.devices   = context->devices,
                                                    .placement = &placement,
                                                    .tensor    = tensor->local,
                                                    .op        = &op,
                                                    .ranks     = 1,
                                                    .divides   = true,
                                                    .beaten    = beaten};

    MUST(context, cairn_placement_parse(&context->env, "--place", place, &placement));
    MUST(context, cairn_context_costs(context, &question.costs));
    MUST(context, cairn_policy_find(&context->env, "heft", &question.policy));
    MUST(context, cairn_placing_choose(&context->env, &question, homes));
}

/// Seconds that shipped rates have for all rows: on the processor, and of the card its
/// kernel and copies, without its start.
static void predict(const cairn_tensor *tensor, const rates *r, double seconds[2])
{
    static const cairn_product_options op      = CAIRN_PRODUCT_OPTIONS;
    const cairn_device_work            product = {
                   .tensor = tensor->local, .op = &op, .alone = true};
    cairn_work work;

    cairn_work_of_product(&product, true, &work);
    seconds[0] = 1e-6 + work.bytes / r->host;
    seconds[1] = work.bytes / r->inside + 8.0 * COLS / r->up + 8.0 * ROWS / r->down;
}

/// p of the rows are the processor's where p P = S + (1 - p) C, unless one device alone is
/// faster than both.
static void check_division(rates r, const char *place, bool divides)
{
    const double  start = 25e-6;
    double        seconds[2];
    cairn_placing homes, beaten;

    if (!begin(&r)) cr_skip_test("the pretended driver is not here");
    cairn_tensor *tensor = store_band("csr");

    predict(tensor, &r, seconds);
    choose(tensor, place, &homes, &beaten);
    if (divides) {
        const double part = (start + seconds[1]) / (seconds[0] + seconds[1]);

        cr_assert_eq(homes.count, 2, "%d homes", homes.count);
        cr_expect_eq(homes.home[0].device, 0);
        cr_expect_eq(homes.home[1].device, 1);
        cr_expect_eq(homes.home[1].rows.lo, homes.home[0].rows.hi + 1);
        cr_expect_eq(homes.home[1].rows.hi, ROWS - 1);
        cr_expect_float_eq((double)homes.home[1].rows.lo / ROWS, part, 1.0 / 64,
                           "%g of the rows, not %g",
                           (double)homes.home[1].rows.lo / ROWS, part);
        cr_expect_float_eq(homes.home[0].seconds, homes.home[1].seconds,
                           (seconds[0] + seconds[1]) / 64);
        if (!place[0])
            cr_expect_eq(beaten.count, 1, "the way that was not taken is told");
    } else
        cr_expect_eq(homes.count, 1, "%d homes", homes.count);
    cairn_tensor_destroy(&tensor);
    must_end(&context, blocks);
}

Test(cuda_places, rows_are_divided_where_kernels_decide)
{
    check_division((rates){1e8, 3e8, 1e10, 1e10}, "", true);
}

Test(cuda_places, rows_are_divided_where_copies_decide)
{
    check_division((rates){1e8, 1e11, 4e7, 4e7}, "", true);
}

Test(cuda_places, few_rows_are_the_cards_where_it_is_slow)
{
    check_division((rates){1e8, 1e11, 1e7, 1e7}, "", true);
}

Test(cuda_places, rows_are_divided_likewise_where_both_are_named)
{
    check_division((rates){1e8, 1e11, 4e7, 4e7}, "cpu+cuda", true);
}

Test(cuda_places, a_card_whose_start_takes_longer_than_all_gets_none)
{
    check_division((rates){1e11, 1e12, 1e11, 1e11}, "", false);
}

/* ---- Trying ---- */

/// A plan of an open member tries the processor, the card, and both, and has the bits of the
/// processor whichever it takes.
Test(cuda_places, three_ways_are_tried, .timeout = 60)
{
    cairn_plan_info info = CAIRN_PLAN_INFO;
    cairn_plan     *plan = NULL;
    double         *right;

    BEGIN(1e8, 3e8, 1e10, 1e10);
    cairn_tensor      *tensor  = store_band("csr");
    cairn_plan_options options = {.size = sizeof options, .place = "cpu"};

    MUST(context, cairn_plan_create_with(tensor, &options, &plan));
    fill_ramp(plan);
    MUST(context, cairn_plan_run(plan, NULL, NULL));
    right = malloc(ROWS * sizeof *right);
    memcpy(right, cairn_plan_y(plan), ROWS * sizeof *right);
    cairn_plan_destroy(&plan);

    options.place = NULL;
    MUST(context, cairn_plan_create_with(tensor, &options, &plan));
    MUST(context, cairn_plan_describe(plan, &info));
    cr_expect(strstr(info.placement, "several devices ")
                  && strstr(info.placement, "cpu:0 alone ")
                  && strstr(info.placement, "cuda:0 alone "),
              "%s", info.placement);
    fill_ramp(plan);
    for (int k = 0; k < 3; k++) {
        MUST(context, cairn_plan_run(plan, NULL, NULL));
        cr_expect_eq(memcmp(cairn_plan_y(plan), right, ROWS * sizeof *right), 0,
                     "bits differ: %s", info.placement);
    }
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    free(right);
    must_end(&context, blocks);
}

/// Where times are measured, a plan measures a card that may have an open member.
Test(cuda_places, a_card_is_measured_before_it_is_chosen)
{
    cairn_plan *plan = NULL;

    BEGIN(0, 0, 0, 0);
    context->env.options.cost = CAIRN_RATES_LEARNED;
    cairn_tensor *tensor      = store_band("csr");

    MUST(context, cairn_plan_create_with(tensor, NULL, &plan));
    cr_expect_gt(device(1)->info.link.up, 0);
    cr_expect_gt(device(1)->info.link.both, 0);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_context_destroy(&context);
}
