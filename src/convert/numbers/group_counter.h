// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Values of a `sum` query, counted where the entries lie: no coordinates are made, and
/// no list of groups where these can be numbered by arithmetic. Internal to convert.
///
/// What is counted: `sum(value)` over any groups of dimensions, whose starts are
/// constants, 0 where nothing is stored. The expressions of a groupBy say in any order
/// what a group is: where entries do not come in theirs, they are rotated.
///
/// Groups are listed where the box has many; of groups that cross ranks see
/// phases/count_exchange.h.

#ifndef CAIRN_CONVERT_GROUP_COUNTER_H
#define CAIRN_CONVERT_GROUP_COUNTER_H

#include "convert/build.h"
#include "phases/line_index.h"

/// Groups of a query and their values. All expressions but the last identify a line.
typedef struct cairn_group_counter {
    cairn_env          *env;
    cairn_query         query;    ///< Its expressions in the order of the numbering:
    int                 rotated;  ///< so many of the first came behind the last.
    bool                by_lines; ///< Entries come line by line.
    cairn_algebra      *algebra;
    int                 forms;
    cairn_form          form[CAIRN_MAX_LEVELS]; ///< Of the groupBy,
    int64_t             low[CAIRN_MAX_LEVELS];  ///< their smallest values on the box,
    int64_t             size[CAIRN_MAX_LEVELS]; ///< and how many there are.
    bool                joint;                  ///< Other ranks' counts were added.
    cairn_thread_ranges ranges;
    cairn_line_index    index; ///< The groups; counts are their values.
    cairn_route         route; ///< COMPILED if any phase was.
} cairn_group_counter;

/// Count; of a planned build only number the groups.
///
/// Local.
///
/// @param[in]  assigns  The phase DEAL comes next: its function is got together with this.
/// @param[out] counter  Give back with cairn_group_counter_fini(), on failure, too.
/// @retval CAIRN_NO_KERNEL  It cannot be compiled, or there are too many groups.
cairn_status cairn_group_counter_run(cairn_env           *env,
                                     const cairn_build   *build,
                                     const cairn_origin  *origin,
                                     const cairn_query   *query,
                                     bool                 assigns,
                                     cairn_group_counter *counter);

/// Add what other ranks have counted of the groups that cross ranks, if there are any.
///
/// Collective if the build has a net; @p mine is this rank's status so far.
/// @retval CAIRN_NO_KERNEL  More groups than 64 bits number.
cairn_status cairn_group_counter_join(cairn_group_counter *counter,
                                      const cairn_build   *build,
                                      cairn_status         mine);

void cairn_group_counter_fini(cairn_group_counter *counter);

/// Do the entries of a layout (NULL: sorted coordinates) come line by line, in some order
/// of the query's expressions?
cairn_status cairn_group_counter_comes_by_lines(cairn_env          *env,
                                                const cairn_layout *from,
                                                const cairn_query  *query,
                                                bool               *lines);

/// The specification of a phase over the groups, and its arguments.
cairn_convert_spec cairn_group_counter_spec(const cairn_group_counter *counter,
                                            const cairn_origin        *origin,
                                            cairn_convert_phase        phase);
cairn_convert_args cairn_group_counter_args(const cairn_group_counter *counter);

/// Does every entry count in this sum, whatever its value? Then a group that has entries
/// is one whose sum is not 0.
bool cairn_sum_counts_each(const cairn_query *sum);

/// A walk over the groups that may have entries, in their order, with two numbers of each
/// that are linear in the values of the expressions.
typedef struct cairn_group_walk {
    const cairn_group_counter *counter;
    bool                       each;   ///< Those whose sum is 0 have none.
    int64_t step[2][CAIRN_MAX_LEVELS]; ///< What one more of each expression adds,
    int64_t line, q, begin, end;       ///< Of the line at hand, which has these groups,
    int64_t first[2], by[2];           ///< the numbers of its place 0, and their steps.
    int64_t number[2];                 ///< Of the group at hand, from 0 on.
} cairn_group_walk;

/// Start one; then `step` is to be set.
cairn_group_walk cairn_group_walk_begin(const cairn_group_counter *counter);

/// Go on to the next line, if there is one: before its first group.
bool cairn_group_walk_enter(cairn_group_walk *walk);

/// Go on to group `q`, if there is one.
static inline bool cairn_group_walk_next(cairn_group_walk *walk)
{
    const cairn_line_index *const x = &walk->counter->index;

    do {
        while (++walk->q >= walk->end)
            if (!cairn_group_walk_enter(walk)) return false;
    } while (walk->each && x->count[walk->q] == 0);
    const int64_t place =
        x->listed ? (int64_t)x->place[walk->q] : walk->q - walk->begin;

    walk->number[0] = walk->first[0] + place * walk->by[0];
    walk->number[1] = walk->first[1] + place * walk->by[1];
    return true;
}

/// Get a phase; `route` remembers how.
cairn_status cairn_group_counter_load(cairn_group_counter *counter,
                                      const cairn_build   *build,
                                      const cairn_origin  *origin,
                                      cairn_convert_phase  kind,
                                      cairn_phase         *phase);

#endif
