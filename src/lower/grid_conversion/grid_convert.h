// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conversions lowered to groups of items (ir/ir.h, CAIRN_TURNS_GROUPS), for cards: every
/// position of the source becomes a key, keys are sorted where they do not come in order,
/// and the arrays of the target follow from keys that differ from the one before. Each
/// function does one step of this for all entries; the order in which they run, and what
/// they have in memory, is said at cairn_grid_convert_role. The arrays are those that the
/// phases of lower/conversion/convert.h fill, bit for bit.
///
/// One grid serves any pair of layouts that cairn_grid_convert_can(): levels are walked
/// from a position up, so that neighbouring items read neighbouring values, and no
/// format is known by its name.
///
/// Where a query numbers the entries along rows (`along` of the specification), a key is
/// the row and the column (fields 0 and 1), and the number of an entry is its place among
/// the keys in order without what the rows before have: from that and its row follows where
/// it goes.
///
/// Where a query numbers groups along lines (`blocks`), numbers were found before, and are
/// looked up by PACK: keys are not sorted, and each entry goes where its key says.
///
/// Numbers of rows that queries gave before (`tables`) are looked up by PACK, too; those that
/// they gave every entry come with its coordinates.
///
/// Where numbers keep a distance, what has none is a node, too: the nodes of a group go up to
/// its last, so that an entry's follows from where its group begins (`cursor`) and its index.
///
/// Where the target has banks, entries of all are sorted and numbered together, a bank's
/// behind those of the one before. FILL and PTR are started for each, with its part as B,
/// and key, at and number from its first entry on: its nodes are counted from there.
///
/// Source: radix sort by counts of digits, scanned: Satish, Harris, Garland, Designing
/// Efficient Sorting Algorithms for Manycore GPUs, IPDPS 2009; scan by sums of tiles:
/// Sengupta, Harris, Zhang, Owens, Scan Primitives for GPU Computing, GH 2007.

#ifndef CAIRN_LOWER_GRID_CONVERT_H
#define CAIRN_LOWER_GRID_CONVERT_H

#include "lower/conversion/convert.h"

enum {
    CAIRN_GRID_CONVERT_ITEMS  = 128, ///< Of a group.
    CAIRN_GRID_CONVERT_EACH   = 16,  ///< Turns of an item of COUNT, DEAL, SUM, SPREAD.
    CAIRN_GRID_CONVERT_TILE   = CAIRN_GRID_CONVERT_ITEMS * CAIRN_GRID_CONVERT_EACH,
    CAIRN_GRID_CONVERT_DIGIT  = 4,                             ///< Bits of a digit,
    CAIRN_GRID_CONVERT_DIGITS = 1 << CAIRN_GRID_CONVERT_DIGIT, ///< and its values.
};

/// The functions, of the calling convention CAIRN_ABI_GRID_CONVERT; `end` of the arguments
/// are the turns, unless something else is said. Those of keys alone are the same for all
/// conversions.
typedef enum {
    /// Keys: add to seen[0] how many are less than the one before; those that come in
    /// order: write to seen[1] how many are entries, unless none is.
    CAIRN_GRID_KEYS_ORDER,
    /// Keys: count the values of the `digit` in each of the `groups` tiles: `added`.
    CAIRN_GRID_KEYS_COUNT,
    /// With these added up: write `key_sorted` and `at_sorted`, stably.
    CAIRN_GRID_KEYS_DEAL,
    /// Numbers `added`: the `sum` of each tile.
    CAIRN_GRID_KEYS_SUM,
    /// With these added up: each number becomes the sum of all before it.
    CAIRN_GRID_KEYS_SPREAD,
    /// Keys in order: write to `added` 1 where the bits from `digit` up differ from those
    /// of the entry before, else 0; one turn more, a 0, than `end` says.
    CAIRN_GRID_KEYS_HEADS,
    CAIRN_GRID_KEYS_FUNCTIONS,
} cairn_grid_keys_function;

