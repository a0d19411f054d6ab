// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A caller's coordinates: borrowed as they are, the source of a conversion where they lie,
/// or sorted.

#include "api/arrays/coords.h"
#include "api/arrays/solver_rows.h"
#include "api/collective_arguments.h"
#include "api/door.h"
#include "convert/given_arrays.h"
#include "convert/kept.h"

#include <inttypes.h>
#include <string.h>

#define CALL "cairn_tensor_from_coords"

/// Entries as a caller has them, and what was seen of them.
typedef struct {
    cairn_context     *context;
    cairn_shape        shape;
    cairn_dtype        dtype;
    int64_t            first_row, rows; ///< This rank's, in which all entries are; or
    bool               divided;         ///< ranks divide rows yet.
    cairn_given        given;
    cairn_coord        least[CAIRN_MAX_ORDER], most[CAIRN_MAX_ORDER]; ///< There may be.
    cairn_coords_lie   lie;
    cairn_coords_way   way;    ///< How they can be lent; OTHERWISE: they cannot.
    cairn_given_arrays arrays; ///< What was seen of them, and made.
    int64_t replays; ///< Products that the caller says will come; 0: he does not.
    bool    updates; ///< New values will come.
} taker;

/* ---- what is looked at ---- */

static cairn_status set_shape(taker *t, const cairn_coords *coords)
{
    cairn_env *env = &t->context->env;

    CAIRN_CHECK(coords->order >= 1 && coords->order <= CAIRN_MAX_ORDER, env,
                CAIRN_BAD_SHAPE, "coordinates: order %d: it is not in 1..%d",
                coords->order, CAIRN_MAX_ORDER);
    t->shape.order = coords->order;
    for (int k = 0; k < coords->order; k++) {
        CAIRN_CHECK(coords->extent[k] >= 0 && coords->extent[k] < INT64_MAX / 4, env,
                    CAIRN_BAD_SHAPE, "coordinates: extent %d is %" PRId64, k,
                    coords->extent[k]);
        t->shape.extent[k] = coords->extent[k];
    }
    return CAIRN_OK;
}

static cairn_status set_rows(taker *t, const cairn_coords *coords)
{
    cairn_env    *env    = &t->context->env;
    const int64_t extent = t->shape.extent[0], first = coords->first_row;

    t->rows = coords->rows;
    if (coords->rows == -1) {
        CAIRN_CHECK(first == 0, env, CAIRN_BAD_ARGUMENT,
                    CALL ": first_row: %" PRId64 " is not 0, but rows is -1", first);
        t->rows    = extent;
        t->divided = t->context->comm->size > 1;
    }
    CAIRN_CHECK(
        first >= 0 && t->rows >= 0 && t->rows <= extent - first, env, CAIRN_BAD_SHAPE,
        "coordinates: %" PRId64 " rows from %" PRId64 " on are not within 0..%" PRId64,
        t->rows, first, extent - 1);
    t->first_row = first;
    return CAIRN_OK;
}

/// Of no entries nothing is said but their type.
static cairn_status set_arrays(taker *t, const cairn_coords *coords)
{
    const int64_t     n    = coords->entries;
    const int         bits = coords->dtype == CAIRN_F32 ? 32 : 64;
    cairn_coords_lie *lie  = &t->lie;

    *lie =
        (cairn_coords_lie){.order      = coords->order,
                           .bits       = coords->idx_bits,
                           .base       = coords->base,
                           .idx_stride = n > 0 ? coords->idx_stride : 0,
                           .val        = n > 0 ? coords->val : NULL,
                           .val_stride = n > 0 && coords->val ? coords->val_stride : 0,
                           .val_bits   = bits};
    for (int k = 0; k < lie->order && n > 0; k++)
        lie->idx[k] = coords->idx[k];
    CAIRN_TRY(cairn_coords_check(&t->context->env, CALL, n, lie));
    t->given = (cairn_given){.order      = lie->order,
                             .n          = n,
                             .stride     = lie->idx_stride,
                             .bits       = lie->bits,
                             .base       = lie->base,
                             .value      = lie->val,
                             .apart      = lie->val_stride,
                             .value_bits = bits,
                             .extent     = t->shape.extent};
    memcpy(t->given.coord, lie->idx, sizeof t->given.coord);
    return CAIRN_OK;
}

