// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rewrite rules and paths: how storage in one format becomes storage in another. A rule
/// is one step on a table of stored entries, seen level by level; a path is the list of
/// rules that the planner chose, and the reference run executes it rule by rule.
///
/// | rule | does | undone by |
/// |---|---|---|
/// | Swap(i,j) | exchanges levels i and j | itself |
/// | Scale(i,c) | e_i becomes c*e_i | Unscale(i,c) |
/// | Unscale(i,c) | e_i becomes e_i/c, which is exact | Scale(i,c) |
/// | Shift(i,c) | e_i becomes e_i+c | Shift(i,-c) |
/// | Skew(i,j,c) | e_j becomes e_j+c*e_i | Skew(i,j,-c) |
/// | TileSplit(i,c) | e_i becomes e_i/c; e_i%c is appended as last level | TileUnion |
/// | TileUnion(i,j,c) | e_i becomes c*e_i+e_j, level j goes | TileSplit |
/// | Drop(i) | level i goes: the others determine the entry | a query, TileSplit |
/// | Sort | orders the entries by (e0, e1, ...), stably | |
/// | Trim(L) | level L, above the trimmed range, joins it | Fill(L) |
/// | Fill(L) | level L, the first of the range, becomes complete | Trim(L) |
/// | Devectorize(L) | level L, below the range, joins it | Vectorize(L) |
/// | Vectorize(L) | level L, the last of the range, becomes complete | Devectorize(L) |
/// | Merge(L) | equal prefixes (e0..eL) become one node | Split(L) |
/// | Split(L) | every stored node stands by itself | Merge(L) |
/// | Sum(q) Enumerate(q) Reorder(q) Schedule(q) | query q runs on the entries; if the map
///   uses its number, that is appended as last level | Drop |
/// | Pack(S,E) | levels S..E are stored as tuples | Unpack(S,E) |
/// | Partition(L) | levels 0..L number banks | Gather(L) |
/// | Bits(ptr(L)=w) | a width given by hand; without `=w` by the rules again | Bits |
/// | Val(TYPE) | how values are stored; without `(TYPE)` as the text of a format without val
///   says | Val |
/// | Compose | the entries of all members in one table of coordinates | Decompose |
/// | Decompose | a hybrid's thresholds assign the entries to members | Compose |
/// | Member(k) | the rules that follow are about member k | |
///
/// A map rule moves stored entries; what is complete below the trimmed range has no
/// entries of its own, so TileSplit's last level is complete where the range ends above.
///
/// Source: Liu et al., UniSparse, OOPSLA 2024, Table 2. Unscale, Shift, Drop, Unpack,
/// Gather, Bits, Val, Compose and Member are ours: inverses, and what the table leaves out.

#ifndef CAIRN_RULES_PATH_H
#define CAIRN_RULES_PATH_H

#include "entries/entries_sent.h"
#include "format/encoding.h"
#include "rules/pass_list.h"

/// Levels that a table may have while rules work on it.
#define CAIRN_TABLE_LEVELS 128

/// Every rule: name, the form of its arguments, what it does in a sentence.
#define CAIRN_RULE_MAP(X)                                                              \
    X(SWAP, "Swap", LEVELS, "exchange two levels")                                     \
    X(SCALE, "Scale", FACTOR, "multiply a level's index by a constant")                \
    X(UNSCALE, "Unscale", FACTOR, "divide a level's index by a constant, exactly")     \
    X(SHIFT, "Shift", FACTOR, "add a constant to a level's index")                     \
    X(SKEW, "Skew", BOTH, "add a multiple of the first level to the second")           \
    X(TILE_SPLIT, "TileSplit", FACTOR, "divide; the remainder becomes the last level") \
    X(TILE_UNION, "TileUnion", BOTH, "join a quotient and its remainder to one level") \
    X(DROP, "Drop", LEVEL, "leave out a level that the others determine")              \
    X(SORT, "Sort", NONE, "put the entries in the order of their indices")             \
    X(TRIM, "Trim", LEVEL, "keep only stored nodes, from this level down")             \
    X(FILL, "Fill", LEVEL, "make the level complete: its positions by arithmetic")     \
    X(MERGE, "Merge", LEVEL, "join the nodes of equal prefixes down to this level")    \
    X(SPLIT, "Split", LEVEL, "let every stored node stand by itself again")            \
    X(VECTORIZE, "Vectorize", LEVEL, "make the level a dense vector under each node")  \
    X(DEVECTORIZE, "Devectorize", LEVEL, "keep only what is stored of dense vectors")  \
    X(SUM, "Sum", QUERY, "count, group by group")                                      \
    X(ENUMERATE, "Enumerate", QUERY, "number the elements of each group")              \
    X(REORDER, "Reorder", QUERY, "order the groups by their values")                   \
    X(SCHEDULE, "Schedule", QUERY, "hand the groups out to buckets")                   \
    X(PACK, "Pack", PACK, "store levels as tuples")                                    \
    X(UNPACK, "Unpack", PACK, "store levels as one array each")                        \
    X(PARTITION, "Partition", LEVEL, "give each index of the top levels its own bank") \
    X(GATHER, "Gather", LEVEL, "bring the banks into one part")                        \
    X(BITS, "Bits", WIDTH, "set the width of an array")                                \
    X(VAL, "Val", TYPE, "store values in another type")                                \
    X(COMPOSE, "Compose", NONE, "bring all members' entries together")                 \
    X(DECOMPOSE, "Decompose", NONE, "assign the entries to the members")               \
    X(MEMBER, "Member", LEVEL, "what follows is about this member")

