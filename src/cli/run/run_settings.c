// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The options of a run.

#include "cli/arguments/values.h"
#include "cli/run/run.h"

#include <stdio.h>
#include <string.h>

static cairn_status read_op(cli_job *job, cli_run_settings *settings)
{
    int which;

    settings->op = job->arguments.operand[0];
    CLI_TRY(cli_choose(job, "run", settings->op, &cli_operations, &which));
    if (job->arguments.operands < 2)
        return cli_fail(job, CAIRN_BAD_OPTION, "operand: run %s: FILE is missing",
                        settings->op);
    settings->file = job->arguments.operand[1];
    if (job->arguments.operands > 2)
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "operand: %s: one too many; %s takes one file",
                        job->arguments.operand[2], settings->op);
    return CAIRN_OK;
}

/// A file of a plan has the format and the places: options that say them too are refused.
static cairn_status check_plan(cli_job *job)
{
    if (cli_given(job, CLI_PLAN) && cli_given(job, CLI_PLACE))
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --place: the plan of --plan says where");
    return CAIRN_OK;
}

/// Members are those of a format, and which one that is, is yet to be found.
static cairn_status check_place(cli_job *job, const cli_run_settings *settings)
{
    if (settings->choose && settings->place && strchr(settings->place, '='))
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --place: %s: --format auto has no members yet; name "
                        "the format, or one device for all",
                        settings->place);
    return CAIRN_OK;
}

cairn_status cli_read_columns(cli_job *job, const char *op, int64_t *columns)
{
    const bool one = strcmp(op, "spmv") == 0;

    if (one && cli_given(job, CLI_K))
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --k: spmv has one column; --k is for spmm");
    *columns = one ? 1 : 32;
    return cli_integer(job, CLI_K, 1, columns);
}

/// A transposed Y is divided as columns are, and is no next X.
static cairn_status read_chain(cli_job *job, cli_run_settings *settings)
{
    if (cli_given(job, CLI_CHAIN) && cli_given(job, CLI_TRANSPOSE))
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --chain: not with --transpose: each y is the next x");
    return cli_integer(job, CLI_CHAIN, 1, &settings->chain);
}

/// 2d: p times q ranks, q the largest that is no larger than p.
static const char *say_blocks(const cli_job *job, char text[CLI_BLOCKS])
{
    const int ranks = cairn_context_size(job->context);
    int       q     = 1;

    for (int k = 1; k <= ranks / k; k++)
        if (ranks % k == 0) q = k;
    snprintf(text, CLI_BLOCKS, "blocks<%d,%d>", ranks / q, q);
    return text;
}

static cairn_status read_division(cli_job *job, cli_run_settings *settings)
{
    const char *word  = cli_text(job, CLI_DISTRIBUTE);
    int         which = 0;

    if (word)
        CLI_TRY(
            cli_choose(job, "option: --distribute", word, &cli_distributions, &which));
    settings->division = which == 1 ? CAIRN_BY_ROWS : CAIRN_BY_NNZ;
    settings->said     = which > 1 ? cli_distributions.now[which] : NULL;
    if (which == 4) settings->said = say_blocks(job, settings->blocks);
    return CAIRN_OK;
}

/// An option's text, or the default that the table has.
static const char *text_or_standard(cli_job *job, cli_option_id id)
{
    return cli_given(job, id) ? cli_text(job, id) : cli_option_row(id)->standard;
}

cli_run_settings cli_run_settings_standard(cli_job *job)
{
    return (cli_run_settings){
        .format         = text_or_standard(job, CLI_FORMAT),
        .candidates     = cli_text(job, CLI_CANDIDATES),
        .place          = cli_text(job, CLI_PLACE),
        .devices        = cli_text(job, CLI_DEVICES),
        .iters          = 10,
        .warmup         = 2,
        .files.x        = text_or_standard(job, CLI_X),
        .files.out      = cli_text(job, CLI_OUT),
        .files.plan     = cli_text(job, CLI_PLAN),
        .files.plan_out = cli_text(job, CLI_PLAN_OUT),
        .files.trace    = cli_text(job, CLI_TRACE),
        .verify         = cli_given(job, CLI_VERIFY),
    };
}

cairn_status cli_run_settings_common(cli_job *job, cli_run_settings *settings)
{
    CLI_TRY(read_division(job, settings));
    settings->choose = strcmp(settings->format, "auto") == 0;
    CLI_TRY(cli_check_candidates(job, settings->choose, "--format auto"));
    return check_place(job, settings);
}

cairn_status cli_run_settings_read(cli_job *job, cli_run_settings *settings)
{
    *settings = cli_run_settings_standard(job);
    CLI_TRY(read_op(job, settings));
    CLI_TRY(check_plan(job));
    CLI_TRY(cli_read_columns(job, settings->op, &settings->columns));
    CLI_TRY(cli_integer(job, CLI_ITERS, 1, &settings->iters));
    CLI_TRY(cli_integer(job, CLI_WARMUP, 0, &settings->warmup));
    CLI_TRY(read_chain(job, settings));
    return cli_run_settings_common(job, settings);
}