/// Tell the first entry that is not in this rank's rows, or not in the tensor.
static cairn_status refuse(const void *user)
{
    const taker *t    = user;
    const int    base = t->lie.base;

    for (cairn_pos p = 0; p < t->given.n; p++)
        for (int k = 0; k < t->shape.order; k++) {
            const cairn_coord d = cairn_given_load(t->given.coord[k], p,
                                                   t->given.stride, t->given.bits, 0);

            CAIRN_CHECK(d >= t->least[k] + base && d <= t->most[k] + base,
                        &t->context->env, CAIRN_BAD_COORD,
                        "coordinates: entry %" PRId64 ": d%d = %" PRId64
                        " is outside %" PRId64 "..%" PRId64,
                        p, k, d, t->least[k] + base, t->most[k] + base);
        }
    return CAIRN_OK;
}

/// Run the program of the arrays.
///
/// @param source  NULL: they stay as they are; else, empty, gets what is in no order, and if
///                the arrays cannot be lent all of them.
/// @param waits   They will be looked at when they are copied.
static cairn_status look(taker *t, cairn_source *source, bool waits)
{
    cairn_comm           *comm = t->context->comm;
    const cairn_query_net net  = cairn_net_of(comm);
    cairn_status          mine = CAIRN_OK;

    t->arrays = (cairn_given_arrays){.lists   = &t->given,
                                     .least   = t->least,
                                     .most    = t->most,
                                     .refuse  = refuse,
                                     .user    = t,
                                     .entries = source ? &source->entries : NULL,
                                     .copies  = t->way == CAIRN_COORDS_OTHERWISE,
                                     .waits   = waits};
    if (source && comm->size == 1) {
        if (!source->unsorted) mine = CAIRN_NEW_ZERO(comm->env, 1, &source->unsorted);
        if (mine == CAIRN_OK) {
            source->unsorted->entries = &source->entries;
            t->arrays.bucketed        = &source->unsorted->bucketed;
        }
    }
    return cairn_given_arrays_run(comm->env, comm->size > 1 ? &net : NULL, &t->arrays,
                                  mine);
}

static cairn_status take_arrays(taker *t, const cairn_coords *coords)
{
    CAIRN_TRY(set_shape(t, coords));
    CAIRN_TRY(set_rows(t, coords));
    CAIRN_CHECK(
        !t->updates || !t->divided, &t->context->env, CAIRN_BAD_ARGUMENT,
        CALL
        ": updates: rows: -1: entries move to other ranks, where no update finds them");
    for (int k = 0; k < t->shape.order; k++)
        t->most[k] = t->shape.extent[k] - 1;
    t->least[0] = t->first_row;
    t->most[0]  = t->first_row + t->rows - 1;
    return set_arrays(t, coords);
}

/* ---- a tensor over the caller's arrays ---- */

/// Can a list of this width name every position?
static bool width_holds(const taker *t)
{
    for (int k = 0; k < t->shape.order && t->lie.bits == 32; k++)
        if (t->shape.extent[k] - 1 + t->lie.base > UINT32_MAX) return false;
    return true;
}

/// Can the arrays be a part's as they lie, if the entries ascend? Few entries that lie in
/// no common way are sorted instead, which waits for no compiler.
static void find_way(taker *t, bool borrowed)
{
    const bool pays = t->given.n >= CAIRN_WORTH_COMPILING || t->lie.base == 0;

    t->way = CAIRN_COORDS_OTHERWISE;
    if (!width_holds(t) || (t->given.n > 0 && !t->lie.val) || t->divided
        || (!borrowed && !pays))
        return;
    t->way = cairn_coords_find(&t->lie);
    if (!borrowed && t->way != CAIRN_COORDS_APART && t->given.n < CAIRN_WORTH_COMPILING)
        t->way = CAIRN_COORDS_OTHERWISE;
}

static cairn_status point_at_arrays(taker *t, cairn_tensor *tensor)
{
    cairn_env   *env = &t->context->env;
    cairn_pos    nodes[CAIRN_MAX_LEVELS];
    int64_t      offset = 0;
    cairn_local *local;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &local));
    tensor->local     = local;
    local->env        = env;
    local->shape      = t->shape;
    local->format     = tensor->format;
    local->value_bits = t->lie.val_bits;
    local->groups     = 1;
    for (int k = 0; k < t->shape.order; k++) {
        local->box[k] = (cairn_interval){0, t->shape.extent[k] - 1};
        nodes[k]      = t->given.n;
    }
    local->box[0] = (cairn_interval){t->first_row, t->first_row + t->rows - 1};
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &local->part));
    CAIRN_TRY(cairn_lent_layout(t->context, tensor->format, t->shape.extent, local->box,
                                local->value_bits, &local->group[0].layout));
    cairn_part *part = &local->part[0];

    part->where.rank = t->context->comm->rank;
    part->nnz        = t->given.n;
    cairn_part_place(local->group[0].layout, nodes, NULL, &offset,
                     &local->group[0].bytes, part);
    for (int k = 0; k < t->shape.order; k++)
        part->view.level[k].idx = t->lie.idx[k];
    part->view.val        = (void *)t->lie.val;
    local->parts          = 1;
    local->group[0].count = 1;
    /* That they ascend was seen, or is before they are read. */
    local->group[0].checked = true;
    if (t->arrays.waits) local->waiting = &t->arrays;
    return CAIRN_OK;
}

