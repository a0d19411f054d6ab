// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A format for a tensor that is there already: one that pays for storing it anew, or none.

#include "api/choose/auto_context.h"
#include "api/door.h"
#include "tensor/value_storage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double products_to_come(const cairn_tensor       *tensor,
                               const cairn_auto_options *options)
{
    return options->replays > 0 ? (double)options->replays
                                : cairn_cost_replays(&tensor->context->env);
}

/// What others are compared with, where that is compressed rows, their values as they are
/// stored.
static cairn_status
offer_rows(const cairn_tensor *tensor, int idx_bits, cairn_choice_matrix *matrix)
{
    const cairn_candidates *known  = &tensor->context->candidates;
    const cairn_estimator  *rows   = cairn_estimator_find("rows");
    const cairn_layout     *layout = tensor->local->group[0].layout;

    CAIRN_TRY(cairn_context_candidates(tensor->context));
    for (int k = 0; k < known->count && !matrix->stored.format; k++)
        if (known->list[k].estimator == rows) {
            matrix->stored        = known->list[k]; /* its loops, its families */
            matrix->stored.format = tensor->format;
        }
    matrix->stored.text   = cairn_format_text(tensor->format);
    matrix->stored.val[0] = cairn_val_type_of(layout->values.kind, layout->values.bits);
    matrix->wider         = idx_bits / 8.0 - cairn_index_bytes(matrix->rows.cols);
    return CAIRN_OK;
}

/// The same of any format: a list of one candidate. Not of one whose text is no line of a
/// list; then all are compared with the first of the others.
static cairn_status offer_other(const cairn_tensor  *tensor,
                                cairn_candidates    *own,
                                cairn_choice_matrix *matrix)
{
    cairn_env        *env  = &tensor->context->env;
    const char *const text = cairn_format_text(tensor->format);

    CAIRN_TRY(cairn_context_candidates(tensor->context));
    if (strlen(text) >= CAIRN_AUTO_TEXT || strpbrk(text, ":\n")) return CAIRN_OK;
    CAIRN_TRY(cairn_candidates_parse(env, text, "the tensor's format", own));
    CAIRN_TRY(cairn_candidates_recognise(env, &tensor->context->candidates, own));
    matrix->stored = own->list[0];
    return CAIRN_OK;
}

/// Do its rows lie in lists on all ranks? Collective.
static cairn_status
find_rows(const cairn_tensor *tensor, cairn_matrix_rows *rows, bool *found)
{
    cairn_comm *comm = tensor->context->comm;
    int64_t     lies = cairn_matrix_rows_of_local(tensor->local, rows);

    if (comm->size > 1) CAIRN_TRY(comm->ops->allreduce(comm, &lies, 1, CAIRN_MIN));
    *found = lies;
    return CAIRN_OK;
}

/// Its rows where they lie, or else its entries as a source. Collective.
static cairn_status see_tensor(const cairn_tensor  *tensor,
                               bool                 in_lists,
                               cairn_source       **source,
                               cairn_candidates    *own,
                               cairn_choice_matrix *matrix)
{
    cairn_comm *comm = tensor->context->comm;

    matrix->held = cairn_plan_held(tensor);
    if (in_lists)
        return cairn_comm_agree(
            comm, offer_rows(tensor, matrix->rows.lists->idx_bits, matrix));
    CAIRN_TRY(cairn_source_from_tensor(tensor, source));
    const int64_t *first = (*source)->rows.first + comm->rank;

    matrix->held += cairn_entry_bytes(2) * (*source)->entries.n;
    matrix->rows = cairn_matrix_rows_of_entries(&(*source)->entries, first[0], first[1],
                                                (*source)->shape.extent[1]);
    return cairn_comm_agree(comm, offer_other(tensor, own, matrix));
}

