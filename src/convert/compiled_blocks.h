// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Queries that number the groups of another along lines, as slots of blocks are numbered
/// along a row of blocks: the groups are counted where the entries lie (compiled_tally.h),
/// put in order line by line, and phases look their numbers up. Internal to convert.
///
/// What is looked for, in the normal form (format/normal.h): a `sum(value)` over groups of quotients of dimensions, to which
/// every entry adds; an `enum` of these groups by lines, groupBy some of the same
/// expressions, that numbers those with entries from 0 in the order of the others, and
/// those without not at all, or behind by way of a `sum` over the same lines that counts
/// groups with entries. The map uses the enum alone.
///
/// Memory, for n entries: while groups are counted, that of compiled_tally.h; then 8 bytes
/// a group that has entries (4 a group of the box, where it has few), 4 for each line, and
/// 4 for each value of the last expression and thread. While lists are in no order, a bit
/// for each value of the last expression and thread.

#ifndef CAIRN_CONVERT_COMPILED_BLOCKS_H
#define CAIRN_CONVERT_COMPILED_BLOCKS_H

#include "convert/build_steps.h"
#include "convert/group_counter.h"

/// Groups, numbered. A line is all groups that agree in the enum's groupBy; across it they
/// have *places*, row-major numbers of the other expressions' values.
struct cairn_blocks {
    int         sum, slot, width;      ///< Queries; width -1: there is none.
    int         forms, outer;          ///< Expressions; the first `outer` tell lines.
    int         dim[CAIRN_MAX_LEVELS]; ///< Each is a dimension,
    int64_t     divisor[CAIRN_MAX_LEVELS]; ///< divided,
    int         given[CAIRN_MAX_LEVELS];   ///< and so numbered in the sum's groupBy.
    int64_t     low[CAIRN_MAX_LEVELS];     ///< The first value of each,
    int64_t     size[CAIRN_MAX_LEVELS];    ///< and how many there are.
    bool        spread;                    ///< Lines have groups of several ranks.
    cairn_query query;                     ///< The sum, its expressions in this order.
    bool        counted;                   ///< What follows is there:
    cairn_group_counter tally;             ///< The groups; `rank` is by their numbers.
    int64_t             lines;             ///< Lines and
    int64_t             across;            ///< places of the box.
    uint32_t           *first;             ///< [lines + 1] where each line begins in
    uint32_t           *list;              ///< [groups with entries] places, ascending.
    uint32_t           *rank;              ///< Number of each group in its line.
    uint32_t      *before;  ///< SPREAD: [lines] groups of the ranks before; else NULL.
    uint32_t      *slots;   ///< [threads][slots of the tally], if groups are listed.
    int64_t        threads; ///< That may look up at once.
    int64_t        added;   ///< The sum over all groups.
    cairn_interval span[CAIRN_MAX_QUERIES]; ///< Of each query's numbers.
};

/// Are a member's queries of this kind? Sets `blocks` of the member, else leaves it NULL.
///
/// Local. On several ranks each group must be one rank's; of those that are a line's, the
/// ranks before must have the lower places.
cairn_status cairn_blocks_find(cairn_member_build *m, const cairn_build *build);

/// Count and number the groups of @p origin, as if other ranks had none.
///
/// Local.
/// @retval CAIRN_NO_KERNEL  It cannot be compiled.
cairn_status cairn_blocks_run(cairn_member_build *m,
                              const cairn_build  *build,
                              const cairn_origin *origin);

/// Number groups of lines that cross ranks behind those of the ranks before, and find the
/// spans of all numbers.
///
/// Collective if the build has a net; @p mine is this rank's status so far.
cairn_status
cairn_blocks_join(cairn_member_build *m, const cairn_build *build, cairn_status mine);

/// The group that has @p number in a line: values of the sum's groupBy.
/// @param[in] line  [outer] the values of the enum's groupBy.
/// @return false: there is none.
bool cairn_blocks_element(const cairn_blocks *blocks,
                          int64_t             number,
                          const int64_t      *line,
                          int64_t            *group);

/// Does this rank have all positions?
bool cairn_blocks_has_all(const cairn_build *build);

/// Forget what was counted; the queries remain of this kind.
void cairn_blocks_forget(cairn_env *env, cairn_blocks *blocks);

/// The queries are to be run after all.
void cairn_blocks_drop(cairn_member_build *m);

#endif