static cairn_status lend(taker *t, const cairn_rows *rows, cairn_tensor **tensor)
{
    cairn_env *env = &t->context->env;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, tensor));
    (*tensor)->context = t->context;
    (*tensor)->dtype   = t->dtype;
    CAIRN_TRY(cairn_coords_format(t->context, t->way, t->shape.order, t->lie.bits,
                                  t->lie.base, &(*tensor)->format));
    CAIRN_TRY(cairn_rows_copy(env, rows, &(*tensor)->rows));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &(*tensor)->refill));
    (*tensor)->refill->borrowed = t->lie.val;
    return point_at_arrays(t, *tensor);
}

/* ---- borrowed ---- */

static cairn_status why_not_borrowed(const taker *t)
{
    cairn_env *env = &t->context->env;

    CAIRN_CHECK(!t->divided, env, CAIRN_BAD_ARGUMENT,
                CALL
                ": rows: -1: entries move to other ranks, which cannot borrow them");
    CAIRN_CHECK(t->arrays.seen.once, env, CAIRN_BAD_ARGUMENT,
                CALL
                ": mode: entries that are borrowed must ascend, by d0, then d1 and "
                "so on, none twice");
    CAIRN_CHECK(t->given.n == 0 || t->lie.val, env, CAIRN_BAD_ARGUMENT,
                CALL ": val: is NULL: there are no values to borrow");
    CAIRN_CHECK(width_holds(t), env, CAIRN_BAD_ARGUMENT,
                CALL ": idx_bits: the extents have indices of more than 32 bits");
    return cairn_fail(env, CAIRN_BAD_ARGUMENT,
                      CALL ": mode: arrays that are borrowed must be one for each mode "
                           "and the values, or one of structs, at multiples of their "
                           "elements' widths");
}

/* ---- stored ---- */

/// Sorted, in this rank's rows. What one rank has in no order goes by way of buckets.
static cairn_status store_here(taker              *t,
                               cairn_rows         *rows,
                               const cairn_format *format,
                               cairn_source       *source,
                               cairn_tensor      **tensor)
{
    cairn_comm  *comm = t->context->comm;
    cairn_status status;

    if (comm->size == 1) {
        source->rows = *rows;
        *rows        = (cairn_rows){0};
        return cairn_tensor_create_beside(source, format, t->dtype, 0, tensor);
    }
    status = CAIRN_NEW_ZERO(comm->env, 1, tensor);
    if (status == CAIRN_OK) {
        (*tensor)->context = t->context;
        (*tensor)->dtype   = t->dtype;
        (*tensor)->rows    = *rows;
        *rows              = (cairn_rows){0};
        status             = cairn_format_copy(t->context, format, &(*tensor)->format);
    }
    CAIRN_TRY(cairn_comm_agree(comm, status));
    return cairn_tensor_build(*tensor, &t->shape, &source->entries, NULL);
}

/// Entries move to who owns their rows.
static cairn_status store_moving(taker              *t,
                                 const cairn_format *format,
                                 cairn_source       *source,
                                 cairn_tensor      **tensor)
{
    CAIRN_TRY(cairn_comm_agree(
        t->context->comm,
        cairn_entries_copy(&t->context->env, &t->given, &source->entries)));
    CAIRN_TRY(cairn_source_settle(source, CAIRN_BY_NNZ));
    return cairn_tensor_create_beside(source, format, t->dtype, 0, tensor);
}

