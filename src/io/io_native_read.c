// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Reading a segment back: infer the layouts anew from text, extents and box, lay the
/// arrays out, copy them, walk them.

#include "format/language.h"
#include "io/io_native.h"
#include "io/io_native_check.h"
#include "tensor/check.h"
#include "tensor/value_storage.h"

#include <inttypes.h>
#include <string.h>

typedef struct {
    cairn_env    *env;
    const char   *name;
    const char   *begin, *at, *end;
    cairn_local  *tensor;
    cairn_format *format;
    cairn_pos    *nodes; ///< [parts][CAIRN_MAX_LEVELS]
    int64_t       version;
    cairn_layout *stored[CAIRN_MAX_MEMBERS]; ///< Version 1: as the segment has them.
} reader;

static cairn_status broken(const reader *r, const char *why)
{
    return cairn_fail(r->env, CAIRN_BAD_FILE, "read: %s: %s", r->name, why);
}

static cairn_status get(reader *r, int64_t *value)
{
    if (r->end - r->at < 8) return broken(r, "a segment ends within its description");
    memcpy(value, r->at, sizeof *value);
    r->at += 8;
    return CAIRN_OK;
}

/// A number that must lie in lo..hi.
static cairn_status get_within(reader *r, int64_t lo, int64_t hi, int64_t *value)
{
    int64_t read;

    CAIRN_TRY(get(r, &read));
    if (read < lo || read > hi) return broken(r, "a number is out of its range");
    *value = read;
    return CAIRN_OK;
}

static cairn_status get_box(reader *r)
{
    cairn_local *t = r->tensor;

    for (int k = 0; k < t->shape.order; k++)
        CAIRN_TRY(get_within(r, 0, INT64_MAX / 4, &t->shape.extent[k]));
    for (int k = 0; k < t->shape.order; k++) {
        CAIRN_TRY(get_within(r, 0, t->shape.extent[k], &t->box[k].lo));
        CAIRN_TRY(get_within(r, -1, t->shape.extent[k] - 1, &t->box[k].hi));
        if (t->box[k].hi < t->box[k].lo - 1)
            return broken(r, "a number is out of its range");
        if (k > 0 && (t->box[k].lo != 0 || t->box[k].hi != t->shape.extent[k] - 1))
            return broken(r, "a segment has not all of its rows");
    }
    return CAIRN_OK;
}

static cairn_status get_format(reader *r, int64_t members)
{
    int64_t length;
    char   *text;

    CAIRN_TRY(get_within(r, 1, r->end - r->at - 8, &length));
    CAIRN_TRY(cairn_strndup(r->env, r->at, (size_t)length, &text));
    const cairn_status status =
        cairn_format_parse(r->env, NULL, text, r->name, &r->format);

    cairn_free(r->env, text);
    CAIRN_TRY(status);
    if (r->format->members != members || r->format->order != r->tensor->shape.order)
        return broken(r, "the format's text contradicts the segment");
    r->at += (length + 7) / 8 * 8;
    return CAIRN_OK;
}

static cairn_status get_head(reader *r)
{
    int64_t order, bits, rank, members;

    CAIRN_TRY(get_within(r, CAIRN_NATIVE_OLDEST, CAIRN_NATIVE_VERSION, &r->version));
    CAIRN_TRY(get_within(r, 1, CAIRN_MAX_ORDER, &order));
    CAIRN_TRY(get_within(r, 32, 64, &bits));
    if (bits != 32 && bits != 64) return broken(r, "a number is out of its range");
    CAIRN_TRY(get_within(r, 0, INT32_MAX, &rank));
    CAIRN_TRY(get_within(r, 1, CAIRN_MAX_MEMBERS, &members));
    r->tensor->shape.order = (int)order;
    r->tensor->value_bits  = bits == 32 ? 32 : 64;
    CAIRN_TRY(get_box(r));
    CAIRN_TRY(get_format(r, members));
    r->tensor->format = r->format;
    return CAIRN_OK;
}

/// Nodes of one bank: bounded by the file, since every node takes at least one byte
/// somewhere or is multiplied by what does.
static cairn_status get_bank(reader *r, int member, int64_t bank)
{
    cairn_local        *t      = r->tensor;
    const cairn_layout *layout = t->group[member].layout;
    cairn_part         *part   = &t->part[t->parts];
    cairn_pos          *nodes  = r->nodes + t->parts * CAIRN_MAX_LEVELS;
    int64_t             offset = 0, bytes = 0;

    CAIRN_TRY(get_within(r, 0, r->end - r->begin, &part->nnz));
    for (int l = 0; l < layout->levels; l++)
        CAIRN_TRY(get_within(r, 0, r->end - r->begin, &nodes[l]));
    part->where = (cairn_where){member, 0, 0, bank};
    cairn_part_place(layout, nodes, NULL, &offset, &bytes, part);
    t->parts++;
    return CAIRN_OK;
}

