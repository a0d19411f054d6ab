// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Tensors from native files: their arrays, taken back, on as many ranks as wrote them, or
/// their rows given to other ranks.

#include "api/collective_arguments.h"
#include "api/door.h"
#include "api/tensors/moving.h"
#include "comm/distribute_text.h"
#include "comm/native.h"
#include "tensor/value_storage.h"

#include <string.h>

/// The rows of the arrays that the ranks took, which stand in rank order.
static cairn_status set_rows(cairn_tensor *tensor)
{
    cairn_comm        *comm  = tensor->context->comm;
    const cairn_local *local = tensor->local;
    const int64_t      own   = local->box[0].lo;
    int64_t           *first = NULL, count;
    cairn_status status = CAIRN_NEW(comm->env, comm->size + 1, &tensor->rows.first);

    CAIRN_TRY(cairn_comm_agree(comm, status));
    CAIRN_TRY(cairn_comm_gather(comm, &own, 1, sizeof own, (void **)&first, &count));
    tensor->rows.size = comm->size;
    memcpy(tensor->rows.first, first, sizeof own * (size_t)comm->size);
    tensor->rows.first[comm->size] = local->shape.extent[0];
    cairn_free(comm->env, first);
    return CAIRN_OK;
}

/// Are rows at the places that an expression says? A partition of a graph is what it was.
static cairn_status same_places(const cairn_tensor *tensor, bool *same)
{
    const cairn_distribution *said  = &tensor->format->distribution;
    cairn_comm               *comm  = tensor->context->comm;
    const int64_t            *first = tensor->rows.first + comm->rank;
    cairn_renumbering        *want  = NULL;

    *same = true;
    if (said->kind != CAIRN_DISTRIBUTION_MAP) return CAIRN_OK;
    CAIRN_TRY(
        cairn_renumbering_by_text(comm, said, &tensor->local->shape, 1, NULL, &want));
    *same = memcmp(want->rows.first, tensor->rows.first,
                   ((size_t)comm->size + 1) * sizeof *first)
                == 0
            && memcmp(want->place, tensor->places->place,
                      (size_t)(first[1] - first[0]) * sizeof *first)
                   == 0;
    cairn_renumbering_destroy(comm->env, &want);
    return CAIRN_OK;
}

/// A file's rows lie as its text says, as far as the text tells. Those of one rank's file are
/// one rank's.
static cairn_status check_rows(const cairn_tensor *tensor)
{
    const cairn_format *format = tensor->format;
    cairn_comm         *comm   = tensor->context->comm;
    cairn_rows          rows   = {0};
    bool                cut, scattered, same = true;

    CAIRN_TRY(cairn_rows_by_text(comm, &format->distribution,
                                 tensor->local->shape.extent[0],
                                 cairn_format_grain(format), &rows, &cut, &scattered));
    if (cut)
        same = memcmp(rows.first, tensor->rows.first,
                      ((size_t)comm->size + 1) * sizeof *rows.first)
               == 0;
    cairn_rows_fini(comm->env, &rows);
    if (scattered != (tensor->places != NULL))
        same = false;
    else if (scattered)
        CAIRN_TRY(same_places(tensor, &same));
    return cairn_comm_agree(
        comm, same ? CAIRN_OK
                   : cairn_fail(comm->env, CAIRN_BAD_FILE,
                                "read: the file's rows are not those of its "
                                "distribution, @ %s",
                                format->print.whole_distribution
                                    ? format->print.whole_distribution
                                    : "nothing"));
}

/// Give the arrays that a rank took a handle.
static cairn_status wrap(cairn_context *context,
                         cairn_local   *local,
                         cairn_format  *format,
                         cairn_tensor **tensor)
{
    CAIRN_TRY(CAIRN_NEW_ZERO(&context->env, 1, tensor));
    cairn_tensor *t = *tensor;

    t->context = context;
    t->dtype   = local->value_bits == 32 ? CAIRN_F32 : CAIRN_F64;
    CAIRN_TRY(cairn_format_keep_texts(&context->env, format));
    for (int64_t p = 0; p < local->parts; p++)
        local->part[p].where.rank = context->comm->rank;
    return CAIRN_OK;
}

