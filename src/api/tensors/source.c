// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sources: reading, generating, dividing.

#include "api/collective_arguments.h"
#include "api/door.h"
#include "comm/archive.h"
#include "comm/native.h"
#include "comm/petsc_file.h"
#include "comm/read.h"
#include "comm/write.h"
#include "convert/given_arrays.h"
#include "io/archive/hdf5.h"
#include "io/archive/npz.h"
#include "io/generate/generate.h"
#include "io/petsc/io_petsc.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

cairn_status
cairn_source_create(cairn_context *context, int order, cairn_source **source)
{
    CAIRN_TRY(CAIRN_NEW_ZERO(&context->env, 1, source));
    (*source)->context = context;
    cairn_entries_init(&(*source)->entries, order);
    strcpy((*source)->field, "real");
    strcpy((*source)->symmetry, "general");
    return CAIRN_OK;
}

void cairn_source_destroy(cairn_source **source)
{
    if (!source || !*source) return;
    cairn_env *env = &(*source)->context->env;

    if ((*source)->unsorted) cairn_bucketed_fini(env, &(*source)->unsorted->bucketed);
    cairn_free(env, (*source)->unsorted);
    cairn_entries_fini(env, &(*source)->entries);
    cairn_rows_fini(env, &(*source)->rows);
    cairn_free(env, (*source)->distribution);
    cairn_free(env, *source);
    *source = NULL;
}

cairn_status cairn_source_sort(const cairn_source *source)
{
    cairn_env      *env = &source->context->env;
    cairn_unsorted *u   = source->unsorted;

    if (!u || u->bucketed.n == 0) return CAIRN_OK;
    CAIRN_TRY(cairn_entries_take_bucketed(env, &u->bucketed, u->entries));
    cairn_bucketed_fini(env, &u->bucketed);
    return CAIRN_OK;
}

cairn_status cairn_source_settle(cairn_source *source, cairn_division division)
{
    cairn_comm *comm = source->context->comm;

    source->division = division;
    CAIRN_TRY(cairn_source_divide(source, NULL, NULL));
    return cairn_comm_agree(comm, cairn_entries_sort(comm->env, &source->entries));
}

/// What a format's text says of how rows go to ranks. Local.
static cairn_status
find_distribution(cairn_context *context, const char *text, char **distribution)
{
    cairn_format *format = NULL;

    CAIRN_TRY(cairn_format_create(context, text, &format));
    const cairn_distribution *said   = &format->distribution;
    cairn_status              status = CAIRN_OK;

    if (said->kind != CAIRN_DISTRIBUTION_UNSAID)
        status = cairn_distribution_print(&context->env, said, distribution);
    cairn_format_destroy(&format);
    return status;
}

static cairn_status read_native(cairn_source *source, const char *path)
{
    cairn_context *context = source->context;
    char          *text    = NULL;

    cairn_entries_fini(&context->env, &source->entries);
    CAIRN_TRY(cairn_native_read_file(context->comm, path, &source->shape,
                                     &source->entries, &text));
    const cairn_status status = find_distribution(context, text, &source->distribution);

    cairn_free(&context->env, text);
    strcpy(source->field, "f64");
    return cairn_comm_agree(context->comm, status);
}

/// Index arithmetic keeps two bits of room.
static cairn_status
check_extents(cairn_env *env, const char *path, const cairn_shape *shape)
{
    for (int k = 0; k < shape->order; k++)
        CAIRN_CHECK(shape->extent[k] < INT64_MAX / 4, env, CAIRN_UNSUPPORTED,
                    "read: %s: an extent of %" PRId64
                    ", above 2^61 - 2: not in this version",
                    path, shape->extent[k]);
    return CAIRN_OK;
}

typedef cairn_status
read_fn(cairn_comm *comm, const char *path, cairn_text_file *source);

/// Kinds of files that their first bytes tell, which are not lines of text.
static const struct {
    cairn_status (*probe)(cairn_env *env, const char *path, bool *is);
    read_fn *read;
} binary_kinds[] = {
    {cairn_npz_probe,   cairn_npz_read_file  },
    {cairn_hdf5_probe,  cairn_hdf5_read_file },
    {cairn_petsc_probe, cairn_petsc_read_file},
};

enum { BINARY_KINDS = sizeof binary_kinds / sizeof *binary_kinds };

/// The same on every rank; ranks that see another file fail while reading.
static cairn_status find_reader(cairn_comm *comm, const char *path, read_fn **read)
{
    cairn_status status = CAIRN_OK;
    int64_t      kind   = -1;

    for (int k = 0; k < BINARY_KINDS && kind < 0 && status == CAIRN_OK; k++) {
        bool is = false;

        status = binary_kinds[k].probe(comm->env, path, &is);
        if (is) kind = k;
    }
    CAIRN_TRY(cairn_comm_agree(comm, status));
    if (comm->size > 1) CAIRN_TRY(comm->ops->allreduce(comm, &kind, 1, CAIRN_MAX));
    *read = kind < 0 ? cairn_read_text : binary_kinds[kind].read;
    return CAIRN_OK;
}

