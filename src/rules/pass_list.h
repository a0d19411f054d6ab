// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Programs: what a conversion does with its entries, pass by pass. Rules (path.h) say
/// what a conversion means; a program says how it is done: entries, or whole rows, are
/// counted by group, counts are added up to offsets, entries are numbered, and moved to
/// where that tells. A program is kept with the path of the tensor that it stored, so that
/// `cairn format --path` can print it and a test can ask for it.
///
/// A group index is what COUNT and OFFSETS make: for every group, such as a row, how many
/// entries it has and where they begin. Indices are numbered in the order in which they
/// are made; a pass names the one that it makes or goes by.
///
/// Source: count, offsets and move are the attribute queries and assembly of Chou, Format
/// Abstractions for Sparse Tensor Algebra Compilers, MIT 2022, chapter 6.

#ifndef CAIRN_RULES_PASS_LIST_H
#define CAIRN_RULES_PASS_LIST_H

#include "format/layout.h"

/// Kinds of passes: name, what it does.
#define CAIRN_PASS_MAP(X)                                                 \
    X(CHECK, "Check", "look at a caller's arrays: range, order, repeats") \
    X(COUNT, "Count", "count entries, or nodes, by group")                \
    X(OFFSETS, "Offsets", "add counts up to where each group begins")     \
    X(NUMBER, "Number", "number entries, rows or groups")                 \
    X(ASSIGN, "Assign", "tell each entry its member")                     \
    X(SORT, "Sort", "put the entries in the order of the target")         \
    X(COMBINE, "Combine", "add up entries that are there repeatedly")     \
    X(MOVE, "Move", "write each entry where its group and number say")    \
    X(APPEND, "Append", "write entries one behind the other")             \
    X(SHARE, "Share", "have an array of the source in common")            \
    X(PAD, "Pad", "write positions without an entry")                     \
    X(EXCHANGE, "Exchange", "tell other ranks counts or keys")            \
    X(RULES, "Rules", "work on a table of all entries, rule by rule")

typedef enum {
#define X(id, name, what) CAIRN_PASS_##id,
    CAIRN_PASS_MAP(X)
#undef X
} cairn_pass_kind;

/// What is handled at once.
typedef enum { CAIRN_UNIT_ENTRY, CAIRN_UNIT_RUN } cairn_pass_unit;

/// What NUMBER gives: the rank in a group, the place in an order, a bucket of a greedy
/// schedule, the first free number at a distance.
typedef enum {
    CAIRN_NUMBER_NONE,
    CAIRN_NUMBER_RANK,
    CAIRN_NUMBER_PLACE,
    CAIRN_NUMBER_BUCKET,
    CAIRN_NUMBER_DISTANCE,
} cairn_number_rule;

/// How values and indices leave the processor: to where they belong; by way of a tile that
/// stays in cache; by way of buckets of groups.
typedef enum {
    CAIRN_STORES_NONE,
    CAIRN_STORES_DIRECT,
    CAIRN_STORES_TILED,
    CAIRN_STORES_BUCKETED,
} cairn_pass_stores;

/// Arrays of a target, as bits: ptr and idx of level L, and the values.
#define CAIRN_PASS_PTR(level) ((uint64_t)1 << (2 * (level)))
#define CAIRN_PASS_IDX(level) ((uint64_t)2 << (2 * (level)))
#define CAIRN_PASS_VAL        ((uint64_t)1 << 63)

/// Elements of a list, one after the other.
typedef struct cairn_pass_span {
    int first, count;
} cairn_pass_span;

/// What a pass assumes of the entries, and which passes go on where that does not hold.
typedef struct cairn_pass_assumption {
    const char     *what;      ///< Constant: "the pattern is symmetric"; NULL: nothing.
    cairn_pass_span otherwise; ///< Of the list's `otherwise`.
} cairn_pass_assumption;

/// Of an interpreted query: positions and groups looked at, for so many entries.
typedef struct cairn_pass_look {
    int64_t visits, entries;
} cairn_pass_look;

/// Where a pass runs.
typedef struct cairn_pass_place {
    const char *device; ///< "cuda:0"; the device's. NULL: on the processor.
    double      rate;   ///< Seconds a byte there, predicted.
} cairn_pass_place;

typedef struct cairn_pass {
    const char       *method; ///< Constant.
    cairn_pass_kind   what;
    cairn_pass_unit   unit;
    cairn_number_rule rule;   ///< Of NUMBER.
    int               member; ///< -1: all members, or an intermediate.
    int               into;   ///< 0: the target; k: the k-th intermediate.
    int               index;  ///< Group index that it makes or goes by; -1: none.
    uint64_t          arrays; ///< Of the target, that it writes.
    cairn_pass_stores stores;
    bool              interpreted; ///< Element by element, not by a generated function.
    double            bytes;       ///< Read and written, an entry, predicted.
    const char       *query_class; ///< Of an interpreted query; constant. NULL: none.
    cairn_pass_look   look;        ///< Of such a one.
    cairn_pass_place  place;
    cairn_pass_span   alternatives; ///< Of the list's: would have done instead.
    cairn_pass_assumption assumes;
} cairn_pass;