/// Take this rank's arrays back; @p tensor stays NULL if the file's ranks were others.
static cairn_status
take_arrays(cairn_context *context, cairn_native_file *file, cairn_tensor **tensor)
{
    cairn_comm   *comm   = context->comm;
    cairn_local  *local  = NULL;
    cairn_format *format = NULL;
    cairn_tensor *fresh  = NULL;
    cairn_status  status =
        cairn_comm_agree(comm, cairn_native_take_own(file, &local, &format));

    if (status == CAIRN_OK && local) status = wrap(context, local, format, &fresh);
    if (fresh) {
        fresh->local  = local;
        fresh->format = format;
    }
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK && local) status = set_rows(fresh);
    if (status == CAIRN_OK && local && file->fact[0].places)
        status = cairn_native_take_places(file, &format->distribution, &fresh->rows,
                                          &fresh->places);
    if (status == CAIRN_OK && local) status = check_rows(fresh);
    if (status == CAIRN_OK && fresh)
        *tensor = fresh;
    else if (fresh)
        cairn_tensor_destroy(&fresh);
    else {
        cairn_local_destroy(&local);
        cairn_format_destroy(&format);
    }
    return status;
}

/* ---- on other ranks ---- */

/// By way of coordinates: read the entries, and store them in the file's own format.
static cairn_status store_entries(cairn_context      *context,
                                  const char         *path,
                                  const cairn_format *format,
                                  cairn_dtype         dtype,
                                  cairn_tensor      **tensor)
{
    cairn_source *source = NULL;
    cairn_status  status = cairn_source_read(context, path, CAIRN_BY_NNZ, &source);

    if (status == CAIRN_OK) status = cairn_tensor_create(source, format, dtype, tensor);
    cairn_source_destroy(&source);
    return status;
}

/// A tensor of no rows, on a rank without any.
static cairn_status create_empty(cairn_context      *context,
                                 const cairn_shape  *shape,
                                 const cairn_format *format,
                                 int                 bits,
                                 cairn_local       **empty)
{
    cairn_entries none;
    cairn_build   build = {.format     = format,
                           .shape      = *shape,
                           .entries    = &none,
                           .rank       = context->comm->rank,
                           .value_bits = bits};

    cairn_entries_init(&none, shape->order);
    for (int k = 0; k < shape->order; k++)
        build.box[k] = (cairn_interval){0, k ? shape->extent[k] - 1 : -1};
    return cairn_local_build(&context->env, &build, empty);
}

/// The rows of a slice as a list, by this rank alone.
static cairn_status list_slice(cairn_context      *context,
                               const cairn_local  *slice,
                               const cairn_format *format,
                               cairn_local       **list)
{
    cairn_build_loader loader = {.seconds = 0};
    char               why[CAIRN_MESSAGE];
    cairn_build        build = {.format     = format,
                                .shape      = slice->shape,
                                .from       = slice,
                                .rank       = context->comm->rank,
                                .value_bits = slice->value_bits,
                                .held       = cairn_local_array_bytes(slice)
                                        + cairn_local_table_bytes(slice)};

    memcpy(build.box, slice->box, sizeof build.box);
    CAIRN_TRY(cairn_build_judge(&build));
    CAIRN_TRY(cairn_context_loader(context, &build, &loader, why));
    return cairn_local_build(&context->env, &build, list);
}

/// A file's rows on their way to other ranks.
typedef struct {
    cairn_context      *context;
    cairn_native_slices slices;
    cairn_shape         shape;
    cairn_format       *format; ///< The file's, of this context.
    cairn_format       *list;   ///< Of lists; NULL: the rows go as they lie.
    cairn_dtype         dtype;
    int64_t             made; ///< Lists, or the one tensor without rows.
    cairn_local       **own;  ///< [made]
} moving_file;

/// Where rows cannot go as they lie: a format for lists of them.
static cairn_status choose_list(moving_file *f, cairn_moving_way way)
{
    cairn_comm *comm    = f->context->comm;
    int64_t     entries = 0;

    if (way != CAIRN_MOVING_LISTS) return CAIRN_OK;
    for (int64_t k = 0; k < f->slices.count; k++)
        entries += cairn_local_nnz(f->slices.tensor[k]);
    CAIRN_TRY(comm->ops->allreduce(comm, &entries, 1, CAIRN_SUM));
    return cairn_create_list_format(f->context, &f->shape, entries, &f->list);
}

