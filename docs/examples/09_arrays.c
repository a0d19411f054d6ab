// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lesson 9: arrays in and out. A program has a matrix in ELL, its slots in an order of its
/// own; Cairn multiplies with these very arrays, and shows what it would store itself. Then
/// the entries go out into a list of the program's, and from there into a tensor again.

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

/// Entries as a struct each, numbered from 1.
typedef struct {
    int32_t row, column;
    double  value;
} entry;

enum { MOST = ROWS * SLOTS };

/// Write the entries of a tensor into a list. @return how many; -1: @p status says why.
static int64_t
list_entries(const cairn_tensor *tensor, entry *list, cairn_status *status)
{
    cairn_coords_out out = CAIRN_COORDS_OUT;

    out.idx[0]     = &list[0].row;
    out.idx[1]     = &list[0].column;
    out.val        = &list[0].value;
    out.idx_stride = out.val_stride = sizeof *list;
    out.idx_bits                    = 32;
    out.base                        = 1;
    out.length                      = MOST;
    *status                         = cairn_tensor_to_coords(tensor, &out);
    return *status ? -1 : out.entries;
}

/// A tensor by rows of a list in any order.
static cairn_status take_list(cairn_context *context,
                              const entry   *list,
                              int64_t        entries,
                              cairn_tensor **tensor)
{
    cairn_coords  in     = CAIRN_COORDS;
    cairn_format *rows   = NULL;
    cairn_status  status = cairn_format_create(context, "csr", &rows);

    in.extent[0]  = ROWS;
    in.extent[1]  = 3;
    in.entries    = entries;
    in.idx[0]     = &list[0].row;
    in.idx[1]     = &list[0].column;
    in.val        = &list[0].value;
    in.idx_stride = in.val_stride = sizeof *list;
    in.idx_bits                   = 32;
    in.base                       = 1;
    if (!status)
        status = cairn_tensor_from_coords(context, &in, CAIRN_COPY, rows, tensor);
    cairn_format_destroy(&rows);
    return status;
}

/// Out into a list, the last entry made the first, in again, and out into compressed rows.
static cairn_status go_round(cairn_context *context, const cairn_tensor *tensor)
{
    entry            list[MOST];
    int32_t          ptr[ROWS + 1], idx[MOST];
    double           val[MOST];
    cairn_tensor    *anew  = NULL;
    cairn_compressed lines = CAIRN_COMPRESSED;
    cairn_status     status;
    const int64_t    n = list_entries(tensor, list, &status);

    for (int64_t k = 0; k < n; k++)
        printf("%s(%d,%d) %g", k ? ", " : "", list[k].row, list[k].column,
               list[k].value);
    printf("\n");
    if (!status) {
        const entry last = list[n - 1];

        list[n - 1] = list[0];
        list[0]     = last;
        status      = take_list(context, list, n, &anew);
    }
    lines.ptr        = ptr;
    lines.ptr_length = ROWS + 1;
    lines.ptr_bits = lines.idx_bits = 32;
    lines.idx                       = idx;
    lines.val                       = val;
    lines.length                    = MOST;
    if (!status) status = cairn_tensor_to_csr(anew, &lines);
    if (!status)
        printf("rows begin at %d, %d, %d, and end at %d\n", ptr[0], ptr[1], ptr[2],
               ptr[3]);
    cairn_tensor_destroy(&anew);
    return status;
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
    if (!status) status = go_round(context, anew);

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
