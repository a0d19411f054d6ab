// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Names of the version before, which headers keep for one more: programs that use them
/// compile without a warning and do what they did, sizes of options unset.

#undef CAIRN_WARN_DEPRECATED

#include "support/api.h"

static const int64_t extent[] = {3, 3};
static const int64_t coord[]  = {0, 0, 1, 1, 2, 0};
static const double  value[]  = {1, 2, 3};
static const double  x[]      = {1, 2, 3};

static cairn_context *context;
static cairn_tensor  *tensor;

static void up(void)
{
    cairn_source *source;

    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    MUST(context, cairn_source_from_coords(context, 2, extent, 3, coord, value,
                                           CAIRN_BY_NNZ, &source));
    tensor = must_store(context, source, "csr", CAIRN_F64);
    cairn_source_destroy(&source);
}

static void down(void)
{
    cairn_tensor_destroy(&tensor);
    cairn_context_destroy(&context);
}

TestSuite(deprecated, .init = up, .fini = down, .timeout = 120);

/// Run a plan: @p expected is its Y.
static void run(cairn_plan **plan, const double expected[3])
{
    double y[3] = {0};

    MUST(context, cairn_plan_run(*plan, x, y));
    for (int i = 0; i < 3; i++)
        cr_expect_eq(y[i], expected[i], "y(%d) is %g, not %g", i, y[i], expected[i]);
    cairn_plan_destroy(plan);
}

Test(deprecated, plans_are_made)
{
    const cairn_product_options turned  = {.columns = 1, .transposed = 1, .alpha = 2};
    const cairn_plan_options    options = {.place = "cpu:0", .reproducible = 1};
    cairn_plan                 *plan;

    MUST(context, cairn_plan_spmv(tensor, &plan));
    run(&plan, (double[]){1, 4, 3});
    MUST(context, cairn_plan_product(tensor, NULL, &plan));
    run(&plan, (double[]){1, 4, 3});
    MUST(context, cairn_plan_product(tensor, &turned, &plan));
    run(&plan, (double[]){20, 8, 0});
    MUST(context, cairn_plan_create(tensor, NULL, NULL, &plan));
    run(&plan, (double[]){1, 4, 3});
    MUST(context, cairn_plan_create(tensor, &turned, &options, &plan));
    cairn_plan_info info = CAIRN_PLAN_INFO;

    MUST(context, cairn_plan_describe(plan, &info));
    cr_expect(info.reproducible);
    cr_expect_str_eq(info.placement, "as named");
    run(&plan, (double[]){20, 8, 0});
}

/// Exit statuses were the library's; whether a failure is this machine's still is.
Test(deprecated, statuses_have_exits)
{
    static const cairn_status here[] = {
        CAIRN_NO_MEMORY, CAIRN_COMM,      CAIRN_IO,       CAIRN_NOT_VERIFIED,
        CAIRN_NO_DEVICE, CAIRN_NO_KERNEL, CAIRN_ATTENTION};

    for (int status = CAIRN_OK; status >= CAIRN_ATTENTION; status--) {
        int expected = status == CAIRN_OK ? 0 : 2;

        for (size_t k = 0; k < sizeof here / sizeof *here; k++)
            if (status == (int)here[k]) expected = 1;
        cr_expect_eq(cairn_status_exit((cairn_status)status), expected, "%d", status);
        cr_expect_eq(cairn_status_failed_here((cairn_status)status), expected == 1);
    }
}

Test(deprecated, findings_are_diagnostics)
{
    cairn_finding *findings = NULL;
    int            count    = 0;

    MUST(context, cairn_doctor(context, &count, &findings));
    cr_assert_gt(count, 0);
    cr_expect_str_eq(cairn_finding_level_name(CAIRN_FINDING_ATTENTION), "attention");
    cairn_findings_free(context, &findings);
    cr_expect_null(findings);
}

/// The format is for no matrix: the call is made, and refused by the new one.
Test(deprecated, kernels_are_warmed)
{
    const cairn_kernel_target target = {
        .extent = {8, 8}
    };
    cairn_kernel_counts counts = {.prebuilt = -7};
    cairn_format       *cube =
        must_format(context, "#encoding<{ idx_map<(d0,d1,d2)->(d0,d1,d2)>, "
                             "mutation<merge(0,1), trim(0,2)> }>");

    cr_expect_eq(cairn_kernels_warm(context, cube, NULL, &target, &counts),
                 CAIRN_BAD_SHAPE);
    cr_expect_eq(counts.prebuilt, -7);
    cairn_format_destroy(&cube);
}