typedef enum {
    /// Positions of a list of coordinates, or of a part A of the source, of which `begin`
    /// are in the parts before: write `key`, `dead` where there is no entry, and `at`,
    /// which counts from the first part on. So do the values of A for what follows; here
    /// they are the part's own.
    CAIRN_GRID_CONVERT_PACK,
    /// Entries in order, with `number`s: write idx and values of B, all of which is 0.
    /// `along`: with `first`, `cursor` and `table`, write the values, and idx of determined
    /// levels. `blocks`: of all positions, with `cursor`, write the values.
    CAIRN_GRID_CONVERT_FILL,
    /// Of a target with banks: write to cursor[0..end-1] where each bank begins among the
    /// `capacity` entries, and behind these, row by row, its number of each depth there. The
    /// turns are one more than there are banks.
    CAIRN_GRID_CONVERT_BANKS,
    /// Of a target with holes between nodes: write to cursor[0..end-1] how many nodes each
    /// group has, `capacity` entries being there. The turns are one more than there are
    /// groups. Added up, these are where each group begins.
    CAIRN_GRID_CONVERT_GAPS,
    /// `along`, behind FILL: write the idx and values of what no entry has, lane by lane, with
    /// `order`, `first`, `cursor` and `lanes`. The turns are lanes of all groups. `blocks`:
    /// write all idx; of the line in a lane (`order`) `line_first` and `line_list` have its
    /// groups, and the first `line_slots` values of the last expression are padding where the
    /// line lacks them: none if that is 0.
    CAIRN_GRID_CONVERT_PAD,
    /// One for each level with a ptr: write it, `capacity` entries being there; the turns
    /// are its elements.
    CAIRN_GRID_CONVERT_PTR,
    /// One for each determined level: write holes.
    CAIRN_GRID_CONVERT_HOLES     = CAIRN_GRID_CONVERT_PTR + CAIRN_MAX_LEVELS,
    CAIRN_GRID_CONVERT_FUNCTIONS = CAIRN_GRID_CONVERT_HOLES + CAIRN_MAX_LEVELS,
} cairn_grid_convert_function;

/// Is there such a conversion? @p why, constant, says why not.
bool cairn_grid_convert_can(const cairn_convert_spec *spec, const char **why);

/// Has the target holes between nodes?
bool cairn_grid_convert_has_gaps(const cairn_layout *to);

/// Are all positions that no entry has holes, so that nothing is left to be padded?
bool cairn_grid_convert_pads(const cairn_layout *to);

/// Which depths nodes have, as a set of levels: `number` has one row for each, in order.
/// None where there are holes between nodes.
uint32_t cairn_grid_convert_depths(const cairn_layout *to);

/// Lower the functions of keys.
///
/// Local.
///
/// @param[in]  name      Functions are NAME_order and the like.
/// @param[out] function  [CAIRN_GRID_KEYS_FUNCTIONS] each destroyed with
///                       cairn_ir_destroy(). All NULL on failure.
cairn_status
cairn_grid_keys_lower(cairn_env *env, const char *name, cairn_ir_function **function);

/// What they depend on.
extern const char cairn_grid_keys_key[];

/// Lower the functions of a conversion.
///
/// Local.
///
/// @param[in]  spec      Its source is a part, or coordinates; `phase` does not matter.
/// @param[in]  name      Functions are NAME_pack, NAME_ptr2 and the like.
/// @param[out] function  [CAIRN_GRID_CONVERT_FUNCTIONS] likewise; NULL where there is none.
cairn_status cairn_grid_convert_lower(cairn_env                *env,
                                      const cairn_convert_spec *spec,
                                      const char               *name,
                                      cairn_ir_function       **function);

/// Destroy functions, those that there are.
void cairn_grid_convert_discard(cairn_env          *env,
                                cairn_ir_function **function,
                                int                 functions);

/// The key of all of them. @param[out] key  Freed with cairn_free().
cairn_status
cairn_grid_convert_key(cairn_env *env, const cairn_convert_spec *spec, char **key);

/// Groups that @p turns turns of a function keep busy.
int64_t cairn_grid_convert_groups(int64_t turns);
int64_t cairn_grid_keys_groups(cairn_grid_keys_function function, int64_t turns);

#endif
