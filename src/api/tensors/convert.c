// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Tensors to tensors: converting, taking arrays back from a file, entries again.

#include "api/collective_arguments.h"
#include "api/door.h"
#include "api/tensors/moving.h"
#include "comm/distribute_text.h"
#include "convert/build_plan.h"
#include "convert/kept.h"
#include "tensor/value_storage.h"
#include "tensor/walk.h"

#include <inttypes.h>
#include <string.h>

/* ---- paths ---- */

/// A format must have arrays to come from and to lead to.
static cairn_status check_storage(cairn_env *env, const cairn_format *format)
{
    for (int m = 0; m < format->members; m++) {
        cairn_layout *layout = NULL;

        CAIRN_TRY(
            cairn_layout_create(env, format->member[m], NULL, NULL, NULL, 64, &layout));
        cairn_layout_destroy(env, &layout);
    }
    return CAIRN_OK;
}

/// Extents that there can be. @param extent  NULL: they are not known.
static cairn_status check_extents(cairn_env *env, int order, const int64_t *extent)
{
    for (int k = 0; extent && k < order; k++)
        CAIRN_CHECK(extent[k] >= 0 && extent[k] < INT64_MAX / 4, env, CAIRN_BAD_SHAPE,
                    "cairn_path_create: extent: number %d is %" PRId64, k, extent[k]);
    return CAIRN_OK;
}

/// What would be done with entries, if that can be planned: formats whose arrays are too
/// large for so many entries and extents have a path all the same.
static cairn_status plan_program(cairn_context      *context,
                                 const cairn_format *from,
                                 const cairn_format *to,
                                 const int64_t      *extent,
                                 cairn_path         *path)
{
    const cairn_status status =
        cairn_build_plan(&context->env, from, to, extent, NULL, &path->program);

    path->rates = cairn_context_rates(context, NULL);
    if (status == CAIRN_OK || status == CAIRN_BAD_OPTION) return status;
    cairn_pass_list_fini(&path->program);
    return CAIRN_OK;
}

cairn_status cairn_path_create(cairn_context      *context,
                               const cairn_format *from,
                               const cairn_format *to,
                               const int64_t      *extent,
                               cairn_path        **path)
{
    CAIRN_ENTER(context, CAIRN_GIVEN(from), CAIRN_GIVEN(to), CAIRN_GIVEN(path));

    cairn_path *fresh;

    CAIRN_TRY(check_extents(&context->env, from->order, extent));
    CAIRN_TRY(check_storage(&context->env, from));
    CAIRN_TRY(check_storage(&context->env, to));
    CAIRN_TRY(cairn_path_plan(&context->env, from, to, extent, &fresh));
    cairn_status status = cairn_path_print(fresh);

    if (status == CAIRN_OK) status = plan_program(context, from, to, extent, fresh);
    if (status == CAIRN_OK)
        *path = fresh;
    else
        cairn_path_destroy(&fresh);
    return status;
}

int cairn_path_steps(const cairn_path *path)
{
    return path ? path->rules : 0;
}

bool cairn_path_get_step(const cairn_path *path, int k, cairn_path_step *step)
{
    if (k < 0 || k >= cairn_path_steps(path) || !step
        || !cairn_sized_fits(step, sizeof *step))
        return false;
    const char *const text = cairn_path_rule(path, k);

    if (!text) return false;
    const cairn_path_step own = {.rule       = text,
                                 .sentence   = cairn_rule_sentence(path->rule[k].kind),
                                 .bytes      = path->work[k].bytes,
                                 .operations = path->work[k].operations,
                                 .passes     = path->work[k].passes,
                                 .memory     = path->work[k].memory};

    CAIRN_WRITE(step, own);
    return true;
}

int cairn_path_routes(const cairn_path *path, double *next_best)
{
    if (next_best) *next_best = path ? path->others : 0;
    return path ? path->routes : 0;
}

int64_t cairn_path_sent(const cairn_path *path, int64_t *entries, int64_t *messages)
{
    if (entries) *entries = path ? path->moves.entries : 0;
    if (messages) *messages = path ? path->moves.messages : 0;
    return path ? path->moves.bytes : 0;
}

int64_t cairn_path_asked(const cairn_path *path)
{
    return path ? path->moves.asked : 0;
}