/// Where sizes alone say that the tensor stays as it is.
static void tell_few(const cairn_tensor *tensor, double replays, cairn_auto_info *info)
{
    const char *const text  = cairn_format_text(tensor->format);
    cairn_auto_info   found = {.candidates = 1};

    snprintf(found.candidate[0].format, sizeof found.candidate[0].format, "%s", text);
    found.candidate[0].predicted = INFINITY;
    snprintf(found.why[0], sizeof found.why[0],
             "what others could gain in %.0f product%s does not pay for a look at the "
             "entries",
             replays, replays == 1 ? "" : "s");
    snprintf(found.why[1], sizeof found.why[1],
             "storing anew takes as long as all that could be gained, by the number of "
             "products");
    CAIRN_WRITE(info, found);
}

/// Choose by what the tensor holds. Collective.
static cairn_status choose(const cairn_tensor          *tensor,
                           const cairn_product_options *product,
                           const cairn_auto_options    *options,
                           const cairn_matrix_rows     *lists,
                           cairn_format               **format,
                           cairn_auto_info             *info)
{
    cairn_context       *context = tensor->context;
    cairn_source        *source  = NULL;
    cairn_candidates     own     = {0};
    cairn_choice_matrix  matrix  = {0};
    cairn_auto_info      found   = {0};
    cairn_choice_context within  = cairn_choice_context_of(context);
    const bool           many    = cairn_many_products(context, options->replays);
    int                  chosen  = 0;
    cairn_choice         c       = {.matrix  = &matrix,
                                    .within  = &within,
                                    .by      = {.op = product},
                                    .options = options,
                                    .sample  = {.whole = true},
                                    .replays = products_to_come(tensor, options),
                                    .info    = &found};

    if (lists) matrix.rows = *lists;
    c.values            = cairn_value_widths_wide(tensor->dtype == CAIRN_F32 ? 32 : 64);
    c.values.narrows    = tensor->local->narrows || many;
    cairn_status status = see_tensor(tensor, lists, &source, &own, &matrix);

    if (status == CAIRN_OK) status = cairn_choice_make(&c, &chosen);
    const bool keep = chosen == 0 && matrix.stored.format;

    cairn_candidates_fini(&context->env, &own);
    cairn_source_destroy(&source);
    if (status == CAIRN_OK && !keep)
        status = cairn_comm_agree(
            context->comm,
            cairn_format_create(context, found.candidate[chosen].format, format));
    if (status != CAIRN_OK) return status;
    if (keep)
        *format = NULL;
    else
        (*format)->life.narrows = many;
    CAIRN_WRITE(info, found);
    return CAIRN_OK;
}

cairn_status cairn_tensor_auto(const cairn_tensor          *tensor,
                               const cairn_product_options *product,
                               const cairn_auto_options    *options,
                               cairn_format               **format,
                               cairn_auto_info             *info)
{
    cairn_product_options op  = CAIRN_PRODUCT_OPTIONS;
    cairn_auto_options    own = CAIRN_AUTO_OPTIONS;

    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(tensor),
                         CAIRN_SIZED(product, cairn_product_options),
                         CAIRN_SIZED(options, cairn_auto_options), CAIRN_GIVEN(format),
                         CAIRN_SIZED(info, cairn_auto_info));
    CAIRN_READ(product, op);
    CAIRN_READ(options, own);
    CAIRN_ENTER_TOGETHER(tensor->context, CAIRN_WITHIN(options->replays, 0, INT64_MAX));
    cairn_doing(&tensor->context->env, "choosing a format");

    const double      replays  = products_to_come(tensor, options);
    bool              few      = cairn_choice_is_of_few(replays) && options->tries <= 0;
    bool              in_lists = false;
    cairn_matrix_rows rows;

    CAIRN_TRY(cairn_choice_agree(
        tensor->context, tensor->dtype, product, options, (int64_t)replays,
        cairn_product_check(tensor->context, product, tensor->local->shape.order)));
    if (!few) CAIRN_TRY(find_rows(tensor, &rows, &in_lists));
    /* To take back the entries of what is not stored by rows is as long as ten products,
       or twenty. */
    few |= !in_lists && replays < CAIRN_MANY_PRODUCTS && options->tries <= 0;
    if (!few)
        return choose(tensor, product, options, in_lists ? &rows : NULL, format, info);
    if (info) tell_few(tensor, replays, info);
    *format = NULL;
    return CAIRN_OK;
}
