// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tensor around a caller's arrays: its format with their widths, its rows, parts that
/// point to them, the look at what they hold, and copies where they were asked for.

#include "api/arrays/from_parts.h"

#include "api/collective_arguments.h"
#include "api/door.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- the caller's structs ---- */

/// Struct @p k of the caller's, as this version knows it, with its arrays' struct.
static cairn_status read_struct(cairn_handed *handed, int64_t k)
{
    cairn_env             *env   = &handed->context->env;
    const size_t           bytes = handed->given->size;
    const cairn_part_view *given =
        (const cairn_part_view *)(const void *)((const char *)handed->given
                                                + (size_t)k * bytes);
    char                    part[48], arrays[48];
    const cairn_sized_names view_names = {CAIRN_FROM_PARTS, part, "cairn_part_view"};
    const cairn_sized_names its_names = {CAIRN_FROM_PARTS, arrays, "cairn_kernel_part"};
    cairn_part_view        *view      = &handed->part[k];
    cairn_kernel_part      *its       = &handed->arrays[k];

    snprintf(part, sizeof part, "part: number %" PRId64, k);
    snprintf(arrays, sizeof arrays, "part: number %" PRId64 ": arrays", k);
    CAIRN_CHECK(given->size == bytes, env, CAIRN_BAD_ARGUMENT,
                CAIRN_FROM_PARTS ": part: number %" PRId64 " has %zu bytes, and the "
                                 "first %zu",
                k, given->size, bytes);
    CAIRN_TRY(cairn_sized_check(env, view_names, given, sizeof *view));
    *view = (cairn_part_view)CAIRN_PART_VIEW;
    cairn_sized_read(view, sizeof *view, given);
    CAIRN_CHECK(view->arrays, env, CAIRN_BAD_ARGUMENT,
                CAIRN_FROM_PARTS ": part: number %" PRId64 ": arrays: is NULL", k);
    CAIRN_TRY(cairn_sized_check(env, its_names, view->arrays, sizeof *its));
    *its = (cairn_kernel_part)CAIRN_KERNEL_PART;
    cairn_sized_read(its, sizeof *its, view->arrays);
    /* Before there was a dictionary, what is val_kind now was padding at the end. */
    if (view->arrays->size <= (int64_t)offsetof(cairn_kernel_part, dictionary))
        its->val_kind = CAIRN_VALUE_FLOAT;
    view->arrays = its;
    return CAIRN_OK;
}

static cairn_status read_structs(cairn_handed *handed)
{
    cairn_env *env = &handed->context->env;

    CAIRN_TRY(CAIRN_NEW(env, handed->parts, &handed->part));
    CAIRN_TRY(CAIRN_NEW(env, handed->parts, &handed->arrays));
    for (int64_t k = 0; k < handed->parts; k++)
        CAIRN_TRY(read_struct(handed, k));
    return CAIRN_OK;
}

static cairn_status check_struct(const cairn_handed *handed, int64_t k)
{
    cairn_env               *env  = &handed->context->env;
    const cairn_part_view   *view = &handed->part[k];
    const cairn_kernel_part *its  = view->arrays;

    CAIRN_CHECK(view->member >= 0 && view->member < handed->format->members, env,
                CAIRN_BAD_ARGUMENT,
                CAIRN_FROM_PARTS ": part: number %" PRId64
                                 ": member: the format has no member %d",
                k, view->member);
    CAIRN_CHECK(
        its->order == handed->shape.order
            && its->levels
                   == cairn_encoding_levels(handed->format->member[view->member]),
        env, CAIRN_BAD_ARGUMENT,
        CAIRN_FROM_PARTS
        ": member %d: order %d and %d levels, but the format has %d and %d",
        view->member, its->order, its->levels, handed->shape.order,
        cairn_encoding_levels(handed->format->member[view->member]));
    CAIRN_CHECK(view->nnz >= -1, env, CAIRN_BAD_ARGUMENT,
                CAIRN_FROM_PARTS ": member %d: nnz: is %" PRId64, view->member,
                view->nnz);
    return CAIRN_OK;
}

