// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A query that numbers along lines: the groups of another, as slots of blocks are numbered
/// along a row of blocks, or entries. The groups are counted where the entries lie
/// (group_counter.h), put in order line by line, and phases look their numbers up; entries
/// go on from the number of their group. Internal to convert.
///
/// Groups of another: of a `sum(value)` to which every entry adds. An `enum` by lines,
/// groupBy some of its expressions, numbers those with entries from 0 in the order of the
/// others, and those without not at all, or behind by way of a `sum` over the same lines
/// that counts groups with entries. Entries: the expressions of the groupBy tell lines,
/// those of the traversal groups in them; no position without an entry is numbered.
///
/// On several ranks lines may have groups of several of them, and groups entries: then the
/// rank that answers for a line numbers its groups (the pass Exchange).
///
/// Memory: that of a group index (phases/line_index.h) by the lines that the source comes
/// in, and of another if those of the enum are others.

#ifndef CAIRN_CONVERT_COMPILED_BLOCKS_H
#define CAIRN_CONVERT_COMPILED_BLOCKS_H

#include "convert/build_steps.h"
#include "convert/numbers/group_counter.h"

/// An expression: a dimension, divided, or any other.
typedef struct cairn_block_form {
    int     dim; ///< -1: another.
    int64_t divisor;
    int     given;     ///< Its number in the sum's groupBy.
    int64_t low, size; ///< The first value on the box, and how many there are.
} cairn_block_form;

/// Groups, numbered. A line is all groups that agree in the enum's groupBy; across it they
/// have *places*, row-major numbers of the other expressions' values.
struct cairn_blocks {
    int sum, slot, width; ///< Queries; -1: there is none. No sum: entries are numbered.
    int forms, outer;     ///< Expressions; the first `outer` identify lines,
    int row;              ///< of these the one over rows; -1: there is none.
    cairn_block_form    form[CAIRN_MAX_LEVELS];
    cairn_query         query;   ///< The sum, its expressions in this order.
    bool                counted; ///< What follows is there:
    cairn_group_counter counter; ///< The groups, with their numbers.
    cairn_line_index    along; ///< The same by lines; its arrays may be the counter's.
    int64_t             threads; ///< That may look up at once.
    int64_t             added;   ///< The sum over all groups.
    bool                joint;   ///< Several ranks have groups of one line, or may; not
    cairn_interval      own;     ///< where `row` has one of these values.
    cairn_interval      span;    ///< Of the enum's numbers.
};

/// Does the enum number the entries of groups, one by one?
static inline bool cairn_blocks_of_entries(const cairn_blocks *blocks)
{
    return blocks->sum < 0;
}

/// What functions look up; of NULL: nothing.
static inline cairn_numbered_groups cairn_blocks_numbers(const cairn_blocks *blocks)
{
    if (!blocks) return (cairn_numbered_groups){.index = NULL};
    return (cairn_numbered_groups){.index   = &blocks->counter.index,
                                   .low     = blocks->counter.low,
                                   .size    = blocks->counter.size,
                                   .entries = cairn_blocks_of_entries(blocks)};
}

/// Count and number the groups of @p origin, as if other ranks had none.
///
/// Local.
/// @retval CAIRN_NO_KERNEL  It cannot be compiled.
cairn_status cairn_blocks_run(cairn_member_build *m,
                              const cairn_build  *build,
                              const cairn_origin *origin);

/// Number the groups of lines of which other ranks may have some, and find the span of all
/// numbers.
///
/// Collective if the build has a net.
cairn_status cairn_blocks_join(cairn_member_build *m, const cairn_build *build);

/// List the places that numbers have, line by line, for whoever looks up many more: one
/// load for each in place of a search.
///
/// @param[in]  most     Numbers that may be listed.
/// @param[out] numbers  So many of each line, from 0 on; 0: they are not listed, as there
///                      are more, other ranks number some or memory is short.
/// @param[out] place    [lines][numbers], -1: there is no group; the caller's to free.
///                      Untouched where nothing is listed.
void cairn_blocks_list_places(cairn_env          *env,
                              const cairn_blocks *blocks,
                              int64_t             most,
                              int64_t            *numbers,
                              int32_t           **place);

/// Find the groups that have @p n numbers, each in a line of its own, where @p ok, which
/// becomes false where there is none: any values then.
///
/// @param[in]  places  What is listed, `numbers` of each line; the others are searched for.
/// @param[in]  line    [outer] columns of [n]: the values of the enum's groupBy.
/// @param      spare   [n]
/// @param[out] group   Columns of [n]: values of the sum's groupBy.
void cairn_blocks_elements(const cairn_blocks   *blocks,
                           int64_t               numbers,
                           const int32_t        *places,
                           int                   n,
                           const int64_t        *number,
                           const int64_t *const *line,
                           int64_t              *spare,
                           int64_t *const       *group,
                           bool                 *ok);

/// Does this rank have all positions of the dimensions from @p first on?
bool cairn_blocks_has_all(const cairn_build *build, int first);

/// Forget what was counted; the queries remain of this kind.
void cairn_blocks_forget(cairn_env *env, cairn_blocks *blocks);

/// The queries are to be run after all.
void cairn_blocks_drop(cairn_member_build *m);

#endif
