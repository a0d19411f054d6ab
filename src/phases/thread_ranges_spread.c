// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A phase whose ranges are tasks: of the team that fills other members meanwhile, taken by
/// idle threads; or of threads that stay awake from one short phase to the next. A phase
/// that is called for one range is the phase of one thread, given the arrays of that
/// thread.

#include "phases/thread_ranges.h"

#include <assert.h>

typedef struct {
    const cairn_thread_ranges *ranges;
    const cairn_phase         *phase;
    const cairn_kernel_part   *from;
    cairn_kernel_part         *to;
    const cairn_convert_args  *args;
    int64_t                    cursors;
    int64_t                   *result; ///< [ranges]
} spread;

static void run_share(void *user, int t)
{
    const spread      *s    = user;
    cairn_convert_args args = *s->args;

    args.share  = s->ranges->cut + t;
    args.shares = 1;
    if (args.facts) args.facts += t * CAIRN_CONVERT_FACTS;
    if (args.cursor) args.cursor += t * s->cursors;
    if (args.slot) args.slot += t * args.slots;
    if (args.offset) args.offset += t;
    if (args.line_slot) args.line_slot += t * args.line_slots;
    s->result[t] = cairn_phase_call(s->phase, s->from, s->to, &args);
}

cairn_status cairn_thread_ranges_spread(cairn_env                 *env,
                                        const cairn_thread_ranges *ranges,
                                        const cairn_origin        *origin,
                                        const cairn_phase         *phase,
                                        cairn_kernel_part         *to,
                                        const cairn_convert_args  *args,
                                        int64_t                    cursors)
{
    cairn_convert_args all = *args;
    int64_t            outer[CAIRN_MAX_LEVELS];
    spread             s = {.ranges  = ranges,
                            .phase   = phase,
                            .from    = cairn_origin_view(origin, 0),
                            .to      = to,
                            .args    = &all,
                            .cursors = cursors};

    cairn_origin_args(origin, 0, outer, &all);
    assert(ranges->n > 1);
    CAIRN_TRY(CAIRN_NEW(env, ranges->n, &s.result));
    if (ranges->few) {
        cairn_thread_ranges_each(env, ranges, run_share, &s);
    } else {
        for (int t = 0; t < (int)ranges->n; t++) {
#pragma omp task firstprivate(t) shared(s)
            run_share(&s, t);
        }
#pragma omp      taskwait
    }
    cairn_status status = CAIRN_OK;

    for (int64_t t = 0; t < ranges->n && status == CAIRN_OK; t++)
        status = cairn_phase_check(env, s.result[t]);
    cairn_free(env, s.result);
    return status;
}
