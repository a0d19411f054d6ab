// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// From a source to keys.

#ifndef CAIRN_PHASES_ORIGIN_H
#define CAIRN_PHASES_ORIGIN_H

#include "groups/groups.h"
#include "phases/keys.h"

/// Entries of one member of a hybrid, among all.
typedef struct cairn_filter {
    uint8_t  *member;  ///< By entry, or by value of the parts in turn; NULL: no filter.
    int       which;   ///< Member that is meant.
    cairn_pos entries; ///< It has so many.
    const struct cairn_member_groups *groups; ///< By which they were chosen, or NULL.
} cairn_filter;

/// Groups, or entries of groups, that are numbered along lines, as functions look them up.
typedef struct cairn_numbered_groups {
    const struct cairn_line_index *index; ///< NULL: there are none.
    const int64_t *low, *size; ///< Of the groups' expressions: the smallest value of
                               ///< each, and how many it has.
    bool entries; ///< Entries are numbered, one by one: every function begins anew.
} cairn_numbered_groups;

/// What is read.
typedef struct cairn_origin {
    const cairn_entries  *entries; ///< Coordinates; or
    const cairn_local    *from;    ///< one member of a tensor.
    int                   member;
    const cairn_groups   *set;     ///< Numbers at the entries; NULL: none.
    uint32_t              queries; ///< Bit q: a level uses query q.
    const cairn_interval *box;     ///< [order] this rank's positions.
    cairn_filter          filter;
    const uint32_t       *table; ///< Numbers by row; NULL: there are none.
    int64_t               rows;
    cairn_numbered_groups groups; ///< Numbers by group.
    struct cairn_given_arrays
        *given; ///< NULL; or a caller's arrays, before anything else is read.
} cairn_origin;

/// The group of the member that is read; NULL: coordinates are.
static inline const cairn_group *cairn_origin_group(const cairn_origin *origin)
{
    return origin->from ? &origin->from->group[origin->member] : NULL;
}

/// Its layout; NULL likewise.
static inline const cairn_layout *cairn_origin_layout(const cairn_origin *origin)
{
    return origin->from ? cairn_origin_group(origin)->layout : NULL;
}

/// Part number @p number of it; NULL likewise, and where there is none, as of a tensor
/// without rows.
static inline const cairn_part *cairn_origin_part(const cairn_origin *origin,
                                                  int64_t             number)
{
    const cairn_group *group = cairn_origin_group(origin);

    return group && number < group->count ? &origin->from->part[group->first + number]
                                          : NULL;
}

/// Likewise, as functions see it.
static inline const cairn_kernel_part *cairn_origin_view(const cairn_origin *origin,
                                                         int64_t             number)
{
    const cairn_part *part = cairn_origin_part(origin, number);

    return part ? &part->view : NULL;
}

/// Entries there are at most.
cairn_pos cairn_origin_entries(const cairn_origin *origin);

/// Positions that an array of entries' members has: entries, or values of all parts.
cairn_pos cairn_origin_positions(const cairn_origin *origin);

/// Fill the arguments of a phase that are about the source, @p part being the number of
/// the part to be read (ignored for entries); @p outer has room for CAIRN_MAX_LEVELS
/// indices.
void cairn_origin_args(const cairn_origin *origin,
                       int64_t             part,
                       int64_t            *outer,
                       cairn_convert_args *args);

/// Run a PACK phase over all that there is, on up to @p threads threads. `keys` has its
/// fields and room.
cairn_status cairn_origin_pack(cairn_env          *env,
                               int                 threads,
                               const cairn_origin *origin,
                               const cairn_phase  *pack,
                               cairn_keys         *keys);

/// Do the arrays have the widths of their layout? (Those that a caller brought may not.)
bool cairn_origin_fits(const cairn_origin *origin);

#endif
