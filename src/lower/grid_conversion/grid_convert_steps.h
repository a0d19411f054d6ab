// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the files of conversions as grids share. Internal to lower.

#ifndef CAIRN_LOWER_GRID_CONVERT_STEPS_H
#define CAIRN_LOWER_GRID_CONVERT_STEPS_H

#include "lower/conversion/convert_steps.h"
#include "lower/grid_conversion/grid_convert.h"

enum { CAIRN_GRID_CONVERT_NAME = 64 }; ///< Bytes of a function's name.

/// Open loops of groups and of their items over @p turns turns. @return the turn at hand.
cairn_ir_x
     cairn_grid_convert_open(cairn_convert *c, cairn_ir_x turns, const char *name);
void cairn_grid_convert_close(cairn_convert *c);

/// Open the loop of a group's items over @p begin to @p end.
cairn_ir_x cairn_grid_convert_items(cairn_convert *c,
                                    cairn_ir_x     begin,
                                    cairn_ir_x     end,
                                    const char    *name);

/// `end` of the arguments; keys, one behind the other.
cairn_ir_x      cairn_grid_convert_end(cairn_convert *c);
cairn_ir_array *cairn_grid_convert_keys(cairn_convert *c);

/// The value of the source at position @p at.
cairn_ir_x cairn_grid_convert_value(cairn_convert *c, cairn_ir_x at);

/// The key at @p p, by name.
cairn_ir_x cairn_grid_convert_key_at(cairn_convert *c, cairn_ir_x p, const char *name);

void cairn_grid_convert_lower_pack(cairn_convert *c);
void cairn_grid_convert_lower_slots(cairn_convert *c);
void cairn_grid_convert_lower_pad(cairn_convert *c);
void cairn_grid_convert_lower_lines(cairn_convert *c);
void cairn_grid_convert_lower_pad_lines(cairn_convert *c);

/// End a function, and what it was built with.
cairn_status cairn_grid_convert_finish(cairn_env          *env,
                                       cairn_convert     **c,
                                       cairn_ir_function **function);

/// A search by halves, as a loop of a kernel, for the first of from .. till-1 that does not
/// come before what is sought.
typedef struct cairn_grid_search {
    cairn_ir_var *low, *high;
    cairn_ir_x    lo;     ///< Where it stands; in the end what was found.
    cairn_ir_x    middle; ///< Of what is left.
} cairn_grid_search;

/// Begin the loop. What is found at `middle` is looked at next.
cairn_grid_search cairn_grid_search_open(cairn_ir *b, cairn_ir_x from, cairn_ir_x till);

/// End it. @param before  Does `middle` come before what is sought?
/// @return  The first that does not.
cairn_ir_x
cairn_grid_search_close(cairn_ir *b, const cairn_grid_search *s, cairn_ir_x before);

#endif
