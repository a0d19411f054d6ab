// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Prologue and table by rank 0; segments by their ranks, at offsets that follow from the
/// lengths of all ranks.

#include "comm/native.h"

#include "comm/collective.h"
#include "comm/output.h"
#include "format/language.h"
#include "io/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// This rank's segment while it is written.
typedef struct {
    cairn_comm        *comm;
    const cairn_local *tensor;
    char              *head;
    int64_t            head_bytes;
    cairn_native_row  *table; ///< [size]
    int64_t            total; ///< Length of the file.
    int64_t            version;
} writer;

static int64_t segment_length(const writer *w)
{
    int64_t length = w->head_bytes;

    for (int64_t p = 0; p < w->tensor->parts; p++) {
        cairn_array array[CAIRN_MAX_ARRAYS];
        const int   arrays = cairn_part_own_arrays(&w->tensor->part[p], array);

        for (int a = 0; a < arrays; a++)
            length += cairn_native_array_bytes(&array[a]);
    }
    return length;
}

/// Hand a segment's bytes, chunk by chunk, to the checksum and, with a file, to it.
static cairn_status for_each_chunk(const writer *w, cairn_file *file, uint32_t *crc)
{
    static const char zeros[64];
    int64_t           at = file ? w->table[w->comm->rank].offset : 0;

    *crc = cairn_native_crc(0, w->head, w->head_bytes);
    if (file) CAIRN_TRY(cairn_file_write_at(file, w->head, (size_t)w->head_bytes, at));
    at += w->head_bytes;
    for (int64_t p = 0; p < w->tensor->parts; p++) {
        cairn_array array[CAIRN_MAX_ARRAYS];
        const int   arrays = cairn_part_own_arrays(&w->tensor->part[p], array);

        for (int a = 0; a < arrays; a++) {
            const int64_t bytes = array[a].bytes;
            const int64_t rest  = cairn_native_array_bytes(&array[a]) - bytes;

            *crc = cairn_native_crc(*crc, array[a].data, bytes);
            *crc = cairn_native_crc(*crc, zeros, rest);
            if (file)
                CAIRN_TRY(cairn_file_write_at(file, array[a].data, (size_t)bytes, at));
            if (file && rest > 0)
                CAIRN_TRY(cairn_file_write_at(file, zeros, (size_t)rest, at + bytes));
            at += bytes + rest;
        }
    }
    return CAIRN_OK;
}

/// Give all ranks the length and checksum of each, and the highest version.
static cairn_status make_table(writer *w)
{
    cairn_native_row mine = {.length = segment_length(w)};
    uint32_t         crc;

    CAIRN_TRY(for_each_chunk(w, NULL, &crc)); /* without a file it cannot fail */
    mine.crc = crc;
    CAIRN_TRY(w->comm->ops->allgather(w->comm, &mine, sizeof mine, w->table));
    w->version = cairn_native_version(w->tensor);
    CAIRN_TRY(w->comm->ops->allreduce(w->comm, &w->version, 1, CAIRN_MAX));
    w->total = CAIRN_NATIVE_PROLOGUE + w->comm->size * (int64_t)sizeof mine;
    w->total = (w->total + 63) / 64 * 64;
    for (int r = 0; r < w->comm->size; r++) {
        w->table[r].offset = w->total;
        w->total += w->table[r].length;
    }
    return CAIRN_OK;
}

static cairn_status write_front(const writer *w, cairn_file *file)
{
    const int64_t bytes = w->comm->size * (int64_t)sizeof *w->table;
    char          prologue[CAIRN_NATIVE_PROLOGUE];

    if (w->comm->rank != 0) return CAIRN_OK;
    cairn_native_put_prologue(prologue, w->version, w->comm->size, w->total,
                              cairn_native_crc(0, w->table, bytes));
    CAIRN_TRY(cairn_file_write_at(file, prologue, sizeof prologue, 0));
    return cairn_file_write_at(file, w->table, (size_t)bytes, sizeof prologue);
}

