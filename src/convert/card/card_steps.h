// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the files of a conversion on a card share. Internal to convert.

#ifndef CAIRN_CONVERT_CARD_STEPS_H
#define CAIRN_CONVERT_CARD_STEPS_H

#include "convert/card.h"
#include "convert/compiled.h"
#include "devices/grids.h"
#include "lower/grid_conversion/grid_convert.h"

/// Steps of a sum of sums: each has 1/2048 of the numbers.
enum { CAIRN_CARD_SUMS = 4 };

/// The source as it lies there: one part after the other, but the values of all.
typedef struct cairn_card_source {
    bool               there; ///< Some of its arrays, which are one part's, were there.
    const cairn_part  *part;  ///< The part at hand,
    cairn_grid_address array[CAIRN_MAX_ARRAYS]; ///< and its arrays.
    cairn_grid_address values;  ///< [positions] of all parts, or tuples that have them,
    cairn_grid_address sent;    ///< of which so many bytes are there.
    cairn_grid_address indices; ///< Room for the other arrays,
    cairn_grid_address outer;   ///< and for indices of the levels that number the part.
    cairn_grid_address members; ///< [positions] whose each is; 0: all are this one's.
    int64_t            positions; ///< Of all parts.
} cairn_card_source;

struct cairn_card_work {
    cairn_card_source         source;
    const cairn_device_grids *grids;
    cairn_grid_program       *of_keys; ///< Functions of keys,
    cairn_grid_program       *program; ///< and of the conversion, and all memory.
    cairn_grid_address        target;  ///< A block, with
    cairn_grid_address        to[CAIRN_MAX_ARRAYS];
    cairn_grid_address        key[2], at[2]; ///< The first of each are those that hold.
    cairn_grid_address        counts;        ///< Of digits, by tile.
    cairn_grid_address        number;        ///< [depths][positions + 1]
    cairn_grid_address      sum[CAIRN_CARD_SUMS]; ///< Of tiles, of tiles of these, ...
    cairn_grid_address      seen;
    int64_t                 entries;
    const cairn_part       *part; ///< That is filled; before, one without arrays.
    cairn_grid_convert_args args;
};

static inline cairn_conversion_card *cairn_card_of(const cairn_compiled *c)
{
    return c->build->loader->card;
}

static inline void *cairn_card_address(cairn_grid_address at)
{
    return (void *)(uintptr_t)at;
}

/// Pass on @p status. What fails there is the card's, and the build's to do otherwise.
///
/// @retval CAIRN_NO_DEVICE  It failed, whatever with: the card is not used again.
cairn_status cairn_card_note(const cairn_compiled *c, cairn_status status);

/// Get the functions of keys, and of the conversion, with which all memory goes.
cairn_status cairn_card_open(const cairn_compiled *c, cairn_card_work *w);

/// Get memory. @param[in] what  For messages. @param[out] at  Where it is.
cairn_status cairn_card_take(cairn_card_work    *w,
                             int64_t             bytes,
                             const char         *what,
                             cairn_grid_address *at);

/// Get memory for the arrays of the target, with what is written before entries are.
cairn_status cairn_card_take_target(const cairn_compiled *c, cairn_card_work *w);

/// Get memory for the arrays of all parts of the source, whose values lie one behind the
/// other. Coordinates are brought there, too, and which member each position is of.
cairn_status cairn_card_take_source(const cairn_compiled *c, cairn_card_work *w);

/// Bring the arrays of the source's part number @p number, which has values, there: these
/// behind those of the parts before, all else over theirs.
cairn_status
cairn_card_send_part(const cairn_compiled *c, cairn_card_work *w, int64_t number);

/// When all parts are there: the values of the part at hand are those of all from now on,
/// numbered from the first part on.
void cairn_card_join_values(cairn_card_work *w);

/// Send numbers of 32 bits. @param[out] there  Where they are.
cairn_status cairn_card_send_small(cairn_card_work    *w,
                                   const uint32_t     *number,
                                   int64_t             n,
                                   cairn_grid_address *there);

/// Send the numbers of rows by which some level goes, of those queries alone.
cairn_status cairn_card_send_table(const cairn_compiled *c, cairn_card_work *w);

/// Bring the arrays of the target back.
cairn_status cairn_card_fetch_target(cairn_card_work *w);

/// Start a function of the conversion; over no turns it is none.
cairn_status cairn_card_start(cairn_card_work *w, int function, int64_t turns);

/// Start a function of keys. @p turns: one at least.
cairn_status cairn_card_start_keys(cairn_card_work         *w,
                                   cairn_grid_keys_function function,
                                   int64_t                  turns);

/// Every number of @p n becomes the sum of all before it: sums of tiles, these in the same
/// way, and then each tile by itself.
cairn_status cairn_card_add_up(cairn_card_work *w, cairn_grid_address at, int64_t n);

#endif
