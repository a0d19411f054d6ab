// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `cairn emit`: the kernels of an operation as text, or into the cache.

#include "cli/arguments/values.h"
#include "cli/arguments/verbs.h"
#include "cli/output/json.h"
#include "cli/process/progress.h"
#include "cli/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CUDA_OLDEST = 70 }; ///< Generation of cards.

/// What was asked, and what is needed on the way.
typedef struct {
    cli_job              *job;
    const char           *op, *file; ///< FILE may be NULL.
    cairn_product_options product;
    cairn_kernel_target   target;
    cairn_format         *format;
    cairn_source         *source;
} emission;

static cairn_status read_vector(cli_job *job, int *bytes)
{
    int64_t value = 0;

    if (!cli_given(job, CLI_VECTOR)) return CAIRN_OK;
    CLI_TRY(cli_integer(job, CLI_VECTOR, 16, &value));
    if (value != 16 && value != 32 && value != 64)
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --vector: %s is none of 16, 32, 64",
                        cli_text(job, CLI_VECTOR));
    *bytes = (int)value;
    return CAIRN_OK;
}

static cairn_status read_extents(emission *e)
{
    cli_job *job = e->job;

    if (cli_given(job, CLI_ROWS) != cli_given(job, CLI_COLS))
        return cli_fail(job, CAIRN_BAD_OPTION, "option: --%s: missing beside --%s",
                        cli_given(job, CLI_ROWS) ? "cols" : "rows",
                        cli_given(job, CLI_ROWS) ? "rows" : "cols");
    if (e->file && cli_given(job, CLI_ROWS))
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --rows: %s says how many there are", e->file);
    CLI_TRY(cli_integer(job, CLI_ROWS, 0, &e->target.extent[0]));
    CLI_TRY(cli_integer(job, CLI_COLS, 0, &e->target.extent[1]));
    if (cli_given(job, CLI_ROWS) && e->target.extent[0] == 0
        && e->target.extent[1] == 0)
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --rows: 0 by 0: nothing is multiplied");
    return CAIRN_OK;
}

/// "sm_90" into 90.
static cairn_status read_arch(emission *e)
{
    const char *const arch = cli_text(e->job, CLI_ARCH);

    if (!arch) return CAIRN_OK;
    const char *const number = strncmp(arch, "sm_", 3) == 0 ? arch + 3 : "";
    const size_t      digits = strspn(number, "0123456789");

    if (e->target.language != CAIRN_KERNEL_CUDA)
        return cli_fail(e->job, CAIRN_BAD_OPTION,
                        "option: --arch: it goes with --target cuda");
    if (digits <= 3 && !number[digits]) e->target.cuda_arch = atoi(number);
    if (e->target.cuda_arch < CUDA_OLDEST)
        return cli_fail(e->job, CAIRN_BAD_OPTION,
                        "option: --arch: %s is no generation of cards, sm_%d or newer",
                        arch, CUDA_OLDEST);
    return CAIRN_OK;
}

/// What goes with C alone.
static cairn_status check_target(const emission *e)
{
    const bool cuda = e->target.language == CAIRN_KERNEL_CUDA;

    if (e->target.language == CAIRN_KERNEL_C) return CAIRN_OK;
    if (cli_given(e->job, CLI_WARM) && !cuda)
        return cli_fail(e->job, CAIRN_BAD_OPTION,
                        "option: --warm: what a device's driver compiles it keeps "
                        "itself; --warm is for c and cuda");
    if (cli_given(e->job, CLI_VECTOR))
        return cli_fail(e->job, CAIRN_BAD_OPTION,
                        "option: --vector: %s have no vectors; it is for c",
                        cuda ? "kernels of cards" : "OpenCL's kernels");
    return CAIRN_OK;
}

static cairn_status read_settings(emission *e)
{
    cli_job    *job    = e->job;
    const char *target = cli_text(job, CLI_TARGET);
    int         which;

    e->op   = job->arguments.operand[0];
    e->file = job->arguments.operands > 1 ? job->arguments.operand[1] : NULL;
    CLI_TRY(cli_choose(job, "emit", e->op, &cli_operations, &which));
    if (target) {
        CLI_TRY(cli_choose(job, "option: --target", target, &cli_targets, &which));
        e->target.language = (cairn_kernel_language)which;
    }
    CLI_TRY(check_target(e));
    CLI_TRY(read_arch(e));
    e->product      = (cairn_product_options){.size       = sizeof(cairn_product_options),
                                              .transposed = cli_given(job, CLI_TRANSPOSE),
                                              .alpha      = 1,
                                              .beta       = cli_given(job, CLI_ADD)};
    e->target.dtype = job->dtype;
    CLI_TRY(cli_read_columns(job, e->op, &e->product.columns));
    CLI_TRY(read_vector(job, &e->target.vector_bytes));
    return read_extents(e);
}

