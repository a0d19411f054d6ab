// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A caller's coordinates looked at once, as fast as they could be copied: whether all of
/// them are where they may be, and in what order they stand. Where something is wrong is
/// not told; who has to know looks again.

#ifndef CAIRN_ENTRIES_ENTRIES_LOOK_H
#define CAIRN_ENTRIES_ENTRIES_LOOK_H

#include "entries/entries.h"

/// What was seen.
typedef struct cairn_given_seen {
    bool inside; ///< Every coordinate is in its range; else nothing more is known.
    bool sorted; ///< By (d0, d1, ...), the same position side by side,
    bool once;   ///< and none is there twice.
} cairn_given_seen;

/// Look at all entries, on several threads where there are many.
///
/// Local.
///
/// @param[in] least, most  [order] of the coordinates, from the caller's `base` on. `extent`
///                         of @p given is not looked at.
///
/// Cost: one pass over the coordinates, no branch an entry for matrices.
void cairn_given_look(cairn_env         *env,
                      const cairn_given *given,
                      const cairn_coord *least,
                      const cairn_coord *most,
                      cairn_given_seen  *seen);

/// Of entries begin..end-1 alone: is each within, and does it come after the one that stands
/// before it? Of the entry before @p begin nothing else is asked.
bool cairn_given_ascends(const cairn_given *given,
                         const cairn_coord *least,
                         const cairn_coord *most,
                         cairn_pos          begin,
                         cairn_pos          end);

#endif
