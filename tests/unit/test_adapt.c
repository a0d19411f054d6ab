// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Plans that keep two ways to run and change between them: when, at what cost, and with
/// the right product in every run. Devices are slow in runs that the test says, by much
/// more than a busy machine makes them.

#include "support/device_file.h"

static cairn_source *source;
static cairn_tensor *tensor;

static void end(void)
{
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    down();
}

TestSuite(adapt, .init = up, .fini = end, .timeout = 120);

/// A plan on debug:0 whose other way is debug:1, as if a race had measured @p seconds.
static cairn_plan *make_plan(const operands *o, const double *seconds)
{
    const cairn_plan_options options = {
        .size = sizeof(cairn_plan_options), .product = &o->op, .place = "debug:0"};
    cairn_replay *other;
    cairn_plan   *plan;

    source = make_source(context);
    tensor = must_store(context, source, "csr", o->dtype);
    MUST(context, cairn_plan_create_with(tensor, &options, &plan));
    plan->other                = plan->homes;
    plan->other.home[0].device = plan->homes.home[0].device + 1;
    MUST(context, cairn_replay_create_beside(plan->replay, &plan->other,
                                             cairn_plan_held(tensor), &other));
    cairn_autotune_init(&plan->adapt, other, seconds);
    return plan;
}

/// Run @p runs times, each from the same Y and checked, and allocate nothing meanwhile.
static void run(cairn_plan *plan, operands *o, int runs)
{
    const bool f32 = o->dtype == CAIRN_F32;

    for (int k = 0; k < runs; k++) {
        fill(o);
        context->env.allowed = 0;
        MUST(context, cairn_plan_run(plan, f32 ? (void *)o->x32 : (void *)o->x,
                                     f32 ? (void *)o->y32 : (void *)o->y));
        context->env.allowed = -1;
        check(o, plan->placement);
    }
}

static void expect(cairn_plan *plan, int trials, int switches, const char *device)
{
    cairn_plan_info info = CAIRN_PLAN_INFO;

    MUST(context, cairn_plan_describe(plan, &info));
    cr_expect_eq(info.trials, trials, "%d trials, not %d: %s", info.trials, trials,
                 info.placement);
    cr_expect_eq(info.switches, switches, "%d switches, not %d: %s", info.switches,
                 switches, info.placement);
    cr_expect_str_eq(info.device, device, "on %s: %s", info.device, info.placement);
}

enum { ROUNDS = CAIRN_COMPARE_ROUNDS, TRIAL = 2 * ROUNDS + 1 };

static const double alike[2] = {1e-3, 1e-3};

/// The way in use becomes slow: the next trial finds the other, and stays there when the
/// first is fast again but no better. X, Y and their addresses stay.
Test(adapt, what_became_slow_is_left)
{
    static operands o;

    for (int k = 0; k < 4; k++) {
        o = (operands){
            .dtype = k % 2 ? CAIRN_F32 : CAIRN_F64,
            .op    = {.size       = sizeof(cairn_product_options),
                      .columns    = 1 + k % 3,
                      .transposed = k / 2 % 2,
                      .alpha      = 1,
                      .beta       = (k + 1) / 2 % 2}
        };
        use_debug("cpu", ", \"slow\": 0.4, \"slow_from\": 33", "");
        cairn_plan *plan = make_plan(&o, alike);
        void *const x    = plan->replay->common.operands->x;

        run(plan, &o, 32 + TRIAL - 1);
        expect(plan, 0, 0, "debug:0");
        run(plan, &o, 1);
        expect(plan, 1, 1, "debug:1");
        cr_expect_eq(plan->replay->common.operands->x, x);
        cr_expect(strstr(plan->placement, "tried again 1 time, after 43 runs: debug:1"),
                  "%s", plan->placement);
        cr_expect(strstr(plan->placement, "; switched 1 time"), "%s", plan->placement);
        cairn_plan_destroy(&plan);
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&source);
    }
}

/// There and back, each when it is the faster; runs between trials double.
Test(adapt, what_became_fast_is_used_again)
{
    static operands o = {.op = CAIRN_PRODUCT_OPTIONS};

    /* The first trial is in the runs from 33 on; when it ends debug:1 has done 6 runs, and
       64 more when the second one begins. */
    use_debug("cpu", ", \"slow\": 0.4, \"slow_from\": 33, \"slow_runs\": 5",
              ", \"slow\": 0.4, \"slow_from\": 71");
    cairn_plan *plan = make_plan(&o, alike);

    run(plan, &o, 32 + TRIAL);
    expect(plan, 1, 1, "debug:1");
    const int64_t interval = plan->adapt.interval;

    /* What had been slow by 0.4 s, in a product of microseconds, is not soon tried. */
    cr_expect_geq(interval, 2000);
    plan->adapt.next = 43 + 64;
    run(plan, &o, 64 + TRIAL);
    expect(plan, 2, 2, "debug:0");
    cr_expect_geq(plan->adapt.interval, 2 * interval);
    cairn_plan_destroy(&plan);
}

