// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A program that says how many products will come: from 100 on the values of tensors from
/// its arrays are as narrow as they are, whichever call they come by, and what was borrowed
/// stays as it lies.

#include "api/api.h"
#include "support/suite_context.h"
#include "tensor/value_storage.h"

static void up(void)
{
    unsetenv("CAIRN_REPLAYS");
    context_up();
}

TestSuite(values_many, .init = up, .fini = context_down, .timeout = 240);

static const int32_t ptr[] = {0, 2, 3, 4}, idx[] = {0, 2, 1, 0}, rows[] = {0, 0, 1, 2};
static const double  bytes[] = {1, 2, 3, -4}, tenths[] = {0.1, 2, 3, -4};
static const int64_t extent[] = {3, 3};

/// How its values are stored; the tensor is destroyed.
static const char *stored(cairn_tensor *tensor)
{
    const cairn_kernel_part *view = &tensor->local->part[0].view;
    const char              *name =
        cairn_value_storage_name((cairn_value_kind)view->val_kind, view->val_bits);

    cairn_tensor_destroy(&tensor);
    return name;
}

static cairn_tensor *from_csr(cairn_copy_mode mode)
{
    cairn_format *format = must_format(context, "csr");
    cairn_tensor *tensor = NULL;

    MUST(context,
         cairn_tensor_from_csr(context, 3, 3, 0, 3, ptr, 32, idx, 32, bytes, CAIRN_F64,
                               mode, mode == CAIRN_BORROW ? NULL : format, &tensor));
    cairn_format_destroy(&format);
    return tensor;
}

/// A borrowed CSR, converted.
static cairn_tensor *convert(int64_t replays)
{
    const cairn_store_options options = {sizeof options, replays};
    cairn_tensor             *lent = from_csr(CAIRN_BORROW), *tensor = NULL;
    cairn_format             *format = must_format(context, "csc");

    MUST(context, cairn_tensor_convert_with(lent, format, &options, &tensor));
    cr_expect_str_eq(stored(lent), "f64");
    cairn_format_destroy(&format);
    return tensor;
}

static cairn_source *source_of(const double *value)
{
    static const int64_t coord[][2] = {
        {0, 0},
        {0, 2},
        {1, 1},
        {2, 0}
    };
    cairn_source *source = NULL;

    MUST(context, cairn_source_from_coords(context, 2, extent, 4, coord[0], value,
                                           CAIRN_BY_NNZ, &source));
    return source;
}

/// The source is destroyed.
static cairn_tensor *create(cairn_source *source, int64_t replays)
{
    const cairn_store_options options = {sizeof options, replays};
    cairn_format             *format  = must_format(context, "csr");
    cairn_tensor             *tensor  = NULL;

    MUST(context,
         cairn_tensor_create_with(source, format, CAIRN_F64, &options, &tensor));
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    return tensor;
}

static cairn_source *generate(void)
{
    const cairn_problem problem = {.size = sizeof problem, .nx = 5, .ny = 4};
    cairn_source       *source  = NULL;

    MUST(context, cairn_source_generate(context, "stencil5", &problem, &source));
    return source;
}

static cairn_tensor *from_coords(int64_t replays)
{
    const cairn_coords coords = {
        .size     = sizeof coords,
        .order    = 2,
        .extent   = {3,    3  },
        .rows     = -1,
        .entries  = 4,
        .idx      = {rows, idx},
        .idx_bits = 32,
        .val      = bytes,
        .replays  = replays
    };
    cairn_format *format = must_format(context, "csr");
    cairn_tensor *tensor = NULL;

    MUST(context,
         cairn_tensor_from_coords(context, &coords, CAIRN_COPY, format, &tensor));
    cairn_format_destroy(&format);
    return tensor;
}

static cairn_tensor *from_parts(cairn_copy_mode mode, int64_t replays)
{
    cairn_parts_options options = CAIRN_PARTS_OPTIONS;
    cairn_kernel_part   arrays  = CAIRN_KERNEL_PART;
    cairn_part_view     view    = CAIRN_PART_VIEW;
    cairn_format       *format  = must_format(context, "csr");
    cairn_tensor       *tensor  = NULL;

    arrays.order             = 2;
    arrays.levels            = 2;
    arrays.level[1].nodes    = 4;
    arrays.level[1].ptr      = ptr;
    arrays.level[1].ptr_bits = 32;
    arrays.level[1].idx      = idx;
    arrays.level[1].idx_bits = 32;
    arrays.val               = (void *)bytes;
    view.arrays              = &arrays;
    options.mode             = mode;
    options.replays          = replays;
    MUST(context, cairn_tensor_from_parts(context, format, extent, CAIRN_F64, &view, 1,
                                          &options, &tensor));
    cairn_format_destroy(&format);
    return tensor;
}

