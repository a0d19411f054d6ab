// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Tensors: storing a source, writing, listing parts.

#include "api/collective_arguments.h"
#include "api/door.h"
#include "base/file.h"
#include "comm/move_entries.h"
#include "comm/native.h"
#include "comm/write.h"
#include "convert/kept.h"
#include "convert/refill/refill_pattern.h"
#include "io/archive/archive_tensor.h"
#include "tensor/value_storage.h"
#include "tensor/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int value_bits(cairn_dtype dtype)
{
    return dtype == CAIRN_F32 ? 32 : 64;
}

cairn_status cairn_tensor_build(cairn_tensor        *tensor,
                                const cairn_shape   *shape,
                                const cairn_entries *entries,
                                cairn_bucketed      *bucketed)
{
    cairn_comm           *comm  = tensor->context->comm;
    const cairn_query_net net   = cairn_net_of(comm);
    cairn_build           build = {.format     = tensor->format,
                                   .shape      = *shape,
                                   .entries    = entries,
                                   .bucketed   = bucketed,
                                   .net        = comm->size > 1 ? &net : NULL,
                                   .rank       = comm->rank,
                                   .value_bits = value_bits(tensor->dtype)};

    for (int k = 0; k < shape->order; k++)
        build.box[k] = (cairn_interval){0, shape->extent[k] - 1};
    build.box[0] = (cairn_interval){tensor->rows.first[comm->rank],
                                    tensor->rows.first[comm->rank + 1] - 1};
    tensor->held += bucketed ? bucketed->room * (int64_t)sizeof(cairn_item)
                             : entries->n * cairn_entry_bytes(shape->order);
    if (tensor->places && tensor->places->parts)
        build.ranks.member_rows = tensor->places->parts->place;
    build.held            = tensor->held;
    tensor->how.log.tasks = 0; /* of an attempt from buckets */
    return cairn_context_build(tensor->context, &build, tensor);
}

/// From buckets; where entries are there twice they are added up first.
static cairn_status
build_bucketed(cairn_source *source, int64_t held, cairn_tensor *tensor)
{
    cairn_bucketed *const its    = &source->unsorted->bucketed;
    cairn_entries         number = {.order = source->shape.order, .n = its->n};
    cairn_status          status = CAIRN_NO_KERNEL;

    tensor->held = held;
    if (!its->repeats)
        status = cairn_tensor_build(tensor, &source->shape, &number, its);
    if (status != CAIRN_NO_KERNEL || !its->repeats) return status;
    CAIRN_TRY(cairn_bucketed_combine(&source->context->env, its));
    number.n     = its->n;
    tensor->held = held;
    return cairn_tensor_build(tensor, &source->shape, &number, its);
}

/// From buckets, if the source has any and the format can be filled from there; else from
/// sorted entries.
static cairn_status build_from(cairn_source *source, int64_t held, cairn_tensor *tensor)
{
    if (source->unsorted && source->unsorted->bucketed.n > 0) {
        const cairn_status status = build_bucketed(source, held, tensor);

        if (status != CAIRN_NO_KERNEL) return status;
        CAIRN_TRY(cairn_source_sort(source));
    }
    tensor->held = held;
    return cairn_tensor_build(tensor, &source->shape, &source->entries, NULL);
}

cairn_status cairn_tensor_prepare_from(const cairn_source *source,
                                       const cairn_format *format,
                                       cairn_dtype         dtype,
                                       cairn_tensor      **tensor)
{
    cairn_context *context = source->context;
    cairn_env     *env     = &context->env;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, tensor));
    (*tensor)->context = context;
    (*tensor)->dtype   = dtype;
    CAIRN_TRY(cairn_format_copy(context, format, &(*tensor)->format));
    return cairn_rows_copy(env, &source->rows, &(*tensor)->rows);
}

