// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Work as numbers: what is counted of products of a small matrix in every kind of
/// format, families that say what is stored and not who named it.

#include "api/api.h"
#include "cost/work.h"
#include "support/brutal.h"
#include "support/small_product.h"

/// The work of a member's product.
static cairn_work
work_of(cairn_tensor *tensor, int member, const cairn_product_options *op)
{
    const cairn_device_work product = {
        .tensor = tensor->local, .member = member, .op = op};
    cairn_work work;

    cairn_work_of_product(&product, true, &work);
    MUST(tensor->context, cairn_work_count_rows(&product, &work));
    return work;
}

static cairn_tensor *store(cairn_source *source, const char *text, cairn_dtype dtype)
{
    cairn_context *context = source->context;
    cairn_format  *format;
    cairn_tensor  *tensor;

    MUST(context, cairn_format_create(context, named(text), &format));
    MUST(context, cairn_tensor_create(source, format, dtype, &tensor));
    cairn_format_destroy(&format);
    return tensor;
}

static int count_entries(void)
{
    int entries = 0;

    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++)
            entries += dense[i][j] != 0;
    return entries;
}

/// The longest row, or column, of all.
static int longest(bool transposed)
{
    int most = 0;

    for (int a = 0; a < (transposed ? COLS : ROWS); a++) {
        int n = 0;

        for (int b = 0; b < (transposed ? ROWS : COLS); b++)
            n += (transposed ? dense[b][a] : dense[a][b]) != 0;
        if (n > most) most = n;
    }
    return most;
}

static void expect_counts(cairn_tensor *tensor, const char *text, int transposed)
{
    const cairn_product_options op  = {3, transposed, 1.0, 0.0};
    cairn_work                  all = {.entries = 0};

    for (int m = 0; m < tensor->local->groups; m++) {
        const cairn_work work = work_of(tensor, m, &op);

        all.entries += work.entries, all.arrays += work.arrays;
        all.flops += work.flops, all.longest_row = work.longest_row;
        cr_expect_geq(work.padded, work.flops, "%s", text);
        cr_expect_eq(work.bytes, work.arrays + work.x + work.y, "%s", text);
        cr_expect_eq(work.rows, transposed ? COLS : ROWS, "%s", text);
        cr_expect_eq(work.y, 8.0 * 3 * work.rows, "%s", text);
        cr_expect_lt(strlen(work.family), CAIRN_FAMILY - 1, "%s is cut", work.family);
    }
    cr_expect_eq(all.entries, count_entries(), "%s: %g", text, all.entries);
    cr_expect_eq(all.flops, 6.0 * count_entries(), "%s", text);
    if (tensor->local->groups == 1)
        cr_expect_eq(all.longest_row, longest(transposed), "%s: %g", text,
                     all.longest_row);
}

Test(work, products_are_counted)
{
    cairn_context *context = NULL;
    const int64_t  blocks  = must_start(&context);
    cairn_source  *source  = make_source(context);

    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        cairn_tensor *tensor = store(source, formats[k], CAIRN_F64);

        expect_counts(tensor, formats[k], 0);
        expect_counts(tensor, formats[k], 1);
        cairn_tensor_destroy(&tensor);
    }
    cairn_source_destroy(&source);
    must_end(&context, blocks);
}

static void family_of(cairn_source                *source,
                      const char                  *text,
                      cairn_dtype                  dtype,
                      const cairn_product_options *op,
                      char                         family[CAIRN_FAMILY])
{
    cairn_tensor    *tensor = store(source, text, dtype);
    const cairn_work work   = work_of(tensor, 0, op);

    memcpy(family, work.family, sizeof work.family);
    cairn_tensor_destroy(&tensor);
}

Test(work, families_say_what_is_stored)
{
    static const char spelled[] =
        "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>";
    const cairn_product_options one = CAIRN_PRODUCT_DEFAULTS, many = {32, 0, 1.0, 0.0},
                                back = {1, 1, 1.0, 0.0};
    cairn_context *context           = NULL;
    const int64_t  blocks            = must_start(&context);
    cairn_source  *source            = make_source(context);
    char           named[CAIRN_FAMILY], other[CAIRN_FAMILY];

    family_of(source, "csr", CAIRN_F64, &one, named);
    cr_expect_str_eq(named, "product f64 k1 0.dense 1.compressed.p32.i8");
    family_of(source, spelled, CAIRN_F64, &one, other);
    cr_expect_str_eq(named, other, "a name makes no difference");
    family_of(source, "csr", CAIRN_F64, &many, other);
    cr_expect_str_neq(named, other);
    family_of(source, "csr", CAIRN_F64, &back, other);
    cr_expect_str_neq(named, other);
    family_of(source, "csr", CAIRN_F32, &one, other);
    cr_expect_str_neq(named, other);
    for (size_t k = 1; k < sizeof formats / sizeof *formats; k++) {
        family_of(source, formats[k], CAIRN_F64, &one, other);
        cr_expect_str_neq(named, other, "%s", formats[k]);
    }
    cairn_source_destroy(&source);
    must_end(&context, blocks);
}

Test(work, conversions_transfers_and_merges)
{
    cairn_context *context = NULL;
    const int64_t  blocks  = must_start(&context);
    cairn_format  *format;
    cairn_path    *path;
    cairn_work     work;

    MUST(context, cairn_format_create(context, named("csc"), &format));
    MUST(context, cairn_path_create(context, format, format, NULL, &path));
    cairn_work_of_conversion(path, 64, 100, 2400, 1600, &work);
    cr_expect_eq(work.bytes, 4000);
    cr_expect_eq(work.entries, 100);
    cr_expect(strstr(work.family, "convert f64"), "%s", work.family);
    cairn_path_destroy(&path);
    cairn_format_destroy(&format);

    cairn_work_of_transfer(CAIRN_TRANSFER_OUT, 17, &work);
    cr_expect_str_eq(work.family, "transfer out");
    cr_expect_eq(work.bytes, 17);
    cairn_work_of_merge(2, 10, 3, 32, &work);
    cr_expect_eq(work.bytes, 2 * 3 * 10 * 3 * 4);
    must_end(&context, blocks);
}

static cairn_status count_once(cairn_tensor *tensor)
{
    const cairn_product_options op  = CAIRN_PRODUCT_DEFAULTS;
    const cairn_device_work product = {.tensor = tensor->local, .member = 0, .op = &op};
    cairn_work              work;

    cairn_work_of_product(&product, true, &work);
    return cairn_work_count_rows(&product, &work);
}

Test(work, failing_allocations)
{
    cairn_context *context = NULL;
    const int64_t  blocks  = must_start(&context);
    cairn_source  *source  = make_source(context);
    cairn_tensor  *tensor  = store(source, "csr", CAIRN_F64);

    CAIRN_BRUTAL(&context->env, count_once(tensor));
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    must_end(&context, blocks);
}
