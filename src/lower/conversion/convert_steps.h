// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The pieces of which the phases of a conversion are put together. Internal to lower.

#ifndef CAIRN_LOWER_CONVERT_STEPS_H
#define CAIRN_LOWER_CONVERT_STEPS_H

#include "lower/conversion/convert.h"

typedef struct cairn_convert cairn_convert;

/// Called where all but the innermost loop of a visit is open, which then runs over nodes
/// begin <= p < end of level @p l. `dim` has what is known there.
typedef void (*cairn_convert_before)(cairn_convert *c,
                                     void          *user,
                                     int            l,
                                     cairn_ir_x     begin,
                                     cairn_ir_x     end);

/// Where a visit stands, and what is known there.
typedef struct cairn_convert_stand {
    cairn_ir_x begin, end, thread; ///< Of the share; NULL: the arguments say.
    cairn_ir_x row;  ///< Not NULL: the visit is of this one, from the first of the box.
    cairn_ir_x turn; ///< Entry, item or row; NULL in a part.
    cairn_ir_x count;                    ///< ROWS in order: entries of the row.
    cairn_ir_x position;                 ///< Entry, or value in a part.
    cairn_ir_x dim[CAIRN_MAX_ORDER];     ///< Coordinates; NULL with keys.
    cairn_ir_x index[CAIRN_MAX_LEVELS];  ///< Of the levels read; NULL where unknown,
    cairn_ir_x stored[CAIRN_MAX_LEVELS]; ///< and before any check.
    cairn_ir_x atom[CAIRN_MAX_ATOMS];    ///< Values computed; NULL: not yet.
    cairn_ir_x e[CAIRN_MAX_LEVELS];      ///< Of the levels filled.
    cairn_ir_x word[2];                  ///< Keys: lower and upper word.
    cairn_ir_x value;
    cairn_ir_x first; ///< Is the entry the first of its row? Then it alone writes the
                      ///< indices that they have in common; NULL: each does.
} cairn_convert_stand;

/// The innermost loop of a visit.
typedef struct cairn_convert_inner {
    int                  level;  ///< Stored; else -1.
    cairn_ir_x           node;   ///< Where it stands.
    cairn_convert_before before; ///< NULL: none. Set before the visit, with
    void                *user;
    int                  needs;  ///< indices of what is filled that it needs.
    bool                 called; ///< It was.
    bool                 steps;  ///< It is not one by ones: the body of the visit
    cairn_ir_var        *step;   ///< moves this on,
    cairn_ir_x           end;    ///< up to here.
} cairn_convert_inner;

/// Numbers of queries that are found while entries are visited.
typedef struct cairn_convert_numbers {
    cairn_ir_var *rank, *rank_row;              ///< With `rank` of the spec.
    cairn_form    block_form[CAIRN_MAX_LEVELS]; ///< With `blocks`: of the groupBy,
    cairn_ir_var *block_line;                   ///< the line at hand, if listed,
    cairn_ir_x    block_number;                 ///< and the number at the entry.
} cairn_convert_numbers;

/// Fields of keys, by level of what is filled.
typedef struct cairn_convert_fields {
    cairn_ir_x low[CAIRN_MAX_LEVELS], shift[CAIRN_MAX_LEVELS], mask[CAIRN_MAX_LEVELS];
} cairn_convert_fields;

/// A conversion while it is lowered.
struct cairn_convert {
    const cairn_convert_spec *spec;
    const cairn_layout       *from, *to;
    cairn_ir                  ir;
    cairn_algebra            *algebra;                  ///< Of both maps.
    cairn_form                source[CAIRN_MAX_LEVELS]; ///< Levels read; if direct.
    cairn_form                target[CAIRN_MAX_LEVELS]; ///< Levels filled.
    int                       levels;                   ///< Of them.
    int                       opened; ///< Statements that the visit has open.
    bool                      narrow; ///< Divisions go in 32 bits,
    bool                      counts; ///< and those of numbers divide no negative one.
    bool trusted; ///< What is read holds each entry once, in order, and within the box.
    cairn_convert_stand   here;
    cairn_convert_inner   inner;
    cairn_convert_numbers numbers;
    cairn_convert_fields  fields;
};

/// Begin a function: both maps in one algebra, the builder, the note.
///
/// @param[in]  abi  Of CAIRN_ABI_CONVERT's fields, at least.
/// @param[out] c    cairn_convert_destroy(), once its `ir` is finished. Unchanged on
///                  failure.
cairn_status cairn_convert_create(cairn_env                *env,
                                  const cairn_convert_spec *spec,
                                  const char               *name,
                                  int                       abi,
                                  cairn_convert           **c);
