// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Opening a segment: what it says of itself. The layouts are inferred anew from text,
/// extents and box, and so where its arrays begin.

#include "io/native/io_native_segment.h"

#include "format/language.h"
#include "io/stream/stream.h"
#include "tensor/value_storage.h"

#include <string.h>

enum { BUFFER = 4096 };

/// A description that is being read.
typedef struct {
    cairn_native_segment *segment;
    cairn_env            *env;
    cairn_local          *tensor;
    int64_t               at;       ///< Byte of the segment that is read next.
    int64_t               from, to; ///< Bytes that the buffer has.
    char                  buffer[BUFFER];
} reader;

cairn_status cairn_native_broken(const cairn_native_segment *segment, const char *why)
{
    return cairn_fail(segment->env, CAIRN_BAD_FILE, "read: %s: %s", segment->bytes.name,
                      why);
}

cairn_status cairn_native_fetch(const cairn_native_segment *segment,
                                void                       *out,
                                int64_t                     bytes,
                                int64_t                     at)
{
    const cairn_native_bytes *from = &segment->bytes;
    size_t                    got;

    if (at < 0 || bytes > from->length - at)
        return cairn_native_broken(segment, "a segment is shorter than its arrays");
    if (bytes == 0) return CAIRN_OK;
    if (from->memory) {
        memcpy(out, from->memory + at, (size_t)bytes);
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_read_at(segment->env, from->name, from->fd, out, (size_t)bytes,
                            from->offset + at, &got));
    if (got != (size_t)bytes)
        return cairn_native_broken(segment, "the file ends early");
    return CAIRN_OK;
}

static cairn_status broken(const reader *r, const char *why)
{
    return cairn_native_broken(r->segment, why);
}

/// Bytes of the segment from where it is read.
static int64_t bytes_left(const reader *r)
{
    return r->segment->bytes.length - r->at;
}

static cairn_status get(reader *r, int64_t *value)
{
    const int64_t left = bytes_left(r);

    if (left < 8) return broken(r, "a segment ends within its description");
    if (r->at < r->from || r->at + 8 > r->to) {
        r->from = r->at;
        r->to   = r->at + (left < BUFFER ? left : BUFFER);
        CAIRN_TRY(cairn_native_fetch(r->segment, r->buffer, r->to - r->from, r->from));
    }
    memcpy(value, r->buffer + (r->at - r->from), sizeof *value);
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
    cairn_native_segment *segment = r->segment;
    int64_t               length;
    char                 *text;

    CAIRN_TRY(get_within(r, 1, bytes_left(r) - 8, &length));
    CAIRN_TRY(cairn_alloc(r->env, length + 1, 1, (void **)&text));
    text[length]        = 0;
    cairn_status status = cairn_native_fetch(segment, text, length, r->at);

    if (status == CAIRN_OK)
        status = cairn_format_parse(r->env, NULL, text, segment->bytes.name,
                                    &segment->format);
    cairn_free(r->env, text);
    CAIRN_TRY(status);
    if (segment->format->members != members
        || segment->format->order != r->tensor->shape.order)
        return broken(r, "the format's text contradicts the segment");
    r->at += (length + 7) / 8 * 8;
    return CAIRN_OK;
}

static cairn_status get_head(reader *r)
{
    int64_t order, bits, rank, members;

    CAIRN_TRY(
        get_within(r, CAIRN_NATIVE_OLDEST, CAIRN_NATIVE_VERSION, &r->segment->version));
    CAIRN_TRY(get_within(r, 1, CAIRN_MAX_ORDER, &order));
    CAIRN_TRY(get_within(r, 32, 64, &bits));
    if (bits != 32 && bits != 64) return broken(r, "a number is out of its range");
    CAIRN_TRY(get_within(r, 0, INT32_MAX, &rank));
    CAIRN_TRY(get_within(r, 1, CAIRN_MAX_MEMBERS, &members));
    r->tensor->shape.order = (int)order;
    r->tensor->value_bits  = bits == 32 ? 32 : 64;
    CAIRN_TRY(get_box(r));
    CAIRN_TRY(get_format(r, members));
    r->tensor->format = r->segment->format;
    return CAIRN_OK;
}