/// What is exchanged, where that is not the slices themselves.
static cairn_status make_own(moving_file *f)
{
    const int64_t count = f->slices.count;

    CAIRN_TRY(CAIRN_NEW_ZERO(&f->context->env, count + 1, &f->own));
    if (count == 0) {
        f->made = 1;
        return create_empty(f->context, &f->shape, f->list ? f->list : f->format,
                            f->dtype == CAIRN_F32 ? 32 : 64, &f->own[0]);
    }
    for (int64_t k = 0; k < count && f->list; k++) {
        f->made = k + 1;
        CAIRN_TRY(list_slice(f->context, f->slices.tensor[k], f->list, &f->own[k]));
        cairn_local_destroy(&f->slices.tensor[k]);
    }
    return CAIRN_OK;
}

static cairn_status store_rows(moving_file *f, cairn_tensor **tensor)
{
    cairn_comm               *comm = f->context->comm;
    const cairn_local *const *own =
        (const cairn_local *const *)(f->made > 0 ? f->own : f->slices.tensor);
    const int64_t count = f->made > 0 ? f->made : f->slices.count;
    int64_t       held  = 0;
    cairn_tensor *fresh = NULL;
    cairn_status  status;

    status = CAIRN_NEW_ZERO(comm->env, 1, &fresh);
    if (status == CAIRN_OK) {
        fresh->context = f->context;
        fresh->dtype   = f->dtype;
        status         = cairn_format_copy(f->context, f->format, &fresh->format);
    }
    CAIRN_GO(done, cairn_comm_agree(comm, status));
    for (int64_t k = 0; k < count; k++)
        held += cairn_local_array_bytes(own[k]);
    status = cairn_tensor_build_moving(own, (int)count, NULL, held, fresh);
done:
    if (status == CAIRN_OK) {
        cairn_tensor_own_arrays(fresh);
        *tensor = fresh;
    } else {
        cairn_tensor_destroy(&fresh);
    }
    return status;
}

static void release_moving(moving_file *f)
{
    cairn_env *env = &f->context->env;

    for (int64_t k = 0; k < f->made; k++)
        cairn_local_destroy(&f->own[k]);
    cairn_free(env, f->own);
    cairn_native_slices_fini(env, &f->slices);
    cairn_format_destroy(&f->list);
}

/// Give the rows of a file to these ranks. NO_KERNEL: by way of coordinates.
static cairn_status
store_slices(moving_file *f, const cairn_native_file *file, cairn_tensor **tensor)
{
    cairn_comm      *comm = f->context->comm;
    cairn_moving_way way;
    cairn_status     status;

    CAIRN_GO(done,
             cairn_native_take_slices(file, cairn_format_grain(f->format), &f->slices));
    status = CAIRN_NO_KERNEL;
    if (!f->slices.taken) goto done;
    CAIRN_GO(done, cairn_moving_way_choose(f->context,
                                           (const cairn_local *const *)f->slices.tensor,
                                           f->slices.count, &way));
    status = CAIRN_NO_KERNEL;
    if (way == CAIRN_MOVING_COORDINATES) goto done;
    CAIRN_GO(done, cairn_comm_agree(comm, choose_list(f, way)));
    CAIRN_GO(done, cairn_comm_agree(comm, make_own(f)));
    status = store_rows(f, tensor);
done:
    release_moving(f);
    return status;
}

/// Do rows lie by their places in a file, or go there?
static cairn_status
find_scattered(const moving_file *f, const cairn_native_file *file, bool *scattered)
{
    cairn_comm *comm = f->context->comm;
    cairn_rows  rows = {0};
    bool        cut;

    CAIRN_TRY(cairn_rows_by_text(comm, &f->format->distribution, f->shape.extent[0],
                                 cairn_format_grain(f->format), &rows, &cut,
                                 scattered));
    cairn_rows_fini(comm->env, &rows);
    *scattered = *scattered || file->fact[0].places;
    return CAIRN_OK;
}

/// Have @p text say `nnz` wherever it says the distribution @p said: behind the format, and
/// behind members.
static void say_nnz(char *text, const char *said)
{
    static const char nnz[] = "nnz";
    const size_t      was = strlen(said), is = sizeof nnz - 1;

    for (char *at = text; is <= was && (at = strstr(at, said)); at += is) {
        memcpy(at, nnz, is);
        memmove(at + is, at + was, strlen(at + was) + 1);
    }
}

