// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// From a source to keys. Internal to convert.

#ifndef CAIRN_CONVERT_COMPILED_SOURCE_H
#define CAIRN_CONVERT_COMPILED_SOURCE_H

#include "convert/compiled_keys.h"
#include "groups/groups.h"

/// Entries of one member of a hybrid, among all.
typedef struct cairn_filter {
    uint8_t  *member;  ///< By entry, or by value of the parts in turn; NULL: no filter.
    int       which;   ///< Member that is meant.
    cairn_pos entries; ///< It has so many.
    const struct cairn_member_groups
        *groups; ///< By which they were told apart (assign_members.h); NULL: not known.
} cairn_filter;

/// Groups that are numbered along lines (compiled_blocks.h).
typedef struct cairn_blocks cairn_blocks;

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
    const cairn_blocks   *blocks; ///< Numbers by group; NULL: there are none.
} cairn_origin;

/// Entries there are at most.
cairn_pos cairn_origin_entries(const cairn_origin *origin);

/// Fill what a phase is told about the source, @p part being the number of the part to be
/// read (ignored for entries); @p outer has room for CAIRN_MAX_LEVELS indices.
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
