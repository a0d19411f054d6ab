// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The method of a card: keys of all positions, sorted there, and the arrays that follow
/// from them. It applies where a card is listed, copies to it have been measured (or the
/// method is asked for), and its functions may be compiled.

#include "convert/card.h"
#include "convert/passes.h"
#include "lower/grid_conversion/grid_convert.h"

static cairn_status applies(cairn_compiled *c, bool *may)
{
    const char *why;

    *may     = cairn_card_can(c, &why);
    c->slots = (cairn_slot_lanes){.by_lanes = false};
    if (!*may || cairn_card_is_asked_for(c->build)) return CAIRN_OK;
    const cairn_device_facts *info = &c->build->loader->card->device->info;

    *may = info->link.up > 0 && info->link.down > 0 && info->bandwidth > 0
           && cairn_build_worth(c->m->env, c->build) == CAIRN_BUILD_COMPILED;
    return CAIRN_OK;
}

static cairn_status sort_there(cairn_compiled *c)
{
    return cairn_card_sort(c);
}

static cairn_status number_there(cairn_compiled *c)
{
    return cairn_card_count(c);
}

static cairn_status fill_there(cairn_compiled *c, const cairn_pass_call *call)
{
    if (c->m->rows.along) cairn_slots_write_determined(c, call->part);
    return cairn_card_fill(c, call->part);
}

static cairn_status pad_there(cairn_compiled *c, const cairn_pass_call *call)
{
    (void)call;
    return cairn_card_pad(c);
}

static const cairn_pass_work sorts   = {.prepare = sort_there},
                             numbers = {.prepare = number_there},
                             fills = {.write = fill_there}, pads = {.write = pad_there};

/// Seconds of an entry's bytes on the card's memory, and of starts.
static double on_card(const cairn_compiled *c, double bytes, double starts)
{
    static const double       a_start = 5e-6;
    const cairn_device_facts *info    = &c->build->loader->card->device->info;
    const double              n       = c->facts.entries ? (double)c->facts.entries : 1;

    return (info->bandwidth > 0 ? bytes / info->bandwidth : 0) + starts * a_start / n;
}

static double on_link(double bytes, double rate)
{
    return rate > 0 ? bytes / rate : 0;
}

/// The part of the source's bytes that is sent.
static double lacking(const cairn_compiled *c)
{
    const int64_t there = cairn_card_has_source(c);

    if (there == 0) return 1;
    const int64_t all = cairn_origin_group(&c->origin)->bytes;

    return all > there ? 1 - (double)there / (double)all : 0;
}

/// Where keys are known to come in order nothing is sorted; else each digit reads and writes
/// them. Positions that are no entries may stand among rows that come in order.
static cairn_status count_digits(const cairn_compiled *c, double *digits)
{
    const cairn_layout *from   = cairn_origin_layout(&c->origin);
    bool                sorted = c->facts.order.sorted >= c->m->layout->levels;
    cairn_key_fields    fields;

    if (c->m->rows.along) {
        sorted = true; /* as coordinates do */
        if (from) CAIRN_TRY(cairn_convert_by_rows(c->m->env, from, &sorted));
        sorted = sorted && !(from && from->pads);
    }
    if (c->m->blocks) sorted = true; /* they go where their keys say */
    *digits = sorted || !cairn_card_plan_keys(c, &fields)
                  ? 0
                  : fields.bits[0] / CAIRN_GRID_CONVERT_DIGIT + 1;
    return CAIRN_OK;
}

/// Name the device, and what the pass takes there.
static void
stands_on_card(const cairn_compiled *c, cairn_pass_writer *w, double seconds)
{
    cairn_pass *pass = cairn_pass_written(w);

    pass->place.device = c->build->loader->card->device->info.id;
    pass->place.rate   = pass->bytes > 0 ? seconds / pass->bytes : 0;
}

enum { KEY = 12, A_DIGIT = 32, STARTS = 8, A_ROW = 8, A_LINE = 12 };

