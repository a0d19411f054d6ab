// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lesson 3: a hybrid. Where does each entry go, what does it cost, is the product right?

#include <cairn/cairn.h>

#include <inttypes.h>
#include <stdio.h>

/// Store, list the parts, multiply, verify. The tensor and the plan live in here only.
static cairn_status
measure(cairn_context *context, cairn_source *source, const char *name)
{
    cairn_format    *format = NULL;
    cairn_tensor    *tensor = NULL;
    cairn_plan      *plan   = NULL;
    cairn_part_info *parts  = NULL;
    int64_t          count  = 0, first, end;
    double           rel = 0, abs = 0;
    cairn_status     status = cairn_format_create(context, name, &format);

    if (!status) status = cairn_tensor_create(source, format, CAIRN_F64, &tensor);
    if (!status) status = cairn_tensor_parts(tensor, &count, &parts);
    if (!status) status = cairn_plan_create_spmv(tensor, &plan);
    if (!status) {
        printf("%s\n", name);
        for (int64_t p = 0; p < count; p++)
            printf("  member %d: %" PRId64 " entries in %" PRId64 " bytes\n",
                   parts[p].member, parts[p].nnz, parts[p].bytes);

        /* x is inside the plan; fill it in place, let y stay inside, too. */
        cairn_plan_columns(plan, &first, &end);
        for (int64_t j = first; j < end; j++)
            cairn_plan_x(plan)[j - first] = 1.0 / (double)(j + 1);
        status = cairn_plan_run(plan, NULL, NULL);
        if (!status) status = cairn_plan_verify(plan, source, &rel, &abs);
    }
    if (!status) printf("  verified\n");

    cairn_plan_destroy(&plan);
    if (tensor) cairn_parts_free(tensor, &parts);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    return status;
}

int main(void)
{
    /* Three full diagonals, and up to four entries anywhere in every row. */
    const cairn_problem size = {
        .size = sizeof(cairn_problem), .n = 10000, .degree = 4, .seed = 1};

    cairn_context *context = NULL;
    cairn_source  *source  = NULL;
    cairn_status   status  = cairn_context_create(&context);

    if (!status) status = cairn_source_generate(context, "mixed", &size, &source);
    if (!status) status = measure(context, source, "csr");
    if (!status) status = measure(context, source, "hybrid<bdia<64>,csr,0.6>");
    if (!status) status = measure(context, source, "hybrid<ell,coo,0.5,0.5>");
    if (status && context) fprintf(stderr, "%s\n", cairn_context_message(context));

    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
    return status != CAIRN_OK;
}