static cairn_status read_any(cairn_source *source, const char *path)
{
    cairn_comm     *comm   = source->context->comm;
    bool            native = false;
    cairn_text_file file;
    read_fn        *read;

    CAIRN_TRY(cairn_file_is_native(source->context, path, &native));
    if (native) return read_native(source, path);
    CAIRN_TRY(find_reader(comm, path, &read));
    CAIRN_TRY(read(comm, path, &file));
    source->shape   = file.shape;
    source->entries = file.entries;
    strcpy(source->field, file.field);
    strcpy(source->symmetry, file.symmetry);
    return check_extents(comm->env, path, &source->shape);
}

cairn_status cairn_source_read(cairn_context *context,
                               const char    *path,
                               cairn_division division,
                               cairn_source **source)
{
    CAIRN_ENTER_TOGETHER(context, CAIRN_GIVEN(path),
                         CAIRN_ONE_OF(division, CAIRN_BY_ROWS), CAIRN_GIVEN(source));
    cairn_doing(&context->env, "reading %s", path);

    const double     begin     = cairn_seconds();
    cairn_source    *fresh     = NULL;
    cairn_collective arguments = {0};

    cairn_collective_division(&arguments, division);
    cairn_status status = cairn_comm_agree_on(
        context->comm, cairn_source_create(context, 2, &fresh), &arguments);

    if (status == CAIRN_OK) status = read_any(fresh, path);
    if (status == CAIRN_OK) status = cairn_source_settle(fresh, division);
    if (status == CAIRN_OK) {
        fresh->seconds = cairn_seconds() - begin;
        fresh->narrows = true;
        *source        = fresh;
    } else {
        cairn_source_destroy(&fresh);
    }
    return status;
}

/// Fill a source that is one rank's from a caller's arrays: sorted, or in buckets.
static cairn_status take_here(cairn_source *source, const cairn_given *given)
{
    cairn_env *env = &source->context->env;

    if (!cairn_given_may_stay_bucketed(env, given))
        return cairn_entries_take(env, given, &source->entries);
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &source->unsorted));
    source->unsorted->entries = &source->entries;
    return cairn_entries_take_or_partition(env, given, &source->entries,
                                           &source->unsorted->bucketed);
}

/// On one rank the entries are sorted as they are taken, or later; else they move to their
/// owners first.
static cairn_status take_coords(cairn_source  *source,
                                int64_t        nnz,
                                const int64_t *coord,
                                const double  *value)
{
    cairn_comm *comm  = source->context->comm;
    cairn_given given = {.order      = source->shape.order,
                         .n          = nnz,
                         .stride     = source->shape.order * (int64_t)sizeof *coord,
                         .bits       = 64,
                         .value      = value,
                         .apart      = sizeof *value,
                         .value_bits = 64,
                         .extent     = source->shape.extent};

    for (int k = 0; k < given.order && nnz > 0; k++)
        given.coord[k] = coord + k;
    return comm->size > 1 ? cairn_entries_copy(comm->env, &given, &source->entries)
                          : take_here(source, &given);
}

static cairn_status settle_coords(cairn_source *source, cairn_division division)
{
    if (source->context->comm->size > 1) return cairn_source_settle(source, division);
    source->division = division;
    return cairn_source_divide(source, NULL, NULL);
}

static cairn_status set_shape(cairn_source *source, int order, const int64_t *extent)
{
    source->shape.order = order;
    for (int k = 0; k < order; k++) {
        CAIRN_CHECK(extent[k] >= 0 && extent[k] < INT64_MAX / 4, &source->context->env,
                    CAIRN_BAD_SHAPE, "coordinates: extent %d is %" PRId64, k,
                    extent[k]);
        source->shape.extent[k] = extent[k];
    }
    return CAIRN_OK;
}

static cairn_status check_given(cairn_context *context, int order, int64_t nnz)
{
    CAIRN_CHECK(order >= 1 && order <= CAIRN_MAX_ORDER, &context->env, CAIRN_BAD_SHAPE,
                "coordinates: order %d: it is not in 1..%d", order, CAIRN_MAX_ORDER);
    CAIRN_CHECK(nnz >= 0, &context->env, CAIRN_BAD_ARGUMENT,
                "coordinates: nnz: %" PRId64 " is negative", nnz);
    CAIRN_CHECK(nnz <= PTRDIFF_MAX / ((int64_t)sizeof(int64_t) * order), &context->env,
                CAIRN_BAD_ARGUMENT,
                "coordinates: nnz: %" PRId64 ": no memory holds as many", nnz);
    return CAIRN_OK;
}

