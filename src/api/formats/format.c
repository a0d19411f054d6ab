// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Formats as users hold them: the parsed value with its texts.

#include "api/door.h"
#include "base/arena.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/// Move a text into the format's arena.
static cairn_status
keep(cairn_env *env, cairn_format *format, char *text, const char **kept)
{
    const cairn_status status =
        cairn_arena_copy(format->arena, text, strlen(text), kept);

    cairn_free(env, text);
    return status;
}

static cairn_status keep_levels(cairn_env *env, cairn_format *format, int member)
{
    const cairn_encoding *e = format->member[member];

    CAIRN_TRY(cairn_arena_alloc(format->arena, (size_t)e->map.count, sizeof(char *),
                                (void **)&format->print.level[member]));
    for (int l = 0; l < e->map.count; l++) {
        char *text;

        CAIRN_TRY(cairn_expr_print(env, e->map.expr[l], e->query, &text));
        CAIRN_TRY(keep(env, format, text, &format->print.level[member][l]));
    }
    return CAIRN_OK;
}

static cairn_status keep_distribution(cairn_env                *env,
                                      cairn_format             *format,
                                      const cairn_distribution *distribution,
                                      const char              **kept)
{
    char *text;

    if (distribution->kind == CAIRN_DISTRIBUTION_UNSAID) return CAIRN_OK;
    CAIRN_TRY(cairn_distribution_print(env, distribution, &text));
    return keep(env, format, text, kept);
}

cairn_status cairn_format_keep_texts(cairn_env *env, cairn_format *format)
{
    char *text;

    CAIRN_TRY(cairn_format_print(env, format, &text));
    CAIRN_TRY(keep(env, format, text, &format->print.whole));
    CAIRN_TRY(keep_distribution(env, format, &format->distribution,
                                &format->print.whole_distribution));
    for (int m = 0; m < format->members; m++) {
        CAIRN_TRY(cairn_encoding_print(env, format->member[m], &text));
        CAIRN_TRY(keep(env, format, text, &format->print.member[m]));
        CAIRN_TRY(keep_levels(env, format, m));
        CAIRN_TRY(keep_distribution(env, format, &format->member_distribution[m],
                                    &format->print.distribution[m]));
    }
    return CAIRN_OK;
}

cairn_status
cairn_format_create(cairn_context *context, const char *text, cairn_format **format)
{
    CAIRN_ENTER(context, CAIRN_GIVEN(text), CAIRN_GIVEN(format));

    cairn_env    *env = &context->env;
    cairn_format *fresh;

    CAIRN_TRY(cairn_format_open(env, text, "format", &fresh));
    const cairn_status status = cairn_format_keep_texts(env, fresh);

    if (status == CAIRN_OK)
        *format = fresh;
    else
        cairn_format_destroy(&fresh);
    return status;
}

cairn_status cairn_format_copy(cairn_context      *context,
                               const cairn_format *format,
                               cairn_format      **copy)
{
    cairn_env    *env = &context->env;
    cairn_format *fresh;

    if (format->env == env) {
        *copy = cairn_format_hold(format);
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_format_parse(env, NULL, format->print.whole, "format", &fresh));
    const cairn_status status = cairn_format_keep_texts(env, fresh);

    fresh->life.narrows = format->life.narrows;
    fresh->life.align   = format->life.align;
    if (status == CAIRN_OK)
        *copy = fresh;
    else
        cairn_format_destroy(&fresh);
    return status;
}

static void join(int64_t *grain, int64_t other)
{
    const __int128 joined = (__int128)*grain / cairn_gcd(*grain, other) * other;

    if (joined <= (int64_t)1 << 40) *grain = (int64_t)joined;
}

int64_t cairn_format_grain(const cairn_format *format)
{
    int64_t grain = format->life.align > 0 ? format->life.align : 1;

    for (int m = 0; m < format->members; m++)
        join(&grain, cairn_encoding_grain(format->member[m]));
    if (format->query) {
        cairn_encoding own = {.map = format->query->group_by, .queries = 1};

        own.query[0] = *format->query;
        join(&grain, cairn_encoding_grain(&own));
    }
    return grain;
}

cairn_status cairn_format_align(cairn_format *format, int64_t rows)
{
    CAIRN_ENTER_FORMAT(format, CAIRN_GIVEN(format),
                       CAIRN_WITHIN(rows, 1, (int64_t)1 << 20));
    format->life.align = rows;
    return CAIRN_OK;
}

const char *cairn_format_text(const cairn_format *format)
{
    return format ? format->print.whole : NULL;
}

int cairn_format_members(const cairn_format *format)
{
    return format ? format->members : 0;
}

int cairn_format_order(const cairn_format *format)
{
    return format ? format->order : 0;
}

const char *cairn_format_member(const cairn_format *format, int member)
{
    return member >= 0 && member < cairn_format_members(format)
               ? format->print.member[member]
               : NULL;
}

const char *cairn_format_distribution(const cairn_format *format, int member)
{
    if (format && member == -1) return format->print.whole_distribution;
    return member >= 0 && member < cairn_format_members(format)
               ? format->print.distribution[member]
               : NULL;
}

int cairn_format_levels(const cairn_format *format, int member)
{
    return member >= 0 && member < cairn_format_members(format)
               ? format->member[member]->map.count
               : 0;
}

static const char *kind_name(cairn_level_kind kind)
{
    static const char *const names[] = {"dense", "compressed", "singleton", "ragged"};

    return names[kind];
}

