// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conversions for which rows change their ranks. Rows are cut anew, as the format says or
/// by equal counts of entries at multiples of its grain; what goes to other ranks is sent
/// as it lies in the tensor's arrays, where these list rows one behind the other, else in
/// those of a list made for that; and then each rank converts what it has. By way of
/// coordinates only where the reference way is asked for, or a method that the list need
/// not have.

#include "api/tensors/moving.h"
#include "base/text.h"
#include "comm/distribute_text.h"
#include "convert/kept.h"
#include "rows/row_exchange.h"
#include "rows/row_share.h"

#include <string.h>

/* ---- by way of coordinates ---- */

static cairn_status convert_by_coordinates(const cairn_tensor *tensor,
                                           cairn_tensor      **to)
{
    cairn_source *source = NULL;
    cairn_tensor *fresh  = NULL;
    cairn_status  status = cairn_comm_agree(tensor->context->comm,
                                            cairn_tensor_take_entries(tensor, &source));

    if (status == CAIRN_OK) status = cairn_source_settle(source, CAIRN_BY_NNZ);
    if (status == CAIRN_OK)
        status =
            cairn_tensor_create_beside(source, (*to)->format, tensor->dtype,
                                       cairn_local_array_bytes(tensor->local), &fresh);
    cairn_source_destroy(&source);
    CAIRN_TRY(status);
    cairn_tensor_destroy(to);
    *to = fresh;
    cairn_kept_add(NULL, fresh->local, fresh->how.path);
    return CAIRN_OK;
}

/* ---- a list of rows ---- */

cairn_status cairn_create_list_format(cairn_context     *context,
                                      const cairn_shape *shape,
                                      int64_t            entries,
                                      cairn_format     **format)
{
    const bool pointer = shape->order > 1 && shape->extent[0] / 4 <= entries;
    cairn_text text;
    char      *its;

    cairn_text_init(&text, &context->env);
    cairn_text_add(&text, "#encoding<{ idx_map<(");
    for (int k = 0; k < 2 * shape->order; k++)
        cairn_text_add(&text, "%sd%d",
                       k == shape->order ? ")->("
                       : k               ? ","
                                         : "",
                       k % shape->order);
    cairn_text_add(&text, ")>, mutation<%strim(%d,%d)> }>", pointer ? "merge(0), " : "",
                   pointer, shape->order - 1);
    CAIRN_TRY(cairn_text_take(&text, &its));
    const cairn_status status = cairn_format_create(context, its, format);

    cairn_free(&context->env, its);
    return status;
}

/// A handle for the list of a tensor's rows.
static cairn_status
prepare_list(const cairn_tensor *tensor, int64_t entries, cairn_tensor **list)
{
    cairn_format *format = NULL;
    cairn_status  status = cairn_create_list_format(
         tensor->context, &tensor->local->shape, entries, &format);

    if (status == CAIRN_OK) status = cairn_tensor_prepare(tensor, format, list);
    cairn_format_destroy(&format);
    return status;
}

int64_t cairn_local_nnz(const cairn_local *local)
{
    int64_t entries = 0;

    for (int64_t p = 0; p < local->parts; p++)
        entries += local->part[p].nnz;
    return entries;
}

cairn_status cairn_tensor_list_rows(const cairn_tensor *tensor, cairn_tensor **list)
{
    cairn_comm *comm    = tensor->context->comm;
    int64_t     entries = cairn_local_nnz(tensor->local);

    CAIRN_TRY(comm->ops->allreduce(comm, &entries, 1, CAIRN_SUM));
    CAIRN_TRY(cairn_comm_agree(comm, prepare_list(tensor, entries, list)));
    return cairn_tensor_convert_in_place(tensor, NULL, *list);
}

/* ---- moving ---- */

/// Tensors of a rank, its rows one behind the other.
typedef struct {
    const cairn_local *const *own;
    int                       count;
} row_pieces;

static int64_t entries_before(const void *user, cairn_coord row)
{
    const row_pieces *pieces  = user;
    int64_t           entries = 0;

    for (int k = 0; k < pieces->count; k++) {
        const cairn_local *local = pieces->own[k];
        const int64_t      end   = local->box[0].hi + 1;

        if (row > local->box[0].lo)
            entries += cairn_row_positions_before(local, 0, row < end ? row : end);
    }
    return entries;
}