static cairn_status write_file(writer *w, const char *path)
{
    cairn_file   file   = {.env = w->comm->env, .fd = -1};
    cairn_status status = cairn_output_open(w->comm, path, &file);
    uint32_t     crc;

    if (status == CAIRN_OK) status = write_front(w, &file);
    if (status == CAIRN_OK) status = for_each_chunk(w, &file, &crc);
    if (status == CAIRN_OK && w->comm->rank != 0) status = cairn_file_sync(&file);
    return cairn_output_finish(w->comm, status, &file);
}

cairn_status cairn_native_write_file(cairn_comm        *comm,
                                     const char        *path,
                                     const cairn_local *tensor,
                                     const char        *text,
                                     int64_t           *bytes)
{
    writer           w         = {.comm = comm, .tensor = tensor};
    cairn_collective arguments = {0};
    cairn_status status = cairn_native_describe(tensor, text, &w.head, &w.head_bytes);

    cairn_collective_text(&arguments, "file", path);
    if (status == CAIRN_OK) status = CAIRN_NEW(comm->env, comm->size, &w.table);
    status = cairn_comm_agree_on(comm, status, &arguments);
    if (status == CAIRN_OK) status = make_table(&w);
    if (status == CAIRN_OK) status = write_file(&w, path);
    if (status == CAIRN_OK) *bytes = w.total;
    cairn_free(comm->env, w.head);
    cairn_free(comm->env, w.table);
    return status;
}

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

cairn_status cairn_native_probe(cairn_env *env, const char *path, bool *native)
{
    char      magic[8] = "";
    size_t    got      = 0;
    const int fd       = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    /* Not blocking: a pipe may have no writer. It cannot be read here, hence is no
     * native file; the reader of the other kinds says what it is. */
    CAIRN_CHECK(fd >= 0, env, CAIRN_IO, "read: %s: %s", path, strerror(errno));
    const cairn_status status =
        cairn_read_at(env, path, fd, magic, sizeof magic, 0, &got);

    *native = status == CAIRN_OK && got == sizeof magic
              && memcmp(magic, CAIRN_NATIVE_MAGIC, sizeof magic) == 0;
    close(fd);
    return CAIRN_OK;
}

/// What one segment says of itself, for comparison with the others.
typedef struct {
    int64_t     segment;
    cairn_shape shape;
    int64_t     lo, hi; ///< Its rows.
    uint32_t    format; ///< Checksum of the text.
    int         value_bits;
} native_facts;

/// A file being read by this rank.
typedef struct {
    cairn_comm       *comm;
    const char       *path;
    int               fd;
    int64_t           length, segments;
    cairn_native_row *table;
    cairn_shape       shape;
    cairn_entries     entries;
    int64_t           facts; ///< Segments that this rank read,
    native_facts     *fact;  ///< [segments] what they say.
} file_reader;

/// Between the table and the first segment there are zeros, which no checksum covers.
static cairn_status check_gap(file_reader *r)
{
    const int64_t begin =
        CAIRN_NATIVE_PROLOGUE + r->segments * (int64_t)sizeof *r->table;
    const int64_t end = (begin + 63) / 64 * 64;
    char          gap[64];

    if (r->segments == 0) return CAIRN_OK;
    CAIRN_TRY(read_at(r->comm->env, r->path, r->fd, gap, end - begin, begin));
    for (int64_t k = 0; k < end - begin; k++)
        CAIRN_CHECK(gap[k] == 0, r->comm->env, CAIRN_BAD_FILE,
                    "read: %s: byte %" PRId64 " between table and segments is not 0",
                    r->path, begin + k);
    return CAIRN_OK;
}

/// Segments follow one another from behind the table to the end of the file.
static cairn_status check_table(file_reader *r)
{
    int64_t next =
        (CAIRN_NATIVE_PROLOGUE + r->segments * (int64_t)sizeof *r->table + 63) / 64
        * 64;

    for (int64_t s = 0; s < r->segments; s++) {
        const cairn_native_row row = r->table[s];

        CAIRN_CHECK(row.offset == next && row.length >= 0
                        && row.length <= r->length - row.offset,
                    r->comm->env, CAIRN_BAD_FILE,
                    "read: %s: segment %" PRId64 " lies outside the file", r->path, s);
        next += row.length;
    }
    CAIRN_CHECK(r->segments == 0 || next == r->length, r->comm->env, CAIRN_BAD_FILE,
                "read: %s: %" PRId64 " bytes behind the last segment", r->path,
                r->length - next);
    return CAIRN_OK;
}

