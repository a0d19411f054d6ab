// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arrays that a file or a caller filled, checked against their layout
/// (docs/formats.md). What is wrong is reported as a fault: which array, where in it,
/// why.

#ifndef CAIRN_TENSOR_CHECK_H
#define CAIRN_TENSOR_CHECK_H

#include "tensor/walk.h"

#include <stdbool.h>

/// The first thing that is wrong with some arrays.
typedef struct cairn_fault {
    cairn_where where;  ///< Of the part.
    bool        banked; ///< It is a bank.
    int         level;  ///< -1: its values.
    const char *array;  ///< "ptr", "idx", "val"; "node" of a level; NULL: all of it.
    int64_t     at;     ///< Position in it, from 0.
    char        why[200];
} cairn_fault;

#define CAIRN_FAULT 320 ///< Bytes of a fault as text.

/// "member 1: bank 2: level 1: idx[7]: 9 is not within 0..4"
void cairn_fault_print(const cairn_fault *fault, char text[CAIRN_FAULT]);

/// Note what is wrong with a part; for those who look at what is not looked at here.
///
/// @return false
bool cairn_fault_note(cairn_fault      *fault,
                      const cairn_part *part,
                      int               level,
                      const char       *array,
                      int64_t           at,
                      const char       *fmt,
                      ...) __attribute__((format(printf, 6, 7)));

/// Is a part such that no walk leaves its arrays, and no arithmetic on its indices
/// overflows? Every ptr rises from 0 to its level's nodes, indices are in the ranges of
/// their levels (or holes of determined ones), levels that share nodes have as many.
///
/// Local. @p fault is set where it is not.
bool cairn_part_is_sound(const cairn_part *part, cairn_fault *fault);

/// Elements of a level's arrays that are in memory, where others are not; empty: none.
typedef struct cairn_at_hand {
    cairn_interval ptr, idx;
} cairn_at_hand;

/// The same of those elements of a part alone that are in memory, at addresses as if all
/// were.
///
/// Local. @p fault is set where they are not.
///
/// @param[in] have  [levels]
bool cairn_part_is_sound_at_hand(const cairn_part    *part,
                                 const cairn_at_hand *have,
                                 cairn_fault         *fault);

/// Has a part complete levels above one list, as compressed rows are, whose ptr rises? What
/// cairn_part_is_in_order() needs.
///
/// Local.
bool cairn_part_has_one_list(const cairn_part *part);

/// Is it known at a glance that the indices @p begin .. @p end - 1 of the one list of a part
/// are sound and ascend, from that before the first on? Each is read once for both. If all
/// are, the part is sound and its nodes ascend; if not, what is wrong takes another look.
///
/// Local. Pieces may be asked at the same time.
bool cairn_part_is_in_order(const cairn_part *part, int64_t begin, int64_t end);

/// Do the nodes of a sound part ascend under each parent, each path once? Levels whose
/// numbers are not stored are believed to.
///
/// Local. @p fault is set where they do not.
bool cairn_part_ascends(const cairn_part *part, cairn_fault *fault);

/// Does a list of children end where it begins? The library stores no such node, but
/// where all indices of a level are nodes.
bool cairn_part_has_childless(const cairn_part *part);

/// Does every position of a sound part that is to have coordinates have some inside its
/// box, and is every other value 0?
///
/// Local. A bit a value while it walks.
///
/// @param[in]  walker   Of the part's layout.
/// @param[out] entries  Stored; where the layout pads, values that are not 0.
/// @param[out] holds    If not, @p fault is set.
/// @return a failed allocation.
cairn_status cairn_part_check_positions(cairn_env        *env,
                                        cairn_walker     *walker,
                                        const cairn_part *part,
                                        cairn_pos        *entries,
                                        bool             *holds,
                                        cairn_fault      *fault);

/// Is no entry of a tensor stored twice, be it by two members?
///
/// Local.
///
/// @param[out] entries  Empty before; gets them, sorted.
/// @param[out] holds    If not, @p fault is set: the second place of the first such entry.
cairn_status cairn_local_check_once(const cairn_local *tensor,
                                    cairn_entries     *entries,
                                    bool              *holds,
                                    cairn_fault       *fault);

#endif
