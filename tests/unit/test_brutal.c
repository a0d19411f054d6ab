// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Every allocation of the library made to fail in turn, call by call, for every format
/// of the catalogue: the right status, nothing left, outputs as they were. (Those of
/// zlib, hwloc and the command's JSON are their own.)

#include "api/api.h"
#include "support/brutal.h"
#include "support/storage.h"
#include "support/suite_context.h"

static cairn_source *source;
static char          mark; ///< What outputs point to that nobody has set.

#define UNSET ((void *)&mark)

/// The call, every allocation failed; @p out stays unset until it succeeds.
#define BRUTAL_OUT(out, call)                                                        \
    do {                                                                             \
        (out) = UNSET;                                                               \
        CAIRN_BRUTAL_AND(&context->env, call, (const void *)(out) == (void *)UNSET); \
    } while (0)

#define BRUTAL(call) CAIRN_BRUTAL(&context->env, call)

static void up(void)
{
    context_up(); /* devices are open from here on */
    MUST(context, cairn_source_from_coords(context, 2, figure_extent, 6, figure_coord,
                                           figure_value, CAIRN_BY_NNZ, &source));
}

static void down(void)
{
    cairn_source_destroy(&source);
    context_down();
}

TestSuite(brutal, .init = up, .fini = down, .timeout = 240);

static void describe_format(const cairn_format *format)
{
    cairn_level_info   level   = CAIRN_LEVEL_INFO;
    cairn_storage_info storage = CAIRN_STORAGE_INFO;
    cairn_format      *copy;
    char              *text;

    BRUTAL_OUT(copy, cairn_format_copy(context, format, &copy));
    cairn_format_destroy(&copy);
    for (int m = 0; m < cairn_format_members(format); m++) {
        BRUTAL(cairn_format_storage(format, m, &storage));
        for (int l = 0; l < cairn_format_levels(format, m); l++)
            BRUTAL(cairn_format_level(format, m, l, &level));
        for (int d = 0; d < cairn_format_order(format); d++) {
            BRUTAL_OUT(text, cairn_format_inverse(format, m, d, &text));
            cairn_text_free(context, &text);
        }
        for (int q = 0; q < storage.queries; q++) {
            BRUTAL_OUT(text, cairn_format_query(format, m, q, &text));
            cairn_text_free(context, &text);
        }
    }
}

static void list_arrays(const cairn_tensor *tensor)
{
    cairn_part_info *parts;
    cairn_array_info array = CAIRN_ARRAY_INFO;
    cairn_level_info level = CAIRN_LEVEL_INFO;
    int64_t          count = -7;
    char            *text;

    parts = UNSET;
    CAIRN_BRUTAL_AND(&context->env, cairn_tensor_parts(tensor, &count, &parts),
                     parts == UNSET && count == -7);
    for (int64_t p = 0; p < count; p++)
        for (int k = 0; cairn_tensor_array(tensor, p, k, &array) == CAIRN_OK; k++) {
            BRUTAL_OUT(text, cairn_tensor_array_text(tensor, p, k, &text));
            cairn_text_free(context, &text);
        }
    cairn_parts_free(tensor, &parts);
    BRUTAL(cairn_tensor_level(tensor, 0, 0, &level));
}

static void multiply(cairn_tensor *tensor, const cairn_product_options *op)
{
    cairn_plan     *plan;
    cairn_plan_info info = CAIRN_PLAN_INFO;
    double          rel = -7, abs = -7;

    /* Kernels are compiled once, and kept: by a plan that comes before. */
    MUST(context, cairn_plan_create_product(tensor, op, &plan));
    cairn_plan_destroy(&plan);
    BRUTAL_OUT(plan, cairn_plan_create_product(tensor, op, &plan));
    const int64_t live = context->env.live_blocks;

    context->env.allowed = 0; /* a replay allocates nothing */
    MUST(context, cairn_plan_run(plan, NULL, NULL));
    context->env.allowed = -1;
    CAIRN_BRUTAL_AND(&context->env, cairn_plan_verify(plan, source, &rel, &abs),
                     rel == -7 && abs == -7);
    cr_expect_eq(rel, 0, "%g", rel);
    BRUTAL(cairn_plan_describe(plan, &info));
    cr_expect_eq(context->env.live_blocks, live);
    cairn_plan_destroy(&plan);
}

static void use_format(const char *spec, cairn_dtype dtype)
{
    static char   named[8192];
    cairn_format *format;
    cairn_tensor *tensor;

    by_name(spec, named, sizeof named);
    BRUTAL_OUT(format, cairn_format_create(context, named, &format));
    describe_format(format);
    BRUTAL_OUT(tensor, cairn_tensor_create(source, format, dtype, &tensor));
    cairn_format_destroy(&format);
    list_arrays(tensor);
    multiply(tensor, NULL);
    multiply(tensor,
             &(cairn_product_options){sizeof(cairn_product_options), 3, 1, 2, 0});
    cairn_tensor_destroy(&tensor);
}