/// Can values of @p type be stored so? As they are read they are as wide as the tensor's,
/// or what the text asks for; anything, where it asks for no type.
static bool is_storage(const cairn_layout *layout, int64_t kind, int64_t bits)
{
    const int64_t carrier = layout->carrier_bits;

    if (kind == CAIRN_VALUE_FLOAT && bits == carrier) return true;
    if (layout->value_tuple >= 0) return false;
    if (!cairn_value_storage_fits(layout->encoding->val, layout->carrier_bits, kind,
                                  bits))
        return false;
    return kind == CAIRN_VALUE_ONE            ? bits == carrier
           : cairn_native_is_half(kind, bits) ? bits == 16
           : kind == CAIRN_VALUE_FLOAT        ? bits == 32
                                              : bits == 8 || bits == 16;
}

/// How a member's values are stored.
static cairn_status get_storage(reader *r, cairn_group *group)
{
    cairn_layout *wide = group->layout;
    int64_t       kind, bits;

    if (r->version <= CAIRN_NATIVE_WIDE) return CAIRN_OK;
    CAIRN_TRY(get_within(r, CAIRN_VALUE_FLOAT, CAIRN_VALUE_BFLOAT, &kind));
    CAIRN_TRY(get_within(r, 8, 64, &bits));
    if (!is_storage(wide, kind, bits)
        || (r->version <= CAIRN_NATIVE_NARROW && cairn_native_is_half(kind, bits)))
        return broken(r, "values cannot be stored as a segment says");
    if (kind == wide->value_kind && bits == wide->value_bits) return CAIRN_OK;
    CAIRN_TRY(cairn_layout_store(r->env, wide, (cairn_value_kind)kind, (int)bits,
                                 &group->layout));
    cairn_layout_destroy(r->env, &wide);
    return CAIRN_OK;
}

/// Make room for the parts of one more member.
static cairn_status more_parts(reader *r, int64_t banks)
{
    cairn_local  *t    = r->tensor;
    const int64_t most = t->parts + banks;

    CAIRN_TRY(cairn_check_memory(r->env, r->name,
                                 (__int128)most * (int64_t)sizeof(cairn_part)));
    CAIRN_TRY(cairn_realloc(r->env, most, sizeof *t->part, (void **)&t->part));
    return cairn_realloc(r->env, most * CAIRN_MAX_LEVELS, sizeof *r->nodes,
                         (void **)&r->nodes);
}

static cairn_status get_member(reader *r, int member)
{
    cairn_local          *t                       = r->tensor;
    const cairn_encoding *encoding                = r->format->member[member];
    cairn_group          *group                   = &t->group[member];
    cairn_interval        span[CAIRN_MAX_QUERIES] = {
               {0, 0}
    };
    int64_t queries;

    CAIRN_TRY(get_within(r, encoding->queries, encoding->queries, &queries));
    for (int q = 0; q < encoding->queries; q++) {
        /* As far as index arithmetic goes, so that no size overflows. */
        CAIRN_TRY(get_within(r, INT64_MIN / 4, INT64_MAX / 2, &span[q].lo));
        CAIRN_TRY(get_within(r, INT64_MIN / 4, INT64_MAX / 2, &span[q].hi));
    }
    CAIRN_TRY(cairn_layout_create(r->env, encoding, t->shape.extent, t->box, span,
                                  t->value_bits, &group->layout));
    t->groups++;
    if (r->version == 1)
        CAIRN_TRY(cairn_layout_create_v1(r->env, encoding, t->shape.extent, t->box,
                                         span, t->value_bits, &r->stored[member]));
    CAIRN_TRY(get_storage(r, group));
    group->first = t->parts;
    CAIRN_TRY(get_within(r, group->layout->banks, group->layout->banks, &group->count));
    if (group->count > (r->end - r->at) / 8) return broken(r, "more banks than bytes");
    CAIRN_TRY(more_parts(r, group->count));
    for (int64_t bank = 0; bank < group->count; bank++)
        CAIRN_TRY(get_bank(r, member, bank));
    return CAIRN_OK;
}

/// Arrays that no walk leaves.
static cairn_status check_sound(const reader *r, const cairn_part *part)
{
    cairn_fault fault;
    char        text[CAIRN_FAULT];

    if (cairn_part_is_sound(part, &fault)) return CAIRN_OK;
    cairn_fault_print(&fault, text);
    return broken(r, text);
}

/// Step over what version 1 stored of levels of one value, up to level @p last: an idx of
/// one element, or one tuple of several.
static cairn_status
skip_constants(reader *r, const cairn_layout *stored, int *level, int last)
{
    for (; stored && *level <= last; ++*level) {
        const cairn_level *its   = &stored->level[*level];
        int64_t            bytes = its->idx_bits / 8;

        if (*level <= stored->last || !cairn_level_is_constant(its)) continue;
        if (its->tuple >= 0) {
            const cairn_tuple *tuple = &stored->tuple[its->tuple];

            if (tuple->field[0] != *level) continue;
            bytes = (int64_t)tuple->size;
        }
        bytes = (bytes + 63) / 64 * 64;
        if (bytes > r->end - r->at)
            return broken(r, "a segment is shorter than its arrays");
        r->at += bytes;
    }
    return CAIRN_OK;
}

