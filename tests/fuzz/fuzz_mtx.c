// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Text as Matrix Market. Several threads take slices of it, however short it is.

#include "io/matrix_market/io_mtx.h"
#include "lines.h"

static void
header(reading *r, const char *begin, const char *end, bool last, bool *more)
{
    r->status =
        cairn_mtx_read_header(&r->env, "a.mtx", begin, end, last, &r->mtx, more);
    r->begin = r->mtx.bytes;
    r->lines = r->mtx.lines;
    r->shape = (cairn_shape){
        .order = 2, .extent = {r->mtx.rows, r->mtx.cols}
    };
}

static void
range(reading *r, const char *begin, const char *end, cairn_text_range *place)
{
    const int           threads = r->env.options.threads;
    const cairn_mtx_way way     = {.env     = &r->env,
                                   .name    = "a.mtx",
                                   .header  = &r->mtx,
                                   .scanner = cairn_scanner_best(),
                                   .threads = threads};

    if (threads > 1)
        r->status =
            cairn_mtx_read_slices(&way, 2 * threads, begin, end, place, &r->entries);
    else
        r->status = cairn_mtx_read_entries(&r->env, "a.mtx", &r->mtx, begin, end, place,
                                           &r->entries);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const text_kind kind = {header, nothing, range, nothing, nothing};

    return check_text(&kind, data, size);
}
