// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Binary files of PETSc, written: as MatView() writes them.

#include "io/petsc/io_petsc.h"

#include <string.h>

enum {
    CHUNK  = 1 << 16, ///< Bytes given to the sink at once.
    MATRIX = 1211216,
};

/// Numbers on their way to the sink.
typedef struct {
    const cairn_sink *sink;
    int               bytes; ///< Of a number.
    size_t            n;
    char              chunk[CHUNK];
} writer;

static cairn_status flush(writer *w)
{
    const size_t n = w->n;

    w->n = 0;
    return n ? w->sink->write(w->sink->user, w->chunk, n) : CAIRN_OK;
}

/// Big-endian.
static cairn_status put(writer *w, int64_t number)
{
    const uint32_t narrow = __builtin_bswap32((uint32_t)number);
    const uint64_t wide   = __builtin_bswap64((uint64_t)number);

    if (w->n + 8 > CHUNK) CAIRN_TRY(flush(w));
    memcpy(w->chunk + w->n, w->bytes == 8 ? (const void *)&wide : &narrow,
           (size_t)w->bytes);
    w->n += (size_t)w->bytes;
    return CAIRN_OK;
}

int cairn_petsc_int_bytes(const cairn_shape *shape, cairn_pos nnz)
{
    return nnz <= INT32_MAX && shape->extent[0] <= INT32_MAX
                   && shape->extent[1] <= INT32_MAX
               ? 4
               : 8;
}

cairn_status cairn_petsc_write_header(const cairn_sink  *sink,
                                      const cairn_shape *shape,
                                      cairn_pos          nnz,
                                      int                int_bytes)
{
    const int64_t header[] = {MATRIX, shape->extent[0], shape->extent[1], nnz};
    writer        w        = {.sink = sink, .bytes = int_bytes, .n = 0};

    for (int k = 0; k < 4; k++)
        CAIRN_TRY(put(&w, header[k]));
    return flush(&w);
}

static cairn_status write_lengths(writer              *w,
                                  const cairn_entries *entries,
                                  cairn_coord          first,
                                  cairn_coord          last)
{
    cairn_pos p = 0;

    for (cairn_coord i = first; i < last; i++) {
        const cairn_pos begin = p;

        while (p < entries->n && entries->coord[0][p] == i)
            p++;
        CAIRN_TRY(put(w, p - begin));
    }
    return flush(w);
}

cairn_status cairn_petsc_write_section(const cairn_sink    *sink,
                                       cairn_petsc_section  section,
                                       const cairn_entries *entries,
                                       cairn_coord          first,
                                       cairn_coord          last,
                                       int                  int_bytes)
{
    const bool values = section == CAIRN_PETSC_VALUES;
    writer     w      = {.sink = sink, .bytes = values ? 8 : int_bytes, .n = 0};

    if (section == CAIRN_PETSC_LENGTHS) return write_lengths(&w, entries, first, last);
    for (cairn_pos p = 0; p < entries->n; p++) {
        int64_t bits = entries->coord[1][p];

        if (values) memcpy(&bits, &entries->value[p], sizeof bits);
        CAIRN_TRY(put(&w, bits));
    }
    return flush(&w);
}
