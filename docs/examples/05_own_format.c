// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lesson 5: a format that was not written before, from a text; and what Cairn says of
/// texts that are wrong.

#include <cairn/cairn.h>

#include <stdio.h>

/* Diagonals in tiles: tiles of 16 rows and 16 columns in compressed rows of tiles; in
 * each tile the anti-diagonals d0%16 + d1%16 that hold an entry, whole. */
static const char own[] = "#encoding<{"
                          "  idx_map <(i, j) -> (i/16, j/16, i%16 + j%16, i%16)>,"
                          "  mutation <merge(0, 1), trim(1, 2)> }>";

static const char *const wrong[] = {
    /* the second merge has no bracket */
    "#encoding<{ idx_map<(i,j)->(i,j)>, mutation<merge 0, trim(1,1)> }>",
    /* nothing says what j is */
    "#encoding<{ idx_map<(i,j)->(i/2,i%2)> }>",
    /* a name that is nearly one */
    "bdai<64>",
};

/// The message about a text that must be refused.
static int refuse(cairn_context *context, const char *text)
{
    cairn_format *format = NULL;

    if (!cairn_format_create(context, text, &format)) {
        cairn_format_destroy(&format);
        return 1;
    }
    printf("%s\n", cairn_context_message(context));
    return 0;
}

static cairn_status multiply(cairn_context *context, const cairn_format *format)
{
    const cairn_problem size = {
        .size = sizeof(cairn_problem), .n = 999, .degree = 6, .seed = 1};
    cairn_source *source = NULL;
    cairn_tensor *tensor = NULL;
    cairn_plan   *plan   = NULL;
    double        x[999], rel, abs;
    cairn_status  status;

    for (int j = 0; j < 999; j++)
        x[j] = j;
    status = cairn_source_generate(context, "fem3", &size, &source);
    if (!status) status = cairn_tensor_create(source, format, CAIRN_F64, &tensor);
    if (!status) status = cairn_plan_create_spmv(tensor, &plan);
    if (!status) status = cairn_plan_run(plan, x, NULL);
    if (!status) status = cairn_plan_verify(plan, source, &rel, &abs);

    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    return status;
}

int main(void)
{
    cairn_context   *context = NULL;
    cairn_format    *format  = NULL;
    cairn_level_info level   = CAIRN_LEVEL_INFO;
    cairn_status     status  = cairn_context_create(&context);

    if (!status) status = cairn_format_create(context, own, &format);
    if (!status) printf("%s\n", cairn_format_text(format));
    for (int l = 0; !status && l < cairn_format_levels(format, 0); l++) {
        status = cairn_format_level(format, 0, l, &level);
        printf("  level %d: %-12s %s%s%s\n", l, level.expr, level.kind,
               level.has_ptr ? " ptr" : "", level.has_idx ? " idx" : "");
    }
    if (!status) status = multiply(context, format);
    if (!status)
        printf("  multiplied and verified\n");
    else if (context)
        fprintf(stderr, "%s\n", cairn_context_message(context));

    for (size_t k = 0; k < sizeof wrong / sizeof *wrong && !status; k++)
        if (refuse(context, wrong[k])) status = CAIRN_NOT_VERIFIED;

    cairn_format_destroy(&format);
    cairn_context_destroy(&context);
    return status != CAIRN_OK;
}
