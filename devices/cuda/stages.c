// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Finding stages, and enqueueing them: X on the first stream, kernels on the second, Y on
/// the third, each stage behind what it needs of the one before it.

#include "devices/cuda/stages.h"

#include "devices/cuda/product.h"
#include "tensor/walk.h"

/// Bytes of X and Y together, of which half must be there for stages to be looked for. A
/// guess: a stage's start costs some microseconds, in which the bus moves a tenth of that.
#define LEAST ((int64_t)8 << 20)

/* ---- finding them ---- */

/// Rows of Y that an index of the level by which rows are divided stands for.
typedef struct {
    int     level;
    int64_t each;  ///< Rows of an index,
    int64_t first; ///< and the first of index 0.
} rows_by;

/// @return false: rows do not follow the level one after the other.
static bool find_rows(const cairn_layout *layout, rows_by *rows)
{
    const cairn_linear *sum  = &layout->inverse.dim[0];
    int64_t             rest = 0;

    rows->level = cairn_layout_row_level(layout);
    rows->each  = 0;
    rows->first = sum->constant;
    if (rows->level < 0 || !layout->inverse.exact
        || layout->level[rows->level].kind != CAIRN_LEVEL_DENSE)
        return false;
    for (int t = 0; t < sum->terms; t++) {
        const cairn_level *level = &layout->level[sum->var[t]];

        if (sum->var[t] == rows->level) {
            rows->each = sum->num[t];
            continue;
        }
        if (sum->num[t] < 0) return false;
        rows->first += sum->num[t] * level->range.lo;
        rest += sum->num[t] * (level->range.hi - level->range.lo);
    }
    return rows->each > 0 && rest < rows->each;
}

/// The index at which turn @p turn begins; -1: turns do not follow it.
static int64_t index_at(const cairn_grid       *grid,
                        const cairn_grid_tiles *tiles,
                        const cairn_layout     *layout,
                        const rows_by          *rows,
                        int64_t                 turn)
{
    const int64_t lo = layout->level[rows->level].range.lo;

    if (grid->shape == CAIRN_GRID_LANES && grid->rows)
        return rows->each == 1 ? layout->box[0].lo + turn - rows->first : -1;
    if (grid->shape == CAIRN_GRID_LANES)
        return grid->level == rows->level ? lo + turn / grid->each : -1;
    return grid->shape == CAIRN_GRID_LISTS && grid->by == CAIRN_GRID_BY_PTR
                   && grid->level == rows->level + 1 && rows->level == 0
               ? lo + tiles->tile[turn]
               : -1;
}

/// What of X a stage reads.
typedef struct {
    cairn_interval box;
    cairn_coord    last;
} reading;

static cairn_status
note_last(void *user, const cairn_part *part, const cairn_batch *batch)
{
    reading           *r = user;
    const cairn_coord *j = batch->coord[1];

    (void)part;
    for (int k = 0; k < batch->n; k++)
        if (j[k] > r->last && j[k] <= r->box.hi) r->last = j[k];
    return CAIRN_OK;
}

/// Walk over the positions of each stage. @p index [count + 1] where stages begin.
static cairn_status find_x(cairn_device            *device,
                           const cairn_device_work *work,
                           int                      level,
                           const int64_t           *index,
                           cairn_cuda_stages       *stages)
{
    const cairn_interval box                       = work->tensor->box[1];
    const int            threads                   = device->info.threads;
    cairn_walker        *walker[CAIRN_CUDA_STAGES] = {NULL};
    reading              read[CAIRN_CUDA_STAGES];
    cairn_status         status = CAIRN_OK;

    for (int k = 0; k < stages->count && status == CAIRN_OK; k++) {
        status = cairn_walker_create(device->env, cairn_work_group(work)->layout,
                                     &walker[k]);
        if (status != CAIRN_OK) break;
        cairn_walker_restrict(walker[k], level, index[k], index[k + 1] - 1);
        cairn_walker_show_overhang(walker[k]);
        read[k] = (reading){box, box.lo - 1};
    }
    if (status == CAIRN_OK) {
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
        for (int k = 0; k < stages->count; k++)
            cairn_walk_member(walker[k], work->tensor, work->member, note_last,
                              &read[k]);
        for (int k = 0; k < stages->count; k++) {
            const cairn_coord before = k > 0 ? stages->stage[k - 1].x : box.lo - 1;

            stages->stage[k].x = read[k].last > before ? read[k].last : before;
        }
    }
    for (int k = 0; k < stages->count; k++)
        if (walker[k]) cairn_walker_destroy(device->env, &walker[k]);
    return status;
}