cairn_status
cairn_check_order(cairn_env *env, const cairn_format *format, const cairn_shape *shape)
{
    CAIRN_CHECK(
        format->order == shape->order, env, CAIRN_BAD_SHAPE,
        "format: order: it stores tensors of order %d, but this one has order %d",
        format->order, shape->order);
    return CAIRN_OK;
}

cairn_status cairn_tensor_create_beside(cairn_source       *source,
                                        const cairn_format *format,
                                        cairn_dtype         dtype,
                                        int64_t             held,
                                        cairn_tensor      **tensor)
{
    cairn_comm      *comm      = source->context->comm;
    cairn_collective arguments = {0};
    bool             scattered;

    const cairn_distribution whole = cairn_source_said(source, format);

    cairn_collective_format(&arguments,
                            format); /* perhaps of a file that is a node's own */
    cairn_collective_dtype(&arguments, dtype);
    CAIRN_TRY(cairn_comm_agree_on(
        comm, cairn_check_order(comm->env, format, &source->shape), &arguments));
    if (cairn_format_has_elsewhere(comm, format, &whole))
        return cairn_tensor_create_elsewhere(source, format, dtype, held, tensor);
    CAIRN_TRY(cairn_source_divide(source, format, &scattered));
    if (scattered)
        return cairn_tensor_create_scattered(source, format, dtype, held, tensor);
    return cairn_tensor_create_divided(source, format, dtype, held, tensor);
}

cairn_status cairn_tensor_create_divided(cairn_source       *source,
                                         const cairn_format *format,
                                         cairn_dtype         dtype,
                                         int64_t             held,
                                         cairn_tensor      **tensor)
{
    cairn_comm   *comm   = source->context->comm;
    const double  begin  = cairn_seconds();
    cairn_tensor *fresh  = NULL;
    cairn_status  status = cairn_comm_agree(
         comm, cairn_tensor_prepare_from(source, format, dtype, &fresh));

    if (status == CAIRN_OK) status = build_from(source, held, fresh);
    if (status == CAIRN_OK) {
        fresh->seconds = cairn_seconds() - begin;
        *tensor        = fresh;
    } else {
        cairn_tensor_destroy(&fresh);
    }
    return status;
}

bool cairn_many_products(const cairn_context *context, int64_t replays)
{
    return (replays > 0 ? replays : context->env.options.replays)
           >= CAIRN_MANY_PRODUCTS;
}

cairn_status cairn_tensor_narrow_for_many(cairn_tensor *tensor, int64_t replays)
{
    return tensor->format->life.narrows || cairn_many_products(tensor->context, replays)
               ? cairn_local_narrow(tensor->local)
               : CAIRN_OK;
}

cairn_status cairn_tensor_create_with(cairn_source              *source,
                                      const cairn_format        *format,
                                      cairn_dtype                dtype,
                                      const cairn_store_options *options,
                                      cairn_tensor             **tensor)
{
    cairn_store_options own = CAIRN_STORE_OPTIONS;

    CAIRN_ENTER_TOGETHER(
        source ? source->context : cairn_format_context(format), CAIRN_GIVEN(source),
        CAIRN_GIVEN(format), CAIRN_ONE_OF(dtype, CAIRN_F32),
        CAIRN_SIZED(options, cairn_store_options), CAIRN_GIVEN(tensor));
    CAIRN_READ(options, own);
    CAIRN_ENTER_TOGETHER(source->context, CAIRN_WITHIN(options->replays, 0, INT64_MAX));
    cairn_doing(&source->context->env, "storing a matrix");

    const double  begin = cairn_seconds();
    cairn_tensor *fresh;

    CAIRN_TRY(cairn_tensor_create_beside(source, format, dtype, 0, &fresh));
    cairn_kept_add(NULL, fresh->local, fresh->how.path);
    const cairn_status status = cairn_comm_agree(
        source->context->comm,
        source->narrows ? cairn_local_narrow(fresh->local)
                        : cairn_tensor_narrow_for_many(fresh, options->replays));

    fresh->seconds = cairn_seconds() - begin;
    if (status == CAIRN_OK)
        *tensor = fresh;
    else
        cairn_tensor_destroy(&fresh);
    return status;
}

