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

/// Ways: method of which it is one, and what that method needs. Two ways of one method do
/// the same passes in different circumstances.
#define CAIRN_STRATEGY_MAP(X)                                                          \
    X(APPEND, "append", "the source must come in the order of the target")             \
    X(SCATTER, "scatter",                                                              \
      "every entry must be a node, in groups that follow each other")                  \
    X(SLOTS, "groups",                                                                 \
      "one trimmed level of few indices, or queries that number groups")               \
    X(SORT, "sort", "the indices of an entry must fit two words")                      \
    X(LANES, "row-slots", "queries must number the entries along rows")                \
    X(ROWS, "rows", "rows must lie together in the source, and give the first levels") \
    X(DEALT, "partitioned", "the source must be partitioned by groups of the target")  \
    X(LINES, "groups",                                                                 \
      "one trimmed level of few indices, or queries that number groups")               \
    X(WHOLE, "rows",                                                                   \
      "rows must lie together in the source, and give the first levels")               \
    X(TAKE, "share", "all but where rows begin must be the source's")

typedef enum {
#define X(id, method, needs) CAIRN_STRATEGY_##id,
    CAIRN_STRATEGY_MAP(X)
#undef X
} cairn_strategy;

/// The method that a way is one of, and what it needs.
const char *cairn_strategy_name(cairn_strategy strategy);
const char *cairn_strategy_needs(cairn_strategy strategy);

#define CAIRN_METHOD_REFERENCE "reference" ///< Not by a way: rule by rule.

/// Is @p word a method's name? "" is none.
///
/// @retval CAIRN_BAD_OPTION  It is none; the message has the nearest one.
cairn_status cairn_method_check(cairn_env *env, const char *word);

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

/// May a way go by these facts, of those that go by facts alone: APPEND, SCATTER, SLOTS,
/// SORT?
bool cairn_strategy_applies(cairn_strategy              strategy,
                            const cairn_layout         *to,
                            const cairn_strategy_facts *facts);

/// The best of these.
cairn_strategy cairn_strategy_choose(const cairn_layout         *to,
                                     const cairn_strategy_facts *facts);

#endif
