// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Text as a Harwell-Boeing matrix.

#include "lines.h"

static void
header(reading *r, const char *begin, const char *end, bool last, bool *more)
{
    r->status = cairn_hb_read_header(&r->env, "a.rua", begin, end, last, &r->hb, more);
    r->begin  = r->hb.bytes;
    r->lines  = r->hb.lines;
    r->shape  = (cairn_shape){
         .order = 2, .extent = {r->hb.rows, r->hb.cols}
    };
    cairn_hb_probe(begin, end);
}

static void start(reading *r)
{
    cairn_hb_reader_init(&r->env, "a.rua", &r->hb, &r->entries, &r->hb_reader);
}

static void
range(reading *r, const char *begin, const char *end, cairn_text_range *place)
{
    (void)place; /* it knows its lines itself */
    r->status = cairn_hb_read_lines(&r->hb_reader, begin, end);
}

static void finish(reading *r)
{
    r->status = cairn_hb_reader_end(&r->hb_reader);
}

static void end(reading *r)
{
    cairn_hb_reader_fini(&r->hb_reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const text_kind kind = {header, start, range, finish, end};

    return check_text(&kind, data, size);
}