static cairn_status sort_pass(const cairn_compiled *c, cairn_pass_writer *w)
{
    double times;

    CAIRN_TRY(count_digits(c, &times));
    const double sorted = KEY + w->read + times * A_DIGIT;

    CAIRN_TRY(cairn_passes_add(w, CAIRN_PASS_SORT, CAIRN_UNIT_ENTRY, 0,
                               CAIRN_STORES_NONE, w->read + sorted, &sorts));
    stands_on_card(
        c, w,
        on_link(w->read * lacking(c), c->build->loader->card->device->info.link.up)
            + on_card(c, sorted, STARTS * (1 + times)));
    return CAIRN_OK;
}

/// @p read: bytes of an entry that are read there.
static cairn_status
move_pass(const cairn_compiled *c, cairn_pass_writer *w, uint64_t arrays, double read)
{
    const double banks = (double)c->m->layout->banks;

    CAIRN_TRY(cairn_passes_add(w, CAIRN_PASS_MOVE, CAIRN_UNIT_ENTRY, arrays,
                               CAIRN_STORES_NONE, 2 * w->written + read, &fills));
    stands_on_card(c, w,
                   on_link(w->written, c->build->loader->card->device->info.link.down)
                       + on_card(c, w->written + read, STARTS * banks));
    return CAIRN_OK;
}

/// @p bytes: of an entry, of what says what slots lack.
static cairn_status
pad_pass(const cairn_compiled *c, cairn_pass_writer *w, double bytes)
{
    w->program->pads = true;
    CAIRN_TRY(cairn_passes_add(w, CAIRN_PASS_PAD, CAIRN_UNIT_RUN, w->arrays & ~w->ptrs,
                               CAIRN_STORES_NONE, bytes, &pads));
    stands_on_card(c, w, on_card(c, bytes, 1));
    return CAIRN_OK;
}

/// Slots begin on the processor, as for the method row-slots.
static cairn_status passes_to_slots(const cairn_compiled *c, cairn_pass_writer *w)
{
    const cairn_convert_spec lanes = cairn_slots_lanes_spec(c);

    w->program->division = (cairn_source_division){.most = INT64_MAX};
    CAIRN_TRY(cairn_passes_offsets(w, &cairn_offsets_of_slots));
    cairn_passes_call(w, &lanes);
    CAIRN_TRY(sort_pass(c, w));
    CAIRN_TRY(move_pass(c, w, w->arrays & ~w->ptrs, KEY));
    return pad_pass(c, w, A_ROW * w->rows);
}

/// Lines begin on the processor, as for the method groups.
static cairn_status passes_to_lines(const cairn_compiled *c, cairn_pass_writer *w)
{
    w->program->division.most = INT64_MAX;
    CAIRN_TRY(cairn_passes_offsets(w, &cairn_offsets_of_lines));
    CAIRN_TRY(sort_pass(c, w));
    CAIRN_TRY(move_pass(c, w, w->arrays & ~w->ptrs, KEY));
    return pad_pass(c, w, A_LINE * (double)cairn_lines_lanes(c->m->layout) * w->groups);
}

static cairn_status passes(const cairn_compiled *c, cairn_pass_writer *w)
{
    if (c->m->rows.along) return passes_to_slots(c, w);
    if (c->m->blocks) return passes_to_lines(c, w);
    w->program->pads      = cairn_grid_convert_pads(c->m->layout);
    const double depths   = __builtin_popcount(cairn_grid_convert_depths(c->m->layout));
    const double numbered = depths * 24;

    CAIRN_TRY(sort_pass(c, w));
    CAIRN_TRY(cairn_passes_add(w, CAIRN_PASS_NUMBER, CAIRN_UNIT_ENTRY, 0,
                               CAIRN_STORES_NONE, numbered, &numbers));
    stands_on_card(c, w, on_card(c, numbered, STARTS * depths));
    return move_pass(c, w, w->arrays, KEY);
}

const cairn_method cairn_method_card = {
    .name    = "card",
    .needs   = "a card that is listed, one rank, and a target of which queries number "
               "rows, entries along rows or at a distance, or groups along lines",
    .applies = applies,
    .passes  = passes,
};