/// The source is where the caller has it.
static cairn_status store_lent(taker              *t,
                               const cairn_rows   *rows,
                               const cairn_format *format,
                               cairn_tensor      **tensor)
{
    cairn_tensor *lent   = NULL;
    cairn_status  status = lend(t, rows, &lent);

    if (status == CAIRN_OK) status = cairn_tensor_prepare(lent, format, tensor);
    status = cairn_comm_agree(t->context->comm, status);
    if (status == CAIRN_OK) status = cairn_tensor_convert_in_place(lent, NULL, *tensor);
    if (status == CAIRN_OK)
        cairn_kept_add(lent->format, (*tensor)->local, (*tensor)->how.path);
    cairn_tensor_destroy(&lent);
    return status;
}

/// Do all ranks' arrays lie so that they can be lent? Else none are, unless borrowed.
static cairn_status all_can_lend(taker *t, bool borrowed)
{
    cairn_comm *comm = t->context->comm;
    int64_t     can;

    find_way(t, borrowed);
    can = t->way != CAIRN_COORDS_OTHERWISE;
    if (comm->size > 1) CAIRN_TRY(comm->ops->allreduce(comm, &can, 1, CAIRN_MIN));
    if (!can && !borrowed) t->way = CAIRN_COORDS_OTHERWISE;
    return CAIRN_OK;
}

static cairn_status borrow(taker *t, const cairn_rows *rows, cairn_tensor **tensor)
{
    cairn_comm *comm = t->context->comm;

    CAIRN_TRY(look(t, NULL, false));
    const bool can = t->arrays.seen.once && t->way != CAIRN_COORDS_OTHERWISE;

    CAIRN_TRY(cairn_comm_agree(comm, can ? CAIRN_OK : why_not_borrowed(t)));
    return cairn_comm_agree(comm, lend(t, rows, tensor));
}

/// Look at the lists while they are copied, if that can be.
///
/// @param[out] done  They are stored. Else nothing is, and they have to be looked at.
static cairn_status store_looking(taker              *t,
                                  const cairn_rows   *rows,
                                  const cairn_format *format,
                                  cairn_source       *source,
                                  cairn_tensor      **tensor,
                                  bool               *done)
{
    const cairn_given_arrays lists = {
        .lists = &t->given, .least = t->least, .most = t->most};
    cairn_status status;

    *done = false;
    if (t->context->comm->size > 1 || t->way != CAIRN_COORDS_APART
        || t->shape.order != 2 || !cairn_given_may_wait(&lists, format))
        return CAIRN_OK;
    CAIRN_TRY(look(t, source, true));
    status = store_lent(t, rows, format, tensor);
    /* What failed before the look says nothing of the list. */
    *done = t->arrays.looked && t->arrays.seen.once;
    if (*done) return status;
    cairn_tensor_destroy(tensor);
    cairn_given_arrays_fini(&t->arrays);
    return CAIRN_OK;
}

/// Look at the lists, and store them from where they lie, or what their program made of them.
static cairn_status store_looked(taker              *t,
                                 cairn_rows         *rows,
                                 const cairn_format *format,
                                 cairn_source       *source,
                                 cairn_tensor      **tensor)
{
    CAIRN_TRY(look(t, t->divided ? NULL : source, false));
    if (t->divided) return store_moving(t, format, source, tensor);
    if (t->arrays.seen.once && t->way != CAIRN_COORDS_OTHERWISE)
        return store_lent(t, rows, format, tensor);
    CAIRN_TRY(store_here(t, rows, format, source, tensor));
    cairn_kept_add(NULL, (*tensor)->local, (*tensor)->how.path);
    return CAIRN_OK;
}

/// In a format; and tell which passes ran on the arrays.
static cairn_status copy(taker              *t,
                         cairn_rows         *rows,
                         const cairn_format *format,
                         cairn_source       *source,
                         cairn_tensor      **tensor)
{
    bool done;

    CAIRN_TRY(store_looking(t, rows, format, source, tensor, &done));
    if (!done) CAIRN_TRY(store_looked(t, rows, format, source, tensor));
    return cairn_comm_agree(t->context->comm,
                            cairn_given_arrays_tell(&t->arrays,
                                                    &(*tensor)->how.path->program,
                                                    &(*tensor)->how.log));
}

/// @param[in] format  NULL: the arrays are borrowed.
static cairn_status
make(taker *t, cairn_rows *rows, const cairn_format *format, cairn_tensor **tensor)
{
    cairn_source *source = NULL;

    CAIRN_TRY(all_can_lend(t, !format));
    if (!format) return borrow(t, rows, tensor);
    cairn_status status = cairn_source_create(t->context, t->shape.order, &source);

    if (status == CAIRN_OK) source->shape = t->shape;
    status = cairn_comm_agree(t->context->comm, status);
    if (status == CAIRN_OK) status = copy(t, rows, format, source, tensor);
    cairn_source_destroy(&source);
    return status;
}