/// Another method that would have done what some passes do, and what it would take.
typedef struct cairn_alternative {
    const char *method;  ///< Constant.
    double      bytes;   ///< An entry.
    double      seconds; ///< Predicted, for all entries,
    double      shipped; ///< and by the rates that are shipped.
} cairn_alternative;

typedef struct cairn_pass_list {
    cairn_env  *env;
    int         passes, capacity;
    cairn_pass *pass;    ///< [passes]
    int         indices; ///< Group indices so far.
    int         alternatives;
    cairn_alternative
               *alternative; ///< [alternatives] of passes that follow each other.
    int         otherwises;
    cairn_pass *otherwise; ///< [otherwises] These go on where an assumption breaks.
} cairn_pass_list;

void cairn_pass_list_init(cairn_pass_list *program, cairn_env *env);
void cairn_pass_list_fini(cairn_pass_list *program);

/// Forget all passes, and keep their memory for others.
void cairn_pass_list_clear(cairn_pass_list *program);

/// The group index that was made last for a member; -1: none was.
int cairn_pass_list_last_index(const cairn_pass_list *program, int member);

/// Append a pass.
cairn_status cairn_pass_list_add(cairn_pass_list *program, const cairn_pass *pass);

/// Append a pass to those that go on where what pass @p k assumes breaks.
cairn_status
cairn_pass_list_add_otherwise(cairn_pass_list *program, int k, const cairn_pass *pass);

/// What pass @p k assumes broke: the passes that go on take the place of those behind it,
/// and of the pass itself if it wrote arrays, which are written anew.
///
/// @param[out] next  The first pass that goes on.
cairn_status cairn_pass_list_go_on(cairn_pass_list *program, int k, int *next);

/// Note what else would have done instead of the passes from @p first on.
cairn_status cairn_pass_list_explain(cairn_pass_list         *program,
                                     int                      first,
                                     int                      alternatives,
                                     const cairn_alternative *alternative);

/// What conversions are chosen by: seconds a byte, of what is read and written in order,
/// and of entries that are written one by one to where their groups stand.
typedef struct cairn_move_rates {
    double in_order, scattered;
} cairn_move_rates;

/// The rates that are shipped, measured on one thread with matrices beyond the caches
/// (docs/performance.md).
extern const cairn_move_rates cairn_move_rates_shipped;

/// Bytes an entry, by how they are moved: fields of cairn_move_rates, in bytes.
cairn_move_rates cairn_pass_list_bytes(const cairn_pass_list *program);

/// What a program is predicted to take for @p entries: bytes an entry, seconds by rates that
/// were learned (NULL: none were), and by those that are shipped; on one thread, but for
/// rates that were measured with more. What a pass assumes is taken to break: the passes
/// that go on then are those that are sure to do.
void cairn_pass_list_predict(const cairn_pass_list  *program,
                             const cairn_move_rates *rates,
                             int64_t                 entries,
                             cairn_alternative      *its);

/// Append the passes of another program. @p into: 0: as they are; k: its target is the
/// k-th intermediate, made for all members.
cairn_status cairn_pass_list_append(cairn_pass_list       *program,
                                    const cairn_pass_list *other,
                                    int                    into);

/// Print a program, one line a pass.
/// @param[out] text  Freed with cairn_free().
cairn_status cairn_pass_list_print(const cairn_pass_list *program, char **text);

/// List arrays as "ptr1 idx1 val", by level.
void cairn_pass_arrays_print(uint64_t arrays, char *text, size_t size);

/// Print what goes on where an assumption breaks: "scatter Count, Offsets, Move"; "":
/// nothing does.
void cairn_pass_otherwise_print(const cairn_pass_list *program,
                                const cairn_pass      *pass,
                                char                  *text,
                                size_t                 size);

/// Words of a pass.
const char *cairn_pass_name(cairn_pass_kind what);
const char *cairn_pass_unit_name(cairn_pass_unit unit);
const char *cairn_pass_rule_name(cairn_number_rule rule);     ///< NULL: NONE.
const char *cairn_pass_stores_name(cairn_pass_stores stores); ///< NULL: NONE.

/// Every array of a layout: what a pass that fills all of them writes.
uint64_t cairn_pass_arrays(const cairn_layout *layout);

/// Bytes that an entry takes in the source: coordinates and a value (NULL), or what
/// trimmed levels store of it.
int64_t cairn_pass_entry_bytes(const cairn_layout *layout, int order);

#endif
