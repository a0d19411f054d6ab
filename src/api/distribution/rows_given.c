// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows that callers divided among ranks.

#include "api/api.h"

#include <inttypes.h>

cairn_status cairn_rows_given(cairn_comm        *comm,
                              const char        *call,
                              const cairn_shape *shape,
                              int64_t            first,
                              int64_t            count,
                              cairn_rows        *rows)
{
    enum { EACH = CAIRN_MAX_ORDER + 2 };
    int64_t  mine[EACH] = {first, count};
    int64_t *all = NULL, next = 0;

    for (int k = 0; k < shape->order; k++)
        mine[2 + k] = shape->extent[k];
    cairn_status status = CAIRN_NEW(comm->env, EACH * (int64_t)comm->size, &all);

    if (status == CAIRN_OK) status = CAIRN_NEW(comm->env, comm->size + 1, &rows->first);
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    CAIRN_GO(done, comm->ops->allgather(comm, mine, sizeof mine, all));
    bool good  = true;
    rows->size = comm->size;
    /* Every rank judges the same numbers. */
    for (int r = 0; r < comm->size; r++) {
        const int64_t *its = all + (size_t)r * EACH;

        good = good && its[0] == next;
        for (int k = 2; k < EACH; k++)
            good = good && its[k] == all[k];
        rows->first[r] = next;
        if (good) next += its[1];
    }
    rows->first[comm->size] = next;
    if (!good || next != all[2])
        status = cairn_fail(comm->env, CAIRN_BAD_SHAPE,
                            "%s: the ranks' rows do not follow each other from 0 to "
                            "%" PRId64 ", or their extents differ from %" PRId64
                            " x %" PRId64,
                            call, all[2], all[2], all[3]);
done:
    cairn_free(comm->env, all);
    return status;
}
