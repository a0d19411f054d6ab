// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is known of a conversion before any entry is read: where the entries come
/// from, in what order they meet the levels of the target, and how many there are. Methods
/// (method.h) decide by these alone. Order is proved from the two maps
/// (lower/conversion/convert_order.h), not looked for. Internal to convert.

#ifndef CAIRN_CONVERT_FACTS_H
#define CAIRN_CONVERT_FACTS_H

#include "lower/conversion/convert_order.h"
#include "phases/origin.h"

/// What has to be known about a source.
typedef struct cairn_source_facts {
    const cairn_layout *layout;  ///< NULL: coordinates, sorted.
    cairn_pos           entries; ///< At most.
    bool trusted;  ///< It holds each entry once, in the order of its levels.
    bool one_part; ///< And has no banks.
} cairn_source_facts;

/// What was found out about a conversion.
typedef struct cairn_facts {
    cairn_convert_facts order;
    cairn_pos           entries;           ///< At most.
    bool                trusted, one_part; ///< As the source says.
    uint32_t of_entries; ///< Bit l: every entry is a node of trimmed level l;
    bool     every;      ///< it is of all of them.
    int64_t  groups;     ///< Combinations of the levels above the trimmed ones.
    int64_t  slots;      ///< Indices of level E.
} cairn_facts;

cairn_source_facts cairn_source_facts_of(const cairn_origin *origin);

/// Find the facts. @p format: that the build makes; @p range: [levels] of the indices.
cairn_status cairn_facts_find(cairn_env                *env,
                              const cairn_format       *format,
                              const cairn_source_facts *source,
                              const cairn_layout       *to,
                              const cairn_interval     *range,
                              cairn_facts              *facts);

/// May nodes be appended? The source comes in the order of the target.
bool cairn_facts_append(const cairn_layout *to, const cairn_facts *facts);

/// May entries be scattered to their groups? Every entry is a node, and they come in order
/// within each group.
bool cairn_facts_scatter(const cairn_layout *to, const cairn_facts *facts);

/// May each group list its nodes? One trimmed level of few indices, and entries come group
/// by group.
bool cairn_facts_list(const cairn_layout *to, const cairn_facts *facts);

/// Is the order of the source good for any of these?
static inline bool cairn_facts_ordered(const cairn_layout *to, const cairn_facts *facts)
{
    return cairn_facts_append(to, facts) || cairn_facts_scatter(to, facts)
           || cairn_facts_list(to, facts);
}

#endif