const char *cairn_path_rates(const cairn_path *path)
{
    return path && path->program.passes > 0 ? path->rates : NULL;
}

int cairn_path_passes(const cairn_path *path)
{
    return path ? path->program.passes : 0;
}

bool cairn_path_get_pass(const cairn_path *path, int k, cairn_pass_info *info)
{
    if (k < 0 || k >= cairn_path_passes(path) || !info
        || !cairn_sized_fits(info, sizeof *info))
        return false;
    const cairn_pass *pass = &path->program.pass[k];
    cairn_pass_info   own  = {.method      = pass->method,
                              .pass        = cairn_pass_name(pass->what),
                              .unit        = cairn_pass_unit_name(pass->unit),
                              .rule        = cairn_pass_rule_name(pass->rule),
                              .stores      = cairn_pass_stores_name(pass->stores),
                              .member      = pass->member,
                              .into        = pass->into,
                              .index       = pass->index,
                              .interpreted = pass->interpreted,
                              .bytes       = pass->bytes,
                              .query_class = pass->query_class,
                              .visits      = pass->look.visits,
                              .entries     = pass->look.entries};

    own.alternatives = pass->alternatives.count;
    cairn_pass_arrays_print(pass->arrays, own.arrays, sizeof own.arrays);
    CAIRN_WRITE(info, own);
    return true;
}

const char *cairn_path_assumes(const cairn_path *path, int k, char *otherwise)
{
    if (k < 0 || k >= cairn_path_passes(path) || !path->program.pass[k].assumes.what)
        return NULL;
    const cairn_pass *pass = &path->program.pass[k];

    if (otherwise)
        cairn_pass_otherwise_print(&path->program, pass, otherwise,
                                   CAIRN_PASS_OTHERWISE);
    return pass->assumes.what;
}

const char *cairn_path_device(const cairn_path *path, int k)
{
    if (k < 0 || k >= cairn_path_passes(path)) return NULL;
    return path->program.pass[k].place.device;
}

bool cairn_path_get_alternative(const cairn_path       *path,
                                int                     k,
                                int                     n,
                                cairn_pass_alternative *alternative)
{
    if (k < 0 || k >= cairn_path_passes(path) || n < 0
        || n >= path->program.pass[k].alternatives.count || !alternative
        || !cairn_sized_fits(alternative, sizeof *alternative))
        return false;
    const cairn_alternative *a =
        &path->program.alternative[path->program.pass[k].alternatives.first + n];

    const cairn_pass_alternative own = {
        .method = a->method, .bytes = a->bytes, .seconds = a->seconds};

    CAIRN_WRITE(alternative, own);
    return true;
}

/* ---- tensors ---- */

int64_t cairn_local_array_bytes(const cairn_local *local)
{
    int64_t bytes = 0;

    for (int g = 0; g < local->groups; g++)
        bytes += local->group[g].bytes;
    return bytes;
}

int64_t cairn_local_table_bytes(const cairn_local *local)
{
    int64_t bytes = 0;

    for (int64_t p = 0; p < local->parts; p++)
        bytes += local->part[p].nnz * cairn_entry_bytes(local->part[p].layout->levels);
    return bytes;
}

/// Row boundaries suit a format: multiples of its grain, or too few rows to round.
static bool suits(const cairn_tensor *tensor, int64_t grain)
{
    const cairn_rows *rows = &tensor->rows;

    if (rows->size == 1
        || (__int128)rows->size * grain > tensor->local->shape.extent[0])
        return true;
    for (int r = 1; r < rows->size; r++)
        if (rows->first[r] % grain != 0 && rows->first[r] != rows->first[rows->size])
            return false;
    return true;
}

/// Do formats cut the rows of a matrix alike, by counts? What rows cost is as formats have
/// it, whole.
static bool is_cut_alike(const cairn_format *a, const cairn_format *b)
{
    if (b->distribution.kind == CAIRN_DISTRIBUTION_COST)
        return strcmp(cairn_format_text(a), cairn_format_text(b)) == 0;
    return a->distribution.kind == b->distribution.kind
           && cairn_format_grain(a) == cairn_format_grain(b);
}

