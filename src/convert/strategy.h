// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which way the entries of a member go into their arrays. Every way gives the same
/// arrays; they differ in what must hold and what it costs:
///
/// | way | needs | costs |
/// |---|---|---|
/// | APPEND | the source comes in the order of the target | one or two passes |
/// | SCATTER | every entry a node, groups with a ptr, order within each | two passes |
/// | SLOTS | one trimmed level of few indices, entries group by group | two passes |
/// | LANES | rows were counted, each has a lane of its own | one pass, one over rows |
/// | LINES | groups were numbered along lines, each in a lane of its own | one pass |
/// | ROWS | rows can be read in any order, and give the first levels | two passes |
/// | DEALT | entries in buckets by lines, every entry a node of its line | one pass |
/// | WHOLE | as SCATTER; groups follow from rows, which lie together | one, one over rows |
/// | TAKE | as APPEND, and all is the source's but where complete rows begin | that |
/// | SORT | nothing | keys, about 10 ns an entry where they are not in order |
///
/// What holds is proved from the two maps (lower/convert_order.h), not looked for.
/// Measurements: docs/conversion.md.

#ifndef CAIRN_CONVERT_STRATEGY_H
#define CAIRN_CONVERT_STRATEGY_H

#include "convert/compiled_source.h"
#include "lower/convert_order.h"

typedef enum {
    CAIRN_STRATEGY_APPEND,
    CAIRN_STRATEGY_SCATTER,
    CAIRN_STRATEGY_SLOTS,
    CAIRN_STRATEGY_SORT,
    CAIRN_STRATEGY_LANES,
    CAIRN_STRATEGY_ROWS,
    CAIRN_STRATEGY_DEALT,
    CAIRN_STRATEGY_LINES,
    CAIRN_STRATEGY_WHOLE,
    CAIRN_STRATEGY_TAKE,
} cairn_strategy;

/// What has to be known about a source.
typedef struct cairn_strategy_source {
    const cairn_layout *layout;  ///< NULL: coordinates, sorted.
    cairn_pos           entries; ///< At most.
    bool trusted;  ///< It holds each entry once, in the order of its levels.
    bool one_part; ///< And has no banks.
} cairn_strategy_source;

/// What was found out about a conversion.
typedef struct cairn_strategy_facts {
    cairn_convert_facts order;
    cairn_pos           entries;           ///< At most.
    bool                trusted, one_part; ///< As the source says.
    bool                every;  ///< Every entry is a node of each trimmed level.
    int64_t             groups; ///< Combinations of the levels above the trimmed ones.
    int64_t             slots;  ///< Indices of level E.
} cairn_strategy_facts;

cairn_strategy_source cairn_strategy_source_of(const cairn_origin *origin);

/// Find the facts. @p range: [levels] of the indices.
cairn_status cairn_strategy_find(cairn_env                   *env,
                                 const cairn_strategy_source *source,
                                 const cairn_layout          *to,
                                 const cairn_interval        *range,
                                 cairn_strategy_facts        *facts);

cairn_strategy cairn_strategy_choose(const cairn_layout         *to,
                                     const cairn_strategy_facts *facts);

#endif
