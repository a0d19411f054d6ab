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

static void
range(reading *r, const char *begin, const char *end, cairn_text_range *place)
{
    r->status =
        cairn_hb_read_cards(&r->env, "a.rua", &r->hb, begin, end, place, &r->hb_cards);
    r->hb_lines += place->lines;
}

/// What stands for one rank: all cards are there.
static cairn_status complete(reading *r)
{
    cairn_hb_cards *const cards   = &r->hb_cards;
    cairn_hb_columns      columns = {.first = 0};
    cairn_hb_step        *steps   = NULL;

    CAIRN_TRY(cairn_hb_check_pointers(&r->env, "a.rua", &r->hb, cards, 0));
    CAIRN_TRY(cairn_hb_check_end(&r->env, "a.rua", &r->hb, r->hb_lines));
    r->entries.n        = r->hb.entries;
    r->entries.coord[0] = cards->index;
    r->entries.value    = cards->value;
    cards->index        = NULL;
    cards->value        = NULL;
    columns.column      = cairn_hb_pointers_to(cards, 0) - 1;
    if (r->hb.entries > 0)
        columns.steps = cairn_hb_steps(cards, 0, r->hb.entries, NULL);
    steps = calloc((size_t)columns.steps + 1, sizeof *steps);
    if (r->hb.entries > 0) cairn_hb_steps(cards, 0, r->hb.entries, steps);
    columns.step = steps;

    const cairn_status status =
        cairn_hb_complete(&r->env, "a.rua", &r->hb, &columns, &r->entries);

    free(steps);
    return status;
}

static void finish(reading *r)
{
    r->status = complete(r);
}

static void end(reading *r)
{
    cairn_hb_cards_fini(&r->env, &r->hb_cards);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const text_kind kind = {header, nothing, range, finish, end};

    return check_text(&kind, data, size);
}