/// Do rows change their ranks in a conversion? Equal counts of entries are found where it is
/// done: then they may, unless the tensor is cut so already.
///
/// @param[out] scattered  Rows are by places in the tensor, or are to be; then nothing is
///                        said of moving.
static cairn_status find_moving(const cairn_tensor *tensor,
                                const cairn_format *format,
                                bool               *moving,
                                bool               *scattered)
{
    const cairn_distribution *said  = &format->distribution;
    cairn_comm               *comm  = tensor->context->comm;
    const int64_t             grain = cairn_format_grain(format);
    cairn_rows                rows  = {0};
    bool                      cut;

    CAIRN_TRY(cairn_format_check_members(comm, format, said));
    CAIRN_TRY(cairn_rows_by_text(comm, said, cairn_tensor_users_shape(tensor).extent[0],
                                 grain, &rows, &cut, scattered));
    *scattered = *scattered || tensor->places;
    if (*scattered)
        *moving = false;
    else if (cut)
        *moving = memcmp(rows.first, tensor->rows.first,
                         ((size_t)comm->size + 1) * sizeof *rows.first)
                  != 0;
    else if (said->kind == CAIRN_DISTRIBUTION_UNSAID)
        *moving = !suits(tensor, grain);
    else
        *moving = comm->size > 1 && !is_cut_alike(tensor->format, format);
    cairn_rows_fini(comm->env, &rows);
    return CAIRN_OK;
}

cairn_status cairn_tensor_prepare(const cairn_tensor *tensor,
                                  const cairn_format *format,
                                  cairn_tensor      **fresh)
{
    cairn_env *env = &tensor->context->env;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, fresh));
    (*fresh)->context = tensor->context;
    (*fresh)->dtype   = tensor->dtype;
    CAIRN_TRY(cairn_format_copy(tensor->context, format, &(*fresh)->format));
    return cairn_rows_copy(env, &tensor->rows, &(*fresh)->rows);
}

cairn_status cairn_tensor_convert_in_place(const cairn_tensor *tensor,
                                           const cairn_arrays *into,
                                           cairn_tensor       *to)
{
    cairn_comm           *comm = tensor->context->comm;
    const cairn_query_net net  = cairn_net_of(comm);

    to->held =
        cairn_local_array_bytes(tensor->local) + cairn_local_table_bytes(tensor->local);
    cairn_build build = {.format     = to->format,
                         .shape      = tensor->local->shape,
                         .from       = tensor->local,
                         .into       = into,
                         .net        = comm->size > 1 ? &net : NULL,
                         .rank       = comm->rank,
                         .value_bits = tensor->local->value_bits,
                         .held       = to->held};

    memcpy(build.box, tensor->local->box, sizeof build.box);
    return cairn_context_build(tensor->context, &build, to);
}

/// A tensor and its entries are in memory together.
static cairn_status check_entries_fit(const cairn_tensor *tensor)
{
    const cairn_local *local = tensor->local;
    __int128           bytes = cairn_local_array_bytes(local);

    for (int64_t p = 0; p < local->parts; p++)
        bytes += (__int128)local->part[p].nnz * cairn_entry_bytes(local->shape.order);
    return cairn_check_memory(&tensor->context->env, "a tensor and its entries", bytes);
}

cairn_status cairn_tensor_take_entries(const cairn_tensor *tensor,
                                       cairn_source      **source)
{
    CAIRN_TRY(cairn_source_create(tensor->context, tensor->local->shape.order, source));
    CAIRN_TRY(check_entries_fit(tensor));
    (*source)->shape = tensor->local->shape;
    return cairn_local_entries(tensor->local, &(*source)->entries);
}

cairn_status cairn_source_from_tensor(const cairn_tensor *tensor, cairn_source **source)
{
    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(tensor),
                         CAIRN_GIVEN(source));
    cairn_doing(&tensor->context->env, "taking entries back");

    cairn_source *fresh  = NULL;
    cairn_status  status = cairn_comm_agree(tensor->context->comm,
                                            cairn_tensor_take_entries(tensor, &fresh));

    if (status == CAIRN_OK && tensor->places)
        status = cairn_renumbering_undo(tensor->context->comm, tensor->places,
                                        &fresh->entries);
    if (status == CAIRN_OK) fresh->shape = cairn_tensor_users_shape(tensor);
    if (status == CAIRN_OK) status = cairn_source_settle(fresh, CAIRN_BY_NNZ);
    if (status == CAIRN_OK) {
        fresh->narrows = tensor->local->narrows;
        *source        = fresh;
    } else {
        cairn_source_destroy(&fresh);
    }
    return status;
}