/// Nodes of one bank: bounded by the file, since every node takes at least one byte
/// somewhere or is multiplied by what does.
static cairn_status get_bank(reader *r, int member, int64_t bank)
{
    cairn_local        *t      = r->tensor;
    const cairn_layout *layout = t->group[member].layout;
    cairn_part         *part   = &t->part[t->parts];
    cairn_pos          *nodes  = r->segment->nodes + t->parts * CAIRN_MAX_LEVELS;
    int64_t             offset = 0, bytes = 0;

    CAIRN_TRY(get_within(r, 0, r->segment->bytes.length, &part->nnz));
    for (int l = 0; l < layout->levels; l++)
        CAIRN_TRY(get_within(r, 0, r->segment->bytes.length, &nodes[l]));
    part->where = (cairn_where){member, 0, 0, bank};
    cairn_part_place(layout, nodes, NULL, &offset, &bytes, part);
    t->parts++;
    return CAIRN_OK;
}

/// Can values of @p type be stored so? As they are read they are as wide as the tensor's,
/// or what the text asks for; anything, where it asks for no type.
static bool is_storage(const cairn_layout *layout, int64_t kind, int64_t bits)
{
    const int64_t carrier = layout->values.carrier_bits;

    if (kind == CAIRN_VALUE_FLOAT && bits == carrier) return true;
    if (layout->values.tuple >= 0) return false;
    if (!cairn_value_storage_fits(layout->encoding->val, layout->values.carrier_bits,
                                  kind, bits))
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

    if (r->segment->version <= CAIRN_NATIVE_WIDE) return CAIRN_OK;
    CAIRN_TRY(get_within(r, CAIRN_VALUE_FLOAT, CAIRN_VALUE_BFLOAT, &kind));
    CAIRN_TRY(get_within(r, 8, 64, &bits));
    if (!is_storage(wide, kind, bits)
        || (r->segment->version <= CAIRN_NATIVE_NARROW
            && cairn_native_is_half(kind, bits)))
        return broken(r, "values cannot be stored as a segment says");
    if (kind == wide->values.kind && bits == wide->values.bits) return CAIRN_OK;
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

    CAIRN_TRY(cairn_check_memory(r->env, r->segment->bytes.name,
                                 (__int128)most * (int64_t)sizeof(cairn_part)));
    CAIRN_TRY(cairn_realloc(r->env, most, sizeof *t->part, (void **)&t->part));
    return cairn_realloc(r->env, most * CAIRN_MAX_LEVELS, sizeof *r->segment->nodes,
                         (void **)&r->segment->nodes);
}

static cairn_status get_member(reader *r, int member)
{
    cairn_local          *t                       = r->tensor;
    const cairn_encoding *encoding                = r->segment->format->member[member];
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
    if (r->segment->version == 1)
        CAIRN_TRY(cairn_layout_create_v1(r->env, encoding, t->shape.extent, t->box,
                                         span, t->value_bits,
                                         &r->segment->stored[member]));
    CAIRN_TRY(get_storage(r, group));
    group->first = t->parts;
    CAIRN_TRY(get_within(r, group->layout->banks, group->layout->banks, &group->count));
    if (group->count > (bytes_left(r)) / 8) return broken(r, "more banks than bytes");
    CAIRN_TRY(more_parts(r, group->count));
    for (int64_t bank = 0; bank < group->count; bank++)
        CAIRN_TRY(get_bank(r, member, bank));
    return CAIRN_OK;
}

/* ---- where the arrays are ---- */

/// Step over what version 1 stored of levels of one value, up to level @p last: an idx of
/// one element, or one tuple of several.
static void
skip_constants(const cairn_layout *stored, int *level, int last, int64_t *at)
{
    for (; stored && *level <= last; ++*level) {
        const cairn_level *its   = &stored->level[*level];
        int64_t            bytes = its->arrays.idx_bits / 8;

        if (*level <= stored->last || !cairn_level_is_constant(its)) continue;
        if (its->arrays.tuple >= 0) {
            const cairn_tuple *tuple = &stored->packs.tuple[its->arrays.tuple];

            if (tuple->field[0] != *level) continue;
            bytes = (int64_t)tuple->size;
        }
        *at = cairn_count_plus(*at, cairn_count_plus(bytes, 63) / 64 * 64);
    }
}

