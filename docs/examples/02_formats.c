// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lesson 2: one matrix in several formats; which arrays each has, and their bytes.
/// Whatever the format, the parts together hold the six entries.

#include <cairn/cairn.h>

#include <inttypes.h>
#include <stdio.h>

/* The matrix of docs/formats.md:  1 . . .
 *                                 . 2 . .
 *                                 . 3 4 5
 *                                 . . . .
 *                                 . . . 6  */
static const int64_t extent[2] = {5, 4};
static const int64_t coord[12] = {0, 0, 1, 1, 2, 1, 2, 2, 2, 3, 4, 3};
static const double  value[6]  = {1, 2, 3, 4, 5, 6};

/// Print every array of every part of this process, and count the entries.
static cairn_status print_arrays(cairn_context *context, const cairn_tensor *tensor)
{
    cairn_part_info *parts = NULL;
    int64_t          count = 0, entries = 0;
    cairn_status     status = cairn_tensor_parts(tensor, &count, &parts);

    for (int64_t p = 0; p < count && !status; p++) {
        cairn_array_info array = CAIRN_ARRAY_INFO;
        char            *text;

        printf("  part %" PRId64 ": %" PRId64 " entries, %" PRId64 " bytes\n", p,
               parts[p].nnz, parts[p].bytes);
        entries += parts[p].nnz;
        for (int k = 0; !cairn_tensor_array(tensor, p, k, &array); k++) {
            status = cairn_tensor_array_text(tensor, p, k, &text);
            if (status) break;
            if (array.level < 0)
                printf("    %-8s", array.kind);
            else
                printf("    %s %-4d", array.kind, array.level);
            printf(" %2d bits  %s\n", array.bits, text);
            cairn_text_free(context, &text);
        }
    }
    cairn_parts_free(tensor, &parts);
    if (!status && entries != 6) status = CAIRN_NOT_VERIFIED;
    return status;
}

/// Store the matrix in the format called @p name, and show what came of it.
static cairn_status show(cairn_context *context, cairn_source *source, const char *name)
{
    cairn_format *format = NULL;
    cairn_tensor *tensor = NULL;
    cairn_status  status = cairn_format_create(context, name, &format);

    if (!status) status = cairn_tensor_create(source, format, CAIRN_F64, &tensor);
    if (!status) {
        printf("%s = %s\n", name, cairn_format_text(format));
        status = print_arrays(context, tensor);
        cairn_tensor_destroy(&tensor);
    }
    cairn_format_destroy(&format);
    return status;
}

int main(void)
{
    static const char *const names[] = {"coo",       "csr", "dia",
                                        "bcsr<2,2>", "lil", "c2sr<2>"};

    cairn_context *context = NULL;
    cairn_source  *source  = NULL;
    cairn_status   status  = cairn_context_create(&context);

    if (!status)
        status = cairn_source_from_coords(context, 2, extent, 6, coord, value,
                                          CAIRN_BY_ROWS, &source);
    for (size_t k = 0; k < sizeof names / sizeof *names && !status; k++)
        status = show(context, source, names[k]);
    if (status && context) fprintf(stderr, "%s\n", cairn_context_message(context));

    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
    return status != CAIRN_OK;
}