/// The format, and the file's extents where there is a file.
static cairn_status prepare(emission *e)
{
    cairn_context    *context = e->job->context;
    const char       *format  = cli_given(e->job, CLI_FORMAT)
                                    ? cli_text(e->job, CLI_FORMAT)
                                    : cli_option_row(CLI_FORMAT)->standard;
    cairn_source_info info    = CAIRN_SOURCE_INFO;

    CLI_TRY(cli_agree(e->job, cairn_format_create(context, format, &e->format)));
    if (!e->file) return CAIRN_OK;
    cli_progress_phase("read");
    CLI_TRY(cairn_source_read(context, e->file, CAIRN_BY_NNZ, &e->source));
    CLI_TRY(cairn_source_describe(e->source, &info));
    CLI_TRY(cairn_product_check(context, &e->product, info.order));
    e->target.extent[0] = info.extent[0];
    e->target.extent[1] = info.extent[1];
    return CAIRN_OK;
}

static cairn_status print_text(const emission *e, const char *text)
{
    cli_job    *job    = e->job;
    const char *target = cli_text(job, CLI_TARGET);

    if (!cli_is_first(job)) return CAIRN_OK;
    if (cli_given(job, CLI_JSON))
        return cli_json_write(job,
                              json_pack("{s:s, s:s, s:s, s:s}", "op", e->op, "format",
                                        cairn_format_text(e->format), "target",
                                        target ? target : "c", "text", text));
    fputs(text, stdout);
    return CAIRN_OK;
}

static cairn_status emit_text(const emission *e)
{
    char              *text;
    const cairn_status status =
        cli_agree(e->job, cairn_kernels_text(e->job->context, e->format, &e->product,
                                             &e->target, &text));

    CLI_TRY(status);
    cli_progress_phase(NULL);
    const cairn_status printed = cli_agree(e->job, print_text(e, text));

    cairn_text_free(e->job->context, &text);
    return printed;
}

/// The kernels of a file's matrix are those that its plan gets.
static cairn_status warm_plan(const emission *e, cairn_kernel_counts *counts)
{
    cairn_tensor   *tensor = NULL;
    cairn_plan     *plan   = NULL;
    cairn_plan_info info   = CAIRN_PLAN_INFO;
    cairn_status    status =
        cairn_tensor_create(e->source, e->format, e->job->dtype, &tensor);

    /* So many that kernels are compiled of values as narrow as they are stored. */
    if (status == CAIRN_OK)
        status = cairn_context_set_replays(e->job->context, INT64_MAX);
    if (status == CAIRN_OK)
        status = cairn_plan_create_product(tensor, &e->product, &plan);
    if (status == CAIRN_OK) status = cairn_plan_describe(plan, &info);
    for (int m = 0; status == CAIRN_OK && m < cairn_format_members(e->format); m++)
        if (strcmp(cairn_plan_member_route(plan, m), "prebuilt") == 0)
            counts->prebuilt++;
        else
            counts->compiled++;
    if (status == CAIRN_OK && info.why)
        status = cli_fail(e->job, CAIRN_NO_KERNEL, "%s", info.why);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    return status;
}

static cairn_status warm(const emission *e)
{
    cli_job            *job    = e->job;
    cairn_kernel_counts counts = CAIRN_KERNEL_COUNTS;

    cli_progress_phase("compile");
    if (e->source && e->target.language == CAIRN_KERNEL_C)
        CLI_TRY(warm_plan(e, &counts));
    else
        CLI_TRY(
            cli_agree(job, cairn_kernels_precompile(job->context, e->format,
                                                    &e->product, &e->target, &counts)));
    cli_progress_phase(NULL);
    if (!cli_is_first(job)) return cli_agree(job, CAIRN_OK);
    if (cli_given(job, CLI_JSON))
        return cli_agree(
            job,
            cli_json_write(job, json_pack("{s:s, s:s, s:i, s:i, s:i}", "op", e->op,
                                          "format", cairn_format_text(e->format),
                                          "prebuilt", counts.prebuilt, "cached",
                                          counts.cached, "compiled", counts.compiled)));
    printf("%s %s: %d kernels of the library, %d of the cache, %d compiled\n", e->op,
           cairn_format_text(e->format), counts.prebuilt, counts.cached,
           counts.compiled);
    return cli_agree(job, CAIRN_OK);
}

