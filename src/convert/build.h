// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The reference way into the arrays of any format, from entries or from a tensor in any
/// other: the planned path is executed rule by rule (rules/path.h), then layouts are inferred,
/// nodes counted, memory checked, arrays allocated and filled. One pass of code for all
/// formats; what differs is in the path and the layout.
///
/// Memory beside the arrays: the table of entries, 8 bytes an entry for each level that a
/// rule changed or made and, once sorted, for the value; while a rule runs, what
/// cairn_rule_work says; the lists of groups of the queries; while an array is filled that
/// a determined level needs, 8 bytes for each stored node and level.
///
/// What all ranks do together, and what looks for memory, is done member by member. Arrays
/// are filled by tasks, one a member, side by side on the threads that the loader names: a
/// fill that keeps one thread busy runs beside others, and threads that are left without
/// help those that can be divided. The arrays do not depend on it.

#ifndef CAIRN_CONVERT_BUILD_H
#define CAIRN_CONVERT_BUILD_H

#include "emit/kernel.h"
#include "entries/entries_partition.h"
#include "query/query.h"
#include "sched/task_log.h"
#include "tensor/local.h"

/// What a build that is only planned takes for granted, there being no entries to look at
/// (build_plan.h).
typedef struct cairn_supposed {
    int64_t longest; ///< Entries of the fullest row.
    int64_t members; ///< A hybrid's member has one of so many entries.
    bool    apart;   ///< Hardly two entries share a node.
    bool    lent;    ///< The source's arrays are a caller's.
} cairn_supposed;

/// What a build has to keep to.
typedef enum {
    CAIRN_BUILD_ANYHOW,
    CAIRN_BUILD_PLEDGED, ///< Nothing may be interpreted, queries included.
    CAIRN_BUILD_STRICT,  ///< Only the compiled way, from the source as it is.
    CAIRN_BUILD_WORDS,   ///< Only the compiled way, by functions that are at hand.
} cairn_build_duty;

/// What a build tells of itself, where it is asked to.
typedef struct cairn_build_report {
    cairn_route
        *route; ///< If not NULL: REFERENCE if any member went that way or the loader
                ///< interprets, else how the functions came to be.
    int *interpreted;      ///< If not NULL: counts queries and assignments that took
                           ///< coordinates one by one.
    char *why_interpreted; ///< If not NULL: [CAIRN_MESSAGE] gets the first of them that
                           ///< ran beside compiled functions, and why; "": none did.
    cairn_task_log *log;   ///< If not NULL: empty; gets what was done: "order", "deal",
                           ///< "compile", and of each member "count" and "fill".
    struct cairn_path **executed; ///< If not NULL: gets the path; cairn_path_destroy().
} cairn_build_report;

/// What a build of several ranks knows beside this one's entries.
typedef struct cairn_build_ranks {
    cairn_pos
        judged_by; ///< Entries of the rank that has most, by which all judge what the
                   ///< build is worth.
    const cairn_coord
        *member_rows; ///< NULL; or members of a hybrid, from entries, have
                      ///< rows of their own in the box: [members+1] where
                      ///< they begin.
} cairn_build_ranks;

/// What a build starts from.
typedef struct cairn_build {
    const cairn_format  *format;
    cairn_shape          shape;                ///< Global.
    cairn_interval       box[CAIRN_MAX_ORDER]; ///< This rank's positions.
    const cairn_entries *entries; ///< Sorted, without duplicates, inside the box; or
    const cairn_local   *from;    ///< NULL, or the tensor to start from instead.
    cairn_bucketed *bucketed; ///< NULL, or the same unsorted, perhaps with duplicates;
                              ///< `entries` says then only how many there are. What
                              ///< meets a duplicate notes it there.
    const cairn_query_net *net; ///< NULL: one rank.
    int                    rank;
    cairn_build_ranks      ranks;
    int                    value_bits; ///< 32 or 64; of words 8 or 16.
    int64_t held; ///< Bytes that count beside the arrays (entries, operands).
    const cairn_kernel_loader *loader; ///< NULL: the reference way.
    cairn_build_duty           duty;   ///< Else NO_KERNEL.
    const cairn_arrays   *into;    ///< NULL, or a caller's, for one member of one part.
    const cairn_supposed *planned; ///< NULL; or there are no entries: choose, have the
                                   ///< loader get what would be called, run nothing.
    cairn_build_report report;
} cairn_build;

/// Entries that a build reads; of a source that pads, those that it was built with.
cairn_pos cairn_build_entries(const cairn_build *build);

/// Have all ranks judge a build by the same entries, those of the rank that has most:
/// then none goes another way for having few. Collective if the build has a net.
cairn_status cairn_build_judge(cairn_build *build);

/// Entries by which all ranks judge what the build is worth.
cairn_pos cairn_build_judged_by(const cairn_build *build);

/// What cannot be compiled on one rank is compiled on none: NO_KERNEL of one rank is
/// everybody's, and so is any other failure. Collective if the build has a net.
cairn_status cairn_build_all_compiled(const cairn_build *build, cairn_status mine);

/// Does something hold on every rank? A failure of one is everybody's.
///
/// Collective if the build has a net.
///
/// @param[in,out] holds  Of this rank; of all.
cairn_status cairn_build_all(const cairn_build *build, cairn_status mine, bool *holds);

/// Entries from which compiling a build's functions pays (measured).
#define CAIRN_WORTH_COMPILING 200000

/// What a build is worth, by the options and by its entries.
typedef enum {
    CAIRN_BUILD_REFERENCE, ///< Too small to look for functions.
    CAIRN_BUILD_AT_HAND,   ///< Functions that need no compiler.
    CAIRN_BUILD_COMPILED,  ///< A compiler's time.
} cairn_build_tier;

cairn_build_tier cairn_build_worth(const cairn_env *env, const cairn_build *build);

/// Build a tensor.
///
/// Collective if a net is given.
///
/// From a tensor: positions that hold 0 where its layout pads are padding, so an explicit
/// zero is kept only by layouts that do not pad.
///
/// @param[out] tensor  Destroy with cairn_local_destroy(). Unchanged on failure.
/// @retval CAIRN_NO_MEMORY  The arrays of all parts, with `held`, exceed the limit: the
///                          message has needed and limit, and nothing was allocated. Or
///                          what queries list, and rules work with, exceeds it.
/// @retval CAIRN_OVERFLOW   A width given by `bits` does not hold its values.
/// @retval CAIRN_BAD_QUERY  Numbers clash, are missing or leave their range.
/// @retval CAIRN_NO_KERNEL  From `bucketed`: that has to be sorted first, or, where it
///                          says so, repeats have to be added up. If PLEDGED: a query,
///                          or assigning the entries, has no compiled function; the
///                          message names it and its member.
cairn_status
cairn_local_build(cairn_env *env, const cairn_build *build, cairn_local **tensor);

#endif
