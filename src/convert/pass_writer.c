// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Passes written down, with their bytes.

#include "convert/pass_writer.h"

cairn_status cairn_passes_add(cairn_pass_writer *w,
                              cairn_pass_kind    what,
                              cairn_pass_unit    unit,
                              uint64_t           arrays,
                              cairn_pass_stores  stores,
                              double             bytes)
{
    cairn_pass pass = w->pass;

    pass.what   = what;
    pass.unit   = unit;
    pass.arrays = arrays;
    pass.stores = stores;
    pass.bytes  = bytes;
    return cairn_pass_list_add(w->program, &pass);
}

cairn_status cairn_passes_count(cairn_pass_writer *w, cairn_pass_unit unit)
{
    w->pass.index = w->program->indices++;
    return cairn_passes_add(w, CAIRN_PASS_COUNT, unit, 0, CAIRN_STORES_NONE,
                            unit == CAIRN_UNIT_RUN ? 8 * w->rows : w->read - w->values);
}

cairn_status cairn_passes_offsets(cairn_pass_writer *w)
{
    return cairn_passes_add(w, CAIRN_PASS_OFFSETS, CAIRN_UNIT_RUN, w->ptrs,
                            CAIRN_STORES_DIRECT, 12 * w->groups);
}

cairn_status cairn_passes_number(cairn_pass_writer *w,
                                 cairn_pass_unit    unit,
                                 cairn_number_rule  rule,
                                 uint64_t           arrays)
{
    /* Lists are put in order where they begin, and then their begins are written. */
    const double begins = arrays & w->ptrs ? 16 * w->groups : 0;

    CAIRN_TRY(cairn_passes_add(w, CAIRN_PASS_NUMBER, unit, arrays, CAIRN_STORES_NONE,
                               begins + (unit == CAIRN_UNIT_RUN ? 8 * w->rows : 0)));
    w->program->pass[w->program->passes - 1].rule = rule;
    return CAIRN_OK;
}

cairn_status cairn_passes_move(cairn_pass_writer *w,
                               cairn_pass_kind    what,
                               cairn_pass_unit    unit,
                               cairn_pass_stores  stores)
{
    const double times = stores == CAIRN_STORES_DIRECT ? 2 : 1;

    return cairn_passes_add(w, what, unit, w->arrays & ~w->ptrs, stores,
                            w->read + times * w->written
                                + (what == CAIRN_PASS_APPEND ? 12 * w->groups : 0));
}

cairn_status cairn_passes_share(cairn_pass_writer *w, uint64_t arrays)
{
    return cairn_passes_add(w, CAIRN_PASS_SHARE, CAIRN_UNIT_RUN, arrays,
                            CAIRN_STORES_NONE, 0);
}

cairn_status cairn_passes_pad(cairn_pass_writer *w)
{
    return cairn_passes_add(w, CAIRN_PASS_PAD, CAIRN_UNIT_RUN, w->arrays & ~w->ptrs,
                            CAIRN_STORES_DIRECT, 0);
}
