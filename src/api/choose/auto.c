// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A format for a source (auto/choice.h); what a choice has of a context.

#include "api/choose/auto_context.h"
#include "api/collective_arguments.h"
#include "api/door.h"

/* ---- a search and its context ---- */

/// Costs open the devices, as any plan does.
static cairn_status open_context(cairn_choice_context *within)
{
    cairn_context *context = within->user;

    CAIRN_TRY(cairn_context_costs(context, &within->costs));
    CAIRN_TRY(cairn_context_candidates(context));
    within->devices    = context->devices;
    within->candidates = &context->candidates;
    within->threads    = cairn_context_threads(context);
    return CAIRN_OK;
}

static cairn_status run_sample(const cairn_choice_context *within,
                               const char                 *text,
                               const cairn_sample_runs    *trials,
                               cairn_sample_run           *trial)
{
    cairn_context     *context = within->user;
    cairn_build        build   = {.entries = &trials->sample->entries};
    cairn_build_loader own;
    char               why[CAIRN_MESSAGE];
    cairn_format      *format = NULL;

    CAIRN_TRY(cairn_format_create(context, text, &format));
    cairn_status status = cairn_context_loader(context, &build, &own, why);

    if (status == CAIRN_OK)
        status = cairn_sample_run_run(trials, format, build.loader, trial);
    cairn_format_destroy(&format);
    return status;
}

cairn_choice_context cairn_choice_context_of(cairn_context *context)
{
    return (cairn_choice_context){.user = context,
                                  .env  = &context->env,
                                  .comm = context->comm,
                                  .open = open_context,
                                  .run  = run_sample};
}

cairn_status cairn_choice_agree(cairn_context               *context,
                                cairn_dtype                  dtype,
                                const cairn_product_options *product,
                                const cairn_auto_options    *options,
                                int64_t                      replays,
                                cairn_status                 status)
{
    cairn_collective arguments = {0};

    if (context->comm->size == 1) return status;
    cairn_collective_dtype(&arguments, dtype);
    cairn_collective_product(&arguments, product);
    cairn_collective_int(&arguments, "tries", options->tries);
    cairn_collective_int(&arguments, "replays", replays);
    cairn_collective_text(&arguments, "candidates", options->candidates);
    return cairn_comm_agree_on(context->comm, status, &arguments);
}

/* ---- the call ---- */

/// A source's entries of this rank; sorted first, if they were not.
static cairn_status see_source(cairn_source *source, cairn_choice_matrix *matrix)
{
    const int rank = source->context->comm->rank;

    CAIRN_TRY(cairn_source_sort(source));
    matrix->held = cairn_entry_bytes(2) * source->entries.n;
    matrix->rows = cairn_matrix_rows_of_entries(
        &source->entries, source->rows.first[rank], source->rows.first[rank + 1],
        source->shape.extent[1]);
    return CAIRN_OK;
}

cairn_status cairn_format_auto(cairn_source                *source,
                               cairn_dtype                  dtype,
                               const cairn_product_options *product,
                               const cairn_auto_options    *options,
                               cairn_format               **format,
                               cairn_auto_info             *info)
{
    cairn_product_options op  = CAIRN_PRODUCT_OPTIONS;
    cairn_auto_options    own = CAIRN_AUTO_OPTIONS;

    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(source), CAIRN_ONE_OF(dtype, CAIRN_F32),
                         CAIRN_SIZED(product, cairn_product_options),
                         CAIRN_SIZED(options, cairn_auto_options), CAIRN_GIVEN(format),
                         CAIRN_SIZED(info, cairn_auto_info));
    CAIRN_READ(product, op);
    CAIRN_READ(options, own);
    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(source),
                         CAIRN_WITHIN(options->replays, 0, INT64_MAX));
    cairn_doing(&source->context->env, "choosing a format");

    cairn_context      *context = source->context;
    cairn_choice_matrix matrix  = {0};
    cairn_auto_info     found   = {0};
    int                 chosen  = 0;

    cairn_choice_context within = cairn_choice_context_of(context);

    cairn_choice c = {.matrix  = &matrix,
                      .within  = &within,
                      .by      = {.op = product},
                      .options = options,
                      .values  = cairn_value_widths_wide(dtype == CAIRN_F32 ? 32 : 64),
                      .sample  = {.whole = true},
                      .info    = &found};

    const bool   many   = cairn_many_products(context, c.options->replays);
    cairn_status status = cairn_product_check(context, product, source->shape.order);

    if (status == CAIRN_OK) status = see_source(source, &matrix);
    c.replays        = c.options->replays > 0 ? (double)c.options->replays
                                              : cairn_cost_replays(&context->env);
    c.values.narrows = source->narrows || many;
    CAIRN_TRY(
        cairn_choice_agree(context, dtype, product, options, options->replays, status));
    CAIRN_TRY(cairn_choice_make(&c, &chosen));
    CAIRN_TRY(cairn_comm_agree(
        context->comm,
        cairn_format_create(context, found.candidate[chosen].format, format)));
    (*format)->life.narrows = many;
    CAIRN_WRITE(info, found);
    return CAIRN_OK;
}