Test(brutal, every_format_of_the_catalogue)
{
    for (int k = 0; cairn_catalogue_name(context, k); k++) {
        char name[128], spec[160];

        snprintf(name, sizeof name, "%s", cairn_catalogue_name(context, k));
        sample_use(context, name, spec, sizeof spec);
        use_format(spec, CAIRN_F64);
    }
}

Test(brutal, formats_with_other_parameters)
{
    static const char *const formats[] = {
        "sell-sigma<2,4>",         "cisr-plus<3>",
        "serpens<2,16,4>",         "bcsr<2,3>",
        "hybrid<bdia<4>,csr,0.6>", "hybrid<bell<2>,coo,0,0.5>"};

    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        use_format(formats[k], CAIRN_F32);
}

Test(brutal, text_that_is_wrong_stays_wrong)
{
    cairn_format *format = UNSET;

    for (int64_t n = 0, failed = CAIRN_NO_MEMORY; failed == CAIRN_NO_MEMORY; n++) {
        context->env.allowed = n;
        failed               = cairn_format_create(context, "csr<1,2", &format);
        context->env.allowed = -1;
        cr_assert(failed == CAIRN_NO_MEMORY || failed == CAIRN_BAD_SYNTAX, "%s",
                  cairn_context_message(context));
        cr_assert_eq(format, UNSET);
    }
}

Test(brutal, the_catalogue_itself)
{
    char *text    = UNSET, name[64];
    int   missing = -7;

    snprintf(name, sizeof name, "%s", cairn_catalogue_name(context, 0));
    CAIRN_BRUTAL_AND(&context->env,
                     cairn_catalogue_definition(context, name, &text, &missing),
                     text == UNSET && missing == -7);
    cairn_text_free(context, &text);
}

Test(brutal, coordinates)
{
    cairn_source *fresh;

    BRUTAL_OUT(fresh,
               cairn_source_from_coords(context, 2, figure_extent, 6, figure_coord,
                                        figure_value, CAIRN_BY_ROWS, &fresh));
    cairn_source_destroy(&fresh);
}

Test(brutal, structure_and_picture)
{
    cairn_source_info info = {.size = sizeof(cairn_source_info), .nnz = -7};
    int64_t           count[12];

    memset(count, 7, sizeof count);
    CAIRN_BRUTAL_AND(&context->env, cairn_source_describe(source, &info),
                     info.nnz == -7);
    cr_expect_eq(info.nnz, 6);
    BRUTAL(cairn_source_spy(source, 4, 3, count));
}

Test(brutal, test_problems)
{
    const int64_t       offsets[] = {-1, 0, 2};
    const cairn_problem problem   = {.size         = sizeof(cairn_problem),
                                     .nx           = 3,
                                     .ny           = 2,
                                     .nz           = 2,
                                     .n            = 9,
                                     .degree       = 2,
                                     .offsets      = offsets,
                                     .offset_count = 3,
                                     .scale        = 3,
                                     .edges        = 20,
                                     .rows         = 5,
                                     .cols         = 7,
                                     .density      = 0.3};
    cairn_source       *fresh;

    for (int k = 0; cairn_problem_name(k); k++) {
        BRUTAL_OUT(fresh, cairn_source_generate(context, cairn_problem_name(k),
                                                &problem, &fresh));
        cairn_source_destroy(&fresh);
    }
}

/* The figure's rows as a solver has them. */
static int    csr_ptr[] = {0, 1, 2, 5, 5, 6};
static int    csr_idx[] = {0, 1, 1, 2, 3, 3};
static double csr_val[] = {1, 2, 3, 4, 5, 6};

/// The format of the rows stays with the context, also behind a failure: it goes, so that
/// all is made in each try.
static cairn_status
from_csr(cairn_copy_mode mode, const cairn_format *format, cairn_tensor **tensor)
{
    const cairn_status status =
        cairn_tensor_from_csr(context, 5, 4, 0, 5, csr_ptr, 32, csr_idx, 32, csr_val,
                              CAIRN_F64, mode, format, tensor);

    if (status != CAIRN_OK) cairn_context_forget_lent(context);
    return status;
}