cairn_status cairn_tensor_convert_with(const cairn_tensor        *tensor,
                                       const cairn_format        *format,
                                       const cairn_store_options *options,
                                       cairn_tensor             **converted)
{
    cairn_store_options own = CAIRN_STORE_OPTIONS;

    CAIRN_ENTER_TOGETHER(tensor ? tensor->context : cairn_format_context(format),
                         CAIRN_GIVEN(tensor), CAIRN_GIVEN(format),
                         CAIRN_SIZED(options, cairn_store_options),
                         CAIRN_GIVEN(converted));
    CAIRN_READ(options, own);
    CAIRN_ENTER_TOGETHER(tensor->context, CAIRN_WITHIN(options->replays, 0, INT64_MAX));
    cairn_doing(&tensor->context->env, "converting");

    cairn_comm      *comm      = tensor->context->comm;
    const double     begin     = cairn_seconds();
    cairn_tensor    *fresh     = NULL;
    cairn_collective arguments = {0};
    bool             moving = false, scattered = false;
    cairn_status status = cairn_check_order(comm->env, format, &tensor->local->shape);

    cairn_collective_format(&arguments, format);
    if (status == CAIRN_OK) status = cairn_tensor_prepare(tensor, format, &fresh);
    status = cairn_comm_agree_on(comm, status, &arguments);
    const bool elsewhere =
        status == CAIRN_OK
        && cairn_format_has_elsewhere(comm, format, &format->distribution);

    if (status == CAIRN_OK && !elsewhere)
        status = find_moving(tensor, format, &moving, &scattered);
    if (status == CAIRN_OK)
        status = elsewhere   ? cairn_tensor_convert_elsewhere(tensor, &fresh)
                 : scattered ? cairn_tensor_convert_places(tensor, fresh)
                 : moving    ? cairn_tensor_convert_moving(tensor, &fresh)
                             : cairn_tensor_convert_in_place(tensor, NULL, fresh);
    if (status == CAIRN_OK && !moving && !scattered && !elsewhere)
        cairn_kept_add(tensor->format, fresh->local, fresh->how.path);
    if (status == CAIRN_OK)
        status = cairn_comm_agree(
            comm, tensor->local->narrows
                      ? cairn_local_narrow(fresh->local)
                      : cairn_tensor_narrow_for_many(fresh, options->replays));
    if (status == CAIRN_OK) {
        fresh->seconds = cairn_seconds() - begin;
        *converted     = fresh;
    } else {
        cairn_tensor_destroy(&fresh);
    }
    return status;
}

cairn_status cairn_tensor_convert(const cairn_tensor *tensor,
                                  const cairn_format *format,
                                  cairn_tensor      **converted)
{
    CAIRN_ENTER_TOGETHER(tensor ? tensor->context : cairn_format_context(format),
                         CAIRN_GIVEN(tensor), CAIRN_GIVEN(format),
                         CAIRN_GIVEN(converted));
    return cairn_tensor_convert_with(tensor, format, NULL, converted);
}

const cairn_path *cairn_tensor_path(const cairn_tensor *tensor)
{
    return tensor ? tensor->how.path : NULL;
}

const char *cairn_tensor_how(const cairn_tensor *tensor)
{
    return tensor && tensor->how.path ? cairn_path_how(tensor->how.path) : NULL;
}

const char *cairn_tensor_route(const cairn_tensor *tensor)
{
    if (!tensor || !tensor->how.path) return NULL;
    return cairn_route_name(tensor->how.interpreted[0] ? CAIRN_ROUTE_REFERENCE
                                                       : tensor->how.route);
}

const char *cairn_tensor_interpreted(const cairn_tensor *tensor)
{
    return tensor && tensor->how.interpreted[0] ? tensor->how.interpreted : NULL;
}

const char *cairn_tensor_why(const cairn_tensor *tensor)
{
    return tensor && tensor->how.why[0] ? tensor->how.why
                                        : cairn_tensor_interpreted(tensor);
}

cairn_dtype cairn_tensor_dtype(const cairn_tensor *tensor)
{
    return tensor ? tensor->dtype : CAIRN_F64;
}