cairn_status cairn_tensor_create(cairn_source       *source,
                                 const cairn_format *format,
                                 cairn_dtype         dtype,
                                 cairn_tensor      **tensor)
{
    CAIRN_ENTER_TOGETHER(source ? source->context : cairn_format_context(format),
                         CAIRN_GIVEN(source), CAIRN_GIVEN(format),
                         CAIRN_ONE_OF(dtype, CAIRN_F32), CAIRN_GIVEN(tensor));
    return cairn_tensor_create_with(source, format, dtype, NULL, tensor);
}

/// Has a bank before part @p p the same dictionary, not a copy of it?
static bool is_given_back(const cairn_local *local, int64_t p, const cairn_array *array)
{
    const cairn_part *part = &local->part[p];

    for (int64_t b = 1;
         array->kind == CAIRN_ARRAY_DICTIONARY && b <= part->where.bank && b <= p; b++)
        if (part[-b].view.dictionary == array->data) return true;
    return false;
}

/// Give back what was taken over.
static void release_arrays(const cairn_tensor *t)
{
    for (int64_t p = 0; t->release.array && p < t->local->parts; p++) {
        cairn_array array[CAIRN_MAX_ARRAYS];
        const int   arrays = cairn_part_arrays(&t->local->part[p], array);

        for (int a = 0; a < arrays; a++)
            if (array[a].data && !is_given_back(t->local, p, &array[a]))
                t->release.array(t->release.user, array[a].data);
    }
}

void cairn_tensor_destroy(cairn_tensor **tensor)
{
    if (!tensor || !*tensor) return;
    cairn_tensor *t = *tensor;

    if (cairn_tensor_check_views(t, "destroy") != CAIRN_OK) return;
    cairn_env *env = &t->context->env;

    release_arrays(t);
    cairn_local_destroy(&t->local); /* before the format, whose encodings it uses */
    cairn_format_destroy(&t->format);
    cairn_rows_fini(env, &t->rows);
    cairn_renumbering_destroy(env, &t->places);
    cairn_path_destroy(&t->how.path);
    cairn_refill_destroy(env, &t->refill);
    cairn_free(env, t);
    *tensor = NULL;
}

const cairn_format *cairn_tensor_format(const cairn_tensor *tensor)
{
    return tensor ? tensor->format : NULL;
}

int cairn_tensor_shape(const cairn_tensor *tensor, int64_t *extent)
{
    const cairn_shape shape =
        tensor ? cairn_tensor_users_shape(tensor) : (cairn_shape){.order = 0};

    for (int k = 0; extent && k < CAIRN_ORDER; k++)
        extent[k] = k < shape.order ? shape.extent[k] : 0;
    return shape.order;
}

void cairn_tensor_rows(const cairn_tensor *tensor, int64_t *first, int64_t *end)
{
    const int64_t *own =
        tensor ? cairn_tensor_users_rows(tensor)->first + tensor->context->comm->rank
               : NULL;

    if (first) *first = own ? own[0] : 0;
    if (end) *end = own ? own[1] : 0;
}

double cairn_tensor_seconds(const cairn_tensor *tensor)
{
    return tensor ? tensor->seconds : 0;
}

static int64_t part_bytes(const cairn_part *part)
{
    cairn_array array[CAIRN_MAX_ARRAYS];
    const int   arrays = cairn_part_own_arrays(part, array);
    int64_t     bytes  = 0;

    for (int a = 0; a < arrays; a++)
        bytes += array[a].bytes;
    return bytes;
}

/// Of a group that is one part; no other has any.
static int64_t taken_bytes(const cairn_local *local, int64_t p)
{
    int g = 0;

    while (p >= local->group[g].first + local->group[g].count)
        g++;
    return local->group[g].shared;
}