static cairn_status emit_verb(cli_job *job)
{
    emission e = {.job = job, .target = CAIRN_KERNEL_TARGET};

    CLI_TRY(read_settings(&e));
    cairn_status status = prepare(&e);

    if (status == CAIRN_OK)
        status = cli_given(job, CLI_WARM) ? warm(&e) : emit_text(&e);
    cairn_source_destroy(&e.source);
    cairn_format_destroy(&e.format);
    return status;
}

static const char about[] =
    "A kernel is generated from what the format stores; it is what `cairn run` "
    "compiles, but for what a look at the matrix asks for beside (lines fetched ahead, "
    "stores past the caches, rows summed side by side), which changes no bit, and for "
    "values that are stored narrow. Else its code depends on the matrix only through "
    "the widths of indices: those of FILE, of --rows by --cols, or of a million by a "
    "million. A hybrid has a "
    "kernel for each member: the first one's sets y where it meets every row once, the "
    "others' add to it. With --add all of them add: y += A x, as plans have it whose "
    "beta is not 0 (y is multiplied by beta before). With --target opencl it is what "
    "devices of OpenCL's run, "
    "with a work-item for each turn of the processor's threads. With --target cuda it "
    "is for NVIDIA's cards, and needs none to be printed: a comment says with what "
    "options NVRTC compiles it, with --arch for which cards.\n"
    "\n"
    "--warm prints nothing: it compiles into the cache (CAIRN_CACHE) what plans will "
    "ask "
    "for, for a machine where no compiler is, or before a job of many ranks. With FILE "
    "that is exactly what its matrix needs, with values as narrow as they are stored; "
    "else what matrices of the extents, or of "
    "usual ones, may need, and the conversions of such matrices into the format. With "
    "--target cuda it is what cards may need for products of such matrices: those of "
    "--arch, else the cards that are here. CUDA's compiler (CAIRN_NVRTC) makes it, and "
    "no card is needed. What conversions need is the processor's.";

static const char json[] =
    "op format target text; with --warm op format prebuilt cached "
    "compiled (numbers of kernels)";

static const cli_example examples[] = {
    {"cairn emit spmv --format 'bdia<16>'",                            "the kernel of blocked diagonals"},
    {"cairn emit spmm --format csr --dtype f32 --k 16",                "several columns, f32"           },
    {"cairn emit spmv --format csr --add",                             "the kernel of y += A x"         },
    {"cairn emit spmv --format csr --target opencl",                   "the kernel of an OpenCL device" },
    {"cairn emit spmv --format 'sell<32>' --target cuda",              "the kernel of a card"           },
    {"cairn emit spmv --format csr --target cuda --arch sm_90 --warm",
     "compile what cards of sm_90 may need"                                                             },
    {"cairn emit spmv --format 'sell<8>' grid.mtx --warm",
     "compile what grid.mtx needs"                                                                      },
    {NULL,                                                             NULL                             },
};

const cli_verb cli_verb_emit = {
    .name     = "emit",
    .operands = "OP [FILE]",
    .least    = 1,
    .most     = 2,
    .summary  = "Print the kernels of an operation, or compile them into the cache",
    .about    = about,
    .json     = json,
    .examples = examples,
    .words    = "OP",
    .word     = cli_operation_word,
    .options  = (const cli_option_id[]){CLI_FORMAT, CLI_TARGET, CLI_ARCH, CLI_DTYPE,
                                        CLI_K, CLI_TRANSPOSE, CLI_ADD, CLI_VECTOR,
                                        CLI_ROWS, CLI_COLS, CLI_WARM, CLI_THREADS,
                                        CLI_MEMORY, CLI_GIVE_UP, CLI_OPTIONS},
    .run      = emit_verb,
};