/// Have the tensor take new values; on failure what it has of them is freed with it.
static cairn_status take_updates(const taker *t, cairn_tensor *tensor)
{
    int64_t first, end;

    cairn_tensor_rows(tensor, &first, &end);
    return cairn_refill_create_for(&t->given, first, end - first, tensor->local,
                                   &tensor->refill);
}

static cairn_status store(taker *t, const cairn_format *format, cairn_tensor **tensor)
{
    cairn_rows   rows   = {0};
    cairn_status status = CAIRN_OK;

    if (!t->divided)
        status = cairn_rows_given(t->context->comm, "coordinates", &t->shape,
                                  t->first_row, t->rows, &rows);
    if (status == CAIRN_OK && format && !t->divided)
        status = cairn_check_callers_rows(t->context->comm, format);
    if (status == CAIRN_OK) status = make(t, &rows, format, tensor);
    if (status == CAIRN_OK && format && t->updates)
        status = cairn_comm_agree(t->context->comm, take_updates(t, *tensor));
    if (status == CAIRN_OK && format)
        status = cairn_comm_agree(t->context->comm,
                                  cairn_tensor_narrow_for_many(*tensor, t->replays));
    cairn_given_arrays_fini(&t->arrays);
    cairn_rows_fini(&t->context->env, &rows);
    return status;
}

/// What must be the same on all ranks. @p format: NULL: borrowed.
static void compare(const taker *t, const cairn_format *format, cairn_collective *same)
{
    cairn_collective_extents(same, t->shape.order, t->shape.extent);
    cairn_collective_dtype(same, t->dtype);
    cairn_collective_text(same, "arrays", format ? "stored in a format" : "borrowed");
    cairn_collective_text(same, "rows", t->divided ? "not given" : "given");
    cairn_collective_text(same, "updates", t->updates ? "will come" : "will not come");
    if (format) cairn_collective_format(same, format);
}

static cairn_status take(taker              *t,
                         const cairn_coords *coords,
                         cairn_copy_mode     mode,
                         const cairn_format *format,
                         cairn_tensor      **tensor)
{
    cairn_comm      *comm   = t->context->comm;
    cairn_format    *list   = NULL;
    cairn_collective same   = {0};
    cairn_status     status = take_arrays(t, coords);

    if (status == CAIRN_OK && format)
        status = cairn_check_order(comm->env, format, &t->shape);
    if (status == CAIRN_OK && !format && mode != CAIRN_BORROW) {
        status = cairn_coords_format(t->context, CAIRN_COORDS_APART, t->shape.order, 0,
                                     0, &list);
        format = list;
    }
    if (status == CAIRN_OK) compare(t, format, &same);
    status = cairn_comm_agree_on(comm, status, &same);
    if (status == CAIRN_OK) status = store(t, format, tensor);
    cairn_format_destroy(&list);
    return status;
}

cairn_status cairn_tensor_from_coords(cairn_context      *context,
                                      const cairn_coords *coords,
                                      cairn_copy_mode     mode,
                                      const cairn_format *format,
                                      cairn_tensor      **tensor)
{
    CAIRN_ENTER_TOGETHER(context, CAIRN_GIVEN(coords),
                         CAIRN_SIZED(coords, cairn_coords),
                         CAIRN_ONE_OF(mode, CAIRN_BORROW), CAIRN_GIVEN(tensor));
    cairn_coords own = CAIRN_COORDS;

    CAIRN_READ(coords, own);
    CAIRN_ENTER_TOGETHER(context, CAIRN_ONE_OF(coords->dtype, CAIRN_F32),
                         CAIRN_WITHIN(coords->entries, 0, INT64_MAX),
                         CAIRN_WITHIN(coords->replays, 0, INT64_MAX));
    cairn_doing(&context->env, "taking coordinates");

    const double  begin  = cairn_seconds();
    taker         t      = {.context = context,
                            .dtype   = coords->dtype,
                            .replays = coords->replays,
                            .updates = coords->updates};
    cairn_tensor *fresh  = NULL;
    cairn_status  status = take(&t, coords, mode, format, &fresh);

    if (status == CAIRN_OK) {
        fresh->seconds = cairn_seconds() - begin;
        *tensor        = fresh;
    } else {
        cairn_tensor_destroy(&fresh);
    }
    return status;
}