static cairn_status set_box(cairn_handed *handed)
{
    const cairn_parts_options *o   = handed->options;
    cairn_env                 *env = &handed->context->env;
    const int64_t              all = handed->shape.extent[0];

    for (int k = 0; k < handed->shape.order; k++) {
        CAIRN_CHECK(
            handed->shape.extent[k] >= 0 && handed->shape.extent[k] < INT64_MAX / 4,
            env, CAIRN_BAD_SHAPE, CAIRN_FROM_PARTS ": extent: number %d is %" PRId64, k,
            handed->shape.extent[k]);
        handed->box[k] = (cairn_interval){0, handed->shape.extent[k] - 1};
    }
    CAIRN_CHECK(o->first_row >= 0 && o->first_row <= all && o->rows >= -1
                    && o->rows <= all - o->first_row,
                env, CAIRN_BAD_SHAPE,
                CAIRN_FROM_PARTS ": options: %" PRId64 " rows from %" PRId64
                                 " on are not within 0..%" PRId64,
                o->rows, o->first_row, all - 1);
    handed->box[0].lo = o->first_row;
    if (o->rows >= 0) handed->box[0].hi = o->first_row + o->rows - 1;
    return CAIRN_OK;
}

static cairn_status create(cairn_handed *handed, cairn_tensor **tensor)
{
    CAIRN_TRY(set_box(handed));
    CAIRN_TRY(read_structs(handed));
    for (int64_t k = 0; k < handed->parts; k++)
        CAIRN_TRY(check_struct(handed, k));
    CAIRN_TRY(CAIRN_NEW_ZERO(&handed->context->env, 1, tensor));
    (*tensor)->context = handed->context;
    (*tensor)->dtype   = handed->dtype;
    return cairn_handed_format(handed, &(*tensor)->format);
}

/* ---- parts ---- */

static cairn_status
start_local(const cairn_handed *handed, cairn_tensor *tensor, cairn_local **local)
{
    cairn_local *t;

    CAIRN_TRY(CAIRN_NEW_ZERO(&handed->context->env, 1, &t));
    *local        = t;
    tensor->local = t;
    t->env        = &handed->context->env;
    t->shape      = handed->shape;
    t->format     = tensor->format;
    t->value_bits = handed->dtype == CAIRN_F32 ? 32 : 64;
    t->groups     = tensor->format->members;
    memcpy(t->box, handed->box, sizeof t->box);
    return CAIRN_OK;
}

/// Layouts of all members, and how many parts they have.
static cairn_status make_layouts(const cairn_handed *handed, cairn_local *local)
{
    cairn_env *env = local->env;

    for (int m = 0; m < local->groups; m++) {
        const cairn_encoding  *encoding = local->format->member[m];
        const cairn_part_view *view     = cairn_handed_find(handed, m, -1);
        cairn_group           *group    = &local->group[m];
        cairn_interval         span[CAIRN_MAX_QUERIES];

        for (int q = 0; q < CAIRN_MAX_QUERIES; q++)
            span[q] = (cairn_interval){0, -1}; /* no part, no numbers */
        if (view) CAIRN_TRY(cairn_handed_spans(handed, encoding, view, span));
        CAIRN_TRY(cairn_layout_create(env, encoding, local->shape.extent, local->box,
                                      span, local->value_bits, &group->layout));
        if (view) CAIRN_TRY(cairn_handed_storage(handed, view, &group->layout));
        CAIRN_CHECK(view || group->layout->banks == 0, env, CAIRN_BAD_ARGUMENT,
                    CAIRN_FROM_PARTS ": member %d: no part is given for it", m);
        CAIRN_CHECK(group->layout->banks <= handed->parts, env, CAIRN_BAD_ARGUMENT,
                    CAIRN_FROM_PARTS ": member %d: has %" PRId64
                                     " banks, and each is a part of its own",
                    m, group->layout->banks);
        group->first = local->parts;
        group->count = group->layout->banks;
        local->parts += group->count;
    }
    CAIRN_CHECK(local->parts == handed->parts, env, CAIRN_BAD_ARGUMENT,
                CAIRN_FROM_PARTS ": parts: is %" PRId64 ", but the format has %" PRId64
                                 " here",
                handed->parts, local->parts);
    return CAIRN_OK;
}