static void describe_level(const cairn_format *format,
                           const cairn_layout *layout,
                           int                 member,
                           int                 l,
                           cairn_level_info   *info)
{
    const cairn_level *level = &layout->level[l];

    *info = (cairn_level_info){.expr       = format->print.level[member][l],
                               .kind       = kind_name(level->kind),
                               .sized      = layout->given.sized && level->sized,
                               .lo         = level->range.lo,
                               .extent     = level->size,
                               .merged     = level->merged,
                               .trimmed    = level->trimmed,
                               .has_ptr    = level->arrays.has_ptr,
                               .has_idx    = level->arrays.has_idx,
                               .depth      = level->depth,
                               .query      = level->query,
                               .gaps       = level->gaps,
                               .determined = level->determined.on,
                               .by         = level->determined.by,
                               .per_node   = level->determined.per_node,
                               .modes = cairn_form_dims(layout->algebra, &level->form),
                               .ptr_bits    = level->arrays.ptr_bits,
                               .idx_bits    = level->arrays.idx_bits,
                               .idx_signed  = level->arrays.idx_signed,
                               .global_lo   = level->global.lo,
                               .global_size = level->global.hi - level->global.lo + 1};
}

static cairn_status
check_level(cairn_env *env, const cairn_format *format, int member, int level)
{
    CAIRN_CHECK(member >= 0 && member < format->members && level >= 0
                    && level < format->member[member]->map.count,
                env, CAIRN_BAD_ARGUMENT, "format: member %d has no level %d", member,
                level);
    return CAIRN_OK;
}

cairn_status cairn_format_level(const cairn_format *format,
                                int                 member,
                                int                 level,
                                cairn_level_info   *info)
{
    CAIRN_ENTER_FORMAT(format, CAIRN_GIVEN(format), CAIRN_GIVEN(info),
                       CAIRN_SIZED(info, cairn_level_info));

    cairn_env       *env = format->env;
    cairn_level_info own;
    cairn_layout    *layout;

    CAIRN_TRY(check_level(env, format, member, level));
    CAIRN_TRY(cairn_layout_create(env, format->member[member], NULL, NULL, NULL, 64,
                                  &layout));
    describe_level(format, layout, member, level, &own);
    CAIRN_WRITE(info, own);
    cairn_layout_destroy(env, &layout);
    return CAIRN_OK;
}

/// Nodes of one level of a part: stored ones, or those that exist by arithmetic.
static int64_t part_nodes(const cairn_part *part, int level)
{
    const cairn_layout *layout = part->layout;
    int64_t             nodes  = 1;

    if (level <= layout->partition) return level == layout->partition;
    if (layout->level[level].determined.on) return part->view.level[level].idx_length;
    for (int l = layout->partition + 1; l <= level; l++) {
        if (layout->level[l].trimmed)
            nodes = part->view.level[l].nodes;
        else if (!layout->level[l].determined.on)
            nodes *= layout->level[l].size;
    }
    return nodes;
}

/// Nodes of a level over all banks; each bank is one node of the last level that
/// partition takes.
static int64_t count_nodes(const cairn_local *local, int member, int level)
{
    const cairn_group *group = &local->group[member];
    int64_t            nodes = 0;

    if (level < group->layout->partition) {
        nodes = 1;
        for (int l = 0; l <= level; l++)
            nodes *= group->layout->level[l].size;
        return nodes;
    }
    for (int64_t k = 0; k < group->count; k++)
        nodes += part_nodes(&local->part[group->first + k], level);
    return nodes;
}

cairn_status cairn_tensor_level(const cairn_tensor *tensor,
                                int                 member,
                                int                 level,
                                cairn_level_info   *info)
{
    CAIRN_ENTER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(tensor), CAIRN_GIVEN(info),
                CAIRN_SIZED(info, cairn_level_info));
    cairn_level_info own;

    CAIRN_TRY(check_level(&tensor->context->env, tensor->format, member, level));
    describe_level(tensor->format, tensor->local->group[member].layout, member, level,
                   &own);
    own.nodes = count_nodes(tensor->local, member, level);
    CAIRN_WRITE(info, own);
    return CAIRN_OK;
}

const char *cairn_catalogue_name(cairn_context *context, int k)
{
    const char    *found = NULL;
    cairn_library *library;

    if (!context) return NULL;
    if (cairn_library_catalogue(&context->env, &library) != CAIRN_OK) return NULL;
    if (k >= 0 && k < cairn_library_size(library)) {
        /* The library is gone on return, so the context keeps the name. */
        snprintf(context->name, sizeof context->name, "%s",
                 cairn_library_name(library, k));
        found = context->name;
    }
    cairn_library_destroy(&context->env, &library);
    return found;
}

cairn_status cairn_catalogue_definition(cairn_context *context,
                                        const char    *name,
                                        char         **text,
                                        int           *missing)
{
    CAIRN_ENTER(context, CAIRN_GIVEN(name), CAIRN_GIVEN(text), CAIRN_GIVEN(missing));

    cairn_library *library;

    CAIRN_TRY(cairn_library_catalogue(&context->env, &library));
    const cairn_status status =
        cairn_library_definition(&context->env, library, name, text, missing);

    cairn_library_destroy(&context->env, &library);
    return status;
}

cairn_status cairn_catalogue_note(cairn_context *context, const char *name, char **text)
{
    CAIRN_ENTER(context, CAIRN_GIVEN(name), CAIRN_GIVEN(text));

    cairn_library *library;

    CAIRN_TRY(cairn_library_catalogue(&context->env, &library));
    const cairn_status status = cairn_library_note(&context->env, library, name, text);

    cairn_library_destroy(&context->env, &library);
    return status;
}
