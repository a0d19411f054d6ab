// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Opening a native file on all ranks: each sums an equal share of its bytes, whatever
/// segments they are of, and reads the descriptions of some segments.

#include "comm/native_file.h"

#include "comm/column_parts.h"
#include "format/language.h"
#include "io/stream/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 1 << 20 }; ///< Bytes that are summed at a time.

/* ---- the table ---- */

/// Read exactly @p bytes.
static cairn_status read_at(cairn_env  *env,
                            const char *path,
                            int         fd,
                            void       *out,
                            int64_t     bytes,
                            int64_t     offset)
{
    size_t got = 0;

    CAIRN_TRY(cairn_read_at(env, path, fd, out, (size_t)bytes, offset, &got));
    CAIRN_CHECK(got == (size_t)bytes, env, CAIRN_BAD_FILE,
                "read: %s: the file ends early", path);
    return CAIRN_OK;
}

/// Between the table and the first segment there are zeros, which no checksum covers.
static cairn_status check_gap(cairn_native_file *f)
{
    const int64_t begin =
        CAIRN_NATIVE_PROLOGUE + f->segments * (int64_t)sizeof *f->table;
    const int64_t end = (begin + 63) / 64 * 64;
    char          gap[64];

    CAIRN_TRY(read_at(f->comm->env, f->path, f->fd, gap, end - begin, begin));
    for (int64_t k = 0; k < end - begin; k++)
        CAIRN_CHECK(gap[k] == 0, f->comm->env, CAIRN_BAD_FILE,
                    "read: %s: byte %" PRId64 " between table and segments is not 0",
                    f->path, begin + k);
    return CAIRN_OK;
}

/// Segments follow one another from behind the table to the end of the file.
static cairn_status check_table(cairn_native_file *f)
{
    int64_t next =
        (CAIRN_NATIVE_PROLOGUE + f->segments * (int64_t)sizeof *f->table + 63) / 64
        * 64;

    for (int64_t s = 0; s < f->segments; s++) {
        const cairn_native_row row = f->table[s];

        CAIRN_CHECK(row.offset == next && row.length >= 0
                        && row.length <= f->length - row.offset,
                    f->comm->env, CAIRN_BAD_FILE,
                    "read: %s: segment %" PRId64 " lies outside the file", f->path, s);
        next += row.length;
    }
    CAIRN_CHECK(next == f->length, f->comm->env, CAIRN_BAD_FILE,
                "read: %s: %" PRId64 " bytes behind the last segment", f->path,
                f->length - next);
    return CAIRN_OK;
}

static cairn_status read_table(cairn_native_file *f)
{
    cairn_env *env = f->comm->env;
    char       prologue[CAIRN_NATIVE_PROLOGUE];
    uint32_t   crc;

    f->fd = open(f->path, O_RDONLY | O_CLOEXEC);
    CAIRN_CHECK(f->fd >= 0, env, CAIRN_IO, "read: %s: %s", f->path, strerror(errno));
    f->length = lseek(f->fd, 0, SEEK_END);
    CAIRN_CHECK(f->length >= CAIRN_NATIVE_PROLOGUE, env, CAIRN_BAD_FILE,
                "read: %s: the file ends within its prologue", f->path);
    CAIRN_TRY(read_at(env, f->path, f->fd, prologue, sizeof prologue, 0));
    CAIRN_TRY(cairn_native_get_prologue(env, f->path, prologue, f->length, &f->segments,
                                        &crc));
    const int64_t bytes = f->segments * (int64_t)sizeof *f->table;

    CAIRN_CHECK(f->segments > 0, env, CAIRN_BAD_FILE, "read: %s: it has no segment",
                f->path);
    CAIRN_TRY(CAIRN_NEW(env, f->segments, &f->table));
    CAIRN_TRY(read_at(env, f->path, f->fd, f->table, bytes, sizeof prologue));
    CAIRN_CHECK(crc == cairn_native_crc(0, f->table, bytes), env, CAIRN_BAD_FILE,
                "read: %s: the table's checksum is wrong", f->path);
    CAIRN_TRY(check_table(f));
    return check_gap(f);
}

/* ---- checksums ---- */

/// What a rank found of a segment's bytes.
typedef struct {
    int64_t segment, bytes, crc;
} byte_sum;

/// The bytes that a rank sums, and what it found, segment by segment.
typedef struct {
    int64_t   begin, end;
    int64_t   sums;
    byte_sum *sum; ///< [segments]
} summing;

/// Sum bytes @p begin .. @p end - 1 of the file.
static cairn_status sum_bytes(const cairn_native_file *f,
                              char                    *buffer,
                              int64_t                  begin,
                              int64_t                  end,
                              int64_t                 *sum)
{
    uint32_t crc = 0;

    while (begin < end) {
        const int64_t bytes = end - begin < CHUNK ? end - begin : CHUNK;

        CAIRN_TRY(read_at(f->comm->env, f->path, f->fd, buffer, bytes, begin));
        crc = cairn_native_crc(crc, buffer, bytes);
        begin += bytes;
    }
    *sum = crc;
    return CAIRN_OK;
}

