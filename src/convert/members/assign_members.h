// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Hybrids whose entries are assigned where they lie: a byte for each says which member
/// it goes to, and members are built from all entries with those of the others left out.
/// Internal to convert.

#ifndef CAIRN_CONVERT_ASSIGN_MEMBERS_H
#define CAIRN_CONVERT_ASSIGN_MEMBERS_H

#include "convert/build_steps.h"
#include "convert/numbers/group_counter.h"

/// The groups by which entries were assigned, and the member that each went to.
typedef struct cairn_member_groups {
    cairn_group_counter counter;
    uint8_t            *member_of; ///< [groups]
} cairn_member_groups;

void cairn_member_groups_destroy(cairn_env *env, cairn_member_groups **groups);

/// Are the nodes of the one trimmed level of @p to the groups of a member? Then they are
/// known, and need not be looked for. @p range: of that level's indices.
cairn_status cairn_member_groups_fit(const cairn_member_groups *groups,
                                     const cairn_layout        *to,
                                     cairn_interval             range,
                                     bool                      *fit);

/// The nodes of member @p which, if they fit: as the phase MARK lists them.
///
/// @param[in,out] nodes  Of the levels above; made without a list, which it gets.
cairn_status cairn_member_groups_list(const cairn_member_groups *groups,
                                      int                        which,
                                      cairn_line_index          *nodes);

#define CAIRN_METHOD_ASSIGN \
    "assign" ///< What assigns entries to members is said to be of.

/// Decide for every entry of @p origin which member stores it: by the hybrid's thresholds
/// and `keep`. Sets of the first member `member_of` (255 where a value is no entry), `groups`,
/// unless `keep` decided, too, `passes` and `route`.
///
/// Collective if the build has a net.
///
/// @retval CAIRN_NO_KERNEL  It cannot be compiled. Then nothing was decided, as after any
///                          failure.
cairn_status cairn_assign_members(cairn_member_build *first,
                                  const cairn_build  *build,
                                  const cairn_origin *origin);

/// Forget what was decided.
void cairn_assign_forget(cairn_member_build *first);

/// What `keep` cuts off a member goes on to the next, member by member: each is numbered
/// by itself, and its outermost indirect level cut. Changes `member_of` of the first member,
/// which is by thresholds alone.
///
/// Collective if the build has a net.
///
/// @retval CAIRN_NO_KERNEL  A member's numbers cannot be compiled.
cairn_status cairn_assign_cut(cairn_member_build *first,
                              const cairn_build  *build,
                              const cairn_origin *origin);

/// How many of @p n are @p which.
cairn_pos cairn_members_count(const uint8_t *member, cairn_pos n, int which);

/// The entries of a member, among all of @p origin; without groups.
cairn_filter cairn_members_filter(const cairn_build  *build,
                                  const cairn_origin *origin,
                                  uint8_t            *member,
                                  int                 which);

#endif