/// Where rows are cut, and what each rank has then. @param[out] fresh  NULL: what it had.
static cairn_status exchange_rows(const row_pieces   *pieces,
                                  int64_t             held,
                                  cairn_tensor       *to,
                                  cairn_local       **fresh,
                                  cairn_entries_sent *sent)
{
    cairn_comm           *comm   = to->context->comm;
    const cairn_query_net net    = cairn_net_of(comm);
    cairn_row_counts      counts = {0, entries_before, pieces};
    const cairn_coord     extent = pieces->own[0]->shape.extent[0];
    const int64_t         grain  = cairn_format_grain(to->format);
    const cairn_to_cut    what   = {.extent = extent, .counts = &counts};
    cairn_rows            rows;
    bool                  cut;

    for (int k = 0; k < pieces->count; k++)
        counts.entries += cairn_local_nnz(pieces->own[k]);
    CAIRN_TRY(cairn_rows_by_text(comm, &to->format->distribution, extent, grain, &rows,
                                 &cut, NULL));
    if (!cut) CAIRN_TRY(cairn_format_cut_rows(to->context, to->format, &what, &rows));
    cairn_rows_fini(comm->env, &to->rows);
    to->rows = rows;
    return cairn_rows_exchange(comm->env, pieces->own, pieces->count, rows.first, &net,
                               held, fresh, sent);
}

cairn_status
cairn_tensor_build_from(const cairn_local *from, int64_t held, cairn_tensor *to)
{
    cairn_comm           *comm  = to->context->comm;
    const cairn_query_net net   = cairn_net_of(comm);
    cairn_build           build = {.format     = to->format,
                                   .shape      = from->shape,
                                   .from       = from,
                                   .net        = comm->size > 1 ? &net : NULL,
                                   .rank       = comm->rank,
                                   .value_bits = from->value_bits};

    to->held   = held + cairn_local_table_bytes(from);
    build.held = to->held;
    memcpy(build.box, from->box, sizeof build.box);
    return cairn_context_build(to->context, &build, to);
}

/* ---- what was done ---- */

cairn_status cairn_path_add_exchange(cairn_path             *path,
                                     const cairn_pass_list  *before,
                                     const cairn_pass       *pass,
                                     const cairn_path_moves *moves)
{
    cairn_pass_list *program = &path->program;
    cairn_pass       own     = *pass;
    cairn_pass_list  all;
    cairn_status     status = CAIRN_OK;

    own.into = before ? 2 : 1;
    cairn_pass_list_init(&all, program->env);
    for (int k = 0; k < program->passes; k++)
        if (program->pass[k].into > 0) program->pass[k].into += own.into;
    if (before) status = cairn_pass_list_append(&all, before, 1);
    if (status == CAIRN_OK) status = cairn_pass_list_add(&all, &own);
    if (status == CAIRN_OK) status = cairn_pass_list_append(&all, program, 0);
    if (status != CAIRN_OK) {
        cairn_pass_list_fini(&all);
        return status;
    }
    cairn_pass_list_fini(program);
    *program    = all;
    path->moves = *moves;
    return CAIRN_OK;
}

void cairn_task_log_begin(cairn_task_log *log,
                          const char     *label,
                          int64_t         bytes,
                          double          begin,
                          double          end)
{
    const int kept =
        log->tasks < CAIRN_LOGGED_TASKS ? log->tasks : CAIRN_LOGGED_TASKS - 1;

    memmove(&log->entry[1], &log->entry[0], (size_t)kept * sizeof log->entry[0]);
    log->tasks    = kept + 1;
    log->entry[0] = (cairn_logged_task){
        .task   = {.label = label, .kind = "convert", .bytes = bytes},
        .number = -1,
        .time   = {begin,              end                          },
    };
}

/* ---- all ---- */

/* Whose arrays were taken over is no more. */
void cairn_tensor_own_arrays(cairn_tensor *tensor)
{
    for (int g = 0; g < tensor->local->groups; g++)
        tensor->local->group[g].shared = 0;
}