static void take_csr(cairn_copy_mode mode, const char *spec)
{
    cairn_format *format = spec ? must_format(context, spec) : NULL;
    cairn_tensor *tensor;

    cairn_context_forget_lent(context);
    BRUTAL_OUT(tensor, from_csr(mode, format, &tensor));
    CAIRN_BRUTAL(&context->env, cairn_tensor_update(tensor, csr_val));
    context->env.allowed = 0; /* the next values take no memory */
    MUST(context, cairn_tensor_update(tensor, csr_val));
    context->env.allowed = -1;
    multiply(tensor, NULL);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
}

/// What fails has changed no value. The largest row is the third: it is scaled by 3 and 2.
static void scale_and_measure(const char *spec)
{
    const double  left[5] = {1, 2, 3, 4, 5}, right[4] = {2, 2, 2, 2};
    double        diagonal[5], norm, before;
    cairn_format *format = must_format(context, spec);
    cairn_tensor *tensor = NULL;

    MUST(context, from_csr(CAIRN_COPY, format, &tensor));
    CAIRN_BRUTAL(&context->env, cairn_tensor_diagonal(tensor, diagonal));
    CAIRN_BRUTAL(&context->env, cairn_tensor_norm(tensor, CAIRN_NORM_INFINITY, &norm));
    before = norm;
    CAIRN_BRUTAL_AND(&context->env, cairn_tensor_scale(tensor, left, right),
                     cairn_tensor_norm(tensor, CAIRN_NORM_INFINITY, &norm) == CAIRN_OK
                         && norm == before);
    MUST(context, cairn_tensor_norm(tensor, CAIRN_NORM_INFINITY, &norm));
    cr_expect_eq(before, 12, "%s: %g", spec, before);
    cr_expect_eq(norm, 3 * 12 * 2, "%s: %g", spec, norm);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
}

/// A shift, of a diagonal of 3 rows.
static void shift_and_measure(const char *spec)
{
    int           ptr[] = {0, 2, 3, 4}, idx[] = {0, 2, 1, 2};
    double        val[]  = {1, 5, 2, 3}, norm;
    cairn_format *format = must_format(context, spec);
    cairn_tensor *tensor = NULL;

    MUST(context, cairn_tensor_from_csr(context, 3, 3, 0, 3, ptr, 32, idx, 32, val,
                                        CAIRN_F64, CAIRN_COPY, format, &tensor));
    CAIRN_BRUTAL_AND(&context->env, cairn_tensor_shift(tensor, 10),
                     cairn_tensor_norm(tensor, CAIRN_NORM_INFINITY, &norm) == CAIRN_OK
                         && norm == 6);
    MUST(context, cairn_tensor_norm(tensor, CAIRN_NORM_INFINITY, &norm));
    cr_expect_eq(norm, 16, "%s: %g", spec, norm);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
}

Test(brutal, values_in_place)
{
    scale_and_measure("csr");
    scale_and_measure("hybrid<dia,dcsr,0.3>");
    shift_and_measure("csr");
    shift_and_measure("hybrid<dia,dcsr,0.3>");
}

Test(brutal, a_solvers_arrays)
{
    take_csr(CAIRN_BORROW, NULL);
    take_csr(CAIRN_COPY, NULL);
    take_csr(CAIRN_COPY, "sell-sigma<2,4>");
    take_csr(CAIRN_COPY, "hybrid<bdia<2>,csr>");
}

Test(brutal, devices)
{
    cairn_device_info *list;
    char              *text;
    int                count = -7;

    list = UNSET;
    CAIRN_BRUTAL_AND(&context->env, cairn_devices_list(context, &count, &list),
                     list == UNSET && count == -7);
    cairn_devices_free(context, &list);
    BRUTAL_OUT(text, cairn_devices_tree(context, &text));
    cairn_text_free(context, &text);
}

/// Finding them, which happens once; those that were found stay when there is no memory
/// to list them.
Test(brutal, finding_devices)
{
    cairn_status status = CAIRN_NO_MEMORY;

    for (int64_t n = 0; status != CAIRN_OK; n++) {
        cairn_device_info *list = UNSET;
        cairn_context     *fresh;
        int                count = -7;

        cr_assert_eq(cairn_context_create(&fresh), CAIRN_OK);
        const int64_t live = fresh->env.live_blocks;

        fresh->env.allowed = n;
        status             = cairn_devices_list(fresh, &count, &list);
        fresh->env.allowed = -1;
        cr_assert(status == CAIRN_OK || status == CAIRN_NO_MEMORY, "%s",
                  cairn_context_message(fresh));
        cr_assert(status == CAIRN_OK || (list == UNSET && count == -7));
        if (status == CAIRN_OK) cairn_devices_free(fresh, &list);
        cairn_devices_close(&fresh->env, &fresh->devices);
        cr_assert_eq(fresh->env.live_blocks, live, "%ld blocks allowed", (long)n);
        cairn_context_destroy(&fresh);
    }
}