static cairn_status sum_share(const cairn_native_file *f, summing *s)
{
    const cairn_comm *comm = f->comm;
    const int64_t     from = f->table[0].offset, all = f->length - from;
    char             *buffer;
    cairn_status      status = CAIRN_OK;

    s->begin = from + (int64_t)((__int128)all * comm->rank / comm->size);
    s->end   = from + (int64_t)((__int128)all * (comm->rank + 1) / comm->size);
    CAIRN_TRY(CAIRN_NEW(comm->env, f->segments, &s->sum));
    CAIRN_TRY(cairn_alloc(comm->env, CHUNK, 1, (void **)&buffer));
    for (int64_t k = 0; k < f->segments && status == CAIRN_OK; k++) {
        const int64_t begin = f->table[k].offset, end = begin + f->table[k].length;
        const int64_t low  = begin > s->begin ? begin : s->begin;
        const int64_t high = end < s->end ? end : s->end;
        byte_sum     *sum  = &s->sum[s->sums];

        if (low >= high) continue;
        *sum   = (byte_sum){.segment = k, .bytes = high - low};
        status = sum_bytes(f, buffer, low, high, &sum->crc);
        s->sums++;
    }
    cairn_free(comm->env, buffer);
    return status;
}

/// Join what all ranks found, which is in the order of the bytes; all come to one verdict.
static cairn_status
check_sums(const cairn_native_file *f, const byte_sum *sum, int64_t sums)
{
    int64_t next = 0;

    for (int64_t s = 0; s < f->segments; s++) {
        uint32_t crc = 0;

        for (; next < sums && sum[next].segment == s; next++)
            crc = cairn_native_crc_join(crc, (uint32_t)sum[next].crc, sum[next].bytes);
        CAIRN_CHECK(crc == f->table[s].crc, f->comm->env, CAIRN_BAD_FILE,
                    "read: %s: the checksum of segment %" PRId64 " is wrong", f->path,
                    s);
    }
    return CAIRN_OK;
}

static cairn_status check_bytes(const cairn_native_file *f)
{
    cairn_comm  *comm = f->comm;
    summing      s    = {.sums = 0};
    byte_sum    *all  = NULL;
    int64_t      sums;
    cairn_status status = cairn_comm_agree(comm, sum_share(f, &s));

    if (status == CAIRN_OK)
        status =
            cairn_comm_gather(comm, s.sum, s.sums, sizeof *all, (void **)&all, &sums);
    if (status == CAIRN_OK) status = cairn_comm_agree(comm, check_sums(f, all, sums));
    cairn_free(comm->env, s.sum);
    cairn_free(comm->env, all);
    return status;
}

/* ---- descriptions ---- */

cairn_status cairn_native_file_segment(const cairn_native_file *f,
                                       int64_t                  s,
                                       cairn_native_segment    *segment)
{
    const cairn_native_bytes bytes = {.name   = f->path,
                                      .fd     = f->fd,
                                      .offset = f->table[s].offset,
                                      .length = f->table[s].length};

    return cairn_native_segment_open(f->comm->env, &bytes, segment);
}

/// Note what a segment says. Bytes between fields are zero, so that shapes compare as
/// bytes.
///
/// @param[in] segments  Of the file.
static cairn_status note_facts(const cairn_native_segment *segment,
                               int64_t                     segments,
                               int64_t                     number,
                               cairn_native_facts         *fact)
{
    const cairn_local        *tensor = segment->tensor;
    const cairn_distribution *said   = &segment->format->distribution;
    char                     *text;
    int                       down;

    CAIRN_TRY(cairn_format_print(segment->env, segment->format, &text));
    memset(fact, 0, sizeof *fact);
    fact->segment     = number;
    fact->shape.order = tensor->shape.order;
    for (int k = 0; k < tensor->shape.order; k++)
        fact->shape.extent[k] = tensor->shape.extent[k];
    fact->rows       = tensor->box[0];
    fact->format     = cairn_native_crc(0, text, (int64_t)strlen(text));
    fact->value_bits = tensor->value_bits;
    fact->values     = segment->values;
    fact->divides    = cairn_native_rows_divide(segment);
    fact->places     = segment->places > 0;
    fact->across     = 1;
    cairn_free(segment->env, text);
    fact->blocks  = said->kind == CAIRN_DISTRIBUTION_BLOCKS;
    fact->members = segment->version == CAIRN_NATIVE_VERSION;
    if (fact->members) {
        fact->across = segment->format->members;
        if (fact->blocks || tensor->shape.order != 2
            || tensor->shape.extent[0] % fact->across != 0)
            return cairn_native_broken(segment,
                                       "its members have no rows of their own");
    }
    if (!fact->blocks) return CAIRN_OK;
    if (segments > INT_MAX
        || cairn_column_parts_count(segment->env, said, (int)segments, &down,
                                    &fact->across)
               != CAIRN_OK
        || tensor->shape.order != 2 || tensor->shape.extent[0] % fact->across != 0
        || !fact->places)
        return cairn_native_broken(segment, "its rows are in no such blocks");
    return CAIRN_OK;
}