static void describe_part(const cairn_tensor *tensor, int64_t p, cairn_part_info *info)
{
    const cairn_part *part = &tensor->local->part[p];

    *info =
        (cairn_part_info){.member = part->where.member,
                          .rank   = tensor->context->comm->rank,
                          .share  = part->where.share,
                          .bank  = part->layout->partition >= 0 ? part->where.bank : -1,
                          .nnz   = part->nnz,
                          .bytes = part_bytes(part),
                          .local = p,
                          .values = part->view.values,
                          .shared = taken_bytes(tensor->local, p),
                          .given  = part->given};
    snprintf(info->stored, sizeof info->stored, "%s",
             cairn_value_storage_name((cairn_value_kind)part->view.val_kind,
                                      part->view.val_bits));
}

static int by_where(const void *a, const void *b)
{
    const cairn_part_info *x = a, *y = b;

    if (x->member != y->member) return x->member < y->member ? -1 : 1;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    if (x->share != y->share) return x->share < y->share ? -1 : 1;
    return (x->bank > y->bank) - (x->bank < y->bank);
}

/// Every rank's parts for every rank; only this rank's have a local number.
static cairn_status gather_parts(const cairn_tensor    *tensor,
                                 const cairn_part_info *own,
                                 cairn_part_info      **all,
                                 int64_t               *count)
{
    cairn_comm *comm = tensor->context->comm;

    CAIRN_TRY(cairn_comm_gather(comm, own, tensor->local->parts, sizeof *own,
                                (void **)all, count));
    for (int64_t p = 0; p < *count; p++)
        if ((*all)[p].rank != comm->rank) (*all)[p].local = -1;
    qsort(*all, (size_t)*count, sizeof **all, by_where);
    return CAIRN_OK;
}

cairn_status cairn_tensor_parts_sized(const cairn_tensor *tensor,
                                      size_t              size,
                                      int64_t            *count,
                                      cairn_part_info   **parts)
{
    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(tensor), CAIRN_ELEMENT(size),
                         CAIRN_GIVEN(count), CAIRN_GIVEN(parts));

    cairn_comm      *comm = tensor->context->comm;
    cairn_part_info *own = NULL, *all = NULL;
    int64_t          n      = 0;
    cairn_status     status = CAIRN_NEW(comm->env, tensor->local->parts, &own);

    status = cairn_comm_agree(comm, status);
    for (int64_t p = 0; p < tensor->local->parts && status == CAIRN_OK; p++)
        describe_part(tensor, p, &own[p]);
    if (status == CAIRN_OK) status = gather_parts(tensor, own, &all, &n);
    if (status == CAIRN_OK)
        status = cairn_list_fit(comm, size, sizeof *all, n, (void **)&all);
    cairn_free(comm->env, own);
    if (status != CAIRN_OK) return status;
    *count = n;
    *parts = all;
    return status;
}

void cairn_parts_free(const cairn_tensor *tensor, cairn_part_info **parts)
{
    if (!tensor || !parts) return;
    cairn_free(&tensor->context->env, *parts);
    *parts = NULL;
}

static bool ends_with(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);

    return n >= m && strcmp(path + n - m, ending) == 0;
}

/// Where a layout pads, a stored zero looks like padding and is not walked: bring those
/// of the source back. A zero that another member did keep is there twice then, and
/// sorting makes it one.
static cairn_status add_zeros(const cairn_source *source, cairn_entries *entries)
{
    const cairn_entries *e = &source->entries;

    for (cairn_pos k = 0; k < e->n; k++) {
        cairn_coord d[CAIRN_MAX_ORDER];

        if (e->value[k] != 0) continue;
        for (int m = 0; m < e->order; m++)
            d[m] = e->coord[m][k];
        CAIRN_TRY(cairn_entries_add(&source->context->env, entries, d, e->value[k]));
    }
    return CAIRN_OK;
}

