// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conversions as loops. One function does one phase of a conversion, for the layout that
/// is read and the one that is filled: what is visited comes from entries in coordinates,
/// from a part's levels, or from sorted keys; what is done with each entry is the phase.
/// Phases meet in arrays that the caller owns (share/abi.h), so that any two layouts
/// combine, and the planner (convert/plan.c) chooses which phases a pair needs.
///
/// Extents are parameters, never constants: functions serve every size whose widths are
/// the same.
///
/// Source: attribute queries, remapping and assembly fused, Chou, Format Abstractions for
/// Sparse Tensor Algebra Compilers, MIT 2022, chapter 6; the phases are ours.

#ifndef CAIRN_LOWER_CONVERT_H
#define CAIRN_LOWER_CONVERT_H

#include "format/layout.h"
#include "ir/ir.h"
#include "share/abi.h"

/// What is visited.
typedef enum {
    CAIRN_CONVERT_ENTRIES, ///< Coordinates, and the numbers of queries.
    CAIRN_CONVERT_PART,    ///< The levels of a part; zeros are left out where it pads.
    CAIRN_CONVERT_KEYS,    ///< Items of a key and a value, sorted.
    CAIRN_CONVERT_LONG,    ///< Keys of two words, and values: three arrays, sorted.
    CAIRN_CONVERT_ROWS,    ///< Indices of dimension `tables.row` in the box, alone.
} cairn_convert_source;

/// What is done.
typedef enum {
    /// Write key and value of each entry. The key is the tuple (e0, e1, ...), packed:
    /// facts[0] entries written, facts[1] 1 if a key is less than the one before, [2] 1
    /// if one equals the one before.
    CAIRN_CONVERT_PACK,
    /// Entries come in the order of their tuples: count the nodes of each trimmed level,
    /// and in facts[0] the entries.
    CAIRN_CONVERT_COUNT,
    /// Likewise: write all arrays of B, whose values are zero where they are padded. No
    /// entry may come twice. KEYS may be written over by those of nodes. ROWS, in `order`:
    /// likewise, but what MOVE writes; instead the `place` of each row that has entries.
    CAIRN_CONVERT_FILL,
    /// Count in `cursor` the entries of each group, that is each combination of the levels
    /// above the trimmed ones.
    CAIRN_CONVERT_HISTOGRAM,
    /// Every entry is a node, and comes in order within its group: write idx and values
    /// where the group's cursor stands. KEYS come in the order of the nodes: from the one
    /// that `offset` begins with on, by one thread; unless they are `grouped`, when they
    /// come as all others do.
    CAIRN_CONVERT_SCATTER,
    /// Write key and value of each entry, as PACK does, where the `cursor` of its bucket
    /// stands. The bits of the key from `bucket` up number it.
    CAIRN_CONVERT_BUCKET,
    /// The target is the source with two dimensions exchanged
    /// (cairn_convert_can_mirror()), and `cursor` begins where each group's nodes do in
    /// the source. If every entry has a mirrored one: write idx and values of B, whose ptr
    /// is the source's, and 1 into facts[0]. That holds if at the end every cursor stands
    /// where its group ends; else what was written is nothing.
    CAIRN_CONVERT_MIRROR,
    /// One trimmed level; entries come group by group, and a group is one thread's. Note
    /// in `list`, from the thread's `offset` on, which indices a group has, in `cursor`
    /// where they begin; facts[0] entries, [1] where the list ends, [2] the thread's
    /// first group, -1: none, [3] its last. Where there is one group for all, set the
    /// `slot` of its indices to 1 instead.
    CAIRN_CONVERT_MARK,
    /// With the lists sorted: write idx, and every value at the node of its index; zeros
    /// at the others if cairn_convert_clears(), unless there are `zeros`.
    CAIRN_CONVERT_PLACE,
    /// Add up in `tally` what each entry gives to its group of `query`. Groups are dense
    /// (each thread has `groups` of its own), or listed: entries come in the order of all
    /// expressions of the groupBy but the last, whose values are noted as MARK notes
    /// indices, with `tally` beside `list`.
    CAIRN_CONVERT_TALLY,
    /// Write the `member` of each entry: that of its group in `member_of`.
    CAIRN_CONVERT_DEAL,
    /// For every row (ROWS) write to `list` its *lane*: the combination of the complete
    /// levels but the last, which the row alone gives.
    CAIRN_CONVERT_LANES,
    /// Entries of a row stand in its lane, one node of level E after the other: write
    /// values, and indices of determined levels. `cursor` has the first node of each
    /// group.
    CAIRN_CONVERT_RANKED,
    /// Entries of member `which` whose value of the expression `members.cut` is at least
    /// the argument `cut` go to the member after it; facts[0]: the largest value, at
    /// least -1.
    CAIRN_CONVERT_CUT,
    /// For every row (ROWS) write to `list` its group, which the row alone gives.
    CAIRN_CONVERT_GROUPS,
    /// Turns are rows; the entries of one stand side by side in source (from `first` on)
    /// and target (from its `place` on), in the same order: write their values, and the
    /// idx of trimmed levels of which each entry is a node, that is of those whose depth
    /// is at least `rows.levels`.
    CAIRN_CONVERT_MOVE,
    /// As RANKED, lane by lane: `order` has the row (from 1) of each lane, 0: none;
    /// `lanes` there are in a group. Rows are read in any order (`ordered`). Behind its
    /// entries stands the row's padding, and where there is no row there are holes; what
    /// the row determines is written for rows without entries, too.
    CAIRN_CONVERT_STAND,
} cairn_convert_phase;

