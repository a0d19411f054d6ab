// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Starts of functions on a card, and sums of many numbers there.

#include "convert/card/card_steps.h"

#include <assert.h>

static cairn_grid_call call_of(cairn_card_work *w)
{
    return (cairn_grid_call){
        .part = {{w->source.part, w->source.array}, {w->part, w->to}},
        .abi  = CAIRN_ABI_GRID_CONVERT,
        .args = &w->args
    };
}

cairn_status cairn_card_start(cairn_card_work *w, int function, int64_t turns)
{
    cairn_grid_call call = call_of(w);

    call.function = function;
    call.groups   = cairn_grid_convert_groups(turns);
    return turns > 0 ? w->grids->start(w->program, &call) : CAIRN_OK;
}

cairn_status cairn_card_start_keys(cairn_card_work         *w,
                                   cairn_grid_keys_function function,
                                   int64_t                  turns)
{
    cairn_grid_call call = call_of(w);

    assert(turns > 0);
    call.function = function;
    call.groups   = cairn_grid_keys_groups(function, turns);
    return w->grids->start(w->of_keys, &call);
}

cairn_status cairn_card_add_up(cairn_card_work *w, cairn_grid_address at, int64_t n)
{
    cairn_grid_address array[CAIRN_CARD_SUMS + 1]  = {at};
    int64_t            length[CAIRN_CARD_SUMS + 1] = {n};
    int                steps                       = 0;

    while (length[steps] > CAIRN_GRID_CONVERT_TILE) {
        assert(steps + 1 < CAIRN_CARD_SUMS);
        w->args.end   = length[steps];
        w->args.added = cairn_card_address(array[steps]);
        w->args.sum   = cairn_card_address(w->sum[steps]);
        CAIRN_TRY(cairn_card_start_keys(w, CAIRN_GRID_KEYS_SUM, length[steps]));
        array[steps + 1] = w->sum[steps];
        length[steps + 1] =
            (length[steps] + CAIRN_GRID_CONVERT_TILE - 1) / CAIRN_GRID_CONVERT_TILE;
        steps++;
    }
    /* Nothing is before the only tile. */
    CAIRN_TRY(w->grids->clear(w->program, w->sum[steps], sizeof(uint32_t)));
    for (int k = steps; k >= 0; k--) {
        w->args.end   = length[k];
        w->args.added = cairn_card_address(array[k]);
        w->args.sum   = cairn_card_address(w->sum[k]);
        CAIRN_TRY(cairn_card_start_keys(w, CAIRN_GRID_KEYS_SPREAD, length[k]));
    }
    return CAIRN_OK;
}
