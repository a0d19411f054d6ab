// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A program outside the tree, for find_package and pkg-config: stores a small matrix
/// and multiplies.

#include <cairn/cairn.h>

int main(void)
{
    const int64_t  extent[2] = {2, 2}, coord[4] = {0, 0, 1, 1};
    const double   value[2] = {2, 3}, x[2] = {1, 10};
    double         y[2] = {0, 0};
    cairn_context *context;
    cairn_source  *source;
    cairn_format  *format;
    cairn_tensor  *tensor;
    cairn_plan    *plan;

    if (cairn_context_create(&context)) return 1;
    if (cairn_source_from_coords(context, 2, extent, 2, coord, value, CAIRN_BY_ROWS,
                                 &source))
        return 2;
    if (cairn_format_create(context, "csr", &format)) return 3;
    if (cairn_tensor_create(source, format, CAIRN_F64, &tensor)) return 4;
    if (cairn_plan_create_spmv(tensor, &plan)) return 5;
    if (cairn_plan_run(plan, x, y)) return 6;
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
    return y[0] == 2 && y[1] == 30 ? 0 : 7;
}