cairn_status cairn_tensor_build_moving(const cairn_local *const *own,
                                       int                       count,
                                       const cairn_tensor       *list,
                                       int64_t                   held,
                                       cairn_tensor             *to)
{
    const row_pieces   pieces = {own, count};
    const double       begin  = cairn_seconds();
    cairn_local       *fresh  = NULL;
    cairn_entries_sent sent;

    CAIRN_TRY(exchange_rows(&pieces, held, to, &fresh, &sent));
    const double           end    = cairn_seconds();
    const cairn_local     *from   = fresh ? fresh : own[0];
    const cairn_layout    *layout = from->group[0].layout;
    const cairn_path_moves moves  = {
         .entries = sent.entries, .bytes = sent.bytes, .messages = sent.messages};
    const cairn_pass pass = {
        .method = "rows",
        .what   = CAIRN_PASS_EXCHANGE,
        .unit   = CAIRN_UNIT_RUN,
        .member = -1,
        .index  = -1,
        .arrays = cairn_pass_arrays(layout),
        .stores = CAIRN_STORES_DIRECT,
        .bytes  = 2.0 * (double)cairn_pass_entry_bytes(layout, layout->order)};

    if (fresh) held += cairn_local_array_bytes(fresh);
    cairn_status status = cairn_tensor_build_from(from, held, to);

    if (status == CAIRN_OK)
        status = cairn_comm_agree(
            to->context->comm,
            cairn_path_add_exchange(
                to->how.path, list ? &list->how.path->program : NULL, &pass, &moves));
    if (status == CAIRN_OK) {
        cairn_task_log_begin(&to->how.log, "exchange", sent.bytes, begin, end);
        cairn_kept_add(from->format, to->local, to->how.path);
        if (fresh) cairn_tensor_own_arrays(to);
    }
    cairn_local_destroy(&fresh);
    return status;
}

/// Of a tensor, or of the list that was made of it.
static cairn_status
convert_by_rows(const cairn_tensor *tensor, const cairn_tensor *list, cairn_tensor *to)
{
    const cairn_local *own  = list ? list->local : tensor->local;
    int64_t            held = cairn_local_array_bytes(tensor->local);

    if (list) held += cairn_local_array_bytes(own);
    return cairn_tensor_build_moving(&own, 1, list, held, to);
}

cairn_status cairn_moving_way_choose(cairn_context            *context,
                                     const cairn_local *const *own,
                                     int64_t                   count,
                                     cairn_moving_way         *way)
{
    const cairn_options *options = &context->env.options;
    int64_t              its     = CAIRN_MOVING_ROWS;

    for (int64_t k = 0; k < count; k++)
        if (!cairn_rows_exchangeable(own[k]))
            its = options->convert[0] ? CAIRN_MOVING_COORDINATES : CAIRN_MOVING_LISTS;
    if (options->kernels == CAIRN_KERNELS_REFERENCE) its = CAIRN_MOVING_COORDINATES;
    CAIRN_TRY(context->comm->ops->allreduce(context->comm, &its, 1, CAIRN_MIN));
    *way = (cairn_moving_way)its;
    return CAIRN_OK;
}

cairn_status cairn_tensor_convert_moving(const cairn_tensor *tensor, cairn_tensor **to)
{
    const cairn_local *own    = tensor->local;
    cairn_tensor      *list   = NULL;
    cairn_status       status = CAIRN_OK;
    cairn_moving_way   way;

    CAIRN_TRY(cairn_moving_way_choose(tensor->context, &own, 1, &way));
    if (way == CAIRN_MOVING_COORDINATES) return convert_by_coordinates(tensor, to);
    if (way == CAIRN_MOVING_LISTS) status = cairn_tensor_list_rows(tensor, &list);
    if (status == CAIRN_OK) status = convert_by_rows(tensor, list, *to);
    if (status == CAIRN_OK && list) cairn_tensor_own_arrays(*to);
    cairn_tensor_destroy(&list);
    /* Functions are wanted, and there are none from a tensor. */
    return status == CAIRN_NO_KERNEL ? convert_by_coordinates(tensor, to) : status;
}
