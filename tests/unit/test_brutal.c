// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Every allocation of the way from coordinates to a product made to fail in turn: the
/// call fails with the right status and leaves nothing behind.

#include "api/api.h"
#include "support/brutal.h"
#include "support/storage.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

typedef struct {
    char format[64];
} one_format;

ParameterizedTestParameters(brutal, product)
{
    static one_format cases[] = {
        {"csr"},
        {"lil"},
        {"ell"},
        {"sell-sigma<2,4>"},
        {"bell<2>"},
        {"cisr-plus<2>"},
        {"c2sr<2>"},
        {"serpens<2,4,2>"},
        {"hybrid<bdia<3>,csr>"},
        {"hybrid<bell<2>,coo,0,0.5>"},
    };

    return cr_make_param_array(one_format, cases, sizeof cases / sizeof *cases);
}

/// From coordinates to y.
static cairn_status multiply(cairn_context *context, const char *text)
{
    cairn_source *source = NULL;
    cairn_format *format = NULL;
    cairn_tensor *tensor = NULL;
    cairn_plan   *plan   = NULL;
    cairn_status  status;

    status = cairn_source_from_coords(context, 2, figure_extent, 6, figure_coord,
                                      figure_value, CAIRN_BY_NNZ, &source);
    if (status == CAIRN_OK) status = cairn_format_create(context, text, &format);
    if (status == CAIRN_OK)
        status = cairn_tensor_create(source, format, CAIRN_F64, &tensor);
    if (status == CAIRN_OK) status = cairn_plan_spmv(tensor, &plan);
    if (status == CAIRN_OK) status = cairn_plan_run(plan, NULL, NULL);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    return status;
}

ParameterizedTest(one_format *c, brutal, product)
{
    cairn_context *context;

    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    cr_assert_eq(multiply(context, c->format), CAIRN_OK, "%s",
                 cairn_context_message(context)); /* devices are open from here on */

    CAIRN_BRUTAL(&context->env, multiply(context, c->format));

    cairn_context_destroy(&context);
}