cairn_status cairn_source_from_coords(cairn_context *context,
                                      int            order,
                                      const int64_t *extent,
                                      int64_t        nnz,
                                      const int64_t *coord,
                                      const double  *value,
                                      cairn_division division,
                                      cairn_source **source)
{
    CAIRN_ENTER_TOGETHER(context, CAIRN_GIVEN(extent),
                         CAIRN_ONE_OF(division, CAIRN_BY_ROWS), CAIRN_GIVEN(source));
    if (nnz > 0) CAIRN_ENTER_TOGETHER(context, CAIRN_GIVEN(coord));
    cairn_doing(&context->env, "taking coordinates");

    cairn_source    *fresh     = NULL;
    cairn_collective arguments = {0};
    cairn_status     status    = check_given(context, order, nnz);

    if (status == CAIRN_OK) status = cairn_source_create(context, order, &fresh);

    if (status == CAIRN_OK) status = set_shape(fresh, order, extent);
    if (status == CAIRN_OK) cairn_collective_extents(&arguments, order, extent);
    cairn_collective_division(&arguments, division);
    if (status == CAIRN_OK) status = take_coords(fresh, nnz, coord, value);
    status = cairn_comm_agree_on(context->comm, status, &arguments);
    if (status == CAIRN_OK) status = settle_coords(fresh, division);
    if (status == CAIRN_OK)
        *source = fresh;
    else
        cairn_source_destroy(&fresh);
    return status;
}

/// Everything but the offsets.
static void copy_parameters(const cairn_problem *from, cairn_generator *to)
{
    to->seed    = from->seed;
    to->nx      = from->nx;
    to->ny      = from->ny;
    to->nz      = from->nz;
    to->n       = from->n;
    to->degree  = from->degree;
    to->scale   = from->scale;
    to->edges   = from->edges;
    to->rows    = from->rows;
    to->cols    = from->cols;
    to->density = from->density;
}

/// Every rank makes its own equal share of the rows; dividing comes after.
static cairn_status
generate(cairn_source *source, const char *kind, const cairn_problem *problem)
{
    cairn_env        *env  = &source->context->env;
    const cairn_comm *comm = source->context->comm;
    cairn_generator   generator;

    CAIRN_TRY(cairn_generator_init(env, kind, &generator));
    copy_parameters(problem, &generator);
    if (problem->offsets)
        CAIRN_TRY(cairn_generator_set_offsets(env, problem->offsets,
                                              problem->offset_count, &generator));
    CAIRN_TRY(cairn_generator_shape(env, &generator, &source->shape));
    const cairn_coord m     = source->shape.extent[0];
    const cairn_coord first = (cairn_coord)((__int128)m * comm->rank / comm->size);
    const cairn_coord last = (cairn_coord)((__int128)m * (comm->rank + 1) / comm->size);

    return cairn_generator_run(env, &generator, first, last, &source->entries);
}

cairn_status cairn_source_generate(cairn_context       *context,
                                   const char          *kind,
                                   const cairn_problem *problem,
                                   cairn_source       **source)
{
    CAIRN_ENTER_TOGETHER(context, CAIRN_GIVEN(kind), CAIRN_GIVEN(problem),
                         CAIRN_SIZED(problem, cairn_problem), CAIRN_GIVEN(source));
    cairn_problem own = CAIRN_PROBLEM;

    CAIRN_READ(problem, own);
    CAIRN_ENTER_TOGETHER(context, CAIRN_WITHIN(problem->offset_count, 0,
                                               problem->offsets ? INT_MAX : 0));
    cairn_doing(&context->env, "generating a matrix");

    cairn_source    *fresh     = NULL;
    cairn_collective arguments = {0};
    cairn_status     status    = cairn_source_create(context, 2, &fresh);

    if (status == CAIRN_OK) status = generate(fresh, kind, problem);
    if (status == CAIRN_OK) cairn_collective_problem(&arguments, kind, problem);
    status = cairn_comm_agree_on(context->comm, status, &arguments);
    if (status == CAIRN_OK) status = cairn_source_settle(fresh, CAIRN_BY_NNZ);
    if (status == CAIRN_OK)
        *source = fresh;
    else
        cairn_source_destroy(&fresh);
    return status;
}

const char *cairn_problem_name(int k)
{
    int                        count;
    const cairn_generator_row *rows = cairn_generator_rows(&count);

    return k >= 0 && k < count ? rows[k].name : NULL;
}

const char *cairn_problem_help(int k)
{
    int                        count;
    const cairn_generator_row *rows = cairn_generator_rows(&count);

    return k >= 0 && k < count ? rows[k].summary : NULL;
}

cairn_status cairn_source_write(const cairn_source *source, const char *path)
{
    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(source), CAIRN_GIVEN(path));

    CAIRN_TRY(cairn_comm_agree(source->context->comm, cairn_source_sort(source)));
    return cairn_write_entries(source->context->comm, path, &source->shape,
                               &source->entries);
}