static cairn_status copy_part(reader *r, cairn_part *part)
{
    const cairn_layout *stored = r->stored[part->where.member];
    cairn_array         array[CAIRN_MAX_ARRAYS];
    const int           arrays = cairn_part_own_arrays(part, array);
    int                 level  = 0;

    for (int a = 0; a < arrays; a++) {
        const int64_t bytes = cairn_native_array_bytes(&array[a]);
        const int last = array[a].level >= 0 ? array[a].level : part->view.levels - 1;

        CAIRN_TRY(skip_constants(r, stored, &level, last));
        if (bytes > r->end - r->at)
            return broken(r, "a segment is shorter than its arrays");
        memcpy(array[a].data, r->at, (size_t)array[a].bytes);
        r->at += bytes;
    }
    CAIRN_TRY(skip_constants(r, stored, &level, part->view.levels - 1));
    if (!cairn_dictionary_fits(&part->view, r->tensor->value_bits))
        return broken(r, "a dictionary has values that are no f32");
    return check_sound(r, part);
}

static cairn_status copy_group(reader *r, int member)
{
    cairn_group *group = &r->tensor->group[member];
    int64_t      total = 0, bytes = 0;

    for (int64_t k = 0; k < group->count; k++)
        cairn_part_place(group->layout,
                         r->nodes + (group->first + k) * CAIRN_MAX_LEVELS, NULL, &total,
                         &bytes, &r->tensor->part[group->first + k]);
    if (bytes > r->end - r->at)
        return broken(r, "a segment is shorter than its arrays");
    CAIRN_TRY(cairn_check_memory(r->env, r->name, total));
    CAIRN_TRY(cairn_group_alloc_parts(r->env, group, r->nodes, r->tensor->part));
    if (group->layout->value_kind == CAIRN_VALUE_CODE && group->count > 0)
        CAIRN_TRY(cairn_group_add_dictionary(r->env, group, NULL, r->tensor->part));
    for (int64_t k = 0; k < group->count; k++)
        CAIRN_TRY(copy_part(r, &r->tensor->part[group->first + k]));
    return CAIRN_OK;
}

static cairn_status read_tensor(reader *r)
{
    CAIRN_TRY(get_head(r));
    for (int m = 0; m < r->format->members; m++)
        CAIRN_TRY(get_member(r, m));
    r->at = r->begin + (r->at - r->begin + 63) / 64 * 64;
    if (r->at > r->end) return broken(r, "a segment ends within its description");
    for (int m = 0; m < r->format->members; m++)
        CAIRN_TRY(copy_group(r, m));
    if (r->at != r->end) return broken(r, "a segment is longer than its arrays");
    for (int m = 0; m < r->format->members; m++) {
        bool holds;

        CAIRN_TRY(cairn_native_check(r->env, r->tensor, m, &holds));
        if (!holds) return broken(r, "a part does not hold as many entries as it says");
    }
    return CAIRN_OK;
}

cairn_status cairn_native_read_tensor(cairn_env     *env,
                                      const char    *name,
                                      const char    *begin,
                                      int64_t        length,
                                      cairn_local  **tensor,
                                      cairn_format **format)
{
    reader r = {
        .env = env, .name = name, .begin = begin, .at = begin, .end = begin + length};
    cairn_status status = CAIRN_NEW_ZERO(env, 1, &r.tensor);

    if (status == CAIRN_OK) {
        r.tensor->env = env;
        status        = read_tensor(&r);
    }
    cairn_free(env, r.nodes);
    for (int m = 0; m < CAIRN_MAX_MEMBERS; m++)
        cairn_layout_destroy(env, &r.stored[m]);
    if (status == CAIRN_OK) {
        *tensor = r.tensor;
        *format = r.format;
        return CAIRN_OK;
    }
    cairn_local_destroy(&r.tensor);
    cairn_format_destroy(&r.format);
    return status;
}

cairn_status cairn_native_add_entries(cairn_env         *env,
                                      const char        *name,
                                      const cairn_local *tensor,
                                      cairn_shape       *shape,
                                      cairn_entries     *entries)
{
    if (shape->order == 0) {
        *shape = tensor->shape;
        cairn_entries_init(entries, shape->order);
    }
    if (shape->order != tensor->shape.order
        || memcmp(shape->extent, tensor->shape.extent,
                  (size_t)shape->order * sizeof *shape->extent)
               != 0)
        return cairn_fail(env, CAIRN_BAD_FILE,
                          "read: %s: its segments are of different shapes", name);
    return cairn_local_entries(tensor, entries);
}