static cairn_status read_table(file_reader *r)
{
    cairn_env *env = r->comm->env;
    char       prologue[CAIRN_NATIVE_PROLOGUE];
    uint32_t   crc;

    CAIRN_CHECK(r->length >= CAIRN_NATIVE_PROLOGUE, env, CAIRN_BAD_FILE,
                "read: %s: the file ends within its prologue", r->path);
    CAIRN_TRY(read_at(env, r->path, r->fd, prologue, sizeof prologue, 0));
    CAIRN_TRY(cairn_native_get_prologue(env, r->path, prologue, r->length, &r->segments,
                                        &crc));
    const int64_t bytes = r->segments * (int64_t)sizeof *r->table;

    CAIRN_TRY(CAIRN_NEW(env, r->segments, &r->table));
    CAIRN_TRY(read_at(env, r->path, r->fd, r->table, bytes, sizeof prologue));
    CAIRN_CHECK(crc == cairn_native_crc(0, r->table, bytes), env, CAIRN_BAD_FILE,
                "read: %s: the table's checksum is wrong", r->path);
    CAIRN_TRY(check_table(r));
    CAIRN_TRY(check_gap(r));
    return CAIRN_NEW(env, r->segments, &r->fact);
}

/// Load segment @p s; @p bytes is freed with cairn_free().
static cairn_status load_segment(file_reader *r, int64_t s, char **bytes)
{
    cairn_env             *env = r->comm->env;
    const cairn_native_row row = r->table[s];

    CAIRN_TRY(cairn_check_memory(env, r->path, row.length));
    CAIRN_TRY(cairn_alloc(env, row.length, 1, (void **)bytes));
    cairn_status status = read_at(env, r->path, r->fd, *bytes, row.length, row.offset);

    if (status == CAIRN_OK && row.crc != cairn_native_crc(0, *bytes, row.length))
        status = cairn_fail(env, CAIRN_BAD_FILE,
                            "read: %s: the checksum of segment %" PRId64 " is wrong",
                            r->path, s);
    if (status != CAIRN_OK) cairn_free(env, *bytes);
    return status;
}

/// Note what a segment says. Bytes between fields are zero, so that facts compare as
/// bytes.
static cairn_status note_facts(file_reader        *r,
                               int64_t             segment,
                               const cairn_local  *tensor,
                               const cairn_format *format)
{
    native_facts *fact = &r->fact[r->facts];
    char         *text;

    CAIRN_TRY(cairn_format_print(r->comm->env, format, &text));
    memset(fact, 0, sizeof *fact);
    fact->segment     = segment;
    fact->shape.order = tensor->shape.order;
    for (int k = 0; k < tensor->shape.order; k++)
        fact->shape.extent[k] = tensor->shape.extent[k];
    fact->lo         = tensor->box[0].lo;
    fact->hi         = tensor->box[0].hi;
    fact->format     = cairn_native_crc(0, text, (int64_t)strlen(text));
    fact->value_bits = tensor->value_bits;
    r->facts++;
    cairn_free(r->comm->env, text);
    return CAIRN_OK;
}

/// Read segment @p s as a tensor; both are the caller's to destroy.
static cairn_status
take_segment(file_reader *r, int64_t s, cairn_local **tensor, cairn_format **format)
{
    cairn_env *env = r->comm->env;
    char      *bytes;

    CAIRN_TRY(load_segment(r, s, &bytes));
    const cairn_status status = cairn_native_read_tensor(
        env, r->path, bytes, r->table[s].length, tensor, format);

    cairn_free(env, bytes);
    CAIRN_TRY(status);
    return note_facts(r, s, *tensor, *format);
}

static cairn_status read_segment(file_reader *r, int64_t s)
{
    cairn_local  *tensor = NULL;
    cairn_format *format = NULL;
    cairn_status  status = take_segment(r, s, &tensor, &format);

    if (status == CAIRN_OK)
        status = cairn_native_add_entries(r->comm->env, r->path, tensor, &r->shape,
                                          &r->entries);
    cairn_local_destroy(&tensor);
    cairn_format_destroy(&format);
    return status;
}