/// What each call stores for so many products: 0: as the context has it.
static void expect(int64_t replays, const char *type)
{
    cr_expect_str_eq(stored(convert(replays)), type, "convert");
    cr_expect_str_eq(stored(create(source_of(bytes), replays)), type, "coordinates");
    cr_expect_str_eq(stored(create(generate(), replays)), type, "generated");
    cr_expect_str_eq(stored(from_coords(replays)), type, "lists");
    cr_expect_str_eq(stored(from_parts(CAIRN_COPY, replays)), type, "parts");
    cr_expect_str_eq(stored(from_parts(CAIRN_BORROW, replays)), "f64", "lent");
}

Test(values_many, each_call_says_it)
{
    expect(0, "f64");
    expect(99, "f64");
    expect(100, "i8");
    cr_expect_str_eq(stored(from_csr(CAIRN_COPY)), "f64");
}

Test(values_many, a_context_says_it_for_all_calls)
{
    MUST(context, cairn_context_set_replays(context, 100));
    expect(0, "i8");
    expect(1, "f64"); /* the call knows better */
    cr_expect_str_eq(stored(from_csr(CAIRN_COPY)), "i8");
    cr_expect_str_eq(stored(from_csr(CAIRN_BORROW)), "f64");
    MUST(context, cairn_context_set_replays(context, 0));
    expect(0, "f64");
}

Test(values_many, what_needs_all_its_bits_stays)
{
    cr_expect_str_eq(stored(create(source_of(tenths), 100)), "f64");
}

Test(values_many, a_format_that_was_chosen_for_many_says_it)
{
    cairn_auto_options options = CAIRN_AUTO_OPTIONS;
    cairn_auto_info    info    = CAIRN_AUTO_INFO;
    cairn_source      *source  = generate();
    cairn_format      *format  = NULL;
    cairn_tensor      *tensor  = NULL;

    for (int many = 0; many < 2; many++) {
        options.replays = many ? 100 : 99;
        MUST(context,
             cairn_format_auto(source, CAIRN_F64, NULL, &options, &format, &info));
        MUST(context, cairn_tensor_create(source, format, CAIRN_F64, &tensor));
        cr_expect_str_eq(stored(tensor), many ? "i8" : "f64");
        if (info.values[0]) cr_expect_str_eq(info.values, many ? "i8" : "f64");
        cairn_format_destroy(&format);
    }
    cairn_source_destroy(&source);
}

Test(values_many, numbers_that_are_none_are_refused)
{
    const cairn_store_options negative = {sizeof negative, -1}, odd = {1, 0};
    const cairn_coords        coords = {
               .size = sizeof coords, .order = 2, .rows = -1, .idx_bits = 64, .replays = -1};
    cairn_tensor *lent = from_csr(CAIRN_BORROW), *none = NULL;
    cairn_format *format = must_format(context, "csr");
    cairn_source *source = source_of(bytes);

    REFUSED(context, BAD_ARGUMENT, "replays", cairn_context_set_replays(context, -1));
    REFUSED(context, BAD_ARGUMENT, "options->replays",
            cairn_tensor_convert_with(lent, format, &negative, &none));
    REFUSED(context, BAD_ARGUMENT, "options->size",
            cairn_tensor_convert_with(lent, format, &odd, &none));
    REFUSED(context, BAD_ARGUMENT, "options->replays",
            cairn_tensor_create_with(source, format, CAIRN_F64, &negative, &none));
    REFUSED(context, BAD_ARGUMENT, "coords->replays",
            cairn_tensor_from_coords(context, &coords, CAIRN_COPY, format, &none));
    cr_expect_null(none);
    cairn_source_destroy(&source);
    cairn_format_destroy(&format);
    cairn_tensor_destroy(&lent);
}
