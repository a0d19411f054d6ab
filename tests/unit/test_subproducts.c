// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Members of one matrix on several devices at once: every place gives the right product,
/// the same one at every run, and devices that fail are survived.

#include "support/device_file.h"

TestSuite(subproducts, .init = up, .fini = down);

/// Run a plan @p times times from the same Y, each checked.
static void run(cairn_plan *plan, operands *o, int times, const char *text)
{
    const bool f32 = o->dtype == CAIRN_F32;

    for (int k = 0; k < times; k++) {
        fill(o);
        MUST(context, cairn_plan_run(plan, f32 ? (void *)o->x32 : (void *)o->x,
                                     f32 ? (void *)o->y32 : (void *)o->y));
        check(o, text);
    }
}

static void run_at(const char *format, const char *place, operands *o)
{
    const cairn_plan_options options = {
        .size = sizeof(cairn_plan_options), .product = &o->op, .place = place};
    cairn_source *source = make_source(context);
    cairn_tensor *tensor = must_store(context, source, format, o->dtype);
    cairn_plan   *plan;
    char          text[256];

    snprintf(text, sizeof text, "%s at %s, beta %g", format, place, o->op.beta);
    MUST(context, cairn_plan_create_with(tensor, &options, &plan));
    run(plan, o, 3, text);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

/// Products of all sorts, one after the other.
static operands sort_of_product(int k)
{
    return (operands){
        .dtype = k % 2 ? CAIRN_F32 : CAIRN_F64,
        .op    = {.size       = sizeof(cairn_product_options),
                  .columns    = k % 3 == 2 ? MOST : 1,
                  .transposed = k % 4 == 3,
                  .alpha      = k % 5 ? 1 : -0.5,
                  .beta       = k % 3 ? 0 : 1.25}
    };
}

Test(subproducts, every_place_gives_the_product)
{
    static const char *const places[] = {
        "cpu:0",           "cpu:1",           "debug",     "0=cpu:1,1=cpu:0",
        "0=debug,1=cpu:1", "0=cpu:0,1=debug", "1=debug:0", "auto"};
    static operands o;
    int             sort = 0;

    use_devices("cpu:2,debug");
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (size_t p = 0; p < sizeof places / sizeof *places; p++, sort++) {
            const bool hybrid = strncmp(formats[f], "hybrid", 6) == 0;

            if (!hybrid && (strchr(places[p], '=') || (f + p) % 3)) continue;
            for (int k = 0; k < (hybrid ? 6 : 1); k++) {
                o = sort_of_product(sort + k);
                run_at(formats[f], places[p], &o);
            }
        }
}

Test(subproducts, reference_ways_meet_as_well)
{
    static operands o;

    use_devices("cpu:2");
    context->env.options.kernels = CAIRN_KERNELS_REFERENCE;
    for (int k = 0; k < 12; k++) {
        o = sort_of_product(k);
        run_at("hybrid<bdia<4>,csr,0.6>", "0=cpu:1,1=cpu:0", &o);
    }
}

/// What parts say of themselves: devices, entries that add up, times after runs.
Test(subproducts, parts_say_where_they_are)
{
    static operands          o       = {.op = CAIRN_PRODUCT_OPTIONS};
    const cairn_plan_options options = {.size  = sizeof(cairn_plan_options),
                                        .place = "0=debug,1=cpu"};
    cairn_source            *source  = make_source(context);
    cairn_plan_part         *part;
    cairn_plan_info          info = CAIRN_PLAN_INFO;
    cairn_plan              *plan;
    int64_t                  count;

    use_devices("cpu,debug");
    cairn_tensor *tensor =
        must_store(context, source, "hybrid<bdia<4>,csr,0.6>", CAIRN_F64);

    MUST(context, cairn_plan_create_with(tensor, &options, &plan));
    run(plan, &o, 5, "parts");
    MUST(context, cairn_plan_parts(plan, &count, &part));
    cr_assert_eq(count, 2);
    cr_expect_str_eq(part[0].device, "debug:0");
    cr_expect_str_eq(part[1].device, "cpu:0");
    cr_expect_gt(part[0].seconds, 0);
    cr_expect_str_eq(part[1].clock, "measured");
    cairn_plan_forget_times(plan);
    cairn_plan_parts_free(plan, &part);
    MUST(context, cairn_plan_parts(plan, &count, &part));
    cr_expect_eq(part[0].seconds, 0);
    cairn_plan_parts_free(plan, &part);
    MUST(context, cairn_plan_describe(plan, &info));
    cr_expect_str_eq(info.clock, "measured");
    cr_expect_eq(info.retired, 0);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

/// Tasks know what they move, for traces: an addition reads one Y and the other, and writes
/// that.
Test(subproducts, additions_say_their_bytes)
{
    const cairn_plan_options options = {.size  = sizeof(cairn_plan_options),
                                        .place = "0=cpu:0,1=cpu:1"};
    cairn_source            *source  = make_source(context);
    int                      added   = 0;
    cairn_plan              *plan;

    use_devices("cpu:2");
    cairn_tensor *tensor =
        must_store(context, source, "hybrid<bdia<4>,csr,0.6>", CAIRN_F64);

    MUST(context, cairn_plan_create_with(tensor, &options, &plan));
    for (uint32_t t = 0; t < plan->replay->tasks.graph->tasks; t++) {
        const cairn_task *task = &plan->replay->tasks.graph->task[t];

        if (strcmp(task->kind, "add") != 0) continue;
        cr_expect_eq(task->bytes, 3 * 8 * ROWS);
        added++;
    }
    cr_expect_eq(added, 1);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

static void survive(const char *what, const char *place, operands *o, int retired)
{
    const cairn_plan_options options = {
        .size = sizeof(cairn_plan_options), .product = &o->op, .place = place};
    cairn_source   *source = make_source(context);
    cairn_plan_info info   = CAIRN_PLAN_INFO;
    cairn_plan     *plan;

    use_debug("cpu", what, NULL);
    cairn_tensor *tensor =
        must_store(context, source, "hybrid<bdia<4>,csr,0.6>", o->dtype);

    MUST(context, cairn_plan_create_with(tensor, &options, &plan));
    run(plan, o, 8, what);
    MUST(context, cairn_plan_describe(plan, &info));
    cr_expect_eq(info.retired, retired, "%s at %s: %d parts moved, not %d", what, place,
                 info.retired, retired);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

Test(subproducts, a_device_that_fails_is_survived)
{
    static operands o;

    for (int k = 0; k < 12; k++) {
        char what[64];

        snprintf(what, sizeof what, ", \"fail_run\": %d", 1 + k % 5);
        o = sort_of_product(k);
        survive(what, "0=cpu,1=debug", &o, 1);
        survive(what, "0=debug,1=cpu", &o, 1);
    }
}

/// A lost device fails again and again: both members leave it.
Test(subproducts, all_members_leave_a_lost_device)
{
    static operands o = {.op = CAIRN_PRODUCT_OPTIONS};

    survive(", \"fail_run\": 4", "debug", &o, 2);
}

Test(subproducts, a_device_that_is_too_small_is_refused)
{
    const cairn_plan_options options = {.size  = sizeof(cairn_plan_options),
                                        .place = "debug"};
    cairn_source            *source  = make_source(context);
    cairn_plan              *plan    = NULL;

    use_debug("cpu", ", \"memory\": 100", NULL);
    cairn_tensor *tensor = must_store(context, source, "csr", CAIRN_F64);

    REFUSED(context, NO_MEMORY, "debug:0 is 100",
            cairn_plan_create_with(tensor, &options, &plan));
    cr_expect_null(plan);
    use_debug("cpu", ", \"fail_build\": 1", NULL);
    static operands o = {.op = CAIRN_PRODUCT_OPTIONS};

    MUST(context, cairn_plan_create_with(tensor, &options, &plan));
    cr_expect_str_eq(cairn_plan_member_route(plan, 0), "reference");
    run(plan, &o, 3, "not built");
    cairn_plan_destroy(&plan);
    REFUSED(
        context, NO_DEVICE, "debug:3",
        cairn_plan_create_with(tensor,
                               &(cairn_plan_options){.size = sizeof(cairn_plan_options),
                                                     .place = "debug:3"},
                               &plan));
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

/// A plan of the hybrid, or why there is none; run twice and checked.
static cairn_plan *plan_hybrid(cairn_tensor *tensor, const cairn_plan_options *options)
{
    static operands o    = {.op = CAIRN_PRODUCT_OPTIONS};
    cairn_plan     *plan = NULL;

    MUST(context, cairn_plan_create_with(tensor, options, &plan));
    run(plan, &o, 2, options->place ? options->place : "open places");
    return plan;
}

static void expect_device(cairn_plan *plan, int member, const char *device)
{
    cairn_plan_part *part;
    int64_t          count;

    MUST(context, cairn_plan_parts(plan, &count, &part));
    cr_expect_str_eq(part[member].device, device, "member %d on %s", member,
                     part[member].device);
    cairn_plan_parts_free(plan, &part);
}

enum { MANY = 30000 };

/// A matrix of which two devices have enough to do: diagonals, and entries anywhere.
static cairn_tensor *make_large(cairn_source **source)
{
    int64_t *coord = malloc(3 * 2 * MANY * sizeof *coord), extent[2] = {MANY, MANY};
    double  *value = malloc(3 * MANY * sizeof *value);

    for (int64_t k = 0; k < 3 * MANY; k++) {
        const int64_t i = k / 3, far = (i * 7919 + 13) % MANY;

        coord[2 * k]     = i;
        coord[2 * k + 1] = k % 3 == 2 ? far : (i + k % 3) % MANY;
        value[k]         = 1 + (double)(k % 11) / 7;
    }
    MUST(context, cairn_source_from_coords(context, 2, extent, (int64_t)3 * MANY, coord,
                                           value, CAIRN_BY_ROWS, source));
    free(coord);
    free(value);
    return must_store(context, *source, "hybrid<bdia<4>,csr,0.6>", CAIRN_F64);
}

/// The plan's product, verified; what it says of its placement.
static cairn_plan_info verify_open(cairn_plan *plan, const cairn_source *source)
{
    cairn_plan_info info = CAIRN_PLAN_INFO;
    double          rel, most;

    fill_ramp(plan);
    MUST(context, cairn_plan_run(plan, NULL, NULL));
    MUST(context, cairn_plan_verify(plan, source, &rel, &most));
    MUST(context, cairn_plan_describe(plan, &info));
    return info;
}

/// Members that nobody placed are spread, tried together and alone, and again in the
/// user's runs, and that is told; whoever wants the same bits every time gets no trial, and
/// no prediction of places that nobody asked about.
Test(subproducts, open_places_are_tried)
{
    const cairn_plan_options fixed = {.size         = sizeof(cairn_plan_options),
                                      .reproducible = 1},
                             open  = CAIRN_PLAN_OPTIONS;
    cairn_source   *source;
    cairn_plan     *plan;
    cairn_plan_info info = CAIRN_PLAN_INFO;

    use_devices("cpu:2");
    strcpy(context->env.options.costs, "none");
    cairn_tensor *tensor = make_large(&source);

    MUST(context, cairn_plan_create_with(tensor, &open, &plan));
    info = verify_open(plan, source);
    cr_expect(strstr(info.placement, "several devices"), "%s", info.placement);
    cr_assert_not_null(plan->adapt.other);
    plan->adapt.next = 1;
    for (int k = 0; k < 2 * CAIRN_COMPARE_ROUNDS + 1; k++)
        info = verify_open(plan, source);
    cr_expect_eq(info.trials, 1);
    cr_expect(strstr(info.placement, "; tried again 1 time"), "%s", info.placement);
    cairn_plan_destroy(&plan);
    MUST(context, cairn_plan_create_with(tensor, &fixed, &plan));
    cr_expect_null(plan->adapt.other);
    info = verify_open(plan, source);
    cr_expect_str_eq(info.placement, "heft");
    expect_device(plan, 0, "cpu:0");
    expect_device(plan, 1, "cpu:0");
    cr_expect_eq(plan->homes.makespan[CAIRN_CLOCK_MEASURED], 0);
    cr_expect(plan->homes.home[0].seconds == 0 || plan->homes.home[1].seconds == 0);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

/// A plan whose other way finds no memory is made all the same.
Test(subproducts, what_cannot_be_tried_is_not)
{
    const cairn_plan_options open = CAIRN_PLAN_OPTIONS;
    cairn_source            *source;
    cairn_plan              *plan;
    bool                     tried = false, untried = false;

    use_devices("cpu:2");
    strcpy(context->env.options.costs, "none");
    cairn_tensor *tensor = make_large(&source);

    MUST(context, cairn_plan_create_with(tensor, &open, &plan)); /* kernels are kept */
    cairn_plan_destroy(&plan);
    for (int64_t blocks = 0; !tried; blocks++) {
        context->env.allowed      = blocks;
        const cairn_status status = cairn_plan_create_with(tensor, &open, &plan);

        context->env.allowed = -1;
        if (status != CAIRN_OK) continue;
        const cairn_plan_info info = verify_open(plan, source);

        tried = strstr(info.placement, "several devices");
        if (!tried) cr_expect_str_eq(info.placement, "heft");
        untried |= !tried;
        cairn_plan_destroy(&plan);
    }
    cr_expect(untried);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

/// What was lost stays lost for plans that name it, and is left alone by those that do
/// not.
Test(subproducts, a_lost_device_is_refused_by_name)
{
    cairn_source            *source = make_source(context);
    const cairn_plan_options named  = {.size  = sizeof(cairn_plan_options),
                                       .place = "0=debug,1=cpu"},
                             open   = CAIRN_PLAN_OPTIONS;
    cairn_plan *none                = NULL;

    use_debug("cpu", ", \"fail_run\": 1", NULL);
    cairn_tensor *tensor =
        must_store(context, source, "hybrid<bdia<4>,csr,0.6>", CAIRN_F64);
    cairn_plan *plan = plan_hybrid(tensor, &named);

    expect_device(plan, 0, "cpu:0");
    cairn_plan_destroy(&plan);
    REFUSED(context, NO_DEVICE, "debug:0: it failed in an earlier run",
            cairn_plan_create_with(tensor, &named, &none));
    plan = plan_hybrid(tensor, &open);
    expect_device(plan, 0, "cpu:0");
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

/// A device that another plan has lost is left between runs. What is in its place adds to
/// Y where the device's kernel set it: nothing of the last run may be left there.
Test(subproducts, a_lost_device_leaves_nothing_in_y)
{
    static operands          o     = {.op = CAIRN_PRODUCT_OPTIONS};
    const cairn_plan_options named = {
        .size = sizeof(cairn_plan_options), .product = &o.op, .place = "debug"};
    cairn_source *source;
    cairn_plan   *plan;

    for (int f32 = 0; f32 < 2; f32++) {
        o.dtype = f32 ? CAIRN_F32 : CAIRN_F64;
        use_devices("cpu,debug");
        source               = make_source(context);
        cairn_tensor *tensor = must_store(context, source, "csr", o.dtype);

        MUST(context, cairn_plan_create_with(tensor, &named, &plan));
        run(plan, &o, 2, "before");
        context->env.options.kernels             = CAIRN_KERNELS_REFERENCE;
        plan->replay->subproduct[0].device->lost = true;
        run(plan, &o, 2, "after another plan lost it");
        context->env.options.kernels = CAIRN_KERNELS_AUTO;
        expect_device(plan, 0, "cpu:0");
        cairn_plan_destroy(&plan);
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&source);
    }
}

/// A plan in a file opens the kinds that it names; a place beside it is one too many.
Test(subproducts, files_of_plans_open_what_they_name)
{
    cairn_source            *source = make_source(context);
    const cairn_plan_options saved  = {.size  = sizeof(cairn_plan_options),
                                       .place = "0=debug,1=cpu"};
    const cairn_plan_options loaded = {.size = sizeof(cairn_plan_options),
                                       .plan = file};
    const cairn_plan_options both   = {
          .size = sizeof(cairn_plan_options), .plan = file, .place = "cpu"};
    cairn_plan *none = NULL;

    use_devices("cpu,debug");
    cairn_tensor *tensor =
        must_store(context, source, "hybrid<bdia<4>,csr,0.6>", CAIRN_F64);
    cairn_plan *plan = plan_hybrid(tensor, &saved);

    MUST(context, cairn_plan_save(plan, file));
    cairn_plan_destroy(&plan);
    use_devices("");
    plan = plan_hybrid(tensor, &loaded);
    expect_device(plan, 0, "debug:0");
    expect_device(plan, 1, "cpu:0");
    cairn_plan_destroy(&plan);
    REFUSED(context, BAD_OPTION, "so does a place",
            cairn_plan_create_with(tensor, &both, &none));
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}