/// Do two banks have the same values in their dictionaries, or none?
static bool same_dictionary(const cairn_kernel_part *a, const cairn_kernel_part *b)
{
    return a->dictionary == b->dictionary
           || memcmp(a->dictionary, b->dictionary, sizeof(double) << a->val_bits) == 0;
}

/// Point every part at the caller's arrays.
static cairn_status
point(const cairn_handed *handed, cairn_local *local, cairn_pos *nodes)
{
    for (int m = 0; m < local->groups; m++) {
        cairn_group *group = &local->group[m];

        for (int64_t bank = 0; bank < group->count; bank++) {
            const int64_t          p    = group->first + bank;
            const cairn_part_view *view = cairn_handed_find(handed, m, bank);
            cairn_fault            fault;

            CAIRN_CHECK(view, local->env, CAIRN_BAD_ARGUMENT,
                        CAIRN_FROM_PARTS ": member %d: no part is given for bank "
                                         "%" PRId64,
                        m, bank);
            local->part[p].where =
                (cairn_where){m, handed->context->comm->rank, 0, bank};
            if (!cairn_handed_point(view, group->layout, &local->part[p],
                                    nodes + p * CAIRN_MAX_LEVELS, &group->bytes,
                                    &fault))
                return cairn_handed_refuse(handed, &fault);
            CAIRN_CHECK(
                same_dictionary(&local->part[group->first].view, &local->part[p].view),
                local->env, CAIRN_BAD_ARGUMENT,
                CAIRN_FROM_PARTS ": member %d: bank %" PRId64
                                 ": dictionary: is not that of bank 0",
                m, bank);
        }
        if (group->count > 0 && local->part[group->first].view.dictionary)
            group->bytes += (int64_t)sizeof(double) << group->layout->values.bits;
    }
    return CAIRN_OK;
}

/// Give every part arrays of its own, with what the caller's hold.
static cairn_status copy(cairn_local *local, const cairn_pos *nodes)
{
    cairn_part *theirs = NULL;
    __int128    bytes  = 0;

    for (int m = 0; m < local->groups; m++)
        bytes += local->group[m].bytes;
    CAIRN_TRY(cairn_check_room(local->env, "copies of arrays", bytes));
    CAIRN_TRY(CAIRN_NEW(local->env, local->parts, &theirs));
    memcpy(theirs, local->part, (size_t)local->parts * sizeof *theirs);
    cairn_status status = CAIRN_OK;

    for (int m = 0; m < local->groups && status == CAIRN_OK; m++) {
        cairn_group  *group = &local->group[m];
        const double *word =
            group->count > 0 ? theirs[group->first].view.dictionary : NULL;

        group->bytes = 0;
        status       = cairn_group_alloc_parts(local->env, group, nodes, local->part);
        if (status == CAIRN_OK && word)
            status = cairn_group_add_dictionary(local->env, group, word, local->part);
    }
    for (int64_t p = 0; p < local->parts && status == CAIRN_OK; p++) {
        cairn_array from[CAIRN_MAX_ARRAYS], to[CAIRN_MAX_ARRAYS];
        const int   arrays = cairn_part_own_arrays(&theirs[p], from);

        cairn_part_own_arrays(&local->part[p], to);
        for (int a = 0; a < arrays; a++)
            if (from[a].bytes > 0)
                memcpy(to[a].data, from[a].data, (size_t)from[a].bytes);
    }
    cairn_free(local->env, theirs);
    return status;
}

static cairn_status fill(const cairn_handed *handed, cairn_tensor *tensor)
{
    cairn_env   *env = &handed->context->env;
    cairn_local *local;
    cairn_pos   *nodes = NULL;

    CAIRN_TRY(start_local(handed, tensor, &local));
    CAIRN_TRY(make_layouts(handed, local));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, local->parts, &local->part));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, local->parts * CAIRN_MAX_LEVELS, &nodes));
    cairn_status status = point(handed, local, nodes);

    for (int m = 0; m < local->groups; m++) /* nor would a conversion widen these */
        local->narrows |= local->group[m].layout->encoding->val == CAIRN_VAL_UNSAID
                          && !cairn_layout_is_wide(local->group[m].layout);
    if (status == CAIRN_OK) status = cairn_handed_check(handed, local);
    if (status == CAIRN_OK && handed->options->mode == CAIRN_COPY)
        status = copy(local, nodes);
    cairn_free(env, nodes);
    return status;
}

