// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Describing a segment, and the prologue.

#include "io/native/io_native.h"

#include "base/text.h"
#include "tensor/value_storage.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#    error \
        "the native file is little-endian, and arrays are written as they lie in memory"
#endif

uint32_t cairn_native_crc(uint32_t crc, const void *bytes, int64_t length)
{
    /* Of no bytes at NULL zlib would give what a checksum begins with. */
    return length > 0 ? (uint32_t)crc32_z(crc, bytes, (size_t)length) : crc;
}

uint32_t cairn_native_crc_join(uint32_t crc, uint32_t next, int64_t length)
{
    return (uint32_t)crc32_combine64(crc, next, length);
}

int64_t cairn_native_padded(int64_t bytes)
{
    return cairn_count_plus(bytes, 63) / 64 * 64;
}

static void put(cairn_text *out, int64_t value)
{
    cairn_text_add_bytes(out, (const char *)&value, sizeof value);
}

static void pad(cairn_text *out, size_t to)
{
    static const char zeros[64];

    cairn_text_add_bytes(out, zeros, (to - out->length % to) % to);
}

bool cairn_native_is_half(int64_t kind, int64_t bits)
{
    return kind == CAIRN_VALUE_BFLOAT || (kind == CAIRN_VALUE_FLOAT && bits == 16);
}

int64_t cairn_native_version(const cairn_local *tensor, int64_t rows)
{
    if (rows > 0) return rows;
    for (int g = 0; g < tensor->groups; g++)
        if (cairn_native_is_half(tensor->group[g].layout->values.kind,
                                 tensor->group[g].layout->values.bits))
            return CAIRN_NATIVE_HALF;
    return cairn_local_is_narrow(tensor) ? CAIRN_NATIVE_NARROW : CAIRN_NATIVE_WIDE;
}

static void
describe_member(const cairn_local *tensor, int64_t version, int member, cairn_text *out)
{
    const cairn_group  *group  = &tensor->group[member];
    const cairn_layout *layout = group->layout;

    put(out, layout->encoding->queries);
    for (int q = 0; q < layout->encoding->queries; q++) {
        put(out, layout->given.span[q].lo);
        put(out, layout->given.span[q].hi);
    }
    if (version > CAIRN_NATIVE_WIDE) {
        put(out, layout->values.kind);
        put(out, layout->values.bits);
    }
    put(out, group->count);
    for (int64_t k = 0; k < group->count; k++) {
        const cairn_part *part = &tensor->part[group->first + k];

        put(out, part->nnz);
        for (int l = 0; l < layout->levels; l++)
            put(out, part->view.level[l].nodes);
    }
}

cairn_status cairn_native_describe(const cairn_local *tensor,
                                   const char        *text,
                                   int64_t            rows,
                                   char             **head,
                                   int64_t           *bytes)
{
    const int64_t version = cairn_native_version(tensor, rows);
    cairn_text    out;

    cairn_text_init(&out, tensor->env);
    put(&out, version);
    put(&out, tensor->shape.order);
    put(&out, tensor->value_bits);
    put(&out, tensor->parts > 0 ? tensor->part[0].where.rank : 0);
    put(&out, tensor->groups);
    for (int k = 0; k < tensor->shape.order; k++)
        put(&out, tensor->shape.extent[k]);
    for (int k = 0; k < tensor->shape.order; k++) {
        put(&out, tensor->box[k].lo);
        put(&out, tensor->box[k].hi);
    }
    put(&out, (int64_t)strlen(text));
    cairn_text_add_bytes(&out, text, strlen(text));
    pad(&out, 8);
    for (int m = 0; m < tensor->groups; m++)
        describe_member(tensor, version, m, &out);
    pad(&out, 64);
    *bytes = (int64_t)out.length;
    return cairn_text_take(&out, head);
}

void cairn_native_put_prologue(char    *out,
                               int64_t  version,
                               int64_t  segments,
                               int64_t  length,
                               uint32_t table_crc)
{
    const int64_t word[4] = {version, segments, length, table_crc};

    memset(out, 0, CAIRN_NATIVE_PROLOGUE);
    memcpy(out, CAIRN_NATIVE_MAGIC, 8);
    memcpy(out + 8, word, sizeof word);
    const int64_t crc = cairn_native_crc(0, out, 56);

    memcpy(out + 56, &crc, sizeof crc);
}

cairn_status cairn_native_get_prologue(cairn_env  *env,
                                       const char *name,
                                       const char *in,
                                       int64_t     file_length,
                                       int64_t    *segments,
                                       uint32_t   *table_crc)
{
    int64_t word[4], crc;

    memcpy(word, in + 8, sizeof word);
    memcpy(&crc, in + 56, sizeof crc);
    CAIRN_CHECK(
        memcmp(in, CAIRN_NATIVE_MAGIC, 8) == 0 && crc == cairn_native_crc(0, in, 56),
        env, CAIRN_BAD_FILE, "read: %s: the prologue's checksum is wrong", name);
    CAIRN_CHECK(word[0] >= CAIRN_NATIVE_OLDEST && word[0] <= CAIRN_NATIVE_VERSION, env,
                CAIRN_BAD_FILE,
                "read: %s: version %" PRId64
                ", but this program knows versions %d to %d",
                name, word[0], CAIRN_NATIVE_OLDEST, CAIRN_NATIVE_VERSION);
    CAIRN_CHECK(word[2] == file_length, env, CAIRN_BAD_FILE,
                "read: %s: the file has %" PRId64 " bytes, but says %" PRId64, name,
                file_length, word[2]);
    CAIRN_CHECK(word[1] >= 0
                    && word[1]
                           <= (file_length - CAIRN_NATIVE_PROLOGUE) / CAIRN_NATIVE_ROW,
                env, CAIRN_BAD_FILE, "read: %s: its table does not fit into it", name);
    *segments  = word[1];
    *table_crc = (uint32_t)word[3];
    return CAIRN_OK;
}