void         cairn_convert_destroy(cairn_env *env, cairn_convert **c);

/// Field of the arguments as an array of 64-bit integers, and its element @p k.
cairn_ir_array *cairn_convert_array(cairn_convert *c, int field, const char *name);
cairn_ir_x      cairn_convert_scalar(cairn_convert *c, int field, const char *name);
cairn_ir_x
cairn_convert_element(cairn_convert *c, int field, const char *name, int64_t k);

/// ptr, idx and values of part @p part (0: read, 1: filled), which has @p layout.
cairn_ir_array *cairn_convert_ptr(cairn_convert *c, int part, int level);
cairn_ir_array *cairn_convert_idx(cairn_convert *c, int part, int level);
cairn_ir_array *cairn_convert_values(cairn_convert *c, int part);
/// A value as one of the part that is filled: in the type that it is stored from.
cairn_ir_x cairn_convert_as_value(cairn_convert *c, cairn_ir_x value);
/// 0 as a value of part @p part.
cairn_ir_x cairn_convert_no_value(cairn_convert *c, int part);
/// Number of indices of a complete level.
cairn_ir_x cairn_convert_size(cairn_convert *c, int part, int level);
/// The least of them.
cairn_ir_x cairn_convert_low(cairn_convert *c, int part, int level);
/// Their number where it is the same for all extents; else 0.
int64_t cairn_convert_constant_size(const cairn_layout *layout, int level);

/// Arrays of keys (word 0 or 1) and their values.
cairn_ir_array *cairn_convert_words(cairn_convert *c, int word);
cairn_ir_array *cairn_convert_moved(cairn_convert *c);

/// The fields of keys as constants of the function: before the visit.
void cairn_convert_read_fields(cairn_convert *c);

/// Open the loops over what is visited, down to one entry; @p value: its value is wanted
/// (it is read anyhow where zeros are left out).
void cairn_convert_visit(cairn_convert *c, bool value);

enum {
    CAIRN_CONVERT_BLOCK   = 512, ///< Entries of a block: they stay in the first cache.
    CAIRN_CONVERT_COUNTED = 4,   ///< Entries that are counted in one turn (measured).
};

/// Open the loop over blocks of the share; @p begin and @p end of one. Close it with
/// cairn_ir_end().
void cairn_convert_open_blocks(cairn_convert *c, cairn_ir_x *begin, cairn_ir_x *end);

/// Open the loop over a block of entries, or of keys in one word: those from @p begin to
/// before @p end. Of one visit there may be several, one after the other.
void cairn_convert_visit_block(cairn_convert *c,
                               cairn_ir_x     begin,
                               cairn_ir_x     end,
                               bool           value);

/// The same for the levels of a part (convert_part.c).
void cairn_convert_visit_part(cairn_convert *c, bool value);

/// Where an index of determined level @p l is, of which one is stored for each combination
/// of other levels' indices.
cairn_ir_x cairn_convert_combination(cairn_convert *c, const cairn_ir_x *e, int l);

/* Pieces of visits, which cairn_convert_leave() closes. */

/// Go on at a position of a part whose levels have these indices: dimensions are known
/// then, and what is no entry is left out.
void cairn_convert_stand_in_part(cairn_convert    *c,
                                 const cairn_ir_x *e,
                                 cairn_ir_x        position,
                                 bool              value);

/// A statement was opened.
void cairn_convert_opened(cairn_convert *c);

/// Entries of other members than the one that is filled are left out; @p position is
/// where this one stands.
void cairn_convert_stand_at(cairn_convert *c, cairn_ir_x position);

/// Open the loop over rows in order. @return The row, counted from the first of the box.
cairn_ir_x cairn_convert_next_row(cairn_convert *c);

/// Open it, and in it a loop over the entries of each row. @return that one's variable.
cairn_ir_x
cairn_convert_open_rows(cairn_convert *c, const char *note, const char *name);

/// What follows needs @p condition: to be closed with the loops.
void cairn_convert_require(cairn_convert *c, cairn_ir_x condition);

/// Close them.
void cairn_convert_leave(cairn_convert *c);

/// Is dimension @p k the index of a level of what is read, which then lies in the box?
bool cairn_convert_is_level(const cairn_convert *c, int k);

/// Call `before`, if all that it needs follows from levels above @p l, whose indices are
/// in @p e.
void cairn_convert_stand_before(cairn_convert    *c,
                                const cairn_ir_x *e,
                                int               l,
                                cairn_ir_x        begin,
                                cairn_ir_x        end);