/* ---- the call ---- */

/// Add the arguments that must be the same on all ranks.
static void add_arguments(const cairn_handed *handed,
                          const cairn_tensor *fresh,
                          cairn_collective   *arguments)
{
    static const char *const modes[] = {"copied", "borrowed", "taken"};

    cairn_collective_text(arguments, "arrays", modes[handed->options->mode]);
    cairn_collective_dtype(arguments, handed->dtype);
    if (fresh) cairn_collective_format(arguments, fresh->format);
    cairn_collective_extents(arguments, handed->shape.order, handed->shape.extent);
}

/// On all ranks together. Arrays that stay the caller's, or go back to him, keep their
/// values as they are.
static cairn_status make(const cairn_handed *handed, cairn_tensor *fresh)
{
    cairn_comm *comm = handed->context->comm;

    CAIRN_TRY(
        cairn_rows_given(comm, CAIRN_FROM_PARTS, &handed->shape, handed->box[0].lo,
                         handed->box[0].hi - handed->box[0].lo + 1, &fresh->rows));
    CAIRN_TRY(cairn_check_callers_rows(comm, fresh->format));
    CAIRN_TRY(cairn_comm_agree(comm, fill(handed, fresh)));
    CAIRN_TRY(cairn_handed_mark(handed, fresh));
    if (handed->options->mode != CAIRN_COPY) return CAIRN_OK;
    return cairn_comm_agree(
        comm, cairn_tensor_narrow_for_many(fresh, handed->options->replays));
}

cairn_status cairn_tensor_from_parts(cairn_context             *context,
                                     const cairn_format        *format,
                                     const int64_t             *extent,
                                     cairn_dtype                dtype,
                                     const cairn_part_view     *part,
                                     int64_t                    parts,
                                     const cairn_parts_options *options,
                                     cairn_tensor             **tensor)
{
    cairn_parts_options own = CAIRN_PARTS_OPTIONS;

    CAIRN_ENTER_TOGETHER(context, CAIRN_GIVEN(format), CAIRN_GIVEN(extent),
                         CAIRN_ONE_OF(dtype, CAIRN_F32),
                         CAIRN_WITHIN(parts, 0, INT64_MAX), CAIRN_GIVEN(tensor),
                         CAIRN_SIZED(options, cairn_parts_options));
    CAIRN_READ(options, own);
    CAIRN_ENTER_TOGETHER(context, CAIRN_ONE_OF(options->mode, CAIRN_TAKE),
                         CAIRN_WITHIN(options->replays, 0, INT64_MAX));
    if (parts > 0) CAIRN_ENTER_TOGETHER(context, CAIRN_GIVEN(part));
    if (parts > 0) CAIRN_ENTER_TOGETHER(context, CAIRN_SIZED(part, cairn_part_view));
    if (options->mode == CAIRN_TAKE)
        CAIRN_ENTER_TOGETHER(context, CAIRN_GIVEN(options->release));
    cairn_doing(&context->env, "taking arrays");

    cairn_handed     handed    = {.context = context,
                                  .format  = format,
                                  .dtype   = dtype,
                                  .given   = part,
                                  .parts   = parts,
                                  .options = options};
    const double     begin     = cairn_seconds();
    cairn_tensor    *fresh     = NULL;
    cairn_collective arguments = {0};

    handed.shape.order = format->order;
    memcpy(handed.shape.extent, extent, (size_t)format->order * sizeof *extent);
    cairn_status status = create(&handed, &fresh);

    add_arguments(&handed, status == CAIRN_OK ? fresh : NULL, &arguments);
    status = cairn_comm_agree_on(context->comm, status, &arguments);
    if (status == CAIRN_OK) status = make(&handed, fresh);
    cairn_free(&context->env, handed.part);
    cairn_free(&context->env, handed.arrays);
    if (status != CAIRN_OK) {
        cairn_tensor_destroy(&fresh);
        return status;
    }
    if (options->mode == CAIRN_TAKE) fresh->release.array = options->release;
    fresh->release.user = options->user;
    fresh->seconds      = cairn_seconds() - begin;
    *tensor             = fresh;
    return CAIRN_OK;
}
