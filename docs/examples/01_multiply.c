// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lesson 1: make a matrix, store its dense diagonals in one format and the rest in
/// another, multiply it by a vector, and have the product checked.

#include <cairn/cairn.h>

#include <stdio.h>

int main(void)
{
    cairn_context *context = NULL;
    cairn_source  *source  = NULL;
    cairn_format  *format  = NULL;
    cairn_tensor  *tensor  = NULL;
    cairn_plan    *plan    = NULL;
    double         x[1000], y[1000], rel, abs;
    cairn_problem  size = {
         .size = sizeof(cairn_problem), .n = 1000, .degree = 4, .seed = 1};

    for (int j = 0; j < 1000; j++)
        x[j] = 1;

    const int failed =
        cairn_context_create(&context)
        || cairn_source_generate(context, "mixed", &size, &source)
        || cairn_format_create(context, "hybrid<bdia<64>,csr,0.6>", &format)
        || cairn_tensor_create(source, format, CAIRN_F64, &tensor)
        || cairn_plan_create_spmv(tensor, &plan) || cairn_plan_run(plan, x, y)
        || cairn_plan_verify(plan, source, &rel, &abs);

    if (failed)
        fprintf(stderr, "%s\n", cairn_context_message(context));
    else
        printf("y[0] = %g in %s\n", y[0], cairn_format_text(format));

    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
    return failed;
}
