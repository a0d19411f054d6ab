// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Work as numbers: what is counted of products of a small matrix in every kind of
/// format, families that say what is stored and not who named it.

#include "api/api.h"
#include "cost/work.h"
#include "support/small_product.h"

/// The work of a member's product.
static cairn_work
work_of(cairn_tensor *tensor, int member, const cairn_product_options *op)
{
    const cairn_device_work product = {
        .tensor = tensor->local, .member = member, .op = op};
    cairn_work work;

    cairn_work_of_product(&product, true, &work);
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

static void expect_counts(cairn_tensor *tensor, const char *text, int transposed)
{
    const cairn_product_options op = {sizeof(cairn_product_options), 3, transposed, 1.0,
                                      0.0};
    cairn_work                  all = {.entries = 0};

    for (int m = 0; m < tensor->local->groups; m++) {
        const cairn_work work = work_of(tensor, m, &op);

        all.entries += work.entries, all.arrays += work.arrays;
        all.flops += work.flops;
        cr_expect_geq(work.padded, work.flops, "%s", text);
        cr_expect_eq(work.bytes, work.arrays + work.x + work.y, "%s", text);
        cr_expect_eq(work.rows, transposed ? COLS : ROWS, "%s", text);
        cr_expect_eq(work.y, 8.0 * 3 * work.rows, "%s", text);
        cr_expect_lt(strlen(work.family), CAIRN_FAMILY - 1, "%s is cut", work.family);
    }
    cr_expect_eq(all.entries, count_entries(), "%s: %g", text, all.entries);
    cr_expect_eq(all.flops, 6.0 * count_entries(), "%s", text);
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
    const cairn_product_options one  = CAIRN_PRODUCT_OPTIONS,
                                many = {sizeof many, 32, 0, 1.0, 0.0},
                                back = {sizeof back, 1, 1, 1.0, 0.0};
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
    /* What runs other code on other bytes; said of a layout with wide values afterwards, it
       is the same. */
    family_of(source,
              "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)>, "
              "layout<val(f32)> }>",
              CAIRN_F64, &one, other);
    cr_expect_str_neq(named, other);
    cairn_work_say_values(CAIRN_VALUE_FLOAT, 64, 64, named);
    cr_expect_str_neq(named, other);
    cairn_work_say_values(CAIRN_VALUE_FLOAT, 32, 64, named);
    cr_expect_str_eq(named, other);
    cairn_source_destroy(&source);
    must_end(&context, blocks);
}
