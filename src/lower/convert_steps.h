// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The pieces of which the phases of a conversion are put together. Internal to lower.

#ifndef CAIRN_LOWER_CONVERT_STEPS_H
#define CAIRN_LOWER_CONVERT_STEPS_H

#include "lower/convert.h"

/// A conversion while it is lowered.
typedef struct cairn_convert {
    const cairn_convert_spec *spec;
    const cairn_layout       *from, *to;
    cairn_ir                  ir;
    cairn_algebra            *algebra;                  ///< Of both maps.
    cairn_form                source[CAIRN_MAX_LEVELS]; ///< Levels read; if direct.
    cairn_form                target[CAIRN_MAX_LEVELS]; ///< Levels filled.
    int                       levels;                   ///< Of them.
    int                       opened; ///< Statements that the visit has open.
    /* Where the visit stands: */
    cairn_ir_x    begin, end, thread;      ///< Of the share; NULL: the arguments say.
    cairn_ir_x    turn;                    ///< Entry or item; NULL in a part.
    cairn_ir_x    position;                ///< Entry, or value in a part.
    int           inner;                   ///< Innermost loop's level, stored; else -1.
    cairn_ir_x    at;                      ///< Its node.
    cairn_ir_x    dim[CAIRN_MAX_ORDER];    ///< Coordinates; NULL with keys.
    cairn_ir_x    index[CAIRN_MAX_LEVELS]; ///< Of the levels read; NULL where unknown,
    cairn_ir_x    stored[CAIRN_MAX_LEVELS]; ///< and before any check.
    cairn_ir_x    atom[CAIRN_MAX_ATOMS];    ///< Values computed; NULL: not yet.
    cairn_ir_x    e[CAIRN_MAX_LEVELS];      ///< Of the levels filled.
    cairn_ir_x    word[2];                  ///< Keys: lower and upper word.
    cairn_ir_x    value;
    cairn_ir_var *rank, *rank_row, *fewest, *most; ///< With `rank` of the spec.
    cairn_form    block_form[CAIRN_MAX_LEVELS];    ///< With `blocks`: of the groupBy,
    cairn_ir_var *block_line;                      ///< the line at hand, if listed,
    cairn_ir_x    block_number;                    ///< and the number at the entry.
    /* Fields of keys, by level of what is filled: */
    cairn_ir_x low[CAIRN_MAX_LEVELS], shift[CAIRN_MAX_LEVELS], mask[CAIRN_MAX_LEVELS];
} cairn_convert;

/// Field of the arguments as an array of 64-bit integers, and its element @p k.
cairn_ir_array *cairn_convert_array(cairn_convert *c, int field, const char *name);
cairn_ir_x      cairn_convert_scalar(cairn_convert *c, int field, const char *name);
cairn_ir_x
cairn_convert_element(cairn_convert *c, int field, const char *name, int64_t k);

/// ptr, idx and values of part @p part (0: read, 1: filled), which has @p layout.
cairn_ir_array *cairn_convert_ptr(cairn_convert *c, int part, int level);
cairn_ir_array *cairn_convert_idx(cairn_convert *c, int part, int level);
cairn_ir_array *cairn_convert_values(cairn_convert *c, int part);
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

/// Close them.
void cairn_convert_leave(cairn_convert *c);

/// Open the loop over threads: visits inside are of a thread's share. One turn a thread,
/// and one thread where there is one share.
void cairn_convert_open_shares(cairn_convert *c);
void cairn_convert_close_shares(cairn_convert *c);

/// facts[k] of this thread.
void cairn_convert_tell(cairn_convert *c, int k, cairn_ir_x value);

/// The indices of levels 0..count-1 of what is filled, at the entry where the visit
/// stands.
void cairn_convert_indices(cairn_convert *c, int count);

/// Where the share ends.
cairn_ir_x cairn_convert_end(cairn_convert *c);

/// A dimension from the indices of the levels read, times its denominator.
cairn_ir_x cairn_convert_scaled(cairn_convert *c, const cairn_ir_x *e, int k);

/// Number the entries of rows, one by one: before the visit, at an entry, after.
void cairn_convert_declare_rank(cairn_convert *c);
void cairn_convert_number_entry(cairn_convert *c);
void cairn_convert_tell_ranks(cairn_convert *c);

/// Number the groups of entries by a table: before the visit, at an entry.
void cairn_convert_declare_blocks(cairn_convert *c);
void cairn_convert_number_block(cairn_convert *c);

enum { CAIRN_CONVERT_ROWS_AHEAD = 12 }; ///< Rows between a prefetch and its use.

/// Ask for the first line of row @p row, which is read some turns later.
void cairn_convert_ask_for_row(cairn_convert *c, cairn_ir_x row);

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
void cairn_convert_lower_histogram(cairn_convert *c);
void cairn_convert_lower_scatter(cairn_convert *c);
void cairn_convert_lower_mirror(cairn_convert *c);
void cairn_convert_lower_mark(cairn_convert *c);
void cairn_convert_lower_place(cairn_convert *c);
void cairn_convert_lower_tally(cairn_convert *c);
void cairn_convert_lower_deal(cairn_convert *c);
void cairn_convert_lower_lanes(cairn_convert *c);
void cairn_convert_lower_ranked(cairn_convert *c);
void cairn_convert_lower_cut(cairn_convert *c);

#endif