/// Entries that stand side by side in the source and in the target: the innermost loop
/// over the source is one over nodes in the order of a dimension, of which the target's
/// last level is the remainder, and no level above it but by the quotient depends on it.
/// @return how many, if all are there; 0: this does not hold.
int64_t cairn_convert_run_length(const cairn_convert *c);

/// Does the group follow from the row, and the index of level E from the index in the
/// innermost loop over the source, whatever row of the group it is in?
bool cairn_convert_has_like_rows(const cairn_convert *c);

/// Do nodes and remainders together tell the index in the innermost loop? Then a row with
/// as many entries as its group has places for it has one in each, in their order.
bool cairn_convert_has_full_rows(const cairn_convert *c);

/// Open the loop over threads: visits inside are of a thread's share. One turn a thread,
/// and one thread where there is one share.
void cairn_convert_open_shares(cairn_convert *c);
void cairn_convert_close_shares(cairn_convert *c);

/// facts[k] of this thread.
void cairn_convert_tell(cairn_convert *c, int k, cairn_ir_x value);

/// PACK: is every entry packed, whose place is then known, and none by the one before but
/// for numbers of groups?
bool cairn_convert_packs_in_blocks(const cairn_convert_spec *spec);

/// Then: are there divisions that are faster in 32 bits, and do all of them go so? A
/// processor has no division of 64 bits for many at a time. That depends on the extents
/// and on the numbers that queries gave, so that the key of the function says it.
bool cairn_convert_divides_narrowly(const cairn_convert_spec *spec);

/// Then: are numbers of queries divided, none of which is negative? Their quotients need no
/// rounding down. The key says this, too.
bool cairn_convert_divides_counts(const cairn_convert_spec *spec);

/// The indices of levels 0..count-1 of what is filled, at the entry where the visit
/// stands.
void cairn_convert_indices(cairn_convert *c, int count);

/// Where the share begins, and where it ends.
cairn_ir_x cairn_convert_begin(cairn_convert *c);
cairn_ir_x cairn_convert_end(cairn_convert *c);

/// A dimension from the indices of the levels read, times its denominator.
cairn_ir_x cairn_convert_scaled(cairn_convert *c, const cairn_ir_x *e, int k);

/// Number the entries of rows, one by one: before the visit, at an entry.
void cairn_convert_declare_rank(cairn_convert *c);
void cairn_convert_number_entry(cairn_convert *c);

/// With `blocks`: the row-major number of the entry's group in its first @p end
/// expressions, by name.
cairn_ir_x cairn_convert_group_number(cairn_convert *c, int end, const char *name);

/// Number the groups of entries by a table: before the visit, at an entry.
void cairn_convert_declare_blocks(cairn_convert *c);
void cairn_convert_number_block(cairn_convert *c);

enum { CAIRN_CONVERT_ROWS_AHEAD = 12 }; ///< Rows between a prefetch and its use.

/// Ask for the first line of row @p row, which is read some turns later.
void cairn_convert_ask_for_row(cairn_convert *c, cairn_ir_x row);

/// Ask for what is @p ahead entries behind those of row @p row, as many as it has: if
/// rows are read as they lie, all is asked for.
void cairn_convert_ask_behind_row(cairn_convert *c, cairn_ir_x row, int64_t ahead);

/// Let dimension `table_row` be that of row @p row, counted from the first of the box.
void cairn_convert_stand_in_row(cairn_convert *c, cairn_ir_x row);

/// Is level @p l one of the nodes that entries are, not rows? (ROWS, MOVE.)
bool cairn_convert_is_of_entries(const cairn_convert *c, int l);

/// `first` of row @p row.
cairn_ir_x cairn_convert_first_of(cairn_convert *c, cairn_ir_x row);

/// Whether cairn_convert_look_ahead() can tell where a later entry goes: what is visited
/// innermost is stored side by side, and each level above the trimmed ones depends on one
/// dimension, so that stale and later coordinates mix.
bool cairn_convert_can_look_ahead(const cairn_convert *c);

/// The group of the entry @p distance visits later, or of one near it.
cairn_ir_x cairn_convert_look_ahead(cairn_convert *c, int64_t distance);

/// A form's value there.
cairn_ir_x cairn_convert_form(cairn_convert *c, const cairn_form *form);

/// Row-major position @p at of levels begin..end-1 of what is filled, those in @p mask.
cairn_ir_x cairn_convert_combine(cairn_convert *c,
                                 cairn_ir_x     at,
                                 int            begin,
                                 int            end,
                                 uint32_t       mask);

/// Write the value of the entry below node @p node of level E, and the indices of
/// determined levels. @p delta: elements to be added in each array; NULL: none.
void cairn_convert_write(cairn_convert *c, cairn_ir_x node, const cairn_ir_x *delta);

