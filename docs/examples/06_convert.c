// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lesson 6: from one format to another without going back to the entries. A tensor of
/// order 3 is converted, written to a file, read, and converted back without a loss.

#include <cairn/cairn.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Who (4) rated what (3) when (6 months): six entries, [nnz][order]. */
static const int64_t extent[3] = {4, 3, 6};
static const int64_t coord[18] = {0, 0, 0, 0, 0, 5, 0, 2, 1, 2, 1, 1, 2, 1, 2, 3, 0, 5};
static const double  value[6]  = {5, 4, 1, 3, 2, 5};

static const char path[] = "06_convert.cairn";

/* The same kind of tree as csf<3>, months on top: for questions about one month. */
static const char by_month[] = "#encoding<{ idx_map<(who,what,when)->(when,who,what)>,"
                               "            mutation<merge(0,1), trim(0,2)> }>";

enum { SIZE = 500 };

/// All arrays of the tensor's one part, as a text to print and to compare.
static cairn_status
describe(cairn_context *context, const cairn_tensor *tensor, char *text)
{
    cairn_array_info array  = CAIRN_ARRAY_INFO;
    cairn_status     status = CAIRN_OK;
    char            *values, name[16];
    size_t           used = 0;

    for (int k = 0; !status && !cairn_tensor_array(tensor, 0, k, &array); k++) {
        status = cairn_tensor_array_text(tensor, 0, k, &values);
        if (status) break;
        snprintf(name, sizeof name, array.level < 0 ? "%s" : "%s%d", array.kind,
                 array.level);
        used += (size_t)snprintf(text + used, SIZE - used, "  %-5s %s\n", name, values);
        cairn_text_free(context, &values);
        if (used >= SIZE) return CAIRN_NO_MEMORY;
    }
    return status;
}

/// Print the rules that lead from the format of @p tensor to @p to.
static cairn_status
print_path(cairn_context *context, const cairn_tensor *tensor, const cairn_format *to)
{
    cairn_path  *rules = NULL;
    cairn_status status =
        cairn_path_create(context, cairn_tensor_format(tensor), to, extent, &rules);

    for (int k = 0; !status && k < cairn_path_steps(rules); k++)
        printf("  %s\n", cairn_path_at(rules, k).rule);
    cairn_path_destroy(&rules);
    return status;
}

/// Write the tensor, and read it back as it was written.
static cairn_status
through_file(cairn_context *context, const cairn_tensor *tensor, cairn_tensor **read)
{
    int64_t      bytes  = 0;
    cairn_status status = cairn_tensor_write(tensor, path, &bytes);

    if (!status) status = cairn_tensor_read(context, path, read);
    if (!status) printf("%s: %" PRId64 " bytes\n", path, bytes);
    remove(path);
    return status;
}

int main(void)
{
    cairn_context *context = NULL;
    cairn_source  *source  = NULL;
    cairn_format  *csf = NULL, *month = NULL;
    cairn_tensor  *first = NULL, *second = NULL, *read = NULL, *third = NULL;
    char           before[SIZE], between[SIZE], after[SIZE];
    cairn_status   status = cairn_context_create(&context);

    if (!status)
        status = cairn_source_from_coords(context, 3, extent, 6, coord, value,
                                          CAIRN_BY_ROWS, &source);
    if (!status) status = cairn_format_create(context, "csf<3>", &csf);
    if (!status) status = cairn_format_create(context, by_month, &month);

    if (!status) status = cairn_tensor_create(source, csf, CAIRN_F64, &first);
    if (!status) status = describe(context, first, before);
    if (!status) printf("csf<3>\n%s", before);

    if (!status) printf("rules\n");
    if (!status) status = print_path(context, first, month);
    if (!status) status = cairn_tensor_convert(first, month, &second);
    if (!status) status = describe(context, second, between);
    if (!status) printf("by month\n%s", between);

    if (!status) status = through_file(context, second, &read);
    if (!status) status = cairn_tensor_convert(read, csf, &third);
    if (!status) status = describe(context, third, after);
    if (!status && strcmp(before, after)) status = CAIRN_NOT_VERIFIED;
    if (!status)
        printf("csf<3> again, the same arrays\n");
    else if (context)
        fprintf(stderr, "%s: %s\n", cairn_status_text(status),
                cairn_context_message(context));

    cairn_tensor_destroy(&third);
    cairn_tensor_destroy(&read);
    cairn_tensor_destroy(&second);
    cairn_tensor_destroy(&first);
    cairn_format_destroy(&month);
    cairn_format_destroy(&csf);
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
    return status != CAIRN_OK;
}
