// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Gathering with a maximum.

#include "cli/ranks/gather.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define AT_A_TIME (1 << 20) ///< Values of one reduction, whose count is an int.

cairn_status cli_max(cli_job *job, double *value)
{
    return cairn_context_max(job->context, value, 1);
}

cairn_status cli_barrier(cli_job *job)
{
    double nothing = 0;

    return cli_max(job, &nothing);
}

cairn_status cli_max_all(cli_job *job, double *values, int64_t n)
{
    for (int64_t p = 0; p < n; p += AT_A_TIME) {
        const int64_t rest = n - p;

        CLI_TRY(cairn_context_max(job->context, values + p,
                                  rest < AT_A_TIME ? (int)rest : AT_A_TIME));
    }
    return CAIRN_OK;
}

cairn_status cli_alloc_together(cli_job *job, int64_t n, size_t size, void *block)
{
    void        *mine   = calloc((size_t)(n ? n : 1), size);
    cairn_status status = mine ? CAIRN_OK
                               : cli_fail(job, CAIRN_NO_MEMORY,
                                          "%s: report: out of memory for %" PRId64
                                          " numbers of %zu bytes",
                                          job->verb->name, n, size);

    status = cli_agree(job, status);
    if (status != CAIRN_OK) {
        free(mine);
        mine = NULL;
    }
    memcpy(block, &mine, sizeof mine);
    return status;
}

cairn_status cli_gather(cli_job *job, const double *mine, int64_t n, double **all)
{
    const int rank = cairn_context_rank(job->context);
    const int size = cairn_context_size(job->context);

    CLI_TRY(cli_alloc_together(job, n * size, sizeof **all, all));
    memcpy(*all + n * rank, mine, (size_t)n * sizeof *mine);
    const cairn_status status = cli_max_all(job, *all, n * size);

    if (status != CAIRN_OK) {
        free(*all);
        *all = NULL;
    }
    return status;
}