int cairn_native_part_arrays(const cairn_native_segment *segment,
                             int64_t                     number,
                             cairn_array                *array,
                             int64_t                    *at)
{
    const cairn_part   *part   = &segment->tensor->part[number];
    const cairn_layout *stored = segment->stored[part->where.member];
    int                 arrays = cairn_part_own_arrays(part, array);
    int                 level  = 0;

    /* It has no dictionary before that is read. */
    if (!part->view.dictionary && part->view.val_kind == CAIRN_VALUE_CODE
        && part->where.bank == 0)
        array[arrays++] =
            (cairn_array){.kind   = CAIRN_ARRAY_DICTIONARY,
                          .level  = -1,
                          .tuple  = -1,
                          .bits   = 64,
                          .length = (int64_t)1 << part->view.val_bits,
                          .bytes  = (int64_t)sizeof(double) << part->view.val_bits};
    at[0] = segment->begin[number];
    for (int a = 0; a < arrays; a++) {
        const int last = array[a].level >= 0 ? array[a].level : part->view.levels - 1;

        skip_constants(stored, &level, last, &at[a]);
        at[a + 1] = cairn_count_plus(at[a], cairn_native_padded(array[a].bytes));
    }
    skip_constants(stored, &level, part->view.levels - 1, &at[arrays]);
    return arrays;
}

/// Find where each part's arrays begin, and the user's rows; the last ones end where the
/// segment does.
static cairn_status find_arrays(reader *r)
{
    cairn_native_segment *segment = r->segment;
    int64_t               next    = (r->at + 63) / 64 * 64;

    if (next > segment->bytes.length)
        return broken(r, "a segment ends within its description");
    CAIRN_TRY(CAIRN_NEW(r->env, r->tensor->parts, &segment->begin));
    for (int64_t p = 0; p < r->tensor->parts; p++) {
        cairn_array array[CAIRN_MAX_ARRAYS];
        int64_t     at[CAIRN_MAX_ARRAYS + 1];

        segment->begin[p] = next;
        next              = at[cairn_native_part_arrays(segment, p, array, at)];
        if (next > segment->bytes.length)
            return broken(r, "a segment is shorter than its arrays");
        segment->values =
            cairn_count_plus(segment->values, r->tensor->part[p].view.values);
    }
    if (segment->version > CAIRN_NATIVE_HALF) {
        const int64_t rows = cairn_interval_size(r->tensor->box[0]);

        segment->places = next;
        next            = cairn_count_plus(next, cairn_native_padded(8 * rows));
        if (next > segment->bytes.length)
            return broken(r, "a segment is shorter than its places");
    }
    if (next != segment->bytes.length)
        return broken(r, "a segment is longer than its arrays");
    return CAIRN_OK;
}

cairn_status cairn_native_read_rows(const cairn_native_segment *segment,
                                    cairn_coord                 first,
                                    int64_t                     n,
                                    cairn_coord                *row)
{
    const cairn_local *tensor = segment->tensor;
    const cairn_coord  extent = tensor->shape.extent[0];

    CAIRN_TRY(cairn_native_fetch(segment, row, 8 * n,
                                 segment->places + 8 * (first - tensor->box[0].lo)));
    const bool ascends = segment->version == CAIRN_NATIVE_PLACES;

    for (int64_t k = 0; k < n; k++)
        if (row[k] < 0 || row[k] >= extent
            || (ascends && k > 0 && row[k] <= row[k - 1]))
            return cairn_native_broken(segment, "rows at places are out of order");
    return CAIRN_OK;
}

static cairn_status open_segment(cairn_env *env, cairn_native_segment *segment)
{
    reader r = {.segment = segment, .env = env};

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &segment->tensor));
    segment->tensor->env = env;
    r.tensor             = segment->tensor;
    CAIRN_TRY(get_head(&r));
    for (int m = 0; m < segment->format->members; m++)
        CAIRN_TRY(get_member(&r, m));
    return find_arrays(&r);
}

cairn_status cairn_native_segment_open(cairn_env                *env,
                                       const cairn_native_bytes *bytes,
                                       cairn_native_segment     *segment)
{
    *segment                  = (cairn_native_segment){.env = env, .bytes = *bytes};
    const cairn_status status = open_segment(env, segment);

    if (status != CAIRN_OK) cairn_native_segment_close(segment);
    return status;
}

void cairn_native_segment_close(cairn_native_segment *segment)
{
    cairn_env *env = segment->env;

    cairn_local_destroy(&segment->tensor);
    cairn_format_destroy(&segment->format);
    cairn_free(env, segment->nodes);
    cairn_free(env, segment->begin);
    for (int m = 0; m < CAIRN_MAX_MEMBERS; m++)
        cairn_layout_destroy(env, &segment->stored[m]);
    *segment = (cairn_native_segment){.env = env};
}