enum {
    CAIRN_CONVERT_FACTS = 8, ///< Length of `facts`, of each thread where there are any.
    CAIRN_CONVERT_FULL  = 1, ///< A phase's status: more entries than `capacity`.
};

/// Keys that are visited.
typedef struct cairn_convert_key_spec {
    int  split;   ///< Levels 0..split-1 are in the upper word of long keys.
    bool grouped; ///< SCATTER: they come in order within each group alone.
} cairn_convert_key_spec;

/// Entries come along dimension `row`: the number of query `query` is how many of it came
/// before.
typedef struct cairn_convert_along_spec {
    bool on;
    int  query, row;
    int  col; ///< STAND, and grids: the dimension along rows.
} cairn_convert_along_spec;

/// Queries whose number is that of the entry's row in `table`.
typedef struct cairn_convert_table_spec {
    uint32_t queries; ///< Bit q: query q.
    int      row;     ///< Rows are indices of this dimension.
} cairn_convert_table_spec;

/// Turns that are rows.
typedef struct cairn_convert_row_spec {
    bool
        ordered; ///< In `order`; the entries of a row (or nodes of the top level) begin
                 ///< at its `first`, unless the outermost level is complete.
    int levels;  ///< ROWS, MOVE: levels, from the first on, that the row gives.
    int lanes;   ///< MOVE: entries that are copied at once, those that are not the
                 ///< row's masked; 0: entry by entry.
    bool marked; ///< SCATTER, MIRROR, if cairn_convert_can_mark(): one loop over all
                 ///< nodes, at each of which as many rows begin as `list` says.
    bool halved; ///< MIRROR of two levels, not `marked`: of a pair of entries one is
                 ///< visited, and both are written. Cursors end with their groups.
} cairn_convert_row_spec;

/// Groups of entries by a query.
typedef struct cairn_convert_group_spec {
    const cairn_query *query;  ///< NULL: there are none.
    bool               listed; ///< How they are numbered.
    int                number; ///< Query whose number is that of the entry's group in
                               ///< `rank_of`;
    bool each;                 ///< it grows by one with each entry that takes it.
} cairn_convert_group_spec;

/// Entries of some members of a format alone.
typedef struct cairn_convert_member_spec {
    bool              one; ///< Only entries whose `member` is `which` are visited.
    const cairn_expr *cut; ///< CUT: an expression over numbers.
} cairn_convert_member_spec;

/// What of the target is not written.
typedef struct cairn_convert_omit_spec {
    uint32_t idx;        ///< FILL, MIRROR: bit l: the idx of level l is there already;
    bool     values;     ///< FILL: and so are the values.
    bool     determined; ///< RANKED: determined levels.
} cairn_convert_omit_spec;

typedef struct cairn_convert_spec {
    cairn_convert_phase  phase;
    cairn_convert_source source;
    int                  order;
    const cairn_layout  *from; ///< PART: what is read.
    const cairn_layout  *to;   ///< NULL: coordinates, every dimension a level.
    bool ahead; ///< SCATTER: ask for lines before they are written. STAND: before
                ///< they are read, rows being read as they lie; and lanes are those
                ///< from `begin` to `end`, no thread's share.
    uint32_t of_entries; ///< COUNT, FILL: bit l: the nodes of level l are entries.
    cairn_convert_member_spec members;
    cairn_convert_key_spec    keys;
    cairn_convert_along_spec  along;
    cairn_convert_table_spec  tables;
    cairn_convert_row_spec    rows;
    cairn_convert_group_spec  tally;  ///< TALLY, DEAL: whose groups are meant.
    cairn_convert_group_spec  blocks; ///< Groups that give numbers.
    cairn_convert_omit_spec   omit;
} cairn_convert_spec;

/// Lower one phase.
///
/// Local.
///
/// @param[in]  name      Of the function.
/// @param[out] function  Destroy with cairn_ir_destroy(). Unchanged on failure.
cairn_status cairn_convert_lower(cairn_env                *env,
                                 const cairn_convert_spec *spec,
                                 const char               *name,
                                 cairn_ir_function       **function);

/// May MIRROR be tried: are both layouts complete levels above one trimmed level, each a
/// dimension, and two of these exchanged? (Their ranges must then be the same, too.)
bool cairn_convert_can_mirror(const cairn_layout *from, const cairn_layout *to);

/// The key of a phase, for kernel requests: all that its code depends on.
/// @param[out] key  Freed with cairn_free().
cairn_status
cairn_convert_key(cairn_env *env, const cairn_convert_spec *spec, char **key);

/// May rows of a part be marked: is it a complete level above one trimmed level, all of
/// whose nodes are values? A loop over them does not guess wrong at each row's end.
bool cairn_convert_can_mark(const cairn_layout *from);

/// Turns of the outermost loop over a part: what `begin` and `end` of the arguments
/// count.
int64_t cairn_convert_turns(const cairn_layout *layout, const cairn_kernel_part *view);

/// Does filling need the indices of every node of level E (`tuple` of the arguments), for
/// the padding of determined levels?
bool cairn_convert_needs_tuples(const cairn_layout *layout);

/// Does PLACE write every value of the nodes, those that no entry has, too?
bool cairn_convert_clears(const cairn_layout *layout);

#endif
