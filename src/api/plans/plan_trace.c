// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Traces of plans: each rank prints its own events into its range of one file.

#include "api/door.h"
#include "base/text.h"
#include "comm/collective.h"
#include "comm/output.h"

#include <string.h>

enum { EVENTS = 65536 };

/// When, by this rank's clock, the first rank has begun to store the tensor.
static cairn_status
begin_of_storing(cairn_comm *comm, const cairn_task_log *log, double *begin)
{
    const double now = cairn_seconds();
    int64_t ns = log->tasks ? (int64_t)(1e9 * (now - log->entry[0].time.begin)) + 1 : 0;

    CAIRN_TRY(comm->ops->allreduce(comm, &ns, 1, CAIRN_MAX));
    *begin = now - 1e-9 * (double)ns;
    return CAIRN_OK;
}

cairn_status cairn_plan_record(cairn_plan *plan, int64_t events)
{
    CAIRN_ENTER_TOGETHER(plan ? plan->tensor->context : NULL,
                         CAIRN_WITHIN(events, 0, INT64_MAX));

    cairn_replay   *replay    = plan->replay;
    cairn_comm     *comm      = replay->common.comm;
    cairn_recording recording = {.events  = events > 0 ? events : EVENTS,
                                 .storing = &plan->tensor->how.log};
    cairn_status    status    = CAIRN_OK;

    if (replay->trace)
        status = cairn_fail(comm->env, CAIRN_BAD_ARGUMENT,
                            "trace: this plan records already");
    else if (events < 0)
        status = cairn_fail(comm->env, CAIRN_BAD_ARGUMENT,
                            "trace: a plan cannot keep fewer events than none");
    /* Where their clocks start is all that ranks of different nodes have in common. */
    CAIRN_TRY(cairn_comm_agree(comm, status));
    CAIRN_TRY(begin_of_storing(comm, recording.storing, &recording.origin));
    status = cairn_comm_agree(comm, cairn_replay_record(replay, &recording));
    if (status != CAIRN_OK) cairn_replay_stop_recording(replay);
    return status;
}

/// This rank's stretch of the file.
static cairn_status print(const cairn_replay *replay, char **text)
{
    const cairn_comm *comm = replay->common.comm;
    cairn_text        out;

    cairn_text_init(&out, replay->common.comm->env);
    if (comm->rank == 0)
        cairn_text_add(&out, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
    cairn_trace_print_events(replay->trace, &out);
    cairn_text_add(&out, comm->rank == comm->size - 1 ? "\n]}\n" : ",\n");
    return cairn_text_take(&out, text);
}

/// Bytes of the ranks before this one.
static cairn_status begin_of(cairn_comm *comm, int64_t bytes, int64_t *begin)
{
    int64_t *all   = NULL;
    int64_t  count = 0;

    CAIRN_TRY(cairn_comm_gather(comm, &bytes, 1, sizeof bytes, (void **)&all, &count));
    *begin = 0;
    for (int r = 0; r < comm->rank; r++)
        *begin += all[r];
    cairn_free(comm->env, all);
    return CAIRN_OK;
}

cairn_status cairn_plan_write_trace(const cairn_plan *plan, const char *path)
{
    CAIRN_ENTER_TOGETHER(plan ? plan->tensor->context : NULL, CAIRN_GIVEN(path));

    const cairn_replay *replay = plan->replay;
    cairn_comm         *comm   = replay->common.comm;
    cairn_file          file   = {.env = comm->env, .fd = -1};
    char               *text   = NULL;
    int64_t             begin;
    cairn_collective    arguments = {0};

    cairn_collective_text(&arguments, "file", path);
    cairn_status status = replay->trace
                              ? print(replay, &text)
                              : cairn_fail(comm->env, CAIRN_BAD_ARGUMENT,
                                           "trace: %s: nothing was recorded", path);

    status = cairn_comm_agree_on(comm, status, &arguments);

    if (status == CAIRN_OK) status = begin_of(comm, (int64_t)strlen(text), &begin);
    if (status == CAIRN_OK) {
        status = cairn_output_open(comm, path, &file);
        if (status == CAIRN_OK)
            status = cairn_file_write_at(&file, text, strlen(text), begin);
        status = cairn_output_finish(comm, status, &file);
    }
    cairn_free(comm->env, text);
    return status;
}
