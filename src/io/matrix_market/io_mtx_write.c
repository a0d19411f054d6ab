// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Writing Matrix Market and FROSTT text.

#include "io/text/io_write.h"

#include <stdio.h>
#include <string.h>

enum {
    CHUNK = 1 << 16,                   ///< Bytes given to the sink at once.
    LINE  = 21 * CAIRN_MAX_ORDER + 32, ///< More than the longest entry takes.
};

/// Text on its way to the sink.
typedef struct {
    const cairn_sink *sink;
    size_t            n;
    char              text[CHUNK];
} writer;

static cairn_status flush(writer *w)
{
    const size_t n = w->n;

    w->n = 0;
    return n ? w->sink->write(w->sink->user, w->text, n) : CAIRN_OK;
}

cairn_status cairn_text_write_entries(const cairn_sink    *sink,
                                      const cairn_entries *entries)
{
    writer w = {.sink = sink, .n = 0};

    for (cairn_pos p = 0; p < entries->n; p++) {
        if (w.n + LINE > CHUNK) CAIRN_TRY(flush(&w));
        for (int k = 0; k < entries->order; k++) {
            w.n += cairn_print_integer(w.text + w.n, entries->coord[k][p] + 1);
            w.text[w.n++] = ' ';
        }
        w.n += cairn_print_double(w.text + w.n, entries->value[p]);
        w.text[w.n++] = '\n';
    }
    return flush(&w);
}

cairn_status cairn_mtx_write_values(const cairn_sink *sink,
                                    cairn_pos         n,
                                    const double     *value,
                                    cairn_pos         stride)
{
    writer w = {.sink = sink, .n = 0};

    for (cairn_pos p = 0; p < n; p++) {
        if (w.n + LINE > CHUNK) CAIRN_TRY(flush(&w));
        w.n += cairn_print_double(w.text + w.n, value[p * stride]);
        w.text[w.n++] = '\n';
    }
    return flush(&w);
}

cairn_status cairn_mtx_write_coordinate_header(const cairn_sink *sink,
                                               cairn_coord       rows,
                                               cairn_coord       cols,
                                               cairn_pos         nnz)
{
    char      text[160];
    const int n = snprintf(text, sizeof text,
                           "%%%%MatrixMarket matrix coordinate real general\n"
                           "%lld %lld %lld\n",
                           (long long)rows, (long long)cols, (long long)nnz);

    return sink->write(sink->user, text, (size_t)n);
}

cairn_status
cairn_mtx_write_array_header(const cairn_sink *sink, cairn_coord rows, cairn_coord cols)
{
    char      text[128];
    const int n = snprintf(text, sizeof text,
                           "%%%%MatrixMarket matrix array real general\n%lld %lld\n",
                           (long long)rows, (long long)cols);

    return sink->write(sink->user, text, (size_t)n);
}
