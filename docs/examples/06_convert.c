// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lesson 6: a tensor of order 3 goes through a file: stored in one format, written,
/// read back, stored in another, and brought back to the first without a loss.

#include <cairn/cairn.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Who (4) rated what (3) when (6 months): six entries, [nnz][order]. */
static const int64_t extent[3] = {4, 3, 6};
static const int64_t coord[18] = {0, 0, 0, 0, 0, 5, 0, 2, 1, 2, 1, 1, 2, 1, 2, 3, 0, 5};
static const double  value[6]  = {5, 4, 1, 3, 2, 5};

static const char path[] = "06_convert.cairn";

/* The same tree as csf<3> with the months on top: for questions about one month. */
static const char by_month[] = "#encoding<{ idx_map<(who,what,when)->(when,who,what)>,"
                               "            mutation<merge(0,1), trim(0,2)> }>";

/// All arrays of the tensor's one part as one text, to print and to compare.
static cairn_status
describe(cairn_context *context, const cairn_tensor *tensor, char *text, size_t size)
{
    cairn_array_info array;
    cairn_status     status = CAIRN_OK;
    char            *values;
    size_t           used = 0;

    for (int k = 0; !status && !cairn_tensor_array(tensor, 0, k, &array); k++) {
        status = cairn_tensor_array_text(tensor, 0, k, &values);
        if (status) break;
        if (array.level < 0)
            used += (size_t)snprintf(text + used, size - used, "  val   %s\n", values);
        else
            used += (size_t)snprintf(text + used, size - used, "  %s%d  %s\n",
                                     array.kind, array.level, values);
        cairn_text_free(context, &values);
        if (used >= size) return CAIRN_NO_MEMORY;
    }
    return status;
}

/// Store @p source in the format called @p name, and describe it.
static cairn_status store(cairn_context *context,
                          cairn_source  *source,
                          const char    *name,
                          cairn_tensor **tensor,
                          char          *text,
                          size_t         size)
{
    cairn_format *format = NULL;
    cairn_status  status = cairn_format_create(context, name, &format);

    if (!status) status = cairn_tensor_create(source, format, CAIRN_F64, tensor);
    if (!status) status = describe(context, *tensor, text, size);
    cairn_format_destroy(&format);
    return status;
}

/// Write the tensor, and read what was written.
static cairn_status
through_file(cairn_context *context, const cairn_tensor *tensor, cairn_source **source)
{
    cairn_source_info info;
    int64_t           bytes  = 0;
    cairn_status      status = cairn_tensor_write(tensor, path, &bytes);

    if (!status) status = cairn_source_read(context, path, CAIRN_BY_NNZ, source);
    if (!status) status = cairn_source_describe(*source, &info);
    if (!status)
        printf("%s: %" PRId64 " bytes, order %d, %" PRId64 " entries\n", path, bytes,
               info.order, info.nnz);
    remove(path);
    return status;
}

int main(void)
{
    cairn_context *context = NULL;
    cairn_source  *made = NULL, *read = NULL, *again = NULL;
    cairn_tensor  *csf = NULL, *month = NULL, *back = NULL;
    char           before[500], between[500], after[500];
    cairn_status   status = cairn_context_create(&context);

    if (!status)
        status = cairn_source_from_coords(context, 3, extent, 6, coord, value,
                                          CAIRN_BY_ROWS, &made);
    if (!status) status = store(context, made, "csf<3>", &csf, before, sizeof before);
    if (!status) printf("csf<3>\n%s", before);

    if (!status) status = through_file(context, csf, &read);
    if (!status)
        status = store(context, read, by_month, &month, between, sizeof between);
    if (!status) printf("by month\n%s", between);

    if (!status) status = through_file(context, month, &again);
    if (!status) status = store(context, again, "csf<3>", &back, after, sizeof after);
    if (!status && strcmp(before, after)) status = CAIRN_NOT_VERIFIED;
    if (!status)
        printf("csf<3> again, the same arrays\n");
    else if (context)
        fprintf(stderr, "%s: %s\n", cairn_status_text(status),
                cairn_context_message(context));

    cairn_tensor_destroy(&back);
    cairn_tensor_destroy(&month);
    cairn_tensor_destroy(&csf);
    cairn_source_destroy(&again);
    cairn_source_destroy(&read);
    cairn_source_destroy(&made);
    cairn_context_destroy(&context);
    return cairn_status_exit(status);
}