static int by_segment(const void *a, const void *b)
{
    const native_facts *x = a, *y = b;

    return (x->segment > y->segment) - (x->segment < y->segment);
}

/// One tensor in one format, its rows in the order of the segments, without gaps.
static bool fit_together(const native_facts *fact, int64_t n)
{
    int64_t next = 0;

    for (int64_t s = 0; s < n; s++) {
        if (memcmp(&fact[s].shape, &fact[0].shape, sizeof fact[0].shape) != 0
            || fact[s].format != fact[0].format
            || fact[s].value_bits != fact[0].value_bits || fact[s].lo != next)
            return false;
        next = fact[s].hi + 1;
    }
    return n == 0 || next == fact[0].shape.extent[0];
}

/// Hold all segments against each other: every rank comes to the same verdict.
static cairn_status check_facts(file_reader *r)
{
    cairn_comm   *comm = r->comm;
    native_facts *all  = NULL;
    int64_t       n;

    CAIRN_TRY(
        cairn_comm_gather(comm, r->fact, r->facts, sizeof *all, (void **)&all, &n));
    qsort(all, (size_t)n, sizeof *all, by_segment);
    const bool fits = fit_together(all, n);

    cairn_free(comm->env, all);
    CAIRN_CHECK(fits, comm->env, CAIRN_BAD_FILE,
                "read: %s: its segments are not the parts of one tensor", r->path);
    return CAIRN_OK;
}

static cairn_status read_segments(file_reader *r)
{
    CAIRN_TRY(read_table(r));
    for (int64_t s = r->comm->rank; s < r->segments; s += r->comm->size)
        CAIRN_TRY(read_segment(r, s));
    return CAIRN_OK;
}

static cairn_status open_file(file_reader *r)
{
    r->fd = open(r->path, O_RDONLY | O_CLOEXEC);
    CAIRN_CHECK(r->fd >= 0, r->comm->env, CAIRN_IO, "read: %s: %s", r->path,
                strerror(errno));
    r->length = lseek(r->fd, 0, SEEK_END);
    return CAIRN_OK;
}

static cairn_status open_and_read(file_reader *r)
{
    CAIRN_TRY(open_file(r));
    return read_segments(r);
}

static void close_file(file_reader *r)
{
    if (r->fd >= 0) close(r->fd);
    cairn_free(r->comm->env, r->table);
    cairn_free(r->comm->env, r->fact);
}

/// This rank's own segment, if every rank has one.
static cairn_status
open_and_take(file_reader *r, cairn_local **tensor, cairn_format **format)
{
    CAIRN_TRY(open_file(r));
    CAIRN_TRY(read_table(r));
    if (r->segments != r->comm->size) return CAIRN_OK;
    return take_segment(r, r->comm->rank, tensor, format);
}

cairn_status cairn_native_take_file(cairn_comm    *comm,
                                    const char    *path,
                                    cairn_local  **tensor,
                                    cairn_format **format)
{
    file_reader   r      = {.comm = comm, .path = path, .fd = -1};
    cairn_local  *own    = NULL;
    cairn_format *text   = NULL;
    cairn_status  status = cairn_comm_agree(comm, open_and_take(&r, &own, &text));

    if (status == CAIRN_OK) status = check_facts(&r);
    close_file(&r);
    if (status == CAIRN_OK) {
        *tensor = own;
        *format = text;
        return CAIRN_OK;
    }
    cairn_local_destroy(&own);
    cairn_format_destroy(&text);
    return status;
}

/// Those of the segments that are this rank's: equal numbers, the first ranks more.
static cairn_status open_and_take_some(file_reader *r, cairn_native_segments *own)
{
    cairn_env    *env  = r->comm->env;
    const int64_t size = r->comm->size;

    CAIRN_TRY(open_file(r));
    CAIRN_TRY(read_table(r));
    CAIRN_CHECK(r->segments > 0, env, CAIRN_BAD_FILE, "read: %s: it has no segment",
                r->path);
    const int64_t first = (r->segments * r->comm->rank + size - 1) / size;
    const int64_t end   = (r->segments * (r->comm->rank + 1) + size - 1) / size;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, end - first, &own->tensor));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, end - first, &own->format));
    for (int64_t s = first; s < end; s++) {
        const int64_t k = own->count++;

        CAIRN_TRY(take_segment(r, s, &own->tensor[k], &own->format[k]));
    }
    return CAIRN_OK;
}