/// The format of a file's text; blocks for another number of ranks become `nnz`, and are
/// logged.
static cairn_status create_its_format(cairn_context           *context,
                                      const cairn_native_file *file,
                                      cairn_format           **format)
{
    cairn_comm *comm = context->comm;
    char       *text = NULL;
    int         p, q;

    CAIRN_TRY(cairn_native_file_text(file, &text));
    cairn_status status = cairn_format_create(context, text, format);

    if (status == CAIRN_OK && (*format)->distribution.kind == CAIRN_DISTRIBUTION_BLOCKS
        && cairn_column_parts_count(comm->env, &(*format)->distribution, comm->size, &p,
                                    &q)
               != CAIRN_OK) {
        if (comm->rank == 0)
            cairn_log(comm->env,
                      "read: %s: its rows, @ %s, are not for %d ranks: by nnz",
                      file->path, (*format)->print.whole_distribution, comm->size);
        say_nnz(text, (*format)->print.whole_distribution);
        cairn_format_destroy(format);
        status = cairn_format_create(context, text, format);
    }
    cairn_free(comm->env, text);
    return cairn_comm_agree(comm, status);
}

/// Store the file's rows in its own format, as its text has them go to these ranks; else by
/// equal counts of entries.
static cairn_status
store_anew(cairn_context *context, const cairn_native_file *file, cairn_tensor **tensor)
{
    moving_file f = {.context = context, .shape = cairn_native_file_shape(file)};
    bool        scattered;

    f.dtype             = file->fact[0].value_bits == 32 ? CAIRN_F32 : CAIRN_F64;
    cairn_status status = create_its_format(context, file, &f.format);

    if (status == CAIRN_OK) status = find_scattered(&f, file, &scattered);
    if (status == CAIRN_OK)
        status = scattered ? CAIRN_NO_KERNEL : store_slices(&f, file, tensor);
    if (status == CAIRN_NO_KERNEL)
        status = store_entries(context, file->path, f.format, f.dtype, tensor);
    cairn_format_destroy(&f.format);
    return status;
}

/// Read a file that is known to be native.
static cairn_status
read_native(cairn_context *context, const char *path, cairn_tensor **tensor)
{
    cairn_comm       *comm  = context->comm;
    cairn_tensor     *fresh = NULL;
    cairn_native_file file;

    CAIRN_TRY(cairn_native_file_open(comm, path, &file));
    cairn_status status = take_arrays(context, &file, &fresh);

    const bool taken = status == CAIRN_OK && fresh; /* with the values as they are */

    if (status == CAIRN_OK && !taken) status = store_anew(context, &file, &fresh);
    cairn_native_file_close(&file);
    if (status == CAIRN_OK && !taken)
        status = cairn_comm_agree(comm, cairn_local_narrow(fresh->local));
    if (status == CAIRN_OK)
        *tensor = fresh;
    else
        cairn_tensor_destroy(&fresh);
    return status;
}

cairn_status
cairn_file_is_native(cairn_context *context, const char *path, bool *native)
{
    CAIRN_ENTER_TOGETHER(context, CAIRN_GIVEN(path), CAIRN_GIVEN(native));

    bool             found     = false;
    cairn_collective arguments = {0};
    cairn_status     status    = cairn_native_probe(&context->env, path, &found);

    /* Each rank may read a file of its own. */
    cairn_collective_text(&arguments, "read", found ? "a .cairn file" : "another file");
    CAIRN_TRY(cairn_comm_agree_on(context->comm, status, &arguments));
    *native = found;
    return CAIRN_OK;
}

cairn_status
cairn_tensor_read(cairn_context *context, const char *path, cairn_tensor **tensor)
{
    CAIRN_ENTER_TOGETHER(context, CAIRN_GIVEN(path), CAIRN_GIVEN(tensor));

    cairn_comm   *comm   = context->comm;
    const double  begin  = cairn_seconds();
    cairn_tensor *fresh  = NULL;
    bool          native = false;

    CAIRN_TRY(cairn_file_is_native(context, path, &native));
    CAIRN_TRY(cairn_comm_agree(
        comm, native ? CAIRN_OK
                     : cairn_fail(comm->env, CAIRN_BAD_FILE,
                                  "read: %s: it is no .cairn file", path)));
    CAIRN_TRY(read_native(context, path, &fresh));
    fresh->local->narrows = true;
    fresh->seconds        = cairn_seconds() - begin;
    *tensor               = fresh;
    return CAIRN_OK;
}
