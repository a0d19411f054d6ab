// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lesson 9: arrays in and out. A program has a matrix in ELL, its slots in an order of its
/// own; Cairn multiplies with these very arrays, and shows what it would store itself.

#include <cairn/cairn.h>

#include <inttypes.h>
#include <stdio.h>

enum { ROWS = 3, SLOTS = 2 };

/* Row 1 has columns 2 and 0, in that order; row 2 has one entry, and padding. */
static uint8_t column[SLOTS][ROWS] = {
    {0, 2, 1},
    {1, 0, 0}
};
static double value[SLOTS][ROWS] = {
    {1, 4, 5},
    {2, 3, 0}
};

/// A tensor around the arrays above: what is not said follows from the format.
static cairn_status
wrap(cairn_context *context, const cairn_format *ell, cairn_tensor **tensor)
{
    const int64_t       extent[] = {ROWS, 3};
    cairn_parts_options options  = CAIRN_PARTS_OPTIONS;
    cairn_part_view     view     = CAIRN_PART_VIEW;
    cairn_kernel_part   part     = {.size = sizeof part, .order = 2, .levels = 3};

    part.level[0].nodes = SLOTS;
    part.level[2].idx   = column;
    part.val            = value;
    view.arrays         = &part;
    options.mode        = CAIRN_BORROW;
    return cairn_tensor_from_parts(context, ell, extent, CAIRN_F64, &view, 1, &options,
                                   tensor);
}

/// Print the arrays of an ELL, as they lie in memory.
static cairn_status show(cairn_tensor *tensor, const char *name)
{
    cairn_part_view    view   = CAIRN_PART_VIEW;
    const cairn_status status = cairn_tensor_part_get(tensor, 0, &view);

    if (status) return status;
    const uint8_t *idx = view.arrays->level[2].idx;
    const double  *val = view.arrays->val;

    printf("%s%s: %" PRId64 " entries\n ", name, view.given ? " (given)" : "",
           view.nnz);
    for (int64_t v = 0; v < view.arrays->values; v++)
        printf(" %g in column %d,", val[v], idx[v]);
    printf("\n  %s\n", view.arrays->val == (void *)value ? "the program's own arrays"
                                                         : "arrays of the library's");
    return cairn_tensor_part_restore(tensor, &view);
}

static cairn_status run(cairn_context *context)
{
    const double  x[ROWS] = {1, 10, 100};
    double        y[ROWS];
    cairn_format *ell   = NULL;
    cairn_tensor *given = NULL, *anew = NULL;
    cairn_plan   *plan   = NULL;
    cairn_status  status = cairn_format_create(context, "ell", &ell);

    if (!status) status = wrap(context, ell, &given);
    if (!status) status = show(given, "ours");
    if (!status) status = cairn_plan_create_spmv(given, &plan);
    if (!status) status = cairn_plan_run(plan, x, y);
    if (!status) printf("y = %g %g %g\n", y[0], y[1], y[2]);
    if (!status) status = cairn_tensor_convert(given, ell, &anew);
    if (!status) status = show(anew, "stored anew");

    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&anew);
    cairn_tensor_destroy(&given);
    if (!status) { /* row 0 says twice what stands in column 1 */
        column[0][0] = 1;
        printf("%s\n", wrap(context, ell, &given) ? cairn_context_message(context)
                                                  : "accepted");
    }
    cairn_tensor_destroy(&given);
    cairn_format_destroy(&ell);
    return status;
}

int main(void)
{
    cairn_context *context = NULL;
    cairn_status   status  = cairn_context_create(&context);

    if (!status) status = run(context);
    if (status) fprintf(stderr, "%s\n", cairn_context_message(context));
    cairn_context_destroy(&context);
    return status != CAIRN_OK;
}