cairn_shape cairn_native_file_shape(const cairn_native_file *file)
{
    cairn_shape shape = file->fact[0].shape;

    shape.extent[0] /= file->fact[0].across;
    return shape;
}

cairn_coord
cairn_native_file_row(const cairn_native_file *file, int64_t s, cairn_coord place)
{
    const int across = file->fact[0].across;

    return file->fact[s - s % across].rows.lo / across
           + (place - file->fact[s].rows.lo);
}

cairn_interval cairn_native_file_columns(const cairn_native_file *file, int64_t s)
{
    const int      across = file->fact[0].across;
    const __int128 extent = file->fact[0].shape.extent[1];
    const int64_t  j      = s % across;

    return (cairn_interval){(cairn_coord)(extent * j / across),
                            (cairn_coord)(extent * (j + 1) / across) - 1};
}

/// Open every so many-th segment.
static cairn_status open_segments(cairn_native_file *f, cairn_native_facts **fact)
{
    const int64_t size = f->comm->size;
    const int64_t most = (f->segments + size - 1) / size;

    CAIRN_TRY(CAIRN_NEW_ZERO(f->comm->env, most, fact));
    CAIRN_TRY(CAIRN_NEW_ZERO(f->comm->env, most, &f->own));
    for (int64_t s = f->comm->rank; s < f->segments; s += size) {
        cairn_native_segment *own = &f->own[f->owns];

        CAIRN_TRY(cairn_native_file_segment(f, s, own));
        f->owns++;
        CAIRN_TRY(note_facts(own, f->segments, s, &(*fact)[f->owns - 1]));
    }
    return CAIRN_OK;
}

static int by_segment(const void *a, const void *b)
{
    const cairn_native_facts *x = a, *y = b;

    return (x->segment > y->segment) - (x->segment < y->segment);
}

/// One tensor in one format, its rows in the order of the segments, without gaps; in blocks
/// each of a row part's has all of its rows.
static bool fit_together(const cairn_native_facts *fact, int64_t n)
{
    int64_t next = 0;

    for (int64_t s = 0; s < n; s++) {
        if (memcmp(&fact[s].shape, &fact[0].shape, sizeof fact[0].shape) != 0
            || fact[s].format != fact[0].format
            || fact[s].value_bits != fact[0].value_bits
            || fact[s].places != fact[0].places || fact[s].members != fact[0].members
            || fact[s].rows.lo != next
            || (fact[0].blocks && s % fact[0].across > 0
                && cairn_interval_size(fact[s].rows)
                       != cairn_interval_size(fact[s - 1].rows)))
            return false;
        next = fact[s].rows.hi + 1;
    }
    return next == fact[0].shape.extent[0];
}

/// Hold all segments against each other: every rank comes to the same verdict.
static cairn_status check_facts(cairn_native_file *f, const cairn_native_facts *fact)
{
    cairn_comm *comm = f->comm;
    int64_t     n;

    CAIRN_TRY(
        cairn_comm_gather(comm, fact, f->owns, sizeof *fact, (void **)&f->fact, &n));
    qsort(f->fact, (size_t)n, sizeof *f->fact, by_segment);
    CAIRN_CHECK(n == f->segments && fit_together(f->fact, n), comm->env, CAIRN_BAD_FILE,
                "read: %s: its segments are not the parts of one tensor", f->path);
    return CAIRN_OK;
}

/* ---- opening ---- */

static cairn_status open_file(cairn_native_file *f)
{
    cairn_native_facts *fact = NULL;

    CAIRN_TRY(cairn_comm_agree(f->comm, read_table(f)));
    CAIRN_TRY(check_bytes(f));
    cairn_status status = cairn_comm_agree(f->comm, open_segments(f, &fact));

    if (status == CAIRN_OK) status = check_facts(f, fact);
    cairn_free(f->comm->env, fact);
    return status;
}

cairn_status
cairn_native_file_open(cairn_comm *comm, const char *path, cairn_native_file *f)
{
    *f = (cairn_native_file){.comm = comm, .path = path, .fd = -1};
    const cairn_status status = open_file(f);

    if (status != CAIRN_OK) cairn_native_file_close(f);
    return status;
}

void cairn_native_file_close(cairn_native_file *f)
{
    cairn_env *env = f->comm->env;

    for (int64_t k = 0; k < f->owns; k++)
        cairn_native_segment_close(&f->own[k]);
    cairn_free(env, f->own);
    cairn_free(env, f->fact);
    cairn_free(env, f->table);
    if (f->fd >= 0) close(f->fd);
    *f = (cairn_native_file){.comm = f->comm, .fd = -1};
}

cairn_status cairn_native_file_text(const cairn_native_file *f, char **text)
{
    char        *own    = NULL;
    cairn_status status = CAIRN_OK;

    if (f->comm->rank == 0)
        status = cairn_format_print(f->comm->env, f->own[0].format, &own);
    status = cairn_comm_agree(f->comm, status);
    if (status == CAIRN_OK) status = cairn_comm_share_text(f->comm, 0, &own);
    if (status == CAIRN_OK)
        *text = own;
    else
        cairn_free(f->comm->env, own);
    return status;
}
