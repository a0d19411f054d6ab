// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Every pair of formats that the catalogue names, on matrices of every shape: what a
/// conversion stores is what the entries stored in the format give, array for array.

#include "support/every_format.h"
#include "support/names.h"
#include "support/storage.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <stdlib.h>

enum { TEXT = 1 << 16 };

/// A matrix: every (7*k mod positions) of it for k below `draws`.
typedef struct {
    int rows, cols, draws;
} one_matrix;

ParameterizedTestParameters(convert_pairs, all)
{
    static one_matrix cases[] = {
        {5,  4,  9 },
        {0,  0,  0 },
        {0,  6,  0 },
        {6,  0,  0 },
        {4,  3,  0 },
        {1,  1,  1 },
        {1,  17, 8 },
        {17, 1,  8 },
        {3,  40, 33},
        {40, 3,  33},
        {12, 12, 90},
    };

    return cr_make_param_array(one_matrix, cases, sizeof cases / sizeof *cases);
}

static cairn_source *make_source(cairn_context *context, const one_matrix *c)
{
    const int64_t extent[2] = {c->rows, c->cols};
    int64_t       coord[2 * 128];
    double        value[128];
    cairn_source *source = NULL;

    for (int k = 0; k < c->draws; k++) {
        const int p = 7 * k % (c->rows * c->cols);

        coord[2 * k]     = p / c->cols;
        coord[2 * k + 1] = p % c->cols;
        value[k]         = k + 1; /* positive: where draws meet, their sum is not 0 */
    }
    cr_assert_eq(cairn_source_from_coords(context, 2, extent, c->draws, coord, value,
                                          CAIRN_BY_NNZ, &source),
                 CAIRN_OK);
    return source;
}

static void check_pairs(cairn_context *context, cairn_tensor *const *direct, int from)
{
    static char want[TEXT], have[TEXT];

    for (int to = 0; to < FORMATS; to++) {
        cairn_tensor *converted = NULL;

        cr_assert_eq(cairn_tensor_convert(direct[from], cairn_tensor_format(direct[to]),
                                          &converted),
                     CAIRN_OK, "%s to %s: %s", formats[from], formats[to],
                     cairn_context_message(context));
        arrays_text(context, direct[to], want, sizeof want);
        arrays_text(context, converted, have, sizeof have);
        cr_assert_str_eq(have, want, "%s to %s:\n%s\nnot\n%s", formats[from],
                         formats[to], have, want);
        cairn_tensor_destroy(&converted);
    }
}

ParameterizedTest(one_matrix *c, convert_pairs, all)
{
    cairn_context *context;
    cairn_tensor  *direct[FORMATS] = {NULL};

    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    cairn_source *source = make_source(context, c);

    for (int k = 0; k < FORMATS; k++) {
        cairn_format *format;

        cr_assert_eq(cairn_format_create(context, named(formats[k]), &format),
                     CAIRN_OK);
        cr_assert_eq(cairn_tensor_create(source, format, CAIRN_F64, &direct[k]),
                     CAIRN_OK, "%s: %s", formats[k], cairn_context_message(context));
        cairn_format_destroy(&format);
    }
    for (int k = 0; k < FORMATS; k++)
        check_pairs(context, direct, k);
    for (int k = 0; k < FORMATS; k++)
        cairn_tensor_destroy(&direct[k]);
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
}

/// The list above has every name of the catalogue.
Test(convert_pairs, names_are_complete)
{
    cairn_context *context;
    const char    *name;

    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    for (int n = 0; (name = cairn_catalogue_name(context, n)); n++) {
        const char  *own    = name + strlen(name_prefix());
        const size_t length = strlen(own);
        int          k      = 0;

        while (k < FORMATS
               && (strncmp(formats[k], own, length) != 0
                   || (formats[k][length] != '\0' && formats[k][length] != '<')))
            k++;
        cr_expect_lt(k, (int)FORMATS, "%s is missing", name);
    }
    cairn_context_destroy(&context);
}

/// Values of 32 bits stay so; a borrowed CSR with unsorted and repeated columns converts.
Test(convert_pairs, borrowed_rows_in_any_order)
{
    const int32_t  ptr[] = {0, 3, 3, 5}, idx[] = {2, 0, 2, 1, 0};
    const float    val[] = {1, 2, 3, 4, 5};
    cairn_context *context;
    cairn_tensor  *tensor, *converted;
    cairn_format  *format;
    char           text[512];

    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    cr_assert_eq(cairn_tensor_from_csr(context, 3, 3, 0, 3, ptr, 32, idx, 32, val,
                                       CAIRN_F32, CAIRN_BORROW, NULL, &tensor),
                 CAIRN_OK);
    cr_assert_eq(cairn_format_create(context, named("coo"), &format), CAIRN_OK);
    cr_assert_eq(cairn_tensor_convert(tensor, format, &converted), CAIRN_OK, "%s",
                 cairn_context_message(context));
    arrays_text(context, converted, text, sizeof text);
    cr_assert_str_eq(text, "idx0=[0,0,2,2] idx1=[0,2,0,1] val=[2,4,5,4]", "%s", text);
    cairn_tensor_destroy(&converted);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_context_destroy(&context);
}