cairn_status cairn_native_take_segments(cairn_comm            *comm,
                                        const char            *path,
                                        cairn_native_segments *segments)
{
    file_reader r = {.comm = comm, .path = path, .fd = -1};

    *segments           = (cairn_native_segments){.count = 0};
    cairn_status status = cairn_comm_agree(comm, open_and_take_some(&r, segments));

    if (status == CAIRN_OK) status = check_facts(&r);
    close_file(&r);
    return status;
}

void cairn_native_segments_fini(cairn_env *env, cairn_native_segments *segments)
{
    for (int64_t k = 0; k < segments->count; k++) {
        cairn_local_destroy(&segments->tensor[k]);
        cairn_format_destroy(&segments->format[k]);
    }
    cairn_free(env, segments->tensor);
    cairn_free(env, segments->format);
    *segments = (cairn_native_segments){.count = 0};
}

/// Ranks without a segment learn the shape from the first that has one.
static cairn_status share_shape(file_reader *r)
{
    cairn_shape first = r->shape;

    CAIRN_TRY(r->comm->ops->broadcast(r->comm, &first, sizeof first, 0));
    cairn_status status = CAIRN_OK;

    if (first.order == 0)
        status = cairn_fail(r->comm->env, CAIRN_BAD_FILE, "read: %s: it has no segment",
                            r->path);
    else if (r->shape.order == 0)
        cairn_entries_init(&r->entries, first.order);
    else if (memcmp(&first, &r->shape, sizeof first) != 0)
        status = cairn_fail(r->comm->env, CAIRN_BAD_FILE,
                            "read: %s: its segments are of different shapes", r->path);
    r->shape = first;
    return status;
}

cairn_status cairn_native_read_file(cairn_comm    *comm,
                                    const char    *path,
                                    cairn_shape   *shape,
                                    cairn_entries *entries)
{
    file_reader  r      = {.comm = comm, .path = path, .fd = -1};
    cairn_status status = cairn_comm_agree(comm, open_and_read(&r));

    if (status == CAIRN_OK) status = check_facts(&r);
    if (status == CAIRN_OK) status = cairn_comm_agree(comm, share_shape(&r));
    close_file(&r);
    if (status == CAIRN_OK) {
        *shape   = r.shape;
        *entries = r.entries;
    } else {
        cairn_entries_fini(comm->env, &r.entries);
    }
    return status;
}

/// What segment 0 says of the whole, on rank 0.
static cairn_status read_origin(file_reader *r, char **text, int *value_bits)
{
    cairn_local  *tensor = NULL;
    cairn_format *format = NULL;

    CAIRN_TRY(open_file(r));
    CAIRN_TRY(read_table(r));
    CAIRN_CHECK(r->segments > 0, r->comm->env, CAIRN_BAD_FILE,
                "read: %s: it has no segment", r->path);
    cairn_status status = take_segment(r, 0, &tensor, &format);

    if (status == CAIRN_OK) {
        *value_bits = tensor->value_bits;
        status      = cairn_format_print(r->comm->env, format, text);
    }
    cairn_local_destroy(&tensor);
    cairn_format_destroy(&format);
    return status;
}

cairn_status cairn_native_read_origin(cairn_comm *comm,
                                      const char *path,
                                      char      **text,
                                      int        *value_bits)
{
    file_reader  r      = {.comm = comm, .path = path, .fd = -1};
    char        *own    = NULL;
    int          bits   = 0;
    cairn_status status = cairn_comm_agree(
        comm, comm->rank == 0 ? read_origin(&r, &own, &bits) : CAIRN_OK);

    close_file(&r);
    if (status == CAIRN_OK) status = cairn_comm_share_text(comm, 0, &own);
    if (status == CAIRN_OK) status = comm->ops->broadcast(comm, &bits, sizeof bits, 0);
    if (status == CAIRN_OK) {
        *text       = own;
        *value_bits = bits;
    } else {
        cairn_free(comm->env, own);
    }
    return status;
}