/// Walk the arrays and write what they hold as text.
static cairn_status
write_text(const cairn_tensor *tensor, const cairn_source *source, const char *path)
{
    cairn_comm       *comm  = tensor->context->comm;
    cairn_env        *env   = comm->env;
    const cairn_shape shape = cairn_tensor_users_shape(tensor);
    cairn_entries     entries;

    cairn_collective arguments = {0};

    cairn_collective_text(&arguments, "file", path);
    cairn_entries_init(&entries, tensor->local->shape.order);
    cairn_status status = cairn_comm_agree_on(
        comm, cairn_local_entries(tensor->local, &entries), &arguments);

    CAIRN_GO(done, status); /* on all ranks; one that writes another kind has left */
    if (tensor->places) {
        status = cairn_renumbering_undo(comm, tensor->places, &entries);
        if (status == CAIRN_OK)
            status = cairn_entries_to_owners(comm, cairn_tensor_users_rows(tensor),
                                             &entries, NULL);
    }
    if (status == CAIRN_OK && source) status = cairn_source_sort(source);
    if (status == CAIRN_OK && source) status = add_zeros(source, &entries);
    if (status == CAIRN_OK) status = cairn_entries_sort(env, &entries);
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK) status = cairn_write_entries(comm, path, &shape, &entries);
done:
    cairn_entries_fini(env, &entries);
    return status;
}

/// An archive has one set of arrays, and one rank writes it.
static cairn_status
write_archive(const cairn_tensor *tensor, const char *path, int64_t *bytes)
{
    CAIRN_CHECK(tensor->context->comm->size == 1, &tensor->context->env,
                CAIRN_UNSUPPORTED,
                "write: %s: an archive of several ranks: not in this version: write it "
                "on one, or a .cairn file",
                path);
    CAIRN_TRY(cairn_check_own_order(tensor, "write"));
    return ends_with(path, ".npz")
               ? cairn_npz_write_tensor(tensor->local, path, bytes)
               : cairn_hdf5_write_tensor(tensor->local, path, bytes);
}

cairn_status
cairn_tensor_write(const cairn_tensor *tensor, const char *path, int64_t *bytes)
{
    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(path));

    int64_t length = 0;

    if (cairn_is_entries_file(path)) {
        CAIRN_TRY(write_text(tensor, NULL, path));
        CAIRN_TRY(
            cairn_comm_agree(tensor->context->comm,
                             cairn_file_length(&tensor->context->env, path, &length)));
    } else if (ends_with(path, ".npz") || ends_with(path, ".h5")
               || ends_with(path, ".hdf5")) {
        CAIRN_TRY(cairn_comm_agree(tensor->context->comm,
                                   write_archive(tensor, path, &length)));
    } else {
        CAIRN_TRY(cairn_native_write_file(tensor->context->comm, path, tensor->local,
                                          tensor->places, tensor->format->print.whole,
                                          &length));
    }
    if (bytes) *bytes = length;
    return CAIRN_OK;
}

cairn_status cairn_tensor_write_text(const cairn_tensor *tensor,
                                     const cairn_source *source,
                                     const char         *path,
                                     int64_t            *bytes)
{
    CAIRN_ENTER_TOGETHER(tensor ? tensor->context : CAIRN_CONTEXT_OF(source),
                         CAIRN_GIVEN(tensor), CAIRN_GIVEN(source), CAIRN_GIVEN(path));
    cairn_doing(&tensor->context->env, "writing %s", path);

    int64_t length;

    CAIRN_CHECK(source->rows.size == tensor->rows.size, &tensor->context->env,
                CAIRN_BAD_ARGUMENT, "write: %s: the source is of another context",
                path);
    CAIRN_TRY(write_text(tensor, source, path));
    CAIRN_TRY(
        cairn_comm_agree(tensor->context->comm,
                         cairn_file_length(&tensor->context->env, path, &length)));
    if (bytes) *bytes = length;
    return CAIRN_OK;
}