typedef enum {
#define X(id, name, arguments, sentence) CAIRN_RULE_##id,
    CAIRN_RULE_MAP(X)
#undef X
} cairn_rule_kind;

typedef struct cairn_rule {
    cairn_rule_kind kind;
    int a;         ///< Level, query or member; a pack's first level; -1: all levels; a
                   ///< cairn_val_type.
    int         b; ///< Second level; a pack's last; of a width 0: ptr, 1: idx.
    int64_t     c; ///< Factor, divisor, width (0: by the rules); novalue.
    bool        appends; ///< A query whose number becomes the last level.
    const char *query;   ///< Its name, borrowed from the format; NULL: none.
} cairn_rule;

/// What a rule costs for each stored entry; what it costs once is left out.
typedef struct cairn_rule_work {
    double bytes;      ///< Read and written.
    double operations; ///< Integer additions, multiplications, divisions, compares.
    int    passes;     ///< Over the entries.
    double memory;     ///< Bytes that are held beside the table while it runs.
} cairn_rule_work;

/// What all ranks together sent each other of entries that changed their rank.
typedef struct cairn_path_moves {
    int64_t entries, bytes, messages;
    int64_t asked; ///< Bytes of questions about places of rows, and of answers.
} cairn_path_moves;

typedef struct cairn_path {
    cairn_env       *env;
    int              rules, capacity;
    cairn_rule      *rule;   ///< [rules]
    cairn_rule_work *work;   ///< [rules]
    char           **text;   ///< [rules] printed once they were asked for; else NULL.
    cairn_rule_work  total;  ///< Sums; of `memory` the largest.
    bool             sorted; ///< The entries are in the order of their levels after it.
    int              routes; ///< Routes that were compared,
    double           others; ///< bytes an entry of the next best; 0 with one route.
    char            *how;    ///< The program as text, once it was asked for.
    cairn_pass_list  program; ///< How it was done, or would be; empty: not known.
    const char      *rates;   ///< Whose rates chose the methods of the program:
                              ///< "shipped" or "learned"; NULL: none did. Constant.
    cairn_path_moves moves;   ///< What changed its rank on the way.
} cairn_path;

/// Plan the conversion of tensors from one format to another.
///
/// Local; the same on every rank for the same arguments. Routes are compared by the
/// bytes that they move, then by their rules.
///
/// @param[in]  from    NULL: entries in coordinates, sorted (what readers give).
/// @param[in]  extent  [order] global extents; NULL: not known, 2^20 is assumed where the
///                     length of a sort key matters.
/// @param[out] path    Borrows query names from the formats. Destroy with
///                     cairn_path_destroy(). Unchanged on failure.
/// @retval CAIRN_BAD_SHAPE  The formats are for different orders.
cairn_status cairn_path_plan(cairn_env          *env,
                             const cairn_format *from,
                             const cairn_format *to,
                             const int64_t      *extent,
                             cairn_path        **path);

CAIRN_API void cairn_path_destroy(cairn_path **path);

/// Print all rules into `text`, which later needs neither memory nor the formats.
cairn_status cairn_path_print(cairn_path *path);
void         cairn_path_drop_text(cairn_path *path);

/// Rule @p k as text, while the target's format lives. NULL: there is no memory.
const char *cairn_path_rule(const cairn_path *path, int k);

/// All passes as text. NULL: there is no memory.
const char *cairn_path_how(const cairn_path *path);

/// Print a rule as "Skew(0,1,-1)". @param[out] text  Freed with cairn_free().
cairn_status cairn_rule_print(cairn_env *env, const cairn_rule *rule, char **text);

/// What a rule does, in a few constant words.
const char *cairn_rule_sentence(cairn_rule_kind kind);

#endif
