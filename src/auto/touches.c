// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Walking a part, and remembering when each line was met.

#include "auto/touches.h"

#include "tensor/walk.h"

enum { MOST_LINES = 1 << 26 };

typedef struct {
    int64_t       lines; ///< Of Y, then of X.
    int64_t       first; ///< Of X.
    int64_t      *met;   ///< [lines] When, from 1; 0: not yet.
    int64_t       now;
    int64_t       last[2]; ///< Line of each that was met last.
    cairn_touches counted;
} pass;

static void touch(pass *p, int which, int64_t line)
{
    if (line == p->last[which]) return;
    p->last[which] = line;
    p->now++;

    /* Not met yet in this run: as long ago as there are lines. */
    const int64_t since = p->met[line] > 0 ? p->now - p->met[line] : p->lines;

    p->counted.near += since > CAIRN_NEAR_LINES;
    p->counted.far += since > CAIRN_FAR_LINES;
    p->met[line] = p->now;
}

static cairn_status visit(void *user, const cairn_part *part, const cairn_batch *batch)
{
    pass *const p = user;

    (void)part;
    for (int k = 0; k < batch->n; k++) {
        touch(p, 0, batch->coord[0][k] / CAIRN_LINE);
        touch(p, 1, p->first + batch->coord[1][k] / CAIRN_LINE);
    }
    return CAIRN_OK;
}

cairn_status cairn_touches_count(cairn_env          *env,
                                 const cairn_group  *group,
                                 const cairn_part   *part,
                                 const cairn_sample *sample,
                                 cairn_touches      *touches)
{
    const int64_t *extent = sample->shape.extent;
    pass           p      = {
                       .first = extent[0] / CAIRN_LINE + 1, .last = {-1, -1}
    };
    cairn_walker *walker = NULL;
    cairn_status  status;

    p.lines = p.first + extent[1] / CAIRN_LINE + 1;
    if (p.lines > MOST_LINES) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW_ZERO(env, p.lines, &p.met));
    CAIRN_GO(done, cairn_walker_create(env, group->layout, &walker));
    CAIRN_GO(done, cairn_walk(walker, part, visit, &p));
    *touches = p.counted;
done:
    cairn_walker_destroy(env, &walker);
    cairn_free(env, p.met);
    return status;
}