/// A lane while it is filled: positions are of values, a slot and the next are `lanes`
/// of them apart.
typedef struct cairn_convert_lane {
    cairn_ir_x    lanes, base, stop; ///< Slots begin here, and end before this.
    cairn_ir_var *next;              ///< Where the next one is written.
} cairn_convert_lane;

/// Write the padding of a lane whose row has entries up to `next`, in the order of their
/// columns: the columns that the row lacks, in order, as far as there are any; then, and in
/// a lane without a row from the begin, holes.
void cairn_convert_put_padding(cairn_convert *c, const cairn_convert_lane *s);
void cairn_convert_put_holes(cairn_convert *c, const cairn_convert_lane *s);

/// Write holes into the indices of determined levels.
void cairn_convert_write_holes(cairn_convert *c);

/// Array of 32-bit numbers in the arguments.
cairn_ir_array *cairn_convert_small(cairn_convert *c, int field, const char *name);

/// Coordinates and values of entries.
cairn_ir_array *cairn_convert_coordinates(cairn_convert *c, int d);
cairn_ir_array *cairn_convert_entry_values(cairn_convert *c);

/// The member of the entry at each position.
cairn_ir_array *cairn_convert_members(cairn_convert *c);

/// `variable = 1` if @p condition.
void cairn_convert_note(cairn_convert *c, cairn_ir_x condition, cairn_ir_var *variable);

/// Where the next entry of each group goes; which group the entry is of, from the levels
/// above the trimmed ones.
cairn_ir_array *cairn_convert_cursors(cairn_convert *c);
cairn_ir_x      cairn_convert_group(cairn_convert *c);

/// `variable` one more.
void cairn_convert_increase(cairn_convert *c, cairn_ir_var *variable);

/// Where a thread stands that lists, group by group, the offsets that entries have.
typedef struct {
    cairn_ir_var *nodes;       ///< Listed so far.
    cairn_ir_var *first, *now; ///< Groups: the first met, and the one at hand; else -1.
    cairn_ir_var *begin;       ///< Its first node.
} cairn_convert_lister;

/// A slot for each offset, one range of them a thread, and the offsets listed.
cairn_ir_array *cairn_convert_slots(cairn_convert *c);
cairn_ir_array *cairn_convert_list(cairn_convert *c);
/// This thread's slot of offset @p x.
cairn_ir_x cairn_convert_slot_at(cairn_convert *c, cairn_ir_x x);

/// Before the visit; @p what a group is called in names.
void cairn_convert_declare_lister(cairn_convert        *c,
                                  cairn_convert_lister *s,
                                  const char           *what);
/// At an entry: if @p group is another than before, note where it begins.
void cairn_convert_enter_group(cairn_convert              *c,
                               const cairn_convert_lister *s,
                               cairn_ir_x                  group);
/// Then: list offset @p x unless the group has it; `zero[node] = 0` if it is new, unless
/// @p zero is NULL.
void cairn_convert_list_offset(cairn_convert              *c,
                               const cairn_convert_lister *s,
                               cairn_ir_x                  x,
                               cairn_ir_array             *zero);
/// After: facts[1] nodes, facts[2] the first group, facts[3] the last.
void cairn_convert_tell_lister(cairn_convert *c, const cairn_convert_lister *s);

/// The bodies of the phases.
void cairn_convert_lower_pack(cairn_convert *c);
void cairn_convert_lower_bucket(cairn_convert *c);
void cairn_convert_lower_nodes(cairn_convert *c, bool fill);
bool cairn_convert_appends(const cairn_convert *c); ///< FILL: does the next do it?
void cairn_convert_lower_append(cairn_convert *c);
bool cairn_convert_counts_keys(const cairn_convert *c); ///< COUNT: does the next do it?
void cairn_convert_lower_count_keys(cairn_convert *c);
void cairn_convert_lower_histogram(cairn_convert *c);
void cairn_convert_lower_scatter(cairn_convert *c);
void cairn_convert_lower_mirror(cairn_convert *c);
void cairn_convert_lower_mark(cairn_convert *c);
void cairn_convert_lower_place(cairn_convert *c);
void cairn_convert_lower_tally(cairn_convert *c);
void cairn_convert_lower_deal(cairn_convert *c);
void cairn_convert_lower_lanes(cairn_convert *c);
void cairn_convert_lower_ranked(cairn_convert *c);
void cairn_convert_lower_stand(cairn_convert *c);
void cairn_convert_lower_cut(cairn_convert *c);
void cairn_convert_lower_groups(cairn_convert *c);
void cairn_convert_lower_move(cairn_convert *c);

#endif