/// Cut the turns. @return Whether rows of Y follow them.
static bool cut(const cairn_device_work *work,
                const cairn_grid        *grid,
                const cairn_grid_tiles  *tiles,
                const rows_by           *rows,
                int64_t                  y_row,
                int64_t                  index[CAIRN_CUDA_STAGES + 1],
                cairn_cuda_stages       *stages)
{
    const cairn_layout  *layout = cairn_work_group(work)->layout;
    const cairn_interval box    = work->tensor->box[0];
    const int64_t        turns  = tiles->turns[CAIRN_GRID_MAIN];
    const int64_t        unit =
        grid->shape == CAIRN_GRID_LANES ? grid->each * CAIRN_GRID_ITEMS : 1;

    stages->count = CAIRN_CUDA_STAGES;
    for (int k = 0; k <= stages->count; k++) {
        const bool    last = k == stages->count;
        const int64_t turn = last ? turns : turns * k / stages->count / unit * unit;
        const int64_t at   = index_at(grid, tiles, layout, rows, turn);
        int64_t       row  = last ? box.hi + 1 : rows->each * at + rows->first;

        if (at < 0 || (k > 0 && at <= index[k - 1])) return false;
        index[k] = at;
        if (row < box.lo) row = box.lo;
        if (row > box.hi + 1) row = box.hi + 1;
        if (k == 0) continue;
        stages->stage[k - 1] =
            (cairn_cuda_stage){.turn = turn, .y = (row - box.lo) * y_row};
    }
    return true;
}

cairn_status cairn_cuda_stages_find(cairn_device            *device,
                                    const cairn_device_work *work,
                                    const cairn_grid        *grid,
                                    const cairn_grid_tiles  *tiles,
                                    int64_t                  y_row,
                                    cairn_cuda_stages       *stages)
{
    const cairn_interval *box = work->tensor->box;
    const int64_t rows = box[0].hi - box[0].lo + 1, x_rows = box[1].hi - box[1].lo + 1;
    cairn_cuda_stages found = {.count = 0};
    rows_by           by;
    int64_t           index[CAIRN_CUDA_STAGES + 1];

    *stages = found;
    if (!work->seat || work->op->transposed || work->op->columns != 1
        || (rows + x_rows) * y_row < 2 * LEAST
        || !find_rows(cairn_work_group(work)->layout, &by)
        || !cut(work, grid, tiles, &by, y_row, index, &found))
        return CAIRN_OK;
    CAIRN_TRY(find_x(device, work, by.level, index, &found));
    /* Y cannot start on its way back before what its rows read is there: the more of X the
       first half reads, the less of the two ways overlaps. Where the line is was not
       measured. */
    const cairn_coord half = found.stage[found.count / 2 - 1].x;

    if (half < box[1].lo + x_rows / 4 * 3) *stages = found;
    return CAIRN_OK;
}

cairn_status cairn_cuda_stages_open(cairn_device *device, cairn_cuda_stages *stages)
{
    for (int k = 0; k < stages->count; k++) {
        CAIRN_TRY(cairn_cuda_event_make(device, true, &stages->stage[k].begin));
        CAIRN_TRY(cairn_cuda_event_make(device, true, &stages->stage[k].end));
    }
    return CAIRN_OK;
}

void cairn_cuda_stages_close(cairn_device *device, cairn_cuda_stages *stages)
{
    for (int k = 0; k < stages->count; k++) {
        cairn_cuda_event_free(device, &stages->stage[k].begin);
        cairn_cuda_event_free(device, &stages->stage[k].end);
    }
}

/* ---- a run ---- */