/// A way that takes twice as long and more gets three runs of a trial.
Test(adapt, what_is_hopeless_is_given_up)
{
    static operands o = {.op = CAIRN_PRODUCT_OPTIONS};

    use_debug("cpu", "", ", \"slow\": 0.4, \"slow_from\": 1");
    cairn_plan *plan = make_plan(&o, alike);

    run(plan, &o, 32 + ROUNDS + 3);
    expect(plan, 0, 0, "debug:0");
    run(plan, &o, 1);
    expect(plan, 1, 0, "debug:0");
    cr_expect_eq(plan->adapt.other->subproduct[0].runs.count, 3);
    cr_expect_gt(plan->adapt.seconds[1], 0.4);
    cairn_plan_destroy(&plan);
}

/// The runs that a plan takes are paid before the trial: by what was measured, no trial
/// costs more than a fortieth of the runs before it.
Test(adapt, trials_are_paid_before)
{
    static const struct {
        double  seconds[2];
        int64_t runs;
    } row[] = {
        {{1e-3, 1e-3},   32    },
        {{1e-3, 1.1e-3}, 32    },
        {{1e-3, 1.5e-3}, 120   },
        {{1e-3, 3e-3},   240   },
        {{1e-3, 1},      119880},
        {{0, 0},         32    },
    };

    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        cairn_autotune adapt;

        cairn_autotune_init(&adapt, NULL, row[k].seconds);
        cr_expect(llabs(adapt.next - row[k].runs) <= 1, "row %zu: %" PRId64, k,
                  adapt.next);
    }
}

/// Forgetting times changes no trial, and recording puts trials off.
Test(adapt, records_and_forgotten_times)
{
    static operands o = {.op = CAIRN_PRODUCT_OPTIONS};

    use_debug("cpu", "", "");
    cairn_plan *plan = make_plan(&o, alike);

    run(plan, &o, 34);
    cairn_plan_forget_times(plan);
    MUST(context, cairn_plan_record(plan, 0));
    const int64_t stored = cairn_trace_kept(plan->replay->trace);

    run(plan, &o, 100);
    expect(plan, 0, 0, "debug:0");
    cr_expect_eq(cairn_trace_kept(plan->replay->trace) - stored, 200);
    cr_expect_eq(plan->replay->subproduct[0].runs.count, 100);
    cr_expect_eq(plan->adapt.other->subproduct[0].runs.count, 0);
    cairn_plan_destroy(&plan);
}

/// A device that fails, in use or when it is tried, ends the trials; every product is
/// right.
Test(adapt, a_device_that_fails_ends_it)
{
    static operands o = {.op = CAIRN_PRODUCT_OPTIONS};

    /* In use, in the middle of a trial, in its last run. */
    static const char *const first[]  = {", \"fail_run\": 10", "",
                                         ", \"slow\": 0.4, \"slow_from\": 33, "
                                          "\"slow_runs\": 5"};
    static const char *const second[] = {"", ", \"fail_run\": 3", ", \"fail_run\": 6"};

    for (int k = 0; k < 6; k++) { /* without beta, and with it: Y is read, then lost */
        cairn_plan_info info = CAIRN_PLAN_INFO;

        o.op.beta = k / 3 * 0.75;
        use_debug("cpu", first[k % 3], second[k % 3]);
        cairn_plan *plan = make_plan(&o, alike);

        for (int r = 0; r < 200; r++) { /* a part that moves takes memory */
            fill(&o);
            MUST(context, cairn_plan_run(plan, o.x, o.y));
            check(&o, "a device that failed");
        }
        MUST(context, cairn_plan_describe(plan, &info));
        cr_expect_eq(info.trials, 0);
        cr_expect_eq(info.retired, 1);
        cr_expect_str_eq(info.device, k % 3 ? "debug:0" : "cpu:0");
        cr_expect(strstr(info.placement, "a device failed"), "%s", info.placement);
        cairn_plan_destroy(&plan);
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&source);
    }
}
