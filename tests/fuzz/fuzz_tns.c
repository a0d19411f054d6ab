// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Text as a FROSTT tensor.

#include "lines.h"

static void
header(reading *r, const char *begin, const char *end, bool last, bool *more)
{
    r->status =
        cairn_tns_read_header(&r->env, "a.tns", begin, end, last, &r->tns, more);
    r->begin = r->tns.bytes;
    r->lines = r->tns.lines;
    r->shape = (cairn_shape){.order = r->tns.order};
}

static void
range(reading *r, const char *begin, const char *end, cairn_text_range *place)
{
    r->status = cairn_tns_read_entries(&r->env, "a.tns", &r->tns, begin, end, place,
                                       r->shape.extent, &r->entries);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const text_kind kind = {header, nothing, range, nothing, nothing};

    return check_text(&kind, data, size);
}
