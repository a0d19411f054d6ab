// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Groups on several ranks. A group whose rows are all one rank's is answered there, and
/// nothing is told of it. What is known of the others travels to a rank that is chosen by
/// the group's values, is answered there by the same code, and the answers return.
///
/// A rank that fails returns from cairn_groups_step(), where it meets the others, which
/// learn of it wherever they are (groups/exchange.h). So what follows may be called with
/// CAIRN_TRY, and whether it is called must depend on the text, or on what ranks agreed on.

#ifndef CAIRN_GROUPS_SPREAD_H
#define CAIRN_GROUPS_SPREAD_H

#include "groups/starts.h"
#include "groups/state.h"

/* ---- records that came ---- */

/// Records as columns, and which comes first.
typedef struct cairn_group_records {
    int64_t        n;
    int            width;
    int64_t       *own;                      ///< [width][n]
    const int64_t *column[CAIRN_MAX_RECORD]; ///< [width]
    int64_t       *order;                    ///< [n] by the keys.
} cairn_group_records;

/// Put what was received in order by the columns @p keys says, the first the most
/// significant. Destroy with cairn_group_records_fini(), also on failure.
cairn_status cairn_group_records_take(cairn_env            *env,
                                      const cairn_exchange *travel,
                                      int                   keys,
                                      const int            *key,
                                      cairn_group_records  *records);

void cairn_group_records_fini(cairn_env *env, cairn_group_records *records);

/// Do two records agree in columns from .. from + n - 1?
static inline bool cairn_group_records_agree(const cairn_group_records *records,
                                             int                        from,
                                             int                        n,
                                             int64_t                    a,
                                             int64_t                    b)
{
    for (int k = from; k < from + n; k++)
        if (records->column[k][a] != records->column[k][b]) return false;
    return true;
}

/// The rank that answers for a group.
static inline int
cairn_groups_rank_of(const cairn_groups *set, int width, const int64_t *tuple)
{
    return (int)(cairn_tuples_hash(width, tuple) % (uint64_t)set->meeting.net->size);
}

/* ---- groups on several ranks ---- */

/// Whose are the positions of a group?
typedef enum {
    CAIRN_GROUP_MINE,
    CAIRN_GROUP_JOINT, ///< Those of several ranks, this one among them or not.
    CAIRN_GROUP_ELSEWHERE,
} cairn_group_owner;

cairn_group_owner cairn_groups_owner(const cairn_groups *set,
                                     const cairn_forms  *map,
                                     const int64_t      *tuple);

/// Has the group positions that are not this rank's?
bool cairn_groups_crosses(const cairn_groups *set,
                          const cairn_forms  *map,
                          const int64_t      *tuple);

/// Can no group cross ranks, wherever rows are cut?
bool cairn_groups_stay(const cairn_groups *set, const cairn_forms *map);

/// Learn the rows of all ranks. Collective, like all below.
cairn_status cairn_groups_meet(cairn_groups *set);

/// Find the groups of query @p q that cross, and whether there are any on some rank.
cairn_status cairn_groups_find_crossing(cairn_groups *set, int q);

/// Tell all ranks the joint groups of the sums before query @p q whose values it may ask
/// for where this rank has no entry.
cairn_status cairn_groups_know(cairn_groups *set, int q);

/// Total of a group of sum @p r by its values, with or without an element.
/// @retval CAIRN_UNSUPPORTED  It is another rank's.
cairn_status
cairn_groups_total(cairn_groups *set, int r, const int64_t *tuple, int64_t *total);

/// Refuse to say what only another rank knows.
cairn_status cairn_groups_elsewhere(cairn_groups *set, int r);

/// Totals of crossing groups, of those that each rank found of them.
cairn_status
cairn_groups_share_sum(cairn_groups *set, int q, const cairn_group_starts *starts);

/// Does a query behind query @p r ask for values of it where this rank has no entry?
bool cairn_groups_is_asked(const cairn_groups *set, int r);

/// Elements of the crossing groups of an enum, each once, in a set of its own that looks like
/// one of a single rank.
typedef struct cairn_group_joint {
    cairn_groups  set; ///< Only this query, and the one it is over, have elements.
    cairn_entries entries;
    cairn_group_records in;
    cairn_group_starts  starts;
    int64_t             n;
    int64_t            *element; ///< [received] which element each record is about.
    int64_t            *column;  ///< [width + keys + ids][n]
} cairn_group_joint;

void cairn_group_joint_fini(cairn_env *env, int q, cairn_group_joint *joint);

/// Numbers of the elements of crossing groups. Where a later query asks for others than a
/// rank's own, all ranks are told all of them, and keep them as `spread.joint`.
cairn_status
cairn_groups_share_enum(cairn_groups *set, int q, const cairn_group_starts *starts);

/// Number elements of groups that do not cross; of the others what numbers elements without
/// an entry is kept in `spread` (enum.c). Local, like the following.
cairn_status
cairn_groups_number(cairn_groups *set, int q, const cairn_group_starts *starts);

/// Put the elements of query @p q, which stand by number, in the order of keys, the first
/// being their groups (enum.c).
cairn_status
cairn_groups_sort(cairn_groups *set, int q, int keys, const int64_t *const *key);

/// Refuse two elements of one group with one number (enum.c).
cairn_status cairn_groups_check(cairn_groups *set, int q);

/// Places over all ranks of the groups of reorder @p q, which have those of this rank.
///
/// Collective.
///
/// @param[in] key  [keys] columns of its elements: the windows, then what orders them.
/// @param[in] id   [ids] columns that tell one from another.
cairn_status cairn_groups_share_places(cairn_groups         *set,
                                       int                   q,
                                       int                   windows,
                                       int                   keys,
                                       const int64_t *const *key,
                                       int                   ids,
                                       const int64_t *const *id);

#endif