static int64_t at_most(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/// Bytes of X on the card that stages up to @p k read.
static int64_t x_bytes(const cairn_cuda_product *p, int k)
{
    const int64_t bytes = (p->stages.stage[k].x + 1 - p->x->rows.lo) * p->x->row;

    if (k == p->stages.count - 1) return p->x->on.bytes;
    return bytes < 0 ? 0 : at_most(bytes, p->x->on.bytes);
}

static void follow(cairn_cuda_seat  *s,
                   cairn_cuda_stream behind,
                   cairn_cuda_event  event,
                   cairn_cuda_stream before)
{
    if (s->error == CAIRN_CUDA_OK)
        cairn_cuda_seat_note(
            s, cairn_cuda_follow(cairn_cuda_of(s->device), behind, event, before),
            "an event");
}

/// X from byte @p from to @p to goes up.
static void
send_up(cairn_cuda_seat *s, const cairn_cuda_product *p, int64_t from, int64_t to)
{
    cairn_cuda_device *d = cairn_cuda_of(s->device);

    if (from >= to || s->error != CAIRN_CUDA_OK) return;
    cairn_cuda_seat_note(s,
                         CAIRN_CUDA(d, cuMemcpyHtoDAsync_v2,
                                    p->x->on.at + (cairn_cuda_pointer)from,
                                    p->x->lent + from, (size_t)(to - from), d->stream),
                         "X to it");
}

/// Enqueue stage @p k, whose X begins at byte @p x and ends at @p x_end, and whose Y begins
/// at @p y.
static void
enqueue_stage(cairn_cuda_seat *s, int k, int64_t x, int64_t x_end, int64_t y)
{
    const cairn_cuda_product *p     = s->product[0];
    const cairn_cuda_stage   *stage = &p->stages.stage[k];
    cairn_cuda_device        *d     = cairn_cuda_of(s->device);

    send_up(s, p, x, x_end);
    if (k == p->stages.count - 1) cairn_cuda_seat_mark(s, p->moment.up);
    follow(s, d->beside.stream, d->beside.from, d->stream);
    cairn_cuda_seat_mark_in(s, stage->begin, d->beside.stream);
    if (s->error == CAIRN_CUDA_OK)
        cairn_cuda_seat_note(
            s, cairn_cuda_start_step(d, &p->step[p->steps + k], d->beside.stream),
            "a kernel");
    cairn_cuda_seat_mark_in(s, stage->end, d->beside.stream);
    follow(s, d->down.stream, d->beside.till, d->beside.stream);
    cairn_cuda_seat_land(s, 0, (cairn_interval){y, stage->y - 1}, d->down.stream);
}

void cairn_cuda_seat_staged(cairn_cuda_seat *seat, int which)
{
    const cairn_cuda_product *p = seat->product[0];
    cairn_cuda_device        *d = cairn_cuda_of(seat->device);
    int64_t                   x = 0, y = 0;

    (void)which;
    cairn_cuda_point(p, cairn_cuda_vectors_of(p));
    cairn_cuda_seat_mark(seat, p->moment.begin);
    for (int k = 0; k < p->stages.count; k++) {
        const int64_t bytes = x_bytes(p, k), x_end = bytes > x ? bytes : x;

        enqueue_stage(seat, k, x, x_end, y);
        x = x_end;
        y = p->stages.stage[k].y;
    }
    cairn_cuda_seat_mark_in(seat, p->moment.down, d->down.stream);
    follow(seat, d->stream, d->down.till, d->down.stream);
}

void cairn_cuda_staged_times(const cairn_cuda_seat *seat, cairn_launch_times *times)
{
    const cairn_cuda_product *p   = seat->product[0];
    const cairn_cuda_moments *m   = &p->moment;
    const double              all = cairn_cuda_seat_seconds(seat, m->begin, m->down);

    times->in      = cairn_cuda_seat_seconds(seat, m->begin, m->up);
    times->compute = 0;
    for (int k = 0; k < p->stages.count; k++)
        times->compute += cairn_cuda_seat_seconds(seat, p->stages.stage[k].begin,
                                                  p->stages.stage[k].end);
    times->out = all - times->in - times->compute;
    if (times->out < 0) times->out = 0;
}
